//go:build e2e

package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"sluice/sandbox"
)

// TestAlertsOfWhatOthersUse: another program has the same refresh token. The access tokens that it
// takes end those of sluice, and its calls leave few of the day. A real Prometheus watches a serve
// meanwhile, and both alerts end when the other program is gone.
func TestAlertsOfWhatOthersUse(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 277, Records: 200, Limits: sandbox.Limits{DailyInventory: 200, Minute: 20 * time.Millisecond}}).narrow()
	s.configured("workers: 1\n")
	s.sync(codeFine)
	serving := s.start("serve", "--listen", "127.0.0.1:0")
	w := s.watched(serving.said("serving", "listen"), nil)
	w.quiet()

	var token string
	for range 3 {
		for range 15 { // as many live at once
			token = s.otherToken()
		}
		s.exec(`UPDATE sluice.tokens SET attempted_at = attempted_at - interval '2 minutes'`) // the pause between two requests
		s.sync(codeFine, "items")
	}
	const few = 12
	for s.otherCall(token) > few {
	}
	// One call learns how few are left. If the run needs another one, it is held back.
	if o := s.run("sync", "items"); o.code != codeFine && o.code != codeBudget {
		t.Fatalf("sync ended with %d\n%s", o.code, o.stderr)
	}
	w.fires("SluiceTokensDieYoung", "SluiceDayEndsEarly inventory")

	s.pass(25 * time.Hour)
	s.world.Advance(25 * time.Hour)
	s.sync(codeFine, "items")
	w.ends("SluiceTokensDieYoung", "SluiceDayEndsEarly inventory")
}

// otherToken takes an access token as another program with the same refresh token does.
func (s *fixture) otherToken() string {
	s.t.Helper()
	query := url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {sandbox.RefreshToken},
		"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret},
	}
	var given struct {
		Token string `json:"access_token"`
	}
	s.waitUntil("another program gets a token", func() bool { // ten in ten minutes, which are short here
		answer, err := s.upstream.Client().Post(s.upstream.URL+"/oauth/v2/token?"+query.Encode(), "", nil)
		must(s.t, err)
		defer func() { must(s.t, answer.Body.Close()) }()
		text, err := io.ReadAll(answer.Body)
		must(s.t, err)
		return json.Unmarshal(text, &given) == nil && given.Token != ""
	})
	return given.Token
}

// otherCall reads a list as another program does, and returns how many calls of the day are left.
func (s *fixture) otherCall(token string) int {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet,
		s.upstream.URL+"/inventory/v1/items?per_page=1&organization_id="+sandbox.DefaultOrganizationID, nil)
	must(s.t, err)
	request.Header.Set("Authorization", "Svc-oauthtoken "+token)
	answer, err := s.upstream.Client().Do(request)
	must(s.t, err)
	defer func() { must(s.t, answer.Body.Close()) }()
	left, err := strconv.Atoi(answer.Header.Get("X-Rate-Limit-Remaining"))
	if err != nil {
		s.t.Fatalf("another program's call: %s, %v", answer.Status, answer.Header)
	}
	return left
}
