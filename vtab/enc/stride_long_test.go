//go:build long

package enc

const runeStride = 1
