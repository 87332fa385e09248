package enc

import (
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
)

// collation turns text into weights such that the byte order of the weights is
// the engine's order of the texts. The engine compares rune by rune, by the
// weight that the collation's Sorter gives each rune, and calls the shorter text
// smaller when one is a prefix of the other. Under a collation with PAD SPACE the
// blanks at the end of a text do not count (INV-ENC-4).
//
// Weights differ wildly in size between collations: those of plain ASCII run to
// 7,547 in utf8mb4_0900_ai_ci. Each weight of a printable ASCII rune therefore
// gets a code of one byte, and each gap between two such weights gets one lead
// byte, which the weight's offset in the gap follows. Codes ascend with weights,
// so order is kept, and usual text costs one byte a rune.
type collation struct {
	id sql.CollationID
	// codePoints: the weights are strictly monotone in the code point, so the
	// UTF-8 bytes themselves are the weights, and the text can be read back unless
	// blanks were left out.
	codePoints bool
	// pads: blanks at the end are left out.
	pads   bool
	weight sql.CollationSorter
	// ascii holds the one-byte code of each printable ASCII rune, else 0.
	ascii [utf8.RuneSelf]byte
	// weights are the distinct weights with a one-byte code, ascending, and
	// codes their codes; gaps[i] is the lead byte of the weights below
	// weights[i] and above weights[i-1], 0 if there are none. gaps has one more
	// element, for the weights above all.
	weights []int32
	codes   []byte
	gaps    []byte
	// gapLead marks the bytes that are lead bytes.
	gapLead [256]bool
	// pages remember codes, 256 runes at a time, for the runes below U+10000 that
	// have been met. The engine finds a weight in a map and a long chain of
	// ranges, which costs more than everything else about a key.
	pages [256]atomic.Pointer[codePage]
}

// codePage holds codes with their bytes in reading order from the second byte of
// the number up, and their length in the first.
type codePage [256]uint64

// appendRune appends the code of the weight of r.
func (c *collation) appendRune(dst []byte, r rune) []byte {
	if r > 0xffff {
		return c.appendWeight(dst, c.weight(r))
	}
	page := c.pages[r>>8].Load()
	if page == nil {
		page = c.newPage(r &^ 0xff)
	}
	code := page[r&0xff]
	for n := byte(code); n > 0; n-- {
		code >>= 8
		dst = append(dst, byte(code))
	}
	return dst
}

// newPage fills the page of the runes from first on. Two goroutines may do so at
// once; the pages are the same.
func (c *collation) newPage(first rune) *codePage {
	page := new(codePage)
	var space [8]byte
	for i := range page {
		code := c.appendWeight(space[:0], c.weight(first+rune(i)))
		for j := len(code) - 1; j >= 0; j-- {
			page[i] = page[i]<<8 | uint64(code[j])
		}
		page[i] = page[i]<<8 | uint64(len(code))
	}
	c.pages[first>>8].Store(page)
	return page
}

// Printable ASCII: the runes that get one-byte codes. At most 95 codes and 96
// gaps, which leaves 0x00 for the end of the text.
const (
	firstCoded = ' '
	lastCoded  = '~'
)

// inCodePointOrder lists the collations whose weights are strictly monotone in
// the code point over all of Unicode. Other "_bin" collations are not: runes
// outside their character set, which the engine lets in, all weigh the same.
func inCodePointOrder(id sql.CollationID) bool {
	switch id {
	case sql.Collation_utf8mb4_bin, sql.Collation_utf8mb4_0900_bin, sql.Collation_utf16_bin, sql.Collation_utf32_bin:
		return true
	}
	return false
}

func newCollation(id sql.CollationID) *collation {
	c := &collation{id: id, codePoints: inCodePointOrder(id), pads: Pads(id), weight: id.Sorter()}
	if c.codePoints {
		return c
	}
	for r := rune(firstCoded); r <= lastCoded; r++ {
		c.weights = append(c.weights, c.weight(r))
	}
	slices.Sort(c.weights)
	c.weights = slices.Compact(c.weights)
	next := byte(terminator + 1)
	below := int32(-1)
	for _, w := range c.weights {
		c.gaps = append(c.gaps, c.takeGap(below, w, &next))
		c.codes = append(c.codes, next)
		next++
		below = w
	}
	c.gaps = append(c.gaps, c.takeGap(below, maxWeight, &next))
	for r := rune(firstCoded); r <= lastCoded; r++ {
		i, _ := slices.BinarySearch(c.weights, c.weight(r))
		c.ascii[r] = c.codes[i]
	}
	return c
}

