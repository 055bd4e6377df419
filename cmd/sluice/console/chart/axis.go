package chart

import (
	"math"
	"time"
)

// tick is a place on an axis, with its text.
type tick struct {
	at   float64
	text string
}

// countTicks returns about so many round numbers from 0 up to the top, as numbers.
func countTicks(top float64, about int) []tick {
	if !(top > 0) || math.IsInf(top, 0) {
		return []tick{{0, "0"}}
	}
	exponent := max(0, int(math.Floor(math.Log10(top/float64(about)))))
	multiple := 10
	for _, m := range []int{1, 2, 5} {
		if float64(m)*math.Pow10(exponent)*float64(about) >= top {
			multiple = m
			break
		}
	}
	var ticks []tick
	for i := 0; ; i++ {
		value := float64(i*multiple) * math.Pow10(exponent)
		if value > top {
			return ticks
		}
		ticks = append(ticks, tick{value, power(i*multiple, exponent)})
	}
}

// timeAxis puts instants onto a line.
type timeAxis struct {
	from, to    time.Time
	left, right float64
	zone        *time.Location
}

// newTimeAxis returns an axis; a span that is empty or backwards becomes a minute.
func newTimeAxis(from, to time.Time, left, right float64, zone *time.Location) *timeAxis {
	if !to.After(from) {
		to = from.Add(time.Minute)
	}
	return &timeAxis{from: from, to: to, left: left, right: right, zone: zoned(zone)}
}

// x returns the place of an instant, at the edge for one outside.
func (a *timeAxis) x(at time.Time) float64 {
	share := float64(at.Sub(a.from)) / float64(a.to.Sub(a.from))
	return a.left + max(0, min(1, share))*(a.right-a.left)
}

// has reports whether an instant is on the axis.
func (a *timeAxis) has(at time.Time) bool { return !at.Before(a.from) && !at.After(a.to) }

// clock writes an instant: the time, with the day if the axis is longer than one.
func (a *timeAxis) clock(at time.Time) string {
	switch length := a.to.Sub(a.from); {
	case length > 26*time.Hour:
		return at.In(a.zone).Format("2 Jan 15:04")
	case length < 10*time.Minute:
		return at.In(a.zone).Format("15:04:05")
	default:
		return at.In(a.zone).Format("15:04")
	}
}

// ticks returns at most so many round times of the zone's clock.
func (a *timeAxis) ticks(most int) []tick {
	length := a.to.Sub(a.from)
	for _, minutes := range []int{1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720} {
		if step := time.Duration(minutes) * time.Minute; length/step < time.Duration(most) {
			return a.clockTicks(minutes)
		}
	}
	const day = 24 * time.Hour
	days := 1
	for _, days = range []int{1, 2, 7, 14, 30, 90, 365} {
		if length/(time.Duration(days)*day) < time.Duration(most) {
			break
		}
	}
	days = max(days, int(length/day)/most+1)
	first, layout := a.from.In(a.zone), "2 Jan"
	if days >= 90 {
		layout = "Jan 2006"
	}
	var ticks []tick
	for i := 0; len(ticks) < most; i += days {
		at := time.Date(first.Year(), first.Month(), first.Day()+i, 0, 0, 0, 0, a.zone)
		if at.After(a.to) {
			break
		}
		if !at.Before(a.from) {
			ticks = append(ticks, tick{a.x(at), at.Format(layout)})
		}
	}
	return ticks
}

// clockTicks returns the instants at which the clock of the zone shows a multiple of minutes. It
// goes by the minute of the clock, since an hour may be lacking or come twice.
func (a *timeAxis) clockTicks(minutes int) []tick {
	var ticks []tick
	at := a.from.Truncate(time.Minute)
	if at.Before(a.from) {
		at = at.Add(time.Minute)
	}
	for !at.After(a.to) {
		shown := at.In(a.zone)
		past := (shown.Hour()*60 + shown.Minute()) % minutes
		if past == 0 {
			ticks = append(ticks, tick{a.x(at), shown.Format("15:04")})
		}
		at = at.Add(time.Duration(min(minutes-past, 60-shown.Minute())) * time.Minute)
	}
	return ticks
}
