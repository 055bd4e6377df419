package ledger

import (
	"fmt"
	"time"
)

// Day is a date, counted from 1970.
type Day int32

const (
	secondsADay = 86_400
	noDay       = Day(1 << 30) // later than every date
)

// DayOf returns the date of an instant in its own zone.
func DayOf(at time.Time) Day {
	year, month, day := at.Date()
	return dateOf(year, month, day)
}

// ReadDay reads a date such as 2026-01-31.
func ReadDay(text string) (Day, error) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0, fmt.Errorf("sandbox: day %q: use a date such as 2026-01-31: %w", text, err)
	}
	return DayOf(at), nil
}

func dateOf(year int, month time.Month, day int) Day {
	return Day(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / secondsADay)
}

func (d Day) time() time.Time { return time.Unix(int64(d)*secondsADay, 0).UTC() }

// String writes the date: 2026-01-31.
func (d Day) String() string { return d.time().Format(time.DateOnly) }

// MarshalText writes the date; it is empty for none.
func (d Day) MarshalText() ([]byte, error) {
	if d == 0 {
		return nil, nil
	}
	return []byte(d.String()), nil
}

// Month returns the first day of the month.
func (d Day) Month() Day {
	at := d.time()
	return dateOf(at.Year(), at.Month(), 1)
}

// NextMonth returns the first day of the month behind.
func (d Day) NextMonth() Day {
	at := d.time()
	return dateOf(at.Year(), at.Month()+1, 1)
}

// Quarter returns the first day of the quarter. The fiscal year begins in April, so that its
// quarters are those of the calendar.
func (d Day) Quarter() Day {
	at := d.time()
	return dateOf(at.Year(), at.Month()-(at.Month()-1)%monthsAQuarter, 1)
}

// NextQuarter returns the first day of the quarter behind.
func (d Day) NextQuarter() Day {
	at := d.Quarter().time()
	return dateOf(at.Year(), at.Month()+monthsAQuarter, 1)
}

const monthsAQuarter = 3

// Hours of the day at which things are entered, in seconds.
const (
	morning = 9 * 3600
	evening = 19 * 3600
)

// at returns the instant of a day, some seconds after its beginning, in epoch seconds.
func (l *Ledger) at(d Day, seconds int) int64 {
	when := d.time()
	return time.Date(when.Year(), when.Month(), when.Day(), 0, 0, seconds, 0, l.Zone).Unix()
}

// dayOf returns the organization's date at an instant in epoch seconds.
func (l *Ledger) dayOf(seconds int64) Day { return DayOf(time.Unix(seconds, 0).In(l.Zone)) }
