package canonical

import (
	"strconv"
	"time"
)

// Instants count microseconds since 1970, the precision of Postgres.
const (
	second = int64(time.Second / time.Microsecond)
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
	// The years 1 to 9999 begin, and those of five digits.
	earliest, latest = -719_162 * day, 2_932_897 * day
)

// appendDate accepts YYYY-MM-DD only: the date part of a date-time would depend on an unchosen time
// zone.
func appendDate(dst, literal []byte) ([]byte, Reason) {
	if _, ok := Day(literal); !ok || len(literal) != len(time.DateOnly) {
		return dst, Reason{BadTime, "a calendar day written YYYY-MM-DD is declared"}
	}
	return append(dst, literal...), Reason{}
}

// appendInstant appends an instant in UTC, as Postgres writes it, cut off to the microsecond.
func (r *Reader) appendInstant(dst, literal []byte) ([]byte, Reason) {
	at, ok := r.readInstant(literal)
	if !ok {
		return dst, Reason{BadTime, "an instant is declared: date-time with or without offset, date, or epoch milliseconds"}
	}
	if at < earliest || at >= latest {
		return dst, Reason{OutOfRange, "the instant is outside of the years 1 to 9999"}
	}
	r.Instant = time.UnixMicro(at).UTC()
	return r.Instant.AppendFormat(dst, "2006-01-02 15:04:05.999999+00"), Reason{}
}

func (r *Reader) readInstant(literal []byte) (int64, bool) {
	// Epoch milliseconds of the years 1973 to 9999 have 12 to 15 digits; a shorter whole number is
	// probably no time.
	const shortest, longest = 12, 15
	if allDigits(literal) {
		if len(literal) < shortest || len(literal) > longest {
			return 0, false
		}
		ms, err := strconv.ParseInt(string(literal), 10, 64)
		return ms * int64(time.Millisecond/time.Microsecond), err == nil
	}
	days, ok := Day(literal)
	if !ok {
		return 0, false
	}
	wall, rest := int64(days)*day, literal[len(time.DateOnly):]
	if len(rest) == 0 {
		return inZone(wall, r.zone), true
	}
	clock, rest, ok := parseClock(rest)
	if !ok {
		return 0, false
	}
	wall += clock
	if len(rest) == 0 {
		return inZone(wall, r.zone), true
	}
	offset, ok := parseOffset(rest)
	return wall - offset, ok
}

// parseClock reads Thh:mm:ss with a fraction of up to nine digits from the front.
func parseClock(text []byte) (int64, []byte, bool) {
	const size = len("T15:04:05")
	if len(text) < size || text[0] != 'T' && text[0] != ' ' || text[3] != ':' || text[6] != ':' {
		return 0, nil, false
	}
	hours, okH := number(text[1:3], 23)
	minutes, okM := number(text[4:6], 59)
	seconds, okS := number(text[7:9], 59)
	if !okH || !okM || !okS {
		return 0, nil, false
	}
	clock := hours*hour + minutes*minute + seconds*second
	rest := text[size:]
	if len(rest) == 0 || rest[0] != '.' {
		return clock, rest, true
	}
	digits := 0
	unit := second
	for rest = rest[1:]; digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9'; digits++ {
		unit /= 10
		clock += int64(rest[digits]-'0') * unit
	}
	return clock, rest[digits:], digits >= 1 && digits <= 9
}

// parseOffset reads Z, +hhmm or +hh:mm, whole.
func parseOffset(text []byte) (int64, bool) {
	if string(text) == "Z" {
		return 0, true
	}
	from := 3
	switch {
	case len(text) == len("+0530"):
	case len(text) == len("+05:30") && text[3] == ':':
		from = 4
	default:
		return 0, false
	}
	hours, okH := number(text[1:3], 15)
	minutes, okM := number(text[from:], 59)
	offset := hours*hour + minutes*minute
	if text[0] == '-' {
		offset = -offset
	}
	return offset, okH && okM && (text[0] == '+' || text[0] == '-')
}

func number(text []byte, most int) (int64, bool) {
	n, ok := Digits(text)
	return int64(n), ok && n <= most
}

// inZone returns the instant of a wall time in a zone. For a repeated wall time (clocks set back)
// it is the earlier instant; for a skipped one (clocks set forward) it is the first instant after
// the gap.
func inZone(clock int64, zone *time.Location) int64 {
	wall := time.UnixMicro(clock).UTC()
	near := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), wall.Minute(), wall.Second(),
		wall.Nanosecond(), zone)
	start, end := near.ZoneBounds()
	offsets := [3]time.Duration{offsetAt(near), offsetAt(near), offsetAt(near)}
	if !start.IsZero() {
		offsets[0] = offsetAt(start.Add(-1))
	}
	if !end.IsZero() {
		offsets[2] = offsetAt(end)
	}
	found := time.Time{}
	for _, offset := range offsets {
		at := wall.Add(-offset).In(zone)
		if offsetAt(at) == offset && (found.IsZero() || at.Before(found)) {
			found = at
		}
	}
	if !found.IsZero() {
		return found.UnixMicro()
	}
	// The wall time was skipped: near is on one side of the gap. It is the gap at the start of
	// near's bounds if the wall time is before that start's own.
	if !start.IsZero() && wall.Before(start.Add(offsets[1]).UTC()) {
		return start.UnixMicro()
	}
	return end.UnixMicro()
}

func offsetAt(at time.Time) time.Duration {
	_, offset := at.Zone()
	return time.Duration(offset) * time.Second
}

// secondsOfDay is how many seconds a day has in UTC, as package time counts them.
const secondsOfDay = 24 * 60 * 60

// Day reads YYYY-MM-DD, of the years 1 to 9999, from the front of a text, as days since 1970-01-01.
// It is false if there is no such day. time.Parse makes an error for each text that is none, and
// reads only whole ones.
func Day[T string | []byte](text T) (int, bool) {
	if len(text) < len(time.DateOnly) || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	year, okY := Digits(text[:4])
	month, okM := Digits(text[5:7])
	day, okD := Digits(text[8:10])
	at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	exists := at.Day() == day && int(at.Month()) == month && year > 0 // other days are carried into another month
	return int(at.Unix() / secondsOfDay), okY && okM && okD && exists
}

// Digits reads one to nine digits.
func Digits[T string | []byte](text T) (int, bool) {
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n = n*10 + int(text[i]-'0')
	}
	return n, true
}
