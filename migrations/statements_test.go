package migrations_test

import (
	"io/fs"
	"strings"
	"testing"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestStatementsAreCut(t *testing.T) {
	t.Parallel()
	got := migrations.Statements(`-- +goose Up
-- A comment; with a semicolon.
CREATE TABLE a (b text DEFAULT 'x;''y'); -- behind
/* before; */ COMMENT ON TABLE a IS E'it\'s; so';
CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $do$ BEGIN; PERFORM $q$;$q$; END $do$;
CREATE FUNCTION g() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END;
DROP TABLE "odd;name"
`)
	want := []string{
		`CREATE TABLE a (b text DEFAULT 'x;''y')`, `COMMENT ON TABLE a IS E'it\'s; so'`,
		`CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $do$ BEGIN; PERFORM $q$;$q$; END $do$`,
		`CREATE FUNCTION g() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END`,
		`DROP TABLE "odd;name"`,
	}
	same(t, "", want, got)
	if got := migrations.PlainOf("SELECT --x\n  'a' /* y */,\n$$b$$"); got != "SELECT '' , ''" {
		t.Errorf("on one line: %q", got)
	}
}

// TestAllFilesAreCut: Postgres parses each statement of each file by itself.
func TestAllFilesAreCut(t *testing.T) {
	t.Parallel()
	conn := warehousetest.Connect(t, warehousetest.New(t))
	if _, err := conn.Exec(t.Context(), `CREATE SCHEMA sluice; CREATE TABLE sluice.schema_version ()`); err != nil {
		t.Fatal(err)
	}
	n := 0
	err := fs.WalkDir(migrations.FS, ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".sql") {
			return err
		}
		text, err := fs.ReadFile(migrations.FS, name)
		if err != nil {
			return err
		}
		for _, statement := range migrations.Statements(string(text)) {
			if _, err := conn.Exec(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, statement)
			}
			n++
		}
		return nil
	})
	if err != nil || n < 1000 {
		t.Errorf("%d statements, %v", n, err)
	}
}

