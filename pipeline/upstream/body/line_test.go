package body_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/upstream/body"
	"sluice/schema"
	"sluice/schema/jsonscan"
)

// FuzzRows: any input gives rows with all fields, then an end or an error of ErrShape.
func FuzzRows(f *testing.F) {
	for _, seed := range []string{
		"title,chat_id\na,1\n", "\"a\"\"b\",1\nnext_token=x\n\n", "{\"code\":44}", "<html>", "\xef\xbb\xbf\n,\n",
		"a,1\nb,2\r\n\"c,\",\"\"\nd\r,4\n", "a,1\nb,2\n\"c\nd\",3\ne,4\n", "a,1\nb\"c,2\n", "a,1\n\"b\"c,2\n", "a,1\nb,2\nc,\"3\n", "a,1\nb,2,\n",
		"a,1\n,\n\"\",\n\x01\\,\"\\\x1f\"\n", "a,1\nnext_token=b,2\nc,3\n", "a,1\n\nb,2\n\r\nc,3", "a,1\n\"\"\"\",\"\"\"b\"\n\"\"\"\"\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, _, err := body.NewRows(bytes.NewReader(data), []string{"title", "chat_id"})
		for err == nil {
			var row []byte
			if row, err = rows.Next(); err == nil && bytes.Count(row, []byte(`"chat_id":`)) == 0 {
				t.Fatalf("a row without its fields: %q", row)
			}
		}
		fatalIf(t, !errors.Is(err, io.EOF) && !errors.Is(err, body.ErrShape), "an error of neither sort: %v", err)
	})
}

// TestAWrongLineIsNumbered: by its number in the body, also behind a row of two lines.
func TestAWrongLineIsNumbered(t *testing.T) {
	t.Parallel()
	text := "title,chat_id\na,1\n\"two\nlines\",2\n\"a, \"\"b\"\"\",3\r\nb\"c,4\n"
	rows, _, err := body.NewRows(strings.NewReader(text), []string{"title", "chat_id"})
	read := 0
	for ; err == nil; read++ {
		_, err = rows.Next()
	}
	errorIf(t, read != 4 || !errors.Is(err, body.ErrShape) || !strings.Contains(err.Error(), "line 6:"), "%d rows, then %v", read-1, err)
}

// FuzzBothWays: quick and careful read the same envelope, whatever the bytes are, also where the
// caller splits the list.
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
		fatalIf(t, fmt.Sprint(err) != fmt.Sprint(errWant), "%q: %v, carefully %v", data, err, errWant)
		if err != nil {
			return
		}
		split, err := body.ParseWith(data, body.Own{Key: "bills", Elements: jsonscan.Elements})
		fatalIf(t, err != nil, "%q: %v where its caller splits the list", data, err)
		for _, read := range []func(e *body.Envelope) (body.Page, error){
			func(e *body.Envelope) (body.Page, error) { return e.Page("bills") },
			func(e *body.Envelope) (body.Page, error) { return e.Whole("bills") },
			func(e *body.Envelope) (body.Page, error) { return e.Linked("bills") },
		} {
			for _, form := range []schema.Envelope{schema.EnvelopeCoded, schema.EnvelopeInfo} {
				got.Form, want.Form, split.Form = form, form, form
				page, err := read(got)
				pageWant, errWant := read(want)
				if diff := cmp.Diff(page, pageWant); diff != "" || fmt.Sprint(err) != fmt.Sprint(errWant) {
					t.Fatalf("%q, envelope %d: %v, carefully %v\n%s", data, form, err, errWant, diff)
				}
				page, err = read(split)
				page.Rewritten = false
				if diff := cmp.Diff(page, pageWant); diff != "" || fmt.Sprint(err) != fmt.Sprint(errWant) {
					t.Fatalf("%q, envelope %d, split: %v, carefully %v\n%s", data, form, err, errWant, diff)
				}
			}
		}
		fatalIf(t, got.Code != want.Code || got.Has("code") != want.Has("code"), "%q: code %q, carefully %q", data, got.Code, want.Code)
	})
}

// TestAnOwnListIsRewritten: only the list under the key is, only if it can be split whole, and a
// page says so.
func TestAnOwnListIsRewritten(t *testing.T) {
	t.Parallel()
	upper := body.Own{Key: "bills", Elements: func(data []byte, at, depth int, each func([]byte)) (int, bool) {
		stopped := false
		end, ok := jsonscan.Elements(data, at, depth, func(element []byte) {
			stopped = stopped || element[0] != '"'
			each(bytes.ToUpper(element))
		})
		return end, ok && !stopped
	}}
	for name, c := range map[string]struct {
		data, want string
		rewritten  bool
	}{
		"its list":          {`{"bills":["a","b"],"taxes":["c"]}`, `"A" "B"`, true},
		"an empty one":      {`{"bills":[]}`, ``, true},
		"behind others":     {`{"taxes":["c"], "bills" : [ "a" ] }`, `"A"`, true},
		"what it refuses":   {`{"bills":["a",1,"b"]}`, `"a" 1 "b"`, false},
		"what is no list":   {`{"bills":["a","b"]}{}`, ``, false},
		"behind it no JSON": {`{"bills":["a","b"],}`, ``, false},
		"an escaped key":    {`{"b\u0069lls":["a"]}`, `"a"`, false},
		"beside a long one": {`{"taxes":["c"` + strings.Repeat(",1", body.MaxElements-1) + `],"bills":["a"]}`, `"a"`, false},
		"a long text":       {`{"bills":["a"],"x":"` + strings.Repeat("x", 4<<20) + `"}`, `"a"`, false},
	} {
		envelope, err := body.ParseWith([]byte(c.data), upper)
		if err != nil {
			errorIf(t, c.want != "" || !errors.Is(err, body.ErrShape), "%s: %v", name, err)
			continue
		}
		page, err := envelope.Whole("bills")
		got := string(bytes.Join(page.Records, []byte(" ")))
		errorIf(t, err != nil || got != c.want || page.Rewritten != c.rewritten, "%s: %s, rewritten %t, %v", name, got, page.Rewritten, err)
		if other, err := envelope.Whole("taxes"); err == nil && (other.Rewritten || string(other.Records[0]) != `"c"`) {
			t.Errorf("%s: the other list is %s, rewritten %t", name, other.Records, other.Rewritten)
		}
	}
}
