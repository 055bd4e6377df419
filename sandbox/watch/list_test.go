package watch_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sluice/sandbox/watch"
	"sluice/sandbox/watch/channel"
)

// docs/upstream.md U290: one row for each module of a living channel, 204 without any.
func TestList(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	if status, header, body := s.call(t, http.MethodGet, "", ""); status != http.StatusNoContent || body != "" || header.Get("X-Sandbox-Assumed") == "" {
		t.Errorf("nothing subscribed: %d %q %v", status, body, header)
	}
	s.enable(t, `{"channel_id":1000000068001,"events":["Deals.edit","Leads.all","Deals.create"],"notify_url":"http://127.0.0.1:1/a?b=c&d=e",
		"token":"T","channel_expiry":"2026-03-02T10:00:00+01:00","notify_on_related_action":false,"return_affected_field_values":true}`)
	s.enable(t, `{"channel_id":7,"events":["Deals.delete"],"notify_url":"http://127.0.0.1:1/"}`)
	row := func(module, rest string) string {
		return `{"resource_uri":"https://api.test/crm/v8/` + module + `","resource_id":"` + s.moduleID(t, module) + `","resource_name":"` + module + `",` + rest + `}`
	}
	const first = `"channel_id":"1000000068001","channel_expiry":"2026-03-02T14:30:00+05:30","notify_url":"http://127.0.0.1:1/a?b=c&d=e","token":"T",` +
		`"return_affected_field_values":true,"notify_on_related_action":false,"events":`
	deals, leads := row("Deals", first+`["Deals.edit","Deals.create"]`), row("Leads", first+`["Leads.all"]`)
	last := row("Deals", `"channel_id":"7","channel_expiry":"2026-03-01T18:30:00+05:30","notify_url":"http://127.0.0.1:1/","token":null,`+
		`"return_affected_field_values":false,"notify_on_related_action":true,"events":["Deals.delete"]`)
	for query, want := range map[string]string{
		"":                     `{"watch":[` + deals + `,` + leads + `,` + last + `],"info":{"page":1,"per_page":200,"count":3,"more_records":false}}`,
		"?page=1&per_page=2":   `{"watch":[` + deals + `,` + leads + `],"info":{"page":1,"per_page":2,"count":2,"more_records":true}}`,
		"?page=2&per_page=2":   `{"watch":[` + last + `],"info":{"page":2,"per_page":2,"count":1,"more_records":false}}`,
		"?module=Leads":        `{"watch":[` + leads + `],"info":{"page":1,"per_page":200,"count":1,"more_records":false}}`,
		"?channel_id=7":        `{"watch":[` + last + `],"info":{"page":1,"per_page":200,"count":1,"more_records":false}}`,
		"?per_page=900&page=x": `{"watch":[` + deals + `,` + leads + `,` + last + `],"info":{"page":1,"per_page":200,"count":3,"more_records":false}}`,
	} {
		status, _, body := s.call(t, http.MethodGet, query, "")
		if status != http.StatusOK {
			t.Fatalf("%q: %d %s", query, status, body)
		}
		same(t, body, want)
	}
	for _, query := range []string{"?module=Quotes", "?channel_id=8", "?page=2", "?page=9223372036854775807", "?channel_id="} {
		status, _, body := s.call(t, http.MethodGet, query, "")
		errorIf(t, status != http.StatusNoContent, "%q: %d %s", query, status, body)
	}
	s.clock.advance(time.Hour)
	if _, _, body := s.call(t, http.MethodGet, "", ""); strings.Count(body, `"channel_id"`) != 2 || strings.Contains(body, `"channel_id":"7"`) {
		t.Errorf("an expired channel is listed: %s", body)
	}
}

