package enginetest_test

import (
	"context"
	"slices"
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
