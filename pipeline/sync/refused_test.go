package sync_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"sluice/pipeline"
	"sluice/schema"
)

// batchOf reads a list that shows everything and has these records, in one answer.
func batchOf(t *testing.T, records ...string) pipeline.Batch {
	t.Helper()
	r := newFixture(newWorld(0), cursors()["full"])
	r.runner.Rules.PerPage, r.stream.Resource.Complete = 50, "It shows all."
	store := &units{memory: r.memory}
	page := pipeline.Page{Call: 1, Date: r.world.now}
	for _, record := range records {
		page.Records = append(page.Records, []byte(record))
	}
	r.runner.Source, r.runner.Store = answer(func(pipeline.Request) (pipeline.Page, error) { return page, nil }), store
	must(t, r.run(t.Context()))
	return store.all[0]
}

func wireThing(id string, value int) string {
	return fmt.Sprintf(`{"thing_id":%q,"value":%d,"created_time":"2026-01-01T00:00:00+0000","last_modified_time":"2026-01-0%dT00:00:00+0000"}`, id, value, value)
}

// TestClashingIdentifiersAreKept: one answer is one state of the list, so it does not say which of
// several records has a shared identifier. All are kept whole, and none is loaded (invariant 4).
// Equal bytes are one record.
func TestClashingIdentifiersAreKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		records    []string
		rows, kept string
		duplicates int
		proves     bool
	}{
		"all different":        {[]string{wireThing("1", 1), wireThing("2", 2)}, "1 2", "", 0, true},
		"one shown twice":      {[]string{wireThing("1", 1), wireThing("2", 2), wireThing("1", 1)}, "1 2", "", 1, true},
		"two under one":        {[]string{wireThing("1", 1), wireThing("2", 2), wireThing("1", 3)}, "2", wireThing("1", 1) + wireThing("1", 3), 0, false},
		"the older one second": {[]string{wireThing("1", 3), wireThing("1", 1)}, "", wireThing("1", 3) + wireThing("1", 1), 0, false},
		"three, two of them equal": {
			[]string{wireThing("1", 1), wireThing("1", 2), wireThing("1", 1), wireThing("1", 2), wireThing("3", 3)}, "3", wireThing("1", 1) + wireThing("1", 2), 2, false,
		},
	} {
		batch := batchOf(t, test.records...)
		var rows, kept []string
		for i := range batch.Records {
			rows = append(rows, batch.Records[i].ID)
		}
		for _, reject := range batch.Rejected {
			if kept = append(kept, string(reject.Raw)); reject.ID != "1" || reject.Code != "id_clash" || reject.Path != "thing_id" {
				t.Errorf("%s: kept as %+v", name, reject)
			}
		}
		errorIf(t, strings.Join(rows, " ") != test.rows || strings.Join(kept, "") != test.kept || batch.Duplicates != test.duplicates,
			"%s: rows %v, kept %v, %d duplicates", name, rows, kept, batch.Duplicates)
		got := len(batch.Records) + len(batch.Rejected) + batch.Duplicates
		errorIf(t, got != len(test.records), "%s: %d of %d records are accounted for", name, got, len(test.records))
		errorIf(t, (batch.End.Whole != nil) != test.proves || batch.End.Entire != test.proves, "%s: as evidence it is %+v", name, batch.End)
	}
}

// TestARejectedRecordHasItsIdentifierToo: a record that fits is not loaded if a rejected record of
// the same answer has its identifier.
func TestARejectedRecordHasItsIdentifierToo(t *testing.T) {
	t.Parallel()
	bad := strings.Replace(wireThing("1", 2), `"value":2`, `"value":"many"`, 1)
	for name, records := range map[string][]string{"in front": {bad, wireThing("1", 1), wireThing("2", 2)}, "behind": {wireThing("1", 1), wireThing("2", 2), bad}} {
		batch := batchOf(t, records...)
		errorIf(t, len(batch.Records) != 1 || batch.Records[0].ID != "2",
			"%s: %d records are loaded, want that of 2 alone", name, len(batch.Records))
		codes := map[string]string{}
		for _, reject := range batch.Rejected {
			codes[string(reject.Raw)] = reject.Code
		}
		errorIf(t, len(codes) != 2 || codes[bad] == "id_clash" || codes[wireThing("1", 1)] != "id_clash", "%s: kept are %v", name, codes)
	}
}

// TestRejectedRecordsWithOneIdentifier: two different records with one identifier make the answer
// no evidence of absence, also if neither fits; one of them shown twice does not.
func TestRejectedRecordsWithOneIdentifier(t *testing.T) {
	t.Parallel()
	bad := strings.Replace(wireThing("1", 2), `"value":2`, `"value":"many"`, 1)
	for other, proves := range map[string]bool{bad: true, strings.Replace(bad, "many", "few", 1): false} {
		batch := batchOf(t, bad, other, wireThing("2", 2))
		errorIf(t, len(batch.Records) != 1 || len(batch.Rejected) != 2 || (batch.End.Whole != nil) != proves,
			"with %s: %d loaded, kept are %+v; evidence is %+v, want some: %v", other, len(batch.Records), batch.Rejected, batch.End.Whole, proves)
	}
}

// units is a memory that remembers the batches it was given.
type units struct {
	*memory

	all []pipeline.Batch
}

// Load implements sync.Store.
func (u *units) Load(ctx context.Context, given ...pipeline.Batch) (pipeline.Loaded, error) {
	u.all = append(u.all, given...)
	return u.memory.Load(ctx, given...)
}

