package watch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox/watch"
	"sluice/sandbox/watch/channel"
	"sluice/sandbox/watch/delivery"
)

// changed returns a record with changed fields: pairs of a name and a value in JSON.
func changed(id string, pairs ...string) watch.Record {
	record := watch.Record{ID: id, Fields: map[string]json.RawMessage{}}
	for n := 0; n+1 < len(pairs); n += 2 {
		record.Fields[pairs[n]] = json.RawMessage(pairs[n+1])
	}
	return record
}

func (s *fixture) publish(t *testing.T, module string, operation channel.Operation, records ...watch.Record) int {
	t.Helper()
	count, err := s.Publish(watch.Event{Module: module, Operation: operation, Records: records})
	must(t, err)
	return count
}

// flush sends the due callbacks and returns the bodies that arrived.
func (s *fixture) flush(t *testing.T, r *receiver) []string {
	t.Helper()
	s.Flush(t.Context())
	return r.got()
}

// docs/upstream.md U279, key by key; the operation of a creation is insert (U280).
func TestCallbackAsDocumented(t *testing.T) {
	t.Parallel()
	s, r := start(t, func(o *watch.Options) { o.Habits.Documented = true }), listen(t)
	s.enable(t, `{"channel_id":1000000068001,"events":["Deals.all"],"notify_url":"`+r.url+`/hook?key1=val1&key2=a%20b&key1=x",
		"token":"T-1","return_affected_field_values":true}`)
	s.enable(t, `{"channel_id":2,"events":["Deals.all"],"notify_url":"`+r.url+`"}`)
	s.publish(t, "Deals", channel.Create, changed("4150868000001144028", "Stage", `"Won"`, "Amount", `1000.50`), changed("4150868000001144029", "Stage", `null`))
	s.clock.advance(1500 * time.Millisecond) // server_time is that of sending
	got := s.flush(t, r)
	if len(got) != 2 {
		t.Fatalf("%d callbacks, want one for each channel", len(got))
	}
	same(t, got[0], `{"server_time":1772366401500,"query_params":{"key1":"val1","key2":"a b"},"module":"Deals",
		"resource_uri":"https://api.test/crm/v8/Deals","ids":["4150868000001144028","4150868000001144029"],
		"affected_fields":[{"Stage":"Won","Amount":1000.50},{"Stage":null}],
		"operation":"insert","channel_id":"1000000068001","token":"T-1"}`)
	same(t, got[1], `{"server_time":1772366401500,"query_params":{},"module":"Deals","resource_uri":"https://api.test/crm/v8/Deals",
		"ids":["4150868000001144028","4150868000001144029"],"affected_fields":[],"operation":"insert","channel_id":"2","token":null}`)
	errorIf(t, !slices.Equal(r.queries, []string{"key1=val1&key2=a%20b&key1=x", ""}), "sent to the queries %q", r.queries)
}

// docs/upstream.md U285: the form that live services send, and so does the sandbox unless switched.
func TestCallbackAsSeen(t *testing.T) {
	t.Parallel()
	s, r := start(t, nil), listen(t)
	s.enable(t, `{"channel_id":7,"events":["Deals.all"],"notify_url":"`+r.url+`","token":"T","return_affected_field_values":true}`)
	s.publish(t, "Deals", channel.Edit, changed("41", "Stage", `"Won"`, "Amount", `12.00`), changed("42", "Stage", `"Lost"`))
	got := s.flush(t, r)
	if len(got) != 1 {
		t.Fatalf("%d callbacks", len(got))
	}
	same(t, got[0], `{"server_time":1772366400000,"query_params":{},"module":"Deals","resource_uri":"https://api.test/crm/v8/Deals",
		"ids":["41","42"],"affected_fields":[{"41":["Amount","Stage"]},{"42":["Stage"]}],
		"affected_values":[{"record_id":"41","values":{"Amount":12.00,"Stage":"Won"}},{"record_id":"42","values":{"Stage":"Lost"}}],
		"operation":"update","channel_id":"7","token":"T"}`)
	s.SetHabits(watch.Habits{Documented: true})
	s.publish(t, "Deals", channel.Edit, changed("41"))
	s.publish(t, "Deals", channel.Delete, changed("41"))
	got = s.flush(t, r)
	errorIf(t, !strings.Contains(got[0], `"operation":"edit"`) || !strings.Contains(got[1], `"operation":"delete"`), "switched: %s", got)
}

