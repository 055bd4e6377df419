// Package why says in words why a stream runs as often as it does, when it is due, and what delays
// it now.
//
// It is pure: it turns facts into words. Start reading at Explain.
package why

import (
	"fmt"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/planning/cadence"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams"
)

// Facts are what is known of one stream.
type Facts struct {
	Stream streams.Status
	Class  pipeline.Class
	// Stated says that the configuration fixes the interval. Freshness is the target in the
	// configuration and Ceiling the longest interval that may be learned; zero where there is none.
	Stated             bool
	Freshness, Ceiling time.Duration
	// Follows says that the stream reads the details of a list, Hinted that it reads what
	// notifications tell of.
	Follows  bool
	Hinted   bool
	Forecast planning.StreamPlan
	Budget   Budget
	Reading  Reading
	Now      time.Time
	Zone     *time.Location
}

// Budget is what limits the calls of the stream.
type Budget struct {
	// Limited says that the day has a limit; Left is what is left of it, Kept the part of that
	// which is kept for other classes.
	Limited    bool
	Left, Kept int64
	// Spent is what the class spent of its ceiling.
	Spent, Ceiling int64
	// ExhaustedUntil is until when upstream says that the day is spent, nil if it does not say so.
	ExhaustedUntil *time.Time
	Gate           calls.Gate
}

// Source is a closed set: the origin of an interval.
type Source string

// The sources.
const (
	SourceConfigured Source = "configured"
	SourceDeclared   Source = "declared"
	SourceLearned    Source = "learned"
)

// Explanation is why a stream runs when it runs.
type Explanation struct {
	Organization string  `json:"organization"`
	Service      string  `json:"service"`
	Resource     string  `json:"resource"`
	State        string  `json:"state"`
	EverySeconds float64 `json:"every_seconds"`
	Source       Source  `json:"source"`
	// Why is the reason for the interval, Delays are what delays the stream now; all are sentences.
	Why       string    `json:"why"`
	NextDueAt time.Time `json:"next_due_at"`
	Delays    []string  `json:"delays"`
	// Plan is the basis of a learned interval.
	Plan *streams.Plan `json:"plan,omitempty"`
	// FreshnessSeconds is the target in the configuration, 0 if there is none.
	FreshnessSeconds float64  `json:"freshness_seconds,omitempty"`
	Forecast         Forecast `json:"forecast"`
	// Reading is how the list is read, and why so.
	Reading Reading `json:"reading"`
	// Proof is how the last run that knew it knew that no record escaped it.
	Proof string `json:"proof,omitempty"`
	// Notified is how far notifications replace scheduled runs, and Told says it in a sentence.
	Notified *streams.Notified `json:"notified,omitempty"`
	Told     string            `json:"told,omitempty"`
}

// Forecast is what the next run and a day of runs take. Unknown figures are nil.
type Forecast struct {
	Calls       *int     `json:"calls"`
	CallsPerDay *float64 `json:"calls_per_day"`
	// FreshSeconds is the largest age of a change when it arrives.
	FreshSeconds float64 `json:"fresh_within_seconds"`
	// Basis is what the figures are based on, in a word.
	Basis string `json:"basis"`
}

// Explain explains one stream.
func Explain(f Facts) Explanation {
	s := &f.Stream
	e := Explanation{
		Organization: s.Organization, Service: s.Service, Resource: s.Resource, State: s.State, EverySeconds: s.EverySeconds,
		NextDueAt: s.NextDueAt, Delays: delays(&f), Plan: s.Plan, FreshnessSeconds: f.Freshness.Seconds(), Reading: f.Reading, Proof: s.Proof,
		Forecast: Forecast{
			Calls: f.Forecast.Calls, CallsPerDay: f.Forecast.Schedule.CallsPerDay, FreshSeconds: f.Forecast.Schedule.FreshSeconds,
			Basis: f.Forecast.Basis.String(),
		},
	}
	e.Source, e.Why = source(&f)
	if s.Notified != nil {
		e.Notified, e.Told = s.Notified, told(s.Notified, &f)
	}
	return e
}

func source(f *Facts) (Source, string) {
	switch {
	case f.Hinted:
		return SourceDeclared, "reads what notifications tell of, within seconds; looked for by itself every " + Span(f.Stream.EverySeconds)
	case f.Follows:
		return SourceDeclared, "follows its list, which makes it due at once; looked for by itself every " + Span(f.Stream.EverySeconds)
	case f.Stated:
		return SourceConfigured, "stated in the configuration"
	case f.Ceiling == 0:
		return SourceDeclared, "the declared interval: neither every nor freshness is stated, and schedule.adaptive is off or has no meaning here"
	case f.Stream.Plan == nil:
		return SourceLearned, "nothing was learned yet: sluice serve works intervals out once a minute"
	default:
		return SourceLearned, learned(f.Stream.Plan, f)
	}
}

