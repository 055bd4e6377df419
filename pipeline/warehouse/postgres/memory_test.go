package postgres_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/postgres/local"
)

// TestASessionKeepsItsMemory counts the pages that the server's process finds missing while a statement asks for ever larger blocks and
// gives each back, as COPY does. The server tells only who may ask about its resources, so this is one of our own.
func TestASessionKeepsItsMemory(t *testing.T) {
	t.Parallel()
	server, err := local.Start(t.Context(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*time.Minute)
		defer cancel()
		if err := server.Stop(ctx); err != nil {
			t.Error(err)
		}
	})
	before, _ := missing(t, server.URL(), func(context.Context, *pgx.Conn) error { return nil })
	after, version := missing(t, server.URL(), postgres.KeepMemory)
	// 200 blocks of 205 to 1,200 kB have 34,000 pages of 4 kB.
	if strings.Contains(version, "linux-gnu") && (before < 10_000 || after > 1000) {
		t.Errorf("%d pages were missing without and %d with it on %s", before, after, version)
	}
}

// missing gives how many pages a new session finds missing after prepare, and the server's version.
func missing(t *testing.T, url string, prepare func(context.Context, *pgx.Conn) error) (int, string) {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { said = append(said, n.Detail) }
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	var version string
	if err := conn.QueryRow(t.Context(), `SELECT version()`).Scan(&version); err != nil {
		t.Fatal(err)
	}
	if err := prepare(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		`SET client_min_messages = log`, `SET log_statement_stats = on`,
		`SELECT max(octet_length(repeat('x', 200000 + 5000 * n))) FROM generate_series(1, 200) AS n`,
	} {
		if _, err := conn.PgConn().Exec(t.Context(), sql).ReadAll(); err != nil {
			t.Fatal(err)
		}
	}
	// "!	0/15263 [0/16021] page faults/reclaims, ...": of the statement, and of the session in brackets.
	found := regexp.MustCompile(`\d+/(\d+) \[\d+/\d+\] page faults`).FindAllStringSubmatch(strings.Join(said, "\n"), -1)
	if len(found) == 0 {
		t.Fatalf("the server says nothing about pages: %q", said)
	}
	pages, err := strconv.Atoi(found[len(found)-1][1])
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d pages", pages)
	return pages, version
}
