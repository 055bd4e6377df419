package pipeline

import "time"

// Windows divide a range of days into windows of whole months. They are read one after the other,
// so a shifting list or a failed run costs one window and not the whole range.
type Windows struct {
	// From and To are the first and the last day of the range, midnight UTC; zero leaves that end
	// open.
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to,omitzero"`
	// Months is how many calendar months a window has.
	Months int `json:"months"`
	// At is the index of the window being read, from 0, and so the number of windows already read.
	// Of is the number of windows.
	At int `json:"at"`
	Of int `json:"of"`
}

// MonthsBetween counts the calendar months that two days touch.
func MonthsBetween(from, to time.Time) int {
	const year = 12
	return (to.Year()-from.Year())*year + int(to.Month()) - int(from.Month()) + 1
}

// NewWindows divides a range. A range without an end is divided up to today, and its last window
// has no end. A range without a beginning is one window.
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

// Bounds returns the first and the last day of the window being read; zero for nil windows.
func (w *Windows) Bounds() (time.Time, time.Time) {
	if w == nil {
		return time.Time{}, time.Time{}
	}
	return w.BoundsOf(w.At)
}

// BoundsOf returns the first and the last day of a window; windows count from 0.
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

// begin returns the first day of a window after the first one: the first day of a month.
func (w *Windows) begin(at int) time.Time {
	return time.Date(w.From.Year(), w.From.Month()+time.Month(at*w.Months), 1, 0, 0, 0, 0, time.UTC)
}

// Next moves on to the next window; false if the last one was read.
func (w *Windows) Next() bool {
	if w == nil || w.At+1 >= w.Of {
		return false
	}
	w.At++
	return true
}
