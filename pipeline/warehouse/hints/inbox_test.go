package hints_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/hints"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// box is an inbox, and a session of the owner beside it.
type box struct {
	*testing.T
	*hints.Inbox

	url  string
	conn *pgx.Conn
}

func openBox(t *testing.T) *box {
	t.Helper()
	t.Parallel()
	b := &box{T: t, url: warehousetest.Migrated(t)}
	b.conn = warehousetest.Connect(t, b.url)
	b.Inbox = b.open(b.url)
	return b
}

func (b *box) open(url string) *hints.Inbox {
	b.Helper()
	inbox := check.Sure(hints.OpenInbox(b.Context(), url, time.Minute, nil))(b)
	b.Cleanup(inbox.Close)
	return inbox
}

func (b *box) exec(sql string, args ...any) {
	b.Helper()
	check.Must(b, check.Failure(b.conn.Exec(b.Context(), sql, args...)))
}

func (b *box) list(sql string, args ...any) []string {
	b.Helper()
	rows := check.Sure(b.conn.Query(b.Context(), sql, args...))(b)
	return check.Sure(pgx.CollectRows(rows, pgx.RowTo[string]))(b)
}

// callback is one of a channel that tells of the list of bills.
func callback(content string) *hints.Callback {
	return &hints.Callback{
		Organization: "acme", Dialect: "watch", Digest: []byte(content), Module: "Products", Operation: "update", IDs: []string{"1", "2"},
		Bytes: 7, Debounce: 2 * time.Second, MaxWait: 15 * time.Second, Targets: []hints.Target{{Service: "inventory", Resource: "bills"}},
	}
}

func (b *box) remind(operations map[hints.Target]string) {
	b.Helper()
	queue := new(pgx.Batch)
	hints.QueueRemind(queue, "acme", operations)
	check.Must(b, b.conn.SendBatch(b.Context(), queue).Close())
}

func (b *box) take(c *hints.Callback) bool {
	b.Helper()
	return check.Sure(b.Take(b.Context(), c))(b)
}

func TestInbox(t *testing.T) {
	b := openBox(t)
	first, sent := callback("a"), time.UnixMilli(1774000000123)
	first.SentAt, first.Body = sent, "the body"
	rule := callback("b")
	rule.Dialect, rule.Module, rule.IDs, rule.Operation = "rule", "inventory.bills", nil, ""
	other := callback("a")
	other.Organization, other.Targets = "other", nil
	check.ErrorIf(t, !b.take(first) || !b.take(rule) || !b.take(other) || b.take(first), "which contents are new is not as it should be")
	entries := check.Sure(b.Entries(t.Context(), hints.Filter{}))(b)
	shapes := make([]string, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		check.ErrorIf(t, e.RepeatedAt.Before(e.ReceivedAt) || (e.Times > 1) != e.RepeatedAt.After(e.ReceivedAt),
			"arrived %s and %s: %d times", e.ReceivedAt, e.RepeatedAt, e.Times)
		shapes = append(shapes, fmt.Sprintf("%s %s %s %q %q %d %v", e.Organization, e.Dialect, e.Module, e.Operation, e.IDs, e.Times, e.Body))
	}
	want := []string{`acme watch Products "update" ["1" "2"] 2 <nil>`, `other watch Products "update" ["1" "2"] 1 <nil>`, `acme rule inventory.bills "" [] 1 <nil>`}
	check.Same(t, "entries", want, shapes)
	entry := check.Sure(b.Entry(t.Context(), entries[0].ID))(b)
	check.ErrorIf(t, entry.Body == nil || *entry.Body != "the body" || entry.SentAt == nil || !entry.SentAt.Equal(sent) || entry.Bytes != 7,
		"one entry: %+v", entry)
	check.FailsWith(t, check.Failure(b.Entry(t.Context(), 999)), postgres.ErrNotFound)
	for filter, want := range map[hints.Filter]int{
		{Organization: "other"}: 1, {Limit: 2}: 2, {Since: entries[0].RepeatedAt}: 1, {Since: time.Now().Add(time.Hour)}: 0,
	} {
		found, err := b.Entries(t.Context(), filter)
		check.ErrorIf(t, err != nil || len(found) != want, "%+v: %d entries, %v", filter, len(found), err)
	}
	told := check.Sure(b.Told(t.Context()))(b)
	wantTold := []hints.Told{
		{Organization: "acme", Dialect: "rule", Module: "inventory.bills", Callbacks: 1}, {Organization: "acme", Dialect: "watch", Module: "Products", Callbacks: 2},
		{Organization: "other", Dialect: "watch", Module: "Products", Callbacks: 1},
	}
	diff := cmp.Diff(wantTold, told, cmpopts.IgnoreFields(hints.Told{}, "LastAt"))
	check.ErrorIf(t, diff != "" || !told[1].LastAt.Equal(entries[0].RepeatedAt), "told (-want +got):\n%s", diff)
	for _, test := range []struct {
		organization, dialect, content string
		want                           bool
	}{{"acme", "watch", "a", true}, {"acme", "rule", "a", false}, {"acme", "watch", "b", false}, {"none", "watch", "a", false}} {
		got, err := b.Arrived(t.Context(), test.organization, test.dialect, []byte(test.content))
		check.ErrorIf(t, err != nil || got != test.want, "%+v: %t, %v", test, got, err)
	}
}

