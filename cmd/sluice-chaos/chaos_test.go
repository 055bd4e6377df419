package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"strings"
	"testing"
	"time"

	"sluice/cmd/sluice-chaos/watch"
	"sluice/migrations"
	"sluice/pipeline/engine"
)

func TestFlags(t *testing.T) {
	t.Parallel()
	c, err := parse([]string{"-kills", "5", "-crashes", "1", "-leaders", "1", "-receiver-kills", "3", "-seed", "9", "-for", "2h", "-json"})
	if err != nil || c.Kills != 5 || c.Crashes != 1 || c.Leaders != 1 || c.ReceiverKills != 3 || c.Seed != 9 || c.For != 2*time.Hour || !c.JSON {
		t.Errorf("%+v, %v", c, err)
	}
	for _, args := range [][]string{{"-kills", "0"}, {"-receivers", "0"}, {"-leaders", "101"}, {"-for", "-1s"}, {"now"}} {
		if _, err := parse(args); err == nil || errors.Is(err, flag.ErrHelp) {
			t.Errorf("%q: got error %v, want one about the figures", args, err)
		}
	}
}

func TestFiguresOf(t *testing.T) {
	t.Parallel()
	var took []time.Duration
	for n := range 100 {
		took = append(took, time.Duration(100-n)*time.Second)
	}
	if f := figuresOf(took); f != (figures{Samples: 100, P50: 51, P99: 99, Max: 100}) {
		t.Errorf("%+v", f)
	}
	if f := figuresOf(nil); f != (figures{}) {
		t.Errorf("%+v", f)
	}
}

// TestChaosThatProvesNothingFails: a run that is too weak to prove anything, or that ends too
// late, is a violation.
func TestChaosThatProvesNothingFails(t *testing.T) {
	t.Parallel()
	sc := usual()
	fine := func() Report {
		r := Report{Kills: 100, KillsAtWork: 60, Crashes: 8, Inserted: 1, Edited: 1, Deleted: 1, Olders: 1, ReceiverKills: 30, AfterInsert: 15}
		r.Callbacks.Taken, r.Callbacks.Stored, r.Callbacks.Read = 9, 11, 1
		r.Verdict.Tombstones = 1
		return r
	}
	for name, spoil := range map[string]func(*Report){
		"few kills": func(r *Report) { r.Kills = 99 }, "few crashes": func(r *Report) { r.Crashes = 7 }, "idle": func(r *Report) { r.KillsAtWork = 20 },
		"dead world": func(r *Report) { r.Edited = 0 }, "no tombstone": func(r *Report) { r.Verdict.Tombstones = 0 }, "one version": func(r *Report) { r.Olders = 0 },
		"few receivers killed": func(r *Report) { r.ReceiverKills = 29 }, "nothing taken": func(r *Report) { r.Callbacks.Taken = 0 },
		"nothing read": func(r *Report) { r.Callbacks.Read = 0 }, "no kill between insert and answer": func(r *Report) { r.Callbacks.Stored = 9 },
	} {
		r := fine()
		spoil(&r)
		if r.enough(sc); len(r.Violations) != 1 {
			t.Errorf("%s: %q, want one violation", name, r.Violations)
		}
	}
	r := fine()
	if r.enough(sc); len(r.Violations) != 0 {
		t.Errorf("%q, want none", r.Violations)
	}
}

