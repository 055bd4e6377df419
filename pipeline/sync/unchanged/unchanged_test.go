package unchanged_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"sluice/pipeline/sync/unchanged"
	"sluice/schema"
	"sluice/schema/record"
)

// rows are the stored payload hashes by key. asked has the number of records of each request.
type rows struct {
	marks map[string]uint64
	asked int
	err   error
}

func (r *rows) know(_ context.Context, records []record.Record) error {
	r.asked++
	for i := range records {
		mark, found := r.marks[records[i].ID]
		records[i].Unchanged = found && mark == records[i].PayloadHash
	}
	return r.err
}

func reader(t *testing.T, r *rows) *unchanged.Reader {
	t.Helper()
	normalizer, err := record.New(&schema.Resource{
		Name: "things", ID: "thing_id", Cursor: schema.FullScan{},
		Columns: []schema.Column{schema.ID("thing_id", "Key."), schema.Int("value", "Value.")},
	}, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return &unchanged.Reader{Normalizer: normalizer, Request: r.know}
}

func page(from, size, value int) [][]byte {
	raws := make([][]byte, size)
	for i := range raws {
		raws[i] = fmt.Appendf(nil, `{"thing_id":"%d","value":%d}`, from+i, value)
	}
	return raws
}

// read reads a page and stores what was normalized. It gives how many records were normalized, and
// how many did not fit.
func read(t *testing.T, reader *unchanged.Reader, r *rows, raws [][]byte) (int, int) {
	t.Helper()
	at, normalized, unfit := 0, 0, 0
	err := reader.Page(t.Context(), raws, "", func(raw []byte, record record.Record, misfit error) error {
		if string(raw) != string(raws[at]) {
			t.Errorf("record %d is %s, want %s", at, raw, raws[at])
		}
		at++
		switch {
		case misfit != nil:
			unfit++
		case !record.Unchanged:
			normalized++
			r.marks[record.ID] = record.PayloadHash
		}
		return nil
	})
	if err != nil || at != len(raws) {
		t.Fatalf("%d of %d records, %v", at, len(raws), err)
	}
	return normalized, unfit
}

func TestUnchangedPagesAreNotNormalized(t *testing.T) {
	t.Parallel()
	r := &rows{marks: map[string]uint64{}}
	again := reader(t, r)
	for from := range 3 {
		read(t, reader(t, r), r, page(100*from, 100, 1))
	}
	for from := range 3 {
		if normalized, _ := read(t, again, r, page(100*from, 100, 1)); normalized != 0 {
			t.Errorf("%d records of an unchanged page were normalized", normalized)
		}
	}
	raws := page(0, 100, 1)
	raws[7], raws[8] = []byte(`{"thing_id":"7","value":2}`), []byte(`{"thing_id":"8","value":"much"}`)
	raws[9], raws[10] = []byte(`{"value":1}`), []byte(`{"thing_id":"9", "value":1}`) // no key; other bytes that say the same
	if normalized, unfit := read(t, again, r, raws); normalized != 2 || unfit != 2 {
		t.Errorf("%d were normalized, %d did not fit, want 2 and 2", normalized, unfit)
	}
}

// A first load asks seldom, and small pages never: an unsuccessful lookup costs time, too.
func TestNobodyAsksForLong(t *testing.T) {
	t.Parallel()
	r := &rows{marks: map[string]uint64{}}
	fresh := reader(t, r)
	for n := range 27 {
		read(t, fresh, r, page(100*n, 100, 1))
	}
	if r.asked != 3 {
		t.Errorf("27 new pages were asked about %d times, want 3", r.asked)
	}
	for range 20 {
		read(t, reader(t, r), r, page(0, 15, 1))
	}
	if r.asked != 3 {
		t.Error("small pages were asked about")
	}
	r.err = errors.New("out of reach")
	if err := reader(t, r).Page(t.Context(), page(0, 100, 1), "", nil); !errors.Is(err, r.err) {
		t.Errorf("page = %v, want the error of Request", err)
	}
}
