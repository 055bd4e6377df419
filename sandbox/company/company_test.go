package company_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox/company"
	"sluice/sandbox/company/activity"
	"sluice/sandbox/world"
)

func found(t *testing.T, settings company.Settings, now time.Time) *company.Company {
	t.Helper()
	settings.ID, settings.Plan, settings.Now = "60012345678", "free", func() time.Time { return now }
	if settings.TimeZone == "" {
		settings.TimeZone = "Asia/Kolkata"
	}
	c, err := company.New(settings)
	must(t, err)
	return c
}

func noon() time.Time { return time.Date(2026, 3, 10, 6, 30, 0, 0, time.UTC) }

// Every change is reported once, with its fields, outside of the company's lock.
func TestChangesAreTold(t *testing.T) {
	t.Parallel()
	c := found(t, company.Settings{Seed: 1, Records: 200}, noon())
	var told []company.Event
	c.ChangedTogether(func(events []company.Event) {
		c.Stats() // would deadlock inside the lock
		told = append(told, events...)
	})
	changed, err := c.Change(company.Change{Seed: 1, Inserts: 1, Edits: 2, Deletes: 1, Resources: []string{"items"}})
	must(t, err)
	want := changed["items"]
	var ids []string
	for _, e := range told {
		ids = append(ids, e.ID)
		fields := make([]string, 0, len(e.Fields))
		for name := range e.Fields {
			fields = append(fields, name)
		}
		switch e.Operation {
		case world.Edited:
			if !slices.Contains(want.Edited, e.ID) || string(e.Fields["last_modified_time"]) != `"2026-03-10T12:00:00+0530"` || slices.Contains(fields, "item_id") {
				t.Errorf("edit of %s: %v", e.ID, fields)
			}
		case world.Deleted:
			errorIf(t, !slices.Contains(want.Deleted, e.ID) || len(fields) > 0, "deletion of %s: %v", e.ID, fields)
		case world.Inserted:
			errorIf(t, !slices.Contains(want.Inserted, e.ID) || string(e.Fields["item_id"]) != `"`+e.ID+`"`, "insertion of %s: %v", e.ID, fields)
		case world.Quieted, world.Restored:
			t.Errorf("%s: operation %d", e.ID, e.Operation)
		}
	}
	slices.Sort(ids)
	errorIf(t, len(slices.Compact(ids)) != 4 || len(told) != 4, "told of %v", ids)
}

// A payment is reported with its bills, and with the accounts that it moves in silence.
func TestPaymentsAreTold(t *testing.T) {
	t.Parallel()
	c := found(t, company.Settings{Seed: 1, Records: 2000, Activity: activity.Rates{Payments: 1}}, noon())
	told := map[world.Kind][]company.Event{}
	c.ChangedTogether(func(events []company.Event) {
		for _, e := range events {
			told[e.Kind] = append(told[e.Kind], e)
		}
	})
	c.Advance(10 * time.Hour)
	payments, bills, accounts := told[world.Payments], told[world.Bills], told[world.Accounts]
	if len(payments) < 9 || len(payments) > 10 || len(bills) < len(payments) || len(accounts) != 2 {
		t.Fatalf("told of %d payments, %d bills, %d accounts", len(payments), len(bills), len(accounts))
	}
	for _, e := range payments {
		errorIf(t, e.Operation != world.Inserted || !strings.Contains(string(e.Fields["bills"]), "bill_id"),
			"payment %s: operation %d, bills %s", e.ID, e.Operation, e.Fields["bills"])
	}
	for _, e := range bills {
		if e.Operation != world.Edited || e.Fields["payments"] == nil || e.Fields["balance"] == nil || e.Fields["last_modified_time"] == nil || e.Fields["line_items"] != nil {
			t.Errorf("bill %s: operation %d, %d fields", e.ID, e.Operation, len(e.Fields))
		}
	}
	for _, e := range accounts {
		errorIf(t, e.Operation != world.Quieted || len(e.Fields) != 1 || e.Fields["current_balance"] == nil,
			"account %s: operation %d, %v", e.ID, e.Operation, e.Fields)
	}
}

// Events happen up to the clock and never ahead of it, for every reader. Time also passes without a
// step of the clock.
func TestTheWorldLivesByTheClock(t *testing.T) {
	t.Parallel()
	now := noon()
	c, err := company.New(company.Settings{
		ID: "60012345678", Plan: "free", TimeZone: "Asia/Kolkata", Seed: 1, Records: 200, Now: func() time.Time { return now },
		Activity: activity.Rates{Inserts: 20},
	})
	must(t, err)
	count := func() int {
		n := 0
		for range c.Truth("inventory", "bills") {
			n++
		}
		return n
	}
	before := count()
	now = now.Add(30 * time.Minute)
	half := count()
	c.Advance(20 * time.Hour)
	whole := count()
	errorIf(t, half < before || whole < half+20 || whole > before+410, "%d, %d, %d bills", before, half, whole)
	for record := range c.Truth("inventory", "bills") {
		var bill struct {
			Created string `json:"created_time"`
		}
		at, err := time.Time{}, json.Unmarshal(record, &bill)
		if err == nil {
			at, err = time.Parse("2006-01-02T15:04:05-0700", bill.Created)
		}
		if err != nil || at.After(c.Time()) {
			t.Fatalf("a bill of %s at %s: %v", bill.Created, c.Time(), err)
		}
	}
	err = c.SetActivity(activity.Rates{Inserts: -1})
	errorIf(t, err == nil, "a negative rate was taken")
	err = c.SetActivity(activity.Rates{})
	errorIf(t, err != nil || !c.Activity().Quiet(), "no activity: %v, %+v", err, c.Activity())
	c.Advance(100 * time.Hour)
	after := count()
	errorIf(t, after != whole, "%d bills after a quiet time, want %d", after, whole)
}

// Offsets follow the zone through both changes of a year: the hour that repeats, and the one that
// is skipped.
func TestDaylightSaving(t *testing.T) {
	t.Parallel()
	for _, step := range []struct{ at, want string }{
		{"2026-10-31T23:59:59Z", "2026-10-31T19:59:59-0400"},
		{"2026-11-01T05:30:00Z", "2026-11-01T01:30:00-0400"},
		{"2026-11-01T06:30:00Z", "2026-11-01T01:30:00-0500"},
		{"2026-03-08T06:59:59Z", "2026-03-08T01:59:59-0500"},
		{"2026-03-08T07:00:00Z", "2026-03-08T03:00:00-0400"},
	} {
		at, err := time.Parse(time.RFC3339, step.at)
		must(t, err)
		c := found(t, company.Settings{Seed: 1, Records: 10, TimeZone: "America/New_York"}, at.Add(-24*time.Hour))
		c.Advance(24 * time.Hour)
		changed, err := c.Change(company.Change{Inserts: 1, Resources: []string{"bills"}})
		must(t, err)
		seen := false
		for record := range c.Truth("inventory", "bills") {
			var bill struct {
				ID       string `json:"bill_id"`
				Created  string `json:"created_time"`
				Modified string `json:"last_modified_time"`
			}
			must(t, json.Unmarshal(record, &bill))
			if bill.ID == changed["bills"].Inserted[0] {
				seen = true
				errorIf(t, bill.Created != step.want || bill.Modified != step.want,
					"%s: created %s, modified %s, want %s", step.at, bill.Created, bill.Modified, step.want)
			}
		}
		errorIf(t, !seen, "%s: the bill is not there", step.at)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
