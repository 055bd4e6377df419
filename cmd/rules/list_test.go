package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/pipeline/check"
)

// rule is one rule of the repository, with its reason, which a change of the rule has to answer.
type rule struct {
	name, reason string
	// broken returns what in a file breaks the rule.
	broken func(s *source) []string
}

// Libraries that only some packages may use.
const (
	river   = "github.com/riverqueue/river"
	pgx     = "github.com/jackc/pgx"
	jsontxt = "github.com/go-json-experiment/json/jsontext"
	xxh3    = "github.com/zeebo/xxh3"
)

// The program for tries, and its private Postgres.
const (
	sandboxProgram  = "cmd/sluice-sandbox"
	privatePostgres = sandboxProgram + "/local"
)

// browser is the room that drives a browser in tests.
const browser = "cmd/sluice/console/browser"

// checks is the room of what tests say in one line.
const checks = "pipeline/check"

// imports makes a rule about forbidden imports; tests are exempt.
func imports(name, reason string, forbidden func(s *source, imported string) bool) rule {
	return rule{name: name, reason: reason, broken: func(s *source) []string {
		var found []string
		for _, imported := range s.imports {
			if !s.test && forbidden(s, imported) {
				found = append(found, "imports "+imported)
			}
		}
		return found
	}}
}

// uses makes a rule about names that only the files of allowed folders may use.
func uses(name, reason string, tests bool, names []string, allowed ...string) rule {
	return rule{name: name, reason: reason, broken: func(s *source) []string {
		var found []string
		for _, used := range s.names {
			if slices.Contains(names, used) && !s.within(allowed...) && (tests || !s.test) {
				found = append(found, "uses "+used)
			}
		}
		return found
	}}
}

// standard reports whether an import is of the standard library.
func standard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return first != "sluice" && !strings.Contains(first, ".")
}

// ours returns an import of this module without the module's name, "" for others.
func ours(imported string) string {
	inner, _ := strings.CutPrefix(imported, "sluice/")
	if inner == imported {
		return ""
	}
	return inner
}

// floors returns the floors of pipeline, from the ground up. A package is on the floor of the
// longest folder that holds it.
func floors() [][]string {
	return [][]string{
		{ground},
		{"pipeline"},
		{"pipeline/upstream", "pipeline/warehouse"},
		{"pipeline/sync", "pipeline/budget"},
		{"pipeline/jobs", "pipeline/planning", "pipeline/lineage", "pipeline/notifications", "pipeline/events", "pipeline/simulation"},
		{"pipeline/engine"},
	}
}

// floor returns the number of the floor that a folder of pipeline is on.
func floor(folder string) int {
	at, longest := -1, 0
	for i, rooms := range floors() {
		for _, room := range rooms {
			if under(folder, room) && len(room) > longest {
				at, longest = i, len(room)
			}
		}
	}
	return at
}

func rules() []rule {
	return slices.Concat(importRules(), nameRules(), outsideRules())
}

