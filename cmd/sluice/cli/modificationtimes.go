package cli

import (
	"context"
	"fmt"
	"slices"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/streams"
)

// trustView is how far one resource's modification time can be trusted.
type trustView struct {
	streams.Trust

	// Told is the share of changes that moved the modification time, 0 to 1. It is nil if that is
	// unknown: no record changed, or the whole list was never read again.
	Told *float64 `json:"told"`
}

// modificationTimes shows, for the named resources or for all, which share of changes moved the
// modification time.
func (c *cli) modificationTimes(ctx context.Context, a *engine.App, names []string) error {
	found, err := a.DB.Trust(ctx)
	if err != nil {
		return err
	}
	timed := make(map[string]bool)
	for _, stream := range a.Streams() {
		timed[stream.Service.Name+"."+stream.Resource.Name] = stream.Resource.Modified() != ""
	}
	views := make([]trustView, 0, len(found))
	for i := range found {
		t := found[i]
		named := len(names) == 0 || slices.ContainsFunc(names, func(name string) bool { return namedBy(name, t.Service, t.Resource) })
		if named && timed[t.Service+"."+t.Resource] {
			views = append(views, trustView{Trust: t, Told: told(t)})
		}
	}
	return c.show(views, view.Table(views, "OF  CHANGES  SILENT  WENT BACK  TOLD BY ITS TIME  WHOLE LISTS  LAST", func(v *trustView) view.Row {
		share := "unknown"
		if v.Told != nil {
			share = fmt.Sprintf("%.0f %%", *v.Told*100) //nolint:mnd // percent
		}
		of := streamName(true, v.Organization, v.Service, v.Resource)
		return view.Row{of, v.Changes, v.Silent, v.Rollbacks, share, v.Whole, view.Instant(v.WholeAt, a.Zone(v.Organization))}
	}))
}

func told(t streams.Trust) *float64 {
	if t.Changes == 0 || t.Whole == 0 {
		return nil
	}
	share := 1 - float64(t.Silent)/float64(t.Changes)
	return &share
}
