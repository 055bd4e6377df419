package cells_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/cells"
)

// ready returns two cells. The first one has rows of two organizations in each table that moves
// and in each that is dropped with them, and both are at home in it.
func ready(t *testing.T) (source, target *member) { //nolint:nonamedreturns // the names say which is which
	t.Helper()
	both := fleet(t, "a", "b")
	source, target = both[0], both[1]
	source.settle(moving, other)
	all := append(source.moves(), strings.Fields(dropped)...)
	source.fill(moving, 1000, all)
	source.fill(other, 2000, all)
	source.exec(`UPDATE sluice.live_calls SET finished_at = clock_timestamp()`) // nothing is under way
	return source, target
}

func move(from, to *member) *cells.Move {
	return &cells.Move{From: from.Database, To: to.Database, Organization: moving}
}

func run(t *testing.T, m *cells.Move) {
	t.Helper()
	if err := patiently(t, m.Run); err != nil {
		t.Fatal(err)
	}
}

// patiently repeats what another session hinders: that of a move that was killed outlives it for a
// moment.
func patiently(t *testing.T, do func(context.Context) error) error {
	t.Helper()
	for begun := time.Now(); ; {
		if err := do(t.Context()); !errors.Is(err, cells.ErrBusy) || time.Since(begun) > time.Minute {
			return err
		}
		select {
		case <-t.Context().Done():
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// same compares what two cells have, or one at two instants.
func same(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func nothing() map[string]string { return map[string]string{} }

// told returns the records of the organization that the log of changes of the cell tells of, by
// table.
func (m *member) told() map[string][]string {
	m.Helper()
	told := map[string][]string{}
	for _, line := range list[string](m, `SELECT DISTINCT c.table_name || ' ' || r.id FROM sluice.changes c, unnest(c.record_ids) AS r (id)
		WHERE c.organization_id = $1 AND c.op = 'rewritten' ORDER BY 1`, moving) {
		table, id, _ := strings.Cut(line, " ")
		told[table] = append(told[table], id)
	}
	return told
}

// TestAMoveTakesEveryRow: a row of each table goes there and back, and what is of another
// organization is not touched.
func TestAMoveTakesEveryRow(t *testing.T) {
	t.Parallel()
	source, target := ready(t)
	both := append(source.moves(), strings.Fields(dropped)...)
	was, others, kept := source.contents(moving, source.moves()), source.contents(other, both), source.contents(other, []string{"sluice.changes"})
	if len(was) != len(source.moves()) {
		t.Fatalf("%d of %d tables have rows", len(was), len(source.moves()))
	}
	// Each list of a service has three records, k1000 to k1002; an array is its parent's.
	lists := map[string][]string{}
	for _, table := range list[string](source, `SELECT c.oid::regclass::text FROM pg_class c JOIN sluice.service_schemas s ON s.name = c.relnamespace::regnamespace::text
		WHERE c.relkind = 'r' AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = '_parent_id')`) {
		lists[table] = []string{"k1000", "k1001", "k1002"}
	}
	if n := len(lists); n < 25 {
		t.Fatalf("%d lists", n)
	}
	run(t, move(source, target))
	wants(source, target, cells.Left, cells.Here)
	same(t, "rows of the organization", was, target.contents(moving, both))
	same(t, "rows that are left", nothing(), source.contents(moving, both))
	for _, m := range []*member{source, target} {
		if diff := cmp.Diff(lists, m.told()); diff != "" {
			t.Errorf("the log of changes of cell %s tells of other records (-want +got):\n%s", m.Database.Name, diff)
		}
	}
	// One row of sluice.organizations, and three of each other table.
	if home, err := target.Home(t.Context(), moving); err != nil || home.Rows == nil || *home.Rows != int64(3*len(was)-2) || home.Peer != "a" {
		t.Errorf("%+v, error %v: want %d rows", home, err, 3*len(was)-2)
	}
	if home, err := source.Home(t.Context(), moving); err != nil || home.DroppedAt == nil || home.Peer != "b" {
		t.Errorf("%+v, error %v: it is not said to be dropped", home, err)
	}
	run(t, move(source, target)) // nothing is left to do

	run(t, move(target, source))
	wants(target, source, cells.Left, cells.Here)
	same(t, "rows after the way back", was, source.contents(moving, both))
	same(t, "rows that are left after the way back", nothing(), target.contents(moving, both))
	same(t, "rows of another organization", others, source.contents(other, both))
	same(t, "changes of another organization", kept, source.contents(other, []string{"sluice.changes"}))
	same(t, "rows of another organization in the target", nothing(), target.contents(other, append(both, "sluice.changes")))
}

// TestNotificationsAreProvenAnew: a proof of the source's channels replaces no run in the target.
func TestNotificationsAreProvenAnew(t *testing.T) {
	t.Parallel()
	both := fleetOf(t, "few_tables", fewTables, "a", "b")
	source, target := both[0], both[1]
	source.settle(moving)
	source.exec(`INSERT INTO sluice.streams (organization_id, service, resource, every, told_until)
		VALUES ($1, 'books', 'proven', '1 hour', clock_timestamp() + interval '1 hour'), ($1, 'books', 'lapsed', '1 hour', 'epoch'),
			($1, 'books', 'never', '1 hour', NULL)`, moving)
	run(t, move(source, target))
	const proofs = `SELECT resource || ' ' || coalesce(extract(epoch FROM told_until)::text, 'unproven') FROM sluice.streams ORDER BY resource`
	if found, want := list[string](target, proofs), []string{"lapsed 0.000000", "never unproven", "proven unproven"}; !slices.Equal(found, want) {
		t.Errorf("in the target: %v, want %v", found, want)
	}
}

// numbered are the tables whose rows have a number.
const numbered = `sluice.runs sluice.backfills sluice.rebuilds sluice.quarantine sluice.callbacks notifications.events sluice.channel_gaps
	sluice.closings sluice.adoptions sluice.certificates sluice.erasures sluice.wants sluice.actions sluice.verifications sluice.processes sluice.calls`

// drawn draws a number of each sequence, and gives those of calls first.
func (m *member) drawn() []int64 {
	m.Helper()
	return list[int64](m, `SELECT nextval(s.n) FROM (
		SELECT CASE t WHEN 'sluice.calls' THEN 'sluice.call_numbers' ELSE pg_get_serial_sequence(t, 'id') END AS n, t FROM unnest($1::text[]) AS t
		ORDER BY t <> 'sluice.calls', t OFFSET 0) AS s`, strings.Fields(numbered))
}

func TestNumbersOfCells(t *testing.T) {
	t.Parallel()
	all := fleet(t, "a", "b", "c")
	a, b, c := all[0], all[1], all[2]
	n := len(strings.Fields(numbered))
	seen := map[string]string{}
	note := func(m *member, number int, numbers []int64) {
		t.Helper()
		if len(numbers) != n {
			t.Fatalf("%d sequences, want %d", len(numbers), n)
		}
		for i, drawn := range numbers {
			if key := fmt.Sprint(i, " ", drawn); seen[key] != "" {
				t.Errorf("number %d of sequence %d is drawn by cell %s and was by %s", drawn, i, m.Database.Name, seen[key])
			} else {
				seen[key] = m.Database.Name
			}
			if drawn%64 != int64(number) {
				t.Errorf("cell %s draws %d, whose remainder is %d and not %d", m.Database.Name, drawn, drawn%64, number)
			}
		}
	}
	for range 3 {
		for i, m := range all {
			note(m, i+1, m.drawn())
		}
	}
	a.settle(moving)
	a.exec(`SELECT setval('sluice.runs_id_seq', 640001, true)`)                      // a has drawn more runs,
	b.exec(`SELECT setval('sluice.quarantine_id_seq', 6400002, true)`)               // b more of something else,
	a.exec(`SELECT setval('sluice.call_numbers', 7 * 1000000000::bigint + 1, true)`) // and a is seven days ahead with calls
	for range 2 {
		for from, to := a, b; from != c; {
			before := from.drawn()
			note(from, 1+slices.Index(all, from), before)
			run(t, move(from, to))
			after := to.drawn()
			note(to, 1+slices.Index(all, to), after)
			if after[0] <= before[0] || slices.Min(after[1:]) <= slices.Max(before[1:]) {
				t.Errorf("cell %s draws %v after cell %s has drawn %v", to.Database.Name, after, from.Database.Name, before)
			}
			from, to = to, all[(slices.Index(all, to)+1)%3]
		}
		run(t, move(c, a))
	}
	for i, m := range all { // numbers of tables that are the cell's own follow, too
		note(m, i+1, m.drawn())
	}
	if next := ask[int64](a, `SELECT nextval('sluice.changes_seq_seq')`); next > 100 {
		t.Errorf("the log of changes has the number %d: it is the cell's own", next)
	}
}

// TestCallsOfOtherBlocks: the call log of the target gets the blocks that calls of the organization
// are in, and housekeeping drops none of them before its calls are old, and every one then.
func TestCallsOfOtherBlocks(t *testing.T) {
	t.Parallel()
	both := fleet(t, "a", "b")
	source, target := both[0], both[1]
	source.settle(moving)
	target.settle(other)
	//nolint:dupword // columns repeat values
	const call = `INSERT INTO sluice.calls (id, organization_id, service, resource, class, shared, method, path, reserved_at, lease_until, free_at, finished_at)
		VALUES ($1, $2, 'books', 'bills', 'sweep', 'suite', 'GET', '/', clock_timestamp() - $3 * interval '1 day', now(), now(), now())`
	const block = 1_000_000_000
	blocks := func(m *member) []string {
		m.Helper()
		return list[string](m, `SELECT substring(c.relname FROM '[0-9]+$') FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
			WHERE i.inhparent = 'sluice.calls'::regclass ORDER BY substring(c.relname FROM '[0-9]+$')::integer`)
	}
	prune := func(m *member) {
		m.Helper()
		m.exec(`SELECT sluice.prune_calls(30)`)
	}
	// The source is in block 2, and has a call of today in block 0. The target is in block 60, and
	// has dropped what is old.
	source.exec(`SELECT sluice.add_call_blocks('{2,3}')`)
	source.exec(`SELECT setval('sluice.call_numbers', $1, true)`, 2*block+1)
	source.exec(call, 70, moving, 0)
	source.exec(call, 2*block+1, moving, 0)
	target.exec(`SELECT sluice.add_call_blocks(ARRAY(SELECT generate_series(2, 61)))`)
	target.exec(`SELECT setval('sluice.call_numbers', $1, true)`, int64(60*block+2))
	for n := range 61 {
		target.exec(call, int64(n*block+130), other, 60-n)
	}
	prune(target)
	if found := blocks(target); found[0] != "30" && found[0] != "31" {
		t.Fatalf("the target has the blocks %v", found)
	}
	run(t, move(source, target))
	if found := list[int64](target, `SELECT id FROM sluice.calls WHERE organization_id = $1 ORDER BY id`, moving); !slices.Equal(found, []int64{70, 2*block + 1}) {
		t.Errorf("the target has the calls %v", found)
	}
	prune(target)
	prune(target)
	if found := blocks(target); !slices.Equal(found[:2], []string{"0", "2"}) {
		t.Errorf("calls of today are dropped: blocks %v are left", found)
	}
	// A call of long ago with a larger number than one of today, in one block.
	target.exec(call, 2*block+999, other, 80)
	prune(target)
	if n := ask[int](target, `SELECT count(*) FROM sluice.calls WHERE organization_id = $1`, moving); n != 2 {
		t.Errorf("%d calls of the organization are left", n)
	}
	target.exec(`UPDATE sluice.calls SET reserved_at = reserved_at - interval '40 days'`)
	target.exec(`UPDATE sluice.homes SET changed_at = changed_at - interval '40 days'`)
	prune(target)
	if found := blocks(target); found[0] == "0" || found[0] == "2" {
		t.Errorf("blocks %v are left although their calls are old", found)
	}
}

// TestAStreamWhoseJobStays: jobs do not move, and a stream that was taken as due has nothing else
// that says so. The target takes it as due again.
func TestAStreamWhoseJobStays(t *testing.T) {
	t.Parallel()
	both := fleetOf(t, "cells_things", migratedThings, "a", "b")
	source, target := both[0], both[1]
	source.settle(moving)
	source.must(register(t.Context(), source.process(calls.Rules{}), moving))
	for _, m := range both {
		db := m.process(calls.Rules{})
		var taken []pipeline.Key
		m.must(pgx.BeginFunc(t.Context(), m.pool, func(tx pgx.Tx) error {
			var err error
			taken, err = db.TakeDue(t.Context(), tx, 2)
			return err
		}))
		if len(taken) != 1 || taken[0] != streamOf(moving).Key() {
			t.Errorf("cell %s: streams %v are due", m.Database.Name, taken)
		}
		if m == source {
			run(t, move(source, target))
		}
	}
}
