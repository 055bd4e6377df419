package enginetest_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/streams/backfills"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// TestJourney runs three syncs: of everything, of what changed, and of nothing.
func TestJourney(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]sandbox.Options{
		"without limits":              {Seed: 11, Records: 1200, Limits: sandbox.Limits{Off: true}},
		"small, with limits":          {Seed: 12, Records: 300},
		"an export without its title": {Seed: 13, Records: 300, NoCSVHeader: true, TimeZone: "America/New_York"},
		"an export in pages":          {Seed: 14, Records: 600, ChatPage: 50, ChatEpoch: true},
	} {
		t.Run(name, func(t *testing.T) {
			newFixture(t, options, sixLists(), "", single()).journey(options.ChatPage > 0)
		})
	}
}

func (f *fixture) journey(paged bool) {
	f.t.Helper()
	f.expect(f.copies(), nil)

	warehousetest.Pass(f.t, f.conn, time.Hour)
	changed := check.Sure(f.world.Change(sandbox.Change{Seed: 3, Inserts: 4, Edits: 9, Deletes: 2}))(f.t)
	f.expect(f.copies(), changed)

	warehousetest.Pass(f.t, f.conn, time.Hour)
	before, calls := f.written(), f.calls()
	third := f.copies()
	f.equal(single(), sixLists()...)
	after := f.written()
	check.ErrorIf(f.t, after != before, "rows written (inserted, updated, deleted) were %v and are %v after a sync of nothing", before, after)
	for name, r := range third {
		check.ErrorIf(f.t, r.run.Inserted+r.run.Updated+r.run.Quarantined > 0, "%s: the third sync says that it wrote: %+v", name, r.run)
		// Credit notes have neither filter nor sort, so they are read whole. So is an export, which
		// may have several answers.
		whole := r.Resource == "credit_notes" || paged && r.Resource == "conversations"
		want := int64(1)
		if strings.HasSuffix(r.Resource, ".details") {
			want = 0 // lists show lines, so no row waits for its single record
		}
		check.ErrorIf(f.t, !whole && r.run.Calls != want, "%s: the third sync cost %d calls, want %d", name, r.run.Calls, want)
	}
	now := f.calls()
	check.ErrorIf(f.t, now <= calls, "%d calls after the third sync, %d before", now, calls)
}

// expect compares a sync's result with upstream and with the changes that were made; nil means that
// everything was new.
func (f *fixture) expect(results map[string]synced, changed sandbox.Changed) {
	f.t.Helper()
	gone, undeclared := f.equal(single(), sixLists()...)
	deleted, lists := 0, 0
	for name, r := range results {
		details := strings.HasSuffix(r.Resource, ".details")
		if !details {
			lists++
		}
		var inserted, updated int64
		if c, ok := changed[r.Resource]; ok {
			inserted, updated = int64(len(c.Inserted)), int64(len(c.Edited))
			deleted += len(c.Deleted)
		} else if !details { // lists show lines, so there are no single records to read
			for range f.world.Truth(r.Service, r.Resource) {
				inserted++
			}
		}
		if r.run.Inserted != inserted || r.run.Updated != updated || r.run.Outcome != "done" || r.State != "idle" || r.run.Quarantined != 0 {
			f.t.Errorf("%s is %s: %+v; want done, %d new and %d changed", name, r.State, r.run, inserted, updated)
		}
	}
	check.Same(f.t, "lists were synced", len(sixLists()), lists)
	check.ErrorIf(f.t, gone != deleted || undeclared != 0,
		"%d rows without a record upstream, want the %d deleted ones; %d with keys that no column takes", gone, deleted, undeclared)
	stats := f.world.Stats()
	if calls := f.calls(); stats.Calls != calls || len(stats.Refused) > 0 {
		f.t.Errorf("the call log has %d calls, upstream counted %d and refused %v", calls, stats.Calls, stats.Refused)
	}
	check.Same(f.t, "token requests in the call log",
		stats.TokenRequests, one[int](f, `SELECT count(*) FROM sluice.calls WHERE resource = 'token'`))
}

