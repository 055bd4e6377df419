package cli

import (
	"context"
	"encoding/base64"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// TestExitCodes produces the results that schedulers have to tell apart.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	small := sandbox.Options{Seed: 71, Records: 100}
	cases := map[string]struct {
		options sandbox.Options
		spoil   func(s *fixture)
		args    string
		code    int
		// says has to be on standard error, or on standard output of check.
		says string
		// alone is a case that calls upstream, or changes it or the database: it has its own
		// fixture.
		alone bool
	}{
		"fine":                     {alone: true, args: "sync", code: codeFine, says: "chart_of_accounts: done"},
		"one resource":             {alone: true, args: "sync inventory.bills", code: codeFine, says: "bills: done"},
		"no such command":          {args: "syncc", code: codeUsage, says: "unknown command"},
		"no such flag":             {args: "sync --al", code: codeUsage, says: "unknown flag"},
		"no such resource":         {args: "sync bils", code: codeUsage, says: `"bils" is no configured resource: accounting.base_currency_adjustments, accounting.chart_of_accounts`},
		"no such organization":     {args: "sync --org nobody", code: codeUsage, says: `"nobody"`},
		"no such level":            {args: "sync --log-level loud", code: codeUsage, says: `"loud"`},
		"too many arguments":       {args: "migrate now", code: codeUsage},
		"no entry number":          {args: "quarantine show x", code: codeUsage, says: "no entry number"},
		"no such entry":            {args: "quarantine show 99", code: codeFailed, says: "99"},
		"no held deletion":         {args: "tombstones accept 1", code: codeUsage, says: "no deletion of run 1 needs review"},
		"a resource that is off":   {args: "sync accounting.expenses", code: codeUsage, says: "no resource enabled"},
		"a resource without --why": {args: "status inventory.bills", code: codeUsage, says: "behind --why"},
		"no configuration": {args: "sync", code: codeUsage, says: "sluice init", spoil: func(s *fixture) {
			must(s.t, os.Remove(s.config))
		}},
		"no key": {args: "sync", code: codeUsage, says: "SLUICE_ENCRYPTION_KEY", spoil: func(s *fixture) {
			delete(s.environment, "SLUICE_ENCRYPTION_KEY")
		}},
		"no secret": {args: "sync", code: codeUsage, says: "SANDBOX_CLIENT_SECRET", spoil: func(s *fixture) {
			delete(s.environment, "SANDBOX_CLIENT_SECRET")
		}},
		"no database":            {args: "sync", code: codeEnvironment, spoil: noDatabase},
		"no database to look at": {args: "status", code: codeEnvironment, spoil: noDatabase},
		"no database to migrate": {args: "migrate", code: codeEnvironment, spoil: noDatabase},
		"no database to serve":   {args: "serve", code: codeEnvironment, spoil: noDatabase},
		"no database to check":   {args: "check", code: codeEnvironment, spoil: noDatabase},
		"no address of a database": {args: "status", code: codeUsage, says: "database.url: is missing", spoil: func(s *fixture) {
			text := sure(os.ReadFile(s.config))(s.t)
			must(s.t, os.WriteFile(s.config, []byte(strings.Replace(string(text), "database:\n  url: ${SLUICE_DATABASE_URL}\n", "", 1)), 0o600))
		}},
		"a table that a session holds": {alone: true, args: "serve --listen 127.0.0.1:0", code: codeEnvironment, says: "lock timeout", spoil: func(s *fixture) {
			s.holds("sluice.streams")
			s.environment["SLUICE_DATABASE_URL"] += "&lock_timeout=50ms"
		}},
		"not migrated": {args: "sync", code: codeEnvironment, says: "sluice migrate", spoil: func(s *fixture) {
			s.environment["SLUICE_DATABASE_URL"] = warehousetest.New(s.t)
		}},
		"a database of a development version": {alone: true, args: "migrate", code: codeEnvironment, says: "into a new database", spoil: func(s *fixture) {
			s.exec(`DELETE FROM sluice.schema_version WHERE version_id > 0`)
			s.exec(`INSERT INTO sluice.schema_version (version_id, is_applied) VALUES (52, true)`)
		}},
		"a database above this program": {alone: true, args: "sync", code: codeEnvironment, says: "needs a program of version 99999", spoil: func(s *fixture) {
			s.exec(`INSERT INTO sluice.schema_version (version_id, is_applied) VALUES (99999, true)`)
			s.exec(`SELECT sluice.raise_floor(99999)`)
		}},
		"no upstream": {alone: true, args: "sync", code: codeEnvironment, says: "chart_of_accounts: failed", spoil: func(s *fixture) {
			s.run("check") // fetches a token
			s.upstream.Close()
		}},
		"no upstream to check": {alone: true, args: "check", code: codeEnvironment, spoil: func(s *fixture) { s.upstream.Close() }},
		"a wrong secret": {alone: true, args: "sync", code: codeFailed, spoil: func(s *fixture) {
			s.environment["SANDBOX_REFRESH_TOKEN"] = "1000.wrong"
		}},
		"another key": {alone: true, args: "check", code: codeFailed, says: "another key", spoil: func(s *fixture) {
			s.runs(codeFine, "check")
			s.environment["SLUICE_ENCRYPTION_KEY"] = base64.StdEncoding.EncodeToString([]byte("another key of thirty-two bytes!"))
		}},
		"a spent day": {alone: true, args: "sync", code: codeBudget, says: "waiting", options: sandbox.Options{Limits: sandbox.Limits{DailyInventory: 2}}},
		"a spent day to check": {alone: true, args: "check", code: codeBudget, options: sandbox.Options{Limits: sandbox.Limits{DailyInventory: 1}},
			spoil: func(s *fixture) { s.run("check") }},
		"a spent day to one record": {alone: true, args: "sync inventory.bills --id 460000000000107", code: codeBudget,
			options: sandbox.Options{Limits: sandbox.Limits{DailyInventory: 1}}, spoil: func(s *fixture) { s.run("check") }},
	}
	shared := newFixture(t, small)
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.options.Records == 0 {
				test.options.Seed, test.options.Records = small.Seed, small.Records
			}
			var s *fixture
			if test.alone {
				s = newFixture(t, test.options).narrow()
			} else {
				s = shared.beside(t)
			}
			if test.spoil != nil {
				test.spoil(s)
			}
			o := s.run(strings.Fields(test.args)...)
			errorIf(t, o.code != test.code || !strings.Contains(o.stderr+o.stdout, test.says) || o.code != codeFine && o.stderr+o.stdout == "",
				"exit code %d, want %d and %q\n%s\n%s", o.code, test.code, test.says, o.stdout, o.stderr)
			errorIf(t, strings.Contains(o.stderr+o.stdout, "goroutine "), "a stack trace is no message: %s", o.stderr)
		})
	}
}

