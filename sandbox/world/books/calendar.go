package books

import "time"

const stamp = "2006-01-02T15:04:05-0700" // docs/upstream.md U120: no colon in the offset, whole seconds

// Calendar formats instants as the services do, in a zone.
type Calendar struct{ zone *time.Location }

// NewCalendar returns the calendar of a zone.
func NewCalendar(zone *time.Location) *Calendar { return &Calendar{zone} }

// AppendStamp appends date, time and offset of an instant in epoch seconds.
func (c *Calendar) AppendStamp(b []byte, seconds int64) []byte {
	return time.Unix(seconds, 0).In(c.zone).AppendFormat(b, stamp)
}

// AppendDay appends the date of an instant in epoch seconds, some days later.
func (c *Calendar) AppendDay(b []byte, seconds int64, later int) []byte {
	return time.Unix(seconds, 0).In(c.zone).AddDate(0, 0, later).AppendFormat(b, time.DateOnly)
}
