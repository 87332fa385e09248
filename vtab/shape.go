package vtab

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/catalog"
	"github.com/freshetdb/freshet/vtab/enc"
	"github.com/freshetdb/freshet/vtab/kv"
)

// primaryName is the name that MySQL gives the primary key.
const primaryName = "PRIMARY"

// shape is what the table layer derives from one version of a descriptor: the
// engine's schema, codecs and key prefixes. It is immutable and shared by all
// sessions; GMS copies a schema before it resolves defaults in it.
type shape struct {
	desc     *catalog.Table
	dbName   string // as declared when the shape was built; for Source fields only
	schema   sql.Schema
	pkSchema sql.PrimaryKeySchema
	ordinal  map[string]int     // lower-case column name -> ordinal
	byID     map[catalog.ID]int // column id -> ordinal

	collation sql.CollationID
	primary   *indexShape   // parts empty: the key is a hidden row id
	indexes   []*indexShape // secondary, in declaration order

	layout  *storedLayout            // new rows are written under it
	layouts map[uint32]*storedLayout // every layout that stored rows may have
	// timestamps are the ordinals of the columns that depend on the time zone.
	timestamps []int
	// fits are the columns that ask more of a value than their type does.
	fits []fit
	// displays: values of some column are shown otherwise than their type says.
	displays bool
	autoCol  int            // ordinal of the AUTO_INCREMENT column, -1 for none
	autoMax  uint64         // the largest value its type holds
	fullText bool           // some index is GMS's full text
	resolved resolvedSchema // see Table.ResolvedSchema
}

// storedLayout maps a row layout to the ordinals of the current schema.
type storedLayout struct {
	codec *enc.Layout
	// ordinals[i] is the ordinal of stored column i, -1 if it was dropped since.
	ordinals []int
	// at[ordinal] is the position of a column among the stored ones, -1 if rows
	// of this layout do not store it.
	at []int
}

// indexShape is one key: the primary key or a secondary index.
type indexShape struct {
	name   string
	desc   *catalog.Index // nil for the primary key
	unique bool
	cols   []int // ordinals of the key parts
	parts  []enc.KeyPart
	codec  *enc.KeyCodec
	prefix []byte
	span   kv.Range
	// physical is the id that prefix and span are made of.
	physical catalog.ID
	// exact lists the parts whose value is kept beside the key, because the key
	// does not give it back (collations) or gives only its start (never for
	// prefixes, which are not covering).
	exact []int
	// covers[ordinal] says where an index read finds a column.
	covers map[int]source
	// stores is false for indexes that keep no entries of their own (full text).
	stores bool
	desc1  bool // some part is descending
	// backward: every part is, so that the index read from its end is ascending.
	backward bool
	// primary is the table's primary key; tail lists its parts that are not parts
	// of this index.
	primary *indexShape
	tail    []int
	// whole is the key over whole columns, nil unless some part is a prefix: a
	// range over a prefix also finds rows that only share it.
	whole *indexShape
}

// source says where a covering read finds the value of a column.
type source struct {
	kind sourceKind
	part int // key part, position among exact, or part of the primary key
}

type sourceKind uint8

const (
	fromKey sourceKind = iota + 1
	fromExact
	fromPrimary
)

// newShape derives a shape from a descriptor.
func newShape(ctx context.Context, dbName string, t *catalog.Table) (*shape, error) {
	s := &shape{desc: t, dbName: dbName, autoCol: -1, ordinal: map[string]int{}, byID: map[catalog.ID]int{}}
	if err := s.buildSchema(ctx); err != nil {
		return nil, fmt.Errorf("table %s.%s: %w", dbName, t.Name, err)
	}
	if err := s.buildKeys(); err != nil {
		return nil, fmt.Errorf("table %s.%s: %w", dbName, t.Name, err)
	}
	if err := s.buildLayouts(ctx); err != nil {
		return nil, fmt.Errorf("table %s.%s: %w", dbName, t.Name, err)
	}
	return s, nil
}