// written are the server's counts of writes to the tables of the services.
func (f *fixture) written() [3]int64 {
	f.t.Helper()
	f.close() // a session that has ended has reported what it wrote
	defer f.open()
	f.until(`SELECT count(*) = 0 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`)
	conn, err := pgx.Connect(f.t.Context(), f.conn.Config().ConnString()) // only a new session sees the latest figures
	check.Must(f.t, err)
	var n [3]int64
	check.Must(f.t, conn.QueryRow(f.t.Context(), `SELECT coalesce(sum(n_tup_ins), 0), coalesce(sum(n_tup_upd), 0), coalesce(sum(n_tup_del), 0)
		FROM pg_stat_user_tables WHERE schemaname IN ('accounting', 'inventory', 'chat')`).Scan(&n[0], &n[1], &n[2]))
	check.Must(f.t, conn.Close(f.t.Context()))
	return n
}

// TestDaysGoBy reads more than a day allows: each day's sync goes on where the last one stopped.
func TestDaysGoBy(t *testing.T) {
	const daily, maxDays = 3, 12
	lists := []string{"inventory.items", "inventory.bills"}
	// A look a day takes calls of each.
	f := newFixture(t, sandbox.Options{Seed: 72, Records: 2000, Limits: sandbox.Limits{DailyInventory: daily}}, lists,
		"  inventory.items: {look: off}\n  inventory.bills: {look: off}\n", single())
	waits := func() bool {
		for _, r := range f.sync("", lists...) {
			if r.State == "waiting" {
				return true
			}
		}
		return false
	}
	days := 1
	for ; waits() && days < maxDays; days++ {
		warehousetest.Pass(t, f.conn, 25*time.Hour)
		f.world.Advance(25 * time.Hour)
	}
	f.equal(single(), lists...)
	// Upstream's headers say what is left, so no call is refused.
	stats := f.world.Stats()
	if calls := stats.ByService["inventory"]; days < 3 || days == maxDays || calls > days*daily || len(stats.Refused) > 0 {
		t.Errorf("%d days, %d calls, refused %v: want some days with %d calls at most and no refusal", days, calls, stats.Refused, daily)
	}
}

// backfill reads lists again, to the end, and returns what came of it.
func (f *fixture) backfill(lists ...string) []backfills.Backfill {
	f.t.Helper()
	ctx := f.t.Context()
	wanted := check.Sure(f.app.Backfills(ctx, lists, "", engine.Days{}))(f.t)
	var ids []int64
	var keys []pipeline.Key
	for i := range wanted {
		id := check.Sure(f.app.RequestBackfill(ctx, &wanted[i]))(f.t)
		ids, keys = append(ids, id), append(keys, wanted[i].Stream.Key())
	}
	queue := check.Sure(f.app.StartQueue(context.WithoutCancel(ctx), false))(f.t)
	check.Must(f.t, queue.Insert(ctx, keys))
	f.until(`SELECT bool_and(ended_at IS NOT NULL) FROM sluice.backfills WHERE id = ANY ($1)`, ids)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	check.Must(f.t, queue.Stop(stop))
	ended := make([]backfills.Backfill, len(ids))
	for i, id := range ids {
		ended[i] = check.Sure(f.app.DB.Backfill(ctx, id))(f.t)
	}
	return ended
}

