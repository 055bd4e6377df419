package publish_test

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-lake/catalog"
	"sluice/cmd/sluice-lake/publish"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/changes"
)

// TestOneCut: the tables of a publication are of one instant, and sluice_published says which of
// their snapshots are; the earlier cut stays readable.
func TestOneCut(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write(changes.New, "1", sqlBills, "1", "22")
	result := w.publish()
	cut := w.read(publish.Published, `SELECT table_name, snapshot_id, row_count, cursor FROM {lake} ORDER BY 1`)
	if len(cut) != 2 || cut[0][0] != "inventory.bills" || cut[0][2] != "2" || cut[1][0] != "inventory.bills_line_items" || cut[1][2] != "6" || cut[0][3] != result.Cursor {
		t.Errorf("the cut is %q", cut)
	}
	w.write(changes.Changed, "1", sqlChange, "1")
	w.publish()
	again := w.read(publish.Published, `SELECT table_name, snapshot_id FROM {lake} ORDER BY 1`)
	check.ErrorIf(t, len(again) != 2 || again[0][1] == cut[0][1] || again[1][1] == cut[1][1],
		"after a change the cut is %q, it was %q", again, cut)
	// A reader who follows the log from the cursor of the cut gets nothing that the cut has.
	found, _, err := changes.Read(t.Context(), w.conn, w.read(publish.Published, `SELECT DISTINCT cursor FROM {lake}`)[0][0], 10)
	check.ErrorIf(t, err != nil || len(found) > 0, "behind the cursor of the cut the log has %+v, %v", found, err)
}

// TestChangesUnderWay: a transaction that is open while a publication runs is in a later one.
func TestChangesUnderWay(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write(changes.New, "1", sqlBills, "1")
	w.publish()
	tx, err := w.pool.Begin(t.Context())
	w.must(err)
	_, err = tx.Exec(t.Context(), sqlChange, "1", []string{"1"})
	w.must(err)
	w.must(changes.Write(t.Context(), tx, "1", "inventory.bills", changes.Changed, []string{"1"}))
	w.write(changes.New, "9", sqlBills, "7")
	w.publish()
	w.must(tx.Commit(t.Context()))
	w.publish()
	w.equal("inventory.bills")
	w.equal("inventory.bills_line_items")
}

// TestALogThatWasPruned: the position is gone, so all is published whole, and the result says so.
func TestALogThatWasPruned(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write(changes.New, "1", sqlBills, "1", "22")
	w.publish()
	w.write(changes.Changed, "1", sqlChange, "22")
	w.exec(`DELETE FROM sluice.changes`)
	w.exec(`UPDATE sluice.change_log SET era = era + 1`)
	status, err := w.publisher.Status(t.Context())
	check.ErrorIf(t, err != nil || !strings.Contains(status.Lost, "cursor"), "status %+v, %v", status, err)
	result := w.publish()
	check.ErrorIf(t, !strings.Contains(result.Whole, "Take a new cursor") || len(result.Tables) != 2 || result.Tables[0].How != "whole",
		"published %+v", result)
	w.equal("inventory.bills")
	w.equal("inventory.bills_line_items")
	result = w.publish()
	check.ErrorIf(t, len(result.Tables) > 0 || result.Whole != "", "then published %+v", result)
}

// TestTwoPublishers: the second one says that another works, and writes nothing.
func TestTwoPublishers(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write(changes.New, "1", sqlBills, "1")
	tx, err := w.pool.BeginTx(t.Context(), pgx.TxOptions{})
	w.must(err)
	_, err = catalog.Lock(t.Context(), tx, w.store)
	w.must(err)
	_, err = w.publisher.Publish(t.Context())
	check.ErrorIf(t, !errors.Is(err, catalog.ErrBusy), "a second publisher: %v", err)
	found := w.files()
	check.ErrorIf(t, len(found) > 0, "it wrote %v", found)
	if status, err := w.publisher.Status(t.Context()); err != nil || status.PublishedAt != nil {
		t.Errorf("status beside it: %+v, %v", status, err)
	}
	w.must(tx.Rollback(t.Context()))
	w.publish()
	w.equal("inventory.bills")
}