func (s *shape) buildSchema(ctx context.Context) error {
	t := s.desc
	c, err := sql.ParseCollation("", t.Collation, false)
	if err != nil {
		return err
	}
	s.collation = c
	pk := map[catalog.ID]bool{}
	for _, p := range t.PK {
		pk[p.Column] = true
	}
	for i := range t.Columns {
		d := &t.Columns[i]
		typ, err := parseType(ctx, d.Type)
		if err != nil {
			return fmt.Errorf("column %s: %w", d.Name, err)
		}
		col := &sql.Column{
			Name: d.Name, Type: typ, Nullable: d.Nullable, Source: t.Name, DatabaseSource: s.dbName,
			Comment: d.Comment, PrimaryKey: pk[d.ID], AutoIncrement: d.AutoIncrement, Virtual: d.Virtual,
			HiddenSystem: d.Hidden, Hidden: false,
			Default: unresolved(d.Default), Generated: unresolved(d.Generated), OnUpdate: unresolved(d.OnUpdate),
		}
		col.Extra = extraOf(d)
		if d.AutoIncrement {
			s.autoCol, s.autoMax = i, maxOfType(typ)
		}
		if isTimestamp(typ) {
			s.timestamps = append(s.timestamps, i)
		}
		if f, ok := newFit(i, typ, d.Attributes); ok {
			s.fits = append(s.fits, f)
		}
		if _, ok := newDisplay(typ, d.Attributes); ok {
			s.displays = true
		}
		s.schema = append(s.schema, col)
		s.ordinal[strings.ToLower(d.Name)] = i
		s.byID[d.ID] = i
	}
	// All sessions share the slice, and the engine appends to what it is given.
	s.schema = slices.Clip(s.schema)
	var ords []int
	for _, p := range t.PK {
		ords = append(ords, s.byID[p.Column])
	}
	s.pkSchema = sql.NewPrimaryKeySchema(s.schema, ords...)
	return nil
}

// extraOf is what MySQL's SHOW COLUMNS calls Extra.
func extraOf(d *catalog.Column) string {
	var extra []string
	switch {
	case d.AutoIncrement:
		extra = append(extra, "auto_increment")
	case d.Generated != "" && d.Virtual:
		extra = append(extra, "VIRTUAL GENERATED")
	case d.Generated != "":
		extra = append(extra, "STORED GENERATED")
	case strings.HasPrefix(d.Default, "("), strings.HasPrefix(d.Default, "CURRENT_TIMESTAMP"), strings.HasPrefix(d.Default, "NOW"):
		extra = append(extra, "DEFAULT_GENERATED")
	}
	if d.OnUpdate != "" {
		extra = append(extra, "on update "+d.OnUpdate)
	}
	return strings.Join(extra, " ")
}

func unresolved(expr string) *sql.ColumnDefaultValue {
	if expr == "" {
		return nil
	}
	return sql.NewUnresolvedColumnDefaultValue(expr)
}

// parseType turns stored type text into the engine's type.
func parseType(ctx context.Context, text string) (sql.Type, error) {
	return planbuilder.ParseColumnTypeString(ctx, text)
}

// maxOfType is the largest AUTO_INCREMENT value that a column of type t holds.
func maxOfType(t sql.Type) uint64 {
	switch t {
	case types.Int8, types.Boolean:
		return math.MaxInt8
	case types.Uint8:
		return math.MaxUint8
	case types.Int16:
		return math.MaxInt16
	case types.Uint16:
		return math.MaxUint16
	case types.Int24:
		return 1<<23 - 1
	case types.Uint24:
		return 1<<24 - 1
	case types.Int32:
		return math.MaxInt32
	case types.Uint32:
		return math.MaxUint32
	case types.Int64:
		return math.MaxInt64
	case types.Uint64:
		return math.MaxUint64
	case types.Float32:
		return 1 << 24
	case types.Float64:
		return 1 << 53
	}
	return math.MaxInt64
}

func (s *shape) buildKeys() error {
	s.primary = &indexShape{name: primaryName, unique: true, stores: true}
	if err := s.primary.build(s, kv.SpaceRow, s.desc.Physical, s.desc.PK); err != nil {
		return err
	}
	for i := range s.desc.Indexes {
		d := &s.desc.Indexes[i]
		x := &indexShape{name: d.Name, desc: d, unique: d.Type == catalog.IndexUnique,
			stores: d.Type != catalog.IndexFullText}
		if d.Type == catalog.IndexFullText {
			s.fullText = true
		}
		if err := x.build(s, kv.SpaceIndex, d.Physical, d.Parts); err != nil {
			return fmt.Errorf("index %s: %w", d.Name, err)
		}
		s.indexes = append(s.indexes, x)
	}
	return nil
}

func (x *indexShape) build(s *shape, space kv.Space, physical catalog.ID, parts []catalog.Part) error {
	x.prefix = kv.AppendPrefix(nil, space, uint32(physical))
	x.span = kv.PrefixRange(space, uint32(physical))
	x.physical = physical
	for _, p := range parts {
		ord, ok := s.byID[p.Column]
		if !ok {
			return fmt.Errorf("key part names column id %d, which the table does not have", p.Column)
		}
		x.cols = append(x.cols, ord)
		x.parts = append(x.parts, enc.KeyPart{Type: s.schema[ord].Type, Prefix: p.Prefix, Desc: p.Desc})
		x.backward = p.Desc && (len(x.parts) == 1 || x.backward)
		x.desc1 = x.desc1 || p.Desc
	}
	x.primary = s.primary
	for i, ord := range s.primary.cols {
		if x != s.primary && !slices.Contains(x.cols, ord) {
			x.tail = append(x.tail, i)
		}
	}
	if !x.stores {
		return nil
	}
	codec, err := enc.NewKeyCodec(x.parts)
	if err != nil {
		return err
	}
	x.codec = codec
	x.buildCovers(s)
	return x.buildWhole()
}

