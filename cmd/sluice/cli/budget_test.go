package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/sandbox"
)

func TestDayOf(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	shares := pipeline.Shares{pipeline.ClassIncremental: {Floor: 0.4}, pipeline.ClassProbe: {Floor: 0.1}, pipeline.ClassDetails: {Ceiling: 0.25}}
	limits := pipeline.Limits{Daily: 1000, Shares: shares}
	day := calls.Day{At: now, Spent: 800, LastHour: 400, ByClass: map[pipeline.Class]int64{
		pipeline.ClassIncremental: 100, pipeline.ClassBackfill: 700,
	}}
	got := dayOf("o", "shop", limits, day)
	// 300 calls of the incremental floor and 100 of the probes' are reserved; 200 are left, so half
	// of each is lent.
	want := []classDay{
		{Class: "incremental", Spent: 100, Floor: 400, Ceiling: 1000, Reserved: 300, Lent: 150},
		{Class: "details", Ceiling: 250},
		{Class: "sweep", Ceiling: 1000},
		{Class: "backfill", Spent: 700, Ceiling: 1000},
		{Class: "probe", Floor: 100, Ceiling: 1000, Reserved: 100, Lent: 50},
	}
	if diff := cmp.Diff(want, got.Classes); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	if got.Left != 200 || got.RunsOutAt == nil || !got.RunsOutAt.Equal(now.Add(30*time.Minute)) {
		t.Errorf("%d left until %v, want 200 for half an hour", got.Left, got.RunsOutAt)
	}
	const said = "o shop: 800 calls spent, 200 left of 1,000; 400 in the last hour, at this pace nothing is left at 2026-03-03 12:30 UTC"
	if line := budgetLine(&got, time.UTC); line != said {
		t.Errorf("said %q, want %q", line, said)
	}

	// Upstream reports calls of other clients. Calls that return before the rest is spent do not
	// run out.
	day.SeenLeft, day.External, day.LastHour = new(int64(24)), new(int64(176)), 1
	got = dayOf("o", "shop", limits, day)
	if got.Left != 24 || got.RunsOutAt != nil {
		t.Errorf("%d left until %v, want 24 that last", got.Left, got.RunsOutAt)
	}
	turn := now.Add(25 * time.Hour)
	got.Turn = &turn
	if at := runsOut(&got); at == nil || !at.Equal(now.Add(24*time.Hour)) {
		t.Errorf("runs out at %v, want in a day: the day turns later", at)
	}
	unlimited := dayOf("o", "chat", pipeline.Limits{}, calls.Day{At: now, Spent: 3, LastHour: 3})
	if line := budgetLine(&unlimited, time.UTC); line != "o chat: 3 calls spent; 3 in the last hour" {
		t.Errorf("said %q", line)
	}
}

func TestBudgetCommand(t *testing.T) {
	t.Parallel()
	s := newStage(t, sandbox.Options{Seed: 75, Records: 100})
	s.sync(codeFine, "inventory.items")
	var days []serviceDay
	o := s.run("budget", "--json")
	if err := json.Unmarshal([]byte(o.stdout), &days); err != nil || o.code != codeFine {
		t.Fatalf("budget ended with %d (%v)\n%s\n%s", o.code, err, o.stdout, o.stderr)
	}
	spent := one[int64](s, `SELECT count(*) FROM sluice.calls WHERE service = 'inventory'`)
	found := false
	for i := range days {
		if days[i].Service != "inventory" {
			continue
		}
		found = true
		var sum int64
		for _, of := range days[i].Classes {
			sum += of.Spent
		}
		if spent == 0 || days[i].Spent != spent || sum != spent || days[i].LastHour != spent || days[i].Left != days[i].Limit-spent {
			t.Errorf("the day of inventory is %+v, the log has %d calls", days[i], spent)
		}
	}
	if !found {
		t.Errorf("no day of inventory in\n%s", o.stdout)
	}
	if text := s.run("budget"); text.code != codeFine || !strings.Contains(text.stdout, "CEILING") {
		t.Errorf("budget ended with %d\n%s\n%s", text.code, text.stdout, text.stderr)
	}
}
