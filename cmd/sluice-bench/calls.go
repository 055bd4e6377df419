package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice/cli/view"
	simulated "sluice/sandbox"
	"sluice/sandbox/oracle"
)

// list is a list whose calls are counted.
type list struct {
	name, service, resource, id string
	// atOnce is how many single records one call brings. details says that the program reads single
	// records of the list.
	atOnce  int
	details bool
}

func (l list) stream() string { return l.service + "." + l.resource }

// The two lists that most lines are about.
const nameItems, nameBills = "items", "bills"

// The services of the lists.
const accounting, inventory = "accounting", "inventory"

// The lists, one for each kind of cursor: items filter by modification time and sort by it, as seen
// live (docs/upstream.md U112). Accounts filter by it, bills sort by it, credit notes do neither
// and are read whole. Unsorted items filter alone, as the documents say. Accounts by type come in
// the order seen live, in which a new record may stand anywhere.
var (
	unsortedItems  = list{name: "unsorted items", service: inventory, resource: nameItems, id: "item_id", atOnce: oracle.Batch, details: true}
	items          = list{name: nameItems, service: inventory, resource: nameItems, id: "item_id", atOnce: oracle.Batch, details: true}
	bills          = list{name: nameBills, service: inventory, resource: nameBills, id: "bill_id", atOnce: 1, details: true}
	accounts       = list{name: "accounts", service: accounting, resource: "chart_of_accounts", id: "account_id", atOnce: 1}
	accountsByType = list{name: "accounts by type", service: accounting, resource: "chart_of_accounts", id: "account_id", atOnce: 1}
	notes          = list{name: "credit notes", service: inventory, resource: "credit_notes", id: "creditnote_id", atOnce: 1}
)

// moving returns the lists that are read from a watermark.
func moving() []list { return []list{items, bills, accounts} }

// beforeNow is how far the clock is behind when a measurement begins.
const beforeNow = time.Hour

// beyondLag is a step of the clock after which a watermark passes everything before it.
const beyondLag = 6 * time.Minute

// measureCalls measures the calls that sluice spends against those of a clairvoyant, which knows
// where upstream has news and asks for nothing else. The sandbox counts the calls and knows the
// news. Every count is exact, so one round is enough.
func measureCalls(ctx context.Context, s *stage, p *plan, t *table) error {
	for _, part := range []struct {
		name    string
		options simulated.Options
		measure func(context.Context, *counter) error
	}{
		{partLarge, simulated.Options{Records: companyOf(p.large), SortsModified: true}, countLarge},
		{partUnsorted, simulated.Options{Records: companyOf(p.large)}, countUnsorted},
		{partByType, simulated.Options{AccountsByType: true}, countByType},
		{partSmall, simulated.Options{Records: companyOf(p.small), SortsModified: true}, countSmall},
		{partDetails, simulated.Options{Records: companyOf(p.single), HeadersOnly: true}, countDetails},
		{partLimit, simulated.Options{Records: companyOf(p.large), SortsModified: true, Limits: simulated.Limits{Minute: p.minute}}, countSeconds},
	} {
		if !slices.ContainsFunc(t.calls, func(l callLine) bool { return l.part == part.name && p.wants(l.name) }) {
			continue
		}
		part.options.Limits.Off = part.options.Limits.Minute == 0
		err := inWorld(ctx, part.options, func(u *world) error {
			return s.fresh(ctx, func(w *warehouse) error {
				return part.measure(ctx, &counter{plan: p, table: t, warehouse: w, world: u})
			})
		})
		if err != nil {
			return fmt.Errorf("count calls, %s: %w", part.name, err)
		}
		for _, l := range t.calls {
			if l.part == part.name && !l.measured {
				return fmt.Errorf("line %q was not measured", l.name)
			}
		}
	}
	return nil
}

// companyOf returns the records of a company with so many items.
func companyOf(items int) int { return (items*100 + sharePercent - 1) / sharePercent }

// counter counts the calls of one world and one warehouse.
type counter struct {
	plan      *plan
	table     *table
	warehouse *warehouse
	world     *world
}

// sync copies streams and returns their calls.
func (c *counter) sync(ctx context.Context, streams ...string) (int, error) {
	return c.spent(ctx, func() error {
		_, _, err := c.warehouse.sync(ctx, &c.world.address, streams...)
		return err
	})
}

// mostUnsent is how many calls of one run can be counted that never left: pages that were
// prefetched until the list ended.
const mostUnsent = 5

// spent returns the calls of some work, as the call log counts them, before they leave. It fails if
// the sandbox counted more, or fewer than that.
func (c *counter) spent(ctx context.Context, work func() error) (int, error) {
	const logged = "SELECT count(*) FROM sluice.calls WHERE resource <> 'token'" // tokens cost nothing of the allowance
	var before, after int
	if err := c.read(ctx, logged, nil, &before); err != nil {
		return 0, err
	}
	c.world.ResetStats()
	if err := work(); err != nil {
		return 0, err
	}
	arrived := c.world.Stats().Calls
	if err := c.read(ctx, logged, nil, &after); err != nil {
		return 0, err
	}
	calls := after - before
	if calls < arrived || calls > arrived+mostUnsent {
		return 0, fmt.Errorf("the sandbox counted %d calls, and the call log has %d", arrived, calls)
	}
	return calls, nil
}

// read reads one row of the warehouse.
func (c *counter) read(ctx context.Context, sql string, args []any, into ...any) error {
	return c.warehouse.do(ctx, func(conn *pgx.Conn) error {
		if err := conn.QueryRow(ctx, sql, args...).Scan(into...); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
		return nil
	})
}

