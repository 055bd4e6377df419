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

	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/sandbox"
)

// demoCompany is the company of the demo with its console, at rest: nothing changes unless a test
// changes it.
type demoCompany struct {
	t     *testing.T
	stage *demoStage
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
	c := &cli{env: Env{Stdout: &said, Stderr: t.Output(), LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now, scrub: outside.NewScrubber()}}
	stage := &demoStage{cli: c}
	t.Cleanup(func() { must(t, stage.close(context.WithoutCancel(ctx))) })
	must(t, stage.open(ctx, demoFlags{records: companyRecords, seed: 1, keep: true}))
	_, err := stage.sync(ctx, "first", nil)
	must(t, err)
	due := stage.dueWithin(time.Hour)
	must(t, stage.change(1, due))
	_, err = stage.sync(ctx, "second", due)
	must(t, err)
	must(t, stage.told(ctx, 1))
	m := &demoCompany{t: t, stage: stage, pages: &pages{cli: c, app: stage.app}, url: onShow(t, c, stage.app)}
	m.conn, err = pgx.Connect(ctx, stage.postgres.URL())
	must(t, err)
	t.Cleanup(func() { _ = m.conn.Close(context.WithoutCancel(ctx)) })
	return m
}

// onShow is the address of the console of an app, without a slash at its end.
func onShow(t *testing.T, c *cli, a *engine.App) string {
	t.Helper()
	listener, err := c.openConsole(t.Context(), a, "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { must(t, listener.stop(context.WithoutCancel(t.Context()))) })
	return strings.TrimSuffix(listener.url, "/")
}

// hold reads the list of credit notes until what was deleted upstream needs a decision. The other
// ones have a key that no declaration knows.
func (m *demoCompany) hold() {
	m.t.Helper()
	must(m.t, m.stage.upstream.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/creditnotes", Kind: "extra_keys"}}))
	const believed = 2 // scans that have to miss a record
	for range believed {
		_, err := m.stage.cli.syncOnce(m.t.Context(), m.stage.app, []string{"inventory.credit_notes"}, "")
		must(m.t, err)
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
	_, err := m.conn.Exec(m.t.Context(), sql, args...)
	must(m.t, err)
}

// patterns gives the pattern of an address of the console; "" if it has none.
func (m *demoCompany) patterns() func(address string) string {
	mux := http.NewServeMux()
	for _, route := range m.pages.routes() {
		mux.Handle(route.Pattern, http.NotFoundHandler())
	}
	return func(address string) string {
		request, err := http.NewRequestWithContext(m.t.Context(), http.MethodGet, address, http.NoBody)
		must(m.t, err)
		_, pattern := mux.Handler(request)
		return pattern
	}
}