// TestHintsComeTogether: further callbacks move a hint, up to the longest wait, and one that was
// asked for or read begins anew.
func TestHintsComeTogether(t *testing.T) {
	b := openBox(t)
	due := func() string {
		t.Helper()
		return b.list(`SELECT concat_ws(' ', told, round(extract(epoch FROM due_at - last_at)), asked_at IS NULL, read_again, first_at = last_at) FROM sluice.hints`)[0]
	}
	b.take(callback("a"))
	check.Same(t, "the first", "1 2 t f t", due())
	b.exec(`UPDATE sluice.hints SET first_at = first_at - interval '14 seconds'`)
	b.take(callback("b"))
	got := b.list(`SELECT concat_ws(' ', told, due_at - first_at, asked_at IS NULL, read_again) FROM sluice.hints`)[0]
	check.ErrorIf(t, got != "2 00:00:15 t f", "near the longest wait: %s", got)
	b.exec(`UPDATE sluice.hints SET asked_at = now()`)
	b.take(callback("c"))
	check.Same(t, "while its run reads", "3 2 t f t", due())
	b.exec(`UPDATE sluice.hints SET read_again = true`)
	b.take(callback("d"))
	check.Same(t, "before it is read again", "4 2 t f t", due())
}

// TestRemind makes hints due that were read, are being read, or wait.
func TestRemind(t *testing.T) {
	b := openBox(t)
	b.take(callback("a"))
	b.exec(`UPDATE sluice.hints SET asked_at = now(), read_again = true, due_at = now() + interval '1 hour'`)
	b.remind(map[hints.Target]string{
		{Service: "inventory", Resource: "bills"}: "delete", {Service: "inventory", Resource: "bills", Record: "7"}: "insert",
	})
	got := b.list(`SELECT concat_ws(' ', record_id, operation, told, asked_at IS NULL, read_again, due_at <= clock_timestamp()) FROM sluice.hints ORDER BY record_id`)
	check.Same(t, "hints", []string{" delete 2 t f t", "7 insert 1 t f t"}, got)
	b.remind(nil)
}

// TestPrune deletes what is older than it is kept, by its last arrival.
func TestPrune(t *testing.T) {
	b := openBox(t)
	for _, content := range []string{"old", "repeated", "new"} {
		b.take(callback(content))
	}
	b.exec(`UPDATE sluice.callbacks SET received_at = received_at - interval '15 days', repeated_at = repeated_at - interval '15 days' WHERE digest <> 'new'`)
	b.exec(`UPDATE notifications.events SET told_at = told_at - interval '15 days' WHERE callback_id = 1`)
	b.take(callback("repeated"))
	b.exec(`INSERT INTO notifications.events (organization_id, callback_id, module, record_id, operation, told_at)
		SELECT 'acme', 1, 'Products', n::text, '', now() - interval '20 days' FROM generate_series(1, 12000) AS n`)
	b.exec(`DELETE FROM sluice.hints`)
	b.exec(`INSERT INTO sluice.hints (organization_id, service, resource, record_id, first_at, last_at, due_at)
		SELECT 'acme', 'inventory', 'items', n::text, now() - interval '20 days', now() - n * interval '1 day', now() FROM generate_series(12, 16) AS n`)
	check.Must(b, b.Prune(t.Context(), 14*24*time.Hour))
	got := b.list(`SELECT record_id FROM sluice.hints ORDER BY 1`)
	check.ErrorIf(t, !cmp.Equal(got, []string{"12", "13"}), "hints: %q", got)
	got = b.list(`SELECT convert_from(digest, 'UTF8') FROM sluice.callbacks ORDER BY id`)
	check.ErrorIf(t, !cmp.Equal(got, []string{"repeated", "new"}), "callbacks: %q", got)
	if got := b.list(`SELECT concat_ws(' ', callback_id, count(*)) FROM notifications.events GROUP BY callback_id ORDER BY callback_id`); !cmp.Equal(got, []string{"2 2", "3 2"}) {
		t.Errorf("events: %q", got)
	}
}

