package catalog

import "fmt"

// kindInfo is what the catalog has to know about one kind of entry. Adding a
// kind is one row in kindTable and, unless it is a Blob, one case in newObject.
type kindInfo struct {
	label string // as error messages say it
	// namespace is the kind whose names this kind shares: two objects of one
	// namespace and one parent cannot have the same name.
	namespace Kind
	// parents are the kinds an entry's parent may have; empty: it has none.
	parents []Kind
	// wayOut is the statement that removes a broken entry; %s is the quoted name.
	wayOut string
	// system entries are named by the product, not by a user: an empty name
	// and long names are allowed.
	system bool
}

var kindTable = [...]kindInfo{
	KindDatabase:  {label: "database", namespace: KindDatabase, wayOut: "DROP DATABASE %s"},
	KindTable:     {label: "table", namespace: KindTable, parents: []Kind{KindDatabase}, wayOut: "DROP TABLE %s"},
	KindView:      {label: "view", namespace: KindTable, parents: []Kind{KindDatabase}, wayOut: "DROP VIEW %s"},
	KindTrigger:   {label: "trigger", namespace: KindTrigger, parents: []Kind{KindDatabase, KindTable}, wayOut: "DROP TRIGGER %s"},
	KindProcedure: {label: "procedure", namespace: KindProcedure, parents: []Kind{KindDatabase}, wayOut: "DROP PROCEDURE %s"},
	KindFunction:  {label: "function", namespace: KindFunction, parents: []Kind{KindDatabase}, wayOut: "DROP FUNCTION %s"},
	KindEvent:     {label: "event", namespace: KindEvent, parents: []Kind{KindDatabase}, wayOut: "DROP EVENT %s"},
	KindPrivileges: {label: "privileges", namespace: KindPrivileges, system: true,
		wayOut: "granting anew"},
	KindVariable: {label: "persisted variable", namespace: KindVariable, system: true,
		wayOut: "RESET PERSIST %s"},
	KindStatistics: {label: "statistics", namespace: KindStatistics, system: true,
		parents: []Kind{KindDatabase, KindTable, KindMaterializedView}, wayOut: "ANALYZE TABLE"},
	KindMaterializedView: {label: "materialized view", namespace: KindTable,
		parents: []Kind{KindDatabase}, wayOut: "DROP MATERIALIZED VIEW %s"},
	KindDerivedIndex: {label: "derived index", namespace: KindDerivedIndex,
		parents: []Kind{KindTable, KindMaterializedView}, wayOut: "DROP INDEX %s"},
}

// info returns what is known of a kind, the zero value for an unknown one.
func (k Kind) info() *kindInfo {
	if int(k) < len(kindTable) {
		return &kindTable[k]
	}
	return &kindTable[0]
}

// String is the kind's name in messages, "unknown kind n" for one that this
// version does not know.
func (k Kind) String() string {
	if k.known() {
		return k.info().label
	}
	return fmt.Sprintf("unknown kind %d", uint8(k))
}

// known reports whether this version can read entries of the kind.
func (k Kind) known() bool { return k.info().namespace != 0 }

// namespace returns the kind whose names k shares.
func (k Kind) namespace() Kind { return k.info().namespace }

// namespaces lists all namespaces in order.
func namespaces() []Kind {
	var spaces []Kind
	for k := range kindTable {
		if kind := Kind(k); kind.known() && kind == kind.namespace() {
			spaces = append(spaces, kind)
		}
	}
	return spaces
}
