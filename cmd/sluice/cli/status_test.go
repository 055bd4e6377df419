package cli

import (
	"strings"
	"testing"
	"time"

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
		if got := remark(&stream, "", now); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := remark(&streams.Status{Note: "a note"}, "ALARM: much", now); got != "ALARM: much; a note" {
		t.Errorf("got %q, want the alarm first", got)
	}
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
		if got := (&syncResult{Streams: test.streams}).code(0.05); got != test.want {
			t.Errorf("%s: exit code %d, want %d", name, got, test.want)
		}
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
	if o := s.run("status"); !strings.Contains(o.stdout, "(1 credential): the configured one is in use") {
		t.Errorf("status does not say that upstream refuses the refresh token that it sent:\n%s", o.stdout)
	}
}

// TestWhatASyncWaitsFor: a sync waits for streams that go on within five minutes, and no longer.
func TestWhatASyncWaitsFor(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	w := &watch{now: func() time.Time { return now }}
	at := func(d time.Duration) *time.Time { return new(now.Add(d)) }
	for name, test := range map[string]struct {
		stream streams.Status
		leaves bool
	}{
		"the day":              {streams.Status{State: "waiting", Until: at(time.Hour)}, true},
		"a minute's refusal":   {streams.Status{State: "retrying", Until: at(time.Minute)}, false},
		"just within":          {streams.Status{State: "retrying", Until: at(5 * time.Minute)}, false},
		"an hour":              {streams.Status{State: "retrying", Until: at(time.Hour)}, true},
		"a retry by the queue": {streams.Status{State: "retrying"}, false},
		"running":              {streams.Status{State: "running", Until: at(time.Hour)}, false},
		"queued":               {streams.Status{State: "queued", Until: at(time.Hour)}, false},
	} {
		if leaves := w.waits(test.stream); leaves != test.leaves {
			t.Errorf("%s: a sync leaves it to the next one: %t, want %t", name, leaves, test.leaves)
		}
	}
}