func importRules() []rule {
	return []rule{
		imports("schema imports the standard library only",
			"every package reads declarations: what they need, every package needs",
			func(s *source, imported string) bool { return s.folder == "schema" && !standard(imported) }),
		imports("the rooms of schema import schema, the JSON tokenizer and the hash of payload hashes",
			"they are pure: bytes and declarations in, rows or text out; encoding/json takes doubled keys and other spellings",
			func(s *source, imported string) bool {
				return strings.HasPrefix(s.folder, "schema/") && !standard(imported) && imported != jsontxt && imported != xxh3 && !under(ours(imported), "schema")
			}),
		imports("connectors import schema only",
			"they are data and cannot do anything: a resource is added without reading the engine",
			func(s *source, imported string) bool {
				return s.within("connectors") && ours(imported) != "schema" && !under(ours(imported), "connectors")
			}),
		imports("pipeline never imports connectors, sandbox or cmd",
			"the engine gets resources as values, so it cannot know one by name, and it cannot know that upstream is played; "+
				"warehousetest, a room for tests, starts the private Postgres",
			func(s *source, imported string) bool {
				if s.folder == "pipeline/warehouse/warehousetest" && ours(imported) == privatePostgres {
					return false
				}
				return s.within("pipeline") && slices.ContainsFunc([]string{"connectors", "sandbox", "cmd"}, func(f string) bool { return under(ours(imported), f) })
			}),
		imports("inside pipeline, imports run downward",
			"a reader follows a batch in one direction; on one floor packages may know each other, and Go refuses circles",
			func(s *source, imported string) bool {
				return s.within("pipeline") && under(ours(imported), "pipeline") && floor(ours(imported)) > floor(s.folder)
			}),
		imports("pipeline/outside is the ground: it imports the standard library only",
			"every room says words of others, and each would need its own scrubber if none could be imported by all",
			func(s *source, imported string) bool { return s.folder == ground && !standard(imported) }),
		imports("sandbox imports nothing of ours",
			"the second entry of a double bookkeeping must not be a copy of the first",
			func(s *source, imported string) bool {
				return s.within("sandbox") && ours(imported) != "" && !under(ours(imported), "sandbox")
			}),
		imports("only programs beside the product import sandbox",
			"the program must not know that upstream is played; tests may",
			func(s *source, imported string) bool {
				return under(ours(imported), "sandbox") && (!s.within("sandbox", "cmd") || s.within("cmd/sluice"))
			}),
		imports("sluice-sandbox starts sluice as a process",
			"what the demo shows is what an operator gets: it imports nothing of the product, and plays upstream without knowing who calls",
			func(s *source, imported string) bool {
				return s.within(sandboxProgram) && ours(imported) != "" && !under(ours(imported), "sandbox") && !under(ours(imported), sandboxProgram)
			}),
		imports("the queue only in jobs",
			"River is young and changes monthly, and holds jobs only (docs/decisions/0006-jobs); migrations run its own migrator",
			func(s *source, imported string) bool {
				migrator := s.within("migrations") && (strings.HasPrefix(imported, river+"/rivermigrate") || strings.HasPrefix(imported, river+"/riverdriver/"))
				return under(imported, river) && !s.within("pipeline/jobs") && !migrator
			}),
		imports("net/http only in upstream, events, notifications, sandbox and cmd",
			"upstream is the only way to the services, and events the one to receivers; notifications, sandbox and cmd are servers, engine names statuses, "+
				"and endpoints methods",
			func(s *source, imported string) bool {
				return under(imported, "net/http") && !s.within("pipeline/upstream", "pipeline/events", "pipeline/notifications", "pipeline/engine", "schema/docs/endpoints", "sandbox", "cmd")
			}),
		imports("pgx only where rows and jobs are written",
			"the warehouse is the only door out, the oracle holds rows against records, and tools that try the product look past it; "+
				"package pipeline names the transaction type only, and the publisher of the lake is a module of its own (docs/decisions/0030-lake)",
			func(s *source, imported string) bool {
				names := s.folder == "pipeline" && imported == pgx+"/v5"
				return under(imported, pgx) && !names &&
					!s.within("pipeline/warehouse", "pipeline/jobs", "pipeline/engine", "sandbox/oracle", "migrations",
						sandboxProgram, "cmd/sluice-dev", "cmd/sluice-lake")
			}),
		imports("database/sql and goose only in migrations and the warehouse",
			"goose asks for database/sql; everything else speaks pgx, which keeps every digit",
			func(s *source, imported string) bool {
				return (under(imported, "database/sql") || strings.HasPrefix(imported, "github.com/pressly/goose")) && !s.within("migrations", "pipeline/warehouse")
			}),
		imports("no tests' libraries in the program",
			"what only tests need stays out of the binary; warehousetest, check and browser are rooms for tests",
			func(s *source, imported string) bool {
				libraries := []string{"testing", "github.com/testcontainers", "pgregory.net/rapid", "go.uber.org/goleak", "github.com/google/go-cmp", "github.com/chromedp", "sluice/" + browser, "sluice/" + checks}
				return !s.within("pipeline/warehouse/warehousetest", checks, browser) && slices.ContainsFunc(libraries, func(l string) bool { return under(imported, l) })
			}),
	}
}

