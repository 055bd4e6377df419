package upstream_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/upstream"
	"sluice/pipeline/upstream/wire"
)

const jsonType = "application/json"

// TestEveryAnswerHasItsKind gives the kind of every answer, one line each. The kinds are those of
// docs/upstream.md U60 to U72 and of the faults H1-H17.
func TestEveryAnswerHasItsKind(t *testing.T) {
	t.Parallel()
	html := "<!DOCTYPE html><html><body>Please sign in, " + canaryToken + "</body></html>"
	code := func(code string) string { return `{"code":` + code + `,"message":"not for the log"}` }
	list := func(rest string) string { return `{"code":0,"chartofaccounts":[{"account_id":"1"}]` + rest + `}` }
	cases := []struct {
		name    string
		handler http.HandlerFunc
		kind    pipeline.Kind
		code    string
		until   time.Duration
	}{
		{"429 44", answer(429, jsonType, code("44")), pipeline.Throttled, "44", time.Minute},
		{"429 44 with Retry-After", answer(429, jsonType, code("44"), "Retry-After", "90"), pipeline.Throttled, "44", 90 * time.Second},
		{"429 44 as text", answer(429, jsonType, code(`"44"`)), pipeline.Throttled, "44", time.Minute},
		{"429 45 tells the reset", answer(429, jsonType, code("45"), "X-Rate-Limit-Limit", "1000", "X-Rate-Limit-Remaining", "0",
			"X-Rate-Limit-Reset", "5400"), pipeline.Exhausted, "45", 90 * time.Minute},
		{"429 45 ends at midnight there", answer(429, jsonType, code("45")), pipeline.Exhausted, "45", 6*time.Hour + 30*time.Minute},
		{"429 1070", answer(429, jsonType, code("1070")), pipeline.Crowded, "1070", 10 * time.Second},
		{"429 other", answer(429, jsonType, code("9")), pipeline.Throttled, "9", time.Minute},
		{"429 HTML", answer(429, "text/html", html), pipeline.Throttled, "", time.Minute},
		{"429 empty, a date", answer(429, "", "", "Retry-After", "Sat, 17 Jan 2026 12:00:30 GMT", "Date", "Sat, 17 Jan 2026 12:00:10 GMT"),
			pipeline.Throttled, "", 20 * time.Second},
		{"429 Retry-After a day", answer(429, jsonType, code("44"), "Retry-After", "86400"), pipeline.Throttled, "44", time.Hour},
		{"429 Retry-After too long", answer(429, "", "", "Retry-After", "86401"), pipeline.Throttled, "", time.Minute},
		{"429 Retry-After nonsense", answer(429, "", "", "Retry-After", "soon"), pipeline.Throttled, "", time.Minute},
		{"200 44", answer(200, jsonType, code("44")), pipeline.Throttled, "44", time.Minute},
		{"200 45", answer(200, jsonType, code("45")), pipeline.Exhausted, "45", 6*time.Hour + 30*time.Minute},
		{"200 1070", answer(200, jsonType, code("1070")), pipeline.Crowded, "1070", 10 * time.Second},
		{"200 57 twice", answer(200, jsonType, code("57")), pipeline.Denied, "57", 0},
		{"401 57 twice", answer(401, jsonType, code("57")), pipeline.Denied, "57", 0},
		{"401 14 twice", answer(401, jsonType, code(`"14"`)), pipeline.Denied, "14", 0},
		{"401 HTML twice", answer(401, "text/html", html), pipeline.Denied, "", 0},
		{"403", answer(403, jsonType, code("1038")), pipeline.Denied, "1038", 0},
		{"403 HTML", answer(403, "text/html", html), pipeline.Denied, "", 0},
		{"400 6024", answer(400, jsonType, code("6024")), pipeline.Denied, "6024", 0},
		{"400 6041", answer(400, jsonType, code("6041")), pipeline.Denied, "6041", 0},
		{"400 other", answer(400, jsonType, code("2")), pipeline.Unexpected, "2", 0},
		{"400 0", answer(400, jsonType, code("0")), pipeline.Unexpected, "0", 0},
		{"404 5", answer(404, jsonType, code("5")), pipeline.Unexpected, "5", 0},
		{"405", answer(405, jsonType, code("5")), pipeline.Unexpected, "5", 0},
		{"406", answer(406, "text/html", html), pipeline.Unexpected, "", 0},
		{"408", answer(408, "", ""), pipeline.Unavailable, "", 0},
		{"500 JSON", answer(500, jsonType, code("1000")), pipeline.Unavailable, "1000", 0},
		{"500 with code 0", answer(500, jsonType, twoAccounts), pipeline.Unavailable, "0", 0},
		{"503 HTML", answer(503, "text/html", html, "Retry-After", "120"), pipeline.Unavailable, "", 2 * time.Minute},
		{"504 empty", answer(504, "", ""), pipeline.Unavailable, "", 0},
		{"204", answer(204, "", ""), pipeline.Unexpected, "", 0},
		{"202", answer(202, jsonType, twoAccounts), pipeline.Unexpected, "0", 0},
		{"304", answer(304, "", ""), pipeline.Unexpected, "", 0},
		{"200 other code", answer(200, jsonType, code("9")), pipeline.Unexpected, "9", 0},
		{"200 code in text", answer(200, jsonType, code(`"FAILED"`)), pipeline.Unexpected, "FAILED", 0},
		{"200 code null", answer(200, jsonType, code("null")), pipeline.Unexpected, "", 0},
		{"200 without code", answer(200, jsonType, `{"chartofaccounts":[],"page_context":{"page":1,"has_more_page":false}}`), pipeline.Unexpected, "", 0},
		{"200 HTML", answer(200, "text/html; charset=utf-8", html), pipeline.Unexpected, "", 0},
		{"200 HTML called JSON", answer(200, jsonType, html), pipeline.Unexpected, "", 0},
		{"200 other type", answer(200, "application/octet-stream", twoAccounts), pipeline.Unexpected, "", 0},
		{"200 broken type", answer(200, "application/json; ;;", twoAccounts), pipeline.Unexpected, "", 0},
		{"200 other charset", answer(200, "application/json; charset=latin1", twoAccounts), pipeline.Unexpected, "", 0},
		{"200 empty", answer(200, jsonType, ""), pipeline.Unavailable, "", 0},
		{"200 cut, length unknown", raw("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + twoAccounts[:80]), pipeline.Unavailable, "", 0},
		{"200 something behind", answer(200, jsonType, twoAccounts+"<!-- proxy -->"), pipeline.Unexpected, "", 0},
		{"200 twice", answer(200, jsonType, twoAccounts+twoAccounts), pipeline.Unexpected, "", 0},
		{"200 an array", answer(200, jsonType, `[{"code":0}]`), pipeline.Unexpected, "", 0},
		{"200 too deep", answer(200, jsonType, list(`,"x":`+strings.Repeat("[", 64)+strings.Repeat("]", 64))), pipeline.Unexpected, "", 0},
		{"200 a key twice", answer(200, jsonType, list(`,"code":0`)), pipeline.Unexpected, "", 0},
		{"200 no list", answer(200, jsonType, `{"code":0,"page_context":{"page":1,"has_more_page":false}}`), pipeline.Unexpected, "0", 0},
		{"200 other case", answer(200, jsonType, `{"code":0,"ChartOfAccounts":[],"page_context":{"page":1,"has_more_page":false}}`), pipeline.Unexpected, "0", 0},
		{"200 object for list", answer(200, jsonType, `{"code":0,"chartofaccounts":{},"page_context":{"page":1,"has_more_page":false}}`), pipeline.Unexpected, "0", 0},
		{"200 no page_context", answer(200, jsonType, list("")), pipeline.Unexpected, "0", 0},
		{"200 another page", answer(200, jsonType, list(`,"page_context":{"page":2,"per_page":200,"has_more_page":false}`)), pipeline.Unexpected, "0", 0},
		{"200 no page number", answer(200, jsonType, list(`,"page_context":{"per_page":200,"has_more_page":false}`)), pipeline.Unexpected, "0", 0},
		{"200 no has_more_page", answer(200, jsonType, list(`,"page_context":{"page":1,"per_page":200}`)), pipeline.Unexpected, "0", 0},
		{"200 two contexts", answer(200, jsonType, list(`,"page_context":[{"page":1,"has_more_page":true},{}]`)), pipeline.Unexpected, "0", 0},
		{"200 out of a cache", answer(200, jsonType, twoAccounts, "Age", "61"), pipeline.Unavailable, "", 0},
		{"gzip that is none", answer(200, jsonType, twoAccounts, "Content-Encoding", "gzip"), pipeline.Unavailable, "", 0},
		{"gzip without its label", answer(200, jsonType, zipped(twoAccounts)), pipeline.Unavailable, "", 0},
		{"no answer", raw(""), pipeline.Unavailable, "", 0},
		{"not HTTP", raw("SSH-2.0-" + canaryToken + "\r\n\r\n"), pipeline.Unavailable, "", 0},
		{"a head cut", raw("HTTP/1.1 200 OK\r\nContent-Ty"), pipeline.Unavailable, "", 0},
		{"a body short", raw("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n" + twoAccounts), pipeline.Unavailable, "", 0},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			r := newFixture(t, tc.handler)
			failure := r.refused(t, ask(1), tc.kind)
			check.ErrorIf(t, string(failure.Code) != tc.code, "code %q, want %q", failure.Code, tc.code)
			check.Same(t, "op", "GET /books/v3/chartofaccounts page 1", failure.Op)
			var until time.Duration
			if !failure.Until.IsZero() {
				until = failure.Until.Sub(noon)
			}
			check.ErrorIf(t, until != tc.until, "until %v from now, want %v", until, tc.until)
			check.ErrorIf(t, len(failure.Error()) > 600, "an error of %d bytes", len(failure.Error()))
			last := r.gate.left[len(r.gate.left)-1]
			check.ErrorIf(t, tc.kind != pipeline.Denied && last.Kind != tc.kind, "the call log has kind %v, want %v", last.Kind, tc.kind)
		})
	}
}

