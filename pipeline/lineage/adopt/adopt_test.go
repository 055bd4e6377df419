package adopt

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/adoptions/foreign"
	"sluice/schema"
	"sluice/schema/record"
)

// goods is a resource with what matters here: details, an object, and a modification time.
func goods() schema.Resource {
	return schema.Resource{
		Name: "goods", Path: "/shopgoods", ID: "good_id", Cursor: schema.NewestFirst{Column: "modified"},
		Details: &schema.Details{Marker: "parts"},
		Single:  &schema.Single{Path: "/goods/{id}", Key: "good"},
		Columns: []schema.Column{
			schema.ID("good_id", "Key."), schema.Text("name", "Name.").Is(schema.Plain), schema.Decimal("rate", "Rate."), schema.Int("count", "Count."),
			schema.Time("modified", "Time."), schema.JSON("tags", "Tags.").Is(schema.Plain),
		},
		Children: []schema.Child{
			{Name: "parts", Columns: []schema.Column{schema.ID("part_id", "Key.")}},
			{Name: "address", Object: true, Columns: []schema.Column{schema.Text("city", "City.").Is(schema.Plain), schema.Text("zip", "Code.").Is(schema.Plain)}},
		},
	}
}

func stream(resource *schema.Resource) pipeline.Stream {
	return pipeline.Stream{Organization: "1", Service: &schema.Service{Name: "shop"}, Resource: resource}
}

// rows is an origin in memory; it gives pages of any size.
type rows struct {
	name string
	all  []foreign.Row
	typed,
	keyed bool
	last time.Time
	// asked are the keys behind which pages were asked for.
	asked []string
}

