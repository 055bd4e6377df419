package body_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice/pipeline/check"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream/body"
	"sluice/schema"
)

func TestEnvelopeValues(t *testing.T) {
	t.Parallel()
	envelope, err := body.Parse([]byte(` {"code": "0", "bill": {"bill_id":"1"}, "expires_in": 3600, "scope":"a\u0062", "on": true} `))
	must(t, err)
	raw, err := envelope.Value("bill")
	errorIf(t, err != nil || string(raw) != `{"bill_id":"1"}`, "Value = %s, %v", raw, err)
	if _, err = envelope.Value("Bill"); !errors.Is(err, body.ErrShape) {
		t.Errorf("Value of another case = %v, want ErrShape", err)
	}
	for key, want := range map[string]string{"expires_in": "3600", "scope": "ab", "code": "0"} {
		text, ok := envelope.Text(key)
		errorIf(t, !ok || text != want, "Text(%s) = %q, %v, want %q", key, text, ok, want)
	}
	for _, key := range []string{"on", "bill", "absent"} {
		text, ok := envelope.Text(key)
		errorIf(t, ok, "Text(%s) = %q, want none", key, text)
	}
	errorIf(t, !envelope.Has("on") || envelope.Has("off") || envelope.Code != "0", "Has or Code is wrong: %q", envelope.Code)
}

func TestEnvelopeDepth(t *testing.T) {
	t.Parallel()
	nest := func(n int) []byte {
		return []byte(`{"x":` + strings.Repeat("[", n) + `"]\"["` + strings.Repeat("]", n) + `}`)
	}
	_, err := body.Parse(nest(63))
	errorIf(t, err != nil, "64 levels: %v", err)
	_, err = body.Parse(nest(64))
	errorIf(t, !errors.Is(err, body.ErrShape), "65 levels: %v, want ErrShape", err)
	// Brackets in text do not count as levels.
	_, err = body.Parse([]byte(`{"x":"` + strings.Repeat(`[\"`, 1000) + `"}`))
	errorIf(t, err != nil, "brackets in text: %v", err)
}

// TestRecordsDoNotOverlap: appending to a record of a page leaves the next record alone.
func TestRecordsDoNotOverlap(t *testing.T) {
	t.Parallel()
	envelope, err := body.Parse([]byte(`{"bills":[{"a":1},{"b":2}],"page_context":{"page":1,"has_more_page":false}}`))
	must(t, err)
	page, err := envelope.Page("bills")
	must(t, err)
	_ = append(page.Records[0], "XXXXXXXX"...)
	errorIf(t, string(page.Records[1]) != `{"b":2}`, "the second record became %s", page.Records[1])
}