// learned says what was observed, the bounds, and which of them decided.
func learned(p *streams.Plan, f *Facts) string {
	text := "learned: "
	if cadence.Reason(p.Reason) == cadence.Unseen {
		text += "no run went on from a watermark yet"
	} else {
		text += fmt.Sprintf("%s seen over %s, %s", rate(p.ChangesPerHour), Span(p.SeenHours*time.Hour.Seconds()), callsARun(p.CallsPerRun))
	}
	if f.Freshness > 0 {
		text += ", target " + Span(f.Freshness.Seconds())
	} else {
		text += ", at most every " + Span(f.Ceiling.Seconds())
	}
	text += ", floor " + Span(p.FloorSeconds)
	if p.CallsPerDay != nil {
		text += fmt.Sprintf(", %s calls a day for the learned %s streams of this service", view.Count(int(*p.CallsPerDay)), p.Class)
	}
	return text + "; " + because(p)
}

func because(p *streams.Plan) string {
	switch cadence.Reason(p.Reason) {
	case cadence.Unseen:
		if p.EverySeconds <= p.FloorSeconds {
			return "once after the floor, to see what changes"
		}
		return "as declared, until something is seen"
	case cadence.Floor:
		return "as often as the floor allows"
	case cadence.Worth:
		return "more often, a call would find a change less than once in 33 times"
	case cadence.Quiet:
		return "nothing changed, so it backs off until something does"
	case cadence.Shared:
		return "its part of these calls, by changes and calls a run"
	case cadence.Ceiling:
		return "as rarely as is allowed"
	case cadence.Extended:
		return Unmet(p)
	default:
		return p.Reason
	}
}

// Unmet says that a target cannot be met; "" if it can.
func Unmet(p *streams.Plan) string {
	if p == nil || cadence.Reason(p.Reason) != cadence.Extended || p.CallsPerDay == nil {
		return ""
	}
	return fmt.Sprintf("the target cannot be met: the targets of the %s streams of this service take %s calls a day, and there are %s",
		p.Class, view.Count(int(p.NeededPerDay+0.5)), view.Count(int(*p.CallsPerDay)))
}

// rate writes a rate of changes in the unit in which it is more than one.
func rate(perHour float64) string {
	const hoursADay = 24
	switch {
	case perHour == 0:
		return "no change"
	case perHour >= 1:
		return fmt.Sprintf("%.3g changes an hour", perHour)
	default:
		return fmt.Sprintf("%.2g changes a day", perHour*hoursADay)
	}
}

func callsARun(perRun float64) string {
	if perRun == 1 {
		return "1 call a run"
	}
	return fmt.Sprintf("%.3g calls a run", perRun)
}

// told says how far notifications replace the scheduled runs of a stream, and if they do not, why.
func told(n *streams.Notified, f *Facts) string {
	last := "no notification has told of it yet"
	if n.LastAt != nil {
		last = "last told of " + view.Age(f.Now.Sub(*n.LastAt)) + " ago"
		if n.Waiting > 0 {
			last += ", " + view.Plural(int(n.Waiting), "hint") + " to be read"
		}
	}
	proven := n.ProvenUntil != nil && n.ProvenUntil.After(f.Now)
	switch {
	case n.EverySeconds == 0:
		return last + "; scheduled runs go on as usual (resources: notified: {every: …} makes them rarer)"
	case n.Trusted:
		return fmt.Sprintf("%s; trusted, so scheduled runs come every %s: the last %s found nothing untold, and test callbacks arrive",
			last, Span(n.EverySeconds), view.Plural(int(n.AnnouncedRuns), "run"))
	case n.Gap != "":
		return last + "; not trusted, so the usual interval applies: " + n.Gap
	case !proven:
		return last + "; not trusted, so the usual interval applies: no test callback arrived lately (sluice notifications check)"
	case n.Unannounced > 0:
		return fmt.Sprintf("%s; not trusted, so the usual interval applies: the last run found %s that nothing had told of",
			last, view.Plural(int(n.Unannounced), "change"))
	default:
		return fmt.Sprintf("%s; not trusted yet, so the usual interval applies: %d of %d runs in a row found nothing untold",
			last, n.AnnouncedRuns, n.NeededRuns)
	}
}
