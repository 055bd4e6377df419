package sandbox_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"sluice/sandbox"
)

const billsPath = "/inventory/v1/bills"

func (u *upstream) fault(t *testing.T, kind string, count, after int) {
	t.Helper()
	must(t, u.SetFaults([]sandbox.Fault{{Path: billsPath, Kind: kind, Count: count, After: after, Milliseconds: 1}}))
}

func TestFaultsCountAndWait(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100})
	u.fault(t, "unavailable", 2, 1)
	var statuses []int
	for range 5 {
		statuses = append(statuses, u.get(t, billsPath).Code)
		equal(t, u.get(t, "/inventory/v1/items").Code, http.StatusOK, "another path answers")
	}
	equal(t, statuses, []int{200, 503, 503, 200, 200}, "statuses")
	u.fault(t, "forbidden", 0, 0)
	for range 3 {
		equal(t, u.get(t, billsPath).Code, http.StatusForbidden, "status")
	}
	err := u.SetFaults(nil)
	errorIf(t, err != nil || u.get(t, billsPath).Code != http.StatusOK, "no faults: %v", err)
}

func TestSetFaultsRefusesNonsense(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100})
	for _, fault := range []sandbox.Fault{
		{Path: "/", Kind: "gremlins"}, {Kind: "html"}, {Path: "/", Kind: "html", Count: -1}, {Path: "/", Kind: "html", Rate: 1.5},
	} {
		errorIf(t, u.SetFaults([]sandbox.Fault{fault}) == nil, "%+v was taken", fault)
	}
}

func TestWholeAnswerFaults(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100, Limits: off()})
	for _, c := range []struct {
		kind, contentType, body string
		status                  int
	}{
		{"html", "text/html", "<html>", 200},
		{"unavailable", "text/html", "<html>", 503},
		{"error_in_200", "application/json", `{"code":9,`, 200},
		{"throttle", "application/json", `{"code":44,`, 429},
		{"crowded", "application/json", `{"code":1070,`, 429},
		{"exhausted", "application/json", `{"code":45,`, 429},
		{"unauthorized", "application/json", `{"code":57,`, 401},
		{"forbidden", "application/json", `{"code":57,`, 403},
	} {
		u.fault(t, c.kind, 1, 0)
		answer := u.get(t, billsPath)
		if answer.Code != c.status || !strings.HasPrefix(answer.Header().Get("Content-Type"), c.contentType) || !strings.Contains(answer.Body.String(), c.body) {
			t.Errorf("%s: %d %s %.80s", c.kind, answer.Code, answer.Header().Get("Content-Type"), answer.Body)
		}
	}
	equal(t, len(u.Stats().Refused), 0, u.Stats().Refused)
}

