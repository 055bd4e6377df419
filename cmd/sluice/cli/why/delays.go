package why

import (
	"fmt"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
)

// delays are what delays a stream now, first what concerns it alone. It is empty, never nil:
// programs read a list.
func delays(f *Facts) []string {
	held := []string{}
	add := func(text string) {
		if text != "" {
			held = append(held, text)
		}
	}
	if !f.Stream.Enabled {
		return append(held, "the configuration has it disabled: it is not read at all")
	}
	add(state(f))
	add(gate(f))
	add(day(f))
	if details := f.Stream.Details; details != nil && details.Pending+details.Stale > 0 {
		add(fmt.Sprintf("a backlog: %s wait for their single record", view.Plural(details.Pending+details.Stale, "row")))
	}
	if parents := f.Stream.Parents; parents != nil && parents.Read < parents.Parents {
		add(fmt.Sprintf("%s of %s were read: so many a run as calls_per_run allows", view.Count(parents.Read), view.Plural(parents.Parents, "parent")))
	}
	return held
}

// state is the delay that the stream's own state shows.
func state(f *Facts) string {
	s := &f.Stream
	until := ""
	if s.Until != nil && s.Until.After(f.Now) {
		until = " until " + f.clock(*s.Until)
	}
	switch pipeline.State(s.State) {
	case pipeline.StateDenied:
		return fmt.Sprintf("denied: %s; it is tried again within a day, and at once on request: sluice sync %s.%s",
			strings.TrimPrefix(s.Reason, "denied: "), s.Service, s.Resource) // a reason begins with its kind
	case pipeline.StateWaiting, pipeline.StateRetrying:
		return strings.TrimSuffix(s.State+until+": "+s.Reason, ": ")
	case pipeline.StateFailed:
		return "the last run failed, and the next one tries again: " + s.Reason
	case pipeline.StateQueued:
		return "queued: it begins when a worker is free"
	case pipeline.StateRunning:
		return "a run is under way"
	case pipeline.StateIdle:
		return ""
	default:
		return s.State
	}
}

// gate is the delay that upstream imposes on all streams of the allowance.
func gate(f *Facts) string {
	switch g := &f.Budget.Gate; {
	case f.Budget.ExhaustedUntil != nil && f.Budget.ExhaustedUntil.After(f.Now):
		return "upstream says that the day is spent: no call until " + f.clock(*f.Budget.ExhaustedUntil)
	case g.ClosedUntil != nil:
		return "the gate is closed, as upstream refused calls: none leaves until " + f.clock(*g.ClosedUntil)
	case g.CappedUntil != nil:
		return "fewer calls at once, as upstream refused some: until " + f.clock(*g.CappedUntil)
	default:
		return ""
	}
}

// day is the delay by the day's allowance and the share of the class.
func day(f *Facts) string {
	b := &f.Budget
	switch {
	case !b.Limited:
		return ""
	case b.Left <= 0:
		return "the calls of the day are spent"
	case b.Spent >= b.Ceiling:
		return fmt.Sprintf("%s runs have spent their %s calls of the day", f.Class, view.Count(b.Ceiling))
	case b.Left <= b.Kept:
		return fmt.Sprintf("the %s calls that are left are kept for other classes of work", view.Count(b.Left))
	default:
		return ""
	}
}

// clock writes an instant in the organization's zone, with the date if it is another day.
func (f *Facts) clock(at time.Time) string {
	zone := f.Zone
	if zone == nil {
		zone = time.UTC
	}
	at, now := at.In(zone), f.Now.In(zone)
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04:05 MST")
	}
	return at.Format("2006-01-02 15:04 MST")
}

// Span writes a duration in at most two units: 5 m, 1 h 30 m, 2 d 4 h.
func Span(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	if d >= time.Hour {
		d = d.Round(time.Minute)
	}
	const hoursADay = 24 * time.Hour
	var parts []string
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{hoursADay, "d"}, {time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if n := d / unit.length; n > 0 && len(parts) < 2 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
		}
		d %= unit.length
	}
	if len(parts) == 0 {
		return "0 s"
	}
	return strings.Join(parts, " ")
}
