//go:build !long

package enc

// runeStride: the usual test looks at one rune in so many; see stride_long_test.go.
const runeStride = 23
