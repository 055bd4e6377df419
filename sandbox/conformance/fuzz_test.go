package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// freshEvery is the number of calls between new sandboxes for fuzzing, since writes make a sandbox
// grow.
const freshEvery = 2000

// target is a sandbox that is called without a network.
type target struct {
	server *sandbox.Server
	token  string
	ids    map[string]string // of records that exist, by key
	calls  int
}

func newTarget(tb testing.TB) *target {
	tb.Helper()
	noon := time.Date(2026, 3, 10, 6, 30, 0, 0, time.UTC)
	server, err := sandbox.New(sandbox.Options{
		Seed: 4, Records: 120, Now: func() time.Time { return noon }, Limits: sandbox.Limits{Off: true},
		Networks: []string{network}, CustomModules: []string{module},
	})
	if err != nil {
		tb.Fatal(err)
	}
	a := &target{server: server, ids: map[string]string{"network_unique_name": network, "module_name": module, "module_api_name": module, "version": "v2"}}
	query := url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {sandbox.RefreshToken},
		"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret},
	}
	var answer struct {
		Token string `json:"access_token"`
	}
	got := a.call(tb, "POST /oauth/v2/token", query.Encode(), "", "")
	if err := json.Unmarshal(got.Body.Bytes(), &answer); err != nil || answer.Token == "" {
		tb.Fatalf("no access token: %v in %.200s", err, got.Body)
	}
	a.token = answer.Token
	for _, of := range [][2]string{
		{"accounting", "vendor_payments"}, {"accounting", "chart_of_accounts"}, {"accounting", "base_currency_adjustments"},
		{"accounting", "contact_persons"}, {"accounting", "custom_module_records"}, {"invoicing", "currencies"}, {"billing", "contact_persons"},
		{"inventory", "locations"}, {"inventory", "composite_items"}, {"inventory", "taxes"}, {"inventory", "items"}, {"inventory", "bills"}, {"inventory", "credit_notes"},
	} {
		a.learn(tb, of[0], of[1])
	}
	return a
}

// learn notes the ids of the first record of a resource.
func (a *target) learn(tb testing.TB, service, resource string) {
	tb.Helper()
	for record := range a.server.Truth(service, resource) {
		var fields map[string]any
		if err := json.Unmarshal(record, &fields); err != nil {
			tb.Fatalf("%s.%s: %v", service, resource, err)
		}
		for key, value := range fields {
			if id, is := value.(string); is && id != "" && strings.HasSuffix(key, "_id") && a.ids[key] == "" {
				a.ids[key] = id
			}
		}
		return
	}
}

// call makes a call: method and path, a raw query, a raw header, a body. The organization and the
// token are valid unless the header names others.
func (a *target) call(tb testing.TB, send, query, header, body string) *httptest.ResponseRecorder {
	tb.Helper()
	method, path, _ := strings.Cut(send, " ")
	request := httptest.NewRequestWithContext(tb.Context(), method, "/", strings.NewReader(body))
	request.URL = &url.URL{Path: path, RawQuery: query}
	request.RequestURI = ""
	request.Header.Set("Authorization", "Svc-oauthtoken "+a.token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Com-Svc-Invoice-Organizationid", sandbox.DefaultOrganizationID)
	request.Header.Set("X-Com-Svc-Subscriptions-Organizationid", sandbox.DefaultOrganizationID)
	if name, value, found := strings.Cut(header, ":"); found {
		request.Header.Set(name, strings.TrimSpace(value))
	}
	recorder := httptest.NewRecorder()
	a.server.ServeHTTP(recorder, request)
	return recorder
}

// sends returns the calls of all rows, with ids that exist.
func (a *target) sends(tb testing.TB) []string {
	tb.Helper()
	var sends []string
	for _, r := range documented(tb) {
		method, path, _ := strings.Cut(r.call, " ")
		path = regexp.MustCompile(`<(\w+)>|\{(\w+)\}`).ReplaceAllStringFunc(root(r.service)+path, func(name string) string {
			return a.ids[strings.Trim(name, "<>{}")]
		})
		if strings.Contains(path, "//") {
			tb.Fatalf("%s: no id for it in %v", r.call, a.ids)
		}
		sends = append(sends, method+" "+path)
	}
	return sends
}

// filled inserts existing ids where a case learns them on its way.
func (a *target) filled(text string) string {
	return regexp.MustCompile(`\$\{(\w+)\}`).ReplaceAllStringFunc(text, func(name string) string {
		if id := a.ids[strings.Trim(name, "${}")+"_id"]; id != "" {
			return id
		}
		return "1"
	})
}

// seeds adds the calls of the hand-written cases, and three absurd ones for each row.
func (a *target) seeds(f *testing.F) {
	f.Helper()
	rows := documented(f)
	for _, s := range writtenSteps(f) {
		query := url.Values{"organization_id": {sandbox.DefaultOrganizationID}}
		for name, value := range s.Query {
			query.Set(name, a.filled(value))
		}
		header := ""
		for name, value := range s.Header {
			header = name + ": " + value
		}
		for n, r := range rows {
			if pattern(r.service, r.call).MatchString(s.Send) {
				f.Add(n, query.Encode(), header, a.filled(string(s.Body)))
			}
		}
	}
	for n := range rows {
		f.Add(n, "organization_id=%zz&page=-1&per_page=99999999999999999999&sort_column=%00", "X-Upsert: maybe", `{"a":`)
		f.Add(n, "organization_id="+sandbox.DefaultOrganizationID+"&page=9223372036854775807&per_page=9223372036854775807&last_modified_time=0000-00-00T99:99:99%2b9999",
			"Content-Type: multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a.png\"\r\n\r\nPNG\r\n--x--\r\n")
		f.Add(n, "item_ids=,,,&account_ids=%F0%9F%92%A9&limit=0&next_token=%ff&filter_by=Status.", "Authorization: Svc-oauthtoken", "\x00\xff")
	}
}

// writtenSteps returns all steps of all cases.
func writtenSteps(tb testing.TB) []step {
	tb.Helper()
	var steps []step
	for _, folder := range []string{"rows", "errors"} {
		for _, one := range readFiles(tb, folder) {
			for _, c := range one.Cases {
				steps = append(steps, c.Steps...)
			}
		}
	}
	return steps
}

// FuzzCalls sends arbitrary queries, headers and bodies to every row of the three documents. It
// finds panics, answers of 500 or more, and answers that claim to be JSON and are not.
func FuzzCalls(f *testing.F) {
	current := newTarget(f)
	sends := current.sends(f)
	current.seeds(f)
	f.Fuzz(func(t *testing.T, row int, query, header, body string) {
		if current.calls++; current.calls > freshEvery {
			current = newTarget(t)
		}
		send := sends[uint(row)%uint(len(sends))]
		got := current.call(t, send, query, header, body)
		if got.Code >= http.StatusInternalServerError {
			t.Errorf("%s?%s %q %q: status %d %.300s", send, query, header, body, got.Code, got.Body)
		}
		if err := saysJSON(got); err != nil {
			t.Errorf("%s?%s %q %q: %v", send, query, header, body, err)
		}
	})
}

func saysJSON(got *httptest.ResponseRecorder) error {
	if strings.HasPrefix(got.Header().Get("Content-Type"), "application/json") && !json.Valid(got.Body.Bytes()) {
		return fmt.Errorf("no JSON: %.300q", got.Body)
	}
	return nil
}
