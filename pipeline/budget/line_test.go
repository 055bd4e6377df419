package budget_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sluice/pipeline"
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
				if n == 7 && !errors.Is(err, context.DeadlineExceeded) || n < 7 && err != nil {
					t.Errorf("enter %d: %v", n, err)
				}
			})
		}
		all.Wait()
		// Seven grants and one refusal.
		if ledger.top != 1 || len(ledger.asks) != 8 {
			t.Errorf("%d questions, %d of them at once; want 8, one at a time", len(ledger.asks), ledger.top)
		}
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
		if _, over := ledger.finished[1]; !over || len(ledger.finished) != 1 {
			t.Errorf("finished %v, want the first grant", ledger.finished)
		}
	})
}