// TestLocksAreWhatPostgresTakes executes statements, and compares the locks that they are said to
// take with those that the server lists, and a rewritten table with a new file of the server.
func TestLocksAreWhatPostgresTakes(t *testing.T) {
	t.Parallel()
	conn := warehousetest.Connect(t, warehousetest.New(t))
	exec := func(sql string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	exec(`CREATE TABLE public.a (id bigint PRIMARY KEY, n integer, t text); CREATE TABLE public.b (id bigint PRIMARY KEY, a bigint);
		INSERT INTO public.a VALUES (1, 1, 'x'), (2, 2, 'x'), (3, 3, 'x'); ALTER TABLE public.a ADD CONSTRAINT low CHECK (n > 0) NOT VALID;
		CREATE VIEW public.v AS SELECT id FROM public.a; CREATE FUNCTION public.f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`)
	const a = "public.a"
	one := func(level, work string) []migrations.Need {
		return []migrations.Need{{Table: a, Level: level, Work: work}}
	}
	for sql, want := range map[string][]migrations.Need{
		`ALTER TABLE public.a ADD COLUMN x bigint`:                                           one("ACCESS EXCLUSIVE", "catalog"),
		`ALTER TABLE public.a ADD COLUMN x text NOT NULL DEFAULT 'y'`:                        one("ACCESS EXCLUSIVE", "catalog"),
		`ALTER TABLE public.a ADD COLUMN x boolean DEFAULT false, ADD COLUMN y text`:         one("ACCESS EXCLUSIVE", "catalog"),
		`ALTER TABLE public.a ADD COLUMN x timestamptz DEFAULT clock_timestamp()`:            one("ACCESS EXCLUSIVE", "rewrite"),
		`ALTER TABLE public.a ADD COLUMN x timestamptz NOT NULL DEFAULT now()`:               one("ACCESS EXCLUSIVE", "catalog"),
		`ALTER TABLE public.a ADD COLUMN x bigint GENERATED ALWAYS AS IDENTITY`:              one("ACCESS EXCLUSIVE", "rewrite"),
		`ALTER TABLE public.a ADD COLUMN x text DEFAULT 'y' CHECK (x IN ('y', 'z'))`:         one("ACCESS EXCLUSIVE", "scan"),
		`ALTER TABLE public.a ALTER COLUMN n TYPE bigint`:                                    one("ACCESS EXCLUSIVE", "rewrite"),
		`ALTER TABLE ONLY public.a ALTER COLUMN t SET NOT NULL`:                              one("ACCESS EXCLUSIVE", "scan"),
		`ALTER TABLE public.a ALTER COLUMN t SET DEFAULT 'z'`:                                one("ACCESS EXCLUSIVE", "catalog"),
		`ALTER TABLE public.a ALTER COLUMN t SET STATISTICS 10`:                              one("SHARE UPDATE EXCLUSIVE", "catalog"),
		`ALTER TABLE public.a SET (fillfactor = 90)`:                                         one("SHARE UPDATE EXCLUSIVE", "catalog"),
		`ALTER TABLE public.a VALIDATE CONSTRAINT low`:                                       one("SHARE UPDATE EXCLUSIVE", "scan"),
		`ALTER TABLE public.a ADD CONSTRAINT more CHECK (n < 9) NOT VALID`:                   one("ACCESS EXCLUSIVE", "catalog"),
		`ALTER TABLE public.a ADD CONSTRAINT more CHECK (n < 9)`:                             one("ACCESS EXCLUSIVE", "scan"),
		`ALTER TABLE public.a ADD CONSTRAINT more UNIQUE (n)`:                                one("ACCESS EXCLUSIVE", "scan"),
		`ALTER TABLE public.a DROP CONSTRAINT low`:                                           one("ACCESS EXCLUSIVE", "catalog"),
		`ALTER TABLE public.a RENAME COLUMN n TO m`:                                          one("ACCESS EXCLUSIVE", "catalog"),
		`CREATE INDEX i ON public.a (n)`:                                                     one("SHARE", "scan"),
		`CREATE UNIQUE INDEX ON public.a (n)`:                                                one("SHARE", "scan"),
		`CREATE TRIGGER g AFTER UPDATE ON public.a FOR EACH ROW EXECUTE FUNCTION public.f()`: one("SHARE ROW EXCLUSIVE", "catalog"),
		`COMMENT ON TABLE public.a IS 'It is one; or two.'`:                                  one("SHARE UPDATE EXCLUSIVE", "catalog"),
		`COMMENT ON COLUMN public.a.n IS 'n'`:                                                one("SHARE UPDATE EXCLUSIVE", "catalog"),
		`INSERT INTO public.a VALUES (9)`:                                                    one("ROW EXCLUSIVE", "rows"),
		`UPDATE public.a SET n = 2`:                                                          one("ROW EXCLUSIVE", "rows"),
		`DELETE FROM ONLY public.a`:                                                          one("ROW EXCLUSIVE", "rows"),
		`TRUNCATE public.a`:                                                                  one("ACCESS EXCLUSIVE", "catalog"),
		`DROP TABLE public.a CASCADE`:                                                        one("ACCESS EXCLUSIVE", "catalog"),
		`CREATE TABLE public.c (id bigint REFERENCES public.a (id))`:                         one("SHARE ROW EXCLUSIVE", "catalog"),
		`ALTER TABLE public.b ADD CONSTRAINT k FOREIGN KEY (a) REFERENCES public.a (id)`: {
			{Table: "public.b", Level: "SHARE ROW EXCLUSIVE", Work: "scan"}, {Table: a, Level: "SHARE ROW EXCLUSIVE", Work: "catalog"},
		},
		`CREATE OR REPLACE VIEW public.v AS SELECT id, n FROM public.a`:                                          {{Table: "public.v", Level: "ACCESS EXCLUSIVE", Work: "catalog"}},
		`CREATE TABLE public.c (id bigint)`:                                                                      nil,
		`CREATE OR REPLACE FUNCTION public.h() RETURNS int LANGUAGE sql AS 'SELECT count(*)::int FROM public.a'`: nil,
		`GRANT SELECT ON public.a TO PUBLIC`:                                                                     nil,
		`DO $$ BEGIN PERFORM 1; END $$`:                                                                          {{Work: "unknown"}},
	} {
		same(t, sql, want, migrations.NeedsOf(sql))
		const file = `SELECT pg_relation_filenode('public.a')::text`
		var before, after string
		exec("BEGIN")
		must(t, conn.QueryRow(t.Context(), file).Scan(&before))
		exec("COMMIT; BEGIN")
		exec(sql)
		for _, n := range want {
			if n.Level == "" {
				continue
			}
			var stronger []string
			err := conn.QueryRow(t.Context(), `SELECT coalesce(array_agg(mode), '{}') FROM pg_locks WHERE pid = pg_backend_pid() AND relation = $1::regclass`, n.Table).Scan(&stronger)
			if sql == `DROP TABLE public.a CASCADE` {
				continue // its name is gone
			}
			must(t, err)
			if got := strongest(stronger); got != migrations.ModeOf(n.Level) {
				t.Errorf("%s: Postgres takes %v on %s, said is %s", sql, stronger, n.Table, n.Level)
			}
		}
		if !strings.HasPrefix(sql, "DROP TABLE") && !strings.HasPrefix(sql, "TRUNCATE") {
			must(t, conn.QueryRow(t.Context(), file).Scan(&after))
			if rewritten := before != after; rewritten != (len(want) > 0 && want[0].Work == "rewrite") {
				t.Errorf("%s: the table is rewritten: %t", sql, rewritten)
			}
		}
		exec("ROLLBACK")
	}
	if got := migrations.NeedsOf(`CREATE INDEX CONCURRENTLY i ON public.a (n)`); len(got) != 1 || got[0] != (migrations.Need{Table: a, Level: "SHARE UPDATE EXCLUSIVE", Work: "scan"}) {
		t.Errorf("an index that is made concurrently: %v", got)
	}
}

// strongest returns the strongest of some modes.
func strongest(modes []string) string {
	best := ""
	for _, level := range migrations.Levels() {
		for _, mode := range modes {
			if mode == migrations.ModeOf(level) {
				best = mode
			}
		}
	}
	return best
}

// TestConflictsAreThoseOfPostgres compares the levels that exclude each other with what the server
// refuses.
func TestConflictsAreThoseOfPostgres(t *testing.T) {
	t.Parallel()
	url := warehousetest.New(t)
	one, other := warehousetest.Connect(t, url), warehousetest.Connect(t, url)
	if _, err := one.Exec(t.Context(), `CREATE TABLE public.a ()`); err != nil {
		t.Fatal(err)
	}
	for _, level := range migrations.Levels() {
		if _, err := one.Exec(t.Context(), `BEGIN; LOCK TABLE public.a IN `+level+` MODE`); err != nil {
			t.Fatal(err)
		}
		for _, mine := range []string{"ACCESS SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "ACCESS EXCLUSIVE"} {
			_, err := other.Exec(t.Context(), `BEGIN; LOCK TABLE public.a IN `+mine+` MODE NOWAIT`)
			_, _ = other.Exec(t.Context(), `ROLLBACK`)
			said := false
			for _, l := range migrations.Conflicts(mine) {
				said = said || l == level
			}
			if said != (err != nil) {
				t.Errorf("%s beside %s: conflict %t, Postgres says %v", mine, level, said, err)
			}
		}
		if _, err := one.Exec(t.Context(), `ROLLBACK`); err != nil {
			t.Fatal(err)
		}
	}
}
