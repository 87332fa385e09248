package enc

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql/types"
)

const (
	secondsPerDay   = 86400
	microsPerSecond = 1_000_000
	microsPerDay    = secondsPerDay * microsPerSecond
)

// Moments that are stored lie within these bounds (seconds since 1970 UTC): the
// engine's value for '0000-00-00' (day 0 of month 0 of year 0) up to the end of
// year 9999. The microseconds between them fit an int64 many times over.
var (
	momentMin = types.ZeroTime.Unix()
	momentMax = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).Unix() - 1
)

// Values of TIME, in microseconds: '-838:59:59' to '838:59:59'.
const timeMax = 3_020_399_000_000

func inRange(t time.Time) bool {
	s := t.Unix()
	return s >= momentMin && s <= momentMax
}

// floorDay is the day (since 1970, UTC) that t falls on; exact reports whether
// t is its first moment.
func floorDay(t time.Time) (day int64, exact bool) {
	s := t.Unix()
	day = s / secondsPerDay
	if s%secondsPerDay < 0 {
		day--
	}
	return day, s%secondsPerDay == 0 && t.Nanosecond() == 0
}

func dayTime(day int64) time.Time { return time.Unix(day*secondsPerDay, 0).UTC() }

func dayInRange(day int64) bool {
	first, _ := floorDay(types.ZeroTime)
	return day >= first && day <= momentMax/secondsPerDay
}

func microsInRange(us int64) bool {
	return us >= momentMin*microsPerSecond && us < (momentMax+1)*microsPerSecond
}
