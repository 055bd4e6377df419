package chaos

import (
	"errors"
	"flag"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/migrations"
	"sluice/pipeline/engine"
)

func TestFlags(t *testing.T) {
	t.Parallel()
	s, err := parse("chaos", []string{"-kills", "5", "-crashes", "1", "-seed", "9", "-total", "20"}, io.Discard)
	if err != nil || s.Kills != 5 || s.Crashes != 1 || s.Seed != 9 || s.Total != 20 || s.Receivers != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	for _, args := range [][]string{{"-kills", "0"}, {"-total", "-1"}, {"now"}} {
		if _, err := parse("chaos", args, io.Discard); err == nil || errors.Is(err, flag.ErrHelp) {
			t.Errorf("%q: got error %v, want one about the flags", args, err)
		}
	}
	if s, err := parse("rolling", nil, io.Discard); err != nil || s.Receivers != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestPlans: a seed gives one plan, which has every fault within its bounds, and all kills and
// crashes that were asked for.
func TestPlans(t *testing.T) {
	t.Parallel()
	names := func(seed uint64) []string {
		var names []string
		for _, s := range draw(seed, 4, 100, 8) {
			names = append(names, s.name)
			if s.slot < 0 || s.slot > 3 || s.lasts < s.least || s.lasts > s.most || s.clock.Abs() > 30*time.Minute || s.pause > time.Second {
				t.Errorf("%+v is out of its bounds", s)
			}
		}
		return names
	}
	one := names(1)
	if !slices.Equal(one, names(1)) || slices.Equal(one, names(2)) {
		t.Error("equal seeds give different plans, or different ones the same")
	}
	count := map[string]int{}
	for _, name := range one {
		count[name]++
	}
	for _, f := range faults(100, 8) {
		if count[f.name] != f.count || f.count < 1 {
			t.Errorf("%s: %d times, want %d", f.name, count[f.name], f.count)
		}
	}
	if count["kill -9"] != 100 || count["Postgres ended at once"]+count["Postgres session killed"] != 8 {
		t.Errorf("the plan has %v", count)
	}
}

// TestChaosThatProvesNothingFails: a run that is too weak to prove anything is a violation.
func TestChaosThatProvesNothingFails(t *testing.T) {
	t.Parallel()
	fine := func() report {
		r := report{Kills: 100, KillsAtWork: 60, Crashes: 8, Inserted: 1, Edited: 1, Deleted: 1}
		r.Inbox.Taken, r.Inbox.Read = 9, 1
		r.Verdict.Tombstones = 1
		return r
	}
	for name, spoil := range map[string]func(*report){
		"": func(*report) {}, "few kills": func(r *report) { r.Kills = 99 }, "few crashes": func(r *report) { r.Crashes = 7 },
		"idle": func(r *report) { r.KillsAtWork = 19 }, "dead world": func(r *report) { r.Edited = 0 },
		"no tombstone": func(r *report) { r.Verdict.Tombstones = 0 }, "nothing taken": func(r *report) { r.Inbox.Taken = 0 },
		"nothing read": func(r *report) { r.Inbox.Read = 0 },
	} {
		r := fine()
		spoil(&r)
		if r.enough(scenario{Kills: 100, Crashes: 8}); (name == "") != (len(r.Violations) == 0) || len(r.Violations) > 1 {
			t.Errorf("%q: %q", name, r.Violations)
		}
	}
}

// TestRollingThatProvesNothingFails: a refused start, and a run in which too little happened, are
// violations.
func TestRollingThatProvesNothingFails(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(r *report){
		"": func(*report) {}, "refused": func(r *report) { r.Refused = 1 }, "the analyst sleeps": func(r *report) { r.Rolling.Statements = 5 },
		"not replaced": func(r *report) { r.Rolling.Replaced = 5 }, "never mixed": func(r *report) { r.Rolling.Mixed = false },
		"migrate lived": func(r *report) { r.Rolling.MigrateKills = 0 },
		"idle":          func(r *report) { r.KillsAtWork = 0 }, "dead world": func(r *report) { r.Edited = 0 },
	} {
		r := &rolling{
			chaos: &chaos{report: report{
				KillsAtWork: 1, Inserted: 1, Edited: 1, Rolling: figures{Replaced: 6, Mixed: true, MigrateKills: 2, Statements: 6},
			}},
		}
		spoil(&r.report)
		if r.judgeUpgrade(); (name == "") != (len(r.report.Violations) == 0) || len(r.report.Violations) > 1 {
			t.Errorf("%q: %q", name, r.report.Violations)
		}
	}
}

// TestWrongEnds: a serve that ends without a kill may end with 0 on request, and for lack of a
// database only before it serves.
func TestWrongEnds(t *testing.T) {
	t.Parallel()
	const serving, mistake = `{"level":"info","message":"serving"}`, "sluice: the database is out of reach"
	for name, c := range map[string]struct {
		code  int
		asked bool
		said  string
		wrong bool
	}{
		"killed":                  {code: -1, said: serving},
		"asked":                   {asked: true, said: serving},
		"asked at its start":      {asked: true},
		"no request":              {said: serving, wrong: true},
		"no database":             {code: 3, said: mistake},
		"no database any more":    {code: 3, said: serving + "\n" + mistake, wrong: true},
		"no database at the end":  {code: 3, asked: true, said: serving + "\n" + mistake, wrong: true},
		"failed":                  {code: 1, said: mistake, wrong: true},
		"failed when asked":       {code: 1, asked: true, said: serving, wrong: true},
		"usage":                   {code: 2, wrong: true},
		"a bug that ends a start": {code: 2, said: "panic: oh", wrong: true},
	} {
		if got := wrongEnd(c.code, c.asked, c.said); (got != "") != c.wrong {
			t.Errorf("%s: %q", name, got)
		}
	}
	for said, want := range map[string]bool{
		"sluice: " + migrations.ErrNewer.Error(): true, "sluice: " + engine.ErrNotMigrated.Error(): true, mistake: false,
	} {
		if refusedByVersion(3, said) != want || refusedByVersion(1, said) {
			t.Errorf("%s: refused by the version: want %t", said, want)
		}
	}
}

func TestReports(t *testing.T) {
	t.Parallel()
	r := report{Seed: 3, Kills: 4, Actions: map[string]int{"kill -9": 4}, Skipped: []string{"disk full: not permitted"}}
	r.Inbox.Sent = 12
	r.Brokenf("invariant %d", 8)
	var text strings.Builder
	r.print(&text)
	for _, want := range []string{"seed 3: 4 kills", "kill -9:4", "disk full: not permitted", "callbacks: 12 sent, ", "VIOLATION: invariant 8\n1 violations\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, &text)
		}
	}
}