// TestRollingThatProvesNothingFails: a refused start, an analyst that waits or fails, and a run in
// which too little happened are violations.
func TestRollingThatProvesNothingFails(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(r *rolling){
		"": func(*rolling) {}, "refused": func(r *rolling) { r.slots[0].refused = 1 },
		"the analyst waits": func(r *rolling) { r.analyst.longest = 61 * time.Second }, "the analyst fails": func(r *rolling) { r.analyst.failed = errors.New("no such column") },
		"the analyst sleeps": func(r *rolling) { r.analyst.asked = 0 }, "not replaced": func(r *rolling) { r.report.Rolling.Replaced = 3 },
		"never mixed": func(r *rolling) { r.report.Rolling.Mixed = false }, "migrate lived": func(r *rolling) { r.report.Rolling.MigrateKills = 0 },
		"contracted at once": func(r *rolling) { r.report.Rolling.Refused = 1 },
		"idle":               func(r *rolling) { r.report.KillsAtWork = 0 }, "dead world": func(r *rolling) { r.report.Edited = 0 },
		"a process broke": func(r *rolling) { r.slots[1].bad = []string{"panic: oh"} },
	} {
		r := &rolling{
			chaos: &chaos{
				slots: []*slot{{exits: map[int]int{0: 2}}, {exits: map[int]int{}}}, watcher: watch.New(nil),
				report: Report{Exits: map[int]int{}, KillsAtWork: 1, Inserted: 1, Edited: 1, Rolling: &rollingFigures{
					Versions: "from this tree to ones with further migrations, 129 and 130", Replaced: 6, Mixed: true, MigrateKills: 2, Refused: 2,
				}},
			},
			built:   releases{contracting: "contracting.test"},
			analyst: &analyst{asked: 100, longest: 59 * time.Second},
		}
		spoil(r)
		if r.judge(); (name == "") != (len(r.report.Violations) == 0) || len(r.report.Violations) > 1 {
			t.Errorf("%q: %q", name, r.report.Violations)
		}
	}
	for _, args := range [][]string{{"-previous", "v1"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
	if c, err := parse([]string{"-rolling", "-previous", "v1"}); err != nil || !c.Rolling || c.Previous != "v1" {
		t.Errorf("%+v, %v", c, err)
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
	if got := lastLines("1\n2\n3\n4\n5\n6\n7\n8\n9\n"); got != "2\n3\n4\n5\n6\n7\n8\n9" {
		t.Errorf("the last lines: %q", got)
	}
}

func TestReports(t *testing.T) {
	t.Parallel()
	r := Report{Seed: 3, Kills: 4, Actions: map[string]int{"kill -9": 4}, Skipped: []string{"disk full: not permitted"}, Exits: map[int]int{0: 1}}
	r.ReceiverKills = 7
	r.Callbacks.Sent = 12
	r.brokenf("invariant %d", 8)
	var text strings.Builder
	if err := r.print(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"seed 3: 4 kills", "kill -9                        4", "NOT PLAYED: disk full", "callbacks: 12 sent, ", "7 receivers killed",
		"VIOLATION: invariant 8\n1 violations\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, &text)
		}
	}
	raw, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(raw), `"violations":["invariant 8"]`) {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestAKillAfterAnInsert: it happens at the server's answer to the statement that stores a
// callback, and only where it is wanted.
func TestAKillAfterAnInsert(t *testing.T) {
	t.Parallel()
	killed, alive := 0, false
	c := cut{kill: func() bool { killed++; return alive }}
	c.tap(1, true, []byte{0, 0, 0, 8, 0, 3, 0, 0}) // the start of a connection
	asks := func(what, sql string, passes bool, want int) {
		t.Helper()
		c.tap(1, true, append(append([]byte{'Q', 0, 0, 0, byte(len(sql) + 5)}, sql...), 0))
		other, own := c.tap(2, false, []byte("other")), c.tap(1, false, []byte("done"))
		if other != len("other") || (own == len("done")) != passes || killed != want {
			t.Errorf("%s: %d bytes of the answer passed, and %d of another one; killed %d times, want %d", what, own, other, killed, want)
		}
	}
	const store = "SELECT notifications.take_callback($1)"
	asks("none is wanted", store, true, 0)
	done := make(chan struct{})
	c.killed = done
	asks("another statement", "SELECT 1", true, 0)
	asks("the process had ended by itself", store, false, 1)
	alive = true
	asks("wanted", store, false, 2)
	<-done
	asks("done", store, true, 2)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if c.wait(over) {
		t.Error("a kill that did not happen is reported")
	}
	asks("no longer wanted", store, true, 2)
}
