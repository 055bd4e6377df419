package wants_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/readers"
	"sluice/pipeline/warehouse/wants"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// fixture is a migrated database of a role that is no superuser, with two organizations and the
// readers jane and mark, who see the first. Roles belong to the server, so each test has its own.
type fixture struct {
	*testing.T
	*warehousetest.Roles

	pool       *pgxpool.Pool // of the owner
	jane, mark *pgx.Conn
}

func open(t *testing.T, share wants.Share) *fixture {
	t.Helper()
	f := &fixture{T: t, Roles: warehousetest.OwnRoles(t)}
	groups := readers.Groups{Masked: "masked_" + f.Suffix, Personal: "personal_" + f.Suffix, Raw: "raw_" + f.Suffix}
	f.must(migrations.Migrate(t.Context(), f.URL, migrations.Options{}))
	var err error
	f.pool, err = pgxpool.New(t.Context(), f.URL)
	f.must(err)
	t.Cleanup(f.pool.Close)
	f.Administers("ALTER ROLE owner_@ CREATEROLE")
	_, err = readers.Apply(t.Context(), f.pool, groups)
	f.must(err)
	f.Administers("CREATE ROLE jane_@ LOGIN", "CREATE ROLE mark_@ LOGIN", "GRANT masked_@ TO jane_@, mark_@",
		"INSERT INTO sluice.organizations (organization_id, name) VALUES ('a', 'Acme'), ('b', 'Beta')",
		"INSERT INTO analytics.readers VALUES ('jane_@', 'a'), ('mark_@', 'a')")
	f.allow(share, pipeline.Key{Organization: "a", Service: "inventory", Resource: "bills"},
		pipeline.Key{Organization: "a", Service: "inventory", Resource: "items"}, pipeline.Key{Organization: "b", Service: "inventory", Resource: "bills"})
	f.jane, f.mark = f.as("jane"), f.as("mark")
	return f
}

func (f *fixture) allow(share wants.Share, lists ...pipeline.Key) {
	f.Helper()
	f.must(wants.Allow(f.Context(), f.pool, []string{"a", "b"}, lists, share))
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// as connects as a reader.
func (f *fixture) as(reader string) *pgx.Conn {
	f.Helper()
	config, err := pgx.ParseConfig(warehousetest.Admin(f.T, f.Database))
	f.must(err)
	conn, err := pgx.ConnectConfig(f.Context(), config)
	f.must(err)
	f.Cleanup(func() { _ = conn.Close(context.WithoutCancel(f.Context())) }) // the test has ended
	_, err = conn.Exec(f.Context(), "SET SESSION AUTHORIZATION "+reader+"_"+f.Suffix)
	f.must(err)
	return conn
}

// fails executes a statement as a reader that has to be refused, in these words.
func (f *fixture) fails(reader *pgx.Conn, sql, want string) {
	f.Helper()
	_, err := reader.Exec(f.Context(), sql)
	pg, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		f.Errorf("%s: %v, want an error", sql, err)
		return
	}
	got := strings.ReplaceAll(strings.Join(strings.Fields(pg.Message+" "+pg.Detail+" "+pg.Hint), " "), f.Suffix, "@")
	if !strings.Contains(got, want) {
		f.Errorf("%s: %q, want in it %q", sql, got, want)
	}
}

func (f *fixture) does(reader *pgx.Conn, sql string) {
	f.Helper()
	if _, err := reader.Exec(f.Context(), sql); err != nil {
		f.Errorf("%s: %v", sql, err)
	}
}

// sees is what a reader sees of the wants, in the order in which they were asked for.
func (f *fixture) sees(reader *pgx.Conn) []string {
	f.Helper()
	rows, err := reader.Query(f.Context(), `SELECT concat_ws(' ', organization_id, resource, record_id, asked_by, coalesce(outcome, 'open')) FROM analytics.wants ORDER BY want`)
	f.must(err)
	seen, err := pgx.CollectRows(rows, pgx.RowTo[string])
	f.must(err)
	for i := range seen {
		seen[i] = strings.ReplaceAll(seen[i], f.Suffix, "@")
	}
	return seen
}

func (f *fixture) wantSeen(reader *pgx.Conn, want ...string) {
	f.Helper()
	if diff := cmp.Diff(append([]string{}, want...), f.sees(reader)); diff != "" {
		f.Errorf("the reader sees (-want +got):\n%s", diff)
	}
}

