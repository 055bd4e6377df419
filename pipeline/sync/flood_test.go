package sync_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/schema"
)

// unfit gives n records that do not fit.
func unfit(from, n int) [][]byte {
	var records [][]byte
	for i := from; i < from+n; i++ {
		records = append(records, fmt.Appendf(nil, `{"thing_id":"%d","value":"none","last_modified_time":"2026-03-01T08:00:00Z"}`, i))
	}
	return records
}

// TestARunEndsWhereTooMuchDoesNotFit: a list without an end, of which all or some records do not
// fit, must not fill the quarantine.
func TestARunEndsWhereTooMuchDoesNotFit(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		resource *schema.Resource
		good     int // of 200 records a page
		ends     bool
		calls    int
		kept     int // the answer after the thousandth misfit is the last one
	}{
		"all of a list":              {resource(schema.FullScan{}), 0, true, 7, 1400},
		"half of a list":             {resource(schema.FullScan{}), 100, true, 12, 1200},
		"five in a hundred":          {resource(schema.FullScan{}), 190, false, 62, 620},
		"all of an export":           {resource(schema.Export{FieldsParam: "fields"}), 0, true, 1, 1200},
		"all of one from watermarks": {resource(schema.Since{Column: "last_modified_time", Param: "since"}), 0, true, 7, 1400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, calls := newRigOf(newWorld(0), tc.resource), 0
			page := func(number int, more bool) pipeline.Page {
				from := 1000 * number
				return pipeline.Page{
					Call: int64(number), Date: r.world.now, More: more, PerPage: 200,
					Records: append(things(from, tc.good), unfit(from+tc.good, 200-tc.good)...),
				}
			}
			source := answer(func(request pipeline.Request) (pipeline.Page, error) {
				calls++
				if request.Page > 30 {
					return pipeline.Page{Call: int64(request.Page), Date: r.world.now, PerPage: 200}, nil
				}
				return page(request.Page, request.Page < 30), nil
			})
			r.runner.Rules.PerPage, r.runner.Rules.ChunkPages = 200, 1000
			r.runner.Source = source
			if r.stream.Resource.Exported() {
				r.runner.Source = endless{answer: source, calls: &calls, page: page}
			}
			must(t, r.run(t.Context()))
			end := r.memory.ends[0]
			same(t, "calls", tc.calls, calls)
			errorIf(t, len(r.memory.rejects) != tc.kept && tc.ends, "%d are in quarantine, want %d", len(r.memory.rejects), tc.kept)
			if !tc.ends {
				errorIf(t, end.Outcome != pipeline.OutcomeDone || r.memory.position.Watermark.IsZero(), "end %+v", end)
				return
			}
			if end.Outcome != pipeline.OutcomeProvisional || !strings.Contains(string(end.Note), "did not fit") || !r.memory.position.Watermark.IsZero() || r.memory.position.Scan != nil {
				t.Errorf("end %+v, position %+v", end, r.memory.position)
			}
		})
	}
}

// TestWhatNeverFitsDoesNotStopAListForEver: 2,250 of a list's 15,000 records never fit, far above
// the share. They are counted over all chunks of a run. The first runs end early, and each knows
// the rejected records of the run before, so in the end the list is read whole.
func TestWhatNeverFitsDoesNotStopAListForEver(t *testing.T) {
	t.Parallel()
	r, calls := newRigOf(newWorld(0), resource(schema.FullScan{})), 0
	r.runner.Rules.PerPage, r.runner.Rules.ChunkPages = 200, 4
	r.runner.Source = answer(func(request pipeline.Request) (pipeline.Page, error) {
		calls++
		from, page := 1000*request.Page, pipeline.Page{Call: int64(calls), Date: r.world.now, More: request.Page < 75, PerPage: 200}
		if request.Page <= 75 {
			page.Records = append(things(from, 170), unfit(from+170, 30)...)
		}
		return page, nil
	})
	var made []int
	for range 3 {
		before := calls
		must(t, r.run(t.Context()))
		made = append(made, calls-before)
	}
	// 1,020 misfits are on 34 pages, and the page after them is the last one read. The list ends
	// with an empty page, and is read twice to be sure of it.
	errorIf(t, !slices.Equal(made, []int{35, 70, 152}), "the runs made %v calls", made)
	if end := r.memory.ends[2]; end.Outcome != pipeline.OutcomeDone || r.memory.position.Watermark.IsZero() || len(r.memory.rows) != 75*170 {
		t.Errorf("%d rows, end %+v, position %+v", len(r.memory.rows), end, r.memory.position)
	}
}

// poisoned are parents whose lists hold only records that do not fit.
type poisoned struct {
	*family

	calls int
}

// Page implements sync.Source.
func (p *poisoned) Page(_ context.Context, request pipeline.Request) (pipeline.Page, error) {
	p.calls++
	return pipeline.Page{Call: int64(p.calls), Date: p.now(), More: true, PerPage: 200, Records: unfit(1000*request.Page, 200)}, nil
}

