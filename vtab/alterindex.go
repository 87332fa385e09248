package vtab

import (
	"context"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/freshetdb/freshet/catalog"
)

// CreateIndex implements sql.IndexAlterableTable. It only records the index;
// BuildIndex fills it.
func (t *Table) CreateIndex(ctx *sql.Context, def sql.IndexDef) error {
	return t.alter(ctx, func(tx *Transaction, d *catalog.Table) error {
		x, err := describeIndex(t, d, def)
		if err != nil {
			return err
		}
		x.Physical = tx.newID()
		d.Indexes = append(d.Indexes, x)
		if tx.unfilled(d) {
			storeIndexed(d)
		}
		return nil
	})
}

// storeIndexed marks the virtual columns that indexes use as stored. The rows
// must be written after it.
func storeIndexed(d *catalog.Table) {
	for _, x := range d.Indexes {
		for _, p := range x.Parts {
			for i := range d.Columns {
				if d.Columns[i].ID == p.Column && d.Columns[i].Virtual {
					d.Columns[i].Stored = true
				}
			}
		}
	}
}

func describeIndex(t *Table, d *catalog.Table, def sql.IndexDef) (catalog.Index, error) {
	x := catalog.Index{Name: def.Name, Type: describeIndexType(def.Constraint), Comment: def.Comment, Using: usingText(def.Storage)}
	if x.Name == "" {
		for _, c := range def.Columns {
			x.Name += c.Name + "_"
		}
	}
	if err := checkIdentifier("index", 1280, x.Name); err != nil {
		return x, err
	}
	if sameName(x.Name, primaryName) {
		return x, errBadIdentifier(1280, "index", x.Name)
	}
	for i := range d.Indexes {
		if sameName(d.Indexes[i].Name, x.Name) {
			return x, sql.ErrDuplicateKey.New(x.Name)
		}
	}
	var err error
	x.Parts, err = describeParts(d, def.Columns)
	if err != nil {
		return x, err
	}
	x.Comment = applyKeyMark(x.Parts, x.Comment)
	return x, nil
}

// checkKeyLengths refuses keys that MySQL refuses: the text and binary parts of one
// may not take more than 3,072 bytes together. The limit of what is stored
// (maxStoredKeyBytes) is checked when it is.
func checkKeyLengths(d *catalog.Table) error {
	if err := checkKeyLength(d, d.PK); err != nil {
		return err
	}
	for i := range d.Indexes {
		switch x := &d.Indexes[i]; x.Type {
		case catalog.IndexFullText, catalog.IndexSpatial, catalog.IndexVector:
		default:
			if err := checkKeyLength(d, x.Parts); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkKeyLength(d *catalog.Table, parts []catalog.Part) error {
	total := int64(0)
	for _, p := range parts {
		i := slices.IndexFunc(d.Columns, func(c catalog.Column) bool { return c.ID == p.Column })
		if i < 0 {
			return errInternal("key part of column %d, which %s does not have", p.Column, d.Name)
		}
		typ, err := parseType(context.Background(), d.Columns[i].Type)
		if err != nil {
			return err
		}
		st, ok := typ.(sql.StringType)
		if !ok {
			continue
		}
		switch {
		case p.Prefix > 0:
			total += int64(p.Prefix) * st.Collation().CharacterSet().MaxLength()
		case !types.IsTextBlob(typ): // those are judged by what is stored, as MariaDB does
			total += st.MaxByteLength()
		}
	}
	if total > maxIndexBytes {
		return errKeyTooLong(maxIndexBytes)
	}
	return nil
}

func usingText(u sql.IndexUsing) string {
	switch u {
	case sql.IndexUsing_BTree:
		return "btree"
	case sql.IndexUsing_Hash:
		return "hash"
	}
	return ""
}

// DropIndex implements sql.IndexAlterableTable.
func (t *Table) DropIndex(ctx *sql.Context, name string) error {
	if strings.EqualFold(name, primaryName) {
		return t.DropPrimaryKey(ctx)
	}
	return t.alter(ctx, func(tx *Transaction, d *catalog.Table) error {
		i := findIndex(d, name)
		if i < 0 {
			return sql.ErrIndexNotFound.New(name)
		}
		physical := d.Indexes[i].Physical
		d.Indexes = slices.Delete(d.Indexes, i, i+1)
		return tx.dropRanges(ctx, physical)
	})
}

func findIndex(d *catalog.Table, name string) int {
	return slices.IndexFunc(d.Indexes, func(x catalog.Index) bool { return sameName(x.Name, name) })
}

// RenameIndex implements sql.IndexAlterableTable.
func (t *Table) RenameIndex(ctx *sql.Context, from, to string) error {
	if err := checkIdentifier("index", 1280, to); err != nil {
		return err
	}
	return t.alter(ctx, func(_ *Transaction, d *catalog.Table) error {
		i := findIndex(d, from)
		if i < 0 {
			return sql.ErrIndexNotFound.New(from)
		}
		if j := findIndex(d, to); j >= 0 && j != i {
			return sql.ErrDuplicateKey.New(to)
		}
		d.Indexes[i].Name = to
		return nil
	})
}