// TestUsageNamesTheCommand: a mistake in a command line leads to the help of the command in it.
func TestUsageNamesTheCommand(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"sync --al":           "Run 'sluice sync --help' for its arguments and flags.",
		"sync -x":             "Run 'sluice sync --help' for its arguments and flags.",
		"sync --org":          "Run 'sluice sync --help' for its arguments and flags.",
		"sync --json=perhaps": "Run 'sluice sync --help' for its arguments and flags.",
		"migrate now":         "Run 'sluice migrate --help' for its arguments and flags.",
		"quarantine show":     "Run 'sluice quarantine show --help' for its arguments and flags.",
		"syncc":               "Run 'sluice --help' for the commands and their flags.",
		"--al":                "Run 'sluice --help' for the commands and their flags.",
	} {
		var stdout, stderr buffer
		code := Main(t.Context(), strings.Fields(args), Env{Stdout: &stdout, Stderr: &stderr, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile})
		said := strings.Split(strings.TrimSpace(stderr.String()), "\n")
		errorIf(t, code != codeUsage || said[len(said)-1] != want || stdout.String() != "",
			"%s: exit code %d, want %d and at the end %q\n%s%s", args, code, codeUsage, want, stdout.String(), stderr.String())
	}
}

// beside gives a fixture with its own configuration and environment, on the database and the
// upstream of another.
func (s *fixture) beside(t *testing.T) *fixture {
	t.Helper()
	copied := *s
	copied.t, copied.environment, copied.config = t, maps.Clone(s.environment), filepath.Join(t.TempDir(), "config.yaml")
	text := sure(os.ReadFile(s.config))(t)
	must(t, os.WriteFile(copied.config, text, 0o600))
	return &copied
}

func (s *fixture) holds(table string) {
	s.t.Helper()
	conn := sure(pgx.Connect(s.t.Context(), s.environment["SLUICE_DATABASE_URL"]))(s.t)
	s.t.Cleanup(func() { must(s.t, conn.Close(context.WithoutCancel(s.t.Context()))) })
	sure(conn.Exec(s.t.Context(), "BEGIN; LOCK TABLE "+table))(s.t)
}

func noDatabase(s *fixture) {
	s.environment["SLUICE_DATABASE_URL"] = "postgres://nobody@127.0.0.1:1/nothing?sslmode=disable&connect_timeout=2"
}

// TestAllMistakesAtOnce gives a configuration with many mistakes.
func TestAllMistakesAtOnce(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10})
	text := strings.NewReplacer("Asia/Kolkata", "Asia/Nowhere", "accounting: {plan: premium}", "accounting: {plan: golden}",
		"data_center: com", "data_center: moon", "name: Svc", "nam: Svc", "${SANDBOX_REFRESH_TOKEN}", "in-clear").Replace(s.configuration(sandbox.Options{Plan: plan}))
	must(t, os.WriteFile(s.config, []byte(text+"workers: many\n"), 0o600))
	for _, command := range []string{"sync", "check", "status", "serve", "migrate"} {
		o := s.run(command)
		o.says(t, codeUsage, "Asia/Nowhere", "golden", "moon", "nam", "refresh_token", "workers")
		errorIf(t, strings.Contains(o.stdout+o.stderr, "in-clear"), "%s repeats the secret:\n%s%s", command, o.stdout, o.stderr)
	}
}

// TestNobodyAnswers closes the token endpoint, too. Every stream then waits for the next token, a
// minute each time, and still has to end.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10}).narrow()
	s.upstream.Close()
	ended := make(chan outcome, 1)
	go func(ctx context.Context) { ended <- s.runContext(ctx, "sync", "--json", "inventory") }(t.Context())
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for minutes := 0; ; {
		select {
		case o := <-ended:
			result := s.synced(codeEnvironment, o)
			for _, r := range result.Streams {
				errorIf(t, r.Outcome != "failed" || r.Kind != "unavailable", "%s: %+v, want failed because upstream is unavailable", r.Key, r)
			}
			return
		case <-ticker.C:
		}
		if one[bool](s, `SELECT EXISTS (SELECT FROM river.river_job WHERE state = 'scheduled' AND scheduled_at > clock_timestamp())`) {
			minutes++
			fatalIf(t, minutes > 30, "streams wait for upstream for ever")
			s.pass(70 * time.Second)
		}
	}
}
