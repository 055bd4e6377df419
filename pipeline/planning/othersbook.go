package planning

import (
	"math"
	"slices"
	"time"
)

// othersDay is one day of others: its date at midnight UTC, and its calls by hours of the clock.
type othersDay struct {
	date    time.Time
	calls   float64
	seconds float64
	hours   [hoursADay]float64
	seen    [hoursADay]bool
}

// othersBook are the days of others, oldest first; those that are over and whole, and today.
type othersBook struct {
	in    *OthersInput
	days  []*othersDay
	today *othersDay
	// shapes are the days that expected was asked for.
	shapes map[time.Time]expectedDay
}

// expectedDay is what others are expected to spend in each hour of a day.
type expectedDay struct {
	hours [hoursADay]float64
	basis OthersBasis
}

// date returns the day of an instant, at midnight UTC.
func (in *OthersInput) date(at time.Time) time.Time {
	local := at.In(in.Zone)
	date := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	if local.Hour() < in.ResetHour {
		return date.AddDate(0, 0, -1)
	}
	return date
}

func newOthersBook(in *OthersInput) *othersBook {
	b := &othersBook{in: in, today: &othersDay{date: in.date(in.Now)}, shapes: make(map[time.Time]expectedDay)}
	byDate := make(map[time.Time]*othersDay)
	for i := range in.Hours {
		h := &in.Hours[i]
		date := in.date(h.At)
		d := byDate[date]
		if d == nil {
			d = &othersDay{date: date}
			byDate[date] = d
		}
		hour := h.At.In(in.Zone).Hour()
		d.calls, d.seconds = d.calls+h.Calls, d.seconds+h.Seconds
		d.hours[hour], d.seen[hour] = d.hours[hour]+h.Calls, true
	}
	for date, d := range byDate {
		switch {
		case date.Equal(b.today.date):
			b.today = d
		case date.Before(b.today.date) && d.seconds >= wholeDay.Seconds():
			b.days = append(b.days, d)
		}
	}
	slices.SortFunc(b.days, func(x, y *othersDay) int { return x.date.Compare(y.date) })
	return b
}

// before returns the days that say what is usual on a date.
func (b *othersBook) before(date time.Time) []*othersDay {
	at := func(date time.Time) int {
		i, _ := slices.BinarySearchFunc(b.days, date, func(d *othersDay, date time.Time) int { return d.date.Compare(date) })
		return i
	}
	return b.days[at(date.Add(-usualWindow)):at(date)]
}

// sameWeekday returns the days of one weekday.
func sameWeekday(days []*othersDay, weekday time.Weekday) []*othersDay {
	return slices.DeleteFunc(slices.Clone(days), func(d *othersDay) bool { return d.date.Weekday() != weekday })
}

func sums(days []*othersDay) []float64 {
	all := make([]float64, len(days))
	for i := range days {
		all[i] = days[i].calls
	}
	return all
}

// band is what is usual on a date, and how far from it is unusual.
type band struct{ usual, width float64 }

// bandOf returns the band of a date, by the days before it; false if they are too few.
func (b *othersBook) bandOf(date time.Time) (band, bool) {
	days := b.before(date)
	own := sameWeekday(days, date.Weekday())
	if len(own) < leastDays {
		return band{}, false
	}
	usual := median(sums(own))
	// The days of all weekdays show the spread: each is compared with the others of its weekday, as
	// the date is.
	var apart []float64
	for weekday := range time.Weekday(7) { //nolint:mnd // a week
		of := sums(sameWeekday(days, weekday))
		for i := 0; i < len(of) && len(of) > 1; i++ {
			apart = append(apart, math.Abs(of[i]-median(slices.Delete(slices.Clone(of), i, i+1))))
		}
	}
	width := max(wideness*median(apart), ofUsual*usual, ofLimit*float64(b.in.Limit), few)
	return band{usual: usual, width: width}, true
}

// habit follows the days one by one. An unusual day raises the alarm, two days well inside the band
// end it. Of today only too much can be said.
func (b *othersBook) habit() Habit {
	h := Habit{State: HabitUsual, DaysNeeded: leastDays}
	calm := 0
	for i := range b.days {
		d := b.days[i]
		of, known := b.bandOf(d.date)
		if !known {
			continue
		}
		switch off := d.calls - of.usual; {
		case math.Abs(off) > of.width:
			calm = 0
			h.raise(off, d.date)
		case math.Abs(off) <= narrow*of.width && h.Changed():
			if calm++; calm >= calmDays {
				h.State, h.Since, calm = HabitUsual, nil, 0
			}
		default:
			calm = 0
		}
	}
	h.Days = len(sameWeekday(b.before(b.today.date), b.today.date.Weekday()))
	of, known := b.bandOf(b.today.date)
	if !known {
		if !h.Changed() {
			h.State = HabitLearning
		}
		return h
	}
	h.Usual, h.Low, h.High = new(of.usual), new(max(0, of.usual-of.width)), new(of.usual+of.width)
	if off := b.today.calls - of.usual; off > of.width {
		h.raise(off, b.today.date)
	}
	return h
}

// raise notes an unusual day.
func (h *Habit) raise(off float64, date time.Time) {
	if h.Since == nil {
		h.Since = &date
	}
	h.State = HabitMore
	if off < 0 {
		h.State = HabitLess
	}
}

