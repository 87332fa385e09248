package catalog

import "time"

// ID identifies an object, a column, an index or a physical key range. Ids come
// from one counter, only grow, and are never reused.
type ID uint32

// Kind is the kind of a catalog entry. The values are stored.
type Kind uint8

const (
	KindDatabase         Kind = 1
	KindTable            Kind = 2
	KindView             Kind = 3
	KindTrigger          Kind = 4
	KindProcedure        Kind = 5
	KindFunction         Kind = 6
	KindEvent            Kind = 7
	KindPrivileges       Kind = 8 // users, roles and grants: one entry
	KindVariable         Kind = 9 // a persisted system variable
	KindStatistics       Kind = 10
	KindMaterializedView Kind = 11
	KindDerivedIndex     Kind = 12
)

// Header is what every entry has. It can be read without decoding the rest.
type Header struct {
	ID      ID
	Kind    Kind
	Parent  ID     // the database, or the table of a trigger or statistic; 0 at the top
	Name    string // as declared; look-ups ignore case
	Version uint64 // the catalog version that last wrote the entry
}

// Database is a named set of objects with a default collation.
type Database struct {
	Header    `json:"-"`
	Collation string `json:"collation"` // full collation name
}

// Table is a store table.
type Table struct {
	Header `json:"-"`
	// Physical is the id of the rows' key range. TRUNCATE and rewrites replace it.
	Physical  ID       `json:"physical"`
	Layout    uint32   `json:"layout"` // version of the row layout that new rows are written under
	Columns   []Column `json:"columns"`
	PK        []Part   `json:"pk,omitempty"` // empty: a hidden row id is the key
	Indexes   []Index  `json:"indexes,omitempty"`
	Checks    []Check  `json:"checks,omitempty"`
	Foreign   []FK     `json:"foreign,omitempty"`
	Collation string   `json:"collation"`
	Comment   string   `json:"comment,omitempty"`
	// AutoIncrement is the start value that DDL last set; 0 when none did.
	AutoIncrement uint64    `json:"auto_increment,omitempty"`
	Created       time.Time `json:"created"`
	// Role says what the table is for: "" is a user's table;
	// GMS's full-text side tables are "fulltext".
	Role string `json:"role,omitempty"`
	// Layouts are the earlier row layouts that rows may still be stored under.
	Layouts []RowLayout `json:"layouts,omitempty"`

	derived *derivation // see Derive
}

// RowLayout lists the columns stored by rows of one layout version, in storage order.
type RowLayout struct {
	Version uint32         `json:"version"`
	Columns []LayoutColumn `json:"columns"`
}

// LayoutColumn is one stored column of a RowLayout.
type LayoutColumn struct {
	ID   ID     `json:"id"`
	Type string `json:"type"`
}

// Column is a column in declaration order. All text is SQL, independent of
// sql_mode and character set of the session.
type Column struct {
	ID       ID     `json:"id"`
	Name     string `json:"name"`
	Type     string `json:"type"` // with character set and collation where the type has them
	Nullable bool   `json:"nullable,omitempty"`
	// Attributes say more of the type.
	Attributes Attributes `json:"attributes,omitzero"`
	// Default, Generated and OnUpdate are expressions, "" for none.
	Default       string `json:"default,omitempty"`
	Generated     string `json:"generated,omitempty"`
	Virtual       bool   `json:"virtual,omitempty"` // generated and not stored
	OnUpdate      string `json:"on_update,omitempty"`
	AutoIncrement bool   `json:"auto_increment,omitempty"`
	Comment       string `json:"comment,omitempty"`
	Hidden        bool   `json:"hidden,omitempty"` // hidden system column of a functional index
	// Stored: the column is virtual and rows store it all the same, because an
	// index was built over it. It stays so until the next rewrite.
	Stored bool `json:"stored,omitempty"`
	// Missing is the value of rows stored under a layout without this column
	// (instant ADD COLUMN): enc-encoded, nil for NULL (empty is a value).
	Missing []byte `json:"missing,omitzero"`
}

