package changes_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
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
	t.Parallel()
	url := warehousetest.Migrated(t)
	l := &log{T: t, url: url, admin: warehousetest.Connect(t, url)}
	if renewed, err := changes.Renew(t.Context(), l.admin); err != nil || !renewed { // a copy of a database is another one
		t.Fatalf("the log of a copied database was renewed: %t, %v", renewed, err)
	}
	return l
}

func (l *log) exec(sql string, args ...any) {
	l.Helper()
	check.Must(l, check.Failure(l.admin.Exec(l.Context(), sql, args...)))
}

// begin opens a transaction of another session, with its number assigned.
func (l *log) begin() pgx.Tx {
	l.Helper()
	tx := check.Sure(warehousetest.Connect(l.T, l.url).Begin(l.Context()))(l)
	check.Must(l, check.Failure(tx.Exec(l.Context(), `SELECT pg_current_xact_id()`)))
	return tx
}

func (l *log) write(tx changes.Execer, op changes.Op, ids ...string) {
	l.Helper()
	check.Must(l, changes.Write(l.Context(), tx, "1", "shop.things", op, ids))
}

func (l *log) commit(tx pgx.Tx) {
	l.Helper()
	check.Must(l, tx.Commit(l.Context()))
}

func (l *log) now() string {
	l.Helper()
	return check.Sure(changes.Now(l.Context(), l.admin))(l)
}

// read returns what is behind a cursor, as "new 1,2", and the cursor behind that.
func (l *log) read(cursor string, limit int) ([]string, string) {
	l.Helper()
	found, next, err := changes.Read(l.Context(), l.admin, cursor, limit)
	check.Must(l, err)
	var told []string
	for _, c := range found {
		told = append(told, string(c.Op)+" "+strings.Join(c.Records, ","))
	}
	return told, next
}

func (l *log) expect(what string, got []string, want ...string) {
	l.Helper()
	check.ErrorIf(l, !slices.Equal(got, want), "%s: read %q, want %q", what, got, want)
}

// TestALaterCommitIsNotMissed: transactions commit in another order than they began.
func TestALaterCommitIsNotMissed(t *testing.T) {
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
	again, _ := l.read(cursor, 10)
	check.ErrorIf(t, len(again) != 0, "read %q twice", again)
}

// TestCursorsThatCannotBeFollowed: each refusal says what to do.
func TestCursorsThatCannotBeFollowed(t *testing.T) {
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
	check.Must(l, changes.Prune(t.Context(), l.admin, 3600e9))
	got, _ := l.read(cursor, 10)
	check.ErrorIf(t, len(got) != 1, "read %q, want the row that is not old", got)
	l.exec(`UPDATE sluice.changes SET at = at - interval '2 hours'`)
	// Tests beside this one have transactions open, in other databases. A cursor that found one
	// open counts as not having read it.
	for open := true; open; {
		check.Must(l, l.admin.QueryRow(t.Context(),
			`SELECT bool_or(xact >= pg_snapshot_xmin(pg_current_snapshot())) FROM sluice.changes`).Scan(&open))
	}
	behind := l.now()
	check.Must(l, changes.Prune(t.Context(), l.admin, 3600e9))
	refuse("pruned", cursor, "older than the log")
	got, _ = l.read(behind, 10)
	check.ErrorIf(t, len(got) != 0, "read %q behind what was pruned", got)
}

// TestARestoredLogBeginsAnew: its numbers of transactions mean nothing.
func TestARestoredLogBeginsAnew(t *testing.T) {
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
	check.FatalIf(t, err != nil || !renewed, "renewed %t, %v", renewed, err)
	cursor = l.now()
	l.write(l.admin, changes.New, "2")
	got, _ := l.read(cursor, 10)
	l.expect("the new log", got, "new 2")
}

// TestNotes: what a message tells comes with the change, and analysts see no notes of runs.
func TestNotes(t *testing.T) {
	l := open(t)
	cursor := l.now()
	check.Must(l, changes.Write(context.Background(), l.admin, "1", "shop.things", changes.New, nil))
	check.Must(l, changes.Note(t.Context(), l.admin, "1", "shop.things", changes.AfterClose, []string{"1"}, map[string]int{"month": 3}))
	found, _, err := changes.Read(t.Context(), l.admin, cursor, 10)
	if err != nil || len(found) != 1 || string(found[0].Details) != `{"month": 3}` || found[0].Organization != "1" || found[0].Table != "shop.things" || found[0].At.IsZero() {
		t.Errorf("read %+v, %v", found, err)
	}
}

