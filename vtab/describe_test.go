package vtab

import (
	"context"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/stretchr/testify/require"
)

// The text of a type gives the same type back.
func TestTypeTextIsAFixedPoint(t *testing.T) {
	ctx := context.Background()
	for _, text := range []string{
		"tinyint", "tinyint(1)", "smallint unsigned", "mediumint", "int", "int unsigned", "bigint", "bigint unsigned",
		"float", "double", "decimal(65,30)", "decimal(10,0)", "bit(64)", "year",
		"date", "datetime", "datetime(6)", "timestamp", "timestamp(3)", "time(6)",
		"char(10)", "varchar(20)", "varchar(20) character set latin1 collate latin1_swedish_ci",
		"varchar(20) collate utf8mb4_0900_ai_ci", "varchar(20) collate utf8mb4_bin", "tinytext", "text", "mediumtext", "longtext",
		"text character set utf8mb3 collate utf8mb3_general_ci",
		"binary(10)", "varbinary(20)", "tinyblob", "blob", "mediumblob", "longblob",
		"enum('a','b''c','d\\\\e',',')", "set('x','y')", "enum('a') collate utf8mb4_bin", "json", "vector(3)",
		"geometry", "point", "point srid 4326", "linestring srid 0", "polygon", "multipoint", "multilinestring", "multipolygon", "geometrycollection",
	} {
		first, err := parseType(ctx, text)
		require.NoError(t, err, text)
		rendered := typeText(first)
		second, err := parseType(ctx, rendered)
		require.NoError(t, err, "%s rendered as %s", text, rendered)
		// ENUM and SET without a collation are not Equal to those with the default.
		switch first := first.(type) {
		case sql.EnumType:
			require.Equal(t, first.Values(), second.(sql.EnumType).Values())
		case sql.SetType:
			require.Equal(t, first.Values(), second.(sql.SetType).Values())
		default:
			require.True(t, first.Equals(second), "%s rendered as %s", text, rendered)
		}
		require.Equal(t, rendered, typeText(second))
	}
}
