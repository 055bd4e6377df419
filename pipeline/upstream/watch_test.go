package upstream_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
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
	other.ChannelID, other.Events, other.Values = 100000006800212, []string{"Products.create", "Products.edit"}, true
	return []upstream.Subscription{wanted, other}
}

func TestWatchAsksAsTheDocumentSays(t *testing.T) {
	t.Parallel()
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
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	body := `{"watch":[{"channel_id":100000006800211,"events":["Deals.all"],"notify_url":"https://hooks.example.com/watch/1",` +
		`"token":"` + canaryChannelToken + `","channel_expiry":"2026-01-24T05:30:00+05:30","return_affected_field_values":false,"notify_on_related_action":false},` +
		`{"channel_id":100000006800212,"events":["Products.create","Products.edit"],"notify_url":"https://hooks.example.com/watch/1",` +
		`"token":"` + canaryChannelToken + `","channel_expiry":"2026-01-24T05:30:00+05:30","return_affected_field_values":true,"notify_on_related_action":false}]}`
	if sent != body || path != "POST /crm/v8/actions/watch" || kind != "application/json" {
		t.Errorf("%s, %s, sent:\n%s\nwant:\n%s", path, kind, sent, body)
	}
	if call := r.gate.entered[0]; call.Service != "notifications" || call.Class != pipeline.ClassProbe || call.Method != http.MethodPost {
		t.Errorf("counted as %+v", call)
	}
}

func TestUnwatchNamesTheChannels(t *testing.T) {
	t.Parallel()
	r := newFixture(t, answer(http.StatusOK, jsonType, `{"watch":[{"code":"SUCCESS","details":{"resource_id":"1","channel_id":"12"},"status":"success"}]}`))
	if _, err := r.client.Unwatch(t.Context(), home, "v8", []int64{12}); err != nil {
		t.Fatal(err)
	}
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
		r := newFixture(t, answer(test.status, jsonType, test.body))
		_, err := r.client.Watch(t.Context(), home, "v8", subscriptions())
		failure := r.mustFail(t, err, test.kind)
		if strings.Contains(failure.Error(), canaryChannelToken) {
			t.Errorf("%s: the token is in %v", name, failure)
		}
	}
	r := newFixture(t, answer(400, jsonType, `{"code":"MANDATORY_NOT_FOUND","details":{"api_name":"watch","json_path":"$.watch"},"message":"required field not found","status":"error"}`))
	got, err := r.client.Watch(t.Context(), home, "v8", subscriptions())
	refused := upstream.Subscribed{Code: "MANDATORY_NOT_FOUND", Path: "$.watch", Detail: "required field not found"}
	if diff := cmp.Diff([]upstream.Subscribed{refused, refused}, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
}
