package sync_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"sluice/pipeline"
	"sluice/pipeline/sync"
	"sluice/schema"
)

// shelf is a table of rows that need their single records, the upstream that has the records, and
// the store that keeps them.
type shelf struct {
	unasked

	// waiting are the rows that need their record, newest first.
	waiting []string
	// unknown are the identifiers that upstream does not know. Of poisoned ones the answer is
	// unreadable, of older ones the record is older than the row, of unfit ones the record does not
	// fit.
	unknown, poisoned, older, unfit map[string]bool
	err                             error
	// control is what the store gives for calls that ask for one of suspected.
	control   string
	suspected map[string]bool
	// words are the missing identifiers of answers that can be believed.
	words           []string
	asked           [][]string
	loaded, missing []string
	rejects         []pipeline.RejectedRecord
	position        pipeline.Position
	ends            []pipeline.End
	failAfter       int
}

func newShelf(n int) *shelf {
	s := &shelf{unknown: map[string]bool{}, poisoned: map[string]bool{}, older: map[string]bool{}, unfit: map[string]bool{}}
	for i := range n {
		s.waiting = append(s.waiting, fmt.Sprintf("%03d", i))
	}
	return s
}

// Details implements sync.Source.
func (s *shelf) Details(_ context.Context, request pipeline.Request, ids []string) (pipeline.Page, error) {
	s.asked = append(s.asked, slices.Clone(ids))
	if request.Class != pipeline.ClassDetails {
		return pipeline.Page{}, fmt.Errorf("class %s", request.Class)
	}
	page := pipeline.Page{Call: int64(len(s.asked)), Date: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	for _, id := range ids {
		switch {
		case s.err != nil:
			return pipeline.Page{}, s.err
		case s.poisoned[id]:
			return pipeline.Page{}, &pipeline.Error{Kind: pipeline.Unexpected, Status: http.StatusOK, Detail: "not JSON"}
		case s.unfit[id] && len(ids) == 1: // not even its identifier can be read
			page.Records = append(page.Records, []byte(`["many"]`))
		case s.unfit[id]:
			page.Records = append(page.Records, fmt.Appendf(nil, `{"thing_id":%q,"value":"many"}`, id))
		case !s.unknown[id]:
			page.Records = append(page.Records, fmt.Appendf(nil, `{"thing_id":%q,"value":7}`, id))
		}
	}
	return page, nil
}

// Pending implements sync.Backlog.
func (s *shelf) Pending(_ context.Context, _ pipeline.Stream, _, limit int) ([]string, int, error) {
	return slices.Clone(s.waiting[:min(limit, len(s.waiting))]), len(s.waiting), nil
}

// Control implements sync.Backlog.
func (s *shelf) Control(_ context.Context, _ pipeline.Stream, ids []string) (string, error) {
	if !slices.ContainsFunc(ids, func(id string) bool { return s.suspected[id] }) {
		return "", nil
	}
	return s.control, nil
}

// Load implements sync.Store.
func (s *shelf) Load(ctx context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error) {
	if len(batches) != 1 {
		return pipeline.Loaded{}, errors.New("the backlog is asked only when all before is loaded")
	}
	batch := batches[0]
	if s.failAfter > 0 {
		if s.failAfter--; s.failAfter == 0 {
			return pipeline.Loaded{}, errKilled
		}
	}
	if batch.Complete != nil {
		if err := batch.Complete(ctx, nil); err != nil {
			return pipeline.Loaded{}, err
		}
	}
	var loaded pipeline.Loaded
	for _, record := range batch.Records {
		if s.older[record.ID] {
			loaded.Superseded++
			continue
		}
		loaded.Updated++
		s.take(record.ID)
		s.loaded = append(s.loaded, record.ID)
	}
	for _, reject := range batch.Rejected {
		s.take(reject.ID)
		s.rejects = append(s.rejects, reject)
	}
	for _, id := range batch.Missing {
		s.take(id)
		s.missing = append(s.missing, id)
		if batch.Unknown {
			s.words = append(s.words, id)
		}
	}
	if len(batch.Records)+len(batch.Rejected)+len(batch.Missing) > 0 && !batch.Details {
		return loaded, errors.New("a unit of details does not say that it is one")
	}
	s.position = deepCopy(batch.Position)
	if batch.End != nil {
		s.ends = append(s.ends, *batch.End)
	}
	return loaded, nil
}

func (s *shelf) take(id string) {
	s.waiting = slices.DeleteFunc(s.waiting, func(other string) bool { return other == id })
}

// run works chunks until the run ends; a kill is followed by a new claim.
func (s *shelf) run(ctx context.Context, runner *sync.Runner, batch int) error {
	things := resource(schema.FullScan{})
	things.Details = &schema.Details{Marker: "lines"}
	if batch > 0 {
		things.Details.Batch = &schema.Batch{Size: batch}
	}
	stream := pipeline.Stream{Organization: "1", Service: &schema.Service{Name: "test"}, Resource: things, Work: pipeline.WorkDetails}
	ends := len(s.ends)
	for len(s.ends) == ends {
		claim := pipeline.Claim{Stream: stream, Run: 1, Position: deepCopy(s.position)}
		err := runner.Chunk(ctx, claim, func(context.Context, pgx.Tx, bool) error { return nil })
		if err != nil && err != errKilled { //nolint:errorlint // a value of our own
			return err
		}
	}
	return nil
}

func (s *shelf) runner(allowance int) *sync.Runner {
	return &sync.Runner{
		Source: s, Store: s, Backlog: s, Rules: pipeline.DefaultRules(),
		Allowance: func(pipeline.Stream) int { return allowance },
		Now:       func() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) },
	}
}

