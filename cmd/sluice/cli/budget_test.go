package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/calls"
	"sluice/sandbox"
)

func TestBudgetLine(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	of := func(limits pipeline.Limits, spent calls.Day) *serviceDay {
		return &serviceDay{Organization: "o", Service: "shop", DayLeft: planning.LeftOf(limits, &spent), Day: spent}
	}
	const limited = "o shop: 800 calls spent, 200 left of 1,000; 400 in the last hour, at this pace nothing is left at 2026-03-03 12:30 UTC"
	if line := budgetLine(of(pipeline.Limits{Daily: 1000}, calls.Day{At: now, Spent: 800, LastHour: 400}), time.UTC); line != limited {
		t.Errorf("said %q, want %q", line, limited)
	}
	if line := budgetLine(of(pipeline.Limits{}, calls.Day{At: now, Spent: 3, LastHour: 3}), time.UTC); line != "o shop: 3 calls spent; 3 in the last hour" {
		t.Errorf("said %q", line)
	}
}

func TestBudgetCommand(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 75, Records: 100})
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
