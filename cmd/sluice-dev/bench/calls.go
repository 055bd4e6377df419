package bench

import (
	"context"
	"fmt"
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

// goals are those of the lines about calls, by their second words: the most calls, or with ratio the
// most as a multiple of those of a clairvoyant. Lines of other words have none, and bills none for
// their first sync.
var goals = map[string]line{
	"first": {want: 1.05, ratio: true}, "small": {want: 1.3, ratio: true}, "1000": {want: 1.4, ratio: true},
	"again": {want: 2}, "look": {want: 3}, "neighbours": {want: 40},
}

// count adds the line about some news of a list, with its calls, and those of a clairvoyant with the
// reason for them.
func (t *table) count(news, list string, spent, fewest int, reason string) {
	l, goal := goals[news]
	if l.ratio {
		l.want *= float64(fewest)
	}
	l.name, l.most, l.none = "calls "+news+" "+list, true, !goal || news == "first" && list == nameBills
	l.figure = fmt.Sprintf("calls, %.2f times the %s of a clairvoyant: %s", float64(spent)/float64(fewest), view.Count(int64(fewest)), reason)
	l.got = []float64{float64(spent)}
	t.lines = append(t.lines, l)
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
		options sandbox.Options
		measure func(context.Context, *counter)
	}{
		{sandbox.Options{Records: companyOf(p.large), SortsModified: true}, countLarge},
		{sandbox.Options{Records: companyOf(p.large)}, countUnsorted},
		{sandbox.Options{AccountsByType: true}, func(ctx context.Context, c *counter) { c.whole(ctx, accountsByType) }},
		{sandbox.Options{Records: companyOf(p.small), SortsModified: true}, countSmall},
		{sandbox.Options{Records: companyOf(p.single), HeadersOnly: true}, countDetails},
	} {
		part.options.Limits.Off = true
		part.options.Now = func() time.Time { return time.Now().Add(-behind) }
		err := s.fresh(ctx, part.options, func(w *warehouse) error {
			c := &counter{warehouse: w, plan: p, table: t}
			part.measure(ctx, c)
			return c.err
		})
		if err != nil {
			return fmt.Errorf("count calls: %w", err)
		}
	}
	return nil
}

// counter counts the calls of one world and one warehouse. It keeps its first error, and does
// nothing after it.
type counter struct {
	*warehouse

	plan  *plan
	table *table
	err   error
}

// then does a piece of work, unless one before it failed.
func (c *counter) then(work func() error) {
	if c.err == nil {
		c.err = work()
	}
}

// mostUnsent is how many calls of one run can be counted that never left: pages that were
// prefetched until the list ended.
const mostUnsent = 5

// sync copies a stream and returns its calls, as the call log counts them, before they leave. It
// fails if the sandbox counted more, or fewer than that.
func (c *counter) sync(ctx context.Context, stream string) int {
	const logged = "SELECT count(*) FROM sluice.calls WHERE resource <> 'token'" // tokens cost nothing of the allowance
	var before, after int
	c.read(ctx, &before, logged)
	c.then(func() error {
		c.world.ResetStats()
		_, err := c.run(ctx, stream)
		return err
	})
	c.read(ctx, &after, logged)
	calls := after - before
	c.then(func() error {
		if arrived := c.world.Stats().Calls; calls < arrived || calls > arrived+mostUnsent {
			return fmt.Errorf("the sandbox counted %d calls, and the call log has %d", arrived, calls)
		}
		return nil
	})
	return calls
}

// read reads one value of the warehouse.
func (c *counter) read(ctx context.Context, into any, sql string, args ...any) {
	c.then(func() error {
		return c.do(ctx, func(conn *pgx.Conn) error { return conn.QueryRow(ctx, sql, args...).Scan(into) })
	})
}

// line measures one line: a sync of a stream of a list, against the fewest calls.
func (c *counter) line(ctx context.Context, news string, l list, stream string, fewest int, reason string) {
	c.note(news, l, c.sync(ctx, stream), fewest, reason)
}

// note notes the calls of a line. Fewer than the fewest say that something else was measured,
// unless pages without a size hold more than the pages that are counted.
func (c *counter) note(news string, l list, calls, fewest int, reason string) {
	c.then(func() error {
		if calls < fewest && l.resource != accounts.resource {
			return fmt.Errorf("%s of %s: %d calls did what takes %d at least", news, l.name, calls, fewest)
		}
		c.table.count(news, l.name, calls, fewest, reason)
		return nil
	})
}

// Reasons of the clairvoyant's calls.
const (
	nothingNew  = "one look: nothing is new"
	nothingGone = "one look: nothing is gone"
)

// pages measures a line of a list against the fewest pages for a number of records.
func (c *counter) pages(ctx context.Context, news string, l list, records int, noun string) {
	reason := fmt.Sprintf("%s, %d a call", view.Plural(records, noun), oracle.Page)
	c.line(ctx, news, l, l.stream(), oracle.Calls(records, oracle.Page), reason)
}

// first measures the first sync of a list.
func (c *counter) first(ctx context.Context, news string, l list) {
	c.pages(ctx, news, l, len(c.world.Listed(l.service, l.resource)), "record")
}

// unrelated is a short list that no line is about.
const unrelated = "inventory.locations"

// begin makes the list of accounts as long as the others, and lets sluice ask who the organization
// is, which it does once.
func (c *counter) begin(ctx context.Context, records int) {
	c.then(func() error { return c.world.grow(accounts, records) })
	c.world.Advance(max(behind-beforeNow-c.world.moved, 0))
	c.sync(ctx, unrelated)
}

