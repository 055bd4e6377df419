package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"sluice/pipeline/engine"
	"sluice/pipeline/planning"
	"sluice/sandbox"
)

// TestBudgetOthers: for four weeks another program made 500 calls at two each night. In this
// quarter of an hour it makes 900 more. The plan has 7,500 calls a day, of which a fiftieth is the
// width of the band.
func TestBudgetOthers(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 444, Records: 3}).narrow()
	s.sync(codeFine, "inventory.items")
	s.exec(`DELETE FROM sluice.external_quarters`)
	s.exec(`INSERT INTO sluice.external_quarters (organization_id, service, began_at, calls, seconds, spread)
		SELECT $1, 'inventory', at, CASE to_char(at AT TIME ZONE 'UTC', 'HH24:MI') WHEN '02:00' THEN 500 ELSE 0 END, 900, false
		FROM (SELECT date_bin('15 minutes', now(), 'epoch') - n * interval '15 minutes' AS at FROM generate_series(1, 2800) AS n) AS q`, businessKey)
	of := func(args ...string) *engine.Others {
		t.Helper()
		var others []engine.Others
		o := s.run(append([]string{"budget", "--others", "--json"}, args...)...)
		if err := json.Unmarshal([]byte(o.stdout), &others); err != nil || o.code != codeFine {
			t.Fatalf("budget --others ended with %d (%v)\n%s\n%s", o.code, err, o.stdout, o.stderr)
		}
		for i := range others {
			if others[i].Service == "inventory" {
				return &others[i]
			}
		}
		t.Fatalf("nothing of inventory in\n%s", o.stdout)
		return nil
	}
	night := of()
	h := &night.Habit
	if h.State != planning.HabitUsual || h.Usual == nil || *h.Usual != 500 || *h.Low != 350 || *h.High != 650 {
		t.Errorf("a program that runs at night: %+v", h)
	}
	nights := 0
	for _, hour := range night.Profile {
		if hour.Median == 500 && hour.Weeks >= 3 {
			nights++
		} else if hour.Median != 0 {
			t.Errorf("usual is %+v", hour)
		}
	}
	if nights != 7 || night.HoursExact != 1 || night.Outlook.Basis != planning.OfWeekday || night.Outlook.Error == nil || *night.Outlook.Error != 0 {
		t.Errorf("%d nights of seven; %+v", nights, night.Outlook)
	}
	s.exec(`INSERT INTO sluice.external_quarters (organization_id, service, began_at, calls, seconds, spread)
		VALUES ($1, 'inventory', date_bin('15 minutes', now(), 'epoch'), 900, 900, false)`, businessKey)
	if more := of(businessKey); more.Habit.State != planning.HabitMore || more.Habit.Since == nil {
		t.Errorf("900 calls more: %+v", more.Habit)
	}
	text := s.run("budget", "--others", businessKey)
	for _, want := range []string{"a habit changed: more than usual since ", "usual on this weekday are 500, from 350 to 650", "HOUR  MON", "500 ± 0", "code 45"} {
		if text.code != codeFine || !strings.Contains(text.stdout, want) {
			t.Errorf("budget --others ended with %d and lacks %q\n%s\n%s", text.code, want, text.stdout, text.stderr)
		}
	}
	if o := s.run("budget", "--others", "nothing"); o.code != codeUsage {
		t.Errorf("an unknown organization: %d\n%s", o.code, o.stderr)
	}
}