// line measures one line: a sync of a list, against the fewest calls.
func (c *counter) line(ctx context.Context, name, stream string, fewest int, reason string) error {
	calls, err := c.sync(ctx, stream)
	if err != nil {
		return err
	}
	return c.note(name, calls, fewest, reason)
}

// note notes the calls of a line. Fewer than the fewest say that something else was measured,
// unless pages without a size hold more than the pages that are counted.
func (c *counter) note(name string, calls, fewest int, reason string) error {
	if calls < fewest && !strings.Contains(name, accounts.name) {
		return fmt.Errorf("line %q: %d calls did what takes %d at least", name, calls, fewest)
	}
	c.table.count(name, float64(calls), float64(fewest), reason)
	return nil
}

// Reasons of the clairvoyant's calls.
const (
	nothingNew  = "one look: nothing is new"
	nothingGone = "one look: nothing is gone"
)

// pages returns the fewest pages for a number of records, and the reason.
func pages(records int, noun string) (int, string) {
	return oracle.Calls(records, oracle.Page), fmt.Sprintf("%s, %d a call", view.Plural(records, noun), oracle.Page)
}

// first measures the first sync of a list.
func (c *counter) first(ctx context.Context, l list, name string) error {
	fewest, reason := pages(len(c.world.Listed(l.service, l.resource)), "record")
	return c.line(ctx, name, l.stream(), fewest, reason)
}

// begin makes the list of accounts as long as the others, and lets sluice ask who the organization
// is, which it does once.
func (c *counter) begin(ctx context.Context, records int) error {
	if err := c.world.grow(accounts, records); err != nil {
		return err
	}
	c.world.Advance(max(behind-beforeNow-c.world.moved, 0))
	_, err := c.sync(ctx, unrelated)
	return err
}

// unrelated is a short list that no line is about.
const unrelated = "inventory.locations"

func countLarge(ctx context.Context, c *counter) error {
	err := c.whole(ctx, moving()...)
	if err == nil {
		err = c.first(ctx, notes, lineFirst+notes.name)
	}
	if err == nil {
		err = c.line(ctx, lineNone+notes.name, notes.stream(), 1, nothingNew)
	}
	return err
}

func countUnsorted(ctx context.Context, c *counter) error {
	err := c.begin(ctx, c.plan.large)
	if err == nil {
		err = c.first(ctx, unsortedItems, lineFirst+unsortedItems.name)
	}
	if err == nil {
		c.world.Advance(beyondLag)
		err = c.changes(ctx, unsortedItems)
	}
	return err
}

func countByType(ctx context.Context, c *counter) error { return c.whole(ctx, accountsByType) }

// whole measures the life of large lists: their first syncs, changes and deletions.
func (c *counter) whole(ctx context.Context, lists ...list) error {
	if err := c.begin(ctx, c.plan.large); err != nil {
		return err
	}
	for _, l := range lists {
		if err := c.first(ctx, l, lineFirst+l.name); err != nil {
			return err
		}
		if err := c.line(ctx, lineNone+l.name, l.stream(), 1, nothingNew); err != nil {
			return err
		}
	}
	if err := c.changes(ctx, lists...); err != nil {
		return err
	}
	return c.deletions(ctx, lists...)
}

func countSmall(ctx context.Context, c *counter) error {
	if err := c.begin(ctx, c.plan.small); err != nil {
		return err
	}
	for _, l := range moving() {
		if err := c.first(ctx, l, lineSmall+l.name); err != nil {
			return err
		}
	}
	return nil
}

// changes measures runs that find changes, and one that follows at once.
func (c *counter) changes(ctx context.Context, lists ...list) error {
	for n, edits := range c.plan.changes {
		changed := make([]int, len(lists))
		for i, l := range lists {
			var err error
			if changed[i], err = c.world.edit(l, edits); err != nil {
				return err
			}
		}
		last := n+1 == len(c.plan.changes)
		if last { // the next run has to be within the lag by all clocks
			c.world.catchUp()
			if _, err := c.sync(ctx, unrelated); err != nil { // the jump of the clock ended the token's life
				return err
			}
		}
		for i, l := range lists {
			fewest, reason := pages(changed[i], "change")
			if err := c.line(ctx, lineChanges()[n]+l.name, l.stream(), fewest, reason); err != nil {
				return err
			}
		}
		if !last { // the next line is not to find these changes again
			c.world.Advance(beyondLag)
			for _, l := range lists {
				if _, err := c.sync(ctx, l.stream()); err != nil {
					return err
				}
			}
		}
	}
	for _, l := range lists {
		if err := c.line(ctx, lineAgain+l.name, l.stream(), 1, nothingNew); err != nil {
			return err
		}
	}
	return nil
}

// countDetails measures the single records of lists that carry headers. The worker that reads a
// list may begin with them, so their calls are counted by path.
func countDetails(ctx context.Context, c *counter) error {
	for l, path := range map[list]string{items: "/inventory/v1/itemdetails", bills: "/inventory/v1/bills/{id}"} {
		calls := 0
		for _, stream := range []string{l.stream(), l.stream() + ".details"} {
			if _, err := c.sync(ctx, stream); err != nil {
				return err
			}
			calls += c.world.Stats().ByPath[path]
		}
		records := len(c.world.Listed(l.service, l.resource))
		reason := fmt.Sprintf("%s, %d a call", view.Plural(records, "single record"), l.atOnce)
		if err := c.note(lineDetails+l.name, calls, oracle.Calls(records, l.atOnce), reason); err != nil {
			return err
		}
	}
	return nil
}