// TestAReaderAsks: a want is the reader's own, and asking again while it waits changes nothing.
func TestAReaderAsks(t *testing.T) {
	t.Parallel()
	f := open(t, wants.Share{PerDay: 10, PerRole: 10})
	f.does(f.jane, `SELECT analytics.want('inventory.bills', '460000000038049')`)
	f.does(f.jane, `SELECT analytics.want('inventory.bills', '460000000038049', 'a')`)
	f.does(f.mark, `SELECT analytics.want('inventory.bills', '460000000038049')`)
	f.does(f.mark, `INSERT INTO analytics.wants (organization_id, resource, record_id) SELECT 'a', 'inventory.items', n::text FROM generate_series(1, 2) AS n`)
	f.wantSeen(f.jane, "a inventory.bills 460000000038049 jane_@ open")
	f.wantSeen(f.mark, "a inventory.bills 460000000038049 mark_@ open", "a inventory.items 1 mark_@ open", "a inventory.items 2 mark_@ open")
	f.Administers(`UPDATE sluice.wants SET answered_at = now(), outcome = 'read'`)
	f.does(f.jane, `SELECT analytics.want('inventory.bills', '460000000038049')`)
	f.wantSeen(f.jane, "a inventory.bills 460000000038049 jane_@ read", "a inventory.bills 460000000038049 jane_@ open")
}

// TestWhatAReaderMayNot: what the role does not see cannot be asked for, and nothing but three
// columns can be written.
func TestWhatAReaderMayNot(t *testing.T) {
	t.Parallel()
	f := open(t, wants.Share{PerDay: 10, PerRole: 10})
	const insert = `INSERT INTO analytics.wants (organization_id, resource, record_id) VALUES `
	for sql, want := range map[string]string{
		`SELECT analytics.want('inventory.bills', '1', 'b')`:    `there is no organization "b"`,
		`SELECT analytics.want('inventory.bills', '1', 'none')`: `there is no organization "none"`,
		insert + `('b', 'inventory.bills', '1')`:                `violates check option for view "wants"`,
		insert + `('none', 'inventory.bills', '1')`:             `violates check option for view "wants"`,
		insert + `('b', 'none', '1')`:                           `violates check option for view "wants"`,
		`SELECT analytics.want('inventory.none', '1')`:          `no record of "inventory.none" can be asked for in organization a These tables have calls for single records: inventory.bills, inventory.items`,
		`SELECT analytics.want('inventory.bills', '1,2')`:       `"1,2" is no identifier of a record of inventory.bills`,
		`SELECT analytics.want('inventory.bills', '')`:          `"" is no identifier`,
		`SELECT analytics.want('inventory.bills', E'1\n')`:      `is no identifier`,
		`SELECT analytics.want('inventory.bills', '../1')`:      `is no identifier`,
		`SELECT analytics.want(NULL, '1')`:                      `null value`,
		`SELECT analytics.want('inventory.bills', NULL)`:        `null value`,
		`INSERT INTO analytics.wants (organization_id, resource, record_id, asked_by) VALUES ('a', 'inventory.bills', '1', 'mark_` + f.Suffix + `')`: `permission denied`,
		`INSERT INTO analytics.wants (organization_id, resource, record_id, outcome) VALUES ('a', 'inventory.bills', '1', 'read')`:                   `permission denied`,
		`UPDATE analytics.wants SET outcome = 'read'`:                                            `permission denied`,
		`DELETE FROM analytics.wants`:                                                            `permission denied`,
		`INSERT INTO sluice.wants (organization_id, resource, record_id) VALUES ('a', 'x', 'y')`: `permission denied for schema sluice`,
		`SELECT sluice.check_want()`:                                                             `permission denied for schema sluice`,
		`CALL analytics.fresh('inventory.bills', '1', organization => 'b')`:                      `there is no organization "b"`,
	} {
		f.fails(f.jane, sql, want)
	}
	f.wantSeen(f.jane)
	f.Administers(`INSERT INTO analytics.readers VALUES ('jane_@', 'b')`)
	f.fails(f.jane, `SELECT analytics.want('inventory.bills', '1')`, `the organization is missing: this role sees 2 Name one of a, b`)
	f.does(f.jane, `SELECT analytics.want('inventory.bills', '1', 'b')`)
	f.Administers(`DELETE FROM analytics.readers WHERE role = 'jane_@'`)
	f.fails(f.jane, `SELECT analytics.want('inventory.bills', '1')`, `this role sees no organization`)
	f.wantSeen(f.jane)
	f.allow(wants.Share{})
	f.fails(f.mark, `SELECT analytics.want('inventory.bills', '1')`, `no record of organization a can be asked for The operator gives calls for that in the configuration: budget.wants.`)
}

