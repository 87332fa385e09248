package enc

import "unsafe"

// slabMax is the most values allocated at a time. A value that outlives its row
// keeps its whole slab alive, so slabs stay small.
const slabMax = 64

// slab allocates values of one type many at a time, in growing numbers, so that
// reading one row costs little more than one value and reading many costs few
// allocations.
type slab[T any] struct {
	free []T
	size int
	// empty is an interface that holds some T; box borrows its type.
	empty any
}

// next returns a zero T that nobody else has.
func (s *slab[T]) next() *T {
	if len(s.free) == 0 {
		s.size = min(max(1, 2*s.size), slabMax)
		s.free = make([]T, s.size)
	}
	p := &s.free[0]
	s.free = s.free[1:]
	return p
}

// box returns v in an interface. An interface of a type that is no pointer holds
// a pointer to a value that never changes; Go allocates each such value on its
// own, this takes it from the slab.
func (s *slab[T]) box(v T) any {
	if s.empty == nil {
		var zero T
		s.empty = zero
	}
	p := s.next()
	*p = v
	out := s.empty
	(*[2]unsafe.Pointer)(unsafe.Pointer(&out))[1] = unsafe.Pointer(p)
	return out
}

// Text is copied into shared chunks, except when long.
const (
	chunkFirst = 64
	chunkMax   = 4096
	textLong   = 512
)

// textSlab copies text, many to an allocation.
type textSlab struct {
	free []byte
	size int
}

func (s *textSlab) copy(src []byte) string {
	if len(src) >= textLong {
		return string(src)
	}
	if len(src) > len(s.free) {
		s.size = min(max(chunkFirst, 2*s.size), chunkMax)
		s.free = make([]byte, max(s.size, len(src)))
	}
	n := copy(s.free, src)
	text := alias(s.free[:n])
	s.free = s.free[n:]
	return text
}
