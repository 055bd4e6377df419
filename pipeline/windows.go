package pipeline

import "time"

// Windows divide a range of days into windows of whole months, read one after the other, so that a
// list that shifts or a run that fails costs one of them and not the range.
type Windows struct {
	// From and To are the first and the last day of the range, midnight UTC; zero leaves that end
	// open.
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
	// Months is how many calendar months a window has.
	Months int `json:"months"`
	// At is the window being read, from 0, which is how many were read; Of is how many there are.
	At int `json:"at"`
	Of int `json:"of"`
}

// MonthsBetween counts the calendar months that two days touch.
func MonthsBetween(from, to time.Time) int {
	const year = 12
	return (to.Year()-from.Year())*year + int(to.Month()) - int(from.Month()) + 1
}

// NewWindows divides a range. Where it has no end, the windows reach to today, and the last one has
// none; where it has no beginning there is one window.
func NewWindows(from, to, today time.Time, months int) *Windows {
	w := &Windows{From: from, To: to, Months: max(months, 1), Of: 1}
	last := to
	if last.IsZero() {
		last = today
	}
	if !from.IsZero() && from.Before(last) {
		w.Of = (MonthsBetween(from, last) + w.Months - 1) / w.Months
	}
	return w
}

// Bounds are the first and the last day of the window being read; nil has none.
func (w *Windows) Bounds() (time.Time, time.Time) {
	if w == nil {
		return time.Time{}, time.Time{}
	}
	return w.BoundsOf(w.At)
}

// BoundsOf are the first and the last day of a window, from 0.
func (w *Windows) BoundsOf(at int) (time.Time, time.Time) {
	from, to := w.From, w.To
	if at > 0 {
		from = w.begin(at)
	}
	if at < w.Of-1 {
		to = w.begin(at+1).AddDate(0, 0, -1)
	}
	return from, to
}

// begin is the first day of a window behind the first one: the first of a month.
func (w *Windows) begin(at int) time.Time {
	return time.Date(w.From.Year(), w.From.Month()+time.Month(at*w.Months), 1, 0, 0, 0, 0, time.UTC)
}

// Next goes to the window behind the one that was read; false if it was the last.
func (w *Windows) Next() bool {
	if w == nil || w.At+1 >= w.Of {
		return false
	}
	w.At++
	return true
}