func (r *rows) String() string    { return "place." + r.name }
func (r *rows) Stream() string    { return r.name }
func (*rows) Unusable() string    { return "" }
func (*rows) Losses() []string    { return nil }
func (r *rows) Typed() bool       { return r.typed }
func day(n int) time.Time         { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
func at(n int) string             { return day(n).Format(time.RFC3339) }
func newShaped(typed bool) *shape { r := goods(); return newShape(&r, typed) }

func (r *rows) Figures(context.Context, *schema.Resource) (foreign.Figures, error) {
	return foreign.Figures{Rows: int64(len(r.all)), LastRead: r.last, Keyed: r.keyed}, nil
}

func (r *rows) Page(_ context.Context, _ *schema.Resource, after string, limit int) ([]foreign.Row, error) {
	r.asked = append(r.asked, after)
	from := slices.IndexFunc(r.all, func(row foreign.Row) bool { return row.Key > after })
	if from < 0 {
		return nil, nil
	}
	return r.all[from:min(from+limit, len(r.all))], nil
}

// read reads an origin, and gives what its batches hold together.
func read(t *testing.T, origin *rows, after string) (warehouse.AdoptedBatch, int) {
	t.Helper()
	resource := goods()
	normalizer, err := record.New(&resource, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	r := &reading{
		match: Match{Origin: origin, Stream: stream(&resource)}, resource: &resource, shape: newShape(&resource, origin.typed),
		normalizer: normalizer, marker: markerOf(&resource), now: day(30),
	}
	var all warehouse.AdoptedBatch
	batches := 0
	err = r.all(t.Context(), after, func(batch warehouse.AdoptedBatch) error {
		batches++
		if n := len(batch.Lists) + len(batch.Singles) + len(batch.Rejected); n > batchRecords {
			t.Errorf("a batch has %d records", n)
		}
		all.Lists, all.Singles, all.Rejected = append(all.Lists, batch.Lists...), append(all.Singles, batch.Singles...), append(all.Rejected, batch.Rejected...)
		all.Counts.Add(batch.Counts)
		all.Last = batch.Last
		if batch.Modified.After(all.Modified) {
			all.Modified = batch.Modified
		}
		all.Span.See(batch.Span.From)
		all.Span.See(batch.Span.Until)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, batches
}

// TestReading: of each record the version counts that was read last and then the one that was
// modified last; deleted ones, misfits and records without a key are told apart.
func TestReading(t *testing.T) {
	t.Parallel()
	row := func(key string, read int, deleted bool, data string) foreign.Row {
		return foreign.Row{Key: key, Extracted: day(read), Deleted: deleted, Data: []byte(data)}
	}
	origin := &rows{name: "goods", all: []foreign.Row{
		row(" 1", 9, false, `{"name": "nameless"}`),
		row(" 2", 9, false, `no JSON`),
		row("a", 9, false, `{"good_id": "a", "name": "older", "modified": "`+at(2)+`"}`),
		row("a", 9, false, `{"good_id": "a", "name": "newest", "modified": "`+at(4)+`"}`),
		row("a", 8, false, `{"good_id": "a", "name": "read before", "modified": "`+at(5)+`"}`),
		row("b", 9, true, `{"good_id": "b"}`),
		row("b", 8, false, `{"good_id": "b", "modified": "`+at(6)+`"}`),
		row("c", 9, false, `{"good_id": "c", "parts": [], "modified": "2999-01-01T00:00:00Z"}`),
		row("d", 9, false, `{"good_id": "d", "rate": "much"}`),
		row("d", 8, false, `{"good_id": "d", "rate": 1}`),
		row("e", 0, false, `{"good_id": "e"}`),
	}}
	origin.all[len(origin.all)-1].Extracted = time.Time{}
	got, _ := read(t, origin, "")
	var lists []string
	for i := range got.Lists {
		lists = append(lists, got.Lists[i].ID+" "+got.Lists[i].Tables[0][0].Values[1].Text)
	}
	if want := []string{"a newest", "e "}; !slices.Equal(lists, want) {
		t.Errorf("list records %q, want %q", lists, want)
	}
	if len(got.Singles) != 1 || got.Singles[0].ID != "c" || got.Counts.Whole != 1 {
		t.Errorf("whole records: %+v", got.Singles)
	}
	if len(got.Rejected) != 3 || string(got.Rejected[1].Raw) != `no JSON` || got.Rejected[2].Path != "rate" || got.Rejected[2].ID != "d" {
		t.Errorf("rejected: %+v", got.Rejected)
	}
	if c := got.Counts; c.Records != 6 || c.Older != 4 || c.Deleted != 1 {
		t.Errorf("counts %+v", c)
	}
	if !got.Modified.Equal(day(4)) {
		t.Errorf("modified until %s: a date from the future counts, or one of a version that is left out", got.Modified)
	}
	if !got.Span.From.Equal(day(9)) || !got.Span.Until.Equal(day(30)) {
		t.Errorf("read from %s to %s", got.Span.From, got.Span.Until)
	}
}

// TestReadingGoesOn: records at the edges of pages and batches come once, with all their versions,
// and a reading goes on behind any key.
func TestReadingGoesOn(t *testing.T) {
	t.Parallel()
	origin := &rows{name: "goods"}
	records := 0
	for ; len(origin.all) < 2*pageRows+17; records++ {
		key := fmt.Sprintf("%06d", records)
		for version := range 1 + records%3 {
			origin.all = append(origin.all, foreign.Row{Key: key, Extracted: day(20 - version), Data: []byte(`{"good_id": "` + key + `"}`)})
		}
	}
	whole, batches := read(t, origin, "")
	if len(whole.Lists) != records || int(whole.Counts.Older) != len(origin.all)-records || batches < records/batchRecords {
		t.Errorf("%d records in %d batches, %d older, want %d and %d", len(whole.Lists), batches, whole.Counts.Older, records, len(origin.all)-records)
	}
	rest, _ := read(t, origin, "001000")
	if len(rest.Lists) != records-1001 || rest.Lists[0].ID != "001001" {
		t.Errorf("%d records behind a key, the first is %s", len(rest.Lists), rest.Lists[0].ID)
	}
}

// TestShape: keys of the other program go, and what it took apart is put together again; nothing
// else changes, to the byte.
func TestShape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typed    bool
		raw, out string
	}{
		{false, `{"good_id":"1", "rate": 1.10, "odd": null}`, `{"good_id":"1", "rate": 1.10, "odd": null}`},
		{true, `{"good_id":"1","rate":1.10,"odd":null,"_fivetran_synced":"x","_SDC_BATCHED_AT":"y"}`, `{"good_id":"1","rate":1.10}`},
		{false, `{"good_id":"1","_airbyte_raw_id":"x","name":null}`, `{"good_id":"1","name":null}`},
		{true, `{"good_id":123456789012345678.000000000,"count":7.00,"rate":7.00}`, `{"count":7,"good_id":123456789012345678,"rate":7.00}`},
		{true, `{"good_id":12.5}`, `{"good_id":12.5}`},
		{true, `{"good_id":"1","parts":"[{\"part_id\":\"p\"}]","tags":"{\"a\":1}","name":"[1]"}`, `{"good_id":"1","name":"[1]","parts":[{"part_id":"p"}],"tags":{"a":1}}`},
		{true, `{"good_id":"1","address__city":"<Ulm>","address_zip":"7"}`, `{"address":{"city":"<Ulm>","zip":"7"},"good_id":"1"}`},
		{true, `{"good_id":"1","address":"x","address__city":"Ulm"}`, `{"good_id":"1","address":"x","address__city":"Ulm"}`},
		{true, `[1]`, `[1]`},
		{true, `null`, `null`},
		{true, `broken`, `broken`},
	} {
		got := string(newShaped(c.typed).of([]byte(c.raw)))
		if got != c.out && !sameJSON(got, c.out) {
			t.Errorf("%s becomes %s, want %s", c.raw, got, c.out)
		}
		if c.raw == c.out && got != c.raw {
			t.Errorf("%s came back as %s", c.raw, got)
		}
	}
}

func sameJSON(a, b string) bool {
	var one, other map[string]json.RawMessage
	if json.Unmarshal([]byte(a), &one) != nil || json.Unmarshal([]byte(b), &other) != nil || len(one) != len(other) {
		return false
	}
	for key, value := range one {
		var x, y any
		_, _ = json.Unmarshal(value, &x), json.Unmarshal(other[key], &y) // RawMessages of valid objects
		if string(value) != string(other[key]) && fmt.Sprint(x) != fmt.Sprint(y) || value[0] != other[key][0] {
			return false
		}
	}
	return true
}

// TestWatermark: it stays below all that can have been missed, and lists that are read whole get
// none.
func TestWatermark(t *testing.T) {
	t.Parallel()
	swept := goods()
	full := goods()
	full.Cursor = schema.FullScan{Modified: "modified"}
	for name, c := range map[string]struct {
		resource                  schema.Resource
		modified, extracted, sync time.Time
		want                      time.Time
	}{
		"the latest change":               {swept, day(10), day(20), time.Time{}, day(9)},
		"the beginning of the last sync":  {swept, day(10), day(20), day(8), day(7)},
		"the last extraction":             {swept, day(25), day(20), time.Time{}, day(19)},
		"no record has a time":            {swept, time.Time{}, day(20), day(8), time.Time{}},
		"a list that is read whole":       {full, day(10), day(20), day(8), time.Time{}},
		"a sync later than the last edit": {swept, day(10), day(20), day(19), day(9)},
	} {
		got := watermark(Match{Stream: stream(&c.resource), Figures: foreign.Figures{LastBegan: c.sync}}, c.modified, c.extracted)
		if !got.Equal(c.want) {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestFind: names of other programs lead to resources, and what is not understood is left with a
// reason.
func TestFind(t *testing.T) {
	t.Parallel()
	one, people, others := goods(), goods(), goods()
	people.Name, people.Path = "contact_persons", "/contactpersons"
	others.Name, others.Path = "contact_persons", "/contactpersons"
	streams := []pipeline.Stream{stream(&one), stream(&people), stream(&others)}
	streams[2].Service = &schema.Service{Name: "store"}
	for name, want := range map[string]string{
		"goods": "shop.goods", "Good": "shop.goods", "shop_goods": "shop.goods", "ShopGoods": "shop.goods",
		"contact_persons": "it can be shop.contact_persons or store.contact_persons", "store.contactperson": "store.contact_persons",
		"goods_scd": "no configured resource", "chosen": "store.contact_persons",
	} {
		chosen := map[string]string{}
		if name == "chosen" {
			chosen[name] = "store.contact_persons"
		}
		matches, left, err := Find(t.Context(), []Origin{&rows{name: name, keyed: true}}, streams, chosen)
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case len(matches) == 1:
			got = matches[0].Stream.Service.Name + "." + matches[0].Stream.Resource.Name
		case len(left) == 1:
			got = left[0].Why
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	old, late, typed := &rows{name: "goods", keyed: true, last: day(3)}, &rows{name: "good", keyed: true, last: day(4)}, &rows{name: "Goods", keyed: true, typed: true, last: day(4)}
	matches, left, err := Find(t.Context(), []Origin{typed, old, late}, streams, nil)
	if err != nil || len(matches) != 1 || matches[0].Origin != Origin(late) || len(left) != 2 {
		t.Errorf("of three tables: %+v, left %+v, error %v", matches, left, err)
	}
	if _, left, _ := Find(t.Context(), []Origin{&rows{name: "goods"}}, streams, nil); len(left) != 1 || !strings.Contains(left[0].Why, "good_id") {
		t.Errorf("records without the key: %+v", left)
	}
}

// TestFiles: lines come by key with the newest first, plain or wrapped; messages by stream.
func TestFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name string, lines ...string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("goods.jsonl",
		`{"extracted_at":"`+at(3)+`","record":{"good_id":"b","name":"old"}}`, ``,
		`{"extracted_at":"`+at(5)+`","record":{"good_id":"b","name":"new"}}`,
		`{"good_id":7,"record":{"its":"own"}}`, `broken`)
	write("notes.txt", `{}`)
	resource := goods()
	origins, err := Files(folder, false)
	if err != nil || len(origins) != 1 || origins[0].Stream() != "goods" {
		t.Fatalf("%v, error %v", origins, err)
	}
	page, err := origins[0].Page(t.Context(), &resource, "", 10)
	var got []string
	for _, row := range page {
		got = append(got, strings.TrimSpace(row.Key)+" "+string(row.Data))
	}
	want := []string{
		filepath.Join(folder, "goods.jsonl") + ` 5 broken`, `7 {"good_id":7,"record":{"its":"own"}}`, `b {"good_id":"b","name":"new"}`, `b {"good_id":"b","name":"old"}`,
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q, error %v", got, want, err)
	}
	if page, err = origins[0].Page(t.Context(), &resource, "7", 1); err != nil || len(page) != 1 || !page[0].Extracted.Equal(day(5)) {
		t.Errorf("behind a key: %+v, error %v", page, err)
	}

	messages := t.TempDir()
	folder = messages
	write("tap.ndjson",
		`{"type":"SCHEMA","stream":"goods","schema":{}}`,
		`{"type":"RECORD","stream":"goods","record":{"good_id":"a"},"time_extracted":"`+at(9)+`"}`,
		`{"type":"RECORD","stream":"goods","record":{"good_id":"a","_sdc_deleted_at":"`+at(9)+`"},"time_extracted":"`+at(10)+`"}`,
		`{"type":"STATE","value":{"bookmarks":{"goods":{"modified":"`+at(4)+`"}}}}`, `{"type":"ACTIVATE_VERSION","stream":"goods","version":1}`)
	origins, err = Files(messages, true)
	if err != nil || len(origins) != 1 {
		t.Fatalf("%v, error %v", origins, err)
	}
	figures, err := origins[0].Figures(t.Context(), &resource)
	if err != nil || !figures.LastBegan.Equal(day(4)) || !figures.LastRead.Equal(day(10)) || !figures.Keyed {
		t.Errorf("figures %+v, error %v", figures, err)
	}
	if page, err = origins[0].Page(t.Context(), &resource, "", 10); err != nil || len(page) != 2 || !page[0].Deleted || page[1].Deleted {
		t.Errorf("messages %+v, error %v", page, err)
	}
	for text, says := range map[string]string{`{"good_id":"a"}`: "has no type", `nonsense`: "line 1 is no message", `{"type":"RECORD","stream":"goods"}`: "without stream or record"} {
		write("tap.ndjson", text)
		if _, err := Files(messages, true); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %q", text, err, says)
		}
	}
}
