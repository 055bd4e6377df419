//go:build e2e

package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
	bookkeeping "sluice/sandbox/world/ledger"
	"sluice/sandbox/world/ledger/figures"
)

// askedAt is the instant at which the questions are asked: that of the results in the docs.
func askedAt() time.Time { return time.Date(2026, time.November, 26, 9, 0, 0, 0, time.UTC) }

// copiedAt is the instant at which the company was copied first, as its history says it.
func copiedAt() time.Time { return time.Date(2026, time.October, 20, 9, 0, 0, 0, time.UTC) }

// booksFixture is the setting for the thirty questions: three organizations whose books close, each
// with another base currency, two of them under one identifier. Clocks of upstream and of the views
// stand still, and at this instant the organizations have two dates.
type booksFixture struct {
	*fixture

	all []business
	// then is what was open after the first copy, by key of the organization and bill; gone are the
	// bills that were deleted since, back those of them that were restored.
	then       map[string]map[string]figures.Amount
	gone, back map[string][]string
}

// organizationBooks is the oracle of one organization, and what sluice has loaded of it.
type organizationBooks struct {
	figures.Books

	then     map[string]figures.Amount
	gone     []string
	back     []string
	today    figures.Day
	names    map[string]string // of items and locations, by identifier
	bills    map[string]bool   // whose single record is loaded
	payments map[string]bool
	adjusted map[string]bool
	items    map[string]bool
}

// booksResources have all that the questions need. The numbers bound the single records of a run.
const booksResources = `resources:
  inventory.bills: {history: true, calls_per_run: %d}
  inventory.items: {history: true, calls_per_run: %d}
  inventory.credit_notes: {calls_per_run: %d}
  accounting.vendor_payments: {calls_per_run: %d}
  accounting.base_currency_adjustments: {calls_per_run: %d}
  inventory.composite_items: {calls_per_run: 10}
  accounting.expenses: {enabled: true}
  accounting.contact_persons: {calls_per_run: 10}
  invoicing.contact_persons: {enabled: false}
tombstones: {apart: 0s}
`

func newBooks(t *testing.T) *booksFixture {
	t.Helper()
	q := &booksFixture{
		all: []business{
			{key: sandbox.DefaultOrganizationID, name: "first", id: sandbox.DefaultOrganizationID},
			{key: "70099990001", name: "second", id: "70099990001"},
			{key: "first-eu", name: "third", id: sandbox.DefaultOrganizationID, dataCenter: "eu"},
		},
		then: map[string]map[string]figures.Amount{}, gone: map[string][]string{}, back: map[string][]string{},
	}
	q.fixture = newFixture(t, sandbox.Options{
		World: sandbox.WorldBooks, Seed: 5, Records: 300, AsLive: true, Limits: sandbox.Limits{Off: true}, Now: askedAt,
		Organizations: []sandbox.OrganizationOptions{
			{ID: q.all[1].id, Seed: 6, TimeZone: "Europe/Berlin"},
			{ID: q.all[2].id, DataCenter: "eu", Seed: 7, TimeZone: "Pacific/Honolulu"},
		},
	})
	q.configure(q.all)
	q.bound(0)
	text := sure(os.ReadFile(filepath.Join("..", "..", "..", "migrations", "views", "organizations.sql")))(t)
	still := strings.ReplaceAll(string(text), "clock_timestamp()", "'"+askedAt().Format(time.RFC3339)+"'::timestamptz")
	fatalIf(t, still == string(text), "the views take the time from elsewhere")
	q.exec(still)
	return q
}

