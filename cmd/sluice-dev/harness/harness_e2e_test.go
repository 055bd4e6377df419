//go:build e2e

package harness

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// open opens a testbed without processes.
func open(t *testing.T) *Bed {
	t.Helper()
	g, err := Open(t.Context(), Options{Seed: 5, Records: 60, Minute: time.Minute})
	must(t, err)
	t.Cleanup(func() {
		if err := g.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return g
}

// TestTheJudgeBites checks that the judge finds an empty warehouse in every resource, rows without
// a record upstream, unfinished work, and more calls in a minute than are allowed.
func TestTheJudgeBites(t *testing.T) {
	t.Parallel()
	g := open(t)
	pool := g.Pool
	for _, sql := range []string{
		`INSERT INTO sluice.streams (organization_id, service, resource, every, enabled, state, requested_gen)
			VALUES ('1', 'inventory', 'bills', '1 hour', true, 'running', 3)`,
		`INSERT INTO sluice.streams (organization_id, service, resource, every, enabled, state)
			VALUES ('1', 'inventory', 'items', '1 hour', true, 'idle')`,
		// The first job serves a stream; the second came too late, and costs the next process a
		// look at the queue.
		`INSERT INTO river.river_job (kind, queue, args, max_attempts, state) SELECT 'stream', 'streams',
			jsonb_build_object('organization', '1', 'service', 'inventory', 'resource', r), 1, 'available' FROM unnest('{bills,items}'::text[]) r`,
		// 30 of them ended a minute before the others were reserved.
		`INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, finished_at, lease_until, free_at)
			SELECT '1', 'inventory', 'bills', 'sweep', 'suite', 'GET', '/bills', at, at + interval '70 seconds', at + interval '2 minutes', at + interval '130 seconds'
			FROM generate_series(1, 131) AS n, LATERAL (SELECT now() + CASE WHEN n <= 30 THEN interval '-3 minutes' ELSE n * interval '1 millisecond' END) AS c (at)`,
	} {
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	v, err := g.Judge(t.Context(), pool)
	must(t, err)
	want := []string{"1 streams are not idle", "1 streams were asked for in vain", "1 jobs are not finished: stream bills available",
		"101 slots of a minute were held (100 allowed)"}
	records := 0
	for service, names := range Resources() {
		for _, name := range names {
			n := 0
			for range g.World.Truth(service, name) {
				n++
			}
			records += n
			want = append(want, fmt.Sprintf("invariant 8: %s.%s: %d differences in %d records", service, name, n, n))
		}
	}
	for _, w := range want {
		if !slices.ContainsFunc(v.Violations, func(have string) bool { return strings.Contains(have, w) }) {
			t.Errorf("%q is not among %q", w, v.Violations)
		}
	}
	if len(v.Violations) != len(want) || v.Records != records {
		t.Errorf("%d violations and %d records, want %d and %d: %q", len(v.Violations), v.Records, len(want), records, v.Violations)
	}
}

// TestAFullServerAndALockedTable checks that the faults of the server have their effect, and end.
func TestAFullServerAndALockedTable(t *testing.T) {
	t.Parallel()
	g := open(t)
	letGo, err := g.Postgres.LockTable(t.Context(), Database, "inventory.bills")
	must(t, err)
	locked := func() bool {
		_, err := g.Pool.Exec(t.Context(), `BEGIN; LOCK TABLE inventory.bills IN ACCESS SHARE MODE NOWAIT; COMMIT`)
		return err != nil && strings.Contains(err.Error(), "55P03")
	}
	if !locked() {
		t.Error("the table is not locked")
	}
	letGo()
	if letGo, err = g.Postgres.Crowd(t.Context(), Database); err != nil {
		t.Fatal(err)
	}
	if conn, err := g.Postgres.Fresh(t.Context(), "one_more", Empty); err == nil {
		if conn.Ping(t.Context()) == nil {
			t.Error("there is a connection left")
		}
		conn.Close()
	}
	letGo()
	must(t, g.Postgres.Crash(t.Context()))
	must(t, g.Postgres.Start(t.Context()))
	pool, err := g.Postgres.Fresh(t.Context(), "one_more", Empty)
	must(t, err)
	defer pool.Close()
	if err := pool.Ping(t.Context()); err != nil {
		t.Errorf("after a crash: %v", err)
	}
}
