package sandbox_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"sluice/sandbox"
)

// mailbox receives callbacks.
type mailbox struct {
	mu     sync.Mutex
	bodies []callback
	raw    []string
	t      *testing.T
}

// callback is a body of docs/upstream.md U279, with what live services add (U285).
type callback struct {
	Module    string
	Operation string
	IDs       []string
	ChannelID string  `json:"channel_id"`
	Token     *string `json:"token"`
	Resource  string  `json:"resource_uri"`
	Fields    []map[string]any
	Values    []map[string]any `json:"affected_values"`
}

func (m *mailbox) Post(_ context.Context, address string, _ http.Header, body []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	errorIf(m.t, address != "http://127.0.0.1:1/hook", "posted to %s", address)
	var c callback
	unmarshal(m.t, body, &c)
	m.bodies = append(m.bodies, c)
	m.raw = append(m.raw, string(body))
	return http.StatusOK, nil
}

// told empties the mailbox and returns its callbacks.
func (m *mailbox) told() ([]callback, string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	bodies, raw := m.bodies, strings.Join(m.raw, "\n")
	m.bodies, m.raw = nil, nil
	return bodies, raw
}

func (u *upstream) watch(t *testing.T, prefix, events string) {
	t.Helper()
	body := `{"watch":[{"channel_id":1000000068001,"events":[` + events + `],"notify_url":"http://127.0.0.1:1/hook","token":"t","return_affected_field_values":true}]}`
	answer := u.send(t, http.MethodPost, prefix+"/crm/v8/actions/watch", nil, body)
	fatalIf(t, answer.Code != http.StatusCreated || !strings.Contains(answer.Body.String(), `"SUCCESS"`), "%d %s", answer.Code, answer.Body)
}

// Subscribers are told of the changes that they subscribed to, and of no others.
func TestChangesAreNotified(t *testing.T) {
	t.Parallel()
	box := &mailbox{t: t}
	u := start(t, sandbox.Options{Records: 300, Poster: box, CustomModules: []string{"cm_visits"}})
	u.watch(t, "", `"Purchase_Orders.all","Products.edit","cm_visits.create"`)
	changed := u.change(t, sandbox.Change{Seed: 3, Inserts: 1, Edits: 1, Deletes: 1, Resources: []string{"bills", "items", "credit_notes", "custom_module_records"}})
	sent := u.Deliver(t.Context())
	got := map[string][]string{}
	bodies, raw := box.told()
	for _, c := range bodies {
		got[c.Module+"."+c.Operation] = append(got[c.Module+"."+c.Operation], c.IDs...)
		errorIf(t, c.ChannelID != "1000000068001" || c.Token == nil || *c.Token != "t" || c.Resource != "http://example.com/crm/v8/"+c.Module,
			"callback %+v", c)
	}
	bills := changed["bills"]
	for name, want := range map[string][]string{
		"Purchase_Orders.insert": bills.Inserted, "Purchase_Orders.update": bills.Edited, "Purchase_Orders.delete": bills.Deleted,
		"Products.update": changed["items"].Edited, "cm_visits.insert": changed["custom_module_records"].Inserted,
	} {
		errorIf(t, !slices.Equal(got[name], want) || len(want) != 1, "%s: told of %v, want %v", name, got[name], want)
	}
	errorIf(t, sent != 5 || len(got) != 5, "%d callbacks: %v", sent, got)
	// docs/upstream.md U285 and U287: names by record, values beside, those of a creation, too.
	edited, inserted := bills.Edited[0], bills.Inserted[0]
	for _, want := range []string{
		`"affected_fields":[{"` + edited + `":["`, `"affected_values":[{"record_id":"` + edited + `","values":{`, `"Modified_Time":"2026-03-10T11:30:00+0530"`,
		`"affected_values":[{"record_id":"` + inserted + `","values":{"Created_Time":"2026-03-10T11:30:00+0530"`,
	} {
		errorIf(t, !strings.Contains(raw, want), "no callback has %s:\n%s", want, raw)
	}
}