// TestBackfillOfEveryKind backfills what is no list of pages: an object, a list of one answer, and
// the lists under parents.
func TestBackfillOfEveryKind(t *testing.T) {
	lists := []string{"accounting.contact_persons", "accounting.custom_module_records", "accounting.opening_balances", "inventory.locations"}
	parents := []string{"inventory.bills", "inventory.credit_notes", "accounting.vendor_payments"}
	f := newFixture(t, sandbox.Options{Seed: 99, Records: 60, CustomModules: []string{"cm_assets", "cm_vehicles"}, Limits: sandbox.Limits{Off: true}},
		slices.Concat(lists, parents), "", single())
	f.copies()
	warehousetest.Pass(t, f.conn, 2*time.Minute)
	f.copies(lists...)
	warehousetest.Pass(t, f.conn, 2*time.Minute)
	before := one[int64](f, `SELECT max(id) FROM sluice.runs`)
	ended := f.backfill(lists...)
	for i := range ended {
		b := &ended[i]
		check.ErrorIf(t, b.State != "done" || b.Received == 0 || b.Unchanged != b.Received || b.Forecast == nil || *b.Forecast != b.Calls,
			"%+v", b)
	}
	check.ErrorIf(t, len(ended) != len(lists), "%d backfills of %d lists", len(ended), len(lists))
	check.Same(t, "runs besides those of the backfills", 0, one[int](f, `SELECT count(*) FROM sluice.runs WHERE id > $1 AND class <> 'backfill'`, before))
	left := one[int](f, `SELECT (SELECT count(*) FROM sluice.streams WHERE resource LIKE '%.backfill'
		AND (enabled OR run_id IS NOT NULL OR scan IS NOT NULL OR requested_gen <> served_gen OR watermark IS NOT NULL))
		+ (SELECT count(*) FROM sluice.runs WHERE ended_at IS NULL)`)
	check.ErrorIf(t, left != 0, "%d streams or runs are open behind backfills that are over", left)
}

// TestIdentity: an organization is checked once in six hours, by any process. Another business
// under its id stops its streams until a person decides.
func TestIdentity(t *testing.T) {
	const items, taxes = "inventory.items", "inventory.taxes"
	f := newFixture(t, sandbox.Options{Seed: 92, Records: 100}, []string{items, taxes}, "", single())
	looks := func() int {
		t.Helper()
		return one[int](f, `SELECT count(*) FROM sluice.calls WHERE class = 'probe' AND resource = 'organizations'`)
	}
	const forget = `UPDATE sluice.organizations SET checked_at = checked_at - interval '7 hours'`
	f.copies(items, taxes)
	f.close()
	f.open()
	f.copies(items)
	name := one[string](f, `SELECT name FROM sluice.organizations WHERE organization_id = $1`, single().key)
	n := looks()
	check.FatalIf(t, n != 1 || name == "", "%d looks and the name %q, want one look at the first sync and a name", n, name)
	f.exec(forget)
	f.copies(items)
	check.Same(t, "looks, want another one after six hours", 2, looks())

	f.exec(`UPDATE sluice.organizations SET name = 'Somebody Else'`)
	f.exec(forget)
	for _, r := range f.failing(items) {
		check.ErrorIf(t, r.run.Kind != "denied" || !strings.Contains(r.Reason, "sluice organizations accept") ||
			!strings.Contains(r.Reason, name),
			"another name: %+v, want denied with the name and what to do", r)
	}
	o := check.Sure(f.app.ChooseOrganization("number 0"))(t)
	client := check.Sure(f.app.Client())(t)
	seen, err := f.app.Identities(client).Accept(t.Context(), o)
	check.FatalIf(t, err != nil || seen.Name != name, "accepted is %q (error %v), want %q", seen.Name, err, name)
	f.copies(items)
}

// failing syncs streams, each of which has to fail without a record.
func (f *fixture) failing(names ...string) map[string]synced {
	f.t.Helper()
	results := f.sync("", names...)
	for name, r := range results {
		check.ErrorIf(f.t, r.run.Outcome != "failed" || r.run.Received != 0, "%s: %+v, want failed without a record", name, r)
	}
	check.ErrorIf(f.t, len(results) == 0, "no stream was synced")
	return results
}

// TestIdentityOfAnotherID: credentials of another business are detected before a single record is
// read.
func TestIdentityOfAnotherID(t *testing.T) {
	const items = "inventory.items"
	f := newFixture(t, sandbox.Options{Seed: 93, Records: 100}, []string{items}, "", single())
	f.config = strings.ReplaceAll(f.config, single().id, "999")
	f.close()
	f.open()
	f.failing(items)
	known, err := f.app.DB.Organizations(t.Context())
	check.ErrorIf(t, err != nil || len(known) != 0, "organizations that were met: %+v (error %v), want none", known, err)
}