// A channel is told only of its subscriptions, and only as long as it lives.
func TestWhoIsTold(t *testing.T) {
	t.Parallel()
	s, r := start(t, nil), listen(t)
	s.enable(t, `{"channel_id":1,"events":["Leads.create","Deals.all"],"notify_url":"`+r.url+`"}`)
	s.enable(t, `{"channel_id":2,"events":["Leads.edit"],"notify_url":"`+r.url+`","notify_on_related_action":false,"channel_expiry":"2026-03-01T12:30:00Z"}`)
	told := func(event watch.Event) string {
		event.Records = []watch.Record{changed("9")}
		_, err := s.Publish(event)
		must(t, err)
		return channels(t, s.flush(t, r))
	}
	for n, step := range []struct {
		event watch.Event
		after time.Duration
		want  string
	}{
		{watch.Event{Module: "Leads", Operation: channel.Create}, 0, "1"},
		{watch.Event{Module: "Leads", Operation: channel.Edit}, 0, "2"},
		{watch.Event{Module: "Leads", Operation: channel.Delete}, 0, ""},
		{watch.Event{Module: "Deals", Operation: channel.Delete}, 0, "1"},
		{watch.Event{Module: "Quotes", Operation: channel.Create}, 0, ""},
		{watch.Event{Module: "Deals", Operation: channel.Edit, Related: true}, 0, "1"},
		{watch.Event{Module: "Leads", Operation: channel.Edit, Related: true}, 0, ""},
		{watch.Event{Module: "Leads", Operation: channel.Edit}, 29*time.Minute + 59*time.Second, "2"},
		{watch.Event{Module: "Leads", Operation: channel.Edit}, time.Second, ""},
		{watch.Event{Module: "Leads", Operation: channel.Create}, 0, "1"},
		{watch.Event{Module: "Leads", Operation: channel.Create}, 30 * time.Minute, ""},
	} {
		s.clock.advance(step.after)
		equal(t, told(step.event), step.want, n)
	}
}

// docs/upstream.md U281: with notification_condition, only changes of the selected fields.
func TestConditionSelects(t *testing.T) {
	t.Parallel()
	s, r := start(t, nil), listen(t)
	stage, amount, step := s.field(t, "Deals", "Stage"), s.field(t, "Deals", "Amount"), s.field(t, "Deals", "Next_Step")
	s.enable(t, `{"channel_id":1,"events":["Deals.all","Leads.edit"],"notify_url":"`+r.url+`","notification_condition":[{"type":"field_selection",
		"module":{"api_name":"Deals","id":"`+s.moduleID(t, "Deals")+`"},"field_selection":{"group_operator":"or","group":[`+stage+
		`,{"group_operator":"and","group":[`+amount+`,`+step+`]}]}}]}`)
	s.publish(t, "Deals", channel.Edit,
		changed("stage", "Stage", "1"), changed("amount", "Amount", "1"), changed("step", "Next_Step", "1"),
		changed("both", "Next_Step", "1", "Amount", "1"), changed("none"), changed("other", "Probability", "1", "Type", "2"))
	equal(t, ids(t, s.flush(t, r)), "stage+both", "told of")
	equal(t, s.publish(t, "Deals", channel.Delete, changed("gone")), 0, "a deletion changes no field")
	s.publish(t, "Leads", channel.Edit, changed("lead")) // another module has no condition
	equal(t, ids(t, s.flush(t, r)), "lead", "told of")
}

func TestBatches(t *testing.T) {
	t.Parallel()
	s, r := start(t, func(o *watch.Options) { o.BatchIDs = 3 }), listen(t)
	s.enable(t, `{"channel_id":1,"events":["Deals.all"],"notify_url":"`+r.url+`"}`)
	var records []watch.Record
	for n := range 7 {
		records = append(records, changed(fmt.Sprint(n)))
	}
	s.publish(t, "Deals", channel.Edit, records...)
	equal(t, ids(t, s.flush(t, r)), "0+1+2 3+4+5 6")
	_, err := s.Publish(watch.Event{Module: "Deals", Operation: channel.Edit, Records: []watch.Record{changed("x", "Stage", "Won")}})
	errorIf(t, err == nil, "a value that is no JSON was taken")
}

