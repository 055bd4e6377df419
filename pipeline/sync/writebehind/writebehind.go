// Package writebehind loads batches while the pages behind them are read, and takes all that wait
// into one transaction.
//
// Where calls are slow, no transaction is under way when a batch comes, and it is loaded at once:
// rows are fresh. Where calls are fast, batches come while a transaction is under way, and what has
// come by its end is the next one: fewer commits. Start reading at Batches.Add.
package writebehind

import (
	"context"
	"sync"

	"sluice/pipeline"
)

// mostBytes bounds what is not loaded, in bytes of raw records: what is made of them is several
// times as large.
const mostBytes = 4 << 20

// Store is where batches go: in one transaction, in their order.
type Store interface {
	Load(ctx context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error)
}

// Batches are those of one stream that are not loaded yet. It is used by one goroutine, which has
// to call Wait in the end.
type Batches struct {
	store Store

	mu sync.Mutex
	// waiting are behind the transaction under way; open counts both, and bytes are those of both.
	waiting     []pipeline.Batch
	open, bytes int
	// working says that a transaction is under way.
	working bool
	// failed is the end of the first transaction that failed: nothing is loaded behind it.
	failed failure
	// changed is closed when a transaction ends.
	changed chan struct{}
}

// failure is an error of the store, or what it panicked with.
type failure struct {
	err      error
	panicked any
}

func (f failure) is() bool { return f.err != nil || f.panicked != nil }

// New has no batches.
func New(store Store) *Batches { return &Batches{store: store, changed: make(chan struct{})} }

// Add gives a batch to load, and returns as soon as at most as many as most are not loaded: at
// once, as a rule, or when the batch is loaded itself if most is zero. An error is that of the
// transaction of this batch or of one that was added before; nothing is loaded behind it.
func (u *Batches) Add(ctx context.Context, batch pipeline.Batch, most int) error {
	if most <= 0 && u.idle() {
		_, err := u.store.Load(ctx, batch)
		batch.Turn.End()
		return err
	}
	u.mu.Lock()
	u.waiting = append(u.waiting, batch)
	u.open++
	u.bytes += size(batch)
	if !u.working && !u.failed.is() {
		u.working = true
		go u.work(ctx, u.take())
	}
	u.mu.Unlock()
	return u.until(func() bool { return u.open <= most && u.bytes <= mostBytes })
}

// Flush returns when all are loaded, or one could not be.
func (u *Batches) Flush() error { return u.until(func() bool { return u.open == 0 }) }

// Wait drops what waits, and returns when no transaction is under way.
func (u *Batches) Wait() {
	u.mu.Lock()
	u.open -= len(u.take())
	u.mu.Unlock()
	_ = u.until(func() bool { return !u.working }) // the caller that added the batch was told, or gave up
}

// Room gives how many of so many pages may be under way: with what is not loaded no more than that,
// and none behind a failure.
func (u *Batches) Room(most int) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.failed.is() {
		return 0
	}
	return max(most-u.open, 0)
}

func (u *Batches) idle() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.open == 0
}

// Changed gives a channel that is closed when a transaction ends.
func (u *Batches) Changed() <-chan struct{} {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.changed
}

// until waits until what holds, or a transaction has failed and none is under way.
func (u *Batches) until(holds func() bool) error {
	for {
		u.mu.Lock()
		failed, enough, changed := u.failed, holds(), u.changed
		u.mu.Unlock()
		switch {
		case failed.panicked != nil:
			panic(failed.panicked)
		case failed.is() || enough:
			return failed.err
		}
		<-changed
	}
}

// work loads batches, and then whatever waits by then, until nothing does.
func (u *Batches) work(ctx context.Context, batches []pipeline.Batch) {
	for len(batches) > 0 {
		var (
			end    failure
			loaded []*pipeline.Turn
		)
		u.load(ctx, batches, &end)
		u.mu.Lock()
		u.failed = end
		u.open -= len(batches)
		for i := range batches {
			u.bytes -= size(batches[i])
			loaded = append(loaded, batches[i].Turn)
		}
		batches = nil
		if !end.is() {
			batches = u.take()
		}
		u.working = len(batches) > 0
		close(u.changed)
		u.changed = make(chan struct{})
		u.mu.Unlock()
		for _, turn := range loaded {
			turn.End() // only now is nothing of it held any more
		}
	}
}

// take gives what waits.
func (u *Batches) take() []pipeline.Batch {
	batches := u.waiting
	u.waiting = nil
	return batches
}

func (u *Batches) load(ctx context.Context, batches []pipeline.Batch, end *failure) {
	defer func() { end.panicked = recover() }() // it must not end the process, but the chunk
	_, end.err = u.store.Load(ctx, batches...)
}

// size is what a batch takes while it waits, in bytes of raw records.
func size(batch pipeline.Batch) int {
	n := 0
	for i := range batch.Records {
		n += len(batch.Records[i].Raw)
	}
	return n
}
