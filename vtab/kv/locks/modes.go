package locks

import (
	"math/bits"

	"github.com/freshetdb/freshet/vtab/kv"
)

// modeSet is a set of lock modes: bit m is kv.LockMode m.
type modeSet uint8

const (
	setIS  = modeSet(1) << kv.LockIS
	setIX  = modeSet(1) << kv.LockIX
	setS   = modeSet(1) << kv.LockS
	setSU  = modeSet(1) << kv.LockSU
	setX   = modeSet(1) << kv.LockX
	setAll = setIS | setIX | setS | setSU | setX
)

// conflictsOf is the compatibility matrix: per mode, the modes that another
// owner must not hold. It is symmetric.
var conflictsOf = [...]modeSet{
	kv.LockNone: 0,
	kv.LockIS:   setX,
	kv.LockIX:   setS | setX,
	kv.LockS:    setIX | setX,
	kv.LockSU:   setSU | setX,
	kv.LockX:    setAll,
}

// valid reports whether m is a mode one can ask for.
func valid(m kv.LockMode) bool { return m >= kv.LockIS && m <= kv.LockX }

// setOf returns the set of one mode.
func setOf(m kv.LockMode) modeSet { return 1 << m }

// conflicts returns the modes that no other owner may hold beside s.
func (s modeSet) conflicts() modeSet {
	var c modeSet
	for r := s; r != 0; r &= r - 1 {
		c |= conflictsOf[bits.TrailingZeros8(uint8(r))]
	}
	return c
}

// covers reports whether holding s blocks everybody whom holding m would block.
func (s modeSet) covers(m kv.LockMode) bool {
	return s != 0 && conflictsOf[m]&^s.conflicts() == 0
}

// with returns s plus m, without the modes that another of the set covers.
func (s modeSet) with(m kv.LockMode) modeSet {
	if m == kv.LockX {
		return setX
	}
	s |= setOf(m)
	if s != setIS {
		s &^= setIS
	}
	return s
}

// strongest returns the highest single mode of the set, LockNone for an empty one.
func (s modeSet) strongest() kv.LockMode {
	if s == 0 {
		return kv.LockNone
	}
	return kv.LockMode(bits.Len8(uint8(s)) - 1)
}

// modes calls f for each mode of the set, weakest first.
func (s modeSet) modes(f func(kv.LockMode)) {
	for r := s; r != 0; r &= r - 1 {
		f(kv.LockMode(bits.TrailingZeros8(uint8(r))))
	}
}

// String names the modes as in "S+IX".
func (s modeSet) String() string {
	if s == 0 {
		return "none"
	}
	out := ""
	s.modes(func(m kv.LockMode) {
		if out != "" {
			out += "+"
		}
		out += m.String()
	})
	return out
}
