package enginetest_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/streams/backfills"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// backfill reads lists again, to the end, and returns what came of it.
func (f *fixture) backfill(lists ...string) []backfills.Backfill {
	f.t.Helper()
	ctx := f.t.Context()
	wanted, err := f.app.Backfills(ctx, lists, "", engine.Days{}, func([]planning.Stream) error { return nil })
	must(f.t, err)
	var ids []int64
	var keys []pipeline.Key
	for i := range wanted {
		id, err := f.app.RequestBackfill(ctx, &wanted[i])
		must(f.t, err)
		ids, keys = append(ids, id), append(keys, wanted[i].Stream.Key())
	}
	queue, err := f.app.StartQueue(context.WithoutCancel(ctx), false)
	must(f.t, err)
	must(f.t, queue.Insert(ctx, keys))
	f.until(`SELECT bool_and(ended_at IS NOT NULL) FROM sluice.backfills WHERE id = ANY ($1)`, ids)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	must(f.t, queue.Stop(stop))
	ended := make([]backfills.Backfill, len(ids))
	for i, id := range ids {
		ended[i], err = f.app.DB.Backfill(ctx, id)
		must(f.t, err)
	}
	return ended
}

// TestBackfillOfEveryKind backfills what is no list of pages: an object, a list of one answer, and
// the lists under parents.
func TestBackfillOfEveryKind(t *testing.T) {
	t.Parallel()
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
		if b := &ended[i]; b.State != "done" || b.Received == 0 || b.Unchanged != b.Received || b.Forecast == nil || *b.Forecast != b.Calls {
			t.Errorf("%+v", b)
		}
	}
	if len(ended) != len(lists) {
		t.Errorf("%d backfills of %d lists", len(ended), len(lists))
	}
	if others := one[int](f, `SELECT count(*) FROM sluice.runs WHERE id > $1 AND class <> 'backfill'`, before); others != 0 {
		t.Errorf("%d runs besides those of the backfills", others)
	}
	if left := one[int](f, `SELECT (SELECT count(*) FROM sluice.streams WHERE resource LIKE '%.backfill'
		AND (enabled OR run_id IS NOT NULL OR scan IS NOT NULL OR requested_gen <> served_gen OR watermark IS NOT NULL))
		+ (SELECT count(*) FROM sluice.runs WHERE ended_at IS NULL)`); left != 0 {
		t.Errorf("%d streams or runs are open behind backfills that are over", left)
	}
}

// TestIdentity: an organization is checked once in six hours, by any process. Another business
// under its id stops its streams until a person decides.
func TestIdentity(t *testing.T) {
	t.Parallel()
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
	if n := looks(); n != 1 || name == "" {
		t.Fatalf("%d looks and the name %q, want one look at the first sync and a name", n, name)
	}
	f.exec(forget)
	f.copies(items)
	if n := looks(); n != 2 {
		t.Errorf("%d looks, want another one after six hours", n)
	}

	f.exec(`UPDATE sluice.organizations SET name = 'Somebody Else'`)
	f.exec(forget)
	for _, r := range f.failing(items) {
		if r.run.Kind != "denied" || !strings.Contains(r.Reason, "sluice organizations accept") || !strings.Contains(r.Reason, name) {
			t.Errorf("another name: %+v, want denied with the name and what to do", r)
		}
	}
	o, err := f.app.ChooseOrganization("number 0")
	must(t, err)
	client, err := f.app.Client()
	must(t, err)
	if seen, err := f.app.Identities(client).Accept(t.Context(), o); err != nil || seen.Name != name {
		t.Fatalf("accepted is %q (error %v), want %q", seen.Name, err, name)
	}
	f.copies(items)
}

// failing syncs streams, each of which has to fail without a record.
func (f *fixture) failing(names ...string) map[string]synced {
	f.t.Helper()
	results := f.sync("", names...)
	for name, r := range results {
		if r.run.Outcome != "failed" || r.run.Received != 0 {
			f.t.Errorf("%s: %+v, want failed without a record", name, r)
		}
	}
	if len(results) == 0 {
		f.t.Error("no stream was synced")
	}
	return results
}

// TestIdentityOfAnotherID: credentials of another business are detected before a single record is
// read.
func TestIdentityOfAnotherID(t *testing.T) {
	t.Parallel()
	const items = "inventory.items"
	f := newFixture(t, sandbox.Options{Seed: 93, Records: 100}, []string{items}, "", single())
	f.config = strings.ReplaceAll(f.config, single().id, "999")
	f.close()
	f.open()
	f.failing(items)
	if known, err := f.app.DB.Organizations(t.Context()); err != nil || len(known) != 0 {
		t.Errorf("organizations that were met: %+v (error %v), want none", known, err)
	}
}
