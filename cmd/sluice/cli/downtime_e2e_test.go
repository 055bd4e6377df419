//go:build e2e

package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// doneSince says that each of the six lists has completed so many runs, and is idle.
const doneSince = `SELECT count(*) = 6 FROM sluice.streams s WHERE enabled AND state = 'idle' AND next_due_at > clock_timestamp()
	AND (service, resource) IN (('accounting', 'chart_of_accounts'), ('accounting', 'vendor_payments'), ('inventory', 'items'),
		('inventory', 'bills'), ('inventory', 'credit_notes'), ('chat', 'conversations'))
	AND $1 <= (SELECT count(*) FROM sluice.runs r WHERE r.outcome = 'done' AND (r.service, r.resource) = (s.service, s.resource))`

// aDay lets a day pass in which every list changed.
func (s *fixture) aDay(seed int64) {
	s.t.Helper()
	names := make([]string, 0, len(resources()))
	for _, r := range resources() {
		names = append(names, r.name)
	}
	_, err := s.world.Change(sandbox.Change{Seed: seed, Inserts: 2, Edits: 5, Resources: names})
	must(s.t, err)
	s.later(24 * time.Hour)
}

// TestThreeDaysDown: no process runs for three days in which every list changes. One run of each
// list brings all changes, because being due is a state (invariant 8).
func TestThreeDaysDown(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 71, Records: 900, Limits: sandbox.Limits{Off: true}}).narrow()
	s.serveUntil("all is copied", doneSince, 1)
	s.equal()
	for day := range int64(3) {
		s.aDay(day)
	}
	s.serveUntil("each list is read again", doneSince, 2)
	s.equal()
	if most := one[int](s, `SELECT max(n) FROM (SELECT count(*) AS n FROM sluice.runs WHERE resource NOT LIKE '%.%' GROUP BY service, resource) AS r`); most != 2 {
		t.Errorf("a list has %d runs, want one before and one after", most)
	}
}

// TestThreeDaysWithARevokedToken: the consent is withdrawn, and given anew three days later. The
// operator only puts the new token into the configuration: streams that were denied go on by
// themselves. Meanwhile the authorization server is asked once a day, and no call is made
// (invariants 3, 8 and 9).
func TestThreeDaysWithARevokedToken(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 72, Records: 900, Limits: sandbox.Limits{Off: true}}).narrow()
	s.serveUntil("all is copied", doneSince, 1)
	s.form("/oauth/v2/token/revoke", url.Values{"token": {sandbox.RefreshToken}})
	// The last refresh was an hour ago, and the first refusal, which proves nothing, has happened.
	s.exec(`UPDATE sluice.tokens SET attempted_at = attempted_at - interval '1 hour', refusals = 1`)
	const denied = `SELECT count(*) = 6 FROM (SELECT 1 FROM sluice.runs WHERE kind = 'denied' AND resource NOT LIKE '%.%'
		GROUP BY service, resource HAVING count(*) >= $1) AS r`
	var calls, tokens int
	for day := range int64(3) {
		s.aDay(day)
		if day > 0 { // aDay does not move the times of tokens
			s.exec(`UPDATE sluice.tokens SET attempted_at = attempted_at - interval '1 day'`)
		}
		s.serveUntil("all lists are denied", denied, day+1)
		if day == 0 {
			calls, tokens = s.arrivals.total(), s.world.Stats().TokenRequests
		}
	}
	if again := s.world.Stats().TokenRequests - tokens; again != 2 || s.arrivals.total() != calls {
		t.Errorf("%d tokens were asked for and %d calls made in two days with a consent that is known to be withdrawn", again, s.arrivals.total()-calls)
	}
	s.environment["SANDBOX_REFRESH_TOKEN"] = s.consent()
	s.aDay(3)
	s.serveUntil("each list is read again", doneSince, 2)
	s.equal()
}

// form posts a form to the sandbox and gives the answer, which must not be an error.
func (s *fixture) form(address string, form url.Values) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequestWithContext(s.t.Context(), http.MethodPost, s.upstream.URL+address, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	s.world.ServeHTTP(w, r)
	if w.Code >= http.StatusBadRequest || strings.Contains(w.Body.String(), `"error"`) {
		s.t.Fatalf("%s: %d %s", address, w.Code, w.Body)
	}
	return w
}

// consent gives consent anew, for everything that sluice reads here, and gives the refresh token.
func (s *fixture) consent() string {
	s.t.Helper()
	const back = "http://127.0.0.1/back"
	const scopes = "SvcBooks.fullaccess.all,SvcInventory.fullaccess.all,SvcChat.fullaccess.all"
	asked := url.Values{
		"scope": {scopes}, "client_id": {sandbox.ClientID}, "state": {"anew"}, "response_type": {"code"}, "redirect_uri": {back},
		"access_type": {"offline"}, "prompt": {"consent"},
	}
	to, err := url.Parse(s.form("/oauth/v2/auth?"+asked.Encode(), url.Values{"decision": {"accept"}}).Header().Get("Location"))
	must(s.t, err)
	var given struct {
		Refresh string `json:"refresh_token"`
	}
	must(s.t, json.Unmarshal(s.form("/oauth/v2/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {to.Query().Get("code")}, "redirect_uri": {back}, "state": {"anew"}, "scope": {scopes},
		"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret},
	}).Body.Bytes(), &given))
	if given.Refresh == "" {
		s.t.Fatal("the consent brought no refresh token")
	}
	return given.Refresh
}
