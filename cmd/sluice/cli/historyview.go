package cli

import (
	"strings"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/report"
)

// tableOfHistories says of which resources the past is kept.
func (c *cli) tableOfHistories(a *engine.App, histories []report.History) error {
	p := c.printer()
	if err := p.Line(""); err != nil {
		return err
	}
	rows := make([][]string, 0, len(histories))
	for i := range histories {
		h := &histories[i]
		since, count := "", ""
		if h.Versions {
			since, count = "taking in the rows that are there", view.Count(h.Count)
			if h.Since != nil {
				since = instant(h.Since, a.Zone(h.Organization))
			}
			if h.More {
				count += "+"
			}
		}
		rows = append(rows, []string{h.Organization, h.Service + "." + h.Resource, since, count, strings.Join(h.Daily, ", ")})
	}
	return p.Table([]string{headOrganization, "PAST OF", "KNOWN SINCE", "VERSIONS", "BY DAY"}, rows)
}
