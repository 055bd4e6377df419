package body_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/upstream/body"
	"sluice/schema"
)

// FuzzBothWays: quick and careful read the same envelope, whatever the bytes are.
func FuzzBothWays(f *testing.F) {
	for _, seed := range []string{
		`{"code":0,"bills":[{"a":1},"x",null,[]],"page_context":{"page":1,"per_page":200,"has_more_page":false}}`,
		`{"bills":[{"a":1}],"bills":[]}`, `{"b\u0069lls":[],"page_context":{"page":1,"has_more_page":true}}`, `{"bills":[1,],"page_context":[]}`,
		`{"code":[],"bills":[{"a":1}`, " {\"bills\" : [ ] ,\n\"page_context\":{\"page\":1,\"has_more_page\":true} } ", "{\"bills\":[\"\xff\"]}",
		`{"bills":[{"a":1,"a":2}],"page_context":{"page":1,"has_more_page":false}}`, `{"bills":[}`, `{}{}`, "]{0", `{"bills":[{"a":` + nested(63) + `}]}`,
		`{"bills":[{"a":1}],"info":{"page":1,"per_page":200,"sort_order":"asc","more_records":true,"next_page_token":"t"}}`,
		`{"bills":[],"info":[{"more_records":false}]}`, `{"bill":{"a":` + nested(64) + `}}`, `{"bills":[` + strings.Repeat("[{", 40) + strings.Repeat("}]", 40) + `]}`, "\xef\xbb\xbf{}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := body.Parse(data)
		want, errWant := body.ParseCarefully(data)
		if fmt.Sprint(err) != fmt.Sprint(errWant) {
			t.Fatalf("%q: %v, carefully %v", data, err, errWant)
		}
		if err != nil {
			return
		}
		for _, read := range []func(e *body.Envelope) (body.Page, error){
			func(e *body.Envelope) (body.Page, error) { return e.Page("bills") },
			func(e *body.Envelope) (body.Page, error) { return e.Whole("bills") },
			func(e *body.Envelope) (body.Page, error) { return e.Linked("bills") },
		} {
			for _, form := range []schema.Envelope{schema.EnvelopeCoded, schema.EnvelopeInfo} {
				got.Form, want.Form = form, form
				page, err := read(got)
				pageWant, errWant := read(want)
				if diff := cmp.Diff(page, pageWant); diff != "" || fmt.Sprint(err) != fmt.Sprint(errWant) {
					t.Fatalf("%q, envelope %d: %v, carefully %v\n%s", data, form, err, errWant, diff)
				}
			}
		}
		if got.Code != want.Code || got.Has("code") != want.Has("code") {
			t.Fatalf("%q: code %q, carefully %q", data, got.Code, want.Code)
		}
	})
}

// page is a page of 200 records of 1.8 kB.
func page() []byte {
	record := `{"item_id":"460000000038085","last_modified_time":"2026-01-17T15:27:23+0530"`
	for i := 0; len(record) < 1800; i++ {
		record += fmt.Sprintf(`,"field_%d":"some text of usual length","amount_%d":%d.50`, i, i, i*7)
	}
	return []byte(`{"code":0,"message":"success","items":[` + strings.TrimSuffix(strings.Repeat(record+"},", 200), ",") +
		`],"page_context":{"page":1,"per_page":200,"has_more_page":true}}`)
}

func BenchmarkParse(b *testing.B) {
	data := page()
	for _, way := range []struct {
		name  string
		parse func([]byte) (*body.Envelope, error)
	}{{"quick", body.Parse}, {"careful", body.ParseCarefully}} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				envelope, err := way.parse(data)
				if err != nil {
					b.Fatal(err)
				}
				if list, err := envelope.Page("items"); err != nil || len(list.Records) != 200 {
					b.Fatal(len(list.Records), err)
				}
			}
		})
	}
}
