package publish_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/cmd/sluice-lake/catalog"
	"sluice/cmd/sluice-lake/publish"
	"sluice/connectors"
	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/lineage/rebuild"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema/record"
)

// The storm: so many bills of two organizations, written by so many processes at once.
const (
	stormBills   = 12
	stormWriters = 3
)

// loader writes bills as the program does.
type loader struct {
	*world
	*rand.Rand

	db         *warehouse.DB
	normalizer *record.Normalizer
	bills      pipeline.Stream
}

// of is the stream of an organization that does a work.
func (l *loader) of(organization string, work pipeline.Work) pipeline.Stream {
	stream := l.bills
	stream.Organization, stream.Work = organization, work
	return stream
}

// raw is a bill of any version; the whole one has its lines.
func (l *loader) raw(whole bool) string {
	id, total := 1+l.IntN(stormBills), l.IntN(1000)
	text := fmt.Sprintf(`{"bill_id":"%d","vendor_name":"Vendor %d","total":%d.25,"status":"open","last_modified_time":"2026-01-01T10:%02d:00+0000"`,
		id, total%7, total, l.IntN(60))
	if !whole {
		return text + "}"
	}
	lines := make([]string, l.IntN(4))
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"line_item_id":"%d-%d","name":"line %d","quantity":%d}`, id, i, total, l.IntN(9))
	}
	return text + `,"line_items":[` + strings.Join(lines, ",") + `]}`
}

// load loads an answer: of the list, of single records, or of the whole list, in which records may
// be missing.
func (l *loader) load(ctx context.Context, organization string, work pipeline.Work) error {
	stream := l.of(organization, work)
	claim, err := l.db.Claim(ctx, stream, pipeline.ClassOf(stream))
	if err != nil {
		return err
	}
	decision, err := l.db.Reserve(ctx, pipeline.Call{
		Organization: organization, Service: stream.Service.Name, Resource: stream.Key().Resource, Run: claim.Run, Method: "GET", Path: "/x",
	}, pipeline.Limits{Shared: "suite"})
	if err != nil {
		return err
	}
	batch := pipeline.Batch{Claim: claim, Call: decision.Call, Position: claim.Position, Details: work == pipeline.WorkDetails}
	for range 1 + l.IntN(stormBills) {
		r, err := l.normalizer.Record([]byte(l.raw(work == pipeline.WorkDetails)))
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(batch.Records, func(o record.Record) bool { return o.ID == r.ID }) {
			batch.Records = append(batch.Records, r)
		}
	}
	batch.Received = len(batch.Records)
	switch work {
	case pipeline.WorkDetails:
	case pipeline.WorkSweep:
		batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Whole: &pipeline.Whole{Started: time.Now().Add(time.Minute)}}
	default:
		batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
	}
	_, err = l.db.Load(ctx, batch)
	return err
}

// mend changes a row, as a person may, and lets a rebuild write it from its raw record again.
func (l *loader) mend(ctx context.Context, organization string) error {
	_, err := l.db.Pool().Exec(ctx, `UPDATE inventory.bills SET vendor_name = 'edited', _content_hash = decode(repeat('01', 16), 'hex'), _changed_at = clock_timestamp()
		WHERE organization_id = $1 AND bill_id = $2`, organization, fmt.Sprint(1+l.IntN(stormBills)))
	if err != nil {
		return err
	}
	return l.rebuild(ctx, organization)
}

func (l *loader) rebuild(ctx context.Context, organization string) error {
	_, err := rebuild.Run(ctx, l.db, l.of(organization, ""), rebuild.All,
		func(raw []byte, _ string) (record.Record, error) { return l.normalizer.Record(raw) }, nil)
	return err
}

// settle ends runs that were stopped.
func (l *loader) settle(organization string) {
	l.Helper()
	for _, work := range []pipeline.Work{"", pipeline.WorkDetails, pipeline.WorkSweep} {
		stream := l.of(organization, work)
		claim, err := l.db.Claim(l.Context(), stream, pipeline.ClassOf(stream))
		l.must(err)
		l.must(l.db.Settle(l.Context(), claim, pipeline.Settlement{State: pipeline.StateFailed, EndRun: true}))
	}
}

// expected are errors with which a process may end beside others.
func expected(err error) bool {
	return err == nil || errors.Is(err, pipeline.ErrLostClaim) || errors.Is(err, warehouse.ErrAtWork) || postgres.Deadlocked(err) || errors.Is(err, context.Canceled)
}

// openLoader opens the warehouse as the program does.
func (w *world) openLoader() *loader {
	w.Helper()
	l := &loader{world: w}
	for _, service := range connectors.All() {
		for i := range service.Resources {
			if service.Name == "inventory" && service.Resources[i].Name == "bills" {
				l.bills = pipeline.Stream{Service: &service, Resource: &service.Resources[i]}
			}
		}
	}
	var err error
	l.normalizer, err = record.New(l.bills.Resource, time.UTC)
	w.must(err)
	l.db, err = warehouse.Open(w.Context(), w.url, warehouse.Options{Absence: &pipeline.TombstoneRules{MaxRows: 100}})
	w.must(err)
	w.Cleanup(l.db.Close)
	var settings []warehouse.StreamSetting
	for _, organization := range []string{"1", "9"} {
		for _, work := range []pipeline.Work{"", pipeline.WorkDetails, pipeline.WorkSweep} {
			settings = append(settings, warehouse.StreamSetting{Key: l.of(organization, work).Key(), Every: time.Hour, Enabled: true})
		}
	}
	w.must(l.db.RegisterStreams(w.Context(), settings))
	return l
}

// TestAfterAStorm: the loader writes bills of two organizations in several processes at once, with
// lists, single records, deletions that are found and revoked, and rebuilds. Meanwhile publications
// and compactions come and are killed. Once it is quiet, the next publication makes the lake what
// the warehouse is.
func TestAfterAStorm(t *testing.T) {
	t.Parallel()
	w := open(t)
	l := w.openLoader()
	random := rand.New(rand.NewPCG(3, 5))
	killed, published := 0, 0
	for round := range 2 {
		// What a person edits is no change, and differs until it is undone.
		mends := round%2 == 1
		ctx, quiet := context.WithCancel(t.Context())
		var writers sync.WaitGroup
		for process := range stormWriters {
			writers.Go(func() {
				a := *l
				a.Rand = rand.New(rand.NewPCG(uint64(round), uint64(process)))
				works := []pipeline.Work{"", pipeline.WorkDetails, pipeline.WorkDetails, pipeline.WorkSweep}
				for ctx.Err() == nil {
					organization := []string{"1", "9"}[a.IntN(2)]
					var err error
					if at := a.IntN(9); at < 8 || !mends {
						err = a.load(ctx, organization, works[at%len(works)])
					} else {
						err = a.mend(ctx, organization)
					}
					if !expected(err) && ctx.Err() == nil {
						t.Errorf("a writer: %v", err)
						return
					}
				}
			})
		}
		for range 5 {
			if w.doom([]string{"publish", "publish", "compact"}[random.IntN(3)], random.IntN(250)) {
				killed++
				w.free()
			}
			switch _, err := w.publisher.Publish(t.Context()); {
			case err == nil:
				published++
			case !errors.Is(err, catalog.ErrBusy):
				t.Errorf("a publication beside writers: %v", err)
			}
			if found, err := w.publisher.Verify(t.Context()); err != nil {
				t.Errorf("verifying beside writers: %v", err)
			} else if at := slices.IndexFunc(found, func(v publish.Verification) bool { return !v.Equal }); at >= 0 && !mends {
				t.Errorf("beside writers it differs: %+v", found[at])
			}
		}
		quiet()
		writers.Wait()
		for _, organization := range []string{"1", "9"} {
			l.settle(organization)
			w.must(l.rebuild(t.Context(), organization))
		}
		w.publish()
		w.equal("inventory.bills")
		w.equal("inventory.bills_line_items")
		if found, err := w.publisher.Verify(t.Context()); err != nil || !found[0].Equal || !found[1].Equal {
			t.Errorf("round %d: verified %+v, %v", round, found, err)
		}
	}
	_, err := w.publisher.Expire(t.Context(), 0)
	w.must(err)
	w.equal("inventory.bills")
	if found := w.unused(); len(found) > 0 {
		t.Errorf("%d files are left that nothing refers to, such as %q", len(found), found[0])
	}
	ops := map[string]int{}
	rows, err := w.conn.Query(t.Context(), `SELECT op, count(*) FROM sluice.changes GROUP BY op`)
	w.must(err)
	var op string
	var n int
	for rows.Next() {
		w.must(rows.Scan(&op, &n))
		ops[op] = n
	}
	w.must(rows.Err())
	t.Logf("%d publications were killed, %d were not; rows of the log: %v", killed, published, ops)
	for _, op := range []string{"new", "changed", "completed", "deleted", "revived", "rewritten"} {
		check.ErrorIf(t, ops[op] == 0, "the storm has no %s: %v", op, ops)
	}
	check.ErrorIf(t, killed == 0 || published == 0, "%d publications were killed, %d were not: both are wanted", killed, published)
}
