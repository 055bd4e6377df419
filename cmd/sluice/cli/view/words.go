package view

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Count writes a number with thousands separated: 12,345.
func Count[N ~int | ~int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Plural writes a number with its noun: 1 call, 12 calls.
func Plural[N ~int | ~int64](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Count(n) + " " + noun
}

// Age writes a duration in one unit that fits: 42 s, 7 min, 3 h, 12 d.
func Age(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	default:
		return fmt.Sprintf("%.0f d", d.Hours()/24)
	}
}

// ID writes a number that is a name, without separators.
func ID(n int64) string { return strconv.FormatInt(n, 10) }

// Seconds writes how long something took: 1.5 s.
func Seconds(seconds float64) string { return fmt.Sprintf("%.1f s", seconds) }

// Minute writes an instant to the minute, with the zone.
func Minute(at time.Time, zone *time.Location) string {
	return at.In(zone).Format("2006-01-02 15:04 MST")
}

// Second writes an instant to the second, with the zone.
func Second(at time.Time, zone *time.Location) string {
	return at.In(zone).Format("2006-01-02 15:04:05 MST")
}

// Instant writes an instant in a zone that the column names, "-" for none.
func Instant(at *time.Time, zone *time.Location) string {
	if at == nil {
		return "-"
	}
	return at.In(zone).Format(time.DateTime)
}

// Or writes a number as Count does, or a word if it is unknown.
func Or[N ~int | ~int64](n *N, unknown string) string {
	if n == nil {
		return unknown
	}
	return Count(*n)
}

// YesNo writes a boolean.
func YesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