// nameless is a record without an identifier.
func nameless() []byte {
	return []byte(strings.Replace(string(things(9, 1)[0]), `"thing_id"`, `"thing"`, 1))
}

// TestDoubtStaysOverParents: if one list shows a record without an identifier, the run has not
// shown everything. So nothing is concluded from what it did not show.
func TestDoubtStaysOverParents(t *testing.T) {
	t.Parallel()
	f := newFamily(1, 1)
	r := newFamilyRig(f, fullScan())
	f.worlds["a"].records[0].ID = ""
	must(t, r.run(t.Context()))
	if end := r.memory.ends[0]; end.Entire || len(r.memory.rejects) != 1 || len(r.memory.order) != 2 {
		t.Errorf("end %+v, %d rejects, parents %v", end, len(r.memory.rejects), r.memory.order)
	}
}

// TestDoubtOfAnExport: an export raises the same doubt as a list.
func TestDoubtOfAnExport(t *testing.T) {
	t.Parallel()
	for _, odd := range []bool{false, true} {
		r := newRigOf(newWorld(0), resource(schema.Export{FieldsParam: "fields"}))
		records := things(0, 30)
		if odd {
			records = append(records, nameless())
		}
		r.runner.Source = answer(func(pipeline.Request) (pipeline.Page, error) {
			return pipeline.Page{Call: 1, Date: r.world.now, Records: records}, nil
		})
		must(t, r.run(t.Context()))
		end := r.memory.ends[0]
		errorIf(t, end.Entire == odd, "with a record without an identifier (%t): end %+v", odd, end)
	}
}

// answer is a source of one function.
type answer func(pipeline.Request) (pipeline.Page, error)

// Details implements sync.Source.
func (answer) Details(context.Context, pipeline.Request, []string) (pipeline.Page, error) {
	return pipeline.Page{}, errors.ErrUnsupported
}

// Page implements sync.Source.
func (a answer) Page(_ context.Context, request pipeline.Request) (pipeline.Page, error) {
	return a(request)
}

// Export implements sync.Source.
func (a answer) Export(_ context.Context, request pipeline.Request, each func(pipeline.Page) error) error {
	page, err := a(request)
	if err != nil {
		return err
	}
	return each(page)
}

func nopSettle(context.Context, pgx.Tx, bool) error { return nil }

func must(tb rapid.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// same compares with cmp.Diff.
func same[T any](tb testing.TB, what string, want, got T, options ...cmp.Option) {
	tb.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		tb.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// largePages is a list whose answers have turns, one at a time. A page that was requested early
// gets its turn only when it is in front.
type largePages struct {
	answer

	turn         chan struct{}
	mu           sync.Mutex
	taken, ended int
}

// Page implements sync.Source.
func (l *largePages) Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
	if front := pipeline.Front(ctx); front != nil {
		select {
		case <-front:
		case <-ctx.Done():
			return pipeline.Page{}, ctx.Err()
		}
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return pipeline.Page{}, ctx.Err()
	}
	l.count(&l.taken)
	page, err := l.answer(request)
	page.Turn = pipeline.NewTurn(func() {
		l.count(&l.ended)
		<-l.turn
	})
	return page, err
}

func (l *largePages) count(of *int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*of++
}

// TestEveryTurnEnds: whatever happens to a large answer, the next one arrives. When the chunk is
// over, no turn is held.
func TestEveryTurnEnds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		pages int
		// spoil, if not nil, makes reading or loading fail after the third page, the first time.
		spoil func(r *fixture, cancel context.CancelFunc)
		fails bool
	}{
		"all is loaded":          {8, nil, false},
		"the run is to end":      {8, func(_ *fixture, cancel context.CancelFunc) { cancel() }, true},
		"a load fails":           {8, func(r *fixture, _ context.CancelFunc) { r.memory.failNext() }, false},
		"one page and no others": {1, nil, false},
	} {
		for _, ahead := range []int{0, 4} {
			t.Run(fmt.Sprint(name, ", ahead ", ahead), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				r := newRigOf(newWorld(0), resource(schema.FullScan{}))
				r.runner.Rules.PerPage, r.runner.Rules.ChunkPages, r.runner.Rules.Prefetch = 3, 12, ahead
				var once sync.Once
				source := &largePages{turn: make(chan struct{}, 1)}
				source.answer = func(request pipeline.Request) (pipeline.Page, error) {
					if request.Page == 3 && tc.spoil != nil {
						once.Do(func() { tc.spoil(r, cancel) })
					}
					page := pipeline.Page{Call: int64(request.Page), Date: r.world.now, More: request.Page < tc.pages, PerPage: request.PerPage}
					if request.Page <= tc.pages {
						page.Records = things(10*request.Page, request.PerPage)
					}
					return page, nil
				}
				r.runner.Source = source
				err := r.run(ctx)
				errorIf(t, (err != nil) != tc.fails, "the run ended with %v", err)
				errorIf(t, source.taken == 0 || source.taken != source.ended || len(source.turn) != 0, "%d turns, %d ended", source.taken, source.ended)
			})
		}
	}
}

// failNext makes the next load fail.
func (m *memory) failNext() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failAfter = 1
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb rapid.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}

// fatalIf does so, and ends it.
func fatalIf(tb rapid.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Fatalf(format, args...)
	}
}
