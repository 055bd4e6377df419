package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/engine"
	"sluice/pipeline/engine/metrics"
	"sluice/pipeline/warehouse/streams"
	"sluice/sandbox"
)

func TestRemark(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	old := now.Add(-48 * time.Hour)
	for want, stream := range map[string]streams.Status{
		"":                  {},
		"no right":          {Reason: "no right", Note: "an older note"},
		"20 of 64 parents":  {Parents: &streams.ParentRound{Parents: 64, Read: 20}},
		"1 of 1 parent":     {Parents: &streams.ParentRound{Parents: 1, Read: 1}},
		"details: 3 failed": {Details: &streams.DetailBacklog{Failed: 3}},
		"64 of 64 parents, oldest 2 d, 1 failed; 44 are next":        {Parents: &streams.ParentRound{Parents: 64, Read: 64, Failed: 1, Oldest: &old}, Note: "44 are next"},
		"details: 1,200 pending, 3 stale; 30 of 1,203 are done next": {Details: &streams.DetailBacklog{Pending: 1200, Stale: 3}, Note: "30 of 1,203 are done next"},
	} {
		same(t, "the remark", want, remark(&stream, "", now))
	}
	same(t, "the remark", "ALARM: much; a note", remark(&streams.Status{Note: "a note"}, "ALARM: much", now))
}

func TestSyncCode(t *testing.T) {
	t.Parallel()
	done := streamResult{Outcome: "done", Calls: 3, Received: 100}
	idle := streamResult{Outcome: "done"} // details with nothing to fetch
	spoilt := streamResult{Outcome: "done", Calls: 1, Received: 100, Quarantined: 6}
	away := streamResult{Outcome: "failed", Kind: "unavailable", Calls: 3}
	denied := streamResult{Outcome: "failed", Kind: "denied"}
	waiting := streamResult{Outcome: "waiting", Calls: 2}
	for name, test := range map[string]struct {
		streams []streamResult
		want    int
	}{
		"fine":                        {[]streamResult{done, idle}, codeFine},
		"one is away":                 {[]streamResult{done, away}, codeFailed},
		"all are away":                {[]streamResult{away, away}, codeEnvironment},
		"all that called are away":    {[]streamResult{away, idle}, codeEnvironment},
		"one is denied":               {[]streamResult{done, denied}, codeFailed},
		"one is denied, one is away":  {[]streamResult{denied, away}, codeFailed},
		"too many in quarantine":      {[]streamResult{done, spoilt}, codeFailed},
		"the day is spent":            {[]streamResult{done, waiting}, codeBudget},
		"the day is spent, one fails": {[]streamResult{waiting, denied}, codeFailed},
		"deletions need review":       {[]streamResult{done, {Outcome: "done", Calls: 1, NeedsReview: 30}}, codeFailed},
		"one is away after answers":   {[]streamResult{waiting, away}, codeFailed},
	} {
		same(t, name+": exit code", test.want, (&syncResult{Streams: test.streams}).code(0.05))
	}
}

// TestStatusTellsOfTokensThatDieYoung: status warns from the third in a row on, because one may
// have been revoked by hand.
func TestStatusTellsOfTokensThatDieYoung(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10})
	for young, alarm := range map[int]bool{2: false, 3: true} {
		s.exec(`INSERT INTO sluice.tokens (credential, died_young) VALUES ('c', $1) ON CONFLICT (credential) DO UPDATE SET died_young = $1`, young)
		if o := s.run("status"); o.code != codeFine || strings.Contains(o.stdout, "another program may use the same refresh token") != alarm {
			t.Errorf("%d tokens died young, alarm wanted: %t\n%s", young, alarm, o.stdout)
		}
	}
	s.exec(`UPDATE sluice.tokens SET fell_back = true`)
	s.prints(codeFine, "(1 credential): the configured one is in use", "status") // upstream refuses the refresh token that it sent
}

