package changes_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// log is a migrated database with connections of several sessions.
type log struct {
	*testing.T

	url   string
	admin *pgx.Conn
}

func open(t *testing.T) *log {
	t.Helper()
	url := warehousetest.Template(t, "migrated", func(ctx context.Context, url string) error {
		return migrations.Migrate(ctx, url, migrations.Options{})
	})
	l := &log{T: t, url: url, admin: warehousetest.Connect(t, url)}
	if renewed, err := changes.Renew(t.Context(), l.admin); err != nil || !renewed { // a copy of a database is another one
		t.Fatalf("the log of a copied database was renewed: %t, %v", renewed, err)
	}
	return l
}

func (l *log) must(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func (l *log) exec(sql string, args ...any) {
	l.Helper()
	_, err := l.admin.Exec(l.Context(), sql, args...)
	l.must(err)
}

// begin opens a transaction of another session, with its number assigned.
func (l *log) begin() pgx.Tx {
	l.Helper()
	tx, err := warehousetest.Connect(l.T, l.url).Begin(l.Context())
	l.must(err)
	_, err = tx.Exec(l.Context(), `SELECT pg_current_xact_id()`)
	l.must(err)
	return tx
}

func (l *log) write(tx changes.Execer, op changes.Op, ids ...string) {
	l.Helper()
	l.must(changes.Write(l.Context(), tx, "1", "shop.things", op, ids))
}

func (l *log) commit(tx pgx.Tx) {
	l.Helper()
	l.must(tx.Commit(l.Context()))
}

func (l *log) now() string {
	l.Helper()
	cursor, err := changes.Now(l.Context(), l.admin)
	l.must(err)
	return cursor
}

// read returns what is behind a cursor, as "new 1,2", and the cursor behind that.
func (l *log) read(cursor string, limit int) ([]string, string) {
	l.Helper()
	found, next, err := changes.Read(l.Context(), l.admin, cursor, limit)
	l.must(err)
	var told []string
	for _, c := range found {
		told = append(told, string(c.Op)+" "+strings.Join(c.Records, ","))
	}
	return told, next
}

func (l *log) expect(what string, got []string, want ...string) {
	l.Helper()
	if !slices.Equal(got, want) {
		l.Errorf("%s: read %q, want %q", what, got, want)
	}
}

// TestALaterCommitIsNotMissed: transactions commit in another order than they began.
func TestALaterCommitIsNotMissed(t *testing.T) {
	t.Parallel()
	l := open(t)
	early, late := l.begin(), l.begin()
	cursor := l.now()
	l.write(early, changes.New, "1")
	l.write(late, changes.New, "2")
	l.commit(late)
	got, cursor := l.read(cursor, 10)
	l.expect("the later transaction committed first", got, "new 2")
	got, cursor = l.read(cursor, 10)
	l.expect("nothing else is committed", got)
	l.commit(early)
	got, cursor = l.read(cursor, 10)
	l.expect("then the earlier one", got, "new 1")
	got, _ = l.read(cursor, 10)
	l.expect("each change once", got)
}

// TestChangesOfARecordComeInTheirOrder: the transaction that began first changes the record last,
// and another one keeps the oldest open number of the database between the two.
func TestChangesOfARecordComeInTheirOrder(t *testing.T) {
	t.Parallel()
	l := open(t)
	cursor := l.now()
	second, others, first := l.begin(), l.begin(), l.begin()
	l.write(first, changes.Deleted, "1")
	l.commit(first)
	l.write(second, changes.Restored, "1")
	l.commit(second)
	got, cursor := l.read(cursor, 10)
	l.expect("both while another transaction is open", got, "deleted 1", "revived 1")
	l.commit(others)
	got, _ = l.read(cursor, 10)
	l.expect("nothing later", got)
}

// TestPagesOfAStep: pages end anywhere, what commits meanwhile comes after the step.
func TestPagesOfAStep(t *testing.T) {
	t.Parallel()
	l := open(t)
	cursor := l.now()
	open := l.begin()
	l.write(open, changes.New, "1")
	for _, id := range []string{"2", "3", "4"} {
		l.write(l.admin, changes.New, id)
	}
	got, cursor := l.read(cursor, 2)
	l.expect("the first page", got, "new 2", "new 3")
	l.commit(open)
	l.write(l.admin, changes.Deleted, "2")
	got, cursor = l.read(cursor, 1)
	l.expect("the last page, full", got, "new 4")
	got, cursor = l.read(cursor, 10)
	l.expect("the next step", got, "new 1", "deleted 2")
	if again, _ := l.read(cursor, 10); len(again) != 0 {
		t.Errorf("read %q twice", again)
	}
}

// TestCursorsThatCannotBeFollowed: each refusal says what to do.
func TestCursorsThatCannotBeFollowed(t *testing.T) {
	t.Parallel()
	l := open(t)
	cursor := l.now()
	refuse := func(what, cursor, because string) {
		t.Helper()
		_, _, err := changes.Read(t.Context(), l.admin, cursor, 10)
		if !errors.Is(err, changes.ErrCursor) || !strings.Contains(err.Error(), because) || !strings.Contains(err.Error(), "analytics.changes_cursor()") {
			t.Errorf("%s: error %v, want %q and what to do", what, err, because)
		}
	}
	parts := strings.Split(cursor, ";")
	for _, damaged := range []string{
		"", "1", "1;", "1;" + parts[1], cursor + ";", cursor + ";1", cursor + ";1:2:;x", cursor + ";;3", "1;" + parts[1] + ";5:3:", "1;" + parts[1] + ";x", "1;;;;;;",
	} {
		refuse("damaged "+damaged, damaged, "damaged")
	}
	refuse("of a later version", "2;"+parts[1]+";"+parts[2], "another version")
	refuse("of another server", "1;7000000000000000000/00000001/5/16400;"+parts[2], "another database")

	// A row that is kept, and one that is not.
	l.write(l.admin, changes.New, "1")
	l.must(changes.Prune(t.Context(), l.admin, 3600e9))
	if got, _ := l.read(cursor, 10); len(got) != 1 {
		t.Errorf("read %q, want the row that is not old", got)
	}
	l.exec(`UPDATE sluice.changes SET at = at - interval '2 hours'`)
	// Tests beside this one have transactions open, in other databases. A cursor that found one
	// open counts as not having read it.
	for open := true; open; {
		l.must(l.admin.QueryRow(t.Context(), `SELECT bool_or(xact >= pg_snapshot_xmin(pg_current_snapshot())) FROM sluice.changes`).Scan(&open))
	}
	behind := l.now()
	l.must(changes.Prune(t.Context(), l.admin, 3600e9))
	refuse("pruned", cursor, "older than the log")
	if got, _ := l.read(behind, 10); len(got) != 0 {
		t.Errorf("read %q behind what was pruned", got)
	}
}

// TestARestoredLogBeginsAnew: its numbers of transactions mean nothing.
func TestARestoredLogBeginsAnew(t *testing.T) {
	t.Parallel()
	l := open(t)
	cursor := l.now()
	l.write(l.admin, changes.New, "1")
	if renewed, err := changes.Renew(t.Context(), l.admin); err != nil || renewed {
		t.Errorf("the log of this database was renewed: %t, %v", renewed, err)
	}
	// A dump of another server, whose numbers were larger.
	l.exec(`UPDATE sluice.change_log SET timeline = 'elsewhere', pruned_to = '900000000'`)
	l.exec(`UPDATE sluice.changes SET xact = '900000001'`)
	if _, err := changes.Now(t.Context(), l.admin); !errors.Is(err, changes.ErrCursor) {
		t.Errorf("a cursor of a log that is not begun: %v", err)
	}
	if _, _, err := changes.Read(t.Context(), l.admin, cursor, 1); err == nil {
		t.Error("a log that is not begun is read")
	}
	renewed, err := changes.Renew(t.Context(), l.admin)
	if err != nil || !renewed {
		t.Fatalf("renewed %t, %v", renewed, err)
	}
	cursor = l.now()
	l.write(l.admin, changes.New, "2")
	got, _ := l.read(cursor, 10)
	l.expect("the new log", got, "new 2")
}

// TestNotes: what a message tells comes with the change, and analysts see no notes of runs.
func TestNotes(t *testing.T) {
	t.Parallel()
	l := open(t)
	cursor := l.now()
	l.must(changes.Write(context.Background(), l.admin, "1", "shop.things", changes.New, nil))
	l.must(changes.Note(t.Context(), l.admin, "1", "shop.things", changes.AfterClose, []string{"1"}, map[string]int{"month": 3}))
	found, _, err := changes.Read(t.Context(), l.admin, cursor, 10)
	if err != nil || len(found) != 1 || string(found[0].Details) != `{"month": 3}` || found[0].Organization != "1" || found[0].Table != "shop.things" || found[0].At.IsZero() {
		t.Errorf("read %+v, %v", found, err)
	}
}
