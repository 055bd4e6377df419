package books

import (
	"strings"
	"sync"
	"time"
)

const (
	stamp = "2006-01-02T15:04:05-0700" // docs/upstream.md U120: no colon in the offset, whole seconds

	firstYear, lastYear = 2015, 2040 // the range computed in advance; records are from the years around 2025

	hour = 3600
	day  = 24 * hour
)

// Calendar formats instants as the services do, in a zone, and fast: dates and offsets of some decades
// are computed in advance. Its output equals that of package time, to the byte. It is immutable.
type Calendar struct {
	zone    *time.Location
	periods []period
}

// period is the time between two changes of the zone's offset, or of a part of it.
type period struct {
	from, to int64 // epoch seconds; to is not in it
	offset   int64 // seconds east of UTC
	suffix   string
}

// NewCalendar computes the offsets of a zone in advance.
func NewCalendar(zone *time.Location) *Calendar {
	c := &Calendar{zone: zone}
	last := time.Date(lastYear, time.January, 1, 0, 0, 0, 0, time.UTC)
	for at := time.Date(firstYear, time.January, 2, 0, 0, 0, 0, time.UTC); at.Before(last); {
		local := at.In(zone)
		_, offset := local.Zone()
		end := last
		if _, change := local.ZoneBounds(); !change.IsZero() && change.Before(last) {
			end = change
		}
		if !end.After(at) { // package time stops on the last day of some leap years.
			end = at.AddDate(0, 0, 1)
		}
		c.periods = append(c.periods, period{at.Unix(), end.Unix(), int64(offset), local.Format("-0700")})
		at = end
	}
	return c
}

// at returns the period of an instant in epoch seconds; nil outside of the range.
func (c *Calendar) at(seconds int64) *period {
	from, to := 0, len(c.periods)
	for from < to {
		middle := (from + to) / 2
		switch p := &c.periods[middle]; {
		case seconds < p.from:
			to = middle
		case seconds >= p.to:
			from = middle + 1
		default:
			return p
		}
	}
	return nil
}

// AppendStamp appends date, time and offset of an instant in epoch seconds.
func (c *Calendar) AppendStamp(b []byte, seconds int64) []byte {
	p := c.at(seconds)
	if p == nil {
		return time.Unix(seconds, 0).In(c.zone).AppendFormat(b, stamp)
	}
	local := seconds + p.offset
	b = append(b, date(local)...)
	rest := local % day
	b = append(b, 'T')
	b = appendTwo(b, rest/hour)
	b = append(b, ':')
	b = appendTwo(b, rest%hour/60)
	b = append(b, ':')
	b = appendTwo(b, rest%60)
	return append(b, p.suffix...)
}

// AppendDay appends the date of an instant in epoch seconds, some days later.
func (c *Calendar) AppendDay(b []byte, seconds int64, later int) []byte {
	p, then := c.at(seconds), seconds+int64(later)*day
	if p == nil || then < p.from || then >= p.to { // another offset may mean another date
		return time.Unix(seconds, 0).In(c.zone).AddDate(0, 0, later).AppendFormat(b, time.DateOnly)
	}
	return append(b, date(then+p.offset)...)
}

// appendTwo appends a number below a hundred with two digits.
func appendTwo(b []byte, n int64) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }

// date returns the date of a local time within the range.
func date(local int64) string {
	const size = len(time.DateOnly)
	at := (int(local/day) - beginning) * size
	return dates()[at : at+size]
}

// beginning is the first day of dates, counted from 1970.
const beginning = (firstYear-1970)*365 + (firstYear-1969)/4

// dates holds all dates from firstYear to lastYear, one behind the other: 90 kB. A local time is up
// to a day away from that in UTC, hence the days around NewCalendar's range.
var dates = sync.OnceValue(func() string {
	var all strings.Builder
	for at := time.Date(firstYear, time.January, 1, 0, 0, 0, 0, time.UTC); at.Year() <= lastYear; at = at.AddDate(0, 0, 1) {
		all.WriteString(at.Format(time.DateOnly))
	}
	return all.String()
})
