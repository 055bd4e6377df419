package sandbox_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

const exportPath = "/maintenanceapi/v2/chats"

// Faults that need two calls, a filter or a change between.
func TestFaultsOfSeveralCalls(t *testing.T) {
	t.Parallel()
	w := wire(t, sandbox.Options{Records: 200, Limits: off()})
	ids := func(r reply) []string {
		var list []string
		for n := range r.page().Bills {
			list = append(list, r.value(n, "bill_id"))
		}
		return list
	}
	page := func(n string) reply { return w.ask(t, http.MethodGet, target(billsPath, "per_page", "10", "page", n)) }

	old := page("1")
	w.set(t, sandbox.Fault{Path: billsPath, Kind: "stale"})
	page("1")
	w.change(t, sandbox.Change{Seed: 1, Edits: 50, Resources: []string{"bills"}})
	again := page("1")
	errorIf(t, again.body != old.body || page("2").body == old.body, "stale: not the first answer of the address")

	w.set(t, sandbox.Fault{Path: billsPath, Kind: "drifting"})
	one, two := page("1"), page("1")
	errorIf(t, one.value(0, "release_1_note") == "" || two.value(0, "release_2_note") == "", "drifting: the same name twice")

	w.set(t, sandbox.Fault{Path: billsPath, Kind: "insert_between", Count: 2})
	was := page("1")
	now := page("2")
	errorIf(t, ids(now)[0] != ids(was)[9], "insert_between: the pages did not move down")
	w.set(t, sandbox.Fault{Path: billsPath, Kind: "edit_between", Count: 2})
	was = page("1")
	page("2")
	w.set(t, sandbox.Fault{Path: "/nowhere", Kind: "html"})
	if now := page("1"); now.value(0, "sub_total") == was.value(0, "sub_total") || now.value(0, "bill_id") != was.value(0, "bill_id") {
		t.Error("edit_between: the first record is what it was")
	}

	items := "/inventory/v1/items"
	list := func(since string) []object {
		return readPage(t, w.get(t, items, "last_modified_time", since), "items").Records
	}
	w.clock.move(time.Hour)
	w.login(t)
	w.change(t, sandbox.Change{Seed: 1, Edits: 3, Resources: []string{"items"}})
	w.set(t, sandbox.Fault{Path: items, Kind: "filter_exact"})
	exact, later := list("2026-03-10T12:30:00+0530"), list("2026-03-10T12:29:59+0530")
	errorIf(t, len(exact) != 3 || len(later) != 0, "filter_exact: %d and %d items", len(exact), len(later))
}

// A fault may break off at any byte. The client has every byte that was sent before.
func TestCutsAtAnyByte(t *testing.T) {
	t.Parallel()
	w := wire(t, sandbox.Options{Records: 10, Limits: off()})
	url := target("/inventory/v1/settings/taxes", "per_page", "1")
	whole := w.ask(t, http.MethodGet, url).body
	for at := 1; at < len(whole); at += 7 {
		w.set(t, sandbox.Fault{Path: "/", Kind: "cut", Byte: at})
		r := w.ask(t, http.MethodGet, url)
		fatalIf(t, !errors.Is(r.err, io.ErrUnexpectedEOF) || r.body != whole[:at], "cut at %d: %d bytes, %v", at, len(r.body), r.err)
		w.set(t, sandbox.Fault{Path: "/", Kind: "cut_silent", Byte: at})
		r = w.ask(t, http.MethodGet, url)
		fatalIf(t, r.err != nil || r.body != whole[:at], "cut_silent at %d: %d bytes, %v", at, len(r.body), r.err)
	}
}

// A gigabyte of blanks costs a client that reads on some megabytes of traffic.
func TestGzipBomb(t *testing.T) {
	t.Parallel()
	w := wire(t, sandbox.Options{Records: 10, Limits: off()})
	clean := w.ask(t, http.MethodGet, target(billsPath))
	w.set(t, sandbox.Fault{Path: "/", Kind: "gzip_bomb"})
	response, err := w.call(t, http.MethodGet, target(billsPath))
	must(t, err)
	defer func() { _ = response.Body.Close() }()
	unpack, err := gzip.NewReader(response.Body)
	must(t, err)
	begin := make([]byte, len(clean.body)+8<<20) // more than any page.
	_, err = io.ReadFull(unpack, begin)
	errorIf(t, err != nil || !bytes.HasPrefix(begin, []byte(clean.body)) || len(bytes.TrimSpace(begin)) != len(clean.body), "no bomb: %v", err)
}

