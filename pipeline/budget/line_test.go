package budget_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/budget"
)

// slow is a ledger whose first decisions take the given times and all others a millisecond. It
// counts the questions under way at once.
type slow struct {
	*script

	mu          sync.Mutex
	takes       []time.Duration
	asking, top int
}

// Reserve implements budget.Ledger.
func (s *slow) Reserve(ctx context.Context, call pipeline.Call, limits pipeline.Limits) (pipeline.Decision, error) {
	s.mu.Lock()
	s.asking++
	s.top = max(s.top, s.asking)
	takes := time.Millisecond
	if len(s.takes) > 0 {
		takes, s.takes = s.takes[0], s.takes[1:]
	}
	s.mu.Unlock()
	<-time.After(takes) // virtual
	s.mu.Lock()
	s.asking--
	s.mu.Unlock()
	return s.script.Reserve(ctx, call, limits)
}

// TestOneCallOfALaneAsksAtATime: a refusal of one call applies to all of the lane, so the others do
// not ask. A call that stops waiting leaves the line.
func TestOneCallOfALaneAsksAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		refused := pipeline.Decision{Refused: pipeline.RefusedMinute, Wait: 30 * time.Second}
		ledger := &slow{script: &script{decisions: []pipeline.Decision{refused}}}
		gate := newGate(t, ledger, fixture)
		impatient, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		var all sync.WaitGroup
		for n := range 8 {
			all.Go(func() {
				ctx := t.Context()
				if n == 7 {
					<-time.After(time.Second) // virtual: behind the one that asks
					ctx = impatient
				}
				_, err := gate.Enter(ctx, bills)
				errorIf(t, n == 7 && !errors.Is(err, context.DeadlineExceeded) || n < 7 && err != nil, "enter %d: %v", n, err)
			})
		}
		all.Wait()
		// Seven grants and one refusal.
		errorIf(t, ledger.top != 1 || len(ledger.asks) != 8,
			"%d questions, %d of them at once; want 8, one at a time", len(ledger.asks), ledger.top)
	})
}

// TestWhoWaitsInLineTooLongIsRefusedAsTheFirstWas: the time in the queue counts as waiting. Both
// calls get the refusal of the first.
func TestWhoWaitsInLineTooLongIsRefusedAsTheFirstWas(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		refused := pipeline.Decision{Refused: pipeline.RefusedMinute, Wait: 50 * time.Second}
		gate := newGate(t, &script{decisions: []pipeline.Decision{refused, refused, refused, refused}}, fixture)
		began := time.Now()
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				_, err := gate.Enter(t.Context(), bills)
				if waited := time.Since(began); pipeline.KindOf(err) != pipeline.Throttled || waited > 75*time.Second {
					t.Errorf("enter = %v after %s, want throttled within 75 s", err, waited)
				}
			})
		}
		both.Wait()
	})
}

// TestAStaleGrantIsGivenUp: a process that was suspended while it asked gets a grant whose slot may
// be free again. The call is recorded as over, and the process asks for another one (invariant 3).
func TestAStaleGrantIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ledger := &slow{script: &script{}, takes: []time.Duration{21 * time.Second}}
		number, err := newGate(t, ledger, fixture).Enter(t.Context(), bills)
		if err != nil || number != 2 {
			t.Fatalf("enter = %d, %v; want the second grant", number, err)
		}
		_, over := ledger.finished[1]
		errorIf(t, !over || len(ledger.finished) != 1, "finished %v, want the first grant", ledger.finished)
	})
}

// TestASpentDayIsAskedAboutAtEachTurn: after code 45 the service pauses until the next instant at
// which a new day may begin. If the day is still spent then, it pauses until the instant after
// that. The instants are computed by hand, with a minute added to each.
func TestASpentDayIsAskedAboutAtEachTurn(t *testing.T) {
	t.Parallel()
	zone := func(name string) *time.Location {
		location, err := time.LoadLocation(name)
		must(t, err)
		return location
	}
	for name, test := range map[string]struct {
		zone   string
		limits pipeline.Limits
		now    string
		turns  []string
	}{
		// Midnight in India is 18:30 UTC.
		"midnight there, then in UTC": {"Asia/Kolkata", pipeline.Limits{}, "2026-03-03T12:00:00Z",
			[]string{"2026-03-03T18:31:00Z", "2026-03-04T00:01:00Z", "2026-03-04T18:31:00Z"}},
		"UTC":                {"UTC", pipeline.Limits{}, "2026-03-03T12:00:00Z", []string{"2026-03-04T00:01:00Z", "2026-03-05T00:01:00Z"}},
		"a moment before it": {"UTC", pipeline.Limits{}, "2026-03-03T23:59:59Z", []string{"2026-03-04T00:01:00Z"}},
		"as configured": {"Asia/Kolkata", pipeline.Limits{ResetZone: "Europe/Rome", ResetHour: 6}, "2026-03-03T05:00:00Z",
			[]string{"2026-03-04T05:01:00Z", "2026-03-05T05:01:00Z"}},
		// In the night of 29 March the clocks in Rome go forward by an hour.
		"on the day of summer time": {"UTC", pipeline.Limits{ResetZone: "Europe/Rome", ResetHour: 6}, "2026-03-28T12:00:00Z",
			[]string{"2026-03-29T04:01:00Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now, err := time.Parse(time.RFC3339, test.now)
			must(t, err)
			ledger := &script{}
			gate, err := budget.New(budget.Options{Ledger: ledger, Now: func() time.Time { return now }})
			must(t, err)
			for i, want := range test.turns {
				if err := gate.Leave(t.Context(), limited(bills, test.limits, zone(test.zone)), int64(i), pipeline.CallResult{Kind: pipeline.Exhausted, Code: "45"}); err != nil {
					t.Fatal(err)
				}
				now = now.Add(ledger.penalties[i].d)
				got := now.UTC().Format(time.RFC3339)
				errorIf(t, got != want, "turn %d: asked again at %s, want %s", i, got, want)
			}
		})
	}
}