// buildWhole makes the codec by which rows found through a prefix are tested.
func (x *indexShape) buildWhole() error {
	if !x.prefixed() {
		return nil
	}
	w := &indexShape{name: x.name}
	for _, p := range x.parts {
		w.parts = append(w.parts, enc.KeyPart{Type: p.Type})
	}
	var err error
	w.codec, err = enc.NewKeyCodec(w.parts)
	x.whole = w
	return err
}

// buildCovers notes for each column whether an entry of this key gives it back.
func (x *indexShape) buildCovers(s *shape) {
	x.covers = map[int]source{}
	if x == s.primary {
		for i, ord := range x.cols {
			if x.codec.Reversible(i) {
				x.covers[ord] = source{fromKey, i}
			}
		}
		return
	}
	for i, ord := range x.cols {
		switch {
		case x.parts[i].Prefix > 0:
		case x.codec.Reversible(i):
			x.covers[ord] = source{fromKey, i}
		default:
			x.covers[ord] = source{fromExact, len(x.exact)}
			x.exact = append(x.exact, i)
		}
	}
	for ord, src := range s.primary.covers {
		if _, ok := x.covers[ord]; !ok {
			x.covers[ord] = source{fromPrimary, src.part}
		}
	}
}

// prefixed reports whether some part keeps only the start of its column.
func (x *indexShape) prefixed() bool {
	for _, p := range x.parts {
		if p.Prefix > 0 {
			return true
		}
	}
	return false
}

// keyless reports whether the primary key is a hidden row id.
func (s *shape) keyless() bool { return len(s.primary.cols) == 0 }

// stored lists the columns that rows keep in their value, in order: all but
// virtual ones that no index needed and those that the key gives back.
func (s *shape) stored() []int {
	var ords []int
	for i, col := range s.schema {
		if _, ok := s.primary.covers[i]; ok {
			continue
		}
		if col.Virtual && !s.desc.Columns[i].Stored {
			continue
		}
		ords = append(ords, i)
	}
	return ords
}

// storedColumns is the present layout as a descriptor keeps it once it is an old one.
func (s *shape) storedColumns() []catalog.LayoutColumn {
	var all []catalog.LayoutColumn
	for _, ord := range s.stored() {
		all = append(all, catalog.LayoutColumn{ID: s.desc.Columns[ord].ID, Type: s.desc.Columns[ord].Type})
	}
	return all
}

func (s *shape) buildLayouts(ctx context.Context) error {
	s.layouts = map[uint32]*storedLayout{}
	current, err := s.newLayout(s.desc.Layout, s.stored())
	if err != nil {
		return err
	}
	s.layout = current
	s.layouts[s.desc.Layout] = current
	for _, l := range s.desc.Layouts {
		old, err := s.oldLayout(ctx, l)
		if err != nil {
			return fmt.Errorf("row layout %d: %w", l.Version, err)
		}
		s.layouts[l.Version] = old
	}
	return nil
}

func (s *shape) newLayout(version uint32, ords []int) (*storedLayout, error) {
	var typs []sql.Type
	at := make([]int, len(s.schema))
	for i := range at {
		at[i] = -1
	}
	for i, ord := range ords {
		typs = append(typs, s.schema[ord].Type)
		at[ord] = i
	}
	codec, err := enc.NewLayout(version, typs)
	if err != nil {
		return nil, err
	}
	return &storedLayout{codec: codec, ordinals: ords, at: at}, nil
}

func (s *shape) oldLayout(ctx context.Context, l catalog.RowLayout) (*storedLayout, error) {
	at := make([]int, len(s.schema))
	for i := range at {
		at[i] = -1
	}
	var typs []sql.Type
	var ords []int
	for i, c := range l.Columns {
		typ, err := parseType(ctx, c.Type)
		if err != nil {
			return nil, err
		}
		typs = append(typs, typ)
		ord, ok := s.byID[c.ID]
		if !ok {
			ord = -1
		} else {
			at[ord] = i
		}
		ords = append(ords, ord)
	}
	codec, err := enc.NewLayout(l.Version, typs)
	if err != nil {
		return nil, err
	}
	return &storedLayout{codec: codec, ordinals: ords, at: at}, nil
}

// index returns the key of that name, nil if there is none.
func (s *shape) index(name string) *indexShape {
	if strings.EqualFold(name, primaryName) {
		return s.primary
	}
	for _, x := range s.indexes {
		if strings.EqualFold(x.name, name) {
			return x
		}
	}
	return nil
}

// column returns the ordinal of a column.
func (s *shape) column(name string) (int, bool) {
	i, ok := s.ordinal[strings.ToLower(name)]
	return i, ok
}
