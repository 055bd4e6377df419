// Package writebehind loads batches while the pages behind them are read, and puts all waiting
// batches into one transaction.
//
// Where calls are slow, no transaction is under way when a batch arrives, and the batch is loaded
// at once: rows are fresh. Where calls are fast, batches arrive while a transaction is under way,
// and the next transaction takes all of them: fewer commits. Start reading at Batches.Add.
package writebehind

import (
	"context"
	"sync"

	"sluice/pipeline"
)

// mostBytes bounds the batches that are not loaded, in bytes of raw records: the rows made of them
// are several times as large.
const mostBytes = 4 << 20

// Store loads batches in one transaction, in their order.
type Store interface {
	Load(ctx context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error)
}

// Batches are the batches of one stream that are not loaded yet. One goroutine uses it, and has to
// call Wait in the end.
type Batches struct {
	store Store

	mu sync.Mutex
	// waiting are the batches behind the transaction under way. open counts these and those in the
	// transaction; bytes is the size of both.
	waiting     []pipeline.Batch
	open, bytes int
	// working says that a transaction is under way.
	working bool
	// failed is the end of the first transaction that failed: no batch is loaded after it.
	failed failure
	// changed is closed when a transaction ends.
	changed chan struct{}
}

// failure is an error of the store, or the value that it panicked with.
type failure struct {
	err      error
	panicked any
}

func (f failure) is() bool { return f.err != nil || f.panicked != nil }

// New gives Batches without a batch.
func New(store Store) *Batches { return &Batches{store: store, changed: make(chan struct{})} }

// Add hands over a batch to load, and returns as soon as no more than most batches are not loaded.
// As a rule that is at once; if most is zero, it is when the batch itself is loaded. An error is
// that of the transaction of this batch or of an earlier batch; no batch is loaded after it.
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

// Flush returns when all batches are loaded, or one failed; it returns that error.
func (u *Batches) Flush() error { return u.until(func() bool { return u.open == 0 }) }

// Wait drops the waiting batches, and returns when no transaction is under way.
func (u *Batches) Wait() {
	u.mu.Lock()
	u.open -= len(u.take())
	u.mu.Unlock()
	_ = u.until(func() bool { return !u.working }) // Add or Flush returned the error, or the caller gave up
}

// Room gives how many pages may be under way: most less the batches that are not loaded, and none
// after a failure.
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

// until waits until holds is true, or a transaction has failed. It panics with what a transaction
// panicked with.
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

// work loads batches, and then all that wait by then, until none waits.
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
			turn.End() // only now the batch's memory is free
		}
	}
}

// take gives the waiting batches.
func (u *Batches) take() []pipeline.Batch {
	batches := u.waiting
	u.waiting = nil
	return batches
}

func (u *Batches) load(ctx context.Context, batches []pipeline.Batch, end *failure) {
	defer func() { end.panicked = recover() }() // a panic ends the chunk, not the process
	_, end.err = u.store.Load(ctx, batches...)
}

// size is how much a waiting batch counts, in bytes of raw records.
func size(batch pipeline.Batch) int {
	n := 0
	for i := range batch.Records {
		n += len(batch.Records[i].Raw)
	}
	return n
}
