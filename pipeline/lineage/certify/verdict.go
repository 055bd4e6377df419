package certify

import (
	"fmt"
	"time"

	"sluice/pipeline/warehouse/verifications"
)

// judge says how complete the organization is. A list that was never read to its end, and a broken
// invariant, make it incomplete. What is known to be missing is named.
func (c *Certificate) judge() {
	c.ButFor, c.Verdict = []string{}, Complete
	for i := range c.Lists {
		l := &c.Lists[i]
		if l.Watermark == nil { // also one that was configured just now, which the warehouse does not know
			c.Cut = nil
		}
		for _, what := range l.missing(c.entriesOf(l.Resource)) {
			c.ButFor = append(c.ButFor, l.Resource+": "+what)
		}
	}
	if c.Cut == nil || len(c.Lists) == 0 {
		c.Cut, c.Verdict = nil, Incomplete
	}
	for i := range c.Gaps {
		if c.Gaps[i].ClosedAt == nil {
			c.ButFor = append(c.ButFor, "a gap of notifications is open since "+c.Gaps[i].OpenedAt.Format(time.RFC3339))
		}
	}
	for i := range c.Checks {
		if check := &c.Checks[i]; check.Found > 0 && check.Severity == string(verifications.Violation) {
			c.Verdict = Incomplete
			c.ButFor = append(c.ButFor, fmt.Sprintf("check %s found %d", check.Name, check.Found))
		}
	}
	if c.Sample.Violations > 0 {
		c.Verdict = Incomplete
		c.ButFor = append(c.ButFor, fmt.Sprintf("verification %d found %d violations", c.Sample.Verification, c.Sample.Violations))
	}
	if c.Verdict == Complete && len(c.ButFor) > 0 {
		c.Verdict = CompleteButFor
	}
}

// missing names what is known to be missing of a list with so many entries in quarantine.
func (l *List) missing(quarantined int) []string {
	var missing []string
	add := func(format string, args ...any) { missing = append(missing, fmt.Sprintf(format, args...)) }
	if l.Watermark == nil {
		add("no run has read the list to its end")
	}
	if l.State == "denied" || l.State == "failed" {
		add("the stream is %s", l.State)
	}
	if waiting := l.Pending + l.Stale + l.Failed; waiting > 0 {
		add("%d records wait for their single record, %d of them after a failure", waiting, l.Failed)
	}
	if l.InReview > 0 {
		add("a person has to decide about %d deletions", l.InReview)
	}
	if l.Watermark != nil && l.SweptAt == nil {
		add("no clean reading of the whole list: deletions and silent edits are not proven")
	}
	if quarantined > 0 {
		add("%d records are in quarantine", quarantined)
	}
	return missing
}

func (c *Certificate) entriesOf(resource string) int {
	n := 0
	for i := range c.Quarantine {
		if c.Quarantine[i].Resource == resource {
			n++
		}
	}
	return n
}
