package upstream_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/upstream"
)

const csvType = "text/csv;charset=UTF-8"

// collect runs an export and gives its pages and records.
func collect(t *testing.T, r *fixture) ([]pipeline.Page, []string, error) {
	t.Helper()
	var (
		pages   []pipeline.Page
		records []string
	)
	err := r.client.Export(t.Context(), askExport(), func(page pipeline.Page) error {
		pages = append(pages, page)
		for _, record := range page.Records {
			check.ErrorIf(t, !json.Valid(record), "record %q is not JSON", record)
			records = append(records, string(record))
		}
		return nil
	})
	return pages, records, err
}

func TestExportReadsEveryForm(t *testing.T) {
	t.Parallel()
	const (
		a = `{"title":"Launch, \"phase\u000a2\"","chat_id":"1","participant_count":"7"}`
		b = `{"title":"","chat_id":"","participant_count":""}`
	)
	lines := "\"Launch, \"\"phase\n2\"\"\",1,7\n,,\n"
	for name, text := range map[string]string{
		"no header":                 lines,
		"header":                    "title,chat_id,participant_count\n" + lines,
		"header, mark, CR LF":       "\xef\xbb\xbftitle,chat_id,participant_count\r\n" + strings.Replace(lines, "7\n", "7\r\n", 1),
		"blank lines":               "\n\r\ntitle,chat_id,participant_count\n\n" + lines + "\n \n\n",
		"no end of the last line":   strings.TrimSuffix(lines, "\n"),
		"an empty trailer":          lines + "\nnext_token=\n",
		"a trailer and blank lines": lines + "next_token=\n\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, answer(200, csvType, text, "Date", "Sat, 17 Jan 2026 11:59:58 GMT"))
			pages, records, err := collect(t, r)
			check.Must(t, err)
			check.Same(t, "", []string{a, b}, records)
			check.ErrorIf(t, len(pages) != 1 || pages[0].Call != 1 || pages[0].More || !pages[0].Date.Equal(noon.Add(-2*time.Second)),
				"pages %+v", pages)
			got := r.gate.left[0]
			check.ErrorIf(t, got.Records != 2 || got.Bytes != int64(len(text)) || got.Kind != 0 || got.Status != 200, "the call log has %+v", got)
		})
	}
}

func TestExportRequest(t *testing.T) {
	r := newFixture(t, answer(204, "", ""))
	pages, _, err := collect(t, r)
	check.FatalIf(t, err != nil || len(pages) != 0, "Export = %v, %v", pages, err)
	got := r.seen()[0]
	if got.URL.RequestURI() != "/maintenanceapi/v2/chats?fields=title%2Cchat_id%2Cparticipant_count" ||
		got.Header.Get("Content-Type") != "text/csv" || got.Header.Get("Authorization") != "Svc-oauthtoken "+canaryToken {
		t.Errorf("request %s, %v", got.URL.RequestURI(), got.Header)
	}
}

func TestExportEmpty(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "\n", "title,chat_id,participant_count\n"} {
		r := makeFixture(t, answer(200, csvType, text))
		pages, _, err := collect(t, r)
		check.ErrorIf(t, err != nil || len(pages) != 0, "%q: pages %v, error %v", text, pages, err)
	}
}

func TestExportStreamsInGroups(t *testing.T) {
	seen := make(chan struct{})
	r := newFixture(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", csvType)
		for i := range 12_500 {
			_, _ = fmt.Fprintf(w, "%s,%d,1\n", strings.Repeat("t", 50), i)
			if i == 12_400 { // the rest is sent after the first group was given
				_ = http.NewResponseController(w).Flush()
				<-seen
			}
		}
	})
	var sizes []int
	var more []bool
	check.Must(t, r.client.Export(t.Context(), askExport(), func(page pipeline.Page) error {
		if len(sizes) == 0 {
			close(seen)
		}
		sizes, more = append(sizes, len(page.Records)), append(more, page.More)
		return nil
	}))
	check.Same(t, "", []int{5000, 5000, 2500}, sizes)
	check.Same(t, "", []bool{true, true, false}, more)
	check.ErrorIf(t, r.gate.left[0].Records != 12_500, "the call log has %d records", r.gate.left[0].Records)
}

