package sync_test

import (
	"context"
	"strings"
	"testing"

	"sluice/pipeline"
	"sluice/schema"
)

// nameless is a record without an identifier.
func nameless() []byte {
	return []byte(strings.Replace(string(things(9, 1)[0]), `"thing_id"`, `"thing"`, 1))
}

// oddFamily are parents; the list of the first shows a record without an identifier.
type oddFamily struct {
	*family

	calls int64
}

// Page implements sync.Source.
func (o *oddFamily) Page(_ context.Context, request pipeline.Request) (pipeline.Page, error) {
	o.calls++
	page := pipeline.Page{Call: o.calls, Date: o.now(), PerPage: 200, Records: things(0, 3)}
	if request.Parent == "a" {
		page.Records = append(page.Records, nameless())
	}
	return page, nil
}

// TestDoubtStaysOverParents: if one list shows a record without an identifier, the run has not
// shown everything. So nothing is concluded from what it did not show.
func TestDoubtStaysOverParents(t *testing.T) {
	t.Parallel()
	f := newFamily(1, 1)
	r := newFamilyRig(f, fullScan())
	r.runner.Source = &oddFamily{family: f}
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
		if end := r.memory.ends[0]; end.Entire == odd {
			t.Errorf("with a record without an identifier (%t): end %+v", odd, end)
		}
	}
}
