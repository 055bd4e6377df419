package cells_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/cells"
	"sluice/pipeline/warehouse/changes"
)

// guarded are the tables that refuse rows themselves. The others of an organization are written in
// transactions that write one of these, or follow a call: what is written late is dropped.
const guarded = `
sluice.adoptions sluice.backfills sluice.callbacks sluice.calls sluice.capabilities sluice.certificates sluice.channel_gaps
sluice.closings sluice.drift sluice.erased_records sluice.erased_values sluice.erasures sluice.hints sluice.keys sluice.lateness
sluice.organizations sluice.parents sluice.quarantine sluice.rebuilds sluice.runs sluice.streams sluice.tombstones`

// away reports whether an error says that the organization is at home elsewhere.
func away(err error) bool {
	refusal, ok := errors.AsType[*pgconn.PgError](err)
	return ok && refusal.Code == "SLC01" && strings.Contains(refusal.Message, moving) && strings.Contains(refusal.Hint, "sluice fleet status")
}

//nolint:dupword // columns repeat values
func TestRowsOfOthersAreRefused(t *testing.T) {
	t.Parallel()
	m := fleet(t, "a")[0]
	m.settle(moving)
	tables := strings.Fields(guarded)
	m.fill(moving, 1000, m.moves())
	found := list[string](m, `SELECT tgrelid::regclass::text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
		WHERE tgname = 'at_home' AND NOT c.relispartition ORDER BY 1`)
	if !slices.Equal(found, tables) {
		t.Errorf("guarded are %v,\nwant %v", found, tables)
	}
	for _, state := range []cells.State{cells.Here, cells.Leaving, cells.Sealed, cells.Left, cells.Arriving, cells.Arrived, ""} {
		if state == "" {
			m.exec(`DELETE FROM sluice.homes`)
		} else {
			m.exec(`UPDATE sluice.homes SET state = $1`, state)
		}
		for _, table := range tables {
			if table == "sluice.streams" {
				continue // statements leave it out
			}
			_, err := m.pool.Exec(t.Context(), `UPDATE `+table+` SET organization_id = organization_id WHERE organization_id = $1`, moving)
			refuses := state != cells.Here && state != cells.Leaving && table != "sluice.calls" // an answer may come late
			if refuses && !away(err) || !refuses && err != nil {
				t.Errorf("%s of an organization that is %q: %v", table, state, err)
			}
		}
		_, err := m.pool.Exec(t.Context(), `INSERT INTO sluice.calls (organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, free_at)
			VALUES ($1, 's', 'r', 'sweep', 's', 'GET', '/', now(), now(), now())`, moving)
		if refuses := state != cells.Here && state != cells.Leaving; refuses && !away(err) || !refuses && err != nil {
			t.Errorf("a call of an organization that is %q: %v", state, err)
		}
	}
	// A table of a later version is guarded at the next migration of the fleet.
	m.exec(`CREATE TABLE sluice.laters (organization_id text COLLATE "C" NOT NULL)`)
	m.must(m.Guard(t.Context()))
	if _, err := m.pool.Exec(t.Context(), `INSERT INTO sluice.laters VALUES ($1)`, moving); !away(err) {
		t.Errorf("a new table takes a row: %v", err)
	}
}

// TestADatabaseByItselfIsNotGuarded: a warehouse that is no cell refuses nothing.
//
//nolint:dupword // columns repeat values
func TestADatabaseByItselfIsNotGuarded(t *testing.T) {
	t.Parallel()
	m := fleet(t, "a")[0]
	m.exec(`DELETE FROM sluice.cell`)
	m.exec(`INSERT INTO sluice.hints (organization_id, service, resource, record_id, operation, first_at, last_at, due_at) VALUES ($1, 's', 'r', '1', '', now(), now(), now())`, moving)
	if found, err := cells.Away(t.Context(), m.pool, []string{moving}); err != nil || len(found) != 0 {
		t.Errorf("%v are away, error %v", found, err)
	}
	if _, err := m.Cell(t.Context()); !errors.Is(err, cells.ErrNoCell) {
		t.Errorf("the error is %v", err)
	}
}