func TestDetailsOneByOne(t *testing.T) {
	t.Parallel()
	s := newShelf(45)
	s.unknown["003"], s.poisoned["005"], s.unfit["007"] = true, true, true
	must(t, s.run(t.Context(), s.runner(0), 0))
	errorIf(t, len(s.asked) != 45 || len(s.loaded) != 42 || s.loaded[0] != "000" || len(s.waiting) != 0,
		"%d calls, %d loaded, %v waiting; want 45, 42 and none", len(s.asked), len(s.loaded), s.waiting)
	same(t, "missing", []string{"003"}, s.missing)
	fatalIf(t, len(s.rejects) != 2 || s.rejects[0].ID != "005" || s.rejects[0].Code != sync.CodeUnreadable || s.rejects[1].ID != "007",
		"rejects %+v, want the poisoned one and the unfit one", s.rejects)
	got := string(s.rejects[0].Raw)
	errorIf(t, !strings.Contains(got, "005") || !strings.Contains(got, "not JSON"), "what is kept of the poisoned one is %q", got)
	if got := s.ends[0]; got.Outcome != pipeline.OutcomeDone || got.Note != "1 could not be read, the last because of: unexpected: HTTP 200: not JSON" {
		t.Errorf("end %+v", got)
	}
	errorIf(t, !s.position.Watermark.IsZero() || s.position.Scan != nil, "position %+v: details move no watermark", s.position)
}

func TestDetailsStayWithinTheAllowance(t *testing.T) {
	t.Parallel()
	s := newShelf(800)
	must(t, s.run(t.Context(), s.runner(30), 0))
	if got := s.ends[0]; len(s.asked) != 30 || got.Outcome != pipeline.OutcomeDone || got.Note != "30 of 800 details fetched, the rest is next" {
		t.Errorf("%d calls, end %+v", len(s.asked), got)
	}
	must(t, s.run(t.Context(), s.runner(30), 0))
	same(t, fmt.Sprintf("the second run began with %v, want the rest", s.asked[30]), "030", s.asked[30][0])
}

// TestAPoisonedRecordIsFoundInItsBatch: an unreadable answer is asked for in halves until one
// record is to blame, and the others are loaded.
func TestAPoisonedRecordIsFoundInItsBatch(t *testing.T) {
	t.Parallel()
	s := newShelf(100)
	s.poisoned["042"], s.unknown["050"], s.unfit["060"] = true, true, true
	must(t, s.run(t.Context(), s.runner(0), 100))
	errorIf(t, len(s.loaded) != 97 || len(s.rejects) != 2 || s.rejects[0].ID != "042" || s.rejects[1].ID != "060",
		"%d loaded, rejects %+v", len(s.loaded), s.rejects)
	same(t, "missing", []string{"050"}, s.missing)
	errorIf(t, len(s.asked) > 20, "%d calls for one poisoned record of a hundred", len(s.asked))
}

