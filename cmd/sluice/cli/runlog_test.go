package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestServeTellsItsRuns: the log of a process that serves has the result of each run, and what
// needs a person. Here that is a list that does not answer, and a list with more in quarantine than
// the configuration allows.
func TestServeTellsItsRuns(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 62, Records: 600, Limits: sandbox.Limits{Off: true}}).narrow()
	s.configured("quarantine: {max_share: 0.01, max_open: 1}\n")
	must(t, s.world.SetFaults([]sandbox.Fault{
		{Path: "/inventory/v1/creditnotes", Kind: "unavailable"}, {Path: "/inventory/v1/items", Kind: "poison"},
	}))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan outcome, 1)
	go func() { served <- s.runContext(ctx, "serve", "--listen", "127.0.0.1:0") }()
	s.until("all runs have ended", `SELECT count(*) = 6 FROM sluice.runs WHERE ended_at IS NOT NULL AND resource NOT LIKE '%.%'`)
	if o := s.run("status"); !strings.Contains(o.stdout, "ALARM: ") || strings.Count(o.stdout, "ALARM: ") != 1 {
		t.Errorf("status raises another alarm than the one of items:\n%s", o.stdout)
	}
	stop()
	o := <-served
	if o.code != codeFine {
		t.Fatalf("serve ended with %d\n%s", o.code, o.stderr)
	}

	type line struct {
		Level    string `json:"level"`
		Message  string `json:"message"`
		Stream   string `json:"stream"`
		Outcome  string `json:"outcome"`
		State    string `json:"state"`
		Kind     string `json:"kind"`
		Reason   string `json:"reason"`
		Look     string `json:"look"`
		Received int64  `json:"received"`
	}
	ended := map[string]line{}
	var failed, waited, alarms []line
	for text := range strings.Lines(o.stderr) {
		var l line
		must(t, json.Unmarshal([]byte(text), &l))
		switch {
		case l.Message == "a run ended":
			ended[l.Stream] = l
		case l.Message == "a run failed":
			failed = append(failed, l)
		case l.Message == "a run waits":
			waited = append(waited, l)
		case strings.HasPrefix(l.Message, "ALARM: "):
			alarms = append(alarms, l)
		}
	}
	const items, creditNotes = "/inventory.items", "/inventory.credit_notes"
	for name, l := range ended {
		outcome, level := "done", "info"
		if strings.HasSuffix(name, items) { // too much of it was rejected
			outcome, level = "provisional", "warn"
		}
		if received := one[int64](s, `SELECT received FROM sluice.runs WHERE organization_id || '/' || service || '.' || resource = $1
			ORDER BY id LIMIT 1`, name); l.Received != received || l.Outcome != outcome || l.Level != level {
			t.Errorf("%+v of %s, which received %d", l, name, received)
		}
	}
	if len(ended) < len(resources())-1 {
		t.Errorf("%d streams are said to have ended, want all but credit notes", len(ended))
	}
	if len(failed) != 1 || failed[0].Level != "error" || !strings.HasSuffix(failed[0].Stream, creditNotes) ||
		failed[0].Kind != "unavailable" || failed[0].Reason == "" {
		t.Errorf("failed: %+v, want credit notes, and why", failed)
	}
	if want := len(quick()); len(waited) != want || waited[0].Level != "warn" || waited[0].State != "retrying" {
		t.Errorf("waited: %+v, want %d times that credit notes are tried again", waited, want)
	}
	if len(alarms) == 0 || alarms[0].Level != "error" || !strings.HasSuffix(alarms[0].Stream, items) ||
		alarms[0].Look != "sluice quarantine list inventory.items" {
		t.Errorf("alarms: %+v, want that of items", alarms)
	}
}