func TestPageContext(t *testing.T) {
	t.Parallel()
	for context, want := range map[string]string{
		`{"page":3,"per_page":10,"has_more_page":true}`:          "",
		`[{"page":"3","per_page":"10","has_more_page":true}]`:    "",
		`{"page":3,"per_page":10,"has_more_page":"true"}`:        "has_more_page",
		`{"page":3,"per_page":10,"has_more_page":null}`:          "has_more_page",
		`{"page":3.0,"per_page":10,"has_more_page":true}`:        "page is not a whole number",
		`{"page":-3,"per_page":10,"has_more_page":true}`:         "page is not a whole number",
		`{"page":3,"per_page":null,"has_more_page":true}`:        "per_page",
		`{"page":3,"page":3,"per_page":10,"has_more_page":true}`: "twice",
		`{"page":"","per_page":10,"has_more_page":true}`:         "page is not a whole number",
		`"none"`:     "not a JSON object",
		`null`:       "not a JSON object",
		`[]`:         "an array of 0",
		`[1]`:        "not a JSON object",
		`[{},{}]`:    "an array of 2",
		`{"page":[]`: "body",
	} {
		envelope, err := body.Parse([]byte(`{"bills":[],"page_context":` + context + `}`))
		var page body.Page
		if err == nil {
			page, err = envelope.Page("bills")
		}
		switch {
		case want == "" && (err != nil || page.Number != 3 || page.PerPage != 10 || !page.More):
			t.Errorf("%s: %+v, %v", context, page, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want an error that says %q", context, err, want)
		}
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]string{
		`{"page":3,"per_page":10,"more_records":true,"next_page_token":"t","sort_by":"id","sort_order":"desc"}`:       "",
		`[{"page":"3","per_page":"10","more_records":true,"next_page_token":"t","sort_by":"id","sort_order":"desc"}]`: "",
		`{"page":3,"per_page":10,"more_records":"true","next_page_token":"t"}`:                                        "more_records",
		`{"page":3,"per_page":10,"more_records":null,"next_page_token":"t"}`:                                          "more_records",
		`{"page":3,"per_page":10,"has_more_page":true,"next_page_token":"t"}`:                                         "the key more_records is missing",
		`"none"`: "not a JSON object", `null`: "not a JSON object", `[]`: "an array of 0",
	} {
		envelope, err := body.Parse([]byte(`{"data":[{"id":"1"}],"info":` + info + `}`))
		must(t, err)
		envelope.Form = schema.EnvelopeInfo
		records := [][]byte{[]byte(`{"id":"1"}`)}
		for way, read := range map[string]struct {
			by   func(string) (body.Page, error)
			want body.Page
		}{
			"number": {envelope.Page, body.Page{Records: records, Number: 3, PerPage: 10, More: true, Sort: "id", Order: "D"}},
			"token":  {envelope.Linked, body.Page{Records: records, More: true, Token: "t", Sort: "id", Order: "D"}},
		} {
			page, err := read.by("data")
			switch {
			case want == "":
				diff := cmp.Diff(read.want, page)
				check.ErrorIf(t, diff != "" || err != nil, "%s by %s: %v\n%s", info, way, err, diff)
			case err == nil || !errors.Is(err, body.ErrShape) || !strings.Contains(err.Error(), want):
				t.Errorf("%s by %s: %v, want an error that says %q", info, way, err, want)
			}
		}
	}
}

// TestTheLastPageOfInfo: what is absent ends no list in silence.
func TestTheLastPageOfInfo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"data":[],"info":{"page":1,"more_records":false,"next_page_token":null}}`: "",
		`{"data":[],"info":{"page":1,"more_records":false,"next_page_token":"t"}}`:  "",
		`{"data":[],"info":{"page":1,"more_records":false}}`:                        "",
		`{"data":[],"info":{"page":1,"more_records":true,"next_page_token":null}}`:  "next_page_token is missing",
		`{"data":[],"info":{"page":1,"more_records":true}}`:                         "next_page_token is missing",
		`{"data":[],"page_context":{"page":1,"has_more_page":false}}`:               "the key info is missing",
		`{"data":[]}`: "the key info is missing",
		`{"info":{"page":1,"more_records":false}}`:             "the key data is missing",
		`{"data":{},"info":{"page":1,"more_records":false}}`:   "key data: not an array",
		`{"data":null,"info":{"page":1,"more_records":false}}`: "key data: not an array",
	} {
		envelope, err := body.Parse([]byte(text))
		must(t, err)
		envelope.Form = schema.EnvelopeInfo
		page, err := envelope.Linked("data")
		if want == "" && (err != nil || page.More || page.Token != "") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %+v, %v, want %q", text, page, err, want)
		}
	}
}

// TestALackNamesWhatIsThere: the error says which key, whether it is one of paging, and which keys
// there are.
func TestALackNamesWhatIsThere(t *testing.T) {
	t.Parallel()
	envelope, err := body.Parse([]byte(`{"message":"m","code":0,"items":[],"page_context":{"page":1}}`))
	must(t, err)
	for key, paging := range map[string]bool{"thing": false, "message": false, "items": true} {
		_, err := envelope.Page(key)
		lack, ok := errors.AsType[*body.LackError](err)
		check.ErrorIf(t, !ok || !errors.Is(err, body.ErrShape) || lack.Paging != paging || lack.Key == "" ||
			!slices.Equal(lack.Keys, []string{"code", "items", "message", "page_context"}), "%s: %+v, %v", key, lack, err)
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	long := "<html>\x00\nKäse " + strings.Repeat("y", 100)
	scrub := outside.NewScrubber()
	scrub.Keep("canary-of-an-excerpt")
	got := string(body.Excerpt(scrub, "text/html\n", []byte(long)))
	for _, part := range []string{"content type \"text/html\u2400\"", "114 bytes", "begins ‹<html>\u2400\u2400Käse " + strings.Repeat("y", 40)} {
		errorIf(t, !strings.Contains(got, part), "Excerpt = %q, lacks %q", got, part)
	}
	errorIf(t, strings.Contains(got, strings.Repeat("y", 51)), "Excerpt = %q shows more than 64 characters", got)
	for _, secret := range [][2]string{{"x", "prefix canary-of-an-excerpt suffix"}, {"canary-of-an-excerpt", "x"}, {"", strings.Repeat("x", 50) + "canary-of-an-ex"}} {
		if got = string(body.Excerpt(scrub, secret[0], []byte(secret[1]))); strings.Contains(got, "canary") || !strings.Contains(got, "withheld") {
			t.Errorf("Excerpt = %q shows a secret", got)
		}
	}
}

// TestRowsReadWhatWasWritten: Rows reads what a CSV writer wrote, whatever the titles hold. (A CR
// is left out: encoding/csv drops it before a line feed.)
func TestRowsReadWhatWasWritten(t *testing.T) {
	t.Parallel()
	fields := []string{"title", "chat_id"}
	text := rapid.StringOf(rapid.OneOf(rapid.RuneFrom([]rune("ab,\"\n;'={}<> \t\x00\\")), rapid.Rune())).Filter(func(s string) bool {
		return !strings.Contains(s, "\r")
	})
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(text, 2, 2), 0, 8).Draw(t, "rows")
		var out bytes.Buffer
		writer := csv.NewWriter(&out)
		header := rapid.Bool().Draw(t, "header")
		if header {
			must(t, writer.Write(fields))
		}
		must(t, writer.WriteAll(rows))
		if !header && len(rows) > 0 && (rows[0][0] == "title" || rows[0][0] == "chat_id" || strings.HasPrefix(out.String(), "\xef\xbb\xbf")) {
			return // looks like a header or a byte order mark
		}
		if start := strings.ToLower(strings.TrimLeft(out.String(), " \t\r\n")); strings.HasPrefix(start, "<") {
			return // may look like HTML
		}
		reader, _, err := body.NewRows(iotest.HalfReader(&out), fields)
		must(t, err)
		for i, want := range rows {
			raw, err := reader.Next()
			fatalIf(t, err != nil, "row %d: %v", i, err)
			var got struct {
				Title *string `json:"title"`
				Chat  *string `json:"chat_id"`
			}
			err = json.Unmarshal(raw, &got)
			fatalIf(t, err != nil, "row %d: %q: %v", i, raw, err)
			fatalIf(t, *got.Title != want[0] || *got.Chat != want[1], "row %d: %q, want %q", i, raw, want)
		}
		_, err = reader.Next()
		fatalIf(t, !errors.Is(err, io.EOF), "after the last row: %v, want EOF", err)
	})
}

func TestRowsKeepBytesThatAreNoText(t *testing.T) {
	t.Parallel()
	rows, _, err := body.NewRows(strings.NewReader("a\xff,1\n"), []string{"title", "chat_id"})
	must(t, err)
	raw, err := rows.Next()
	errorIf(t, err != nil || string(raw) != "{\"title\":\"a\xff\",\"chat_id\":\"1\"}", "row %q, %v", raw, err)
}

func TestRowsPassTheReadersErrorOn(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	for _, text := range []string{"", "a", "\"a", "a,1\nb", "a,1\nx\"y"} {
		rows, _, err := body.NewRows(io.MultiReader(strings.NewReader(text), iotest.ErrReader(lost)), []string{"title", "chat_id"})
		for err == nil {
			_, err = rows.Next()
		}
		errorIf(t, !errors.Is(err, lost), "%q: %v, want the reader's error", text, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"code":0,"message":"success","bills":[{"a":1.00},"x",null,[]],"page_context":{"page":1,"per_page":200,"has_more_page":false}}`,
		`{"bills":[{"a":1}],"info":{"page":1,"per_page":200,"more_records":true,"next_page_token":"t"}}`,
		`{"code":"44"}`, `{"code":1e3,"bills":{}}`, `[{}]`, `{"bills":[],"page_context":[{"page":"1","has_more_page":true}]}`, "\xef\xbb\xbf{}", `{"a":1}{}`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := bytes.Clone(data)
		envelope, err := body.Parse(data)
		fatalIf(t, !bytes.Equal(before, data), "the body was changed")
		if err != nil {
			fatalIf(t, !errors.Is(err, body.ErrCut) && !errors.Is(err, body.ErrShape), "an error of neither sort: %v", err)
			return
		}
		envelope.Form = schema.EnvelopeInfo
		if page, err := envelope.Linked("bills"); err == nil && page.More != (page.Token != "") || err != nil && !errors.Is(err, body.ErrShape) {
			t.Fatalf("with info: %+v, %v", page, err)
		}
		page, err := envelope.Page("bills")
		if err != nil {
			envelope.Form = schema.EnvelopeCoded
			page, err = envelope.Page("bills")
		}
		if err != nil {
			fatalIf(t, !errors.Is(err, body.ErrShape), "an error of another sort: %v", err)
			return
		}
		// encoding/json must see the same records, byte for byte.
		var keys map[string]json.RawMessage
		err = json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &keys)
		fatalIf(t, err != nil, "encoding/json refuses the body: %v", err)
		var want []json.RawMessage
		err = json.Unmarshal(keys["bills"], &want)
		fatalIf(t, err != nil, "encoding/json refuses the list: %v", err)
		fatalIf(t, len(want) != len(page.Records), "%d records, encoding/json sees %d", len(page.Records), len(want))
		for i := range want {
			fatalIf(t, !bytes.Equal(want[i], page.Records[i]), "record %d is %q, encoding/json sees %q", i, page.Records[i], want[i])
		}
	})
}

func must(tb rapid.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
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
