package publish_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/cmd/sluice-lake/catalog"
	"sluice/cmd/sluice-lake/publish"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/changes"
)

// cells are two warehouses that publish into the same tables; the first one has the catalog.
func cells(t *testing.T) (a, b *world) { //nolint:nonamedreturns // the names say which is which
	t.Helper()
	a, b = open(t), open(t)
	a.own, b.own = "organization_id IN ('1', '9')", "organization_id IN ('3', '7')"
	b.catalog, b.store, b.folder = a, a.store, a.folder
	b.declare()
	return a, b
}

// another gives a database a word of its own: those of tests are copies of one.
func (w *world) another() {
	w.Helper()
	w.exec(`UPDATE lake.iceberg_namespace_properties SET property_value = 'bbbbbbbb' WHERE property_key = 'lake'`)
}

// TestTwoCellsInOneTable: each cell replaces its own rows only, in buckets that both have, and a
// reader has the rows of both: with changes, deletions, compacting, an erasure, and a publication
// that was killed at many points.
func TestTwoCellsInOneTable(t *testing.T) {
	t.Parallel()
	a, b := cells(t)
	b.another()
	same := func(bills string) {
		t.Helper()
		for _, w := range []*world{a, b} {
			w.equal("inventory.bills")
			w.equal("inventory.bills_line_items")
			if found, err := w.publisher.Verify(t.Context()); err != nil || len(found) != 2 || !found[0].Equal || !found[1].Equal {
				t.Errorf("verified %+v, %v", found, err)
			}
		}
		got := a.read("inventory.bills", `SELECT count(*) FROM {lake}`)[0][0]
		check.ErrorIf(t, got != bills, "both have %s bills, want %s", got, bills)
	}
	a.write(changes.New, "1", sqlBills, "1", "22", "333")
	a.write(changes.New, "9", sqlBills, "1")
	b.write(changes.New, "3", sqlBills, "1", "22")
	b.write(changes.New, "7", sqlBills, "4444")
	a.publish()
	b.publish()
	same("7")
	again := a.publish()
	check.ErrorIf(t, len(again.Tables) > 0, "what the other cell published is a change: %+v", again)
	cut := a.read(publish.Published, `SELECT cell, table_name, snapshot_id, cursor FROM {lake} ORDER BY table_name, cell`)
	check.ErrorIf(t, len(cut) != 4 || cut[0][2] != cut[1][2] || cut[2][2] != cut[3][2] || cut[0][3] == cut[1][3] ||
		!slices.ContainsFunc(cut, func(row []string) bool { return row[0] == "bbbbbbbb" }), "the cut is %q", cut)

	a.write(changes.Changed, "1", sqlChange, "1", "22")
	b.write(changes.Changed, "3", sqlChange, "22")
	b.write(changes.Deleted, "7", `DELETE FROM inventory.bills WHERE organization_id = $1 AND bill_id = ANY ($2)`, "4444")
	a.publish()
	b.publish()
	same("6")
	b.write(changes.New, "7", sqlBills, "5")
	if _, err := b.publisher.PublishWhole(t.Context(), "inventory.bills", "inventory.bills_line_items"); err != nil {
		t.Error(err)
	}
	for _, w := range []*world{a, b} {
		_, err := w.publisher.Compact(t.Context())
		w.must(err)
	}
	same("7")

	const secret = "Jane Person of Example Street"
	b.exec(`UPDATE inventory.bills SET vendor_name = $1 WHERE organization_id = '3' AND bill_id = '1'`, secret)
	b.write(changes.Changed, "3", `SELECT $1::text, $2::text[]`, "1")
	b.publish()
	check.FatalIf(t, len(b.having(secret)) != 1, "no file has the value")
	b.erase("3", "1")
	kills := 0
	for ; b.doom("publish", kills**stride); kills++ {
		b.free()
	}
	if kills < 100 / *stride || len(b.having(secret)) > 0 {
		t.Errorf("after %d kills %d files have the value", kills, len(b.having(secret)))
	}
	same("6")
	if lag, err := changes.LakeLag(t.Context(), b.conn); err != nil || lag == nil || *lag != 0 {
		t.Errorf("the lag of the second cell is %v, %v", lag, err)
	}
	if _, err := b.publisher.Expire(t.Context(), 0); err != nil {
		t.Error(err)
	}
	if found := a.unused(); len(found) > 0 {
		t.Errorf("%d files are left that nothing refers to, such as %q", len(found), found[0])
	}
	same("6")

	// One of them works at a time, whichever it is.
	tx, err := a.pool.Begin(t.Context())
	a.must(err)
	_, err = catalog.Lock(t.Context(), tx, a.store)
	a.must(err)
	_, err = b.publisher.Publish(t.Context())
	check.ErrorIf(t, !errors.Is(err, catalog.ErrBusy), "beside the first cell the second one gets %v", err)
	a.must(tx.Rollback(t.Context()))
}