// Part is one part of a key.
type Part struct {
	Column ID   `json:"column"`
	Prefix int  `json:"prefix,omitempty"` // length in characters (bytes for binary types), 0 = whole
	Desc   bool `json:"desc,omitempty"`
}

// IndexType is the kind of an index.
type IndexType string

const (
	IndexPlain    IndexType = ""
	IndexUnique   IndexType = "unique"
	IndexSpatial  IndexType = "spatial"
	IndexFullText IndexType = "fulltext"
	IndexVector   IndexType = "vector"
)

// Index is a secondary index.
type Index struct {
	Physical ID        `json:"physical"` // its id and that of its key range
	Name     string    `json:"name"`
	Type     IndexType `json:"type,omitempty"`
	Parts    []Part    `json:"parts"`
	Comment  string    `json:"comment,omitempty"`
	Using    string    `json:"using,omitempty"` // "btree", "hash" as declared
	// FullText names the side tables of GMS's own full-text index.
	FullText *FullText `json:"fulltext,omitempty"`
}

// FullText holds the names of the tables that GMS's full-text index keeps.
type FullText struct {
	Config      string `json:"config"`
	Position    string `json:"position"`
	DocCount    string `json:"doc_count"`
	GlobalCount string `json:"global_count"`
	RowCount    string `json:"row_count"`
	KeyType     uint8  `json:"key_type"`
	KeyName     string `json:"key_name,omitempty"`
	KeyColumns  []int  `json:"key_columns,omitempty"`
}

// Check is a CHECK constraint.
type Check struct {
	Name     string `json:"name"`
	Expr     string `json:"expr"`
	Enforced bool   `json:"enforced"`
}

// FK is a foreign key, kept with the child. The parent is named by text because
// it may not exist yet (foreign_key_checks = 0).
type FK struct {
	Name           string   `json:"name"`
	Columns        []string `json:"columns"`
	ParentDatabase string   `json:"parent_database"`
	ParentTable    string   `json:"parent_table"`
	ParentColumns  []string `json:"parent_columns"`
	OnUpdate       string   `json:"on_update"`
	OnDelete       string   `json:"on_delete"`
	Resolved       bool     `json:"resolved"`
	NotValid       bool     `json:"not_valid,omitempty"`
	Match          uint8    `json:"match,omitempty"`
}

// View is a plain view.
type View struct {
	Header    `json:"-"`
	Select    string `json:"select"`
	Statement string `json:"statement"` // CREATE VIEW as written
	SQLMode   string `json:"sql_mode"`
}

// Trigger, in its database.
type Trigger struct {
	Header `json:"-"`
	// Table is the table the trigger belongs to. It is kept readable beside the
	// body, so that damage to a trigger concerns the statements on that table only.
	Table     TableRef  `json:"table,omitzero"`
	Statement string    `json:"statement"`
	SQLMode   string    `json:"sql_mode"`
	Created   time.Time `json:"created"`
	Ordinal   uint64    `json:"ordinal"` // creation order among the database's triggers
}

// Routine is a stored procedure or a stored function (by Kind).
type Routine struct {
	Header    `json:"-"`
	Statement string    `json:"statement"`
	SQLMode   string    `json:"sql_mode"`
	Created   time.Time `json:"created"`
	Modified  time.Time `json:"modified"`
}

// Event is a scheduled event; Body is the engine's own definition in JSON.
type Event struct {
	Header `json:"-"`
	Body   []byte `json:"body"`
}

// Blob is an entry whose content another package owns (privileges, variables,
// statistics, and the slots of materialized views and derived indexes).
type Blob struct {
	Header `json:"-"`
	Body   []byte `json:"body"`
	// Physical are the key ranges the object owns, References the tables it
	// depends on. Both can be read without decoding the body.
	Physical   []ID       `json:"physical,omitempty"`
	References []TableRef `json:"references,omitempty"`
}
