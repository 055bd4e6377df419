package importer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/schema"
	"sluice/schema/record"
)

// goods is a resource with what matters here: details and a modification time.
func goods() *schema.Resource {
	return &schema.Resource{
		Name: "goods", Path: "/shopgoods", ID: "good_id", Cursor: schema.NewestFirst{Column: "modified"},
		Details: &schema.Details{Marker: "parts"},
		Single:  &schema.Single{Path: "/goods/{id}", Key: "good"},
		Columns: []schema.Column{
			schema.ID("good_id", "Key."), schema.Text("name", "Name.").Is(schema.Plain), schema.Decimal("rate", "Rate."), schema.Time("modified", "Time."),
		},
		Children: []schema.Child{{Name: "parts", Columns: []schema.Column{schema.ID("part_id", "Key.")}}},
	}
}

// batches reads lines as goods.jsonl, and returns a copy of each batch.
func batches(t *testing.T, lines ...string) []batch {
	t.Helper()
	resource := goods()
	normalizer, err := record.New(resource, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{
		options:    Options{Stream: pipeline.Stream{Organization: "1", Service: &schema.Service{Name: "shop"}, Resource: resource}, File: "goods.jsonl"},
		normalizer: normalizer, marker: markerOf(resource),
	}
	var all []batch
	if err := r.read(strings.NewReader(strings.Join(lines, "\n")), func(b batch) error { all = append(all, b); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestNewestLineOfARecordCounts: of several lines of one record, the one that was modified last is
// imported; of equal ones the first, or the one with details.
func TestNewestLineOfARecordCounts(t *testing.T) {
	t.Parallel()
	b := batches(t,
		`{"good_id": "a", "name": "first", "modified": "2026-03-02T00:00:00Z"}`,
		`{"good_id": "a", "name": "last", "modified": "2026-03-04T00:00:00Z"}`,
		`{"good_id": "a", "name": "late", "modified": "2026-03-03T00:00:00Z"}`,
		`{"good_id": "b", "name": "first"}`,
		`{"good_id": "b", "name": "second"}`,
		`{"good_id": "c", "name": "head", "modified": "2026-03-02T00:00:00Z"}`,
		`{"good_id": "c", "name": "whole", "modified": "2026-03-02T00:00:00Z", "parts": []}`,
		`{"good_id": "c", "name": "head again", "modified": "2026-03-02T00:00:00Z"}`,
	)
	if len(b) != 1 {
		t.Fatalf("%d batches, want 1", len(b))
	}
	loaded := b[0].split(time.Time{})
	var got []string
	for _, r := range slices.Concat(loaded.Lists, loaded.Singles) {
		got = append(got, fmt.Sprint(r.ID, " ", r.Tables[0][0].Values[1].Text, " ", loaded.Lines[r.ID]))
	}
	if want := []string{"a last 2", "b first 4", "c whole 7"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if len(loaded.Singles) != 1 || b[0].withDetails() != 1 || loaded.Duplicates != 5 || b[0].lines != 8 {
		t.Errorf("singles %d, with details %d, duplicates %d, lines %d; want 1, 1, 5, 8", len(loaded.Singles), b[0].withDetails(), loaded.Duplicates, b[0].lines)
	}
}

// TestRejectedLinesNameTheirPlace: a line that does not fit is kept unmodified with file and line.
func TestRejectedLinesNameTheirPlace(t *testing.T) {
	t.Parallel()
	b := batches(t, `{"good_id": "a", "rate": 1}`, ``, `  broken `, `{"good_id": "d", "rate": "much"}`, `{"name": "nameless"}`)[0]
	want := []struct{ raw, id, path, line string }{
		{`broken`, "", "", "goods.jsonl, line 3: "}, {`{"good_id": "d", "rate": "much"}`, "d", "rate", "goods.jsonl, line 4: "},
		{`{"name": "nameless"}`, "", "", "goods.jsonl, line 5: "},
	}
	if len(b.rejected) != len(want) || len(b.records) != 1 || b.lines != 4 {
		t.Fatalf("%d rejected, %d records of %d lines; want 3, 1, 4", len(b.rejected), len(b.records), b.lines)
	}
	for i, w := range want {
		got := b.rejected[i]
		if string(got.Raw) != w.raw || got.ID != w.id || got.Path != w.path || !strings.HasPrefix(string(got.Detail), w.line) || string(got.Detail) == w.line {
			t.Errorf("got %s, id %q, path %q, detail %q; want %+v", got.Raw, got.ID, got.Path, got.Detail, w)
		}
	}
}

// TestBatchesAreBounded: a batch ends after 500 lines or 8 MB, and the lines of all batches are the
// lines of the file.
func TestBatchesAreBounded(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 1200 {
		lines = append(lines, fmt.Sprintf(`{"good_id": "%d"}`, i))
	}
	large := strings.Repeat("x", 3<<20)
	for i := range 4 {
		lines = append(lines, fmt.Sprintf(`{"good_id": "large %d", "name": %q}`, i, large))
	}
	var got []string
	for _, b := range batches(t, lines...) {
		got = append(got, fmt.Sprintf("%d-%d: %d", b.first, b.last, len(b.records)))
	}
	if want := []string{"1-500: 500", "501-1000: 500", "1001-1203: 203", "1204-1204: 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if all := batches(t); len(all) != 0 {
		t.Errorf("%d batches of an empty file", len(all))
	}
}

// TestImportRefusesOtherFiles: a file without a record of the resource is refused before anything
// is written, as are resources whose records cannot be imported.
func TestImportRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	options := Options{Stream: pipeline.Stream{Organization: "1", Service: &schema.Service{Name: "shop"}, Resource: goods()}, File: "x.jsonl", Now: time.Now}
	_, err := Run(t.Context(), nil, strings.NewReader(`{"bill_id": "1"}`+"\nbroken\n"), options)
	if !errors.Is(err, ErrNoRecord) || !strings.Contains(err.Error(), "first 2 lines of x.jsonl has the key good_id") {
		t.Errorf("records of another resource: %v", err)
	}
	for name, cursor := range map[string]schema.Cursor{"names no parent": schema.PerParent{}, "single record": schema.Snapshot{}} {
		options.Stream.Resource.Cursor = cursor
		if _, err := Run(t.Context(), nil, strings.NewReader(`{"good_id": "1"}`), options); !errors.Is(err, ErrResource) {
			t.Errorf("%s: got %v, want ErrResource", name, err)
		}
	}
}

// TestManyRejectedLinesStopAnImport: the file is not what it is taken for.
func TestManyRejectedLinesStopAnImport(t *testing.T) {
	t.Parallel()
	lines := `{"good_id": "fits"}` + "\n" + strings.Repeat(`{"good_id": "1", "rate": "much"}`+"\n", 2000)
	options := Options{
		Stream: pipeline.Stream{Organization: "1", Service: &schema.Service{Name: "shop"}, Resource: goods()}, File: "x.jsonl", Dry: true, Now: time.Now,
		Rules: pipeline.Rules{MaxRejected: 0.5},
	}
	result, err := Run(t.Context(), nil, strings.NewReader(lines), options)
	if !errors.Is(err, ErrManyRejected) || result.Lines != 1500 || result.Rejected != 1499 {
		t.Errorf("%d of %d lines rejected, error %v; want 1499 of 1500 and ErrManyRejected", result.Rejected, result.Lines, err)
	}
	options.Rules.MaxRejected = 1
	if result, err = Run(t.Context(), nil, strings.NewReader(lines), options); err != nil || result.Lines != 2001 {
		t.Errorf("%d lines, error %v; want 2001 and none", result.Lines, err)
	}
}