func TestGoodAnswersInOtherClothes(t *testing.T) {
	t.Parallel()
	list := func(context string) string {
		return `{"code":0,"chartofaccounts":[{"a":1}],"page_context":` + context + `}`
	}
	for name, handler := range map[string]http.HandlerFunc{
		"context in an array":     answer(200, jsonType, list(`[{"page":"1","per_page":"200","has_more_page":false}]`)),
		"code in text":            answer(200, jsonType, strings.Replace(list(`{"page":1,"per_page":200,"has_more_page":false}`), "0", `"0"`, 1)),
		"201":                     answer(201, jsonType, list(`{"page":1,"per_page":200,"has_more_page":false}`)),
		"no content type":         raw("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + list(`{"page":1,"per_page":200,"has_more_page":false}`)),
		"byte order mark":         answer(200, jsonType, "\xef\xbb\xbf"+list(`{"page":1,"per_page":200,"has_more_page":false}`)),
		"gzip":                    answer(200, jsonType, zipped(list(`{"page":1,"per_page":200,"has_more_page":false}`)), "Content-Encoding", "gzip"),
		"blanks behind":           answer(200, jsonType, list(`{"page":1,"per_page":200,"has_more_page":false}`)+"\r\n \n"),
		"young copy from a cache": answer(200, jsonType, list(`{"page":1,"per_page":200,"has_more_page":false}`), "Age", "60"),
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, handler)
			page := r.page(t, ask(1))
			check.ErrorIf(t, len(page.Records) != 1 || string(page.Records[0]) != `{"a":1}` || page.More || page.PerPage != 200, "page %+v", page)
		})
	}
}