func TestPageFaults(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 1000, Limits: off()})
	read := func(pairs ...string) page {
		return readPage(t, u.get(t, billsPath, append(pairs, "per_page", "10")...), "bills")
	}
	first, second := read(), read("page", "2")
	with := func(kind string, pairs ...string) page {
		u.fault(t, kind, 1, 0)
		return read(pairs...)
	}
	ids := func(p page) []string { return texts(t, slices.Values(p.Records), "bill_id") }
	p := with("wrong_page", "page", "2")
	errorIf(t, p.Context.Page != 3 || !slices.Equal(ids(p), ids(second)), "wrong_page: %+v", p.Context)
	p = with("repeat_page", "page", "2")
	errorIf(t, p.Context.Page != 2 || !slices.Equal(ids(p), ids(first)), "repeat_page: %+v", p.Context)
	p = with("empty_more")
	errorIf(t, len(p.Records) != 0 || !p.Context.More, "empty_more: %d records, %+v", len(p.Records), p.Context)
	p = with("missing_context")
	errorIf(t, p.Context != nil || len(p.Records) != 10, "missing_context: %+v", p.Context)
	reversed := ids(first)
	slices.Reverse(reversed)
	p = with("unsorted")
	errorIf(t, !slices.Equal(ids(p), reversed), "unsorted: in order")
	p = with("duplicate")
	errorIf(t, len(p.Records) != 11 || ids(p)[0] != ids(p)[1] || !slices.Equal(ids(p)[1:], ids(first)), "duplicate: %v", ids(p))
	if p := with("extra_keys"); string(p.Records[9]["entity_rank"]) != "7" || len(p.Records[9]) != len(first.Records[9])+3 {
		t.Errorf("extra_keys: %d keys", len(p.Records[9]))
	}
	p = with("delete_between", "page", "2")
	errorIf(t, ids(p)[0] != ids(second)[1], "delete_between: the second page did not move up")
	equal(t, u.get(t, billsPath+"/"+ids(first)[0]).Code, http.StatusNotFound, "delete_between: the served record")
	must(t, u.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/items", Kind: "ignore_filter", Count: 1}}))
	for _, want := range []int{200, 0} { // a page, and what the filter lets through
		p := readPage(t, u.get(t, "/inventory/v1/items", "last_modified_time", "2040-01-01T00:00:00+0000"), "items")
		equal(t, len(p.Records), want, "ignore_filter: records")
	}
}

func TestRecordFaults(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 500, Limits: off()})
	for _, l := range listings() {
		clean := readPage(t, u.get(t, l.path), l.key).Records
		set := func(kind string) []object {
			must(t, u.SetFaults([]sandbox.Fault{{Path: l.path, Kind: kind, Count: 1}}))
			return readPage(t, u.get(t, l.path), l.key).Records
		}
		poisoned := set("poison")
		changed := 0
		for name, value := range poisoned[0] {
			if string(value) != string(clean[0][name]) {
				changed++
				equal(t, string(value), `"not a value"`, l.name, value)
			}
		}
		errorIf(t, changed != 1 || poisoned[1][l.id] != nil || len(poisoned[1]) != len(clean[1])-1,
			"%s: poison changed %d values, %d of %d keys left", l.name, changed, len(poisoned[1]), len(clean[1]))
		equal(t, canonical(t, poisoned[2]), canonical(t, clean[2]), l.name)
		spoiled := set("nul")
		errorIf(t, !strings.Contains(canonical(t, spoiled[0]), `\u0000`) || strings.Contains(canonical(t, spoiled[1]), `\u0000`),
			"%s: no U+0000 in the first record alone", l.name)
	}
}

func TestExportFaults(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100})
	for kind, want := range map[string]string{"poison": ",,", "nul": "\x00", "html": "<html>", "throttle": "request_rate_exceeded"} {
		must(t, u.SetFaults([]sandbox.Fault{{Path: "/maintenanceapi", Kind: kind, Count: 1}}))
		answer := u.serve(t, http.MethodGet, "/maintenanceapi/v2/chats?fields=creation_time,chat_id,title", csvHeader())
		if !strings.Contains(answer.Body.String(), want) || strings.Contains(answer.Body.String(), "\r\nyesterday,") != (kind == "poison") {
			t.Errorf("%s: %.200q", kind, answer.Body)
		}
	}
}