func TestFiveAnswersThatAreNoneStopTheRun(t *testing.T) {
	t.Parallel()
	for batch, calls := range map[int]int{0: 5, 4: 7} { // with batches of 4: 4, 2, and five times 1
		s := newShelf(20)
		for _, id := range s.waiting {
			s.poisoned[id] = true
		}
		err := s.run(t.Context(), s.runner(0), batch)
		errorIf(t, pipeline.KindOf(err) != pipeline.Unexpected, "run = %v, want the answer's error", err)
		errorIf(t, len(s.asked) != calls || len(s.rejects) != 4,
			"batch %d: %d calls, %d given up; want %d and 4", batch, len(s.asked), len(s.rejects), calls)
	}
}

func TestOtherErrorsStopTheRunAtOnce(t *testing.T) {
	t.Parallel()
	for _, kind := range []pipeline.Kind{pipeline.Denied, pipeline.Exhausted, pipeline.Unavailable} {
		s := newShelf(5)
		s.err = &pipeline.Error{Kind: kind}
		if err := s.run(t.Context(), s.runner(0), 2); pipeline.KindOf(err) != kind || len(s.asked) != 1 || len(s.rejects) != 0 {
			t.Errorf("%v: run = %v after %d calls, rejects %v", kind, err, len(s.asked), s.rejects)
		}
	}
}

func TestDetailsThatUpstreamDoesNotKnowCostLittle(t *testing.T) {
	t.Parallel()
	s := newShelf(300)
	for _, id := range s.waiting {
		s.unknown[id] = true
	}
	must(t, s.run(t.Context(), s.runner(0), 0))
	errorIf(t, len(s.asked) != 20 || len(s.missing) != 20 || s.ends[0].Note != "20 of 300 details fetched, the rest is next",
		"%d calls, %d missing, end %+v; want 20 and the rest later", len(s.asked), len(s.missing), s.ends[0])
}

// TestARunReadsNoMoreThanThereWasWhenItBegan: rows that keep entering the backlog, or do not leave
// it, must not keep one run going for ever.
func TestARunReadsNoMoreThanThereWasWhenItBegan(t *testing.T) {
	t.Parallel()
	s := newShelf(60)
	for _, id := range s.waiting[:30] {
		s.older[id] = true
	}
	must(t, s.run(t.Context(), s.runner(0), 0))
	errorIf(t, len(s.asked) > 60, "%d calls for 60 rows", len(s.asked))
	errorIf(t, s.ends[0].Outcome != pipeline.OutcomeDone || !strings.HasSuffix(string(s.ends[0].Note), "the rest is next"),
		"end %+v", s.ends[0])
}

// TestDetailsUnderKills is invariant 6: after any kill, each row gets its record, and a kill
// repeats one call at most.
func TestDetailsUnderKills(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "rows")
		s := newShelf(n)
		batch := rapid.IntRange(0, 12).Draw(t, "batch")
		runner := s.runner(0)
		runner.Rules.ChunkPages = rapid.IntRange(1, 7).Draw(t, "chunk")
		for _, id := range slices.Clone(s.waiting) {
			if rapid.IntRange(0, 12).Draw(t, "unknown") == 0 {
				s.unknown[id] = true
			}
		}
		kills := 0
		settle := runner.Now
		runner.Now = func() time.Time { // asked once for each answer, before it is loaded
			if s.failAfter == 0 && rapid.IntRange(0, 6).Draw(t, "kill") == 0 {
				kills++
				s.failAfter = 1
			}
			return settle()
		}
		err := s.run(t.Context(), runner, batch)
		fatalIf(t, err != nil, "run: %v", err)
		fatalIf(t, len(s.waiting) != 0 || len(s.loaded)+len(s.missing) != n,
			"%d of %d loaded, %d missing, %v waiting", len(s.loaded), n, len(s.missing), s.waiting)
		size := max(batch, 1)
		want := (n + size - 1) / size
		fatalIf(t, len(s.asked) > want+kills, "%d calls, want %d and one for each of %d kills", len(s.asked), want, kills)
	})
}

func TestWorkWithoutABacklogIsRefused(t *testing.T) {
	t.Parallel()
	s := newShelf(3)
	runner := s.runner(0)
	runner.Backlog = nil
	err := s.run(t.Context(), runner, 0)
	errorIf(t, err == nil || !strings.Contains(err.Error(), "backlog"), "run = %v, want an error that says what is missing", err)
	r := newRigOf(newWorld(1), heirs(fullScan()))
	err = r.run(t.Context())
	errorIf(t, err == nil || !strings.Contains(err.Error(), "backlog"), "run = %v, want an error that says what is missing", err)
}