// Form and chaos are switched while channels live.
func TestNotificationsAreSwitched(t *testing.T) {
	t.Parallel()
	box := &mailbox{t: t}
	u := start(t, sandbox.Options{Records: 300, Poster: box, DocumentedCallbacks: true, Chaos: sandbox.Chaos{Lose: 1}})
	equal(t, u.send(t, http.MethodPost, "/_sandbox/notifications", nil, `{"form":"live","chaos":{"duplicate":1}}`).Code, http.StatusOK)
	u.watch(t, "", `"Contacts.all"`)
	changed := u.change(t, sandbox.Change{Edits: 3, Resources: []string{"accounting.contact_persons"}})
	var sent struct{ Sent int }
	decode(t, u.send(t, http.MethodPost, "/_sandbox/deliver", nil, ""), &sent)
	bodies, _ := box.told()
	errorIf(t, sent.Sent != 2 || len(bodies) != 2 || bodies[0].Operation != "update" || len(bodies[0].Values) != 3,
		"sent %d: %+v", sent.Sent, bodies)
	// Changes made at once are told at once.
	want := changed["accounting.contact_persons"].Edited
	if got := bodies[0].IDs; len(want) != 3 || len(got) != 3 || !slices.Contains(got, want[0]) || !slices.Contains(got, want[2]) {
		t.Errorf("told of %v, want %v", got, want)
	}
	for _, bad := range []string{`{"form":"odd"}`, `{"chaos":{"lose":2}}`, `{"colour":1}`} {
		equal(t, u.send(t, http.MethodPost, "/_sandbox/notifications", nil, bad).Code, http.StatusBadRequest, bad)
	}
	var shown struct {
		Sending bool
		Stats   struct{ Channels, Events, Sent, Duplicated int }
		Modules []struct{ Name, ID string }
	}
	decode(t, u.serve(t, http.MethodGet, "/_sandbox/notifications", nil), &shown)
	errorIf(t, !shown.Sending || shown.Stats.Channels != 1 || shown.Stats.Sent != 2 || shown.Stats.Duplicated != 1 || len(shown.Modules) < 21,
		"%+v", shown)
}

// The form of callbacks and the life of channels are options of the start, and switched by control.
func TestHabitsOfNotifications(t *testing.T) {
	t.Parallel()
	type shown struct {
		Form   string
		OneDay bool `json:"one_day"`
	}
	for _, c := range []struct {
		options sandbox.Options
		want    shown
		form    string // word of an edit
		expiry  string
	}{
		{sandbox.Options{}, shown{"live", false}, "update", "2026-03-10T12:30:00+05:30"},
		{sandbox.Options{DocumentedCallbacks: true, OneDayChannels: true}, shown{"documented", true}, "edit", "2026-03-11T11:30:00+05:30"},
	} {
		box := &mailbox{t: t}
		c.options.Records, c.options.Poster = 100, box
		u := start(t, c.options)
		check := func(want shown, word, expiry string) {
			t.Helper()
			var got shown
			decode(t, u.serve(t, http.MethodGet, "/_sandbox/notifications", nil), &got)
			u.watch(t, "", `"Products.all"`)
			if listed := u.serve(t, http.MethodGet, "/crm/v8/actions/watch", nil); got != want || !strings.Contains(listed.Body.String(), expiry) {
				t.Errorf("%+v, want %+v until %s: %d %s", got, want, expiry, listed.Code, listed.Body)
			}
			u.change(t, sandbox.Change{Edits: 1, Resources: []string{"items"}})
			u.Deliver(t.Context())
			bodies, _ := box.told()
			errorIf(t, len(bodies) != 1 || bodies[0].Operation != word, "told %+v, want %s", bodies, word)
		}
		check(c.want, c.form, c.expiry)
		u.post(t, "notifications", `{"form":"documented","one_day":true}`, &struct{}{})
		check(shown{"documented", true}, "edit", "2026-03-11T11:30:00+05:30")
		u.post(t, "notifications", `{"one_day":false}`, &struct{}{})
		check(shown{"documented", false}, "edit", "2026-03-10T12:30:00+05:30")
		must(t, u.Reset())
		u.login(t)
		check(c.want, c.form, c.expiry)
	}
}

// The fault silent_channel: what it grants is told nothing.
func TestSilentChannelByFault(t *testing.T) {
	t.Parallel()
	box := &mailbox{t: t}
	u := start(t, sandbox.Options{Records: 100, Poster: box, Faults: []sandbox.Fault{
		{Path: "/crm/", Method: http.MethodPost, Kind: "silent_channel", Count: 1},
	}})
	for want := range 2 { // the first is silent, the second is not.
		u.watch(t, "", `"Products.all"`)
		u.change(t, sandbox.Change{Edits: 1, Resources: []string{"items"}})
		equal(t, u.Deliver(t.Context()), want, "callbacks")
	}
}