// Export implements sync.Source.
func (p *poisoned) Export(_ context.Context, _ pipeline.Request, each func(pipeline.Page) error) error {
	p.calls++
	for group := 1; ; group++ {
		if err := each(pipeline.Page{Call: int64(p.calls), Date: p.now(), PerPage: 200, Records: unfit(1000*group, 200)}); err != nil {
			return err
		}
	}
}

// TestAFloodOfOneParentEndsTheRun: the lists of the other parents would hold as many misfits.
func TestAFloodOfOneParentEndsTheRun(t *testing.T) {
	t.Parallel()
	for calls, list := range map[int]schema.Cursor{7: fullScan(), 1: schema.Export{FieldsParam: "fields"}} {
		f := newFamily(1, 1, 1)
		r, source := newFamilyRig(f, list), &poisoned{family: f}
		r.runner.Source, r.runner.Rules.PerPage, r.runner.Rules.ChunkPages = source, 200, 1000
		must(t, r.run(t.Context()))
		if end := r.memory.ends[0]; source.calls != calls || end.Outcome != pipeline.OutcomeProvisional || !r.memory.position.Watermark.IsZero() {
			t.Errorf("%d calls, want %d; end %+v, position %+v", source.calls, calls, end, r.memory.position)
		}
	}
}

// oneFlood are parents of which the first has a list without an end, of records that do not fit.
type oneFlood struct {
	*family

	calls int
	asked map[string]int
}

// Page implements sync.Source.
func (o *oneFlood) Page(_ context.Context, request pipeline.Request) (pipeline.Page, error) {
	o.calls++
	o.asked[request.Parent]++
	if request.Parent == "a" { // other records each time
		return pipeline.Page{Call: int64(o.calls), Date: o.now(), More: true, PerPage: 200, Records: unfit(1000*o.calls, 200)}, nil
	}
	return pipeline.Page{Call: int64(o.calls), Date: o.now(), PerPage: 200, Records: things(0, 3)}, nil
}

// TestAFloodOfOneParentStopsNoOther is invariant 9 among parents: the next run begins with the
// parents that were not read.
func TestAFloodOfOneParentStopsNoOther(t *testing.T) {
	t.Parallel()
	f := newFamily(1, 1, 1)
	r, source := newFamilyRig(f, fullScan()), &oneFlood{family: f, asked: map[string]int{}}
	r.runner.Source, r.runner.Rules.PerPage, r.runner.Rules.ChunkPages = source, 200, 1000
	for range 2 {
		must(t, r.run(t.Context()))
	}
	errorIf(t, source.asked["b"] == 0 || source.asked["c"] == 0, "after two runs these were read: %v", source.asked)
}

// endless is an export without an end.
type endless struct {
	answer

	calls *int
	page  func(number int, more bool) pipeline.Page
}

// Export implements sync.Source.
func (e endless) Export(_ context.Context, _ pipeline.Request, each func(pipeline.Page) error) error {
	*e.calls++
	for group := 1; ; group++ {
		if err := each(e.page(group, true)); err != nil {
			return err
		}
	}
}

// TestRowsOfAnAnswerAreBounded: absent values take memory, too.
func TestRowsOfAnAnswerAreBounded(t *testing.T) {
	t.Parallel()
	list := resource(schema.FullScan{})
	wide := schema.Child{Name: "lines", Doc: "A line."}
	for i := range 50 {
		wide.Columns = append(wide.Columns, schema.Text(fmt.Sprint("text_", i), "A text."))
	}
	list.Children = append(list.Children, wide)
	for lines, fits := range map[int]bool{100: true, 300: false} {
		r := newRigOf(newWorld(0), list)
		r.runner.Source = answer(func(pipeline.Request) (pipeline.Page, error) {
			records := things(0, 200)
			for i := range records {
				records[i] = append(records[i][:len(records[i])-1], `,"lines":[{}`+strings.Repeat(",{}", lines)+`]}`...)
			}
			return pipeline.Page{Call: 1, Date: r.world.now, Records: records, PerPage: 200}, nil
		})
		err := r.run(t.Context())
		errorIf(t, fits && err != nil || !fits && pipeline.KindOf(err) != pipeline.Unexpected, "%d lines a record: %v", lines, err)
	}
}

// TestAPageIsLeftWhenTheRunIsToEnd: a page may take seconds, so a cancelled run must not finish it.
func TestAPageIsLeftWhenTheRunIsToEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r := newRigOf(newWorld(0), resource(schema.FullScan{}))
	r.runner.Source = answer(func(pipeline.Request) (pipeline.Page, error) {
		cancel() // while the page is under way
		return pipeline.Page{Call: 1, Date: time.Unix(1, 0), Records: things(0, 200), PerPage: 200}, nil
	})
	err := r.run(ctx)
	errorIf(t, !errors.Is(err, context.Canceled) || len(r.memory.rows) != 0, "%v with %d rows", err, len(r.memory.rows))
}