func nameRules() []rule {
	return []rule{
		uses("the clock is passed in",
			"the database's clock decides about budgets, and a test has to be able to say what time it is",
			false, []string{"time.Now", "time.Since", "time.Until"}, "cmd"),
		uses("no sleeping",
			"a sleep is too long or too short: wait for a signal, a timer beside a context, or the state itself",
			true, []string{"time.Sleep"}),
		uses("only cmd ends the process",
			"an end elsewhere skips the cleaning up of callers; TestMain is the other place",
			false, []string{"os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln"}, "cmd"),
		uses("HTTP clients only in upstream",
			"a call that does not go through upstream is not counted (invariant 3); cmd asks its own health page, "+
				"traces go to a collector, and events to the operator's own receivers",
			false, []string{"net/http.Client", "net/http.Transport", "net/http.NewRequest", "net/http.NewRequestWithContext"},
			"pipeline/upstream", "pipeline/events", "pipeline/engine/traces", "cmd"),
		uses("no default HTTP client",
			"it has no deadline, follows redirects and is shared by all packages",
			true, []string{
				"net/http.DefaultClient", "net/http.DefaultTransport", "net/http.Get", "net/http.Head", "net/http.Post", "net/http.PostForm",
				"net/http.DefaultServeMux", "net/http.Handle", "net/http.HandleFunc",
			}),
		{name: "no skipped tests", reason: "a test that did not run looks like one that passed; rapid's Skip draws another case", broken: func(s *source) []string {
			var found []string
			if slices.Contains(s.imports, "pgregory.net/rapid") {
				return nil
			}
			for _, call := range s.calls {
				if slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, call) && (s.test || s.within("pipeline/warehouse/warehousetest")) {
					found = append(found, "calls "+call)
				}
			}
			return found
		}},
		{name: "rows are copied by postgres.CopyFrom", reason: "pgconn's own may still read what it was given when it has returned", broken: func(s *source) []string {
			if !s.test && s.within("pipeline") && s.folder != "pipeline/warehouse/postgres" && slices.Contains(s.calls, "CopyFrom") {
				return []string{"calls CopyFrom of a connection"}
			}
			return nil
		}},
		{name: "small rooms", reason: "a file is read in one sitting or not at all", broken: func(s *source) []string {
			if s.lines > maxFileLines && !s.test && !s.within("connectors") {
				return []string{fmt.Sprintf("has %d lines, at most %d", s.lines, maxFileLines)}
			}
			return nil
		}},
	}
}