// TestABadRecordIsGivenAsItIs: one bad record must not lose the page; the code that reads the
// record finds what is wrong in it.
func TestABadRecordIsGivenAsItIs(t *testing.T) {
	record := "{\"n\":\"a\\u0000b\",\"n\":\"\\ud800\",\"x\":\"\xff\"}"
	r := newFixture(t, answer(200, jsonType, `{"code":0,"chartofaccounts":[`+record+`,7],"page_context":{"page":1,"has_more_page":false}}`))
	page := r.page(t, ask(1))
	check.ErrorIf(t, string(page.Records[0]) != record || string(page.Records[1]) != "7", "records %q", page.Records)
}

func TestARefusedTokenIsRenewedOnce(t *testing.T) {
	r := newFixture(t, func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") == "Svc-oauthtoken "+canaryRenewed {
			answer(200, jsonType, twoAccounts)(w, q)
			return
		}
		answer(401, jsonType, `{"code":57}`)(w, q)
	})
	page := r.page(t, ask(1))
	requests := r.seen()
	check.ErrorIf(t, page.Call != 2 || len(requests) != 2 || requests[0].URL.String() != requests[1].URL.String() || r.tokens.renewed != 1,
		"call %d after %d requests and %d renewals", page.Call, len(requests), r.tokens.renewed)
	check.ErrorIf(t, len(r.gate.entered) != 2 || r.gate.left[0].Kind != pipeline.Expired || r.gate.left[1].Kind != 0,
		"calls %+v, results %+v", r.gate.entered, r.gate.left)
}

