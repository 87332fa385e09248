package catalog

import "fmt"

// validate says whether a descriptor contradicts itself. It knows about ids and
// names; types and expressions are the table layer's.
func validate(o Object) error {
	if t, ok := o.(*Table); ok {
		return validateTable(t)
	}
	seen := make(map[ID]bool)
	for _, id := range physicalIDs(o) {
		if id == 0 || seen[id] {
			return fmt.Errorf("%w: key range id %d is zero or used twice", ErrInvalid, id)
		}
		seen[id] = true
	}
	return nil
}

func validateTable(t *Table) error {
	columns := make(map[ID]bool, len(t.Columns))
	names := make(map[string]bool, len(t.Columns))
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.ID == 0 || columns[c.ID] {
			return fmt.Errorf("%w: column %s has id %d, which is zero or used twice", ErrInvalid, quote(c.Name), c.ID)
		}
		if c.Name == "" || names[fold(c.Name)] {
			return fmt.Errorf("%w: the column name %s is empty or used twice", ErrInvalid, quote(c.Name))
		}
		columns[c.ID], names[fold(c.Name)] = true, true
	}
	if err := validateParts("the primary key", t.PK, columns); err != nil {
		return err
	}
	ranges := map[ID]bool{0: true, t.Physical: true}
	indexes := make(map[string]bool, len(t.Indexes))
	if t.Physical == 0 {
		return fmt.Errorf("%w: the rows' key range has no id", ErrInvalid)
	}
	for i := range t.Indexes {
		x := &t.Indexes[i]
		if ranges[x.Physical] {
			return fmt.Errorf("%w: index %s has key range id %d, which is zero or used twice",
				ErrInvalid, quote(x.Name), x.Physical)
		}
		if x.Name == "" || indexes[fold(x.Name)] {
			return fmt.Errorf("%w: the index name %s is empty or used twice", ErrInvalid, quote(x.Name))
		}
		ranges[x.Physical], indexes[fold(x.Name)] = true, true
		if err := validateParts("index "+quote(x.Name), x.Parts, columns); err != nil {
			return err
		}
	}
	return validateForeign(t, names)
}

func validateParts(what string, parts []Part, columns map[ID]bool) error {
	for _, part := range parts {
		if !columns[part.Column] {
			return fmt.Errorf("%w: %s has a part over column id %d, which the table does not have",
				ErrInvalid, what, part.Column)
		}
	}
	return nil
}

func validateForeign(t *Table, columns map[string]bool) error {
	for i := range t.Foreign {
		fk := &t.Foreign[i]
		if fk.ParentTable == "" || fk.ParentDatabase == "" {
			return fmt.Errorf("%w: foreign key %s names no parent", ErrInvalid, quote(fk.Name))
		}
		for _, name := range fk.Columns {
			if !columns[fold(name)] {
				return fmt.Errorf("%w: foreign key %s is over column %s, which the table does not have",
					ErrInvalid, quote(fk.Name), quote(name))
			}
		}
	}
	return nil
}
