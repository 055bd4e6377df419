package upstream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/upstream"
	"sluice/pipeline/upstream/wire"
)

// An answer as the document and live services have it: the first channel is granted for an hour
// although a week was asked for, the second one is refused.
const partlyGranted = `{"watch":[
	{"code":"SUCCESS","details":{"events":[{"channel_expiry":"2026-01-17T18:30:00+05:30","resource_uri":"https://api.example.com/crm/v8/Deals",
		"resource_id":"1","resource_name":"Deals","channel_id":"100000006800211"}]},"message":"Successfully subscribed","status":"success"},
	{"code":"INVALID_DATA","details":{"json_path":"$.watch[1].token","api_name":"token"},"message":"invalid data","status":"error"}]}`

const canaryChannelToken = "canary-channel-token-canary-channel-token-1"

func subscriptions() []upstream.Subscription {
	wanted := upstream.Subscription{
		ChannelID: 100000006800211, Events: []string{"Deals.all"}, NotifyURL: "https://hooks.example.com/watch/1",
		Token: wire.NewSecret(canaryChannelToken), Expires: time.Date(2026, 1, 24, 0, 0, 0, 0, time.UTC),
	}
	other := wanted
	other.ChannelID, other.Events = 100000006800212, []string{"Products.create", "Products.edit"}
	return []upstream.Subscription{wanted, other}
}

func TestWatchAsksAsTheDocumentSays(t *testing.T) {
	var sent, path, kind string
	r := newFixture(t, func(w http.ResponseWriter, q *http.Request) {
		text, _ := io.ReadAll(q.Body) // checked below
		sent, path, kind = string(text), q.Method+" "+q.URL.RequestURI(), q.Header.Get("Content-Type")
		answer(http.StatusMultiStatus, jsonType, partlyGranted)(w, q)
	})
	got, err := r.client.Watch(t.Context(), home, "v8", subscriptions())
	r.mustBeClean(t, err)
	want := []upstream.Subscribed{
		{Expires: time.Date(2026, 1, 17, 13, 0, 0, 0, time.UTC)},
		{Code: "INVALID_DATA", Path: "$.watch[1].token", Detail: "invalid data"},
	}
	check.Same(t, "", want, got)
	body := `{"watch":[{"channel_id":100000006800211,"events":["Deals.all"],"notify_url":"https://hooks.example.com/watch/1",` +
		`"token":"` + canaryChannelToken + `","channel_expiry":"2026-01-24T05:30:00+05:30","return_affected_field_values":false,"notify_on_related_action":false},` +
		`{"channel_id":100000006800212,"events":["Products.create","Products.edit"],"notify_url":"https://hooks.example.com/watch/1",` +
		`"token":"` + canaryChannelToken + `","channel_expiry":"2026-01-24T05:30:00+05:30","return_affected_field_values":false,"notify_on_related_action":false}]}`
	check.ErrorIf(t, sent != body || path != "POST /crm/v8/actions/watch" || kind != "application/json",
		"%s, %s, sent:\n%s\nwant:\n%s", path, kind, sent, body)
	if call := r.gate.entered[0]; call.Service != "notifications" || call.Class != pipeline.ClassProbe || call.Method != http.MethodPost {
		t.Errorf("counted as %+v", call)
	}
}

func TestUnwatchNamesTheChannels(t *testing.T) {
	r := newFixture(t, answer(http.StatusOK, jsonType, `{"watch":[{"code":"SUCCESS","details":{"resource_id":"1","channel_id":"12"},"status":"success"}]}`))
	check.Must(t, check.Failure(r.client.Unwatch(t.Context(), home, "v8", []int64{12})))
	if q := r.seen()[0]; q.Method != http.MethodDelete || q.URL.RequestURI() != "/crm/v8/actions/watch?channel_ids=12" {
		t.Errorf("%s %s", q.Method, q.URL.RequestURI())
	}
}

