package sync_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/schema"
)

// largePages is a list whose answers have turns, one at a time. A page that was requested early
// gets its turn only when it is in front.
type largePages struct {
	answer

	turn         chan struct{}
	mu           sync.Mutex
	taken, ended int
}

// Page implements sync.Source.
func (l *largePages) Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
	if front := pipeline.Front(ctx); front != nil {
		select {
		case <-front:
		case <-ctx.Done():
			return pipeline.Page{}, ctx.Err()
		}
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return pipeline.Page{}, ctx.Err()
	}
	l.count(&l.taken)
	page, err := l.answer(request)
	page.Turn = pipeline.NewTurn(func() {
		l.count(&l.ended)
		<-l.turn
	})
	return page, err
}

func (l *largePages) count(of *int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	*of++
}

// TestEveryTurnEnds: whatever happens to a large answer, the next one arrives. When the chunk is
// over, no turn is held.
func TestEveryTurnEnds(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		pages int
		// spoil, if not nil, makes reading or loading fail after the third page, the first time.
		spoil func(r *fixture, cancel context.CancelFunc)
		fails bool
	}{
		"all is loaded":          {8, nil, false},
		"the run is to end":      {8, func(_ *fixture, cancel context.CancelFunc) { cancel() }, true},
		"a load fails":           {8, func(r *fixture, _ context.CancelFunc) { r.memory.failNext() }, false},
		"one page and no others": {1, nil, false},
	} {
		for _, ahead := range []int{0, 4} {
			t.Run(fmt.Sprint(name, ", ahead ", ahead), func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				r := newRigOf(newWorld(0), resource(schema.FullScan{}))
				r.runner.Rules.PerPage, r.runner.Rules.ChunkPages, r.runner.Rules.Prefetch = 3, 12, ahead
				var once sync.Once
				source := &largePages{turn: make(chan struct{}, 1)}
				source.answer = func(request pipeline.Request) (pipeline.Page, error) {
					if request.Page == 3 && tc.spoil != nil {
						once.Do(func() { tc.spoil(r, cancel) })
					}
					page := pipeline.Page{Call: int64(request.Page), Date: r.world.now, More: request.Page < tc.pages, PerPage: request.PerPage}
					if request.Page <= tc.pages {
						page.Records = things(10*request.Page, request.PerPage)
					}
					return page, nil
				}
				r.runner.Source = source
				if err := r.run(ctx); (err != nil) != tc.fails {
					t.Errorf("the run ended with %v", err)
				}
				if source.taken == 0 || source.taken != source.ended || len(source.turn) != 0 {
					t.Errorf("%d turns, %d ended", source.taken, source.ended)
				}
			})
		}
	}
}

// failNext makes the next load fail.
func (m *memory) failNext() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failAfter = 1
}
