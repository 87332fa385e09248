package parser

import (
	"errors"
	"strings"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// unsupportedStatements are MySQL statements that nothing here runs, by their first words.
var unsupportedStatements = [][]string{
	{"cache", "index"}, {"load", "index"}, {"load", "xml"}, {"clone"}, {"shutdown"}, {"restart"}, {"help"}, {"import", "table"},
	{"install"}, {"uninstall"}, {"lock", "instance"}, {"unlock", "instance"}, {"reset", "persist"}, {"get", "diagnostics"},
	{"get", "current", "diagnostics"}, {"get", "stacked", "diagnostics"}, {"change", "master"},
	{"create", "tablespace"}, {"alter", "tablespace"}, {"drop", "tablespace"}, {"create", "undo"}, {"create", "logfile"},
	{"create", "server"}, {"alter", "server"}, {"drop", "server"}, {"create", "resource"}, {"alter", "resource"}, {"drop", "resource"},
	{"alter", "instance"}, {"set", "default", "role"}, {"set", "resource"}, {"explain", "for"},
	{"show", "create", "user"}, {"show", "open", "tables"}, {"show", "profile"}, {"show", "profiles"}, {"show", "relaylog"},
	{"show", "procedure", "code"}, {"show", "function", "code"}, {"show", "parse_tree"},
}

// unsupported answers 1235 for a statement that the base grammar refused with err and MySQL would know; err for others.
func unsupported(text string, m mode, err error) error {
	if errors.Is(err, ast.ErrEmpty) {
		return err
	}
	l := lexer{text: text, mode: m}
	var first [3]token
	for i := range first {
		first[i] = l.next()
	}
	for _, words := range unsupportedStatements {
		match := true
		for i, w := range words {
			match = match && first[i].is(text, w)
		}
		if match {
			return errUnsupported(strings.ToUpper(strings.Join(words, " ")))
		}
	}
	return err
}
