package simulation_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	gosync "sync"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/sync"
	"sluice/schema"
	"sluice/schema/record"
)

var (
	errCrashed = errors.New("the process was killed")
	errLostJob = errors.New("the job was given to another worker")
)

// point is where a worker may pause for any time or be killed.
type point int

const (
	pointIdle point = iota
	pointTaken
	pointClaimed
	pointBeforeCall
	pointAfterCall
	pointBeforeCommit
	pointAfterCommit
	pointCount
)

func (p point) String() string {
	return [...]string{"idle", "job taken", "claimed", "before the call", "after the call", "before the commit", "after the commit"}[p]
}

// worker is one process that works one job at a time. It pauses at each point until its next step,
// and may be killed there.
type worker struct {
	world *world
	pause func(point) bool
	next  func() (point, bool)
	stop  func()
	dead  bool
	// suspended says that the worker gets no steps.
	suspended bool
	// holds is the stream whose job the worker works; another worker may have claimed it meanwhile.
	holds *stream
}

func (w *world) newWorker() *worker {
	k := &worker{world: w}
	k.next, k.stop = iter.Pull(func(yield func(point) bool) {
		k.pause = yield
		k.live()
	})
	return k
}

// live takes and works jobs until the worker is killed.
func (k *worker) live() {
	for {
		of := k.world.take()
		if of == nil {
			if k.at(pointIdle) != nil {
				return
			}
			continue
		}
		k.holds = of
		if k.at(pointTaken) != nil {
			return
		}
		k.work(of, of.attempt)
		if k.dead {
			return
		}
		k.holds = nil
	}
}

// at pauses the worker at a point. It returns errCrashed if the worker was killed there.
func (k *worker) at(p point) error {
	if k.dead || !k.pause(p) {
		k.dead = true
		return errCrashed
	}
	k.world.passedPoint(p)
	return nil
}

// work reads one chunk and settles the job as package jobs does.
func (k *worker) work(of *stream, attempt int) {
	world := k.world
	claim := world.store.claim(of, world.bound(of))
	if k.at(pointClaimed) != nil {
		return
	}
	more := false
	runner := &sync.Runner{
		Source: source{k, of}, Store: target{k, of}, Backlog: queue{world.store, of}, Ranks: ranks{of}, Rules: world.store.rules,
		Now:        func() time.Time { return of.upstream.now.Add(world.skew) },
		Normalizer: normalizer,
	}
	if of.Work == pipeline.WorkHinted {
		runner.Allowance = func(pipeline.Stream) int { return world.hints.perMinute }
	}
	err := runner.Chunk(context.Background(), claim, func(_ context.Context, _ pgx.Tx, again bool) error {
		if of.attempt != attempt {
			world.store.seen["lost job"]++
			return errLostJob
		}
		more = again
		return nil
	})
	if k.dead || of.attempt != attempt {
		return // another worker has the job and settles it
	}
	of.held = false
	if err != nil {
		world.fate(of, err)
		return
	}
	of.due = of.due || more || of.wanted || of.run == 0 && of.asked > of.serves
	of.wanted = false
}

// normalizers are the normalizers of the declarations; all schedules share them.
var normalizers gosync.Map

func normalizer(of *schema.Resource, zone *time.Location) (*record.Normalizer, error) {
	if known, ok := normalizers.Load(of); ok {
		return known.(*record.Normalizer), nil
	}
	made, err := record.New(of, zone)
	if err == nil {
		normalizers.Store(of, made)
	}
	return made, err
}

// source is upstream for a worker: the worker passes a point before and after each answer.
type source struct {
	*worker

	of *stream
}

func (s source) Page(_ context.Context, request pipeline.Request) (pipeline.Page, error) {
	page, err := s.call(func(call int64, f fault) (pipeline.Page, error) { return s.of.upstream.page(request, call, f) })
	if s.world.trace != nil {
		var ids []string
		for _, raw := range page.Records {
			ids = append(ids, string(raw[len(`{"thing_id":"`):][:3]))
		}
		s.world.trace("%s %s: page %d of %d, since %s, %s %s: %v, more %t, %v", s.of.upstream.now.Format(time.TimeOnly), s.of, request.Page, request.PerPage,
			request.Since.Format(time.TimeOnly), request.Sort, request.Order, ids, page.More, err)
	}
	return page, err
}

func (s source) Details(_ context.Context, _ pipeline.Request, ids []string) (pipeline.Page, error) {
	page, err := s.call(func(call int64, f fault) (pipeline.Page, error) {
		if s.of.Work == pipeline.WorkHinted {
			s.world.hints.saw(s.of, call, f)
		}
		return s.of.upstream.single(ids, call, f)
	})
	if s.world.trace != nil {
		s.world.trace("%s %s: %v: %d records, %v", s.of.upstream.now.Format(time.TimeOnly), s.of, ids, len(page.Records), err)
	}
	return page, err
}

func (s source) call(answer func(int64, fault) (pipeline.Page, error)) (pipeline.Page, error) {
	number := s.world.reserve() // drawn before the call leaves
	s.of.upstream.asked[number] = s.world.store.clock(s.of)
	s.of.calls++
	if err := s.at(pointBeforeCall); err != nil {
		return pipeline.Page{}, err
	}
	page, err := answer(number, s.world.faultOf(number))
	if crash := s.at(pointAfterCall); crash != nil {
		return pipeline.Page{}, crash
	}
	return page, err
}

func (source) Export(context.Context, pipeline.Request, func(pipeline.Page) error) error {
	return errors.ErrUnsupported
}

// target is the store for a worker: the connection may break before a transaction or during its
// commit.
type target struct {
	*worker

	of *stream
}

func (t target) Load(ctx context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error) {
	if err := t.at(pointBeforeCommit); err != nil {
		return pipeline.Loaded{}, err
	}
	trouble := t.world.databaseFault()
	if trouble != nil && !errors.Is(trouble, errAmbiguous) {
		return pipeline.Loaded{}, trouble
	}
	for _, batch := range batches { // always one, because nothing is prefetched here
		if batch.Complete != nil {
			if err := batch.Complete(ctx, nil); err != nil {
				return pipeline.Loaded{}, err
			}
		}
		if err := t.world.store.load(t.of, batch); err != nil {
			return pipeline.Loaded{}, err
		}
	}
	if err := t.at(pointAfterCommit); err != nil {
		return pipeline.Loaded{}, err
	}
	return pipeline.Loaded{}, trouble
}

// Refusals implements sync.Store.
func (t target) Refusals(context.Context, pipeline.Claim) (pipeline.Refusals, error) {
	return t.of.met, nil
}

// queue is the backlog of single records.
type queue struct {
	store *store
	of    *stream
}

func (q queue) Pending(_ context.Context, _ pipeline.Stream, _, limit int) ([]string, int, error) {
	ids := q.store.pending(q.of)
	if q.of.Work == pipeline.WorkHinted {
		ids = q.of.table.hints.pending()
	}
	return slices.Clone(ids[:min(limit, len(ids))]), len(ids), nil
}

// Control implements sync.Backlog.
func (q queue) Control(_ context.Context, _ pipeline.Stream, ids []string) (string, error) {
	return q.of.table.control(ids), nil
}

func (queue) NextParent(context.Context, pipeline.Claim) (string, int, error) {
	return "", 0, errors.ErrUnsupported
}
