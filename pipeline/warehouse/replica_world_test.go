package warehouse_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/lineage/rebuild"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema/record"
)

// followed is what of a record its followers have: values, unknown keys, tombstone and elements.
// %s names the tables.
const followed = `SELECT b.bill_id, jsonb_build_array(b.vendor_id, b.total, b.modified, b._extra, b._deleted_at,
	(SELECT jsonb_agg(jsonb_build_array(l._position, l.line, l._deleted_at) ORDER BY l._position) FROM %[2]s l
		WHERE l.organization_id = b.organization_id AND l._parent_id = b.bill_id))::text FROM %[1]s b`

// world is a store in which everything that writes bills happens.
type world struct {
	*storeFixture

	sweep      pipeline.Stream
	normalizer *record.Normalizer
	// others are connections of followers and of people.
	others *pgxpool.Pool
	// edited says that rows differ from their raw records, killed that a session was ended.
	edited, killed atomic.Bool
}

func openWorld(t *testing.T) *world {
	t.Helper()
	w := &world{storeFixture: openStore(t)}
	// Writers that wait for each other are found at once, not after a second.
	w.exec(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = ''10ms''', current_database()); END $$`)
	w.db = w.another(warehouse.Options{Absence: &pipeline.TombstoneRules{MaxRows: 100}})
	w.bills.Resource.Complete = "The test says so."
	w.sweep = w.bills
	w.sweep.Work = pipeline.WorkSweep
	check.Must(w, w.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{
		{Key: w.bills.Key(), Every: time.Hour, Enabled: true}, {Key: w.details.Key(), Every: time.Hour, Enabled: true},
		{Key: w.sweep.Key(), Every: time.Hour, Enabled: true},
	}))
	check.Must(w, w.db.RenewChanges(t.Context()))
	w.exec(`INSERT INTO sluice.organizations (organization_id, name) VALUES ('` + organization + `', 'Ours')`)
	w.exec(`ALTER TABLE store.bills_lines ADD _deleted_at timestamptz`)
	w.exec(`CREATE TABLE public.bills (LIKE store.bills INCLUDING ALL)`)
	w.exec(`CREATE TABLE public.bills_lines (LIKE store.bills_lines INCLUDING ALL)`)
	w.exec(`CREATE TABLE public.position AS SELECT analytics.changes_cursor() AS cursor`)
	w.normalizer = check.Sure(record.New(w.bills.Resource, time.UTC))(w)
	w.others = warehousetest.Pool(t, w.url)
	return w
}

// actor does what one process does, with choices of its own.
type actor struct {
	*world
	*rand.Rand

	// linger is how long a transaction stays open at most before it ends.
	linger time.Duration
}

const billsOfWorld = 6

func (a *actor) id() string { return fmt.Sprint(1 + a.IntN(billsOfWorld)) }

// bill is a record of a list or a single record, of any version.
func (a *actor) bill(whole bool) string {
	total, day := string(rune('a'+a.IntN(4))), 1+a.IntN(9)
	if whole {
		return singleBill(a.id(), total, day)
	}
	return header(a.id(), total, day)
}

// batch is an answer with records, each once.
func (a *actor) batch(ctx context.Context, claim pipeline.Claim, raws ...string) (pipeline.Batch, error) {
	decision, err := a.db.Reserve(ctx, pipeline.Call{
		Organization: organization, Service: "store", Resource: claim.Stream.Key().Resource, Run: claim.Run, Method: "GET", Path: "/x",
	}, pipeline.Limits{Shared: "suite"})
	if err != nil {
		return pipeline.Batch{}, err
	}
	batch := pipeline.Batch{Claim: claim, Call: decision.Call, Position: claim.Position, Details: claim.Stream.Work == pipeline.WorkDetails}
	for _, raw := range raws {
		r, err := a.normalizer.Record([]byte(raw))
		if err != nil {
			return batch, err
		}
		if !slices.ContainsFunc(batch.Records, func(o record.Record) bool { return o.ID == r.ID }) {
			batch.Records = append(batch.Records, r)
		}
	}
	batch.Received = len(batch.Records)
	return batch, nil
}

// ends makes a transaction linger, and sometimes be killed before it commits.
func (a *actor) ends() func(context.Context, pgx.Tx) error {
	killed, linger := a.IntN(6) == 0, time.Duration(a.Int64N(int64(a.linger)+1))
	return func(ctx context.Context, _ pgx.Tx) error {
		pause(ctx, linger)
		if killed {
			return errBoom
		}
		return nil
	}
}

func (a *actor) raws(most int, whole func() bool) []string {
	raws := make([]string, 1+a.IntN(most))
	for i := range raws {
		raws[i] = a.bill(whole())
	}
	return raws
}

// list loads one or two pages of the list.
func (a *actor) list(ctx context.Context) error {
	claim, err := a.db.Claim(ctx, a.bills, pipeline.ClassIncremental)
	if err != nil {
		return err
	}
	var batches []pipeline.Batch
	for range 1 + a.IntN(2) {
		batch, err := a.batch(ctx, claim, a.raws(3, func() bool { return a.IntN(4) == 0 })...)
		if err != nil {
			return err
		}
		batches = append(batches, batch)
	}
	last := &batches[len(batches)-1]
	last.End, last.Complete = &pipeline.End{Outcome: pipeline.OutcomeDone}, a.ends()
	_, err = a.db.Load(ctx, batches...)
	return err
}

// single loads single records, or asks for them in vain.
func (a *actor) single(ctx context.Context) error {
	claim, err := a.db.Claim(ctx, a.details, pipeline.ClassDetails)
	if err != nil {
		return err
	}
	batch, err := a.batch(ctx, claim, a.raws(3, func() bool { return true })...)
	if err != nil {
		return err
	}
	if a.IntN(3) == 0 {
		batch.Records, batch.Received, batch.Missing, batch.Unknown = nil, 0, []string{a.id()}, true
	}
	batch.Complete = a.ends()
	_, err = a.db.Load(ctx, batch)
	return err
}

// scan reads the whole list, in which records may be missing.
func (a *actor) scan(ctx context.Context) error {
	claim, err := a.db.Claim(ctx, a.sweep, pipeline.ClassSweep)
	if err != nil {
		return err
	}
	var raws []string
	for id := range billsOfWorld {
		if a.IntN(3) > 0 {
			raws = append(raws, header(fmt.Sprint(1+id), string(rune('a'+a.IntN(2))), 1+a.IntN(2)))
		}
	}
	if raws == nil {
		raws = []string{header("1", "a", 1)}
	}
	batch, err := a.batch(ctx, claim, raws...)
	if err != nil {
		return err
	}
	batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Whole: &pipeline.Whole{Started: time.Now().Add(time.Minute)}}
	batch.Complete = a.ends()
	_, err = a.db.Load(ctx, batch)
	return err
}

// edit makes rows differ from their raw records. That is no change of ours, but followers that read
// the row meanwhile have the edit until they are told that a rebuild undid it.
func (a *actor) edit(ctx context.Context, set, where string, args ...any) error {
	a.edited.Store(true)
	_, err := a.others.Exec(ctx, `UPDATE store.bills SET `+set+`, _content_hash = `+hashOfEdit+` WHERE `+where, args...)
	return err
}

// hashOfEdit is the hash of no record.
const hashOfEdit = `decode(repeat('01', 16), 'hex')`

// rebuild compares rows with their raw records, of which a person has edited one.
func (a *actor) rebuild(ctx context.Context) error {
	if err := a.edit(ctx, `total = 'edited'`, `bill_id = $1`, a.id()); err != nil {
		return err
	}
	return a.mend(ctx, rebuild.All)
}

// fill brings the values of an empty column to all rows. It is one that each raw record has: the
// single record has no vendor, and the list's may be replaced by it.
func (a *actor) fill(ctx context.Context) error {
	if err := a.edit(ctx, `total = NULL`, `true`); err != nil {
		return err
	}
	return a.mend(ctx, rebuild.Changed)
}

func (a *actor) mend(ctx context.Context, scope rebuild.Scope) error {
	_, err := rebuild.Run(ctx, a.db, a.bills, scope, func(raw []byte, _ string) (record.Record, error) { return a.normalizer.Record(raw) }, nil)
	return err
}

// kill ends a session at any statement, of a writer or of a follower. It does so seldom, since new
// sessions are dear.
func (a *actor) kill(ctx context.Context) error {
	if a.IntN(4) > 0 {
		return nil
	}
	pause(ctx, time.Duration(a.Int64N(int64(2*a.linger))))
	a.killed.Store(true)
	_, err := a.others.Exec(ctx, `SELECT pg_terminate_backend(s.pid) FROM (SELECT pid FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND state IN ('active', 'idle in transaction') ORDER BY random() LIMIT 1) AS s`)
	return err
}

// open is a transaction of others that has a number and stays open.
func (a *actor) open(ctx context.Context) error {
	return pgx.BeginFunc(ctx, a.others, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT pg_current_xact_id()`)
		pause(ctx, 2*a.linger)
		return err
	})
}

// expected says that an error is one with which a process may end beside others.
func expected(err error) bool {
	return err == nil || errors.Is(err, errBoom) || errors.Is(err, pipeline.ErrLostClaim) || errors.Is(err, warehouse.ErrAtWork) ||
		postgres.Deadlocked(err) || postgres.Unreachable(err) || errors.Is(err, context.Canceled)
}

// settleAll ends runs that were killed.
func (w *world) settleAll() {
	w.Helper()
	for _, stream := range []pipeline.Stream{w.bills, w.details, w.sweep} {
		claim := w.claimOf(stream)
		check.Must(w, w.db.Settle(w.Context(), claim, pipeline.Settlement{State: pipeline.StateFailed, EndRun: true}))
	}
}