// TestAReceiverCanDoNothingElse: a role that grant_receiver made takes callbacks. It reads no
// table, writes none, and calls no other function of the program.
func TestAReceiverCanDoNothingElse(t *testing.T) {
	b := openBox(t)
	role, url := warehousetest.Worker(t, b.url)
	check.FailsWith(t, check.Failure(hints.OpenInbox(t.Context(), url, time.Minute, nil)), hints.ErrNoRight)
	b.exec(`SELECT sluice.grant_receiver($1)`, role)
	inbox := b.open(url)
	fresh, err := inbox.Take(t.Context(), callback("a"))
	check.ErrorIf(t, !fresh || err != nil, "taking a callback: %t, %v", fresh, err)
	if got := b.list(`SELECT concat_ws(' ', (SELECT count(*) FROM sluice.callbacks), (SELECT count(*) FROM sluice.hints), (SELECT count(*) FROM notifications.events))`); got[0] != "1 1 2" {
		t.Errorf("callbacks, hints and events: %s", got)
	}
	const ours = `n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_toast%'`
	tables := b.list(`SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE `+ours+` AND CASE c.relkind WHEN 'S' THEN has_sequence_privilege($1::name, c.oid, 'USAGE, SELECT, UPDATE')
			WHEN 'i' THEN false WHEN 'I' THEN false ELSE has_table_privilege($1::name, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
				OR has_any_column_privilege($1::name, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES') END ORDER BY 1`, role)
	functions := b.list(`SELECT p.proname::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
		WHERE `+ours+` AND has_schema_privilege($1::name, n.oid, 'USAGE') AND has_function_privilege($1::name, p.oid, 'EXECUTE') ORDER BY 1`, role)
	schemas := b.list(`SELECT n.nspname::text FROM pg_namespace n WHERE `+ours+` AND n.nspname <> 'public'
		AND has_schema_privilege($1::name, n.oid, 'USAGE, CREATE') ORDER BY 1`, role)
	check.ErrorIf(t, len(tables) != 0 || !cmp.Equal(functions, []string{"take_callback"}) || !cmp.Equal(schemas, []string{"notifications"}),
		"the role may use the tables %q, the functions %q and the schemas %q", tables, functions, schemas)
	receiver := warehousetest.Connect(t, url)
	for _, sql := range []string{
		`SELECT * FROM sluice.callbacks`, `SELECT * FROM notifications.events`, `SELECT * FROM sluice.tokens`, `SELECT * FROM inventory.bills`,
		`INSERT INTO sluice.hints (organization_id, service, resource, record_id, first_at, last_at, due_at) VALUES ('', '', '', '', now(), transaction_timestamp(), now())`,
		`DELETE FROM notifications.events`, `UPDATE sluice.callbacks SET ids = '{}'`, `TRUNCATE notifications.events`, `SELECT sluice.grant_receiver('public')`,
		`CREATE TABLE notifications.mine ()`, `DROP FUNCTION notifications.take_callback`, `ALTER FUNCTION notifications.take_callback SECURITY INVOKER`,
		`SET ROLE NONE; SELECT * FROM river.river_job`,
	} {
		if _, err := receiver.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "permission denied") && !strings.Contains(err.Error(), "must be owner") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	b.exec(`DROP SCHEMA notifications CASCADE`)
	check.FailsWith(t, check.Failure(hints.OpenInbox(t.Context(), b.url, time.Minute, nil)), hints.ErrNoRight)
}

// TestAWorkerUsesTheInbox: the role of all other commands takes callbacks, reads them and deletes
// old ones.
func TestAWorkerUsesTheInbox(t *testing.T) {
	b := openBox(t)
	role, url := warehousetest.Worker(t, b.url)
	b.exec(`SELECT sluice.grant_worker($1)`, role)
	b.Inbox = b.open(url)
	b.take(callback("a"))
	owner := b.conn
	b.conn = warehousetest.Connect(t, url)
	b.remind(map[hints.Target]string{{Service: "inventory", Resource: "items"}: ""})
	b.conn = owner
	entries, err := b.Entries(t.Context(), hints.Filter{})
	check.ErrorIf(t, err != nil || len(entries) != 1, "%d entries, %v", len(entries), err)
	b.exec(`UPDATE notifications.events SET told_at = '-infinity'`)
	check.Must(b, b.Prune(t.Context(), time.Hour))
	check.ErrorIf(t, len(b.list(`SELECT 'left' FROM notifications.events`)) != 0, "events were not deleted")
}

// TestTheReceiverIsPatientForNoOne: a statement that waits ends by the limit of the session, and
// says so.
func TestTheReceiverIsPatientForNoOne(t *testing.T) {
	b := openBox(t)
	inbox, err := hints.OpenInbox(t.Context(), b.url, 2*time.Second, nil) // the limit of a receiver
	check.Must(b, err)
	t.Cleanup(inbox.Close)
	tx := check.Sure(b.conn.Begin(t.Context()))(b)
	check.Must(b, check.Failure(tx.Exec(t.Context(), `LOCK TABLE sluice.callbacks`)))
	_, err = inbox.Take(t.Context(), callback("a"))
	check.ErrorIf(t, !postgres.Busy(err), "got %v, want that the database is busy", err)
	check.Must(b, tx.Rollback(t.Context()))
}