// TestRulesBite breaks every rule once and keeps it once.
func TestRulesBite(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("// line\n", maxFileLines)
	cases := map[string]struct{ path, bad, goodPath, good string }{
		"schema imports the standard library only":                                             {"schema/a.go", `import "golang.org/x/text"`, "schema/a.go", `import "time"`},
		"the rooms of schema import schema, the JSON tokenizer and the hash of payload hashes": {"schema/ddl/a.go", `import "sluice/pipeline"`, "schema/record/a.go", `import "sluice/schema"`},
		"connectors import schema only":                                                        {"connectors/chat/a.go", `import "os"`, "connectors/a.go", `import "sluice/connectors/chat"`},
		"pipeline never imports connectors, sandbox or cmd":                                    {"pipeline/jobs/a.go", `import "sluice/connectors"`, "pipeline/jobs/a_test.go", `import "sluice/connectors"`},
		"inside pipeline, imports run downward":                                                {"pipeline/upstream/a.go", `import "sluice/pipeline/budget"`, "pipeline/engine/a.go", `import "sluice/pipeline/jobs"`},
		"pipeline/outside is the ground: it imports the standard library only":                 {"pipeline/outside/a.go", `import "sluice/schema"`, "pipeline/jobs/a.go", `import "sluice/pipeline/outside"`},
		"a Text is made by a scrubber":                                                         {"pipeline/upstream/a.go", "import \"sluice/pipeline/outside\"\nvar t = outside.Text(code)", "pipeline/upstream/a.go", "import \"sluice/pipeline/outside\"\nvar t outside.Text = scrub.Text(code, 9)"},
		"plain words only where no word of others is":                                          {"pipeline/upstream/a.go", "import \"sluice/pipeline/outside\"\nvar t = outside.Plain(code)", "pipeline/sync/a.go", "import \"sluice/pipeline/outside\"\nvar t = outside.Plain(misfit)"},
		"secrets are made where they become known":                                             {"pipeline/upstream/list.go", "import \"sluice/pipeline/upstream/wire\"\nvar s = wire.NewSecret(token)", "pipeline/upstream/token/a.go", "import \"sluice/pipeline/upstream/wire\"\nvar s = wire.NewSecret(token)"},
		"standard output and error are opened in main.go":                                      {"cmd/sluice/cli/status.go", "import \"fmt\"\nfunc f() { fmt.Println(name) }", "cmd/sluice/main.go", "import \"os\"\nvar out = os.Stdout"},
		"the log is made in engine":                                                            {"pipeline/jobs/a.go", "import \"log/slog\"\nvar l = slog.Default()", "pipeline/engine/a.go", "import \"log/slog\"\nvar l = slog.New(h)"},
		"commands print JSON by package view":                                                  {"cmd/sluice/cli/a.go", "import \"encoding/json\"\nvar e = json.NewEncoder(out)", "cmd/sluice/cli/view/a.go", "import \"encoding/json\"\nvar e = json.NewEncoder(out)"},
		"sandbox imports nothing of ours":                                                      {"sandbox/a.go", `import "sluice/schema"`, "sandbox/a.go", `import "sluice/sandbox/witness"`},
		"only programs beside the product import sandbox":                                      {"cmd/sluice/cli/a.go", `import "sluice/sandbox"`, "cmd/sluice/cli/a_test.go", `import "sluice/sandbox"`},
		"sluice-sandbox starts sluice as a process":                                            {"cmd/sluice-sandbox/demo/a.go", `import "sluice/pipeline/engine"`, "cmd/sluice-sandbox/demo/a.go", `import "sluice/sandbox"`},
		"the queue only in jobs":                                                               {"pipeline/warehouse/a.go", `import "github.com/riverqueue/river/rivertype"`, "migrations/a.go", `import "github.com/riverqueue/river/rivermigrate"`},
		"net/http only in upstream, events, notifications, sandbox and cmd":                    {"pipeline/budget/a.go", `import "net/http"`, "pipeline/notifications/a.go", `import "net/http"`},
		"pgx only where rows and jobs are written":                                             {"pipeline/a.go", `import "github.com/jackc/pgx/v5/pgxpool"`, "pipeline/a.go", `import "github.com/jackc/pgx/v5"`},
		"database/sql and goose only in migrations and the warehouse":                          {"pipeline/jobs/a.go", `import "database/sql"`, "migrations/a.go", `import "github.com/pressly/goose/v3"`},
		"no tests' libraries in the program":                                                   {"cmd/sluice/cli/a.go", `import "testing"`, "cmd/sluice/cli/a_test.go", `import "testing"`},
		"the clock is passed in":                                                               {"pipeline/a.go", "import clock \"time\"\nvar now = clock.Now", "cmd/sluice/cli/a.go", "import \"time\"\nvar now = time.Now"},
		"no sleeping":                                                                          {"pipeline/a_test.go", "import \"time\"\nfunc f() { time.Sleep(1) }", "pipeline/a.go", "import \"time\"\nvar d time.Duration"},
		"only cmd ends the process":                                                            {"sandbox/a.go", "import \"os\"\nfunc f() { os.Exit(1) }", "sandbox/a_test.go", "import \"os\"\nfunc f() { os.Exit(1) }"},
		"HTTP clients only in upstream":                                                        {"sandbox/a.go", "import \"net/http\"\nvar c http.Client", "sandbox/a.go", "import \"net/http\"\nvar c http.Server"},
		"no default HTTP client":                                                               {"pipeline/upstream/a.go", "import \"net/http\"\nvar c = http.DefaultClient", "pipeline/upstream/a.go", "import \"net/http\"\nvar c = http.Client{}"},
		"rows are copied by postgres.CopyFrom":                                                 {"pipeline/a.go", "func f() { w.conn.CopyFrom(1) }", "pipeline/b.go", "import \"sluice/pipeline/warehouse/postgres\"\nfunc f() { postgres.CopyFrom(1) }"},
		"no skipped tests":                                                                     {"schema/a_test.go", "func f(t *T) { t.Skip() }", "schema/a.go", "func f(s *scanner) { s.Skip() }"},
		"small rooms":                                                                          {"schema/a.go", long, "schema/a_test.go", long},
	}
	for _, rule := range rules() {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			test, ok := cases[rule.name]
			check.FatalIf(t, !ok || rule.reason == "", "a rule needs a reason, and a case here that breaks it")
			for name, want := range map[string]struct {
				path, text string
				broken     bool
			}{"broken": {test.path, test.bad, true}, "kept": {test.goodPath, test.good, false}} {
				s := check.Sure(parse(want.path, []byte("package a\n"+want.text+"\n")))(t)
				found := rule.broken(s)
				check.ErrorIf(t, (len(found) > 0) != want.broken, "%s: found %q in %s", name, found, want.path)
			}
		})
	}
	for file, want := range map[string]int{
		`cmd/sluice/console/a.go import "github.com/jackc/pgx/v5/pgxpool"`: 1, `cmd/sluice/console/a.go import "sluice/` + browser + `"`: 1,
		`pipeline/jobs/a.go import "sluice/` + checks + `"`: 1, `pipeline/jobs/a_test.go import "sluice/` + checks + `"`: 0,
	} {
		name, text, _ := strings.Cut(file, " ")
		s := check.Sure(parse(name, []byte("package a\n"+text+"\n")))(t)
		var found []string
		for _, rule := range importRules() {
			found = append(found, rule.broken(s)...)
		}
		check.ErrorIf(t, len(found) != want, "%s: found %q, want %d", file, found, want)
	}
}
