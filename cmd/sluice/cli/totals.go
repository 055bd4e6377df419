package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/streams"
)

// total is what upstream counts of a list, beside what is here.
type total struct {
	Organization string `json:"organization"`
	List         string `json:"list"`
	*streams.Count

	// Difference is how many records upstream counts more than are here.
	Difference int64 `json:"difference"`
	// Note says why the list was not compared; "" if it was.
	Note string `json:"note,omitempty"`
}

// verifyTotals asks upstream how many records each list has, lets a run read what changed since, and
// compares. With repair it then reads what differs, and compares again.
func (c *cli) verifyTotals(ctx context.Context, a *engine.App, names []string, organization organizationFlag, repair bool) error {
	key, err := organization.key(a)
	if err != nil {
		return err
	}
	selected, err := a.Select(names, key)
	if err != nil {
		return err
	}
	var lists []pipeline.Stream
	for _, stream := range selected {
		if stream.Work == pipeline.WorkList && stream.Countable() {
			lists = append(lists, stream)
		}
	}
	found, err := c.countUntilSure(ctx, a, lists)
	if err == nil && repair && len(found.differing) > 0 {
		if err = c.repair(ctx, a, found.differing); err == nil {
			found, err = c.countUntilSure(ctx, a, lists)
		}
	}
	if err != nil {
		return err
	}
	err = c.show(found.totals, view.Table(found.totals, headOrganization+"  LIST  UPSTREAM  HERE  DIFFERENCE  AGREED  NOTE", totalRow).
		Or("No list of these can be asked how many records it has."))
	if err == nil && len(found.differing) > 0 {
		return exit(codeFailed)
	}
	return errors.Join(err, exit(found.code))
}

// counted is what a round of counts came to: the code is that of the runs that asked.
type counted struct {
	totals    []total
	differing []pipeline.Stream
	code      int
}

// settles is how long it takes until a record that was just created or deleted makes no count
// uncertain.
const settles = 4 * time.Second

// countUntilSure is count, once more a little later if a count was uncertain.
func (c *cli) countUntilSure(ctx context.Context, a *engine.App, lists []pipeline.Stream) (counted, error) {
	found, err := c.count(ctx, a, lists)
	if err != nil || !slices.ContainsFunc(found.totals, func(t total) bool { return t.Count != nil && t.Ours == nil }) {
		return found, err
	}
	select {
	case <-ctx.Done():
		return counted{}, fmt.Errorf("interrupted: %w", context.Cause(ctx))
	case <-time.After(settles):
		return c.count(ctx, a, lists)
	}
}

// count counts lists anew.
func (c *cli) count(ctx context.Context, a *engine.App, lists []pipeline.Stream) (counted, error) {
	keys := make([]pipeline.Key, len(lists))
	for i := range lists {
		keys[i] = lists[i].Key()
	}
	if err := a.DB.CountAnew(ctx, keys); err != nil {
		return counted{}, err
	}
	result, err := c.syncStreams(ctx, a, lists)
	if err != nil {
		return counted{}, err
	}
	states, err := a.DB.Streams(ctx, "")
	if err != nil {
		return counted{}, fmt.Errorf("read the counts: %w", err)
	}
	counts := make(map[pipeline.Key]*streams.Count, len(states))
	for i := range states {
		counts[pipeline.Key{Organization: states[i].Organization, Service: states[i].Service, Resource: states[i].Resource}] = states[i].Counted
	}
	found := counted{totals: make([]total, len(lists)), code: result.code(a.Config.Quarantine.MaxShare)}
	for i, list := range lists {
		t := &found.totals[i]
		*t = total{Organization: list.Organization, List: list.Service.Name + "." + list.Resource.Name, Count: counts[list.Key()]}
		switch t.Difference = t.Missing(); {
		case t.Difference != 0:
			found.differing = append(found.differing, list)
		case t.Count == nil:
			if t.Note, err = a.Uncounted(ctx, list); err != nil {
				return counted{}, err
			}
		case t.Ours == nil:
			t.Note = "uncertain: a record was created meanwhile, is in quarantine without an identifier, or was erased here"
		}
	}
	return found, nil
}

// repair runs what the counts made due: looks and sweeps, and then the single records that these ask
// for.
func (c *cli) repair(ctx context.Context, a *engine.App, lists []pipeline.Stream) error {
	due, err := a.DueSweeps(ctx, lists)
	if err != nil {
		return err
	}
	for _, list := range lists {
		if list.Resource.Details != nil {
			list.Work = pipeline.WorkDetails
			due = append(due, list)
		}
	}
	_, err = c.syncStreams(ctx, a, due)
	return err
}

func totalRow(t *total) view.Row {
	if t.Count == nil {
		return view.Row{t.Organization, t.List, "", "", "", "", t.Note}
	}
	here, agreed := "", "never"
	if t.Ours != nil {
		here = view.Count(*t.Ours)
	}
	if t.AgreedAt != nil {
		agreed = view.Minute(*t.AgreedAt, time.UTC)
	}
	return view.Row{t.Organization, t.List, view.Count(t.Upstream), here, view.Count(t.Difference), agreed, t.Note}
}