// TestExportOfLongLines: long lines are given in smaller groups, because a group has to fit into
// memory before it is loaded.
func TestExportOfLongLines(t *testing.T) {
	line := strings.Repeat("t", 1<<20) + ",1,1\n"
	r := newFixture(t, answer(200, csvType, strings.Repeat(line, 10)))
	var sizes []int
	err := r.client.Export(t.Context(), askExport(), func(page pipeline.Page) error {
		sizes = append(sizes, len(page.Records))
		return nil
	})
	if diff := cmp.Diff([]int{4, 4, 2}, sizes); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func TestExportGoesOnWithItsToken(t *testing.T) {
	r := newFixture(t, func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.Query().Get("next_token") {
		case "":
			answer(200, csvType, "title,chat_id,participant_count\na,1,1\nnext_token=x+y/z,w==\n")(w, q)
		case "x+y/z,w==":
			answer(200, csvType, "title,chat_id,participant_count\nb,2,1\n\n")(w, q)
		default:
			answer(400, csvType, "")(w, q)
		}
	})
	pages, records, err := collect(t, r)
	check.Must(t, err)
	check.ErrorIf(t, len(records) != 2 || len(pages) != 2 || pages[0].Call != 1 || !pages[0].More || pages[1].Call != 2 || pages[1].More,
		"pages %+v", pages)
	check.Same(t, "calls were counted", 2, len(r.gate.entered))
}

func TestExportThatGoesInCirclesEnds(t *testing.T) {
	r := newFixture(t, answer(200, csvType, "a,1,1\nnext_token=again\n"))
	_, _, err := collect(t, r)
	r.mustFail(t, err, pipeline.Unexpected)
	check.Same(t, "calls", 2, len(r.seen()))
}

func TestExportRefusesWhatIsNoExport(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/csv\r\n"
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		kind    pipeline.Kind
	}{
		"JSON called CSV":       {answer(200, csvType, `  {"code":9,"message":"x"}`), pipeline.Unexpected},
		"exhausted called CSV":  {answer(200, csvType, `{"code":45}`), pipeline.Exhausted},
		"no failure in JSON":    {answer(200, csvType, `{"code":0}`), pipeline.Unexpected},
		"JSON":                  {answer(200, jsonType, `{"code":44}`), pipeline.Throttled},
		"a page":                {answer(200, csvType, "<!DOCTYPE html><p>"+canaryToken), pipeline.Unexpected},
		"a page and says so":    {answer(200, "text/html", "<p>"+canaryToken), pipeline.Unexpected},
		"another charset":       {answer(200, "text/csv; charset=utf-16", "a,1,1\n"), pipeline.Unexpected},
		"403":                   {answer(403, jsonType, `{"code":"forbidden"}`), pipeline.Denied},
		"401 twice":             {answer(401, "", ""), pipeline.Denied},
		"400":                   {answer(400, jsonType, `{"code":2}`), pipeline.Unexpected},
		"429":                   {answer(429, "", ""), pipeline.Throttled},
		"503":                   {answer(503, "text/html", "<p>"), pipeline.Unavailable},
		"one field less":        {answer(200, csvType, "a,1\n"), pipeline.Unexpected},
		"one field more":        {answer(200, csvType, "title,chat_id,participant_count,x\na,1,1,1\n"), pipeline.Unexpected},
		"another order":         {answer(200, csvType, "chat_id,title,participant_count\n1,a,1\n"), pipeline.Unexpected},
		"a bare quote":          {answer(200, csvType, "a\"b,1,1\n"), pipeline.Unexpected},
		"an open quote":         {answer(200, csvType, "\"ab,1,1\n"), pipeline.Unexpected},
		"a row too long":        {answer(200, csvType, "\""+strings.Repeat("x\n", 5<<20)), pipeline.Unexpected},
		"rows after a trailer":  {answer(200, csvType, "a,1,1\nnext_token=t\nb,2,1\n"), pipeline.Unexpected},
		"an end without a sign": {raw(head + "\r\na,1,1\n"), pipeline.Unexpected},
		"cut at a line's end":   {raw(head + "Content-Length: 20\r\n\r\na,1,1\n"), pipeline.Unavailable},
		"cut in a line":         {raw(head + "Content-Length: 20\r\n\r\na,1,1\nb,"), pipeline.Unavailable},
		"cut in a quote":        {raw(head + "Content-Length: 20\r\n\r\na,1,1\n\"b"), pipeline.Unavailable},
		"cut between chunks":    {raw(head + "Transfer-Encoding: chunked\r\n\r\n6\r\na,1,1\n\r\n"), pipeline.Unavailable},
		"gzip that is none":     {answer(200, csvType, "a,1,1\n", "Content-Encoding", "gzip"), pipeline.Unavailable},
		"no answer whatsoever":  {raw(""), pipeline.Unavailable},
		"a redirect":            {answer(302, "", "", "Location", "https://example.org/?"+canaryToken), pipeline.Unexpected},
		"a binary called CSV":   {answer(200, csvType, "\x00\x01\x02"), pipeline.Unexpected},
		"compressed, unlabeled": {answer(200, csvType, zipped("a,1,1\n")), pipeline.Unexpected},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, tc.handler)
			_, _, err := collect(t, r)
			r.mustFail(t, err, tc.kind)
		})
	}
}