// TestTheShareOfTheDay: a role can ask for its part, and all roles together for the whole. What was
// asked for a day ago counts no longer.
func TestTheShareOfTheDay(t *testing.T) {
	t.Parallel()
	f := open(t, wants.Share{PerDay: 3, PerRole: 2})
	const three = `INSERT INTO analytics.wants (organization_id, resource, record_id) SELECT 'a', 'inventory.items', n::text FROM generate_series(1, 3) AS n`
	f.fails(f.jane, three, "role jane_@ may ask for 2 records of organization a within 24 hours")
	f.does(f.jane, `SELECT analytics.want('inventory.items', '1')`)
	f.does(f.jane, `SELECT analytics.want('inventory.bills', '1')`)
	f.Administers(`UPDATE sluice.wants SET asked_at = asked_at - interval '2 hours' WHERE resource = 'inventory.items'`, `UPDATE sluice.wants SET answered_at = now(), outcome = 'read'`)
	var next string
	f.must(f.Superuser.QueryRow(t.Context(), `SELECT date_trunc('seconds', min(asked_at) + interval '24 hours')::text FROM sluice.wants`).Scan(&next))
	f.fails(f.jane, `SELECT analytics.want('inventory.bills', '2')`, "The next one can be asked for at "+next+" (budget.wants.per_role).")
	f.does(f.mark, `SELECT analytics.want('inventory.bills', '2')`)
	f.fails(f.mark, `SELECT analytics.want('inventory.bills', '3')`, "all roles together may ask for 3 records of organization a within 24 hours The next one can be asked for at "+next+" (budget.wants.per_day).")
	f.Administers(`INSERT INTO analytics.readers VALUES ('mark_@', 'b')`)
	f.does(f.mark, `SELECT analytics.want('inventory.bills', '3', 'b')`)
	f.Administers(`UPDATE sluice.wants SET asked_at = asked_at - interval '22 hours 1 minute' WHERE resource = 'inventory.items'`)
	f.does(f.jane, `SELECT analytics.want('inventory.bills', '4')`)
	f.fails(f.jane, `SELECT analytics.want('inventory.bills', '5')`, "role jane_@ may ask for 2 records")
}

// TestTheShareIsExactForSessionsAtOnce: a session that has asked and not committed holds up the
// others, and no statement of the program.
func TestTheShareIsExactForSessionsAtOnce(t *testing.T) {
	t.Parallel()
	f := open(t, wants.Share{PerDay: 1, PerRole: 1})
	f.does(f.jane, `BEGIN`)
	f.does(f.jane, `SELECT analytics.want('inventory.bills', '1')`)
	f.fails(f.mark, `SELECT analytics.want('inventory.bills', '2')`, "canceling statement due to lock timeout")
	f.allow(wants.Share{PerDay: 1, PerRole: 1}, pipeline.Key{Organization: "a", Service: "inventory", Resource: "bills"})
	f.must(wants.Prune(t.Context(), f.pool))
	f.does(f.jane, `COMMIT`)
	f.fails(f.mark, `SELECT analytics.want('inventory.bills', '2')`, "all roles together may ask for 1 record of")
}

// answered executes a statement of jane that asks for a record and waits, and ends the want as the
// program does.
func (f *fixture) answered(sql, outcome string) error {
	f.Helper()
	ended := make(chan error, 1)
	go func() {
		_, err := f.jane.Exec(f.Context(), sql)
		ended <- err
	}()
	for n := int64(0); ; { // the want is there when the procedure has committed
		select {
		case err := <-ended:
			if n == 0 {
				f.Fatalf("it ended before the want did: %v", err)
			}
			return err
		case <-time.After(20 * time.Millisecond):
			tag, err := f.Superuser.Exec(f.Context(), `UPDATE sluice.wants SET answered_at = clock_timestamp(), outcome = $1 WHERE answered_at IS NULL`, outcome)
			f.must(err)
			n += tag.RowsAffected()
		}
	}
}