// maxWeight is the weight of runes outside the character set.
const maxWeight = 1<<31 - 1

// takeGap takes a lead byte for the weights between below and above, if any.
func (c *collation) takeGap(below, above int32, next *byte) byte {
	if above-below <= 1 && above != maxWeight {
		return 0
	}
	lead := *next
	c.gapLead[lead] = true
	*next++
	return lead
}

// Pads tells whether a collation takes no account of the blanks at the end of a
// text (8.0 Reference Manual, 10.8.5, "PAD SPACE").
func Pads(id sql.CollationID) bool {
	return id != sql.Collation_binary && id.PadAttribute() == "PAD SPACE"
}

// WithoutPad is a text as a collation compares it: without the blanks at its end if
// they do not count.
func WithoutPad(id sql.CollationID, s string) string {
	if strings.HasSuffix(s, " ") && Pads(id) {
		return strings.TrimRight(s, " ")
	}
	return s
}

// reversible tells whether a text can be read back from its key.
func (c *collation) reversible() bool { return c.codePoints && !c.pads }

// appendKey appends the weights of s and their end. Ill-formed UTF-8 weighs as
// U+FFFD, byte by byte, as in the engine's comparison.
func (c *collation) appendKey(dst []byte, s string) []byte {
	if c.pads {
		s = strings.TrimRight(s, " ")
	}
	if c.codePoints {
		if utf8.ValidString(s) {
			return appendKeyBytes(dst, s)
		}
		return appendKeyBytes(dst, wellFormed(s))
	}
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			i++
			if code := c.ascii[b]; code != 0 {
				dst = append(dst, code)
				continue
			}
			dst = c.appendRune(dst, rune(b))
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		dst = c.appendRune(dst, r)
	}
	return append(dst, terminator)
}

// wellFormed replaces every byte that is not part of well-formed UTF-8 by
// U+FFFD.
func wellFormed(s string) string { return string([]rune(s)) }

// appendWeight appends the code of one weight.
func (c *collation) appendWeight(dst []byte, w int32) []byte {
	i, found := slices.BinarySearch(c.weights, w)
	if found {
		return append(dst, c.codes[i])
	}
	offset := uint32(w)
	if i > 0 {
		offset = uint32(w - c.weights[i-1] - 1)
	}
	return appendOffset(append(dst, c.gaps[i]), offset)
}

// Offsets within a gap: 7 bits in one byte, 14 in two, 21 in three, and 32 in
// five, each form starting where the one before ends; order is kept.
const (
	offsetOne   = 1 << 7
	offsetTwo   = offsetOne + 1<<14
	offsetThree = offsetTwo + 1<<21
	leadTwo     = 0x80
	leadThree   = 0xc0
	leadFive    = 0xe0
)

func appendOffset(dst []byte, u uint32) []byte {
	switch {
	case u < offsetOne:
		return append(dst, byte(u))
	case u < offsetTwo:
		u -= offsetOne
		return append(dst, leadTwo|byte(u>>8), byte(u))
	case u < offsetThree:
		u -= offsetTwo
		return append(dst, leadThree|byte(u>>16), byte(u>>8), byte(u))
	}
	return append(dst, leadFive, byte(u>>24), byte(u>>16), byte(u>>8), byte(u))
}

// offsetSize is the length of an offset by its first byte.
func offsetSize(lead byte) int {
	switch {
	case lead < leadTwo:
		return 1
	case lead < leadThree:
		return 2
	case lead < leadFive:
		return 3
	}
	return 5
}

// skipKey returns what follows a text.
func (c *collation) skipKey(src []byte, mask byte) ([]byte, error) {
	if c.codePoints {
		return skipKeyBytes(src, mask)
	}
	for i := 0; i < len(src); {
		b := src[i] ^ mask
		i++
		if b == terminator {
			return src[i:], nil
		}
		if c.gapLead[b] {
			if i == len(src) {
				break
			}
			i += offsetSize(src[i] ^ mask)
		}
	}
	return nil, corrupt("text in a key has no end")
}

// truncate returns the first n characters of s; cut reports whether any were
// left out. Ill-formed bytes count as one character each.
func truncate(s string, n int) (prefix string, cut bool) {
	if len(s) <= n {
		return s, false
	}
	end := 0
	for ; n > 0 && end < len(s); n-- {
		if s[end] < utf8.RuneSelf {
			end++
			continue
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end], end < len(s)
}
