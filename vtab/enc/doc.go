// Package enc turns SQL values into bytes and back.
//
// There are three encodings, all specified byte by byte in
// docs/formats/encoding.md:
//
//   - Keys (KeyCodec). The byte order of two keys is the SQL order of the values
//     they were made from, part by part, and two keys are the same bytes if and
//     only if the engine's own comparison calls the values equal. Text is stored
//     as the weights of the engine's collation, so 'a' and 'A' are one key where
//     the collation says so. A key is in general not the value: Reversible tells
//     for which parts the exact value can be read back.
//   - Rows (Layout). Exact values, the version of the layout they were written
//     under, and an offset table, so that a reader pays for the columns it asks
//     for and not for those before them.
//   - Single values (AppendValue). Exact and self-delimiting: what covering
//     index entries and stored defaults consist of.
//
// Rows and values are canonical: equal bytes if and only if exactly the same
// value. A statement can thus tell by bytes.Equal whether it changes a row.
//
// Everything here is a pure function of its arguments. Codecs and layouts are
// immutable after construction and safe for concurrent use. Decoders accept any
// input: bytes that no encoder wrote give ErrCorrupt, never a panic, a read past
// the end, or an allocation larger than the input warrants.
package enc