// TestFreshWaits: the procedure ends when the want does, and says how.
func TestFreshWaits(t *testing.T) {
	t.Parallel()
	f := open(t, wants.Share{PerDay: 20, PerRole: 10})
	const call = `CALL analytics.fresh('inventory.bills', '7', '1 min')`
	for outcome, want := range map[string]string{
		"quarantined": "inventory.bills 7 could not be read: quarantined The record does not fit its table.", "not found": "Upstream gave no record.",
		"expired": "It was not read within a day.", "read": "", "gone": "",
	} {
		err := f.answered(call, outcome)
		said := ""
		if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
			said = pg.Message + " " + pg.Detail
		}
		if (err != nil) != (want != "") || !strings.Contains(said, want) {
			t.Errorf("%s: %q, %v, want %q", outcome, said, err, want)
		}
	}
	f.fails(f.jane, `CALL analytics.fresh('inventory.bills', '7', within => '100 ms')`, "inventory.bills 7 was not read within 00:00:00.1 No process has answered yet.")
	f.Administers(`INSERT INTO sluice.streams (organization_id, service, resource, every, state) VALUES ('a', 'inventory', 'bills.hinted', '1 day', 'waiting')`)
	f.fails(f.jane, `CALL analytics.fresh('inventory.bills', '7', within => '100 ms')`, "The calls of the day for such reads are spent.")
	if seen := f.sees(f.jane); len(seen) != 6 || seen[5] != "a inventory.bills 7 jane_@ open" {
		t.Errorf("the want does not stay: %q", seen)
	}
	f.must(f.answered(`CALL analytics.fresh('inventory.bills', '9', within => NULL)`, "read"))
	f.does(f.jane, `BEGIN`)
	f.fails(f.jane, `CALL analytics.fresh('inventory.bills', '8')`, "invalid transaction termination")
	f.does(f.jane, `ROLLBACK`)
}

// TestFreshCallsNothingOfOthers: the procedure has no search path of its own, so it sets one in
// each of its transactions. Objects of others that stand before those of Postgres are not called.
func TestFreshCallsNothingOfOthers(t *testing.T) {
	t.Parallel()
	f := open(t, wants.Share{PerDay: 10, PerRole: 10})
	f.Administers(
		`CREATE TABLE public.called (what text)`, `GRANT INSERT ON public.called TO PUBLIC`,
		`CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ INSERT INTO public.called VALUES ('clock'); SELECT pg_catalog.now() $$`,
		`CREATE FUNCTION public.pg_sleep(double precision) RETURNS void LANGUAGE sql AS $$ INSERT INTO public.called VALUES ('sleep') $$`,
		`CREATE FUNCTION public.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS $$ INSERT INTO public.called VALUES ('config'); SELECT $2 $$`,
		`CREATE FUNCTION public.later(timestamptz, interval) RETURNS timestamptz LANGUAGE sql AS $$ INSERT INTO public.called VALUES ('+'); SELECT $1 OPERATOR(pg_catalog.+) $2 $$`,
		`CREATE FUNCTION public.equal(text, text) RETURNS boolean LANGUAGE sql AS $$ INSERT INTO public.called VALUES ('='); SELECT $1 OPERATOR(pg_catalog.=) $2 $$`,
		`CREATE FUNCTION public.equal(bigint, bigint) RETURNS boolean LANGUAGE sql AS $$ INSERT INTO public.called VALUES ('='); SELECT $1 OPERATOR(pg_catalog.=) $2 $$`,
		`CREATE FUNCTION public.reached(timestamptz, timestamptz) RETURNS boolean LANGUAGE sql AS $$ INSERT INTO public.called VALUES ('>='); SELECT $1 OPERATOR(pg_catalog.>=) $2 $$`,
		`CREATE OPERATOR public.+ (FUNCTION = public.later, LEFTARG = timestamptz, RIGHTARG = interval)`,
		`CREATE OPERATOR public.= (FUNCTION = public.equal, LEFTARG = text, RIGHTARG = text)`,
		`CREATE OPERATOR public.= (FUNCTION = public.equal, LEFTARG = bigint, RIGHTARG = bigint)`,
		`CREATE OPERATOR public.>= (FUNCTION = public.reached, LEFTARG = timestamptz, RIGHTARG = timestamptz)`,
		`CREATE DOMAIN public.text AS pg_catalog.text CHECK (VALUE OPERATOR(pg_catalog.=) 'never')`,
	)
	f.does(f.jane, `SET search_path = public, pg_catalog`)
	f.fails(f.jane, `CALL analytics.fresh('inventory.bills', '7', within => '1200 ms')`, "was not read within")
	var called, path string
	f.must(f.Superuser.QueryRow(t.Context(), `SELECT coalesce(string_agg(DISTINCT what, ' '), '') FROM public.called`).Scan(&called))
	f.must(f.jane.QueryRow(t.Context(), `SHOW search_path`).Scan(&path))
	if called != "" || path != "public, pg_catalog" {
		t.Errorf("it called %q, and left the search path %q", called, path)
	}
}