// TestThePageFollows runs the statements of the page for analysts: they keep a copy that has each
// change once, and none twice.
func TestThePageFollows(t *testing.T) {
	l := open(t)
	page := check.Sure(os.ReadFile("../../../docs/analysts/following-changes.md"))(l)
	blocks := strings.Split(string(page), "```sql\n")
	check.FatalIf(t, len(blocks) != 3, "the page has %d blocks of statements, want two", len(blocks)-1)
	run := func(block string) {
		t.Helper()
		statements, _, _ := strings.Cut(block, "```")
		check.Must(l, l.admin.PgConn().Exec(t.Context(), statements).Close())
	}
	l.exec(`INSERT INTO sluice.organizations (organization_id, name) VALUES ('1', 'Ours')`)
	l.exec(`CREATE SCHEMA mirror`)
	write := func(id, number, line string, op changes.Op) {
		t.Helper()
		check.Must(l, pgx.BeginFunc(t.Context(), l.admin, func(tx pgx.Tx) error {
			for _, sql := range []string{
				`INSERT INTO inventory.bills (organization_id, bill_id, bill_number, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
					VALUES ('1', $1, $2, '\x00', 1, 0, 1, now(), now()) ON CONFLICT (organization_id, bill_id) DO UPDATE SET bill_number = excluded.bill_number`,
				`INSERT INTO inventory.bills_line_items (organization_id, _parent_id, _position, name) VALUES ('1', $1, 0, $2)
					ON CONFLICT (organization_id, _parent_id, _position) DO UPDATE SET name = excluded.name`,
			} {
				value := map[bool]string{true: number, false: line}[strings.Contains(sql, "bill_number")]
				if _, err := tx.Exec(t.Context(), sql, id, value); err != nil {
					return err
				}
			}
			return changes.Write(t.Context(), tx, "1", "inventory.bills", op, []string{id})
		}))
	}
	expect := func(what, want string) {
		t.Helper()
		var got string
		check.Must(l, l.admin.QueryRow(t.Context(),
			`SELECT coalesce(string_agg(format('%s %s %s', b.bill_id, b.bill_number, i.name), ', ' ORDER BY b.bill_id), '')
			FROM mirror.bills b LEFT JOIN mirror.bills_line_items i ON i._parent_id = b.bill_id`).Scan(&got))
		check.ErrorIf(t, got != want, "%s: the copy has %q, want %q", what, got, want)
	}
	write("a", "B-1", "ink", changes.New)
	run(blocks[1])
	expect("begun", "a B-1 ink")
	write("a", "B-1", "paper", changes.Changed)
	write("b", "B-2", "pens", changes.New)
	run(blocks[2])
	expect("followed", "a B-1 paper, b B-2 pens")
	run(blocks[2]) // nothing changed: the cursor of now is saved
	var cursor string
	check.Must(l, l.admin.QueryRow(t.Context(), `SELECT cursor FROM mirror.position`).Scan(&cursor))
	got, _ := l.read(cursor, 10)
	check.ErrorIf(t, len(got) != 0, "%q comes behind what was followed", got)
	write("b", "B-3", "pens", changes.Changed)
	run(blocks[2])
	expect("followed on", "a B-1 paper, b B-3 pens")
}

// TestAnAnswerGoesOnBehindGaps: rows of other tables and numbers that were never used lie between
// rows that are asked for.
func TestAnAnswerGoesOnBehindGaps(t *testing.T) {
	l := open(t)
	l.exec(`INSERT INTO sluice.organizations (organization_id, name) VALUES ('1', 'Ours')`)
	start := l.now()
	l.write(l.admin, changes.New, "1")
	l.exec(`INSERT INTO sluice.changes (organization_id, table_name, op, record_ids) SELECT '1', 'shop.others', 'new', ARRAY[i::text] FROM generate_series(1, 4500) AS i`)
	l.write(l.admin, changes.New, "2")
	l.exec(`SELECT setval(pg_get_serial_sequence('sluice.changes', 'seq'), currval(pg_get_serial_sequence('sluice.changes', 'seq')) + 9000)`)
	l.write(l.admin, changes.New, "3")
	for upTo, want := range map[int]string{1: "1, 2, 3, ", 2: "1 2, 3, ", 3: "1 2 3, ", 4: "1 2 3, "} {
		got := ""
		for cursor, read := start, 1; read > 0; {
			var ids, next string
			check.Must(l, l.admin.QueryRow(t.Context(),
				`SELECT count(*), coalesce(string_agg(record_id, ' ' ORDER BY record_id), ''), coalesce(max(cursor), '')
				FROM analytics.changes($1, '{shop.things}', $2)`, cursor, upTo).Scan(&read, &ids, &next))
			if cursor = next; read > 0 {
				got += ids + ", "
			}
		}
		check.ErrorIf(t, got != want, "answers of %d: %q, want %q", upTo, got, want)
	}
}

