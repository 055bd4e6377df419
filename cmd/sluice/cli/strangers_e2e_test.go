//go:build e2e

package cli

import (
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/connectors"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// remembered are the resources whose versions these tests keep, as lines of the configuration.
const remembered = "  inventory.bills: {history: true}\n  inventory.credit_notes: {history: true}\n  accounting.vendor_payments: {history: true}\n"

// ownedStage is a fixture whose program connects as a role that owns the database and is no
// superuser.
func ownedStage(t *testing.T, options sandbox.Options) *fixture {
	t.Helper()
	s := newFixture(t, options)
	url := warehousetest.Owner(t)
	must(t, migrated(t.Context(), url))
	s.on(url)
	return s
}

// TestObjectsOfOthers: another role has put objects into every schema that it may use. Everything
// works, and none of these objects is executed, whether the program is a superuser or not.
func TestObjectsOfOthers(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(*testing.T, sandbox.Options) *fixture{"superuser": newFixture, "owner": ownedStage} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t, sandbox.Options{Seed: 77, Records: 120, Limits: sandbox.Limits{Off: true}})
			s.configured("\nresources:\n" + remembered)
			strangers := s.plant()
			// A role that may connect may also take locks: those of the first processes, and those
			// that housekeeping once used.
			strangers.Exec(`SELECT pg_catalog.pg_advisory_lock(20928, n) FROM pg_catalog.generate_series(1, 200) AS n;
				SELECT pg_catalog.pg_advisory_lock(n) FROM pg_catalog.unnest(ARRAY[426836257907, 1920298611, 1918990194, 1751741300]) AS n`)
			s.goesOn(strangers, "migrate", "check", "sync", "verify", "verify --local", "status", "drift", "budget", "quarantine retry --resource all")
			s.exec(`UPDATE inventory.bills SET sub_total = NULL`)
			s.exec(`UPDATE sluice.raw_records SET kept_at = '2020-01-01'`)
			s.goesOn(strangers, "rebuild inventory.bills")
			s.configured(declared)
			s.accept()
			s.afterAMinute()
			s.goesOn(strangers, "sync", "verify --local", "export * --to "+t.TempDir())
			p := s.start("serve", "--listen", "127.0.0.1:0")
			p.said("serving", "listen")
			strangers.Loot()
			p.stops()
			strangers.Loot()
			s.goesOn(strangers, "migrate", "verify --local")
		})
	}
}

// goesOn runs commands, none of which may fail or execute an object of the strangers.
func (s *fixture) goesOn(strangers *warehousetest.Strangers, commands ...string) {
	s.t.Helper()
	for _, line := range commands {
		s.prints(codeFine, "", strings.Fields(line)...)
		strangers.Loot()
		fatalIf(s.t, s.t.Failed(), "that was sluice %s", line)
	}
}

func (s *fixture) plant() *warehousetest.Strangers {
	s.t.Helper()
	return warehousetest.Plant(s.t, s.admin())
}

func (s *fixture) admin() string {
	s.t.Helper()
	config := sure(pgx.ParseConfig(s.environment["SLUICE_DATABASE_URL"]))(s.t)
	return warehousetest.Admin(s.t, config.Database)
}

// TestSchemasOfServicesAreKnown: checks, retention and the functions of history look only at the
// tables in these schemas. Code that reads the columns of tables reads all of them.
func TestSchemasOfServicesAreKnown(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 78, Records: 1})
	services := connectors.All()
	for i := range services {
		for r := range services[i].Resources {
			resource := &services[i].Resources[r]
			for _, table := range resource.Tables() {
				in := resource.SchemaName(&services[i])
				const unseen = `SELECT count(*) - (SELECT count(*) FROM sluice.table_columns WHERE whole = $1::text::regclass)
					FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped`
				var columns int
				must(t, s.conn.QueryRow(t.Context(), unseen, pgx.Identifier{in, table.Name}.Sanitize()).Scan(&columns))
				errorIf(t, columns != 0, "%d columns of %s.%s are not seen: add %[2]s to sluice.service_schemas", columns, in, table.Name)
			}
		}
	}
}