// TestVerify finds a row that differs, and leaves out what changed since.
func TestVerify(t *testing.T) {
	t.Parallel()
	w := open(t)
	if _, err := w.publisher.Verify(t.Context()); !errors.Is(err, publish.ErrUnpublished) {
		t.Errorf("before a publication: %v", err)
	}
	w.write(changes.New, "1", sqlBills, "1", "22", "333")
	w.write(changes.New, "9", sqlBills, "1")
	w.publish()
	w.write(changes.Changed, "1", sqlChange, "22")
	w.publish()
	verify := func(what string, want map[string]bool, leftOut int) {
		t.Helper()
		found, err := w.publisher.Verify(t.Context())
		w.must(err)
		got := map[string]bool{}
		for _, v := range found {
			if got[v.Table] = v.Equal; v.LeftOut != leftOut || v.Equal && v.Lake.Rows == 0 {
				t.Errorf("%s: %+v", what, v)
			}
		}
		check.ErrorIf(t, !maps.Equal(got, want), "%s: found %v, want %v", what, got, want)
	}
	verify("as published", map[string]bool{"inventory.bills": true, "inventory.bills_line_items": true}, 0)
	w.write(changes.Changed, "1", sqlChange, "333")
	verify("a change since", map[string]bool{"inventory.bills": true, "inventory.bills_line_items": true}, 1)
	w.exec(`UPDATE inventory.bills SET total = total + 0.000000000000000001 WHERE organization_id = '9'`)
	verify("a value that no log tells of", map[string]bool{"inventory.bills": false, "inventory.bills_line_items": true}, 1)
	result, err := w.publisher.PublishWhole(t.Context(), "inventory.bills")
	check.ErrorIf(t, err != nil || len(result.Tables) != 2 || result.Tables[0].How != "whole" || result.Tables[1].How != "changes",
		"whole: %+v, %v", result, err)
	verify("published whole", map[string]bool{"inventory.bills": true, "inventory.bills_line_items": true}, 0)
	w.equal("inventory.bills")
}

// TestNumbersThatDoNotFit stand in full in a column of their own.
func TestNumbersThatDoNotFit(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write(changes.New, "1", sqlBills, "1", "22")
	w.exec(`UPDATE inventory.bills SET total = 1.1234567890123456789, balance = -123456789012345678901234567890 WHERE bill_id = '22'`)
	w.publish()
	got := w.read("inventory.bills", `SELECT bill_id, total::varchar, balance::varchar, _inexact FROM {lake} ORDER BY 1`)
	check.ErrorIf(t, got[0][1] != "1000.050000000000000000" || got[0][3] != "∅" ||
		strings.Join(got[1], " ") != `22 ∅ ∅ {"balance":"-123456789012345678901234567890","total":"1.1234567890123456789"}`, "read %q", got)
	found, err := w.publisher.Verify(t.Context())
	check.ErrorIf(t, err != nil || !found[0].Equal, "verified %+v, %v", found, err)
}

// TestCompacting: what is gone leaves the files, rows stay as they are, and old snapshots and files
// go when they are old.
func TestCompacting(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write(changes.New, "1", sqlBills, "1", "22", "333")
	w.write(changes.New, "9", sqlBills, "1")
	w.publish()
	for range 4 {
		w.write(changes.Changed, "1", sqlChange, "22", "1")
		w.publish()
	}
	w.write(changes.Changed, "1", sqlChange, "333") // both are published by compacting
	w.write(changes.New, "3", sqlBills, "55555")
	_, err := w.publisher.Compact(t.Context())
	w.must(err)
	w.equal("inventory.bills")
	w.equal("inventory.bills_line_items")
	status, err := w.publisher.Status(t.Context())
	w.must(err)
	for _, one := range status.Tables {
		check.ErrorIf(t, one.Deleted != 0 || one.Files != 3 || one.Snapshots < 6, "compacted: %+v", one)
	}
	again, err := w.publisher.Compact(t.Context())
	check.ErrorIf(t, err != nil || len(again.Tables) > 0, "compacting again: %+v, %v", again, err)

	before := len(w.files())
	done, err := w.publisher.Expire(t.Context(), time.Hour)
	check.ErrorIf(t, err != nil || done.Snapshots != 0 || done.Files != 0, "nothing is old: %+v, %v", done, err)
	w.must(w.store.WriteFile(w.store.Root()+"/inventory/left.parquet", []byte("no table's")))
	done, err = w.publisher.Expire(t.Context(), 0)
	check.ErrorIf(t, err != nil || done.Snapshots < 10 || done.Files < before/2, "all is old: %+v of %d files, %v", done, before, err)
	w.equal("inventory.bills")
	w.equal("inventory.bills_line_items")
	w.write(changes.Changed, "9", sqlChange, "1")
	w.publish()
	w.equal("inventory.bills")
}

// TestErasing: after an erasure no file of the lake has the value, whatever snapshot had it.
func TestErasing(t *testing.T) {
	t.Parallel()
	w := open(t)
	const secret = "Jane Person of Example Street"
	w.write(changes.New, "1", sqlBills, "1", "22", "333")
	w.write(changes.New, "9", sqlBills, "4444")
	w.exec(`UPDATE inventory.bills SET vendor_name = $1 WHERE bill_id = '22'`, secret)
	w.publish()
	w.write(changes.Changed, "1", sqlChange, "1")
	w.publish()
	found := w.having(secret)
	check.FatalIf(t, len(found) != 1, "%d files have the value", len(found))
	w.erase("1", "22")
	w.publish()
	found = w.having(secret)
	check.ErrorIf(t, len(found) > 0, "%q still have the value", found)
	w.equal("inventory.bills")
	w.equal("inventory.bills_line_items")
	location := w.location(publish.Published)
	result := w.publish()
	check.ErrorIf(t, len(result.Tables) > 0 || w.location(publish.Published) != location, "the erasure is carried out again: %+v", result)
}