// TestExportTitlesMayLookLikeAnything: a title may begin like another kind of document.
func TestExportTitlesMayLookLikeAnything(t *testing.T) {
	r := newFixture(t, answer(200, csvType, "{draft} plans,1,1\n<b>bold</b>,2,1\nnext_token=mine,3,1\ntitle,chat_id,participant_count\n"))
	_, records, err := collect(t, r)
	check.Must(t, err)
	want := []string{
		`{"title":"{draft} plans","chat_id":"1","participant_count":"1"}`,
		`{"title":"<b>bold</b>","chat_id":"2","participant_count":"1"}`,
		`{"title":"next_token=mine","chat_id":"3","participant_count":"1"}`,
		`{"title":"title","chat_id":"chat_id","participant_count":"participant_count"}`,
	}
	check.Same(t, "", want, records)
}

func TestExportCutAtAnyByteIsUnavailable(t *testing.T) {
	const text = "title,chat_id,participant_count\n\"a \"\"quoted\"\", b\",1,2\nc,2,3\n\nnext_token=\n"
	n := 0
	r := newFixture(t, func(w http.ResponseWriter, q *http.Request) {
		raw(fmt.Sprintf("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/csv\r\nContent-Length: %d\r\n\r\n%s", len(text), text[:n]))(w, q)
	})
	for n = range len(text) {
		_, _, err := collect(t, r)
		check.FatalIf(t, pipeline.KindOf(err) != pipeline.Unavailable, "cut at byte %d: %v, want unavailable", n, err)
	}
}

func TestExportEndsOnAnErrorOfItsReader(t *testing.T) {
	r := newFixture(t, answer(200, csvType, strings.Repeat("a,1,1\n", 5500)))
	calls := 0
	err := r.client.Export(t.Context(), askExport(), func(pipeline.Page) error {
		calls++
		return pipeline.ErrLostClaim
	})
	check.ErrorIf(t, !errors.Is(err, pipeline.ErrLostClaim) || calls != 1, "Export = %v after %d groups", err, calls)
	check.ErrorIf(t, r.gate.under() != 0 || r.gate.left[0].Kind != 0 || r.gate.left[0].Detail == "", "the call log has %+v", r.gate.left)
}

func TestExportThatStallsEnds(t *testing.T) {
	r := newFixture(t, func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", csvType)
		_, _ = fmt.Fprint(w, strings.Repeat("a,1,1\n", 100))
		_ = http.NewResponseController(w).Flush()
		<-q.Context().Done()
	}, func(o *upstream.Options) { o.Transport.Stall = 50 * time.Millisecond })
	_, _, err := collect(t, r)
	r.mustFail(t, err, pipeline.Unavailable)
}

func TestExportOfAnotherDeclaration(t *testing.T) {
	r := newFixture(t, answer(200, csvType, ""))
	err := r.client.Export(t.Context(), ask(1), func(pipeline.Page) error { return nil })
	r.mustFail(t, err, pipeline.Unexpected)
}

func TestCheckOfAnExport(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		kind    pipeline.Kind
	}{
		"fine":   {answer(200, csvType, "chat_id\n1\n"), 0},
		"empty":  {answer(204, "", ""), 0},
		"denied": {answer(403, "", ""), pipeline.Denied},
		"a page": {answer(200, csvType, "<html>"), pipeline.Unexpected},
		"cut":    {raw("HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Length: 9\r\n\r\n1"), pipeline.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, tc.handler)
			err := r.client.Check(t.Context(), home, chat)
			if tc.kind == 0 && err != nil {
				t.Error(err)
			} else if tc.kind != 0 {
				r.mustFail(t, err, tc.kind)
			}
		})
	}
}
