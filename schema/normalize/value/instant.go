package value

import (
	"strconv"
	"time"
)

// appendDate takes YYYY-MM-DD alone: the date part of a date-time would depend
// on a time zone that nobody chose.
func appendDate(dst, literal []byte) ([]byte, Misfit) {
	const layout = len("2006-01-02")
	if _, ok := parseDay(literal); !ok || len(literal) != layout {
		return dst, Misfit{BadTime, "a calendar day written YYYY-MM-DD is declared"}
	}
	return append(dst, literal...), Misfit{}
}

// appendInstant appends an instant in UTC, as Postgres writes it, to the
// microsecond: what is finer is cut off.
func (r *Reader) appendInstant(dst, literal []byte) ([]byte, Misfit) {
	at, ok := r.readInstant(literal)
	if !ok {
		return dst, Misfit{BadTime, "an instant is declared: date-time with or without offset, date, or epoch milliseconds"}
	}
	at = at.UTC().Truncate(time.Microsecond)
	if at.Year() < 1 || at.Year() > 9999 {
		return dst, Misfit{OutOfRange, "the instant lies outside of the years 1 to 9999"}
	}
	r.Instant = at
	return append(appendUTC(dst, at), "+00"...), Misfit{}
}

// appendUTC is AppendFormat with the layout 2006-01-02 15:04:05.999999, for years of four digits and several times as fast.
func appendUTC(dst []byte, at time.Time) []byte {
	year, month, day := at.Date()
	hour, minute, second := at.Clock()
	dst = append(twoDigits(twoDigits(dst, year/100), year%100), '-') //nolint:mnd // four digits are two times two
	dst = append(twoDigits(append(twoDigits(dst, int(month)), '-'), day), ' ')
	dst = append(twoDigits(append(twoDigits(dst, hour), ':'), minute), ':')
	dst = twoDigits(dst, second)
	micros := at.Nanosecond() / int(time.Microsecond)
	if micros == 0 {
		return dst
	}
	dst = append(dst, '.')
	for unit := 100_000; micros > 0; unit /= 10 {
		dst = append(dst, byte('0'+micros/unit)) //nolint:gosec // one digit
		micros %= unit
	}
	return dst
}

func twoDigits(dst []byte, n int) []byte {
	return append(dst, byte('0'+n/10), byte('0'+n%10)) //nolint:gosec,mnd // two digits
}

func (r *Reader) readInstant(literal []byte) (time.Time, bool) {
	// Epoch milliseconds of the years 1973 to 9999 have 12 to 15 digits; shorter
	// whole numbers are more likely something else than a time.
	const shortest, longest = 12, 15
	if allDigits(literal) {
		if len(literal) < shortest || len(literal) > longest {
			return time.Time{}, false
		}
		ms, err := strconv.ParseInt(string(literal), 10, 64)
		return time.UnixMilli(ms), err == nil
	}
	wall, ok := parseDay(literal)
	if !ok {
		return time.Time{}, false
	}
	rest := literal[len("2006-01-02"):]
	if len(rest) == 0 {
		return inZone(wall, r.zone), true
	}
	clock, rest, ok := parseClock(rest)
	if !ok {
		return time.Time{}, false
	}
	wall = wall.Add(clock)
	if len(rest) == 0 {
		return inZone(wall, r.zone), true
	}
	offset, ok := parseOffset(rest)
	return wall.Add(-offset), ok
}

// parseDay reads YYYY-MM-DD from the front, as midnight of UTC.
func parseDay(text []byte) (time.Time, bool) {
	if len(text) < len("2006-01-02") || text[4] != '-' || text[7] != '-' {
		return time.Time{}, false
	}
	year, okY := number(text[:4], 1, 9999)
	month, okM := number(text[5:7], 1, 12)
	day, okD := number(text[8:10], 1, 31)
	if !okY || !okM || !okD {
		return time.Time{}, false
	}
	at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return at, at.Day() == day
}

// parseClock reads Thh:mm:ss with a fraction of up to nine digits from the front.
func parseClock(text []byte) (time.Duration, []byte, bool) {
	const size = len("T15:04:05")
	if len(text) < size || text[0] != 'T' && text[0] != ' ' || text[3] != ':' || text[6] != ':' {
		return 0, nil, false
	}
	hour, okH := number(text[1:3], 0, 23)
	minute, okM := number(text[4:6], 0, 59)
	second, okS := number(text[7:9], 0, 59)
	if !okH || !okM || !okS {
		return 0, nil, false
	}
	clock := time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second
	rest := text[size:]
	if len(rest) == 0 || rest[0] != '.' {
		return clock, rest, true
	}
	digits := 0
	unit := time.Second
	for rest = rest[1:]; digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9'; digits++ {
		unit /= 10
		clock += time.Duration(rest[digits]-'0') * unit
	}
	return clock, rest[digits:], digits >= 1 && digits <= 9
}

// parseOffset reads Z, +hhmm or +hh:mm, whole.
func parseOffset(text []byte) (time.Duration, bool) {
	if string(text) == "Z" {
		return 0, true
	}
	minutes := 3
	switch {
	case len(text) == len("+0530"):
	case len(text) == len("+05:30") && text[3] == ':':
		minutes = 4
	default:
		return 0, false
	}
	hour, okH := number(text[1:3], 0, 15)
	minute, okM := number(text[minutes:], 0, 59)
	offset := time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute
	if text[0] == '-' {
		offset = -offset
	}
	return offset, okH && okM && (text[0] == '+' || text[0] == '-')
}

func number(text []byte, low, high int) (int, bool) {
	value := 0
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		value = value*10 + int(c-'0')
	}
	return value, value >= low && value <= high
}

// inZone gives the instant at which clocks of the zone showed a wall time. One
// that they showed twice (clocks set back) is the earlier instant; one that they
// never showed (clocks set forward) is the first instant after the gap.
func inZone(wall time.Time, zone *time.Location) time.Time {
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
		return found
	}
	// Nobody's clock showed it: near lies on one side of the gap. It is the gap at
	// the start of near's bounds if the wall time lies before that start's own.
	if !start.IsZero() && wall.Before(start.Add(offsets[1]).UTC()) {
		return start
	}
	return end
}

func offsetAt(at time.Time) time.Duration {
	_, offset := at.Zone()
	return time.Duration(offset) * time.Second
}
