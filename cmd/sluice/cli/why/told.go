package why

import (
	"fmt"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/warehouse/streams"
)

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