// TestACopyOfACell publishes nothing into the shared tables: it would replace the cell's rows.
func TestACopyOfACell(t *testing.T) {
	t.Parallel()
	a, b := cells(t)
	a.write(changes.New, "1", sqlBills, "1", "22")
	a.publish()
	b.write(changes.New, "1", sqlBills, "1")
	before := a.files()
	_, err := b.publisher.Publish(t.Context())
	check.ErrorIf(t, !errors.Is(err, publish.ErrCopy), "a copy publishes: %v", err)
	after := a.files()
	check.ErrorIf(t, len(after) != len(before), "%d files became %d", len(before), len(after))
	a.equal("inventory.bills")
}

// TestACopyOfTheWarehouse, with the catalog in it, removes no file of the original, nor does the
// original once the copy took its place.
func TestACopyOfTheWarehouse(t *testing.T) {
	t.Parallel()
	w, other := open(t), open(t)
	other.store, other.folder = w.store, w.folder
	other.declare()
	w.write(changes.New, "1", sqlBills, "1", "22")
	w.publish()
	w.write(changes.Changed, "1", sqlChange, "22")
	// A process that was killed has left a part of the file that says whose the lake is.
	for path := range w.files() {
		if strings.HasSuffix(path, ".owner") {
			content, err := w.store.ReadFile(path)
			w.must(err)
			w.must(w.store.WriteFile(path, content[:len(content)-1]))
		}
	}
	w.publish()
	_, err := w.publisher.Expire(t.Context(), time.Hour)
	check.ErrorIf(t, err != nil, "with a part of that file: %v", err)
	other.write(changes.New, "1", sqlBills, "22", "333")
	other.publish()
	other.equal("inventory.bills")
	refused := func(of *world) {
		t.Helper()
		before := of.files()
		_, err := of.publisher.Expire(t.Context(), 0)
		if !errors.Is(err, publish.ErrCopy) || !strings.Contains(err.Error(), "run sluice-lake take-over") || len(of.files()) != len(before) {
			t.Errorf("%d files became %d: %v", len(before), len(of.files()), err)
		}
	}
	refused(other)
	w.equal("inventory.bills")
	other.erase("1", "22")
	_, err = other.publisher.Publish(t.Context())
	check.ErrorIf(t, !errors.Is(err, publish.ErrCopy), "an erasure of a copy is carried out: %v", err)
	w.equal("inventory.bills")

	w.must(other.publisher.TakeOver(t.Context()))
	refused(w)
	other.publish()
	if done, err := other.publisher.Expire(t.Context(), time.Hour); err != nil {
		t.Errorf("the successor removes nothing: %+v, %v", done, err)
	}
	if found := other.unused(); len(found) > 0 {
		t.Errorf("%d files are left that nothing refers to, such as %q", len(found), found[0])
	}
	other.equal("inventory.bills")
}