func TestATokenRefusedTwiceIsNotRenewedAgain(t *testing.T) {
	r := newFixture(t, answer(401, jsonType, `{"code":57}`))
	r.refused(t, ask(1), pipeline.Denied)
	check.ErrorIf(t, len(r.seen()) != 2 || r.tokens.renewed != 1, "%d requests, %d renewals, want 2 and 1", len(r.seen()), r.tokens.renewed)
}

// TestATakenTokenThatEndedIsRenewed: where another program takes tokens, one that another process
// fetched meanwhile has ended, too. It is no proof against the credential.
func TestATakenTokenThatEndedIsRenewed(t *testing.T) {
	good := true
	r := newFixture(t, func(w http.ResponseWriter, q *http.Request) {
		if good && q.Header.Get("Authorization") == "Svc-oauthtoken "+canaryRenewed {
			answer(200, jsonType, twoAccounts)(w, q)
			return
		}
		answer(401, jsonType, `{"code":57}`)(w, q)
	})
	r.tokens.taken = true
	if _, err := r.client.Page(t.Context(), ask(1)); err != nil || len(r.seen()) != 3 || r.tokens.renewed != 2 {
		t.Errorf("%d requests, %d renewals, want 3 and 2: %v", len(r.seen()), r.tokens.renewed, err)
	}
	good = false
	r.refused(t, ask(1), pipeline.Denied)
	check.ErrorIf(t, len(r.seen()) != 6 || r.tokens.renewed != 4, "%d requests, %d renewals, want 6 and 4", len(r.seen()), r.tokens.renewed)
}

func TestTokenErrorsKeepTheirKind(t *testing.T) {
	r := newFixture(t, answer(401, jsonType, `{"code":57}`))
	r.tokens.renewErr = &pipeline.Error{Kind: pipeline.Unavailable, Detail: "renewing failed"}
	r.refused(t, ask(1), pipeline.Unavailable)
	r.tokens.err = &pipeline.Error{Kind: pipeline.Denied, Detail: "authorize anew"}
	r.refused(t, ask(1), pipeline.Denied)
	check.Same(t, "requests", 1, len(r.seen()))
}

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	bomb := zipped(`{"code":0,"pad":"` + strings.Repeat("0", 1<<20) + `"}`)
	for name, handler := range map[string]http.HandlerFunc{
		"plain": answer(200, jsonType, strings.Repeat(" ", 100_001)),
		"bomb":  answer(200, jsonType, bomb, "Content-Encoding", "gzip"),
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, handler, func(o *upstream.Options) { o.MaxBody = 100_000 })
			r.refused(t, ask(1), pipeline.Unexpected)
		})
	}
}