// profile returns what is usual by weekday and hour, without the hours of which nothing is known.
func (b *othersBook) profile() []OthersHour {
	var all []OthersHour
	days := b.before(b.today.date)
	for weekday := range time.Weekday(7) { //nolint:mnd // a week
		own := sameWeekday(days, weekday)
		for hour := range hoursADay {
			var of []float64
			for i := range own {
				if own[i].seen[hour] {
					of = append(of, own[i].hours[hour])
				}
			}
			if len(of) == 0 {
				continue
			}
			middle := median(of)
			apart := make([]float64, len(of))
			for i, n := range of {
				apart[i] = math.Abs(n - middle)
			}
			all = append(all, OthersHour{Weekday: weekday.String(), Hour: hour, Median: middle, Spread: median(apart), Weeks: len(of)})
		}
	}
	return all
}

// expected returns what others are expected to spend in each hour of a day.
func (b *othersBook) expected(date time.Time) expectedDay {
	known, asked := b.shapes[date]
	if !asked {
		known = b.expect(date)
		b.shapes[date] = known
	}
	return known
}

func (b *othersBook) expect(date time.Time) expectedDay {
	days := b.before(b.today.date)
	if own := sameWeekday(days, date.Weekday()); len(own) >= leastDays {
		return expectedDay{hours: shape(own), basis: OfWeekday}
	}
	if len(days) >= leastDays {
		return expectedDay{hours: shape(days), basis: OfAllDays}
	}
	even := expectedDay{basis: OfNothing}
	if b.today.seconds <= 0 {
		return even
	}
	even.basis = OfToday
	for hour := range even.hours {
		even.hours[hour] = b.today.calls / b.today.seconds * time.Hour.Seconds()
	}
	return even
}

// shape spreads the usual sum of days over the hours. The medians of the hours say how; where their
// sum falls short, because a program comes in another hour each day, the means do.
func shape(days []*othersDay) [hoursADay]float64 {
	const enough = 0.8
	var middles, means [hoursADay]float64
	var sum, meanSum float64
	for hour := range hoursADay {
		var of []float64
		for i := range days {
			of = append(of, days[i].hours[hour])
			means[hour] += days[i].hours[hour] / float64(len(days))
		}
		middles[hour] = median(of)
		sum, meanSum = sum+middles[hour], meanSum+means[hour]
	}
	usual := median(sums(days))
	if sum < enough*usual {
		middles, sum = means, meanSum
	}
	for hour := range middles {
		middles[hour] *= usual / math.Max(sum, 1e-9) //nolint:mnd // nothing at all stays nothing
	}
	return middles
}

// outlook says when the day's allowance will be gone, given the schedule and the habits of others.
func (b *othersBook) outlook() Outlook {
	in := b.in
	o := Outlook{State: OutlookNone, Until: in.Until}
	o.Basis = b.expected(b.today.date).basis
	o.Error, o.ErrorDays = b.pastError()
	switch {
	case in.SpentUntil != nil && in.SpentUntil.After(in.Now):
		o.State, o.Until = OutlookSpent, *in.SpentUntil
		return o
	case in.Limit == 0 || !in.Until.After(in.Now):
		o.State = OutlookUnknown
		return o
	}
	o.Ours = in.OursPerDay * days(in.Until.Sub(in.Now))
	if o.At, o.Theirs = b.gone(0); o.At != nil {
		o.State = OutlookExpected
	}
	if o.Error != nil {
		o.Earliest, _ = b.gone(*o.Error)
		o.Latest, _ = b.gone(-*o.Error)
	}
	return o
}

// gone returns when nothing is left if others spend so many calls a day more than expected, nil if
// something is left when the day turns; and what others are expected to spend until then.
func (b *othersBook) gone(more float64) (*time.Time, float64) {
	in, left, theirs := b.in, float64(b.in.Left), 0.0
	var at *time.Time
	for from := in.Now; from.Before(in.Until); {
		local := from.In(in.Zone)
		next := time.Date(local.Year(), local.Month(), local.Day(), local.Hour()+1, 0, 0, 0, in.Zone)
		if !next.After(from) { // an hour that the clock shows twice
			next = from.Add(time.Hour)
		}
		to := next
		if in.Until.Before(to) {
			to = in.Until
		}
		part := to.Sub(from).Hours()
		hours := b.expected(in.date(from)).hours
		sum := 0.0
		for _, n := range hours {
			sum += n
		}
		others := hours[local.Hour()] + more/hoursADay
		if sum > 0 {
			others = hours[local.Hour()] * (1 + more/sum)
		}
		others = max(0, others) * part
		spends := others + in.OursPerDay/hoursADay*part
		if at == nil && spends >= left {
			share := 0.0
			if spends > 0 {
				share = left / spends
			}
			at = new(from.Add(time.Duration(share * float64(to.Sub(from)))))
		}
		left, theirs = left-spends, theirs+others
		from = to
	}
	return at, theirs
}

// pastError returns by how many calls the usual was wrong about past days, in the median, and of
// how many days that is said.
func (b *othersBook) pastError() (*float64, int) {
	var off []float64
	for i := range b.days {
		if of, known := b.bandOf(b.days[i].date); known {
			off = append(off, math.Abs(b.days[i].calls-of.usual))
		}
	}
	if len(off) == 0 {
		return nil, 0
	}
	return new(median(off)), len(off)
}

// median returns the middle of numbers; of an even number of them the mean of the two in the
// middle, of none zero.
func median(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}
