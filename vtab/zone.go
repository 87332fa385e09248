package vtab

import (
	"context"
	"regexp"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/freshetdb/freshet/catalog"
)

// TIMESTAMP columns hold instants, as in MySQL: rows and index entries have them in
// UTC, while the engine, which has no notion of it, is shown and gives the time of
// day in the session's time zone. The change from one to the other is made where
// rows and bounds cross between the engine and this layer, and nowhere else; what
// stays inside (index builds, checks, old rows of an update) is never changed.
//
// A time of day that a zone has twice stands for the first of the two instants, and
// one that it leaves out for the end of the gap.

// zone is a time zone other than UTC; nil is UTC.
type zone struct {
	loc *time.Location
}

// namedZone is the zone that a setting of time_zone stands for.
type namedZone struct {
	name string
	zone *zone
}

// zone is the session's time zone.
func (s *Session) zone(ctx *sql.Context) (*zone, error) {
	v, err := s.GetSessionVariable(ctx, "time_zone")
	if err != nil {
		return nil, err
	}
	name, ok := v.(string)
	if !ok {
		return nil, errInternal("time_zone is a %T", v)
	}
	if known := s.lastZone.Load(); known != nil && known.name == name {
		return known.zone, nil
	}
	z, err := newZone(name)
	if err != nil {
		return nil, err
	}
	s.lastZone.Store(&namedZone{name, z})
	return z, nil
}

var offsetPattern = regexp.MustCompile(`^[+-]\d{1,2}:\d{2}$`)

// newZone finds the zone of a name: SYSTEM, an offset, or one of the tz database.
func newZone(name string) (*zone, error) {
	loc := time.Local
	switch {
	case name == "SYSTEM":
	case offsetPattern.MatchString(name):
		offset, err := sql.MySQLOffsetToDuration(name)
		if err != nil {
			return nil, err
		}
		loc = time.FixedZone(name, int(offset/time.Second))
	default:
		var err error
		if loc, err = time.LoadLocation(name); err != nil {
			return nil, sql.ErrInvalidTimeZone.New(name)
		}
	}
	if abbreviation, offset := time.Unix(0, 0).In(loc).Zone(); offset == 0 && (abbreviation == "UTC" || loc.String() == name && offsetPattern.MatchString(name)) {
		return nil, nil
	}
	return &zone{loc}, nil
}

// wall is the time of day at an instant, as a time in UTC.
func (z *zone) wall(instant time.Time) time.Time {
	if instant.Equal(types.ZeroTime) {
		return instant // 0000-00-00 is no instant
	}
	_, offset := instant.In(z.loc).Zone()
	return instant.Add(time.Duration(offset) * time.Second)
}

// instant is the inverse of wall. gap: the zone leaves this time of day out, and the
// instant is that of the change.
func (z *zone) instant(wall time.Time) (instant time.Time, gap bool) {
	if wall.Equal(types.ZeroTime) {
		return wall, false
	}
	t := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), z.loc)
	start, end := t.ZoneBounds()
	switch shown := z.wall(t.UTC()); {
	case shown.After(wall):
		return start.UTC(), true
	case shown.Before(wall):
		return end.UTC(), true
	}
	if start.IsZero() {
		return t.UTC(), false
	}
	_, offset := t.Zone()
	_, before := start.Add(-time.Nanosecond).Zone()
	if first := t.Add(time.Duration(offset-before) * time.Second); first.Before(start) {
		return first.UTC(), false
	}
	return t.UTC(), false
}

// isTimestamp reports whether values of a type are instants.
func isTimestamp(t sql.Type) bool {
	d, ok := t.(sql.DatetimeType)
	return ok && d.Type() == sqltypes.Timestamp
}

// zoneOf is the session's zone for a table: nil also where no column depends on it.
func (s *shape) zoneOf(ctx *sql.Context, sess *Session) (*zone, error) {
	if len(s.timestamps) == 0 {
		return nil, nil
	}
	return sess.zone(ctx)
}

// show turns the stored values of a whole row, in place, into what the engine sees.
func (s *shape) show(z *zone, row sql.Row) { showAt(z, row, s.timestamps) }

// showAt is show for a row of some columns, with TIMESTAMPs at the places at.
func showAt(z *zone, row sql.Row, at []int) {
	if z == nil {
		return
	}
	for _, i := range at {
		if t, ok := row[i].(time.Time); ok {
			row[i] = z.wall(t)
		}
	}
}

// shown is a copy of a stored row as the engine sees it.
func (s *shape) shown(z *zone, row sql.Row) sql.Row {
	if z == nil {
		return row
	}
	row = row.Copy()
	s.show(z, row)
	return row
}

