package pebblekv

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/freshetdb/freshet/vtab/kv"
)

// The identity file of a data folder; docs/formats/kv.md describes it.
const (
	identityName  = "FRESHET"
	identityDraft = "FRESHET.tmp" // while the folder is being initialised
	identityMagic = "freshet data folder"

	// formatVersion is the version of everything in the folder. A change that an
	// older program would misread raises it.
	formatVersion = 1

	storeKind = "pebble"

	// identityBytesMax bounds what is read of a file that may be anything.
	identityBytesMax = 4 << 10
)

// identity is the content of the identity file.
type identity struct {
	version     int
	kind        string
	incarnation [16]byte
}

func newIdentity() identity {
	id := identity{version: formatVersion, kind: storeKind}
	rand.Read(id.incarnation[:]) // never fails; see crypto/rand
	return id
}

// encode renders the identity file.
func (id identity) encode() []byte {
	text := fmt.Sprintf("%s\nformat %d\nstore %s\nincarnation %x\n",
		identityMagic, id.version, id.kind, id.incarnation)
	return fmt.Appendf([]byte(text), "checksum %016x\n", xxhash.Sum64String(text))
}

// decodeIdentity reads the content of an identity file. The first two lines are
// the same in every version for ever, so that any program can tell a folder of
// a newer one; they are judged before the checksum, which a newer version may
// compute differently.
func decodeIdentity(content []byte) (identity, error) {
	magic, rest, _ := bytes.Cut(content, []byte("\n"))
	if string(magic) != identityMagic {
		return identity{}, fmt.Errorf("%w: its %s file does not begin with %q", kv.ErrNotOurs, identityName, identityMagic)
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	version, err := parseVersion(string(line))
	if err != nil {
		return identity{}, fmt.Errorf("%w: the %s file: %w", kv.ErrCorrupt, identityName, err)
	}
	if version > formatVersion {
		return identity{}, fmt.Errorf("%w: it has format version %d, this program reads up to version %d",
			kv.ErrNewerFormat, version, formatVersion)
	}
	id, err := parseIdentity(content)
	if err != nil {
		return identity{}, fmt.Errorf("%w: the %s file: %w", kv.ErrCorrupt, identityName, err)
	}
	if id.kind != storeKind {
		return identity{}, fmt.Errorf("%w: its store is of kind %q, this engine is %q", kv.ErrNotOurs, id.kind, storeKind)
	}
	return id, nil
}

func parseVersion(line string) (int, error) {
	digits, ok := strings.CutPrefix(line, "format ")
	version, err := strconv.Atoi(digits)
	if !ok || err != nil || version < 1 {
		return 0, fmt.Errorf("no format version in line %.40q", line)
	}
	return version, nil
}

// parseIdentity reads a file of the present version. Whatever encode would not
// have written is damage.
func parseIdentity(content []byte) (identity, error) {
	var id identity
	fields := map[string]string{}
	for i, line := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
		if name, value, ok := strings.Cut(line, " "); ok && i > 0 {
			fields[name] = value
		}
	}
	var err error
	if id.version, err = strconv.Atoi(fields["format"]); err != nil {
		return id, fmt.Errorf("format version: %w", err)
	}
	id.kind = fields["store"]
	raw, err := hex.DecodeString(fields["incarnation"])
	if err != nil || len(raw) != len(id.incarnation) {
		return id, fmt.Errorf("incarnation %.40q is not 32 hexadecimal digits", fields["incarnation"])
	}
	copy(id.incarnation[:], raw)
	if !bytes.Equal(id.encode(), content) {
		return id, fmt.Errorf("content and checksum disagree")
	}
	return id, nil
}