// TestOneRowOfARecord: the last of deleted and revived decides, else the strongest op. An answer
// has the tables that were asked for.
func TestOneRowOfARecord(t *testing.T) {
	l := open(t)
	l.exec(`INSERT INTO sluice.organizations (organization_id, name) VALUES ('1', 'Ours'), ('2', 'Theirs')`)
	cursor := l.now()
	for _, w := range []struct {
		op changes.Op
		id string
	}{
		{changes.New, "1"}, {changes.Completed, "1"}, {changes.Changed, "1"}, {changes.Rewritten, "2"}, {changes.Completed, "2"}, {changes.Completed, "3"},
		{changes.Changed, "3"}, {changes.New, "4"}, {changes.Deleted, "4"}, {changes.Deleted, "5"}, {changes.Restored, "5"}, {changes.Changed, "5"},
		{changes.Rewritten, "6"}, {changes.Finished, "7"}, {changes.AfterClose, "8"},
	} {
		l.write(l.admin, w.op, w.id)
	}
	check.Must(l, changes.Write(t.Context(), l.admin, "2", "shop.others", changes.New, []string{"1"}))
	ask := func(tables string, upTo int) string {
		t.Helper()
		var got string
		check.Must(l, l.admin.QueryRow(t.Context(),
			`SELECT coalesce(string_agg(organization_id || ' ' || record_id || ' ' || op, ', ' ORDER BY organization_id, record_id), '')
			FROM analytics.changes($1, $2, $3)`, cursor, tables, upTo).Scan(&got))
		return got
	}
	const want = "1 1 new, 1 2 completed, 1 3 changed, 1 4 deleted, 1 5 revived, 1 6 rewritten"
	check.Same(t, "things", want, ask("{shop.things}", 100))
	check.Same(t, "others", "2 1 new", ask("{shop.others}", 100))
	_, err := l.admin.Exec(t.Context(), `SELECT * FROM analytics.changes($1, NULL, 0)`, cursor)
	check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), "up_to has to be 1 at least"), "an answer of no record: %v", err)
	// A reader of one organization.
	l.exec(`DO $$ BEGIN
		EXECUTE format('CREATE ROLE %I LOGIN', 'sees2_' || current_database());
		EXECUTE format('GRANT USAGE ON SCHEMA analytics TO %I', 'sees2_' || current_database());
		EXECUTE format('GRANT SELECT ON analytics.change_rows TO %I', 'sees2_' || current_database());
		INSERT INTO analytics.readers VALUES ('sees2_' || current_database(), '2'); END $$`)
	t.Cleanup(func() {
		_, _ = l.admin.Exec(context.WithoutCancel(t.Context()), `DO $$ BEGIN RESET ROLE; EXECUTE format('DROP OWNED BY %I', 'sees2_' || current_database());
			EXECUTE format('DROP ROLE %I', 'sees2_' || current_database()); END $$`)
	})
	l.exec(`DO $$ BEGIN EXECUTE format('SET ROLE %I', 'sees2_' || current_database()); END $$`)
	check.Same(t, "a reader of one organization sees", "2 1 new", ask("{shop.things,shop.others}", 100))
	_, err = l.admin.Exec(t.Context(), `SELECT analytics.changes_cursor()`)
	check.ErrorIf(t, err != nil, "a reader takes a cursor: %v", err)
	check.ErrorIf(t, check.Failure(l.admin.Exec(t.Context(), `SELECT * FROM sluice.changes`)) == nil, "a reader of views reads the log itself")
	l.exec(`RESET ROLE`)
}