// An item is one of Products, by whatever way it comes.
func TestItemsAreProducts(t *testing.T) {
	t.Parallel()
	box := &mailbox{t: t}
	u := start(t, sandbox.Options{Records: 100, Poster: box})
	u.watch(t, "", `"Products.all"`)
	var made struct {
		Item struct {
			ID string `json:"item_id"`
		}
	}
	decode(t, u.send(t, http.MethodPost, target("/inventory/v1/items"), nil, `{"name":"Lamp","rate":12}`), &made)
	var created map[string]struct{ Inserted []string }
	u.post(t, "create", `{"resources":["composite_items"]}`, &created)
	u.post(t, "delete", `{"resource":"inventory.items","ids":["`+made.Item.ID+`"]}`, &struct{}{})
	u.Deliver(t.Context())
	var got []string
	bodies, _ := box.told()
	for _, c := range bodies {
		got = append(got, c.Module+"."+c.Operation+" "+strings.Join(c.IDs, "+"))
	}
	want := []string{
		"Products.insert " + made.Item.ID, "Products.insert " + strings.Join(created["composite_items"].Inserted, "+"), "Products.delete " + made.Item.ID,
	}
	errorIf(t, !slices.Equal(got, want) || made.Item.ID == "", "told of %q, want %q", got, want)
}

// Each organization has channels of its own. Without a Poster no callback waits.
func TestChannelsKeepApart(t *testing.T) {
	t.Parallel()
	box := &mailbox{t: t}
	u := start(t, sandbox.Options{Records: 200, Poster: box, Organizations: []sandbox.OrganizationOptions{{ID: org, DataCenter: "eu"}}})
	token := u.token
	u.token = u.tokenOf(t, org, "eu")
	u.watch(t, "/dc/eu", `"Products.all"`)
	u.token = token
	change := sandbox.Change{Edits: 1, Resources: []string{"items"}}
	_, err := u.Change(change)
	errorIf(t, err != nil || u.Deliver(t.Context()) != 0, "a change at home was told abroad, or %v", err)
	_, err = u.ChangeOf(org, "eu", change)
	errorIf(t, err != nil || u.Deliver(t.Context()) != 1, "a change abroad was not told, or %v", err)
	bodies, _ := box.told()
	errorIf(t, len(bodies) != 1 || bodies[0].Resource != "http://example.com/dc/eu/crm/v8/Products", "%+v", bodies)
	silent := start(t, sandbox.Options{Records: 60})
	silent.watch(t, "", `"Products.all"`)
	_, err = silent.Change(change)
	errorIf(t, err != nil || silent.Deliver(t.Context()) != 0, "a callback waits without a Poster, or %v", err)
}

func TestChannelsDieByTheVirtualClock(t *testing.T) {
	t.Parallel()
	box := &mailbox{t: t}
	u := start(t, sandbox.Options{Records: 200, Poster: box})
	u.watch(t, "", `"Products.all"`) // for an hour: no expiry was given (docs/upstream.md U274)
	u.Advance(3_600_000_000_000)
	_, err := u.Change(sandbox.Change{Edits: 1, Resources: []string{"items"}})
	errorIf(t, err != nil || u.Deliver(t.Context()) != 0, "an expired channel was told, or %v", err)
}

func TestUnknownPathsOfNotifications(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60})
	for _, method := range []string{http.MethodOptions, http.MethodTrace} {
		answer := u.serve(t, method, "/crm/v8/actions/watch", nil)
		errorIf(t, answer.Code != http.StatusMethodNotAllowed || !strings.Contains(answer.Body.String(), "INVALID_REQUEST_METHOD"),
			"%s: %d %s", method, answer.Code, answer.Body)
	}
	equal(t, u.serve(t, http.MethodPost, "/crm/v8/actions/other", nil).Code, http.StatusNotFound)
	n := u.Stats().ByService["notifications"]
	errorIf(t, n != 3 || u.Stats().Worst60s != 0, "%d calls of notifications, worst minute %d", n, u.Stats().Worst60s)
}

// signalled posts callbacks and signals each.
type signalled struct {
	*mailbox

	arrived chan struct{}
}

func (s *signalled) Post(ctx context.Context, address string, header http.Header, body []byte) (int, error) {
	status, err := s.mailbox.Post(ctx, address, header, body)
	s.arrived <- struct{}{}
	return status, err
}