// TestCheckWarnsOfRightsOfOthers: each warning has the statement that revokes the right, and after
// these statements there is none.
func TestCheckWarnsOfRightsOfOthers(t *testing.T) {
	t.Parallel()
	s := ownedStage(t, sandbox.Options{Seed: 79, Records: 1})
	warnings := func() map[string]string {
		found := decoded[[]finding](s, codeFine, "check", "--json")
		said := map[string]string{}
		for _, f := range found {
			if warning, ok := strings.CutPrefix(f.Text, "a warning: "); ok && strings.HasPrefix(f.Check, "other roles") {
				what, remedy, _ := strings.Cut(warning, "; to end that: ")
				said[what] = remedy
			}
		}
		return said
	}
	got := warnings()
	errorIf(t, len(got) != 0, "in a new database: %v", got)
	strangers := s.plant()
	admin := warehousetest.Connect(t, s.admin())
	role := strangers.Role
	sure(admin.Exec(t.Context(), "GRANT ALL ON accounting.expenses TO "+role))(t)
	owner := one[string](s, `SELECT current_user::text`)
	want := map[string]string{
		"any role may create objects in schema public":                                                         "REVOKE CREATE ON SCHEMA public FROM PUBLIC;",
		"role " + role + " may create objects in schema accounting":                                            "REVOKE CREATE ON SCHEMA accounting FROM " + role + ";",
		"role " + role + " may create objects in schema inventory":                                             "REVOKE CREATE ON SCHEMA inventory FROM " + role + ";",
		"role " + role + " may have own functions executed by roles that write to tables of schema accounting": "REVOKE TRIGGER ON ALL TABLES IN SCHEMA accounting FROM " + role + ";",
		"role " + role + " may stop deletions by foreign keys to tables of schema accounting":                  "REVOKE REFERENCES ON ALL TABLES IN SCHEMA accounting FROM " + role + ";",
	}
	for _, table := range []string{"copied", "copied_lines", "trap"} {
		want["table inventory."+table+" belongs to role "+role+" and not to the one that migrated: checks leave it out"] = "if it is one of the program's, ALTER TABLE inventory." + table + " OWNER TO " + owner + ";"
	}
	same(t, "warnings", want, warnings())
	s.prints(codeFine, "ok    other roles of the database: a warning: any role may create", "check")
	for _, remedy := range want {
		if strings.HasPrefix(remedy, "if ") {
			continue
		}
		sure(admin.Exec(t.Context(), remedy))(t)
	}
	strangers.Exec(`DROP TABLE inventory.copied, inventory.copied_lines, inventory.trap`)
	got = warnings()
	errorIf(t, len(got) != 0, "after that: %v", got)
}

// TestTablesOfOthersUnderOurNames: a write to a table of another role would execute its triggers.
// The role created one table's schema first, and another table in place of one of ours that is
// gone. Both are named and not written to.
func TestTablesOfOthersUnderOurNames(t *testing.T) {
	t.Parallel()
	s := ownedStage(t, sandbox.Options{Seed: 80, Records: 20, Limits: sandbox.Limits{Off: true}})
	strangers := s.plant()
	const trap = `; CREATE FUNCTION loot.spring() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN PERFORM loot.take('a trigger'); RETURN NEW; END $f$`
	traps := func(schema, table string) string {
		return `; GRANT ALL ON ALL TABLES IN SCHEMA ` + schema + ` TO PUBLIC;
			CREATE TRIGGER spring BEFORE INSERT OR UPDATE ON ` + schema + `.` + table + ` FOR EACH ROW EXECUTE FUNCTION loot.spring()`
	}
	strangers.Exec(`CREATE TABLE mart.shape (LIKE inventory.taxes INCLUDING ALL)` + trap)
	s.exec(`DROP TABLE inventory.taxes CASCADE`)
	strangers.Exec(`CREATE TABLE inventory.taxes (LIKE mart.shape INCLUDING ALL)` + traps("inventory", "taxes"))
	s.refuses(strangers, "sync inventory.taxes", "another role")
	s.refuses(strangers, "check", "inventory.taxes")
	strangers.Exec(`DROP TABLE inventory.taxes`)

	s.configured(declared)
	sql, _ := s.plan()
	_, tables, _ := strings.Cut(sql, "CREATE TABLE")
	strangers.Exec(`CREATE SCHEMA custom; GRANT ALL ON SCHEMA custom TO PUBLIC; CREATE TABLE` + tables + traps("custom", "things"))
	s.refuses(strangers, "migrate", "custom of role "+strangers.Role)
	s.prints(codeEnvironment, "", "migrate")
	s.refuses(strangers, "sync things", "lacks tables")
}

