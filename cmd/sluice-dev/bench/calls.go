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
	// single is the path of its single records, of which one call brings atOnce.
	single string
	atOnce int
}

func (l list) stream() string { return l.service + "." + l.resource }

// The two lists that most lines are about, and the services.
const (
	nameItems, nameBills  = "items", "bills"
	accounting, inventory = "accounting", "inventory"
)

// The lists, one for each kind of cursor: items filter by modification time and sort by it, as seen
// live (docs/upstream.md U112). Accounts filter by it, and bills sort by it.
var (
	items    = list{name: nameItems, service: inventory, resource: nameItems, id: "item_id", single: "/inventory/v1/itemdetails", atOnce: oracle.Batch}
	bills    = list{name: nameBills, service: inventory, resource: nameBills, id: "bill_id", single: "/inventory/v1/bills/{id}", atOnce: 1}
	accounts = list{name: "accounts", service: accounting, resource: "chart_of_accounts", id: "account_id"}
)

// moving returns the lists that are read from a watermark.
func moving() []list { return []list{items, bills, accounts} }

// Beginnings of the names of lines about calls, each followed by the name of a list.
const (
	lineFirst   = "calls first "
	lineNone    = "calls none "
	lineAgain   = "calls again "
	lineLook    = "calls look "
	lineSmall   = "calls small "
	lineDetails = "calls details "
)

// lineChanges returns the beginnings of the names of lines about changes. The numbers are those of
// a full measurement; with -quick they are smaller.
func lineChanges() []string { return []string{"calls 1 ", "calls 50 ", "calls 1000 "} }

// callLines returns the lines of the oracle of calls, without measurements. A goal is a number of
// calls, or with ratio a multiple of a clairvoyant's; 0 is none.
func callLines() []line {
	var all []line
	add := func(goal float64, ratio bool, beginning string, lists ...list) {
		for _, l := range lists {
			all = append(all, line{name: beginning + l.name, want: goal, none: goal == 0, most: true, ratio: ratio})
		}
	}
	changes := lineChanges()
	add(1.05, true, lineFirst, items, accounts)
	add(0, false, lineFirst, bills)
	add(0, false, lineNone, moving()...)
	add(0, false, changes[0], moving()...)
	add(0, false, changes[1], moving()...)
	add(1.4, true, changes[2], moving()...)
	add(2, false, lineAgain, moving()...)
	add(3, false, lineLook, moving()...)
	add(1.3, true, lineSmall, moving()...)
	add(0, false, lineDetails, items, bills)
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
		lines   []string
		options sandbox.Options
		measure func(context.Context, *counter) error
	}{
		{
			slices.Concat(lineChanges(), []string{lineFirst, lineNone, lineAgain, lineLook}),
			sandbox.Options{Records: companyOf(p.large), SortsModified: true}, countLarge,
		},
		{[]string{lineSmall}, sandbox.Options{Records: companyOf(p.small), SortsModified: true}, countSmall},
		{[]string{lineDetails}, sandbox.Options{Records: companyOf(p.single), HeadersOnly: true}, countDetails},
	} {
		if !p.wants(part.lines...) {
			continue
		}
		part.options.Limits.Off = true
		part.options.Now = func() time.Time { return time.Now().Add(-behind) }
		err := inWorld(ctx, part.options, nil, func(u *world) error {
			return s.fresh(ctx, func(w *warehouse) error {
				return part.measure(ctx, &counter{plan: p, table: t, warehouse: w, world: u})
			})
		})
		if err != nil {
			return fmt.Errorf("count calls: %w", err)
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
	before, err := c.logged(ctx)
	if err != nil {
		return 0, err
	}
	c.world.ResetStats()
	if _, err := c.warehouse.sync(ctx, c.world, streams...); err != nil {
		return 0, err
	}
	arrived := c.world.Stats().Calls
	after, err := c.logged(ctx)
	calls := after - before
	if err == nil && (calls < arrived || calls > arrived+mostUnsent) {
		err = fmt.Errorf("the sandbox counted %d calls, and the call log has %d", arrived, calls)
	}
	return calls, err
}

// logged counts the calls of the call log. Tokens cost nothing of the allowance.
func (c *counter) logged(ctx context.Context) (int, error) {
	var count int
	err := c.warehouse.do(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT count(*) FROM sluice.calls WHERE resource <> 'token'").Scan(&count)
	})
	return count, err
}

// line measures one line: a sync of a stream, against the fewest calls.
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

// nothingNew is the reason of the clairvoyant's one call.
const nothingNew = "one look: nothing is new"

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
	for _, l := range []list{items, bills} {
		calls := 0
		for _, stream := range []string{l.stream(), l.stream() + ".details"} {
			if _, err := c.sync(ctx, stream); err != nil {
				return err
			}
			calls += c.world.Stats().ByPath[l.single]
		}
		records := len(c.world.Listed(l.service, l.resource))
		reason := fmt.Sprintf("%s, %d a call", view.Plural(records, "single record"), l.atOnce)
		if err := c.note(lineDetails+l.name, calls, oracle.Calls(records, l.atOnce), reason); err != nil {
			return err
		}
	}
	return nil
}

// countLarge measures the life of large lists: their first syncs, changes, and a look for deletions
// when there are none.
func countLarge(ctx context.Context, c *counter) error {
	if err := c.begin(ctx, c.plan.large); err != nil {
		return err
	}
	for _, l := range moving() {
		if err := c.first(ctx, l, lineFirst+l.name); err != nil {
			return err
		}
		if err := c.line(ctx, lineNone+l.name, l.stream(), 1, nothingNew); err != nil {
			return err
		}
	}
	if err := c.changes(ctx); err != nil {
		return err
	}
	c.world.Advance(behind) // rows that are younger than the scan by upstream's clock prove nothing
	for _, l := range moving() {
		if err := c.line(ctx, lineLook+l.name, l.stream()+".look", 1, "one look: nothing is gone"); err != nil {
			return err
		}
	}
	return nil
}

// changes measures runs that find changes, and one that follows at once.
func (c *counter) changes(ctx context.Context) error {
	for n, edits := range c.plan.changes {
		changed := make(map[list]int)
		for _, l := range moving() {
			var err error
			if changed[l], err = c.world.edit(l, edits); err != nil {
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
		for _, l := range moving() {
			fewest, reason := pages(changed[l], "change")
			if err := c.line(ctx, lineChanges()[n]+l.name, l.stream(), fewest, reason); err != nil {
				return err
			}
		}
		if !last { // the next line is not to find these changes again
			c.world.Advance(beyondLag)
			for _, l := range moving() {
				if _, err := c.sync(ctx, l.stream()); err != nil {
					return err
				}
			}
		}
	}
	for _, l := range moving() {
		if err := c.line(ctx, lineAgain+l.name, l.stream(), 1, nothingNew); err != nil {
			return err
		}
	}
	return nil
}