// TestWorkOfAnOrganizationThatMoves: calls stop first, then everything; what is for all
// organizations goes on for the others (invariant 9).
func TestWorkOfAnOrganizationThatMoves(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	m := fleetOf(t, "cells_things", migratedThings, "a")[0]
	m.settle(moving, other)
	db := m.process(calls.Rules{})
	m.must(register(ctx, db, moving, other))
	claim, err := db.Claim(ctx, streamOf(moving), pipeline.ClassIncremental)
	m.must(err)
	reserve := func() pipeline.Decision {
		t.Helper()
		decision, err := db.Reserve(ctx, callOf(moving, claim.Run), pipeline.Limits{Shared: "suite"})
		m.must(err)
		return decision
	}
	first := reserve()
	if first.Refused != "" {
		t.Fatalf("%+v", first)
	}
	due := func(most int) []string {
		t.Helper()
		tx, err := m.pool.Begin(ctx)
		m.must(err)
		defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
		for _, sql := range []string{`SET LOCAL sluice.moving = 'on'`, `UPDATE sluice.streams SET next_due_at = now() - CASE organization_id
			WHEN ` + quoted(moving) + ` THEN 2 ELSE 1 END * interval '1 hour', state = 'idle'`, `SET LOCAL sluice.moving = 'off'`} {
			_, err := tx.Exec(ctx, sql)
			m.must(err)
		}
		taken, err := db.TakeDue(ctx, tx, most)
		m.must(err)
		m.must(tx.Commit(ctx))
		var organizations []string
		for _, key := range taken {
			organizations = append(organizations, key.Organization)
		}
		slices.Sort(organizations)
		return organizations
	}
	if taken := due(2); !slices.Equal(taken, []string{moving, other}) {
		t.Errorf("streams of %v are due", taken)
	}
	m.exec(`UPDATE sluice.homes SET state = 'leaving' WHERE organization_id = $1`, moving)
	if decision := reserve(); decision.Refused != pipeline.RefusedAway || decision.Wait <= 0 {
		t.Errorf("a call of an organization that leaves: %+v", decision)
	}
	// What was begun ends.
	m.must(db.Finish(ctx, first.Call, pipeline.CallResult{Status: 200}))
	if loaded, err := db.Load(ctx, batchOf(claim, first.Call, thing(t, 1, "begun", time.Now()))); err != nil || loaded.Inserted != 1 {
		t.Errorf("%+v, %v", loaded, err)
	}
	for _, state := range []cells.State{cells.Sealed, cells.Left, cells.Arriving, cells.Arrived} {
		m.exec(`UPDATE sluice.homes SET state = $2 WHERE organization_id = $1`, moving, state)
		if decision := reserve(); decision.Refused != pipeline.RefusedAway {
			t.Errorf("a call of an organization that is %s: %+v", state, decision)
		}
		if _, err := db.Load(ctx, batchOf(claim, 0, thing(t, 2, "late", time.Now()))); !away(err) {
			t.Errorf("a batch of an organization that is %s: %v", state, err)
		}
		if _, err := db.Claim(ctx, streamOf(moving), pipeline.ClassIncremental); !away(err) {
			t.Errorf("a claim of an organization that is %s: %v", state, err)
		}
		if err := db.Settle(ctx, claim, pipeline.Settlement{EndRun: true, State: pipeline.StateIdle}); err == nil {
			t.Errorf("a run of an organization that is %s ended", state)
		}
		if taken := due(1); !slices.Equal(taken, []string{other}) { // although the other one is more urgent
			t.Errorf("streams of %v are due while an organization is %s", taken, state)
		}
		if err := register(ctx, db, moving, other); err != nil {
			t.Errorf("registering streams beside those of an organization that is %s: %v", state, err)
		}
		if claim, err := db.Claim(ctx, streamOf(other), pipeline.ClassIncremental); err != nil {
			t.Errorf("a claim of another organization: %v", err)
		} else if err := db.Settle(ctx, claim, pipeline.Settlement{EndRun: true, State: pipeline.StateIdle}); err != nil {
			t.Errorf("the end of a run of another organization: %v", err)
		}
		if found, err := cells.Away(ctx, m.pool, []string{moving, other, "1"}); err != nil || len(found) != 2 || found[moving].State != state || found["1"].State != "" {
			t.Errorf("away are %v, error %v", found, err)
		}
	}
	if n := ask[int](m, `SELECT count(*) FROM shop.things`); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// TestHousekeepingGoesOn: what prunes all organizations is not stopped by rows of one that moves.
func TestHousekeepingGoesOn(t *testing.T) {
	t.Parallel()
	m := fleet(t, "a")[0]
	m.settle(moving, other)
	m.fill(moving, 1000, m.moves())
	m.fill(other, 2000, m.moves())
	// A record of each organization that upstream deleted long ago.
	m.exec(`UPDATE sluice.tombstones SET service = 'inventory', resource = 'taxes', record_id = replace(record_id, 'k', 't'), decided_at = '2020-01-01', deleted_at = '2020-01-01', pruned_at = NULL
		WHERE record_id IN ('k1000', 'k2000')`)
	m.exec(`UPDATE inventory.taxes SET tax_id = replace(tax_id, 'k', 't'), _deleted_at = '2020-01-01' WHERE tax_id IN ('k1000', 'k2000')`)
	m.exec(`UPDATE sluice.homes SET state = 'sealed' WHERE organization_id = $1`, moving)
	was := m.contents(moving, []string{"inventory.taxes", "sluice.tombstones"})
	for _, prune := range []string{
		"prune_gone('3 days')", "prune_runs('40 days')", "prune_quarantine('3 days', '3 days', '3 days')", "prune_calls(30)", "prune_changes('3 days')",
		"prune_actions('40 days')", "prune_raw('3 days')",
	} {
		if _, err := m.pool.Exec(t.Context(), `SELECT sluice.`+prune); err != nil {
			t.Errorf("%s: %v", prune, err)
		}
	}
	same(t, "rows of an organization that is sealed", was, m.contents(moving, []string{"inventory.taxes", "sluice.tombstones"}))
	if n := ask[int](m, `SELECT count(*) FROM inventory.taxes WHERE organization_id = $1`, other); n != rowsEach-1 {
		t.Errorf("%d rows of another organization are left, want %d: one has an old tombstone", n, rowsEach-1)
	}
}

// TestLocksOfManyOrganizations: a statement about all organizations needs no more locks than the
// server has room for.
func TestLocksOfManyOrganizations(t *testing.T) {
	t.Parallel()
	m := fleet(t, "a")[0]
	m.exec(`INSERT INTO sluice.homes (organization_id, state) SELECT 'o' || i, 'here' FROM generate_series(1, 3000) AS i`)
	m.exec(`INSERT INTO sluice.organizations (organization_id, name) SELECT 'o' || i, 'O' FROM generate_series(1, 3000) AS i`)
	tx, err := m.pool.Begin(t.Context())
	m.must(err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	var locks, rows int
	m.must(tx.QueryRow(t.Context(), `WITH u AS (UPDATE sluice.organizations SET checked_at = now() RETURNING 1) SELECT count(*) FROM u`).Scan(&rows))
	m.must(tx.QueryRow(t.Context(), `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`).Scan(&locks))
	if rows != 3000 || locks > 256 {
		t.Errorf("%d locks for %d organizations", locks, rows)
	}
}

// drains runs a move, and returns when it waits for work for the first time.
func drains(t *testing.T, m *cells.Move) <-chan error {
	t.Helper()
	waits := make(chan struct{}, 1)
	m.Progress = func(step cells.Step, _ string, _ int64) {
		if step == cells.Draining {
			select {
			case waits <- struct{}{}:
			default:
			}
		}
	}
	done := make(chan error, 1)
	go func() { done <- m.Run(t.Context()) }()
	select {
	case <-waits:
	case err := <-done:
		t.Errorf("the move did not wait: %v", err)
		done <- err
	}
	return done
}

// TestAMoveWaitsForTransactions: what a transaction of before writes moves, too; and meanwhile no
// other transaction waits for the move.
func TestAMoveWaitsForTransactions(t *testing.T) {
	t.Parallel()
	for _, isolation := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead} {
		t.Run(string(isolation), func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			both := fleet(t, "a", "b")
			source, target := both[0], both[1]
			source.settle(moving)
			entry := func(q changes.Execer, path string) error {
				_, err := q.Exec(ctx, `INSERT INTO sluice.drift (organization_id, service, resource, path, kind, seen) VALUES ($1, 's', 'r', $2, '', 1)`, moving, path)
				return err
			}
			before, err := source.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: isolation})
			source.must(err)
			defer func() { _ = before.Rollback(context.WithoutCancel(ctx)) }()
			source.must(entry(before, "before"))
			late, err := source.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: isolation})
			source.must(err)
			defer func() { _ = late.Rollback(context.WithoutCancel(ctx)) }()
			_, err = late.Exec(ctx, `SELECT 1`) // its snapshot
			source.must(err)
			moves := move(source, target)
			done := drains(t, moves)
			wants(source, target, cells.Leaving, cells.Arriving)
			beside, cancel := context.WithTimeout(ctx, 2*time.Minute)
			if _, err := source.pool.Exec(beside, `INSERT INTO sluice.drift (organization_id, service, resource, path, kind, seen) VALUES ($1, 's', 'r', 'beside', '', 1)`, moving); err != nil {
				t.Errorf("a transaction waits for the move: %v", err)
			}
			cancel()
			source.must(before.Commit(ctx))
			source.must(<-done)
			wants(source, target, cells.Left, cells.Here)
			if found := list[string](target, `SELECT path FROM sluice.drift ORDER BY 1`); !slices.Equal(found, []string{"before", "beside"}) {
				t.Errorf("the target has %v", found)
			}
			// One that began before and asks now sees the state of now, or ends.
			err = entry(late, "late")
			if refusal, ok := errors.AsType[*pgconn.PgError](err); !ok || refusal.Code != "SLC01" && refusal.Code != "40001" {
				t.Errorf("%s: a row that is written after the move: %v", isolation, err)
			}
		})
	}
}

