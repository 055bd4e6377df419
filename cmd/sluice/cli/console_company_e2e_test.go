//go:build e2e

package cli

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-sandbox/demo"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/sandbox"
)

// demoCompany is the company of the demo with its console, at rest: nothing changes unless a test
// changes it.
type demoCompany struct {
	t     *testing.T
	stage *demo.Stage
	cli   *cli
	app   *engine.App
	pages *pages
	url   string
	conn  *pgx.Conn
}

// companyRecords is enough that lists have several pages.
const companyRecords = 1000

func newDemoCompany(t *testing.T) *demoCompany {
	t.Helper()
	ctx := t.Context()
	var said buffer
	stage := sure(demo.Open(ctx, demoOptions(t, &said, t.Output(), companyRecords)))(t)
	t.Cleanup(func() { must(t, stage.Close(context.WithoutCancel(ctx))) })
	must(t, stage.Copy(ctx))
	m := &demoCompany{t: t, stage: stage, cli: &cli{env: Env{
		Stdout: &said, Stderr: t.Output(), LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now, scrub: outside.NewScrubber(),
	}}}
	m.app = m.opened(stage.Environment["DEMO_DATABASE_URL"])
	m.pages, m.url = &pages{cli: m.cli, app: m.app}, onShow(t, m.cli, m.app)
	m.conn = sure(pgx.Connect(ctx, stage.Environment["DEMO_DATABASE_URL"]))(t)
	t.Cleanup(func() { _ = m.conn.Close(context.WithoutCancel(ctx)) })
	return m
}

// onShow is the address of the console of an app, without a slash at its end.
func onShow(t *testing.T, c *cli, a *engine.App) string {
	t.Helper()
	listener := sure(c.openConsole(t.Context(), a, "127.0.0.1:0"))(t)
	t.Cleanup(func() { must(t, listener.stop(context.WithoutCancel(t.Context()))) })
	return strings.TrimSuffix(listener.url, "/")
}

// opened is an app with this address of the database.
func (m *demoCompany) opened(database string) *engine.App {
	m.t.Helper()
	options := m.cli.options()
	options.ConfigPath, options.LogLevel = "demo.yaml", "error"
	options.ReadFile = func(string) ([]byte, error) { return []byte(m.stage.Config), nil }
	options.LookupEnv = func(name string) (string, bool) {
		if name == "DEMO_DATABASE_URL" {
			return database, true
		}
		value, ok := m.stage.Environment[name]
		return value, ok
	}
	a := sure(engine.Open(m.t.Context(), options))(m.t)
	m.t.Cleanup(func() { must(m.t, a.Close(context.WithoutCancel(m.t.Context()))) })
	return a
}

// hold reads the list of credit notes until what was deleted upstream needs a decision. The other
// ones have a key that no declaration knows.
func (m *demoCompany) hold() {
	m.t.Helper()
	must(m.t, m.stage.Upstream.World.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/creditnotes", Kind: "extra_keys"}}))
	const believed = 2 // scans that have to miss a record
	for range believed {
		sure(m.cli.syncOnce(m.t.Context(), m.app, []string{"inventory.credit_notes"}, ""))(m.t)
	}
	if m.value(needReview) == "0" {
		m.t.Fatal("no deletion needs a decision")
	}
}

// needReview counts the deletions that need a decision.
const needReview = `SELECT count(*)::text FROM sluice.tombstones WHERE state = 'needs_review'`

// value reads one value as text.
func (m *demoCompany) value(sql string, args ...any) string {
	m.t.Helper()
	var value string
	if err := m.conn.QueryRow(m.t.Context(), sql, args...).Scan(&value); err != nil {
		m.t.Fatalf("%v\n%s", err, sql)
	}
	return value
}

func (m *demoCompany) exec(sql string, args ...any) {
	m.t.Helper()
	sure(m.conn.Exec(m.t.Context(), sql, args...))(m.t)
}

// patterns gives the pattern of an address of the console; "" if it has none.
func (m *demoCompany) patterns() func(address string) string {
	mux := http.NewServeMux()
	for _, route := range m.pages.routes() {
		mux.Handle(route.Pattern, http.NotFoundHandler())
	}
	return func(address string) string {
		request := sure(http.NewRequestWithContext(m.t.Context(), http.MethodGet, address, http.NoBody))(m.t)
		_, pattern := mux.Handler(request)
		return pattern
	}
}