// keep returns a row of the engine as it is stored. Columns in asIs are stored
// values already.
func (s *shape) keep(ctx *sql.Context, z *zone, row sql.Row, asIs map[catalog.ID]bool) (sql.Row, error) {
	if z == nil {
		return row, nil
	}
	row = row.Copy()
	for _, ord := range s.timestamps {
		if row[ord] == nil || asIs[s.desc.Columns[ord].ID] {
			continue
		}
		t, err := z.keep(ctx, s.schema[ord], row[ord])
		if err != nil {
			return nil, err
		}
		row[ord] = t
	}
	return row, nil
}

// keep is the instant of a value of a TIMESTAMP column.
func (z *zone) keep(ctx *sql.Context, col *sql.Column, v any) (time.Time, error) {
	wall, ok := v.(time.Time)
	if !ok {
		out, _, err := col.Type.Convert(ctx, v)
		if err != nil {
			return time.Time{}, err
		}
		if wall, ok = out.(time.Time); !ok {
			return time.Time{}, errInternal("a value of %s is a %T", col.Name, out)
		}
	}
	t, gap := z.instant(wall)
	if early := t.Unix() < 1 && !t.Equal(types.ZeroTime); gap || early {
		err := mysqlError(1292, "22007", "Incorrect datetime value: '%s' for column '%s'", wall.Format(sql.TimestampDatetimeLayout), col.Name)
		if sql.LoadSqlMode(ctx).Strict() {
			return t, err
		}
		ctx.Warn(1292, "%s", err.Error())
		if early {
			t = types.ZeroTime
		}
	}
	return t, nil
}

// keepUnchanged gives a row that is to be stored the instants of the old one where
// the engine left the time of day alone: it does not know which of two instants of
// one name it was shown.
func (s *shape) keepUnchanged(z *zone, old, shown, row sql.Row) {
	if z == nil {
		return
	}
	for _, ord := range s.timestamps {
		was, ok := old[ord].(time.Time)
		if now, same := shown[ord].(time.Time); ok && same && z.wall(was).Equal(now) {
			row[ord] = was
		}
	}
}

// keepRanges turns the bounds of a lookup on TIMESTAMP parts into instants.
func (x *indexShape) keepRanges(ctx context.Context, z *zone, l sql.IndexLookup) (sql.IndexLookup, error) {
	ranges, ok := l.Ranges.(sql.MySQLRangeCollection)
	if z == nil || !ok || l.Index.IsSpatial() {
		return l, nil
	}
	kept := make(sql.MySQLRangeCollection, len(ranges))
	for n, r := range ranges {
		kept[n] = append(sql.MySQLRange(nil), r...)
		for i := range r {
			if !x.timestampPart(i) {
				continue
			}
			var err error
			if kept[n][i].LowerBound, err = z.keepCut(ctx, r[i].LowerBound); err != nil {
				return l, err
			}
			if kept[n][i].UpperBound, err = z.keepCut(ctx, r[i].UpperBound); err != nil {
				return l, err
			}
		}
	}
	l.Ranges = kept
	return l, nil
}

// timestampPart reports whether part i of a lookup, which may go on into the
// primary key, is a TIMESTAMP.
func (x *indexShape) timestampPart(i int) bool {
	if i < len(x.parts) {
		return isTimestamp(x.parts[i].Type)
	}
	tail := i - len(x.parts)
	return tail < len(x.tail) && isTimestamp(x.primary.parts[x.tail[tail]].Type)
}

func (z *zone) keepCut(ctx context.Context, c sql.MySQLRangeCut) (sql.MySQLRangeCut, error) {
	switch c := c.(type) {
	case sql.Below:
		key, err := z.keepBound(ctx, c.Key)
		return sql.Below{Key: key, Typ: c.Typ}, err
	case sql.Above:
		key, err := z.keepBound(ctx, c.Key)
		return sql.Above{Key: key, Typ: c.Typ}, err
	}
	return c, nil
}

// keepBound is a bound as an instant; what is no moment stays as it is.
func (z *zone) keepBound(ctx context.Context, key any) (any, error) {
	v, err := sql.UnwrapAny(ctx, key)
	if err != nil || v == nil {
		return v, err
	}
	wall, ok := v.(time.Time)
	if !ok {
		out, _, err := types.DatetimeMaxPrecision.Convert(ctx, v)
		if err != nil {
			return v, nil // compared as it is, like a bound of any other type
		}
		if wall, ok = out.(time.Time); !ok {
			return v, nil
		}
	}
	t, _ := z.instant(wall)
	return t, nil
}