// The faults of delivery need a real connection.
func TestDeliveryFaults(t *testing.T) {
	t.Parallel()
	w := wire(t, sandbox.Options{Records: 2000, Limits: off()})
	exports := "/maintenanceapi/v2/chats?fields=chat_id,title"
	for _, url := range []string{target(billsPath), exports} {
		struck := func(kind string) reply {
			path, _, _ := strings.Cut(url, "?")
			w.set(t, sandbox.Fault{Path: path, Kind: kind, Count: 1, Milliseconds: 1})
			return w.ask(t, http.MethodGet, url)
		}
		clean := w.ask(t, http.MethodGet, url)
		must(t, clean.err)
		whole := clean.body
		r := struck("cut")
		errorIf(t, !errors.Is(r.err, io.ErrUnexpectedEOF) || len(r.body) != len(whole)/2,
			"cut: %d of %d bytes, %v", len(r.body), len(whole), r.err)
		r = struck("cut_silent")
		errorIf(t, r.err != nil || r.body != whole[:len(whole)/2] || r.length != -1 || r.encoding != nil,
			"cut_silent: %d of %d bytes, %v", len(r.body), len(whole), r.err)
		r = struck("slow")
		errorIf(t, r.err != nil || r.body != whole, "slow: %d of %d bytes, %v", len(r.body), len(whole), r.err)
		r = struck("redirect")
		errorIf(t, r.err != nil || r.status != http.StatusFound || !strings.HasPrefix(r.header.Get("Location"), "http://elsewhere.invalid/"),
			"redirect: %+v", r)
		errorIf(t, struck("reset").err == nil, "reset: answered")
	}
	r := w.ask(t, http.MethodGet, exports)
	errorIf(t, r.err != nil || !slices.Equal(r.encoding, []string{"chunked"}), "the export is not streamed: %+v", r)
	none := w.Stats().ByStatus["none"]
	errorIf(t, none == 0, "broken connections are not counted: %v", w.Stats().ByStatus)
}

// Every kind is tested here or beside, by name.
func TestEveryFaultKindHasASentence(t *testing.T) {
	t.Parallel()
	rare := strings.Fields("insert_between edit_between filter_exact gzip_bomb csv_newlines csv_empty_id csv_no_header csv_no_trailer " +
		"csv_same_token csv_cut_line csv_extra_column csv_empty token_error token_denied token_empty token_no_life token_odd_life " +
		"token_rotated token_slow_down token_unknown token_unauthorized silent_channel count_stale capped_alike")
	rare = slices.Sorted(slices.Values(slices.Concat(rare, keysOf(pageFaults()), keysOf(countFaults()))))
	want := strings.Fields("html cut cut_silent error_in_200 wrong_page repeat_page ignore_filter empty_more missing_context unavailable " +
		"throttle crowded exhausted unauthorized forbidden poison nul unsorted reset slow redirect duplicate delete_between extra_keys")
	kinds := func(all []sandbox.FaultKind) []string {
		var names []string
		for _, kind := range all {
			names = append(names, kind.Kind)
			errorIf(t, !strings.HasSuffix(kind.Sentence, "."), "%s: no sentence: %q", kind.Kind, kind.Sentence)
		}
		return names
	}
	equal(t, kinds(sandbox.FaultKinds()), want, "kinds")
	equal(t, slices.Sorted(slices.Values(kinds(sandbox.RareFaultKinds()))), rare, "rare kinds")
}

// The faults of records strike every list, in every envelope.
func TestRecordFaultsOnNewLists(t *testing.T) {
	t.Parallel()
	u := start(t, wide())
	for _, l := range newLists() {
		must(t, u.SetFaults([]sandbox.Fault{{Path: l.path, Kind: "extra_keys", Count: 1}}))
		struck, _ := u.readList(t, u.as(t, l.service, l.path), l.key)
		spared, _ := u.readList(t, u.as(t, l.service, l.path), l.key)
		errorIf(t, struck[0]["entity_rank"] == nil || spared[0]["entity_rank"] != nil,
			"%s/%s: entity_rank %s, then %s", l.service, l.resource, struck[0]["entity_rank"], spared[0]["entity_rank"])
		must(t, u.SetFaults([]sandbox.Fault{{Path: l.path, Kind: "poison", Count: 1}}))
		poisoned, _ := u.readList(t, u.as(t, l.service, l.path), l.key)
		errorIf(t, canonical(t, poisoned[0]) == canonical(t, spared[0]) || len(poisoned) > 1 && poisoned[1][l.id] != nil,
			"%s/%s: the poison did nothing", l.service, l.resource)
	}
}
