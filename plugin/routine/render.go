package routine

import (
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/freshetdb/freshet/plugin/parser"
)

// Render is the text of a function as it is stored and as SHOW CREATE FUNCTION has
// it: with its definer, without its database and without IF NOT EXISTS. Parsed
// under the sql_mode of the function it gives the same function.
func Render(f *parser.CreateFunction, definer parser.Account) string {
	var b strings.Builder
	b.WriteString("CREATE DEFINER=" + quote(definer.User) + "@" + quote(definer.Host))
	b.WriteString(" FUNCTION " + quote(f.Function.Name) + "(")
	for i, param := range f.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(param.Name) + " " + param.TypeText)
	}
	b.WriteString(") RETURNS " + f.ReturnTypeText + "\n")
	if characteristics := f.Characteristics.String(); characteristics != "" {
		b.WriteString("   " + characteristics + "\n")
	}
	b.WriteString(f.Body)
	return b.String()
}

// definerOf is the definer of a function that the session creates.
func definerOf(ctx *sql.Context, f *parser.CreateFunction) parser.Account {
	if f.Definer != nil {
		return *f.Definer
	}
	client := ctx.Client()
	account := parser.Account{User: client.User, Host: client.Address}
	if account.User == "" {
		account.User = "root"
	}
	if account.Host == "" {
		account.Host = "localhost"
	}
	return account
}

func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// withCharacteristics is c with those of changes that are given.
func withCharacteristics(c, changes parser.Characteristics) parser.Characteristics {
	if changes.Deterministic != nil {
		c.Deterministic = changes.Deterministic
	}
	if changes.DataAccess != "" {
		c.DataAccess = changes.DataAccess
	}
	if changes.Security != "" {
		c.Security = changes.Security
	}
	if changes.Comment != nil {
		c.Comment = changes.Comment
	}
	if changes.Language != "" {
		c.Language = changes.Language
	}
	return c
}