// TestWhatIsNoAnswerAboutChannelsIsAnError: no channel counts as granted by it.
func TestWhatIsNoAnswerAboutChannelsIsAnError(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		body   string
		kind   pipeline.Kind
	}{
		"one result of two":   {201, `{"watch":[{"code":"SUCCESS","status":"success","details":{}}]}`, pipeline.Unexpected},
		"nothing":             {201, `{}`, pipeline.Unexpected},
		"no JSON":             {201, `<html>`, pipeline.Unexpected},
		"a failing server":    {503, `{"code":"INTERNAL_ERROR"}`, pipeline.Unavailable},
		"too many requests":   {429, `{"code":"TOO_MANY_REQUESTS"}`, pipeline.Throttled},
		"no right":            {403, `{"code":"NO_PERMISSION","status":"error"}`, pipeline.Denied},
		"a token of no scope": {401, `{"code":"OAUTH_SCOPE_MISMATCH","status":"error"}`, pipeline.Denied},
	} {
		r := makeFixture(t, answer(test.status, jsonType, test.body))
		_, err := r.client.Watch(t.Context(), home, "v8", subscriptions())
		failure := r.mustFail(t, err, test.kind)
		check.ErrorIf(t, strings.Contains(failure.Error(), canaryChannelToken), "%s: the token is in %v", name, failure)
	}
	r := makeFixture(t, answer(400, jsonType, `{"code":"MANDATORY_NOT_FOUND","details":{"api_name":"watch","json_path":"$.watch"},"message":"required field not found","status":"error"}`))
	got, err := r.client.Watch(t.Context(), home, "v8", subscriptions())
	refused := upstream.Subscribed{Code: "MANDATORY_NOT_FOUND", Path: "$.watch", Detail: "required field not found"}
	diff := cmp.Diff([]upstream.Subscribed{refused, refused}, got)
	check.ErrorIf(t, diff != "" || err != nil, "%v, %s", err, diff)
}

// TestKeysAreReplaced rotates the sealing key. The new key is put before the old one. The next
// refresh seals with it all that the old one sealed, also the refresh token that upstream sent.
// Then the old key can be removed. The pairs of keys have different ids, and once the same id.
func TestKeysAreReplaced(t *testing.T) {
	t.Parallel()
	old := bytes.Repeat([]byte{7}, 32)
	for b := range 256 { // an id is one byte: some of these keys have the old key's id
		key := bytes.Repeat([]byte{byte(b)}, 31)
		key = append(key, 1)
		first := true
		r := makeTokenFixture(t, func(w http.ResponseWriter, q *http.Request) {
			refresh := ""
			if first {
				refresh = `,"refresh_token":"` + canaryRefresh + `2"`
			}
			first = false
			answer(200, jsonType, `{"access_token":"`+canaryToken+`","token_type":"Bearer","expires_in":3600`+refresh+`}`)(w, q)
		})
		token := func(what string, version int64) {
			t.Helper()
			got, at, err := r.process(t).Token(t.Context(), one)
			check.FatalIf(t, err != nil || at != version || got.Reveal() != canaryToken,
				"key %d, %s: version %d, %v, want %d", b, what, at, err, version)
		}
		r.key = old
		token("sealed with the old key", 1)
		r.key, r.old = key, [][]byte{old}
		token("opened with the old key", 1)
		r.advance(61 * time.Minute)
		token("sealed with the new key", 2)
		r.old = nil
		token("opened with the new key", 2)
		r.advance(61 * time.Minute)
		token("asked for with the refresh token, which the new key opens", 3)
		if asked := r.seen(); len(asked) != 3 || asked[2].URL.Query().Get("refresh_token") != canaryRefresh+"2" {
			t.Fatalf("key %d: %d refreshes, the last one not with the refresh token that upstream sent", b, len(asked))
		}
		r.key = old
		_, _, err := r.process(t).Token(t.Context(), one)
		check.FatalIf(t, pipeline.KindOf(err) != pipeline.Denied, "key %d: the old key opens what the new one sealed: %v", b, err)
	}
}

// TestALargeAnswerKeepsItsTurn: a large answer holds its turn until its batch ends the turn, or the
// call fails.
func TestALargeAnswerKeepsItsTurn(t *testing.T) {
	t.Parallel()
	record := `{"account_id":"1","a":"` + strings.Repeat("x", 1<<10) + `"}`
	list := answer(200, jsonType, `{"code":0,"chartofaccounts":[`+manyOf(record, 1900)+`],"page_context":{"page":1,"per_page":200,"has_more_page":false}}`)
	single := answer(200, jsonType, `{"code":0,"bill":{"bill_id":"1","a":"`+strings.Repeat("x", 2<<20)+`"}}`)
	for name, tc := range map[string]struct {
		of  *fixture
		ask func(context.Context, *fixture) (pipeline.Page, error)
	}{
		"a page": {makeFixture(t, list), func(ctx context.Context, r *fixture) (pipeline.Page, error) {
			return r.client.Page(ctx, ask(1)) // the test checks it
		}},
		"a single record": {makeFixture(t, single), func(ctx context.Context, r *fixture) (pipeline.Page, error) {
			return r.client.Details(ctx, detailsOf(bills), []string{"1"})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, err := tc.ask(t.Context(), tc.of)
			check.FatalIf(t, err != nil || first.Turn == nil, "turn %v, %v", first.Turn, err)
			short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			if _, err := tc.ask(short, tc.of); pipeline.KindOf(err) != pipeline.Unavailable || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("another one beside it: %v", err)
			}
			first.Turn.End()
			tc.of.gate.leaveErr = errors.New("no ledger")
			page, err := tc.ask(t.Context(), tc.of)
			check.ErrorIf(t, err == nil || page.Turn != nil, "its end could not be noted: turn %v, %v", page.Turn, err)
			tc.of.gate.leaveErr = nil
			last, err := tc.ask(t.Context(), tc.of)
			if err != nil {
				t.Fatal(fmt.Errorf("behind a call that failed: %w", err))
			}
			last.Turn.End()
		})
	}
}