// bound lets each later run read so many single records of an organization, in percent of a round.
// At least it reads one: no configuration copies a list and no single record of it.
func (q *booksFixture) bound(percent int) {
	q.t.Helper()
	text := sure(os.ReadFile(q.config))(q.t)
	before, _, _ := strings.Cut(string(text), "resources:\n")
	before = strings.ReplaceAll(before, "inventory: {plan: premium}, chat", "inventory: {plan: premium}, invoicing: {plan: free}, chat")
	var calls []any
	for _, most := range []int{48, 10, 8, 30, 4} { // a minute's calls: more are made one by one
		calls = append(calls, max(1, most*percent/100))
	}
	must(q.t, os.WriteFile(q.config, []byte(before+fmt.Sprintf(booksResources, calls...)), 0o600))
}

func (q *booksFixture) hurried(resources ...string) {
	q.t.Helper()
	conn := sure(pgx.Connect(q.t.Context(), q.environment["SLUICE_DATABASE_URL"]))(q.t)
	ctx, stop := context.WithCancel(q.t.Context())
	ended := make(chan error)
	go func() {
		defer func() { ended <- conn.Close(context.WithoutCancel(ctx)) }()
		for tick := time.Tick(100 * time.Millisecond); ctx.Err() == nil; {
			select {
			case <-ctx.Done():
			case <-tick:
				// If it fails, sync waits for the minute to end.
				_, _ = conn.Exec(ctx, `UPDATE sluice.live_calls SET free_at = clock_timestamp() WHERE finished_at IS NOT NULL`)
			}
		}
	}()
	q.sync(codeFine, resources...)
	stop()
	must(q.t, <-ended)
}

// copyHeaders copies all lists, and one single record for each list that shows no lines.
func (q *booksFixture) copyHeaders() {
	q.t.Helper()
	q.hurried("accounting.organizations") // from now on the streams are known
	q.hurried(one[[]string](q.fixture, `SELECT array_agg(DISTINCT service || '.' || resource) FROM sluice.streams
		WHERE resource NOT LIKE '%.details' AND resource NOT LIKE '%.sweep' AND resource NOT LIKE '%.look'
		AND service || '.' || resource NOT IN ('invoicing.contact_persons')`)...)
}

// later is an hour later, as sluice sees it: the next turn of each stream has come. The access
// tokens stay: upstream, whose clock stands still, gives only a few.
func (q *booksFixture) later() {
	q.t.Helper()
	q.pass(2 * time.Hour)
	q.exec(`UPDATE sluice.tokens SET expires_at = expires_at + interval '2 hours'`)
	// What changes upstream has the time of its clock, which stands still, while the dates of its
	// answers go on.
	q.exec(`UPDATE sluice.streams SET watermark = least(watermark, $1)`, askedAt().Add(-time.Hour))
}

// copyDetails copies single records: two fifths of the bills in two rounds.
func (q *booksFixture) copyDetails(rounds int) {
	q.t.Helper()
	q.bound(100)
	for range rounds {
		q.later()
		q.hurried("inventory.bills.details", "inventory.items.details", "inventory.credit_notes.details", "inventory.composite_items.details",
			"accounting.vendor_payments.details", "accounting.base_currency_adjustments.details")
	}
}

func (q *booksFixture) copyAllDetails() {
	q.t.Helper()
	for range 20 {
		q.copyDetails(1)
		if one[int](q.fixture, `SELECT sum(backlog)::int FROM analytics.freshness`) == 0 {
			return
		}
	}
	q.t.Fatal("single records are missing after twenty rounds")
}

// goOn lets the companies live on, and copies what happened. What was copied until now was copied
// weeks ago, as the history says it.
func (q *booksFixture) goOn() {
	q.t.Helper()
	q.loseBills()
	q.backdate()
	q.settle()
	q.change()
	q.settle()
}

func (q *booksFixture) loseBills() {
	q.t.Helper()
	for _, b := range q.all {
		q.then[b.key] = q.openNow(b)
		gone := sure(q.world.Plant(b.id, b.dataCenter, "deletions"))(q.t)
		q.gone[b.key] = gone
	}
}