func TestFaultsOfTheExport(t *testing.T) {
	t.Parallel()
	w := wire(t, sandbox.Options{Records: 100, ChatPage: 8, Limits: off()})
	url := exportPath + "?fields=chat_id,title"
	clean := w.ask(t, http.MethodGet, url).body
	head, rest, _ := strings.Cut(clean, "\r\n")
	lines, trailer, paged := strings.Cut(clean, "\r\n\r\nnext_token=")
	token := strings.TrimSuffix(trailer, "\r\n")
	fatalIf(t, head != "chat_id,title" || !paged || token == "", "the export begins %.40q and ends %.40q", clean, trailer)
	firstID, _, _ := strings.Cut(rest, ",")
	for kind, good := range map[string]func(string) bool{
		"csv_no_header":  func(got string) bool { return got == rest },
		"csv_no_trailer": func(got string) bool { return got == lines+"\r\n" },
		"csv_cut_line": func(got string) bool {
			return strings.HasPrefix(lines, got) && len(got) < len(lines) && !strings.HasSuffix(got, "\r\n")
		},
		"csv_empty": func(got string) bool { return got == "" },
		"csv_empty_id": func(got string) bool {
			return strings.HasPrefix(got, head+"\r\n,") && strings.Count(got, "\n,") == 1 && strings.Contains(clean, firstID)
		},
		"csv_newlines": func(got string) bool {
			return strings.Count(got, ",\"first line\r\nsecond \"\"line\"\",\nthird\"\r\n") == 8
		},
		"csv_extra_column": func(got string) bool {
			return strings.HasPrefix(got, "chat_id,title,extra\r\n") && strings.Contains(got, ",extra\r\n4")
		},
		"csv_same_token": func(got string) bool { return got == clean },
	} {
		w.set(t, sandbox.Fault{Path: exportPath, Kind: kind})
		if r := w.ask(t, http.MethodGet, url); r.err != nil || r.status != http.StatusOK || !good(r.body) {
			t.Errorf("%s: %d %v %.300q, clean is %.300q", kind, r.status, r.err, r.body, clean)
		}
	}
	w.set(t, sandbox.Fault{Path: exportPath, Kind: "csv_same_token"})
	if r := w.ask(t, http.MethodGet, url+"&next_token="+strings.ReplaceAll(token, "=", "%3D")); !strings.HasSuffix(r.body, "\r\n\r\nnext_token="+token+"\r\n") {
		t.Errorf("csv_same_token: ends %q, was asked for with %q", r.body[max(0, len(r.body)-60):], token)
	}
	w.set(t, sandbox.Fault{Path: billsPath, Kind: "csv_empty"})
	r := w.ask(t, http.MethodGet, target(billsPath))
	errorIf(t, r.body == "", "csv_empty struck a list")
}

func TestFaultsOfTheTokenEndpoint(t *testing.T) {
	t.Parallel()
	w := wire(t, sandbox.Options{Records: 10, Limits: off()})
	for kind, want := range map[string]string{
		"unavailable":        `^503 `,
		"token_error":        `^200 \{"error":"invalid_code"\}$`,
		"token_denied":       `^400 \{"error":"Access Denied",.*"status":"failure"\}$`,
		"token_slow_down":    `^200 \{"error":"slow_down"\}$`,
		"token_unknown":      `^200 \{"error":"quota_plan_review"\}$`,
		"token_unauthorized": `^200 \{"error":"unauthorized_client"\}$`,
		"token_empty":        `^200 \{.*"access_token":"",.*"expires_in":\d+`,
		"token_odd_life":     `^200 \{.*"access_token":"1.*"expires_in":"-1"`,
		"token_rotated":      `^200 \{.*"access_token":"1.*"refresh_token":"1000.rotated.rotated"\}$`,
		"token_no_life":      `^200 \{.*"access_token":"1[^}]*\}$`,
	} {
		w.set(t, sandbox.Fault{Path: "/oauth/v2/token", Method: http.MethodPost, Kind: kind})
		r := w.ask(t, http.MethodPost, tokenURL(nil))
		answer := fmt.Sprintf("%d %s", r.status, strings.TrimSpace(r.body))
		errorIf(t, !regexp.MustCompile(want).MatchString(answer) || kind == "token_no_life" && strings.Contains(answer, "expires_in"),
			"%s: %s", kind, answer)
	}
	must(t, w.SetFaults(nil))
	w.login(t)
}

// A fault strikes as often as its rate says, at the same calls for the same seed, and only the
// methods that it names.
func TestRatesOfFaults(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 10, Limits: off()})
	struck := func(fault sandbox.Fault) []int {
		must(t, u.SetFaults([]sandbox.Fault{fault}))
		var calls []int
		for n := range 200 {
			if u.get(t, "/inventory/v1/locations").Code == http.StatusServiceUnavailable {
				calls = append(calls, n)
			}
		}
		return calls
	}
	fault := sandbox.Fault{Path: "/", Kind: "unavailable", Rate: 0.25, Seed: 1}
	one, again := struck(fault), struck(fault)
	errorIf(t, len(one) < 30 || len(one) > 70 || !slices.Equal(one, again), "%d and %d of 200 calls were struck", len(one), len(again))
	fault.Seed = 2
	errorIf(t, slices.Equal(one, struck(fault)), "another seed strikes the same calls")
	fault.Count = 3
	equal(t, len(struck(fault)), 3, "calls were struck")
	equal(t, len(struck(sandbox.Fault{Path: "/", Kind: "unavailable", Method: http.MethodPost})), 0, "GET calls struck by a fault of POST")
}

// The header Date follows the clock of the sandbox once that was moved, on all answers: of the
// services, the authorization server and the controls.
func TestDateGoesWithTheClock(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 10})
	u.login(t)
	equal(t, u.get(t, billsPath).Header().Get("Date"), "", "before: Date is")
	u.send(t, http.MethodPost, "/_sandbox/advance", nil, `{"seconds":36000}`)
	const want = "Tue, 10 Mar 2026 16:00:00 GMT"
	for name, got := range map[string]http.Header{
		"a list": u.get(t, billsPath).Header(), "a control": u.serve(t, http.MethodGet, "/_sandbox/stats", nil).Header(), "a refusal": u.get(t, "/inventory/v1/none").Header(),
		"a token": u.serve(t, http.MethodPost, tokenURL(nil), nil).Header(),
	} {
		equal(t, got.Get("Date"), want, name)
	}
	u.serve(t, http.MethodPost, "/_sandbox/reset", nil)
	u.login(t)
	equal(t, u.get(t, billsPath).Header().Get("Date"), "", "after a reset: Date is")
}