// TestScopes: the scopes of the last answer with a token are there for all processes, without a
// request. What is no scope is left out: they are stored in clear.
func TestScopes(t *testing.T) {
	t.Parallel()
	body := func(scope string) string {
		return fmt.Sprintf(`{"access_token":"%s","expires_in":3600%s}`, canaryToken, scope)
	}
	for name, c := range map[string]struct {
		scope string
		want  []string
	}{
		"blanks":      {`,"scope":"SvcBooks.bills.READ SvcChat.Channels.READ"`, []string{"SvcBooks.bills.READ", "SvcChat.Channels.READ"}},
		"commas":      {`,"scope":"SvcBooks.bills.READ, SvcCRM.notifications.ALL"`, []string{"SvcBooks.bills.READ", "SvcCRM.notifications.ALL"}},
		"none":        {``, nil},
		"empty":       {`,"scope":" , "`, nil},
		"null":        {`,"scope":null`, nil},
		"secrets":     {`,"scope":"SvcBooks.bills.READ ` + canaryRefresh + ` x` + canarySecret + ` ` + canaryToken + `"`, []string{"SvcBooks.bills.READ"}},
		"no scopes":   {`,"scope":"a\u0000b ü SvcBooks.bills.READ ` + strings.Repeat("x", 201) + `"`, []string{"SvcBooks.bills.READ"}},
		"of a length": {`,"scope":"` + strings.Repeat("x", 200) + `"`, []string{strings.Repeat("x", 200)}},
	} {
		r := makeTokenFixture(t, answer(200, jsonType, body(c.scope)))
		err := r.ask(t)
		check.FatalIf(t, err != nil, "%s: %v", name, err)
		r.advance(2 * time.Hour) // the token is dead, what was granted is not
		got, err := r.process(t).Scopes(t.Context(), one)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil || len(r.seen()) != 1 {
			t.Errorf("%s: %v after %d requests (-want +got):\n%s", name, err, len(r.seen()), diff)
		}
	}
}

// TestScopesOfNoGrant: nothing is said of a credential that is not known or denied.
func TestScopesOfNoGrant(t *testing.T) {
	o := &consentOffice{says: []string{`{"access_token":"` + canaryToken + `","expires_in":3600,"scope":"SvcBooks.bills.READ"}`}}
	r := newTokenFixture(t, o.ServeHTTP)
	expect := func(when string, want []string) {
		t.Helper()
		got, err := r.process(t).Scopes(t.Context(), one)
		check.ErrorIf(t, err != nil || !cmp.Equal(want, got), "%s: %q, %v, want %q", when, got, err, want)
	}
	expect("before the first token", nil)
	check.ErrorIf(t, len(r.seen()) > 0 || len(r.store.rows) > 0, "%d requests, %d rows, want none", len(r.seen()), len(r.store.rows))
	check.Must(t, r.ask(t))
	expect("with a token", []string{"SvcBooks.bills.READ"})
	o.tell(says("invalid_code"), says("invalid_code"))
	r.advance(2 * time.Hour)
	r.mustFail(t, r.ask(t), pipeline.Unavailable)
	expect("after one refusal", []string{"SvcBooks.bills.READ"})
	r.advance(time.Hour)
	r.mustFail(t, r.ask(t), pipeline.Denied)
	expect("of a denied credential", nil)

	process := r.process(t)
	_, err := process.Scopes(t.Context(), &pipeline.Organization{Key: "stranger"})
	r.mustFail(t, err, pipeline.Denied)
	r.store.err = errors.New("no connection")
	_, err = process.Scopes(t.Context(), one)
	r.mustFail(t, err, pipeline.Unavailable)
}
