package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice/cli/view"
	"sluice/sandbox"
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

// The two lists that most lines are about, and the services.
const (
	nameItems, nameBills  = "items", "bills"
	accounting, inventory = "accounting", "inventory"
)

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

// Names of lines about calls, each followed by the name of a list.
const (
	lineFirst      = "calls first "
	lineSmall      = "calls small "
	lineNone       = "calls none "
	lineAgain      = "calls again "
	lineLook       = "calls look "
	lineNeighbours = "calls neighbours "
	lineDetails    = "calls details "
)

// lineChanges returns the beginnings of the names of lines about changes. The numbers are those of
// a full measurement; with -quick they are smaller.
func lineChanges() []string { return []string{"calls 1 ", "calls 50 ", "calls 1000 "} }

// The parts of measureCalls.
const (
	partLarge    = "large"
	partUnsorted = "unsorted"
	partByType   = "by type"
	partSmall    = "small"
	partDetails  = "details"
)

// callLines returns the lines of the oracle of calls, without measurements.
func callLines() []line {
	const (
		firstLarge, firstSmall, thousand = 1.05, 1.3, 1.4
		again, look, gone                = 2, 3, 40
	)
	var all []line
	add := func(part, name string, goal float64, ratio bool) {
		all = append(all, line{name: name, part: part, want: goal, none: goal == 0, most: true, ratio: ratio})
	}
	changes := lineChanges()
	for _, l := range []list{items, bills, accounts, accountsByType, unsortedItems} {
		part := partLarge
		switch l {
		case accountsByType:
			part = partByType
		case unsortedItems:
			part = partUnsorted
		}
		if l == bills {
			add(part, lineFirst+l.name, 0, true)
		} else {
			add(part, lineFirst+l.name, firstLarge, true)
		}
		add(part, changes[0]+l.name, 0, false)
		add(part, changes[1]+l.name, 0, false)
		add(part, changes[2]+l.name, thousand, true)
		add(part, lineAgain+l.name, again, false)
		if part != partUnsorted {
			add(part, lineNone+l.name, 0, false)
			add(part, lineLook+l.name, look, false)
			add(part, lineNeighbours+l.name, gone, false)
		}
	}
	add(partLarge, lineFirst+notes.name, firstLarge, true)
	add(partLarge, lineNone+notes.name, 0, false)
	for _, l := range moving() {
		add(partSmall, lineSmall+l.name, firstSmall, true)
	}
	add(partDetails, lineDetails+items.name, 0, false)
	add(partDetails, lineDetails+bills.name, 0, false)
	return all
}

// count notes the calls of a line, and those of a clairvoyant with the reason for them.
func (t *table) count(name string, spent, fewest int, reason string) {
	l := t.line(name)
	l.got = []float64{float64(spent)}
	l.figure = fmt.Sprintf("calls, %.2f times the %s of a clairvoyant: %s", float64(spent)/float64(fewest), view.Count(int64(fewest)), reason)
	if l.ratio {
		l.want *= float64(fewest)
	}
}

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
		options sandbox.Options
		measure func(context.Context, *counter) error
	}{
		{partLarge, sandbox.Options{Records: companyOf(p.large), SortsModified: true}, countLarge},
		{partUnsorted, sandbox.Options{Records: companyOf(p.large)}, countUnsorted},
		{partByType, sandbox.Options{AccountsByType: true}, func(ctx context.Context, c *counter) error { return c.whole(ctx, accountsByType) }},
		{partSmall, sandbox.Options{Records: companyOf(p.small), SortsModified: true}, countSmall},
		{partDetails, sandbox.Options{Records: companyOf(p.single), HeadersOnly: true}, countDetails},
	} {
		if !slices.ContainsFunc(t.lines, func(l line) bool { return l.part == part.name && p.wants(l.name) }) {
			continue
		}
		part.options.Limits.Off = true
		part.options.Now = func() time.Time { return time.Now().Add(-behind) }
		err := inWorld(ctx, part.options, func(u *world) error {
			return s.fresh(ctx, func(w *warehouse) error {
				return part.measure(ctx, &counter{plan: p, table: t, warehouse: w, world: u})
			})
		})
		if err != nil {
			return fmt.Errorf("count calls, %s: %w", part.name, err)
		}
		for _, l := range t.lines {
			if l.part == part.name && len(l.got) == 0 {
				return fmt.Errorf("line %q was not measured", l.name)
			}
		}
	}
	return nil
}

// counter counts the calls of one world and one warehouse.
type counter struct {
	plan      *plan
	table     *table
	warehouse *warehouse
	world     *world
}

// mostUnsent is how many calls of one run can be counted that never left: pages that were
// prefetched until the list ended.
const mostUnsent = 5

// sync copies streams and returns their calls, as the call log counts them, before they leave. It
// fails if the sandbox counted more, or fewer than that.
func (c *counter) sync(ctx context.Context, streams ...string) (int, error) {
	const logged = "SELECT count(*) FROM sluice.calls WHERE resource <> 'token'" // tokens cost nothing of the allowance
	var before, after int
	if err := c.read(ctx, logged, nil, &before); err != nil {
		return 0, err
	}
	c.world.ResetStats()
	if _, err := c.warehouse.sync(ctx, c.world, streams...); err != nil {
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
	c.table.count(name, calls, fewest, reason)
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

// unrelated is a short list that no line is about.
const unrelated = "inventory.locations"

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

func countSmall(ctx context.Context, c *counter) error {
	err := c.begin(ctx, c.plan.small)
	for _, l := range moving() {
		if err == nil {
			err = c.first(ctx, l, lineSmall+l.name)
		}
	}
	return err
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
			c.world.Advance(max(behind-c.world.moved, 0))
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