// numbered publishes n events, one record each, and returns the ids that arrived.
func (s *fixture) numbered(t *testing.T, r *receiver, n int) string {
	t.Helper()
	for i := range n {
		s.publish(t, "Deals", channel.Edit, changed(fmt.Sprint(i)))
	}
	return ids(t, s.flush(t, r))
}

func chaotic(t *testing.T, chaos delivery.Chaos) (*fixture, *receiver) {
	t.Helper()
	s, r := start(t, func(o *watch.Options) { o.Chaos = chaos }), listen(t)
	s.enable(t, `{"channel_id":1,"events":["Deals.all"],"notify_url":"`+r.url+`","channel_expiry":"2026-03-08T00:00:00Z"}`)
	return s, r
}

func TestChaosByRate(t *testing.T) {
	t.Parallel()
	s, r := chaotic(t, delivery.Chaos{})
	equal(t, s.numbered(t, r, 4), "0 1 2 3", "nothing wrong")
	s, r = chaotic(t, delivery.Chaos{Lose: 1})
	got := s.numbered(t, r, 4)
	errorIf(t, got != "" || s.Stats().Lost != 4, "all lost: %q, %+v", got, s.Stats())
	s, r = chaotic(t, delivery.Chaos{Duplicate: 1})
	got = s.numbered(t, r, 3)
	errorIf(t, got != "0 0 1 1 2 2" || s.Stats().Duplicated != 3 || s.Stats().Sent != 6, "all twice: %q, %+v", got, s.Stats())
	s, r = chaotic(t, delivery.Chaos{Reorder: 1})
	got = s.numbered(t, r, 4)
	errorIf(t, got != "1 2 3 0" || s.Stats().Reordered != 3, "always the second first: %q, %+v", got, s.Stats())
}

func TestChaosIsTheSameForTheSameSeed(t *testing.T) {
	t.Parallel()
	run := func(seed int64) (string, watch.Stats) {
		s, r := start(t, func(o *watch.Options) {
			o.Seed, o.Chaos = seed, delivery.Chaos{Lose: 0.3, Duplicate: 0.3, Reorder: 0.3, Late: 0.3}
		}), listen(t)
		s.enable(t, `{"channel_id":1,"events":["Deals.all"],"notify_url":"`+r.url+`"}`)
		return s.numbered(t, r, 100), s.Stats()
	}
	one, stats := run(1)
	again, _ := run(1)
	other, _ := run(2)
	errorIf(t, one != again || one == other, "seed 1: %s\nagain:  %s\nseed 2: %s", one, again, other)
	for name, count := range map[string]int{"lost": stats.Lost, "twice": stats.Duplicated, "late": stats.Late, "reordered": stats.Reordered} {
		errorIf(t, count < 5 || count > 60, "of 100 at a rate of 0.3, %d %s", count, name)
	}
	for _, chaos := range []delivery.Chaos{{Lose: 1.1}, {Late: -0.1}, {LateBy: -1}} {
		_, err := watch.New(watch.Options{Now: time.Now, Poster: poster{}, Chaos: chaos})
		errorIf(t, err == nil, "%+v was taken", chaos)
	}
}

// A receiver that refuses, hangs or is gone loses its callbacks and affects nothing else.
func TestReceiverThatFails(t *testing.T) {
	t.Parallel()
	s, r := start(t, func(o *watch.Options) { o.Timeout = time.Millisecond; o.Poster = hanging{} }), listen(t)
	s.enable(t, `{"channel_id":1,"events":["Deals.all"],"notify_url":"`+r.url+`"}`)
	s.numbered(t, r, 2)
	stats := s.Stats()
	errorIf(t, stats.Failed != 2 || stats.Sent != 0 || stats.Waiting != 0, "a receiver that hangs: %+v", stats)
	s, r = chaotic(t, delivery.Chaos{})
	r.answer(http.StatusServiceUnavailable)
	s.numbered(t, r, 2)
	r.answer(http.StatusNoContent)
	s.numbered(t, r, 3)
	if stats := s.Stats(); stats.Failed != 2 || stats.Sent != 3 || stats.Queued != 5 || stats.Events != 5 || stats.Channels != 1 {
		t.Errorf("a receiver that refuses: %+v", stats)
	}
}

// hanging is a receiver that never answers.
type hanging struct{}

func (hanging) Post(ctx context.Context, _ string, _ http.Header, _ []byte) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}
