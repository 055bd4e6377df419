package cli

import (
	"cmp"
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

// total is what upstream counts and sums up of a list, beside what is here.
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
	lists, err := countable(a, names, organization)
	if err != nil {
		return err
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
	err = c.show(found.totals, view.Table(found.totals, headOrganization+"  LIST  UPSTREAM  HERE  DIFFERENCE  SUMS  AGREED  NOTE", totalRow).
		Or("No list of these can be asked how many records it has."))
	if err == nil && len(found.differing) > 0 {
		return exit(codeFailed)
	}
	return errors.Join(err, exit(found.code))
}

// byMonth is the word of --by.
const byMonth = "month"

// verifyMonths compares what upstream counts of the months of lists with the rows.
func (c *cli) verifyMonths(ctx context.Context, a *engine.App, names []string, organization organizationFlag) error {
	lists, err := countable(a, names, organization)
	if err != nil {
		return err
	}
	all, code := []engine.Month{}, codeFine
	for _, list := range lists {
		months, err := a.Months(ctx, list, func() error {
			result, err := c.syncStreams(ctx, a, []pipeline.Stream{list})
			if err == nil {
				code = cmp.Or(code, result.code(a.Config.Quarantine.MaxShare))
			}
			return err
		})
		if err != nil {
			return err
		}
		all = append(all, months...)
	}
	err = c.show(all, view.Table(all, headOrganization+"  LIST  MONTH  UPSTREAM  HERE  DIFFERENCE  SUMS  NOTE", func(m *engine.Month) view.Row {
		if m.Note != "" {
			return view.Row{m.Organization, m.List, "", "", "", "", "", m.Note}
		}
		here := "uncertain"
		if m.Ours != nil {
			here = view.Count(*m.Ours)
		}
		return view.Row{m.Organization, m.List, m.Name, view.Count(m.Upstream), here, view.Count(m.Missing()), sumsText(&m.Count), ""}
	}).Or("No list of these can be asked how many records it has."))
	if err == nil && slices.ContainsFunc(all, func(m engine.Month) bool { return m.Missing() != 0 || len(m.Unequal()) > 0 }) {
		return exit(codeFailed)
	}
	return errors.Join(err, exit(code))
}

// countable are the chosen lists that may say how many records they have.
func countable(a *engine.App, names []string, organization organizationFlag) ([]pipeline.Stream, error) {
	key, err := organization.key(a)
	if err != nil {
		return nil, err
	}
	selected, err := a.Select(names, key)
	return slices.DeleteFunc(selected, func(s pipeline.Stream) bool { return s.Work != pipeline.WorkList || !s.Countable() }), err
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
	states, err := standing(ctx, a, "read the counts")
	if err != nil {
		return counted{}, err
	}
	found := counted{totals: make([]total, len(lists)), code: result.code(a.Config.Quarantine.MaxShare)}
	for i, list := range lists {
		t := &found.totals[i]
		*t = total{Organization: list.Organization, List: list.Service.Name + "." + list.Resource.Name, Count: states[list.Key()].Counted}
		switch t.Difference = t.Missing(); {
		case t.Difference != 0, t.Count != nil && len(t.Unequal()) > 0:
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

// repair runs what the counts made due, and what that makes due in turn: looks, the sweeps that looks
// ask for, and then the single records.
func (c *cli) repair(ctx context.Context, a *engine.App, lists []pipeline.Stream) error {
	for range 2 {
		due, err := a.DueSweeps(ctx, lists)
		if err == nil && len(due) > 0 {
			_, err = c.syncStreams(ctx, a, due)
		}
		if err != nil {
			return err
		}
	}
	var details []pipeline.Stream
	for _, list := range lists {
		if list.Resource.Details != nil {
			list.Work = pipeline.WorkDetails
			details = append(details, list)
		}
	}
	if len(details) == 0 {
		return nil
	}
	_, err := c.syncStreams(ctx, a, details)
	return err
}

func totalRow(t *total) view.Row {
	if t.Count == nil {
		return view.Row{t.Organization, t.List, "", "", "", "", "", t.Note}
	}
	here, agreed := "", "never"
	if t.Ours != nil {
		here = view.Count(*t.Ours)
	}
	if t.AgreedAt != nil {
		agreed = view.Minute(*t.AgreedAt, time.UTC)
	}
	return view.Row{t.Organization, t.List, view.Count(t.Upstream), here, view.Count(t.Difference), sumsText(t.Count), agreed, t.Note}
}
