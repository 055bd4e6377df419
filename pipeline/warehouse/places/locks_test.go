package places_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/places"
	"sluice/pipeline/warehouse/warehousetest"
)

// A search that waits for one table holds no lock on another one, asks for that of a reader, and
// has no number of a transaction: what others wait for is over with the table.
func TestASearchLocksOneTable(t *testing.T) {
	t.Parallel()
	db, url := open(t, planted)
	conn := warehousetest.Connect(t, url)
	tx := check.Sure(conn.Begin(t.Context()))(t)
	defer func() { _ = tx.Rollback(t.Context()) }()
	check.Must(t, check.Failure(tx.Exec(t.Context(), "LOCK TABLE history.days IN ACCESS EXCLUSIVE MODE")))
	ended := make(chan error, 1)
	n := needle(t, "anna.pavlova@example.com")
	go func() {
		_, err := places.Find(t.Context(), db.Pool(), places.Query{Needle: n})
		ended <- err
	}()
	const sqlLocks = `
SELECT format('%s %s %s %s', l.relation::regclass, l.mode, CASE WHEN l.granted THEN 'held' ELSE 'waits' END, a.backend_xid)
FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a USING (pid)
JOIN pg_catalog.pg_class c ON c.oid = l.relation JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()) AND l.pid <> pg_backend_pid()
	AND n.nspname NOT LIKE 'pg_%' AND EXISTS (SELECT FROM pg_catalog.pg_locks w WHERE w.pid = l.pid AND NOT w.granted)`
	var locks []string
	looks := time.NewTicker(10 * time.Millisecond)
	defer looks.Stop()
	for range 6000 {
		<-looks.C
		rows, err := tx.Query(t.Context(), sqlLocks)
		check.Must(t, err)
		if locks, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			t.Fatal(err)
		}
		if len(locks) > 0 {
			break
		}
	}
	check.Same(t, "locks", []string{"history.days AccessShareLock waits "}, locks)
	check.Must(t, tx.Rollback(t.Context()))
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
