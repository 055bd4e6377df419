package cli

import (
	"context"
	"errors"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/retrace"
)

// retracedView is what became of the versions of one resource of one organization.
type retracedView struct {
	Organization string `json:"organization"`
	Resource     string `json:"resource"`
	Raw          int    `json:"raw"`
	Records      int    `json:"records"`
	Versions     int    `json:"versions"`
	Unfit        int    `json:"unfit"`
	// Since is when the table can be asked for from now on, as far as raw records
	// say; nil if they say nothing about that.
	Since *time.Time `json:"since,omitempty"`
	Error string     `json:"error,omitempty"`
}

// rebuildHistory makes versions anew, of one resource after the other: one that cannot be
// stops no other (promise 9).
func (c *cli) rebuildHistory(ctx context.Context, a *engine.App, names []string, options rebuildOptions) error {
	streams, err := rebuildable(a, names, options)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		streams = a.Remembered(streams)
	}
	views := make([]retracedView, 0, len(streams))
	failed := false
	progress := view.NewProgress(c.env.Stderr)
	defer progress.Clear()
	for _, stream := range streams {
		shown := retracedView{Organization: stream.Organization, Resource: stream.Service.Name + "." + stream.Resource.Name}
		counts, err := a.RebuildHistory(ctx, stream, func(n int) { progress.Show(shown.Resource + ": " + view.Plural(n, "raw record")) })
		if ctx.Err() != nil {
			return errors.Join(errors.New("interrupted: the same command begins anew"), err)
		}
		shown.fill(counts, err)
		failed = failed || err != nil || shown.Unfit > 0
		views = append(views, shown)
	}
	progress.Clear()
	return errors.Join(c.printRetraced(a, views), exitIf(failed))
}

func (v *retracedView) fill(counts retrace.Counts, err error) {
	v.Raw, v.Records, v.Versions, v.Unfit = counts.Raw, counts.Records, counts.Versions, counts.Unfit
	if !counts.Since.IsZero() {
		v.Since = &counts.Since
	}
	if err != nil {
		v.Error = err.Error()
	}
}

func (c *cli) printRetraced(a *engine.App, views []retracedView) error {
	return c.show(views, view.Table(views, headOrganization+"  TABLE  RAW  RECORDS  WRITTEN  UNFIT  KNOWN SINCE  REMARK", func(v *retracedView) view.Row {
		since := "as before"
		if v.Since != nil {
			since = view.Instant(v.Since, a.Zone(v.Organization))
		}
		return view.Row{v.Organization, v.Resource, v.Raw, v.Records, v.Versions, v.Unfit, since, v.Error}
	}).Or("No versions are kept: resources, history: true asks for them."))
}