// change restores one of the deleted bills, enters, edits and pays bills, raises prices, and makes
// the payables account of the last organization differ from its bills by 1.00.
func (q *booksFixture) change() {
	q.t.Helper()
	for _, b := range q.all {
		back := sure(q.world.Plant(b.id, b.dataCenter, "restore"))(q.t)
		q.back[b.key] = back
		sure(q.world.Plant(b.id, b.dataCenter, "price_rises"))(q.t)
		sure(q.world.ChangeOf(b.id, b.dataCenter, sandbox.Change{Seed: 9, Inserts: 3, Edits: 6, Resources: []string{"bills"}}))(q.t)
	}
	last := q.all[len(q.all)-1]
	sure(q.world.Plant(last.id, last.dataCenter, "difference"))(q.t)
}

// settle copies what changed, with two scans that prove what is gone.
func (q *booksFixture) settle() {
	q.t.Helper()
	q.age()
	q.later()
	q.copyHeaders()
	for range 2 {
		q.hurried("inventory.bills.sweep")
	}
	q.hurried("accounting.chart_of_accounts.sweep") // balances move without a modification time
	q.copyAllDetails()
}

// backdate says that the first copy was made weeks ago.
func (q *booksFixture) backdate() {
	since := time.Since(copiedAt()).String()
	q.exec(`UPDATE history.versions SET valid_from = valid_from - $1::interval, valid_to = valid_to - $1::interval, upstream_from = least(upstream_from, valid_from - $1::interval)`, since)
	q.exec(`UPDATE history.periods SET began_at = began_at - $1::interval, asked_at = asked_at - $1::interval`, since)
}

func (q *booksFixture) openNow(b business) map[string]figures.Amount {
	open := map[string]figures.Amount{}
	q.books(b, func(o *organizationBooks) {
		for _, item := range o.OpenItems(o.Ledger.Latest) {
			open[item.Bill] = item.Open
		}
	})
	return open
}

func (q *booksFixture) books(b business, f func(*organizationBooks)) {
	q.t.Helper()
	zone, err := time.LoadLocation(one[string](q.fixture, `SELECT time_zone FROM analytics.organizations WHERE organization_id = $1`, b.key))
	must(q.t, err)
	loaded := func(table, id string) map[string]bool {
		ids := one[[]string](q.fixture, `SELECT coalesce(array_agg(`+id+`), '{}') FROM `+table+` WHERE organization_id = $1 AND _detail_state IN ('current', 'none_needed')`, b.key)
		set := map[string]bool{}
		for _, id := range ids {
			set[id] = true
		}
		return set
	}
	o := &organizationBooks{
		then: q.then[b.key], gone: q.gone[b.key], back: q.back[b.key],
		names: map[string]string{}, today: bookkeeping.DayOf(askedAt().In(zone)), bills: loaded("inventory.bills", "bill_id"), payments: loaded("accounting.vendor_payments", "payment_id"),
		adjusted: loaded("accounting.base_currency_adjustments", "base_currency_adjustment_id"), items: loaded("inventory.items", "item_id"),
	}
	for raw := range q.world.TruthOf(b.id, b.dataCenter, "inventory", "items") {
		item := parse(raw)
		o.names[item.text("item_id")] = item.text("name")
	}
	for raw := range q.world.TruthOf(b.id, b.dataCenter, "inventory", "locations") {
		location := parse(raw)
		o.names[location.text("location_id")] = location.text("location_name")
	}
	must(q.t, q.world.Books(b.id, b.dataCenter, func(books figures.Books) {
		o.Books = books
		f(o)
	}))
}

// each gives the answers for all businesses, each under its key.
func (q *booksFixture) each(of func(*organizationBooks) []row) []row {
	q.t.Helper()
	var rows []row
	for _, b := range q.all {
		q.books(b, func(o *organizationBooks) {
			for _, r := range of(o) {
				rows = append(rows, append(row{b.key}, r...))
			}
		})
	}
	slices.SortStableFunc(rows, func(a, b row) int { return strings.Compare(a[0].(string), b[0].(string)) })
	return rows
}
