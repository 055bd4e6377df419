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
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams"
)

// Facts are what is known of one stream.
type Facts struct {
	Stream streams.Status
	Class  pipeline.Class
	// Stated says that the configuration has the interval.
	Stated bool
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
)

// Explanation is why a stream runs when it runs.
type Explanation struct {
	pipeline.Key

	State        string  `json:"state"`
	EverySeconds float64 `json:"every_seconds"`
	Source       Source  `json:"source"`
	// Why is the reason for the interval, Delays are what delays the stream now; all are sentences.
	Why       string    `json:"why"`
	NextDueAt time.Time `json:"next_due_at"`
	Delays    []string  `json:"delays"`
	Forecast  Forecast  `json:"forecast"`
	// Reading is how the list is read, and why so.
	Reading Reading `json:"reading"`
	// Proof is how the last run that knew it knew that no record escaped it.
	Proof string `json:"proof,omitempty"`
	// Counted is upstream's last count of the list, nil if there was none.
	Counted *streams.Count `json:"counted,omitempty"`
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
		Key:   pipeline.Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource},
		State: s.State, EverySeconds: s.EverySeconds,
		NextDueAt: s.NextDueAt, Delays: delays(&f), Reading: f.Reading, Proof: s.Proof, Counted: s.Counted,
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
	default:
		return SourceDeclared, "the declared interval: the configuration states no every"
	}
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