// TestWantsEnd: what waits for a day has expired, and is kept for two weeks.
func TestWantsEnd(t *testing.T) {
	t.Parallel()
	f := open(t, wants.Share{PerDay: 10, PerRole: 6})
	for _, id := range []string{"1", "2", "3"} {
		f.does(f.jane, `SELECT analytics.want('inventory.bills', '`+id+`')`)
	}
	f.Administers(`UPDATE sluice.wants SET asked_at = now() - interval '25 hours' WHERE record_id = '2'`, `UPDATE sluice.wants SET asked_at = now() - interval '15 days' WHERE record_id = '3'`)
	f.must(wants.Prune(t.Context(), f.pool))
	f.wantSeen(f.jane, "a inventory.bills 1 jane_@ open", "a inventory.bills 2 jane_@ expired")
	f.Administers(`INSERT INTO sluice.wants (organization_id, resource, record_id, answered_at, outcome)
		SELECT 'a', 'inventory.items', o, now(), o FROM unnest(ARRAY['read', 'gone', 'quarantined']) AS o`,
		`UPDATE sluice.wants SET asked_at = now() - interval '90 seconds' WHERE record_id = '1'`)
	sums, err := wants.Sums(t.Context(), f.pool)
	f.must(err)
	if len(sums) != 2 || sums[0].OldestSeconds < 90 || sums[0].OldestSeconds > 120 {
		t.Fatalf("the sums are %+v", sums)
	}
	sums[0].OldestSeconds = 0
	want := []wants.Sum{{Organization: "a", PerDay: 10, PerRole: 6, Wants: 4, Answered: 2, Failed: 1, Open: 1}, {Organization: "b", PerDay: 10, PerRole: 6}}
	if diff := cmp.Diff(want, sums); diff != "" {
		t.Errorf("sums (-want +got):\n%s", diff)
	}
}

// TestThePageAsks runs the statements of the page for analysts, as a reader.
func TestThePageAsks(t *testing.T) {
	t.Parallel()
	f := open(t, wants.Share{PerDay: 10, PerRole: 10})
	page, err := os.ReadFile("../../../docs/analysts/asking-for-a-record.md")
	f.must(err)
	var statements []string
	for _, block := range strings.Split(string(page), "```sql\n")[1:] {
		statement, _, _ := strings.Cut(block, ";")
		statements = append(statements, statement)
	}
	if len(statements) != 4 {
		t.Fatalf("the page has %d statements, want 4", len(statements))
	}
	f.Administers(`INSERT INTO inventory.bills (organization_id, bill_id, status, date, total, exchange_rate, _detail_state, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
		SELECT o, '46000' || n, 'open', current_date, 5, 1, 'pending', '\x00', 1, 0, 1, now(), now() FROM unnest(ARRAY['a', 'b']) AS o, generate_series(1, 2) AS n`)
	f.does(f.jane, statements[0])
	f.does(f.jane, statements[1])
	f.wantSeen(f.jane, "a inventory.bills 460000000038049 jane_@ open", "a inventory.bills 460001 jane_@ open", "a inventory.bills 460002 jane_@ open")
	f.Administers(`UPDATE sluice.wants SET answered_at = clock_timestamp(), outcome = 'gone'`)
	f.must(f.answered(statements[2], "read"))
	rows, err := f.jane.Query(t.Context(), statements[3])
	f.must(err)
	outcomes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		values, err := row.Values()
		return values[5].(string), err
	})
	f.must(err)
	if diff := cmp.Diff([]string{"read", "gone", "gone", "gone"}, outcomes); diff != "" {
		t.Errorf("the outcomes, the last one first (-want +got):\n%s", diff)
	}
}
