package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"unicode/utf8"
)

// Object is a descriptor: *Database, *Table, *View, *Trigger, *Routine, *Event
// or *Blob. What a Snapshot hands out is shared and must not be changed; Clone
// gives a copy that may.
type Object interface{ Head() *Header }

// Head returns the header itself.
func (h *Header) Head() *Header { return h }

// TableRef names a table that an entry depends on. It is text because the table
// may not exist yet, and look-ups ignore its letter case.
type TableRef struct {
	Database string `json:"database"`
	Table    string `json:"table"`
}

// newObject returns an empty descriptor of the kind, nil for an unknown kind.
func newObject(kind Kind) Object {
	switch kind {
	case KindDatabase:
		return &Database{}
	case KindTable:
		return &Table{}
	case KindView:
		return &View{}
	case KindTrigger:
		return &Trigger{}
	case KindProcedure, KindFunction:
		return &Routine{}
	case KindEvent:
		return &Event{}
	}
	if kind.known() {
		return &Blob{}
	}
	return nil
}

// kindOf returns the kind of o, checking that its header and its Go type agree.
// A zero kind in the header stands for the one the type implies, if it does.
func kindOf(o Object) (Kind, error) {
	implied := map[reflect.Type]Kind{
		reflect.TypeFor[*Database](): KindDatabase, reflect.TypeFor[*Table](): KindTable,
		reflect.TypeFor[*View](): KindView, reflect.TypeFor[*Trigger](): KindTrigger,
		reflect.TypeFor[*Event](): KindEvent,
	}
	if o == nil || reflect.ValueOf(o).IsNil() {
		return 0, fmt.Errorf("%w: it is nil", ErrInvalid)
	}
	kind := o.Head().Kind
	if kind == 0 {
		kind = implied[reflect.TypeOf(o)]
	}
	if want := newObject(kind); want == nil || reflect.TypeOf(want) != reflect.TypeOf(o) {
		return 0, fmt.Errorf("%w: a %T cannot be a %v", ErrInvalid, o, kind)
	}
	return kind, nil
}

// Clone returns a deep copy of a descriptor, to be changed and Put.
func Clone[O Object](o O) (O, error) {
	var none O
	kind, err := kindOf(o)
	if err != nil {
		return none, err
	}
	body, err := encodeBody(o)
	if err != nil {
		return none, err
	}
	h := *o.Head()
	h.Kind = kind
	clone, err := decodeBody(h, body)
	if err != nil {
		return none, err
	}
	return clone.(O), nil
}

// encodeBody returns the canonical JSON of a descriptor: fields in declaration
// order, no insignificant white space, so equal descriptors have equal bytes.
// Text that is not valid UTF-8 is refused because JSON would silently replace it.
func encodeBody(o Object) ([]byte, error) {
	if path, ok := invalidText(reflect.ValueOf(o).Elem(), ""); ok {
		return nil, fmt.Errorf("%w: %s is not valid UTF-8", ErrInvalid, path)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte{'\n'}), nil
}

// decodeBody is the inverse of encodeBody. A field this version does not know is
// an error: dropping it at the next rewrite would lose it silently.
func decodeBody(h Header, body []byte) (Object, error) {
	o := newObject(h.Kind)
	if o == nil {
		return nil, fmt.Errorf("the kind is unknown: %v", h.Kind)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(o); err != nil {
		return nil, fmt.Errorf("the definition cannot be decoded: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the definition is followed by further data")
	}
	*o.Head() = h
	if t, ok := o.(*Table); ok {
		t.derived = &derivation{owner: t}
	}
	return o, nil
}

// invalidText finds a string that is not valid UTF-8 and returns its path.
func invalidText(v reflect.Value, path string) (string, bool) {
	switch v.Kind() {
	case reflect.String:
		return path, !utf8.ValidString(v.String())
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			if p, bad := invalidText(v.Field(i), path+"."+field.Name); bad {
				return p, true
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return "", false
		}
		for i := range v.Len() {
			if p, bad := invalidText(v.Index(i), fmt.Sprintf("%s[%d]", path, i)); bad {
				return p, true
			}
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return invalidText(v.Elem(), path)
		}
	}
	return "", false
}

// physicalIDs lists the key ranges that an object owns.
func physicalIDs(o Object) []ID {
	switch o := o.(type) {
	case *Table:
		ids := []ID{o.Physical}
		for i := range o.Indexes {
			ids = append(ids, o.Indexes[i].Physical)
		}
		return ids
	case *Blob:
		return o.Physical
	}
	return nil
}

// references lists the tables that an object names.
func references(o Object) []TableRef {
	switch o := o.(type) {
	case *Table:
		var refs []TableRef
		for i := range o.Foreign {
			ref := TableRef{Database: o.Foreign[i].ParentDatabase, Table: o.Foreign[i].ParentTable}
			refs = appendRef(refs, ref)
		}
		return refs
	case *Trigger:
		if o.Table.Table != "" {
			return []TableRef{o.Table}
		}
	case *Blob:
		return o.References
	}
	return nil
}

// appendRef appends ref unless refs has it in another or the same spelling.
func appendRef(refs []TableRef, ref TableRef) []TableRef {
	for _, have := range refs {
		if fold(have.Database) == fold(ref.Database) && fold(have.Table) == fold(ref.Table) {
			return refs
		}
	}
	return append(refs, ref)
}

// maxID is the highest id that an object uses.
func maxID(o Object) ID {
	highest := o.Head().ID
	for _, id := range physicalIDs(o) {
		highest = max(highest, id)
	}
	if t, ok := o.(*Table); ok {
		for i := range t.Columns {
			highest = max(highest, t.Columns[i].ID)
		}
		for i := range t.Layouts {
			for _, column := range t.Layouts[i].Columns {
				highest = max(highest, column.ID)
			}
		}
	}
	return highest
}
