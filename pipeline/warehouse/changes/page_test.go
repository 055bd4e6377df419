package changes_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/changes"
)

// TestThePageFollows runs the statements of the page for analysts: they keep a copy that has each
// change once, and none twice.
func TestThePageFollows(t *testing.T) {
	t.Parallel()
	l := open(t)
	page, err := os.ReadFile("../../../docs/analysts/following-changes.md")
	l.must(err)
	blocks := strings.Split(string(page), "```sql\n")
	if len(blocks) != 3 {
		t.Fatalf("the page has %d blocks of statements, want two", len(blocks)-1)
	}
	run := func(block string) {
		t.Helper()
		statements, _, _ := strings.Cut(block, "```")
		l.must(l.admin.PgConn().Exec(t.Context(), statements).Close())
	}
	l.exec(`INSERT INTO sluice.organizations (organization_id, name) VALUES ('1', 'Ours')`)
	l.exec(`CREATE SCHEMA mirror`)
	write := func(id, number, line string, op changes.Op) {
		t.Helper()
		l.must(pgx.BeginFunc(t.Context(), l.admin, func(tx pgx.Tx) error {
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
		l.must(l.admin.QueryRow(t.Context(), `SELECT coalesce(string_agg(format('%s %s %s', b.bill_id, b.bill_number, i.name), ', ' ORDER BY b.bill_id), '')
			FROM mirror.bills b LEFT JOIN mirror.bills_line_items i ON i._parent_id = b.bill_id`).Scan(&got))
		if got != want {
			t.Errorf("%s: the copy has %q, want %q", what, got, want)
		}
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
	l.must(l.admin.QueryRow(t.Context(), `SELECT cursor FROM mirror.position`).Scan(&cursor))
	if got, _ := l.read(cursor, 10); len(got) != 0 {
		t.Errorf("%q comes behind what was followed", got)
	}
	write("b", "B-3", "pens", changes.Changed)
	run(blocks[2])
	expect("followed on", "a B-1 paper, b B-3 pens")
}

// TestAnAnswerGoesOnBehindGaps: rows of other tables and numbers that were never used lie between
// rows that are asked for.
func TestAnAnswerGoesOnBehindGaps(t *testing.T) {
	t.Parallel()
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
			l.must(l.admin.QueryRow(t.Context(), `SELECT count(*), coalesce(string_agg(record_id, ' ' ORDER BY record_id), ''), coalesce(max(cursor), '')
				FROM analytics.changes($1, '{shop.things}', $2)`, cursor, upTo).Scan(&read, &ids, &next))
			if cursor = next; read > 0 {
				got += ids + ", "
			}
		}
		if got != want {
			t.Errorf("answers of %d: %q, want %q", upTo, got, want)
		}
	}
}

// TestOneRowOfARecord: the last of deleted and revived decides, else the strongest op. An answer
// has the tables that were asked for.
func TestOneRowOfARecord(t *testing.T) {
	t.Parallel()
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
	l.must(changes.Write(t.Context(), l.admin, "2", "shop.others", changes.New, []string{"1"}))
	ask := func(tables string, upTo int) string {
		t.Helper()
		var got string
		l.must(l.admin.QueryRow(t.Context(), `SELECT coalesce(string_agg(organization_id || ' ' || record_id || ' ' || op, ', ' ORDER BY organization_id, record_id), '')
			FROM analytics.changes($1, $2, $3)`, cursor, tables, upTo).Scan(&got))
		return got
	}
	const want = "1 1 new, 1 2 completed, 1 3 changed, 1 4 deleted, 1 5 revived, 1 6 rewritten"
	if got := ask("{shop.things}", 100); got != want {
		t.Errorf("things: %s, want %s", got, want)
	}
	if got := ask("{shop.others}", 100); got != "2 1 new" {
		t.Errorf("others: %s", got)
	}
	if _, err := l.admin.Exec(t.Context(), `SELECT * FROM analytics.changes($1, NULL, 0)`, cursor); err == nil || !strings.Contains(err.Error(), "up_to has to be 1 at least") {
		t.Errorf("an answer of no record: %v", err)
	}
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
	if got := ask("{shop.things,shop.others}", 100); got != "2 1 new" {
		t.Errorf("a reader of one organization sees %s", got)
	}
	if _, err := l.admin.Exec(t.Context(), `SELECT analytics.changes_cursor()`); err != nil {
		t.Errorf("a reader takes a cursor: %v", err)
	}
	if _, err := l.admin.Exec(t.Context(), `SELECT * FROM sluice.changes`); err == nil {
		t.Error("a reader of views reads the log itself")
	}
	l.exec(`RESET ROLE`)
}