// docs/upstream.md U291: PATCH changes what it names, and ends events with _delete_events.
func TestAmend(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	patch := func(element string, want int) string {
		status, header, body := s.call(t, http.MethodPatch, "", `{"watch":[`+element+`]}`)
		errorIf(t, status != want || header.Get("X-Sandbox-Assumed") == "", "%s: %d %s, want %d", element, status, body, want)
		return body
	}
	listed := func() string { _, _, body := s.call(t, http.MethodGet, "", ""); return body }
	s.enable(t, `{"channel_id":1,"events":["Deals.all","Leads.edit"],"notify_url":"http://127.0.0.1:1/","token":"T","return_affected_field_values":true}`)
	body := patch(`{"channel_id":1,"channel_expiry":"2026-03-04T12:00:00Z"}`, http.StatusOK)
	errorIf(t, strings.Count(body, `"channel_expiry":"2026-03-04T17:30:00+05:30"`) != 2, "renewed: %s", body)
	for _, stayed := range []string{`"Deals.all"`, `"Leads.edit"`, `"token":"T"`, `"return_affected_field_values":true`, `"notify_url":"http://127.0.0.1:1/"`} {
		errorIf(t, !strings.Contains(listed(), stayed), "%s is gone: %s", stayed, listed())
	}
	patch(`{"channel_id":1,"events":["Quotes.create","Leads.edit"],"token":"U"}`, http.StatusOK)
	if got := listed(); strings.Contains(got, "Deals") || !strings.Contains(got, `"Quotes.create"`) || !strings.Contains(got, `"token":"U"`) || !strings.Contains(got, "2026-03-04T") {
		t.Errorf("other events: %s", got)
	}
	patch(`{"channel_id":1,"events":["Quotes.create","Deals.all"],"_delete_events":true,"token":"V"}`, http.StatusOK)
	if got := listed(); strings.Contains(got, "Quotes") || !strings.Contains(got, `"Leads.edit"`) || !strings.Contains(got, `"token":"U"`) {
		t.Errorf("an event ended: %s", got)
	}
	for element, code := range map[string]string{
		`{"channel_id":2,"token":"x"}`:                 "NOT_SUBSCRIBED",
		`{"token":"x"}`:                                "MANDATORY_NOT_FOUND",
		`{"channel_id":true}`:                          "INVALID_DATA",
		`{"channel_id":1,"_delete_events":true}`:       "MANDATORY_NOT_FOUND",
		`{"channel_id":1,"_delete_events":1}`:          "INVALID_DATA",
		`{"channel_id":1,"channel_expiry":"tomorrow"}`: "INVALID_DATA",
		`7`: "INVALID_DATA",
	} {
		body := patch(element, http.StatusBadRequest)
		errorIf(t, !strings.Contains(body, `"`+code+`"`), "%s: %s, want %s", element, body, code)
	}
	patch(`{"channel_id":1,"events":["Leads.edit"],"_delete_events":true}`, http.StatusOK)
	equal(t, s.Stats().Channels, 0, listed())
	s.enable(t, `{"channel_id":1,"events":["Deals.all"],"notify_url":"http://127.0.0.1:1/"}`)
	s.clock.advance(time.Hour)
	patch(`{"channel_id":1,"token":"x"}`, http.StatusBadRequest)
}

// docs/upstream.md U288: versions 2 and 3 grant one day.
func TestOneDay(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *watch.Options) { o.Habits.OneDay = true })
	const day, hour = "2026-03-02T17:30:00+05:30", "2026-03-01T18:30:00+05:30"
	granted := func(method, expiry, want string) {
		_, header, body := s.call(t, method, "", `{"watch":[{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/"`+expiry+`}]}`)
		errorIf(t, !strings.Contains(body, `"channel_expiry":"`+want+`"`), "%s %s: %s, want %s", method, expiry, body, want)
		marked := strings.Contains(fmt.Sprint(header["X-Sandbox-Assumed"]), "one day")
		errorIf(t, marked != (want == day), "%s %s: assumed %q", method, expiry, header["X-Sandbox-Assumed"])
	}
	for _, expiry := range []string{
		``, `,"channel_expiry":"2026-03-08T12:00:00Z"`, `,"channel_expiry":"2026-03-01T12:10:00Z"`, `,"channel_expiry":"2126-03-01T12:00:00Z"`,
	} {
		granted(http.MethodPost, expiry, day)
		granted(http.MethodPut, expiry, day)
	}
	granted(http.MethodPatch, `,"channel_expiry":"2026-03-08T12:00:00Z"`, day)
	_, _, body := s.call(t, http.MethodPost, "", `{"watch":[{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/","channel_expiry":"2026-02-01T00:00:00Z"}]}`)
	errorIf(t, !strings.Contains(body, "INVALID_DATA"), "a past expiry: %s", body)
	s.SetHabits(watch.Habits{})
	granted(http.MethodPost, ``, hour)
}

// docs/upstream.md U288: a granted channel can stay silent. Its answers tell nothing of that.
func TestSilentChannel(t *testing.T) {
	t.Parallel()
	s, r := start(t, nil), listen(t)
	subscription := func(id string) string {
		return `{"channel_id":` + id + `,"events":["Deals.all"],"notify_url":"` + r.url + `"}`
	}
	silently := func(method, body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		s.ServeSilent(w, httptest.NewRequest(method, "/crm/v8/actions/watch", strings.NewReader(body)))
		return w
	}
	s.enable(t, subscription("1"))
	_, _, loud := s.call(t, http.MethodPost, "", `{"watch":[`+subscription("2")+`]}`)
	w := silently(http.MethodPost, `{"watch":[`+subscription("2")+`]}`)
	errorIf(t, w.Code != http.StatusCreated || w.Body.String() != loud, "%d %s\nwant %s", w.Code, w.Body, loud)
	told := func() string {
		s.publish(t, "Deals", channel.Edit, changed("41"))
		return channels(t, s.flush(t, r))
	}
	got := told()
	errorIf(t, got != "1" || s.Stats().Silent != 1 || s.Stats().Channels != 2, "told %q, %+v", got, s.Stats())
	_, _, body := s.call(t, http.MethodGet, "?channel_id=2", "")
	errorIf(t, !strings.Contains(body, `"Deals.all"`), "a silent channel is listed like others, got %s", body)
	s.enable(t, subscription("2")) // anew, and the fault is over
	equal(t, told(), "1 2", "told")
	w = silently(http.MethodPut, `{"watch":[`+subscription("1")+`]}`)
	errorIf(t, w.Code != http.StatusOK, "%d %s", w.Code, w.Body)
	equal(t, told(), "2", "told")
}