// TestColumns: a new column is added, an older file has null there; a type that became another one
// is refused with what to do.
func TestColumns(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write(changes.New, "1", sqlBills, "1", "22")
	w.publish()
	w.exec(`ALTER TABLE inventory.bills ADD COLUMN mood text`)
	w.redeclare(func(_, _, sql string) (string, bool) { return sql, false }, "inventory.bills", "mood", "text")
	w.publish()
	w.exec(`UPDATE inventory.bills SET mood = 'gay' WHERE bill_id = '22'`)
	w.write(changes.Rewritten, "1", `SELECT $1::text, $2::text[]`, "22")
	w.publish()
	w.equal("inventory.bills")
	got := w.read("inventory.bills", `SELECT bill_id, mood FROM {lake} ORDER BY 1`)
	check.ErrorIf(t, got[0][1] != "∅" || got[1][1] != "gay", "read %q", got)
	// A whole number becomes a longer one.
	w.exec(`ALTER TABLE inventory.bills ADD COLUMN tally integer DEFAULT 7`)
	w.redeclare(func(_, _, sql string) (string, bool) { return sql, false }, "inventory.bills", "tally", "integer")
	w.write(changes.Changed, "1", sqlChange, "1")
	w.publish()
	w.exec(`ALTER TABLE inventory.bills ALTER COLUMN tally TYPE bigint`)
	w.redeclare(func(_, column, _ string) (string, bool) { return "bigint", column == "tally" }, "", "", "")
	w.exec(`UPDATE inventory.bills SET tally = 5000000000 WHERE bill_id = '22'`)
	w.write(changes.Rewritten, "1", `SELECT $1::text, $2::text[]`, "22")
	w.publish()
	got = w.read("inventory.bills", `SELECT bill_id, tally FROM {lake} ORDER BY 1`)
	check.ErrorIf(t, got[0][1] != "7" || got[1][1] != "5000000000", "read %q", got)
	found, err := w.publisher.Verify(t.Context(), "inventory.bills")
	check.ErrorIf(t, err != nil || !found[0].Equal, "verified %+v, %v", found, err)
	w.exec(`ALTER TABLE inventory.bills ALTER COLUMN mood TYPE date USING NULL`)
	w.redeclare(func(_, column, _ string) (string, bool) { return "date", column == "mood" }, "", "", "")
	w.write(changes.Changed, "1", sqlChange, "1")
	if _, err := w.publisher.Publish(t.Context()); !errors.Is(err, publish.ErrShape) || !strings.Contains(err.Error(), "mood is string there and date by its declaration") {
		t.Errorf("another type: %v", err)
	}
}

// TestTheLakeIsWhatTheWarehouseIs: the first copy, changes with lines that come and go, tombstones,
// and rows that are deleted.
func TestTheLakeIsWhatTheWarehouseIs(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.write(changes.New, "1", sqlBills, "1", "22", "333")
	w.write(changes.New, "9", sqlBills, "1", "4444")
	result := w.publish()
	got := len(result.Tables)
	check.ErrorIf(t, got != 2, "%d tables were published: %+v", got, result.Tables)
	same := func(bills, lines int) {
		t.Helper()
		got := w.equal("inventory.bills")
		check.ErrorIf(t, got != bills, "%d bills in the lake, want %d", got, bills)
		got = w.equal("inventory.bills_line_items")
		check.ErrorIf(t, got != lines, "%d lines in the lake, want %d", got, lines)
	}
	same(5, 15)

	w.write(changes.Changed, "1", sqlChange, "22", "333")
	w.write(changes.New, "3", sqlBills, "7")
	w.publish()
	same(6, 16)

	w.write(changes.Changed, "1", sqlChange, "22", "1") // 22 changes again
	w.publish()
	same(6, 15)

	w.write(changes.Deleted, "9", `WITH l AS (UPDATE inventory.bills_line_items SET _deleted_at = now() WHERE organization_id = $1 AND _parent_id = ANY ($2))
		UPDATE inventory.bills SET _deleted_at = now() WHERE organization_id = $1 AND bill_id = ANY ($2)`, "1")
	w.write(changes.Deleted, "1", `DELETE FROM inventory.bills WHERE organization_id = $1 AND bill_id = ANY ($2)`, "333")
	w.publish()
	same(5, 13)

	before, location := w.files(), w.location("inventory.bills")
	result = w.publish()
	check.ErrorIf(t, len(result.Tables) > 0, "nothing changed, and %+v was published", result.Tables)
	if after := w.files(); !maps.Equal(before, after) || w.location("inventory.bills") != location {
		t.Errorf("nothing changed, and %d files became %d", len(before), len(after))
	}
}
