package conformance

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"sluice/sandbox"
	"sluice/sandbox/watch/channel"
)

// receiver collects the callbacks that the sandbox sends.
type receiver struct {
	mu        sync.Mutex
	addresses []string
	bodies    []string
}

func (r *receiver) Post(_ context.Context, address string, _ http.Header, body []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.addresses, r.bodies = append(r.addresses, address), append(r.bodies, string(body))
	return http.StatusOK, nil
}

// taken empties the receiver and returns its callbacks.
func (r *receiver) taken() ([]string, []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	addresses, bodies := r.addresses, r.bodies
	r.addresses, r.bodies = nil, nil
	return addresses, bodies
}

// docs/upstream.md U278: the service POSTs a callback to notify_url whenever an event subscribed on
// the channel occurs and the channel has not expired. Its form is that of U279. The callback of a
// creation carries the operation insert (U280).
func TestCallbacks(t *testing.T) {
	t.Parallel()
	received := &receiver{}
	caller := newCallerOf(t, sandbox.Options{
		Records: 60, CustomModules: []string{module}, Limits: sandbox.Limits{Off: true}, Poster: received, DocumentedCallbacks: true,
	}, "")
	caller.play(t, step{
		Send:   "POST /crm/v2/actions/watch",
		Body:   []byte(`{"watch":[{"channel_id":77,"events":["${module}.create"],"notify_url":"http://127.0.0.1:8099/hook?tenant=7","token":"a-secret"}]}`),
		Status: http.StatusCreated,
	})
	create := step{
		Send: "POST /books/v3/${module}", Body: []byte(`{"record_name":"One"}`), Status: http.StatusCreated,
		Keep: map[string]string{"id": "module_record.0.module_record_id"},
	}
	caller.play(t, create)
	caller.server.Deliver(t.Context())
	addresses, bodies := received.taken()
	if len(bodies) != 1 {
		t.Fatalf("%d callbacks of one creation: %s", len(bodies), bodies)
	}
	if !strings.HasPrefix(addresses[0], "http://127.0.0.1:8099/hook") {
		t.Errorf("sent to %s", addresses[0])
	}
	want := mustDecode(t, caller.fill(`{"server_time":"$integer","query_params":{"tenant":"7"},"module":"${module}","resource_uri":"$text",
		"ids":["${id}"],"affected_fields":[],"operation":"insert","channel_id":"77","token":"a-secret"}`))
	for _, diff := range match("callback", want, mustDecode(t, bodies[0])) {
		t.Errorf("%s\n%s", diff, bodies[0])
	}

	// The channel has no subscription to edits, and lives an hour.
	caller.play(t, step{Send: "PUT /books/v3/${module}/${id}", Body: []byte(`{"record_name":"Uno"}`), Status: http.StatusOK})
	caller.play(t, step{Send: "POST /_sandbox/advance", Body: []byte(`{"seconds":3601}`), Status: http.StatusOK})
	var err error
	if caller.token, err = caller.authorize(t.Context(), ""); err != nil { // the token expired after an hour, too.
		t.Fatal(err)
	}
	caller.play(t, create)
	caller.server.Deliver(t.Context())
	if _, bodies := received.taken(); len(bodies) != 0 {
		t.Errorf("callbacks of an edit or through an expired channel: %s", bodies)
	}
}

// docs/upstream.md U275: on request, the callback carries the changed fields with their values.
// U281: with a notification_condition, only changes of the selected fields raise callbacks. The
// document does not show the word for an edit.
func TestCallbacksOfChosenFields(t *testing.T) {
	t.Parallel()
	received := &receiver{}
	caller := newCallerOf(t, sandbox.Options{
		Records: 60, CustomModules: []string{module}, Limits: sandbox.Limits{Off: true}, Poster: received, DocumentedCallbacks: true,
	}, "")
	caller.play(t, step{
		Send: "POST /books/v3/${module}", Body: []byte(`{"record_name":"One","cf_budget":1}`), Status: http.StatusCreated,
		Keep: map[string]string{"id": "module_record.0.module_record_id"},
	})
	caller.learnCustom(t)
	caller.play(t, step{
		Send: "POST /crm/v2/actions/watch",
		Body: []byte(`{"watch":[{"channel_id":78,"events":["${module}.edit"],"notify_url":"http://127.0.0.1:8099/hook","return_affected_field_values":true,
			"notification_condition":[{"type":"field_selection","module":{"api_name":"${module}","id":"${module_id}"},
			"field_selection":{"group_operator":"or","group":[{"field":{"api_name":"Name","id":"${name_id}"}}]}}]}]}`),
		Status: http.StatusCreated,
	})
	caller.play(t, step{Send: "PUT /books/v3/${module}/${id}", Body: []byte(`{"cf_budget":2}`), Status: http.StatusOK})
	caller.server.Deliver(t.Context())
	if _, bodies := received.taken(); len(bodies) != 0 {
		t.Errorf("callbacks of a field that was not chosen: %s", bodies)
	}
	caller.play(t, step{Send: "PUT /books/v3/${module}/${id}", Body: []byte(`{"record_name":"Uno"}`), Status: http.StatusOK})
	caller.server.Deliver(t.Context())
	_, bodies := received.taken()
	if len(bodies) != 1 {
		t.Fatalf("%d callbacks of one edit: %s", len(bodies), bodies)
	}
	want := mustDecode(t, caller.fill(`{"module":"${module}","ids":["${id}"],"affected_fields":["$object"],"operation":"$text","channel_id":"78"}`))
	for _, diff := range match("callback", want, mustDecode(t, bodies[0])) {
		t.Errorf("%s\n%s", diff, bodies[0])
	}
	if !strings.Contains(bodies[0], `"Uno"`) {
		t.Errorf("the new value is missing: %s", bodies[0])
	}
}

// learnCustom notes the ids of the custom module and of its field Name.
func (c *caller) learnCustom(t *testing.T) {
	t.Helper()
	got, err := c.do(t.Context(), step{Send: "GET /_sandbox/notifications"})
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Modules channel.Catalogue `json:"modules"`
	}
	if err := json.Unmarshal(got.body, &answer); err != nil {
		t.Fatalf("%v in %.200s", err, got.body)
	}
	custom, found := answer.Modules.Find(module)
	at := slices.IndexFunc(custom.Fields, func(f channel.Field) bool { return f.Name == "Name" })
	if !found || at < 0 {
		t.Fatalf("module %s: %+v in %.200s", module, custom, got.body)
	}
	c.kept["module_id"], c.kept["name_id"] = custom.ID, custom.Fields[at].ID
}
