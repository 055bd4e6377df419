package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-sandbox/demo"
	"sluice/sandbox"
)

// keptDemo is a demo that stays up.
type keptDemo struct {
	t         *testing.T
	out, errs buffer
	ended     chan error
	interrupt context.CancelFunc
	// environment has the lines that it printed for other commands, console the address of the
	// pages.
	environment map[string]string
	console     string
}

func demoOptions(t *testing.T, stdout, stderr io.Writer, records int) demo.Options {
	t.Helper()
	self := sure(os.Executable())(t)
	return demo.Options{
		Sluice: self, Environment: []string{asProgram + "=1"}, Records: records, Seed: 1, Stdout: stdout, Stderr: stderr,
	}
}

func keepDemo(t *testing.T) *keptDemo {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	t.Cleanup(interrupt)
	d := &keptDemo{t: t, ended: make(chan error, 1), interrupt: interrupt, environment: map[string]string{}}
	options := demoOptions(t, &d.out, &d.errs, 200)
	options.Keep = true
	go func() { d.ended <- demo.Run(ctx, options) }()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !strings.Contains(d.out.String(), "export SLUICE_ENCRYPTION_KEY=") {
		select {
		case err := <-d.ended:
			t.Fatalf("the demo ended: %v\n%s\n%s", err, d.out.String(), d.errs.String())
		case <-ticker.C:
		}
	}
	for line := range strings.Lines(d.out.String()) {
		line = strings.TrimSpace(line)
		if address, found := strings.CutPrefix(line, "The console is at "); found {
			d.console = address
		}
		if export, found := strings.CutPrefix(line, "export "); found {
			name, value, _ := strings.Cut(export, "=")
			d.environment[name] = strings.Trim(value, "'")
		}
	}
	return d
}

func (d *keptDemo) run(command, says string) {
	d.t.Helper()
	var stdout, stderr buffer
	code := Main(d.t.Context(), strings.Fields(command), Env{
		Stdout: &stdout, Stderr: &stderr, ReadFile: os.ReadFile, Now: time.Now,
		LookupEnv: func(name string) (string, bool) {
			value, ok := d.environment[name]
			return value, ok
		},
	})
	errorIf(d.t, code != codeFine || !strings.Contains(stdout.String(), says),
		"%s: exit code %d, want 0 and %q\n%s%s", command, code, says, stdout.String(), stderr.String())
}

func (d *keptDemo) page() (string, error) {
	request, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.console, nil)
	if err != nil {
		return "", err
	}
	client := http.Client{Timeout: time.Minute}
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return response.Status + "\n" + string(text), err
}

func (d *keptDemo) changes(table string) {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	conn := sure(pgx.Connect(ctx, d.environment["DEMO_DATABASE_URL"]))(d.t)
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var from time.Time
	must(d.t, conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&from))
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for changed := 0; changed == 0; <-ticker.C {
		err := conn.QueryRow(ctx, "SELECT count(*) FROM "+table+" WHERE _changed_at > $1", from).Scan(&changed)
		fatalIf(d.t, err != nil, "no row of %s changes: %v", table, err)
	}
}

// TestDemoKeep runs the demo until it stays up: the console answers, rows change, something waits
// for a person, other commands work, and an interrupt leaves nothing behind.
func TestDemoKeep(t *testing.T) {
	t.Parallel()
	d := keepDemo(t)
	if page, err := d.page(); err != nil || !strings.HasPrefix(page, "200 OK\n") || !strings.Contains(page, "inventory.bills") {
		t.Errorf("the console at %q shows %v\n%s", d.console, err, page)
	}
	d.changes("inventory.bills")
	for command, says := range map[string]string{
		"status": "inventory.bills", "check": "Sandbox Trading", "runs": "done", "sync inventory.taxes": "records read with", "migrate": "up to date",
		"quarantine list": "bad_number", "tombstones review": "inventory.credit_notes",
	} {
		d.run(command, says)
	}
	config := d.environment["SLUICE_CONFIG"]
	info := sure(os.Stat(config))(t)
	errorIf(t, info.Mode().Perm() != 0o600, "the configuration has mode %o", info.Mode().Perm())
	address := sure(url.Parse(d.environment["DEMO_DATABASE_URL"]))(t)
	sockets := address.Query().Get("host")
	sure(os.Stat(sockets))(t)
	d.interrupt()
	err := <-d.ended
	errorIf(t, err != nil, "the demo ended: %v\n%s", err, d.errs.String())
	for _, folder := range []string{filepath.Dir(config), filepath.Dir(sockets)} {
		if left, err := os.Stat(folder); err == nil {
			t.Errorf("%s is left behind", left.Name())
		}
	}
	page, err := d.page()
	errorIf(t, err == nil, "the console still answers:\n%s", page)
}

