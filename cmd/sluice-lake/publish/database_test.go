package publish_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/warehousetest"
)

// TestFreshness: the database says how far the lake is, also for those that read no files.
func TestFreshness(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.exec(`INSERT INTO sluice.organizations (organization_id, name) VALUES ('1', 'one')`)
	w.exec(`INSERT INTO sluice.streams (organization_id, service, resource, every) VALUES ('1', 'inventory', 'bills', '1 hour')`)
	lag := func() time.Duration {
		t.Helper()
		found, err := changes.LakeLag(t.Context(), w.conn)
		w.must(err)
		if found == nil {
			return -1
		}
		return *found
	}
	published := func() *time.Time {
		t.Helper()
		var at *time.Time
		w.must(w.conn.QueryRow(t.Context(), `SELECT lake_published_at FROM analytics.freshness WHERE resource = 'inventory.bills'`).Scan(&at))
		return at
	}
	w.write(changes.New, "1", sqlBills, "1")
	if got, at := lag(), published(); got != -1 || at != nil {
		t.Errorf("before a publication the lag is %v, and the lake of %v", got, at)
	}
	result := w.publish()
	if got, at := lag(), published(); got != 0 || at == nil || !at.Equal(result.At) {
		t.Errorf("published at %v, the lag is %v, and the lake of %v", result.At, got, at)
	}
	// A run that ended is no change. A change that is under way counts once it is committed.
	w.exec(`INSERT INTO sluice.changes (at, organization_id, table_name, op, record_ids) VALUES (now() - interval '3 hours', '1', 'inventory.bills', 'finished', '{5}')`)
	tx, err := w.pool.Begin(t.Context())
	w.must(err)
	_, err = tx.Exec(t.Context(), `INSERT INTO sluice.changes (at, organization_id, table_name, op, record_ids) VALUES (now() - interval '2 hours', '1', 'inventory.bills', 'changed', '{1}')`)
	w.must(err)
	again := w.publish()
	if got, at := lag(), published(); got != 0 || at == nil || !at.Equal(again.At) || !again.At.After(result.At) || len(again.Tables) > 0 {
		t.Errorf("nothing changed by %v: the lag is %v, and the lake of %v", again.At, got, at)
	}
	w.must(tx.Commit(t.Context()))
	if got := lag(); got < 2*time.Hour || got > 3*time.Hour {
		t.Errorf("with a change of two hours ago the lag is %v", got)
	}
	w.publish()
	if got := lag(); got != 0 {
		t.Errorf("once it is published the lag is %v", got)
	}
	w.exec(`UPDATE sluice.change_log SET era = era + 1`)
	w.exec(`UPDATE lake.last_publication SET published_at = now() - interval '5 hours'`)
	if got := lag(); got < 5*time.Hour || got > 6*time.Hour {
		t.Errorf("five hours after a publication that cannot be followed the lag is %v", got)
	}
	w.publish()
	if got := lag(); got != 0 {
		t.Errorf("published whole, the lag is %v", got)
	}
}

// TestTheRoleOfThePublisher does everything that the publisher does, and may write no row of the
// warehouse.
func TestTheRoleOfThePublisher(t *testing.T) {
	t.Parallel()
	w := open(t)
	role, url := warehousetest.Worker(t, w.url)
	w.exec(`SELECT sluice.grant_publisher($1)`, role)
	pool, err := pgxpool.New(t.Context(), url)
	w.must(err)
	t.Cleanup(pool.Close)
	owner := w.pool
	w.pool = pool
	w.declare()
	w.pool = owner

	w.write(changes.New, "1", sqlBills, "1", "22", "333")
	w.publish()
	w.write(changes.Changed, "1", sqlChange, "1", "22")
	w.publish()
	w.erase("1", "22")
	w.publish()
	w.equal("inventory.bills")
	w.equal("inventory.bills_line_items")
	if found, err := w.publisher.Verify(t.Context()); err != nil || len(found) != 2 || !found[0].Equal || !found[1].Equal {
		t.Errorf("verified %+v, %v", found, err)
	}
	w.write(changes.Changed, "1", sqlChange, "333")
	if compacted, err := w.publisher.Compact(t.Context()); err != nil || len(compacted.Tables) != 2 {
		t.Errorf("compacted %+v, %v", compacted, err)
	}
	if expired, err := w.publisher.Expire(t.Context(), 0); err != nil || expired.Files == 0 {
		t.Errorf("expired %+v, %v", expired, err)
	}
	if status, err := w.publisher.Status(t.Context()); err != nil || len(status.Tables) != 2 {
		t.Errorf("status %+v, %v", status, err)
	}

	for _, sql := range []string{
		`UPDATE inventory.bills SET total = 1`, `DELETE FROM inventory.bills`, `INSERT INTO sluice.changes SELECT`, `DELETE FROM sluice.changes`,
		`UPDATE sluice.erasures SET note = ''`, `SELECT FROM sluice.tokens`, `SELECT FROM sluice.raw_records`, `SELECT FROM sluice.reader_key`,
		`DELETE FROM lake.iceberg_tables`, `DELETE FROM lake.last_publication`, `CREATE TABLE lake.mine ()`, `CREATE TABLE inventory.mine ()`,
	} {
		if _, err := pool.Exec(t.Context(), sql); !strings.Contains(fmt.Sprint(err), "permission denied") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// erase erases a bill, as sluice erase does.
func (w *world) erase(organization, id string) {
	w.Helper()
	w.must(pgx.BeginFunc(w.Context(), w.conn, func(tx pgx.Tx) error {
		for _, sql := range []string{
			`DELETE FROM inventory.bills WHERE organization_id = $1 AND bill_id = $2`,
			`INSERT INTO sluice.erasures (organization_id, service, resource, subject_hash, note, ended_at, places, digest)
				SELECT $1, 'inventory', 'bills', '\x00', '', clock_timestamp(), '{}', '\x00' WHERE $2::text <> ''`,
		} {
			if _, err := tx.Exec(w.Context(), sql, organization, id); err != nil {
				return err
			}
		}
		return changes.Write(w.Context(), tx, organization, "inventory.bills", changes.Deleted, []string{id})
	}))
}