// TestAMoveWaitsForASealedTransaction: a transaction that asked while workers might end what they
// had begun is waited for after the seal, too.
func TestAMoveWaitsForASealedTransaction(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	both := fleet(t, "a", "b")
	source, target := both[0], both[1]
	source.settle(moving)
	first := move(source, target)
	first.Patience = time.Millisecond
	source.exec(`INSERT INTO sluice.live_calls (id, organization_id, shared, service, class, lease_until, free_at, bucket, place, day)
		VALUES (1, $1, 's', 's', 'sweep', now() + interval '1 hour', now() + interval '1 hour', now(), 1, '1 day')`, moving)
	refused(t, first.Run(ctx), cells.ErrUnderWay, moving, "1 calls", "--cancel")
	wants(source, target, cells.Leaving, cells.Arriving)

	tx, err := source.pool.Begin(ctx)
	source.must(err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	_, err = tx.Exec(ctx, `INSERT INTO sluice.drift (organization_id, service, resource, path, kind, seen) VALUES ($1, 's', 'r', 'p', '', 1)`, moving)
	source.must(err)
	source.exec(`UPDATE sluice.homes SET state = 'sealed'`) // as if the move had ended right after the seal
	done := drains(t, move(source, target))
	wants(source, target, cells.Sealed, cells.Arriving)
	source.must(tx.Commit(ctx))
	source.must(<-done)
	if n := ask[int](target, `SELECT count(*) FROM sluice.drift`); n != 1 {
		t.Errorf("the target has %d rows", n)
	}
}

// TestAMoveWaitsForCalls: a call that was reserved before is answered, and its answer moves with
// it.
func TestAMoveWaitsForCalls(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	both := fleetOf(t, "cells_things", migratedThings, "a", "b")
	source, target := both[0], both[1]
	source.settle(moving)
	db := source.process(calls.Rules{})
	call, err := db.Reserve(ctx, callOf(moving, 0), pipeline.Limits{Shared: "suite"})
	source.must(err)
	done := drains(t, move(source, target))
	wants(source, target, cells.Leaving, cells.Arriving)
	source.must(db.Finish(ctx, call.Call, pipeline.CallResult{Status: 200, Bytes: 77}))
	source.must(<-done)
	if found := ask[string](target, `SELECT concat(status, ' ', bytes, ' ', finished_at IS NOT NULL) FROM sluice.calls WHERE id = $1`, call.Call); found != "200 77 t" {
		t.Errorf("the call is %q in the target: the move did not wait for its answer", found)
	}
}

// TestAMoveWaitsForAReservation: a call whose reservation is not committed when the organization
// begins to leave is waited for, too.
func TestAMoveWaitsForAReservation(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	both := fleetOf(t, "cells_things", migratedThings, "a", "b")
	source, target := both[0], both[1]
	source.settle(moving)
	tx, err := source.pool.Begin(ctx)
	source.must(err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	var call int64
	var why string
	source.must(tx.QueryRow(ctx, `SELECT call_id, refused FROM sluice.reserve_call_on_timeline($1, 'shop', 'things', 'sweep', 0, 'GET', '/', 1, 'suite', 0, 0, 0,
		'2 minutes', '1 minute', '1 day', '{0,0,0,0,0,0}', '{1,1,1,1,1,1}', 0, '')`, moving).Scan(&call, &why))
	if call == 0 {
		t.Fatalf("refused: %s", why)
	}
	moves := move(source, target)
	done := drains(t, moves)
	source.must(tx.Commit(ctx))
	db := source.process(calls.Rules{})
	// Under way, so the organization is not sealed before the call has ended.
	wants(source, target, cells.Leaving, cells.Arriving)
	source.must(db.Finish(ctx, call, pipeline.CallResult{Status: 200}))
	source.must(<-done)
	if finished := ask[bool](target, `SELECT finished_at IS NOT NULL FROM sluice.calls WHERE id = $1`, call); !finished {
		t.Error("the move did not wait for the answer")
	}
}
