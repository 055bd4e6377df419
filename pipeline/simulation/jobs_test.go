package simulation_test

import (
	"time"

	"sluice/pipeline"
)

// take returns the stream of the next job for a worker; nil if there is none.
func (w *world) take() *stream {
	for i := range w.streams {
		of := w.streams[(i+int(w.calls))%len(w.streams)]
		if of.ready() {
			of.due, of.held = false, true
			of.attempt++
			return of
		}
	}
	return nil
}

func (of *stream) ready() bool { return of.due && !of.held && !of.upstream.now.Before(of.until) }

// fate decides about a job whose chunk failed, by the kind of the failure. The job is snoozed with
// its run open, it ends until a request, it is tried again, or its run is closed as failed.
func (w *world) fate(of *stream, err error) {
	switch pipeline.KindOf(err) {
	case pipeline.Exhausted:
		of.due, of.until = true, of.upstream.now.Add(time.Hour)
		w.store.seen["waited for the day"]++
	case pipeline.Denied:
		of.run, of.position.Scan = 0, nil
		w.store.seen["denied"]++
		w.closed(of, pipeline.StateDenied)
	default:
		of.due = true
		if w.chance("fate", w.commits)%3 == 0 {
			of.run, of.position.Scan = 0, nil
			w.store.seen["run given up"]++
			w.closed(of, pipeline.StateFailed)
		}
	}
}

// closed notes that the run of a stream was closed because of an error.
func (w *world) closed(of *stream, state pipeline.State) {
	if w.hints != nil {
		w.store.failed(of, state)
	}
}

func (w *world) request(of *stream) {
	if of.held {
		of.wanted = true
		return
	}
	of.due = true
}

// steps lets one worker go on for a few points: one that works a job or, if there is none, one that
// can take a job.
func (w *world) steps(n uint32) {
	for j := range w.workers {
		k := w.workers[(int(n)+j)%len(w.workers)]
		if k.holds != nil && !k.suspended {
			for range 1 + n/16%4 {
				k.step()
			}
			return
		}
	}
	for j := range w.workers {
		if k := w.workers[(int(n)+j)%len(w.workers)]; !k.suspended && w.ready() {
			for range 1 + n/16%4 {
				k.step()
			}
			return
		}
	}
}

// round lets up to three hours pass, as between scans of a whole list. Then it requests all streams
// and lets the workers go on for a while.
func (w *world) round(n uint32) {
	up := w.streams[0].upstream
	up.now = up.now.Add(time.Duration(n%180) * time.Minute)
	for _, of := range w.streams {
		if of.Work != pipeline.WorkHinted { // the tick requests it
			w.request(of)
		}
	}
	for i := range 20 + n/180%20 {
		w.steps(n + 17*i)
	}
}

func (w *world) ready() bool {
	for _, of := range w.streams {
		if of.ready() {
			return true
		}
	}
	return false
}

func (k *worker) step() {
	if !k.dead {
		k.next()
	}
}

// crash kills a worker at its present point; its job becomes available to the next one.
func (w *world) crash(i int) {
	k := w.workers[i]
	k.stop()
	w.release(k)
	w.store.seen["crash"]++
	w.workers[i] = w.newWorker()
}

// rescue makes a worker's job available to another one although the worker is alive: it was
// suspended, or its network failed.
func (w *world) rescue(i int) {
	w.release(w.workers[i])
	w.store.seen["rescued"]++
}

func (*world) release(k *worker) {
	if of := k.holds; of != nil && of.held {
		of.held, of.due = false, true
		of.attempt++
	}
	k.holds = nil
}

// suspend suspends a worker, or resumes all of them.
func (w *world) suspend(n uint32) {
	if n%3 == 0 {
		for _, k := range w.workers {
			k.suspended = false
		}
		return
	}
	w.workers[int(n)%len(w.workers)].suspended = true
	w.store.seen["suspended"]++
}

// mostRuns is how many more runs may be needed until nothing is pending.
const mostRuns = 8

// heal ends all faults and lets the streams finish. Each stream has three more runs, the last of
// them a day later. By then paused single records are read again, and the scans that missed rows
// are far enough apart.
func (w *world) heal() {
	w.healed = true
	up := w.streams[0].upstream
	for _, k := range w.workers {
		k.suspended = false
	}
	for _, of := range w.streams {
		of.until = time.Time{}
	}
	w.settleDown()
	for n, pause := range []time.Duration{3 * lag, 4 * time.Hour, 25 * time.Hour} {
		up.now = up.now.Add(pause)
		began := w.store.clock(w.streams[0])
		w.catchUp()
		if n == 0 {
			w.equalByOneRun(began)
		}
	}
	// More runs may be needed: the brake stops other rows together with those under review, and a
	// run reads only a part of the backlog, which later rows join.
	for range mostRuns {
		open := w.unmended()
		if w.unburied() == "" && open == 0 && len(w.store.pending(w.streams[len(w.streams)-1])) == 0 {
			break
		}
		up.now = up.now.Add(max(4*time.Hour, open)) // an entry is read again once it is twice as old
		w.catchUp()
	}
	w.nothingWaits()
	for _, k := range w.workers {
		k.stop()
	}
}

// catchUp runs each stream once.
func (w *world) catchUp() {
	for _, of := range w.streams {
		if of.Work != pipeline.WorkHinted { // the tick requests it
			w.request(of)
		}
		w.drain()
	}
}

// drain lets the workers go on until nothing is due (within a bound).
func (w *world) drain() {
	const enough = 20_000
	for range enough {
		busy := false
		for _, k := range w.workers {
			if k.holds != nil || w.ready() {
				k.step()
				busy = true
			}
		}
		if !busy || w.store.violation != nil {
			return
		}
	}
	w.store.brokenf("what is due is not done after %d steps without trouble", enough)
}
