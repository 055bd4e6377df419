package cli

import (
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/history"
)

// tableOfHistories shows the resources that keep versions.
func tableOfHistories(a *engine.App, histories []history.History) view.Rows {
	return view.Table(histories, headOrganization+"  PAST OF  KNOWN SINCE  VERSIONS  BY DAY", func(h *history.History) view.Row {
		since, count := "", ""
		if h.Versions {
			since, count = "taking in the rows that are there", view.Count(h.Count)
			if h.Since != nil {
				since = view.Instant(h.Since, a.Zone(h.Organization))
			}
			if h.More {
				count += "+"
			}
		}
		return view.Row{h.Organization, h.Service + "." + h.Resource, since, count, strings.Join(h.Daily, ", ")}
	})
}
