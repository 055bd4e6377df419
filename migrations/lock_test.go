package migrations_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline/warehouse/warehousetest"
)

// TestTheHolderOfTheLockIsNamed: any role that may connect can take the lock of migrations. A
// migration waits for it for a bounded time, and names its holder.
func TestTheHolderOfTheLockIsNamed(t *testing.T) {
	t.Parallel()
	url := warehousetest.New(t)
	holder := warehousetest.Connect(t, url)
	var pid string
	err := holder.QueryRow(t.Context(), `SELECT pg_backend_pid()::text FROM (SELECT set_config('application_name', 'a dashboard', false),
		pg_advisory_lock(126909663503205)) AS held`).Scan(&pid) // "sluice" in ASCII
	if err != nil {
		t.Fatal(err)
	}
	err = migrations.Lock(t.Context(), warehousetest.Connect(t, url), 300*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "pid "+pid+", role ") || !strings.Contains(err.Error(), `application "a dashboard"`) ||
		!strings.Contains(err.Error(), "pg_terminate_backend") {
		t.Fatalf("the error is: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- migrations.Migrate(ctx, url, migrations.Options{}) }()
	asksAgain(t, warehousetest.Connect(t, url), ended)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "pid "+pid) {
		t.Errorf("stopped while it waits: %v", err)
	}
	if err := holder.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := migrations.Migrate(t.Context(), url, migrations.Options{}); err != nil {
		t.Errorf("after the holder went: %v", err)
	}
}

// asksAgain returns when a migration has asked which session holds the lock, has its answer, and
// has asked again. The first question is seen three times: it is parsed, bound and executed.
func asksAgain(t *testing.T, conn *pgx.Conn, ended <-chan error) {
	t.Helper()
	asked := map[time.Time]bool{}
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for len(asked) <= 3 {
		select {
		case err := <-ended:
			t.Fatalf("it ended before: %v", err)
		case <-ticker.C:
		}
		var at *time.Time
		err := conn.QueryRow(t.Context(), `SELECT max(query_start) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name = 'sluice migrate' AND query LIKE '%pg_locks%'`).Scan(&at)
		if err != nil {
			t.Fatal(err)
		}
		if at != nil {
			asked[*at] = true
		}
	}
}