// refuses runs a command that has to fail and to name something, and to execute no object of the
// strangers.
func (s *fixture) refuses(strangers *warehousetest.Strangers, line, names string) {
	s.t.Helper()
	if o := s.run(strings.Fields(line)...); o.code == codeFine || !strings.Contains(o.stdout+o.stderr, names) {
		s.t.Errorf("sluice %s ended with %d, and does not name %s\n%s%s", line, o.code, names, o.stdout, o.stderr)
	}
	strangers.Loot()
}

// TestADatabaseOnAnotherHost: if the address names another host without sslmode=verify-full, check
// fails, and sync and serve warn once and go on. All are silent if the configuration allows it.
func TestADatabaseOnAnotherHost(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 83, Records: 20, Limits: sandbox.Limits{Off: true}})
	const check, warning = "connection to the database", "192.0.2.1 is another host, and without sslmode=verify-full"
	near := s.environment["SLUICE_DATABASE_URL"]
	says := func(exposed bool, why string) {
		t.Helper()
		code, times := codeFine, 0
		if exposed {
			code, times = codeFailed, 1
		}
		if o := s.run("check"); o.code != code || strings.Contains(o.stdout, "FAIL  "+check+": 192.0.2.1 is another host, and without sslmode=verify-full") != exposed {
			t.Errorf("%s: check ends with %d, want %d\n%s%s", why, o.code, code, o.stdout, o.stderr)
		}
		if o := s.run("check", "--json"); o.code != code || strings.Contains(o.stdout, `"check": "`+check+`"`) != exposed {
			t.Errorf("%s: check --json ends with %d, want %d\n%s", why, o.code, code, o.stdout)
		}
		if o := s.run("sync", "inventory.taxes"); o.code != codeFine || strings.Count(o.stderr, warning) != times {
			t.Errorf("%s: sync ends with %d and warns other than %d times\n%s", why, o.code, times, o.stderr)
		}
		p := s.start("serve", "--listen", "127.0.0.1:0")
		p.said("serving", "listen")
		p.stops()
		same(t, why+": serve warns", times, strings.Count(p.stderr.String(), warning))
	}
	says(false, "the database of this machine")
	s.environment["SLUICE_DATABASE_URL"] = besides(t, near, "192.0.2.1")
	says(true, "one of two hosts")
	s.rewrite("database:\n", "database:\n  allow_insecure: true\n")
	says(false, "allowed")
}

// besides adds a host that is never contacted, because the first one answers: addresses like
// 192.0.2.1 belong to no machine (RFC 5737).
func besides(t *testing.T, address, host string) string {
	t.Helper()
	u := sure(url.Parse(address))(t)
	query := u.Query()
	if query.Get("host") == "" {
		query.Set("host", u.Hostname())
		query.Set("port", u.Port())
	}
	u.Host = ""
	query.Set("host", query.Get("host")+","+host)
	query.Set("port", query.Get("port")+",5432")
	u.RawQuery = query.Encode()
	return u.String()
}
