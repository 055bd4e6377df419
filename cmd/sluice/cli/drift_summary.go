package cli

import (
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/quarantine"
)

// driftSummary is the drift of one resource.
type driftSummary struct {
	Organization string `json:"organization"`
	Service      string `json:"service"`
	Resource     string `json:"resource"`
	// Keys counts the unknown keys, Values the unknown values of enumerations, Missing the declared
	// keys that do not come any more.
	Keys    int `json:"keys"`
	Values  int `json:"values"`
	Missing int `json:"missing"`
	// Crowded says that there are more unknown keys than are kept apart.
	Crowded bool `json:"crowded"`
	// Records is the number of records with the key or value that most of them have: so many
	// records drift at least.
	Records     int64     `json:"records"`
	FirstSeenAt time.Time `json:"first_seen_at"`
	LastSeenAt  time.Time `json:"last_seen_at"`
	// Hint says what to do.
	Hint string `json:"hint"`
}

// sumDrift sums up drift by organization and resource, whatever kind of work met it. The views are
// ordered by organization and resource.
func sumDrift(a *engine.App, views []driftView) []driftSummary {
	sums := make([]driftSummary, 0)
	var paths map[string]bool // a key of two types is one key
	for i := range views {
		d := &views[i]
		resource := strings.TrimSuffix(d.Resource, "."+string(pipeline.WorkSweep))
		if n := len(sums) - 1; n < 0 || sums[n].Organization != d.Organization || sums[n].Service != d.Service || sums[n].Resource != resource {
			sums = append(sums, driftSummary{
				Organization: d.Organization, Service: d.Service, Resource: resource, FirstSeenAt: d.FirstSeenAt, LastSeenAt: d.LastSeenAt,
			})
			paths = make(map[string]bool)
		}
		sums[len(sums)-1].add(d, paths)
	}
	for i := range sums {
		sums[i].Hint = sums[i].whatToDo(a)
	}
	return sums
}

// add counts one line of drift; paths holds the unknown keys that are counted.
func (s *driftSummary) add(d *driftView, paths map[string]bool) {
	switch {
	case d.Path == driftOthers:
		s.Crowded = true
	case d.Kind == quarantine.KindMissing:
		s.Missing++
	case strings.HasPrefix(d.Kind, driftValue):
		s.Values++
	default:
		paths[d.Path] = true
		s.Keys = len(paths)
	}
	s.Records = max(s.Records, d.Seen)
	if d.FirstSeenAt.Before(s.FirstSeenAt) {
		s.FirstSeenAt = d.FirstSeenAt
	}
	if d.LastSeenAt.After(s.LastSeenAt) {
		s.LastSeenAt = d.LastSeenAt
	}
}

// name is the resource's name on the command line.
func (s *driftSummary) name() string { return s.Service + "." + s.Resource }

// whatToDo gives the most urgent step for a resource: an undeclared key loses nothing, a column
// whose key is gone grows old.
func (s *driftSummary) whatToDo(a *engine.App) string {
	streams, err := a.Declared(s.name())
	declaredByUser := err == nil && engine.UserDeclared(streams[0])
	switch {
	case s.Missing > 0:
		return "find what came in place of " + view.Plural(s.Missing, "gone key") + ": sluice drift " + s.name()
	case declaredByUser && (s.Keys > 0 || s.Crowded):
		return "sluice drift promote " + s.name()
	case s.Keys > 0 || s.Crowded:
		return "query _extra, or declare or ignore the keys"
	default:
		return "look at queries that list the values"
	}
}

// driftOverview shows a line for each resource and ends with what to do.
func driftOverview(a *engine.App, sums []driftSummary) []view.Part {
	const head = headOrganization + "  RESOURCE  KEYS  VALUES  GONE  RECORDS  FIRST  LAST  WHAT TO DO"
	table := view.Table(sums, head, func(s *driftSummary) view.Row {
		zone := a.Zone(s.Organization)
		keys := view.Count(s.Keys)
		if s.Crowded {
			keys = "over " + keys
		}
		return view.Row{
			s.Organization, s.name(), keys, s.Values, s.Missing, s.Records,
			view.Minute(s.FirstSeenAt, zone), view.Minute(s.LastSeenAt, zone), s.Hint,
		}
	}).Or(noDrift)
	if len(sums) == 0 {
		return []view.Part{table}
	}
	return []view.Part{table, view.Line(`
Nothing is lost: unknown keys are in the column _extra of their rows, unknown values in
their columns. RECORDS counts those with the most frequent key.
  See them     sluice drift %s, or sluice drift --keys for all
  Use a key    query _extra ->> 'key' today; for a column, declare it:
               sluice drift promote for lists of the configuration,
               docs/contributing.md for built-in ones
  Ignore one   name it among the ignored keys of its declaration, with the reason`, sums[0].name())}
}