func countLarge(ctx context.Context, c *counter) {
	c.whole(ctx, moving()...)
	c.first(ctx, "first", notes)
	c.line(ctx, "none", notes, notes.stream(), 1, nothingNew)
}

func countUnsorted(ctx context.Context, c *counter) {
	c.begin(ctx, c.plan.large)
	c.first(ctx, "first", unsortedItems)
	c.world.Advance(beyondLag)
	c.changes(ctx, unsortedItems)
}

func countSmall(ctx context.Context, c *counter) {
	c.begin(ctx, c.plan.small)
	for _, l := range moving() {
		c.first(ctx, "small", l)
	}
}

// countDetails measures the single records of lists that carry headers. The worker that reads a
// list may begin with them, so their calls are counted by path.
func countDetails(ctx context.Context, c *counter) {
	for l, path := range map[list]string{items: "/inventory/v1/itemdetails", bills: "/inventory/v1/bills/{id}"} {
		calls := 0
		for _, stream := range []string{l.stream(), l.stream() + ".details"} {
			c.sync(ctx, stream)
			calls += c.world.Stats().ByPath[path]
		}
		records := len(c.world.Listed(l.service, l.resource))
		reason := fmt.Sprintf("%s, %d a call", view.Plural(records, "single record"), l.atOnce)
		c.note("details", l, calls, oracle.Calls(records, l.atOnce), reason)
	}
}

// whole measures the life of large lists: their first syncs, changes and deletions.
func (c *counter) whole(ctx context.Context, lists ...list) {
	c.begin(ctx, c.plan.large)
	for _, l := range lists {
		c.first(ctx, "first", l)
		c.line(ctx, "none", l, l.stream(), 1, nothingNew)
	}
	c.changes(ctx, lists...)
	c.world.Advance(behind) // rows that are younger than the scan by upstream's clock prove nothing
	for _, l := range lists {
		c.deletions(ctx, l)
	}
}

// changes measures runs that find changes, and one that follows at once.
func (c *counter) changes(ctx context.Context, lists ...list) {
	news := []string{"1", "50", "1000"} // with -quick the numbers are smaller
	for n, edits := range c.plan.changes {
		changed := make([]int, len(lists))
		for i, l := range lists {
			c.then(func() error {
				var err error
				changed[i], err = c.world.edit(l, edits)
				return err
			})
		}
		last := n+1 == len(c.plan.changes)
		if last { // the next run has to be within the lag by all clocks
			c.world.Advance(max(behind-c.world.moved, 0))
			c.sync(ctx, unrelated) // the jump of the clock ended the token's life
		}
		for i, l := range lists {
			c.pages(ctx, news[n], l, changed[i], "change")
		}
		if !last { // the next line is not to find these changes again
			c.world.Advance(beyondLag)
			for _, l := range lists {
				c.sync(ctx, l.stream())
			}
		}
	}
	for _, l := range lists {
		c.line(ctx, "again", l, l.stream(), 1, nothingNew)
	}
}

// mostLooks bounds the looks for deletions that should be seen.
const mostLooks = 4

// readOne makes one row of a list wait for its single record. The lists of live services carry
// headers, so that single records have been read long before anything is deleted; here the lists
// are complete, and one single record stands for all.
const readOne = `UPDATE %[1]s SET _detail_state = 'stale', _detail_at = NULL WHERE %[2]s = (SELECT min(%[2]s) FROM %[1]s)`

// sqlTombstoned reports whether deleted records have tombstones, and no further look is due soon.
// One is due soon after a look that missed something.
const sqlTombstoned = `SELECT (SELECT count(*) FROM sluice.tombstones
	WHERE service = $1 AND resource = $2 AND record_id = ANY ($3) AND state = 'deleted') = cardinality($3::text[])
	AND next_due_at > now() + interval '2 hours'
	FROM sluice.streams WHERE service = $1 AND resource = $2 || '.sweep'`

// deletions measures a look for deletions when there are none. Then it deletes neighbours in the
// list, and measures the calls until they have their tombstones and the schedule asks for no further
// look because of them.
func (c *counter) deletions(ctx context.Context, l list) {
	// The streams that find deletions, in turn; the first one looks when there are none, too.
	looks := []string{l.stream() + ".look", l.stream() + ".sweep"} // nothing but a second sweep confirms what is missed
	c.line(ctx, "look", l, looks[0], 1, nothingGone)
	if l.details {
		looks[1] = l.stream() + ".details"
		c.then(func() error { return c.postgres.Execute(ctx, c.name, fmt.Sprintf(readOne, l.stream(), l.id)) })
		c.sync(ctx, looks[1])
	}
	ranks, listed := make([]int, c.plan.gone), c.world.Listed(l.service, l.resource)
	for n := range ranks {
		ranks[n] = len(listed)/2 + n
	}
	ids := listed[ranks[0] : ranks[0]+len(ranks)]
	c.then(func() error { return c.world.remove(ctx, l, ids) })
	calls, over := 0, false
	for n := 0; n < mostLooks && !over; n++ {
		for _, stream := range looks {
			calls += c.sync(ctx, stream)
		}
		c.read(ctx, &over, sqlTombstoned, l.service, l.resource, ids)
	}
	c.then(func() error {
		if !over {
			return fmt.Errorf("%d deleted %s have no tombstones after %d looks", len(ids), l.name, mostLooks)
		}
		return nil
	})
	reason := fmt.Sprintf("%s gone: pages that show the gaps, or identifiers, %d a call", view.Count(len(ids)), l.atOnce)
	c.note("neighbours", l, calls, oracle.CallsForGone(ranks, l.atOnce), reason)
}
