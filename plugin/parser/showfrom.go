package parser

import (
	"context"

	ast "github.com/dolthub/vitess/go/vt/sqlparser"
)

// SHOW EVENTS and SHOW TRIGGERS with FROM, which the binder does not look at.

// eventColumns are the columns of SHOW EVENTS out of information_schema.
const eventColumns = "EVENT_SCHEMA AS Db, EVENT_NAME AS Name, DEFINER AS Definer, TIME_ZONE AS `Time zone`, EVENT_TYPE AS `Type`, " +
	"EXECUTE_AT AS `Execute at`, INTERVAL_VALUE AS `Interval value`, INTERVAL_FIELD AS `Interval field`, STARTS AS Starts, ENDS AS Ends, STATUS AS Status, " +
	"ORIGINATOR AS Originator, CHARACTER_SET_CLIENT AS character_set_client, COLLATION_CONNECTION AS collation_connection, DATABASE_COLLATION AS `Database Collation`"

// showEventsOf reads what follows SHOW EVENTS FROM. The result is a query of information_schema.
func (p *Parser) showEventsOf(ctx context.Context, r *reader) (ast.Statement, error) {
	database, ok := r.name()
	if !ok {
		return nil, r.fail()
	}
	from := r.at()
	text := "SELECT * FROM (SELECT " + eventColumns + " FROM information_schema.events WHERE EVENT_SCHEMA = " + quoteString(database) + ") AS `EVENTS`"
	if r.words("like") {
		text += " WHERE Name LIKE"
	}
	text += " " + r.rest() + " ORDER BY Db, Name"
	parsed, err := p.parse(r.s.sameMode(ctx), text, ast.ParserOptions{AnsiQuotes: r.s.options.AnsiQuotes}, false)
	if err != nil {
		return nil, errSyntaxNear(r.s.text, from)
	}
	return parsed.stmt, nil
}

// showTriggersOf reads what follows SHOW TRIGGERS FROM.
func (p *Parser) showTriggersOf(ctx context.Context, r *reader) (ast.Statement, error) {
	database, ok := r.name()
	if !ok {
		return nil, r.fail()
	}
	from := r.at()
	parsed, err := p.parse(r.s.sameMode(ctx), "SHOW TRIGGERS "+r.rest(), r.s.options, false)
	if err != nil {
		return nil, errSyntaxNear(r.s.text, from)
	}
	show, ok := parsed.stmt.(*ast.Show)
	if !ok {
		return nil, errSyntaxNear(r.s.text, from)
	}
	show.Table.DbQualifier = ast.NewTableIdent(database)
	return show, nil
}