// TestWhatASyncWaitsFor: a sync waits for streams that go on within five minutes, and no longer.
func TestWhatASyncWaitsFor(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	w := &watch{now: func() time.Time { return now }}
	at := func(d time.Duration) *time.Time { return new(now.Add(d)) }
	for name, test := range map[string]struct {
		stream streams.Standing
		leaves bool
	}{
		"the day":              {streams.Standing{State: "waiting", Until: at(time.Hour)}, true},
		"a minute's refusal":   {streams.Standing{State: "retrying", Until: at(time.Minute)}, false},
		"just within":          {streams.Standing{State: "retrying", Until: at(5 * time.Minute)}, false},
		"an hour":              {streams.Standing{State: "retrying", Until: at(time.Hour)}, true},
		"a retry by the queue": {streams.Standing{State: "retrying"}, false},
		"running":              {streams.Standing{State: "running", Until: at(time.Hour)}, false},
		"queued":               {streams.Standing{State: "queued", Until: at(time.Hour)}, false},
	} {
		same(t, name+": a sync leaves it to the next one", test.leaves, w.waits(test.stream))
	}
}

func (s *fixture) opened() *engine.App {
	s.t.Helper()
	app := sure(engine.Open(s.t.Context(), (&cli{env: s.env(&buffer{}, s.t.Output()), config: s.config}).options()))(s.t)
	s.t.Cleanup(func() { must(s.t, app.Close(context.WithoutCancel(s.t.Context()))) })
	return app
}

func metricsOf(t *testing.T, app *engine.App) string {
	t.Helper()
	registry := metrics.Registry(app.Metrics(build(), nil))
	answer := httptest.NewRecorder()
	statusPages(app.DB.Pool().Ping, registry).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	fatalIf(t, answer.Code != http.StatusOK, "/metrics: %d %s", answer.Code, answer.Body)
	return answer.Body.String()
}

// TestMetricsWithoutDatabase: /metrics answers while the database does not, says so, and has what
// the process counted itself.
func TestMetricsWithoutDatabase(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 86, Records: 3}).narrow()
	app := s.opened()
	app.Calls.Called("inventory", 0, 3*time.Second)
	app.DB.Pool().Close()
	text := metricsOf(t, app)
	for _, want := range []string{
		`sluice_database_up 0`, `sluice_call_duration_seconds_sum{kind="ok",service="inventory"} 3`, `sluice_hint_to_row_seconds_count 0`,
		`sluice_build_info{go_version=`,
	} {
		errorIf(t, !strings.Contains(text, "\n"+want), "/metrics lacks %s", want)
	}
	errorIf(t, strings.Contains(text, "sluice_stream_state"), "/metrics shows streams that it could not read")
}

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
	fatalIf(t, o.code != codeFine, "serve ended with %d\n%s", o.code, o.stderr)

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
		received := one[int64](s, `SELECT received FROM sluice.runs WHERE organization_id || '/' || service || '.' || resource = $1
			ORDER BY id LIMIT 1`, name)
		errorIf(t, l.Received != received || l.Outcome != outcome || l.Level != level, "%+v of %s, which received %d", l, name, received)
	}
	errorIf(t, len(ended) < len(resources())-1, "%d streams are said to have ended, want all but credit notes", len(ended))
	errorIf(t, len(failed) != 1 || failed[0].Level != "error" || !strings.HasSuffix(failed[0].Stream, creditNotes) ||
		failed[0].Kind != "unavailable" || failed[0].Reason == "", "failed: %+v, want credit notes, and why", failed)
	if want := len(quick()); len(waited) != want || waited[0].Level != "warn" || waited[0].State != "retrying" {
		t.Errorf("waited: %+v, want %d times that credit notes are tried again", waited, want)
	}
	errorIf(t, len(alarms) == 0 || alarms[0].Level != "error" || !strings.HasSuffix(alarms[0].Stream, items) ||
		alarms[0].Look != "sluice quarantine list inventory.items", "alarms: %+v, want that of items", alarms)
}
