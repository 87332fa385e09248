package plugin

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"

	"github.com/freshetdb/freshet/plugin/correct"
)

// columnFields describes the columns of a result to the client (Protocol::
// ColumnDefinition41 in MySQL's protocol documentation).
func columnFields(ctx *sql.Context, schema sql.Schema) []*querypb.Field {
	results := ctx.GetCharacterSetResults()
	fields := make([]*querypb.Field, len(schema))
	for i, column := range schema {
		display, displayed := column.Type.(correct.DisplayType)
		if displayed {
			plain := *column
			plain.Type = display.Plain()
			column = &plain
		}
		field := &querypb.Field{
			Name:         column.Name,
			OrgName:      column.Name,
			Table:        column.Source,
			OrgTable:     column.Source,
			Database:     column.DatabaseSource,
			Type:         column.Type.Type(),
			Charset:      columnCharset(column.Type, results),
			ColumnLength: column.Type.MaxTextResponseByteLength(ctx),
			Flags:        columnFlags(column),
		}
		switch t := column.Type.(type) {
		case sql.DecimalType:
			field.Decimals = uint32(t.Scale())
		case sql.DatetimeType:
			field.Decimals = uint32(t.Precision())
		}
		if displayed && display.Display.Places >= 0 {
			field.Decimals = uint32(display.Display.Places)
		}
		if displayed && display.Display.Zerofill > 0 {
			field.Flags |= uint32(querypb.MySqlFlag_ZEROFILL_FLAG | querypb.MySqlFlag_UNSIGNED_FLAG)
			field.ColumnLength = uint32(display.Display.Zerofill)
		}
		fields[i] = field
	}
	return fields
}

// columnCharset is the character set that values are sent in; binary types have
// none and ignore character_set_results.
func columnCharset(t sql.Type, results sql.CharacterSetID) uint32 {
	if types.IsBinaryType(t) {
		return uint32(sql.Collation_binary)
	}
	if results != sql.CharacterSet_Unspecified {
		return uint32(results)
	}
	if collated, ok := t.(sql.TypeWithCollation); ok {
		return uint32(collated.Collation().CharacterSet())
	}
	return uint32(sql.Collation_Default.CharacterSet())
}

func columnFlags(column *sql.Column) uint32 {
	var flags querypb.MySqlFlag
	if !column.Nullable {
		flags |= querypb.MySqlFlag_NOT_NULL_FLAG
	}
	if column.AutoIncrement {
		flags |= querypb.MySqlFlag_AUTO_INCREMENT_FLAG
	}
	if column.PrimaryKey {
		flags |= querypb.MySqlFlag_PRI_KEY_FLAG
	}
	if types.IsUnsigned(column.Type) {
		flags |= querypb.MySqlFlag_UNSIGNED_FLAG
	}
	return uint32(flags)
}

// okResult is the answer to a statement that returns no rows.
func okResult(ok types.OkResult) *sqltypes.Result {
	result := &sqltypes.Result{RowsAffected: ok.RowsAffected, InsertID: ok.InsertID}
	if ok.Info != nil {
		result.Info = protocolInfo(ok.Info.String())
	}
	return result
}

// infoBytes is the length that the protocol library announces for every info: it
// writes the byte '#' where the length belongs.
const infoBytes = '#'

// protocolInfo makes an info text as long as is announced. A shorter one would be a
// malformed packet to the client; a longer one loses whole items from its end.
func protocolInfo(text string) string {
	if text == "" {
		return ""
	}
	for len(text) > infoBytes {
		end := strings.LastIndex(text, "  ")
		if end < 0 {
			end = infoBytes
		}
		text = text[:end]
	}
	return text + strings.Repeat(" ", infoBytes-len(text))
}