func TestSlowAnswersEnd(t *testing.T) {
	t.Parallel()
	hang := func(before string) http.HandlerFunc {
		return func(w http.ResponseWriter, q *http.Request) {
			if before != "" {
				w.Header().Set("Content-Type", jsonType)
				_, _ = io.WriteString(w, before)
				_ = http.NewResponseController(w).Flush()
			}
			<-q.Context().Done()
		}
	}
	short := 50 * time.Millisecond
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		change  func(*wire.Transport)
		says    string
	}{
		"no head": {hang(""), func(s *wire.Transport) { s.Header = short }, "in time"},
		"stalled": {hang("{"), func(s *wire.Transport) { s.Stall = short }, "no byte"},
		"total":   {hang("{"), func(s *wire.Transport) { s.Total = short }, "deadline"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, tc.handler, func(o *upstream.Options) { tc.change(&o.Transport) })
			failure := r.refused(t, ask(1), pipeline.Unavailable)
			check.ErrorIf(t, !strings.Contains(failure.Error(), tc.says), "error %q does not say %q", failure, tc.says)
		})
	}
}

func TestACancelledCallIsNoted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := newFixture(t, func(_ http.ResponseWriter, q *http.Request) {
		cancel()
		<-q.Context().Done()
	})
	_, err := r.client.Page(ctx, ask(1))
	r.mustFail(t, err, pipeline.Unavailable)
	check.ErrorIf(t, !errors.Is(err, context.Canceled), "error %v, want the cancellation inside", err)
}

func TestCertificatesAreVerified(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(answer(200, jsonType, twoAccounts))
	defer server.Close()
	server.Config.ErrorLog = nil
	r := makeFixture(t, answer(200, jsonType, twoAccounts), func(o *upstream.Options) { o.Vendor.API = server.URL })
	failure := r.refused(t, ask(1), pipeline.Unavailable)
	check.ErrorIf(t, !strings.Contains(failure.Error(), "certificate is not trusted"), "error %q", failure)
	r = makeFixture(t, answer(200, jsonType, twoAccounts), func(o *upstream.Options) {
		o.Vendor.API = server.URL
		o.Transport.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	})
	r.page(t, ask(1))
	plain := httptest.NewServer(answer(200, jsonType, twoAccounts))
	defer plain.Close()
	r = makeFixture(t, answer(200, jsonType, twoAccounts), func(o *upstream.Options) {
		o.Vendor.API = strings.Replace(plain.URL, "http://", "https://", 1)
	})
	r.refused(t, ask(1), pipeline.Unavailable)
}

func TestNobodyThere(t *testing.T) {
	r := newFixture(t, answer(200, jsonType, twoAccounts))
	r.server.Close()
	failure := r.refused(t, ask(1), pipeline.Unavailable)
	check.ErrorIf(t, !strings.Contains(failure.Error(), "connection refused"), "error %q", failure)
}

// TestAPageCutAtAnyByteIsUnavailable: a page that was cut anywhere is rejected (faults H1), however
// its end is marked.
func TestAPageCutAtAnyByteIsUnavailable(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n"
	gz := zipped(twoAccounts)
	for name, cut := range map[string]struct {
		whole string
		wire  func(n int) string
	}{
		"announced length": {twoAccounts, func(n int) string {
			return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(twoAccounts), twoAccounts[:n])
		}},
		"chunks": {twoAccounts, func(n int) string {
			return fmt.Sprintf("%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s", head, len(twoAccounts), twoAccounts[:n])
		}},
		"end by closing":       {twoAccounts, func(n int) string { return head + "\r\n" + twoAccounts[:n] }},
		"gzip, end by closing": {gz, func(n int) string { return head + "Content-Encoding: gzip\r\n\r\n" + gz[:n] }},
		"gzip, announced length": {gz, func(n int) string {
			return fmt.Sprintf("%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", head, len(gz), gz[:n])
		}},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			r := newFixture(t, func(w http.ResponseWriter, q *http.Request) { raw(cut.wire(n))(w, q) })
			for n = range len(cut.whole) {
				_, err := r.client.Page(t.Context(), ask(1))
				check.FatalIf(t, pipeline.KindOf(err) != pipeline.Unavailable, "cut at byte %d: %v, want unavailable", n, err)
			}
		})
	}
}

func zipped(text string) string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := io.WriteString(w, text); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.String()
}
