package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/streams/backfills"
)

// The states of backfills that this package names.
const (
	stateQueued    = "queued"
	stateRunning   = "running"
	statePaused    = "paused"
	stateDone      = "done"
	stateFailed    = "failed"
	stateCancelled = "cancelled"
)

// backfillView is a backfill as commands show it.
type backfillView struct {
	backfills.Backfill

	// CallsLeft is the number of calls that it is expected to need, and DoneAt is when they are
	// made. They are nil if the backfill is over or paused, or if it is unknown.
	CallsLeft *int       `json:"calls_left"`
	DoneAt    *time.Time `json:"done_at"`
}

// views estimates when backfills will be done: those of one service follow one another.
func (c *cli) views(ctx context.Context, a *engine.App, found []backfills.Backfill) ([]backfillView, error) {
	views := make([]backfillView, len(found))
	order := make([]int, len(found))
	for i := range found {
		views[i].Backfill, order[i] = found[i], i
	}
	slices.SortFunc(order, func(x, y int) int { return cmp.Compare(found[x].ID, found[y].ID) })
	asked := make(map[engine.QuotaKey]planning.BackfillCost)
	var supplies *engine.Quotas
	for _, i := range order {
		v := &views[i]
		if v.State != stateQueued && v.State != stateRunning {
			continue
		}
		if supplies == nil {
			var err error
			if supplies, err = a.Quotas(ctx); err != nil {
				return nil, err
			}
		}
		v.CallsLeft = planning.BackfillCallsLeft(&v.Backfill)
		if v.CallsLeft == nil {
			continue
		}
		account := engine.QuotaKey{Organization: v.Organization, Service: v.Service}
		demand := asked[account]
		demand.Calls, demand.Chain = demand.Calls+*v.CallsLeft, demand.Chain+*v.CallsLeft
		asked[account] = demand
		supply, known := supplies.Under(account, demand)
		if known && supply.DoneSeconds != nil {
			v.DoneAt = new(c.env.Now().Add(time.Duration(*supply.DoneSeconds * float64(time.Second))))
		}
	}
	return views, nil
}

// showBackfills lists some backfills in the order in which they are named.
func (c *cli) showBackfills(ctx context.Context, a *engine.App, ids []int64) error {
	found := make([]backfills.Backfill, 0, len(ids))
	for _, id := range ids {
		one, err := a.DB.Backfill(ctx, id)
		if err != nil {
			return fmt.Errorf("read a backfill: %w", err)
		}
		found = append(found, one)
	}
	return c.printBackfills(ctx, a, found)
}

func (c *cli) printBackfills(ctx context.Context, a *engine.App, found []backfills.Backfill) error {
	views, err := c.views(ctx, a, found)
	if err != nil {
		return err
	}
	return c.show(views, tableOfBackfills(a, views, c.env.Now()).Or("There is no such backfill: sluice backfill --help says how to ask for one."))
}

func tableOfBackfills(a *engine.App, views []backfillView, now time.Time) view.Rows {
	return view.Table(views, "BACKFILL  STREAM  RANGE  STATE  WINDOWS  READ  CALLS  REMARK", func(v *backfillView) view.Row {
		return view.Row{
			view.ID(v.ID), streamName(manyOrganizations(a), v.Organization, v.Service, v.Resource), v.between(), v.State,
			fmt.Sprintf("%d of %d", v.WindowsDone, v.Windows), v.Received, v.spent(), v.remark(now, a.Zone(v.Organization)),
		}
	})
}

// between is the range asked for: "date from 2024-01-01 to 2024-12-31".
func (v *backfillView) between() string { return between(v.Column, v.From, v.To) }

func between(column, from, to string) string {
	if column == "" {
		return "all"
	}
	if from != "" {
		column += " from " + from
	}
	if to != "" {
		column += " to " + to
	}
	return column
}

// spent is how many calls it made, of how many forecast: "12 of 40".
func (v *backfillView) spent() string {
	if v.Forecast == nil {
		return view.Count(v.Calls)
	}
	return view.Count(v.Calls) + " of " + view.Count(*v.Forecast)
}

// remark says what a backfill waits for or why it ended, and when it will be done.
func (v *backfillView) remark(now time.Time, zone *time.Location) string {
	var parts []string
	waits := v.StreamState == string(pipeline.StateWaiting)
	switch {
	case v.State == statePaused:
		parts = append(parts, fmt.Sprintf("goes on with sluice backfill resume %d", v.ID))
	case waits && v.Until != nil:
		parts = append(parts, "paused until "+clock(*v.Until, now, zone)+": daily allowance")
	case waits:
		parts = append(parts, "paused: daily allowance")
	case v.State == stateQueued && v.Note != "":
		parts = append(parts, "tried again at "+clock(v.NextDueAt, now, zone)+": "+v.Note)
	default:
		if text := cmp.Or(v.Reason, v.Note); text != "" {
			parts = append(parts, text)
		}
	}
	if v.DoneAt != nil {
		parts = append(parts, "done about "+view.Minute(*v.DoneAt, zone))
	}
	return strings.Join(parts, "; ")
}

// clock writes an instant; within the coming day it leaves out the date.
func clock(at, now time.Time, zone *time.Location) string {
	const day = 24 * time.Hour
	if left := at.Sub(now); left >= 0 && left < day {
		return at.In(zone).Format("15:04 MST")
	}
	return view.Minute(at, zone)
}

// backfillOf reads one backfill.
func (c *cli) backfillOf(ctx context.Context, a *engine.App, id int64) (*backfillView, error) {
	found, err := a.DB.Backfill(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("read the backfill: %w", err)
	}
	views, err := c.views(ctx, a, []backfills.Backfill{found})
	if err != nil {
		return nil, err
	}
	return &views[0], nil
}

func (c *cli) showBackfill(ctx context.Context, a *engine.App, ids []int64) error {
	v, err := c.backfillOf(ctx, a, ids[0])
	if errors.Is(err, warehouse.ErrNotFound) {
		return usage("there is no backfill %d: sluice backfill list shows them", ids[0])
	}
	if err != nil {
		return err
	}
	return c.show(v, view.Text(func(page *view.Page) {
		field, zone := page.Fields(11), a.Zone(v.Organization) //nolint:mnd // two more than "asked for" takes
		field("backfill", "%d", v.ID)
		field("stream", "%s", streamName(true, v.Organization, v.Service, v.Resource))
		field("range", "%s", v.between())
		field("asked for", "%s by %s", view.Minute(v.RequestedAt, zone), v.RequestedBy)
		field("state", "%s", v.State)
		field("windows", "%d of %d", v.WindowsDone, v.Windows)
		field("calls", "%s", v.spent())
		field("records", "%s read: %s new, %s changed, %s unchanged, %s older than their rows, %s in quarantine", view.Count(v.Received),
			view.Count(v.Inserted), view.Count(v.Updated), view.Count(v.Unchanged), view.Count(v.Superseded), view.Count(v.Quarantined))
		field("runs", "%s", strings.Trim(fmt.Sprint(v.Runs), "[]"))
		field("remark", "%s", v.remark(c.env.Now(), zone))
		if v.EndedAt != nil {
			field("ended", "%s", view.Minute(*v.EndedAt, zone))
		}
	}))
}
