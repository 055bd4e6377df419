package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/planning"
	"sluice/sandbox"
)

// TestRehearsalAgrees: what the rehearsal of the present configuration says of the calls a day
// agrees with what hourly syncs of a sandbox took, within 15 %, where each changed bill needs its
// single record and where none does.
func TestRehearsalAgrees(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string]bool{"headers": true, "whole records": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFixture(t, sandbox.Options{Seed: 75, Records: 80, HeadersOnly: headers, Limits: sandbox.Limits{Off: true}}).narrow()
			measured := s.hoursOfBills()
			if (measured["inventory.bills.details"] > 0) != headers {
				t.Fatalf("%v calls a day were made", measured)
			}
			rehearsed := make(map[string]float64)
			same := s.rehearse(codeFine, "--with", s.config, "--refuse-worse")
			for i := range same.Streams {
				c := &same.Streams[i]
				rehearsed[c.Service+"."+c.Resource] = c.After.CallsPerDay
				if c.Fresh != planning.Same || c.Calls != planning.Same {
					t.Errorf("the same configuration differs: %+v", c)
				}
			}
			for _, stream := range []string{"inventory.bills", "inventory.bills.details"} {
				t.Logf("%s: measured %.1f calls a day, rehearsed %.1f", stream, measured[stream], rehearsed[stream])
				if math.Abs(rehearsed[stream]-measured[stream]) > 0.15*measured[stream] {
					t.Errorf("the rehearsal says %.1f calls a day of %s, %.1f were made", rehearsed[stream], stream, measured[stream])
				}
			}
		})
	}
}

// hoursOfBills syncs bills hourly, with five edits before each sync, and returns the calls a day of
// lists and details.
func (s *fixture) hoursOfBills() map[string]float64 {
	s.t.Helper()
	s.configured("  inventory.bills: {every: 1h}\n")
	s.sync(codeFine, "inventory.bills")
	const rounds = 6
	before := one[int64](s, `SELECT coalesce(max(id), 0) FROM sluice.calls`)
	for round := range int64(rounds) {
		s.edit(round+1, "inventory.bills", 5)
		s.pass(time.Hour)
		s.exec(`UPDATE sluice.runs SET started_at = started_at - interval '1 hour', ended_at = ended_at - interval '1 hour', watermark_before = watermark_before - interval '1 hour'`)
		s.sync(codeFine, "inventory.bills")
	}
	measured := make(map[string]float64)
	for stream, class := range map[string]string{"inventory.bills": "incremental", "inventory.bills.details": "details"} {
		measured[stream] = 24 / rounds * float64(one[int64](s, `SELECT count(*) FROM sluice.calls WHERE id > $1 AND service = 'inventory'
			AND resource LIKE 'bills%' AND class = $2`, before, class))
	}
	if measured["inventory.bills"] < 24 {
		s.t.Fatalf("only %v calls a day were made", measured)
	}
	return measured
}

// comparedStreams are what the tests read of a comparison.
type comparedStreams struct {
	Streams []struct {
		Service  string `json:"service"`
		Resource string `json:"resource"`
		After    struct {
			CallsPerDay float64 `json:"calls_per_day"`
		} `json:"after"`
		Fresh planning.Verdict `json:"fresh"`
		Calls planning.Verdict `json:"calls"`
	} `json:"streams"`
	Worse []string `json:"worse"`
}

func (s *fixture) rehearse(code int, args ...string) comparedStreams {
	s.t.Helper()
	o := s.run(append([]string{"plan", "--json"}, args...)...)
	var c comparedStreams
	if err := json.Unmarshal([]byte(o.stdout), &c); err != nil || o.code != code {
		s.t.Fatalf("plan %q ended with %d (%v)\n%s\n%s", args, o.code, err, o.stdout, o.stderr)
	}
	return c
}

// TestRehearsalOfAnother: another configuration is refused if it is worse, its mistakes are all
// named, and nothing is registered.
func TestRehearsalOfAnother(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 75, Records: 80, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	s.hoursOfBills()
	settings := one[string](s, `SELECT string_agg(concat_ws(' ', service, resource, every, ceiling, enabled), ',' ORDER BY service, resource) FROM sluice.streams`)

	text, err := os.ReadFile(s.config)
	must(t, err)
	other := func(old, changed string) string {
		if !strings.Contains(string(text), old) {
			t.Fatalf("the configuration lacks %q", old)
		}
		path := filepath.Join(t.TempDir(), "other.yaml")
		must(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, changed, 1)), 0o600))
		return path
	}
	slow := s.rehearse(codeFailed, "--with", other("inventory.bills: {every: 1h}", "inventory.bills: {every: 6h}"), "--refuse-worse", "--days", "2")
	if len(slow.Worse) != 2 || !strings.Contains(slow.Worse[0], "inventory.bills: a change is up to ") || !strings.Contains(slow.Worse[1], "inventory.bills.details: a change") {
		t.Errorf("a longer interval: worse is %q", slow.Worse)
	}
	wrong := other("inventory.bills: {every: 1h}", "inventory.bills: {every: soon}\n  inventory.nothing: {every: 1h}")
	if o := s.run("plan", "--with", wrong); o.code != codeUsage || !strings.Contains(o.stderr, "inventory.bills") || !strings.Contains(o.stderr, "inventory.nothing") {
		t.Errorf("mistakes: %d\n%s", o.code, o.stderr)
	}
	for _, args := range [][]string{{"--refuse-worse"}, {"--with", s.config, "--days", "0"}, {"--with", s.config, "bills"}, {"--with", s.config, "--freshness", "1h"}, {"--with", "none.yaml"}} {
		if o := s.run(append([]string{"plan"}, args...)...); o.code != codeUsage {
			t.Errorf("plan %q ended with %d\n%s", args, o.code, o.stderr)
		}
	}
	if o := s.run("plan", "--with", s.config); o.code != codeFine || !strings.Contains(o.stdout, "LATE ABOVE") || !strings.Contains(o.stdout, "Nothing is worse") {
		t.Errorf("plan for people: %d\n%s\n%s", o.code, o.stdout, o.stderr)
	}
	if now := one[string](s, `SELECT string_agg(concat_ws(' ', service, resource, every, ceiling, enabled), ',' ORDER BY service, resource) FROM sluice.streams`); now != settings {
		t.Errorf("the rehearsal changed streams to\n%s, they were\n%s", now, settings)
	}
}
