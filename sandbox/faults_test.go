package sandbox_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
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
	for _, fault := range []sandbox.Fault{{Path: "/", Kind: "gremlins"}, {Kind: "html"}, {Path: "/", Kind: "html", Count: -1}} {
		err := u.SetFaults([]sandbox.Fault{fault})
		errorIf(t, err == nil, "%+v was taken", fault)
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
	ids := func(p page) []string {
		list := make([]string, 0, len(p.Records))
		for _, record := range p.Records {
			list = append(list, text(t, record["bill_id"]))
		}
		return list
	}
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
	if p := with("duplicate"); len(p.Records) != 11 || ids(p)[0] != ids(p)[1] || !slices.Equal(ids(p)[1:], ids(first)) {
		t.Errorf("duplicate: %v", ids(p))
	}
	if p := with("extra_keys"); string(p.Records[9]["entity_rank"]) != "7" || len(p.Records[9]) != len(first.Records[9])+3 {
		t.Errorf("extra_keys: %d keys", len(p.Records[9]))
	}
	p = with("delete_between", "page", "2")
	errorIf(t, ids(p)[0] != ids(second)[1], "delete_between: the second page did not move up")
	equal(t, u.get(t, billsPath+"/"+ids(first)[0]).Code, http.StatusNotFound, "delete_between: the served record")
}

func TestIgnoreFilterFault(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100})
	must(t, u.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/items", Kind: "ignore_filter", Count: 1}}))
	for _, want := range []int{28, 0} {
		p := readPage(t, u.get(t, "/inventory/v1/items", "last_modified_time", "2040-01-01T00:00:00+0000"), "items")
		errorIf(t, len(p.Records) != want, "%d records, want %d", len(p.Records), want)
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
		if changed != 1 || poisoned[1][l.id] != nil || len(poisoned[1]) != len(clean[1])-1 {
			t.Errorf("%s: poison changed %d values, %d of %d keys left", l.name, changed, len(poisoned[1]), len(clean[1]))
		}
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
	u := start(t, sandbox.Options{Records: 2000, Limits: off()})
	web := httptest.NewServer(u)
	defer web.Close()
	client := web.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	type head struct {
		status   int
		length   int64
		encoding []string
		location string
	}
	fetch := func(url string) (head, string, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, web.URL+url, http.NoBody)
		must(t, err)
		request.Header.Set("Authorization", "Svc-oauthtoken "+u.token)
		request.Header.Set("Content-Type", "text/csv")
		response, err := client.Do(request)
		if err != nil {
			return head{}, "", err
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		return head{
			response.StatusCode, response.ContentLength, response.TransferEncoding, response.Header.Get("Location"),
		}, string(body), err
	}
	exports := "/maintenanceapi/v2/chats?fields=chat_id,title"
	for _, url := range []string{target(billsPath), exports} {
		set := func(kind string) {
			path, _, _ := strings.Cut(url, "?")
			must(t, u.SetFaults([]sandbox.Fault{{Path: path, Kind: kind, Count: 1, Milliseconds: 1}}))
		}
		_, whole, err := fetch(url)
		must(t, err)
		set("cut")
		_, body, err := fetch(url)
		errorIf(t, !errors.Is(err, io.ErrUnexpectedEOF) || len(body) != len(whole)/2, "cut: %d of %d bytes, %v", len(body), len(whole), err)
		set("cut_silent")
		if response, body, err := fetch(url); err != nil || body != whole[:len(whole)/2] || response.length != -1 || response.encoding != nil {
			t.Errorf("cut_silent: %d of %d bytes, %v", len(body), len(whole), err)
		}
		set("slow")
		_, body, err = fetch(url)
		errorIf(t, err != nil || body != whole, "slow: %d of %d bytes, %v", len(body), len(whole), err)
		set("redirect")
		if response, _, err := fetch(url); err != nil || response.status != http.StatusFound || !strings.HasPrefix(response.location, "http://elsewhere.invalid/") {
			t.Errorf("redirect: %v %v", response, err)
		}
		client.CloseIdleConnections() // or the client would repeat the call by itself
		set("reset")
		_, _, err = fetch(url)
		errorIf(t, err == nil, "reset: answered")
	}
	response, _, err := fetch(exports)
	errorIf(t, err != nil || !slices.Equal(response.encoding, []string{"chunked"}), "the export is not streamed: %v %v", response, err)
	none := u.Stats().ByStatus["none"]
	errorIf(t, none == 0, "broken connections are not counted: %v", u.Stats().ByStatus)
}

func TestTokenFault(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 100})
	must(t, u.SetFaults([]sandbox.Fault{{Path: "/oauth", Kind: "unavailable", Count: 1}}))
	equal(t, u.serve(t, http.MethodPost, tokenURL(nil), nil).Code, http.StatusServiceUnavailable)
	u.login(t)
}

// Every listed kind is tested above, by name.
func TestEveryFaultKindHasASentence(t *testing.T) {
	t.Parallel()
	want := strings.Fields("html cut cut_silent error_in_200 wrong_page repeat_page ignore_filter empty_more missing_context unavailable " +
		"throttle crowded exhausted unauthorized forbidden poison nul unsorted reset slow redirect duplicate delete_between extra_keys")
	var kinds []string
	for _, kind := range sandbox.FaultKinds() {
		kinds = append(kinds, kind.Kind)
		errorIf(t, !strings.HasSuffix(kind.Sentence, "."), "%s: no sentence: %q", kind.Kind, kind.Sentence)
	}
	equal(t, kinds, want, "kinds")
}

// The faults of records strike every list, in every envelope.
func TestRecordFaultsOnNewLists(t *testing.T) {
	t.Parallel()
	u := start(t, wide())
	for _, l := range newLists() {
		must(t, u.SetFaults([]sandbox.Fault{{Path: l.path, Kind: "extra_keys", Count: 1}}))
		struck, _ := u.readList(t, u.as(t, l.service, l.path), l.key)
		spared, _ := u.readList(t, u.as(t, l.service, l.path), l.key)
		if struck[0]["entity_rank"] == nil || spared[0]["entity_rank"] != nil {
			t.Errorf("%s/%s: entity_rank %s, then %s", l.service, l.resource, struck[0]["entity_rank"], spared[0]["entity_rank"])
		}
		must(t, u.SetFaults([]sandbox.Fault{{Path: l.path, Kind: "poison", Count: 1}}))
		poisoned, _ := u.readList(t, u.as(t, l.service, l.path), l.key)
		errorIf(t, canonical(t, poisoned[0]) == canonical(t, spared[0]) || len(poisoned) > 1 && poisoned[1][l.id] != nil,
			"%s/%s: the poison did nothing", l.service, l.resource)
	}
}