// TestReadmeShowsWhatTheDemoPrints runs the demo and looks for every line that the README shows as
// its output. It ignores what differs between two runs (addresses, times, moments of load) and
// between two days, on which the company has other figures: numbers and the rows of answers.
func TestReadmeShowsWhatTheDemoPrints(t *testing.T) {
	t.Parallel()
	readme := sure(os.ReadFile("../../../README.md"))(t)
	_, rest, found := strings.Cut(string(readme), "## What the demo prints")
	_, rest, fenced := strings.Cut(rest, "```text\n")
	shown, _, closed := strings.Cut(rest, "```")
	fatalIf(t, !found || !fenced || !closed, "README.md has no block that shows the demo")
	var out, errs bytes.Buffer
	err := demo.Run(t.Context(), demoOptions(t, &out, &errs, 400))
	fatalIf(t, err != nil, "the demo failed: %v\n%s\n%s", err, out.String(), errs.String())
	printed := make(map[string]bool)
	for line := range strings.Lines(out.String()) {
		printed[steady(line)] = true
	}
	lines := 0
	for line := range strings.Lines(shown) {
		if strings.TrimSpace(line) == "…" {
			continue
		}
		lines++
		if strings.HasPrefix(line, sandbox.DefaultOrganizationID+" ") || strings.HasPrefix(line, "and ") {
			continue
		}
		errorIf(t, !printed[steady(line)], "README.md shows a line that the demo does not print:\n%s", line)
	}
	errorIf(t, lines < 8, "README.md shows %d lines of the demo: that is not what it is like", lines)
}

// steady masks what differs between two runs.
func steady(line string) string {
	for _, mask := range []string{
		`127\.0\.0\.1:\d+`, `\d+(\.\d+)? (s|min)\b`, `at most \d+ (in any|at once)`, `\b\d[\d,.]*`, ` +`, `~( ~)+`,
	} {
		line = regexp.MustCompile(mask).ReplaceAllString(line, " ~ ")
	}
	return strings.TrimSpace(line)
}

// TestSandboxVendor: a vendor of another name is one to sluice as well: scheme, scopes and the
// header that names the organization contain it.
func TestSandboxVendor(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 20, Vendor: "Acme", Limits: sandbox.Limits{Off: true}})
	for _, args := range [][]string{{"check"}, {"sync", "invoicing.currencies", "inventory.taxes"}} {
		o := s.run(args...)
		fatalIf(t, o.code != codeFine, "%v: %d\n%s\n%s", args, o.code, o.stdout, o.stderr)
	}
	s.counts(6, "currencies", `SELECT count(*) FROM invoicing.currencies`) // the sandbox's business has six.
}

// TestAgainstAStrictSandbox: sluice itself sends nothing that the sandbox accepts beyond the
// documents: where it names the organization, what chat requires, which scheme.
func TestAgainstAStrictSandbox(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 84, Records: 20, Strict: true, Limits: sandbox.Limits{Off: true}})
	s.runs(codeFine, "check")
	s.sync(codeFine, "invoicing.currencies", "inventory.taxes", "billing", "chat", "accounting.chart_of_accounts")
}
