package jobs_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
)

func TestChunksChainUntilTheRunEnds(t *testing.T) {
	r := newFixture(t)
	r.upstream.pages["apples"] = things(15)
	queue := r.start(false)
	r.ask(queue, "apples")
	r.until("apples are done", sqlIdle, "apples")
	check.Same(t, "rows", 15, r.number(`SELECT count(*) FROM made_up.apples`))
	// 15 things with two a page and, in the second pass, one a page
	// (docs/decisions/0007-paging-by-number) are 23 pages. With 3 pages a chunk that is 8 chunks,
	// each a completed job.
	r.until("all jobs are completed", `SELECT CASE WHEN count(*) = 8 THEN 1 ELSE 0 END FROM river.river_job WHERE state = 'completed'`)
	check.Same(t, "runs are done in 8 chunks", 1, r.number(`SELECT count(*) FROM sluice.runs WHERE outcome = 'done' AND chunks = 8`))
}

// TestErrorTextCannotStopTheQueue: without the cleaning middleware one NUL keeps every later job of
// the process from completing.
func TestErrorTextCannotStopTheQueue(t *testing.T) {
	r := newFixture(t)
	r.upstream.pages["apples"] = func(context.Context, pipeline.Request) (pipeline.Page, error) {
		return pipeline.Page{}, errors.New("upstream said \x00 and \xff")
	}
	queue := r.start(false)
	r.ask(queue, "apples")
	r.until("apples have failed", `SELECT count(*) FROM sluice.streams WHERE resource = 'apples' AND state = 'failed'`)
	r.ask(queue, "pears")
	r.until("pears are done", sqlIdle, "pears")
	r.until("every job has settled", `SELECT CASE WHEN count(*) = 0 THEN 1 ELSE 0 END FROM river.river_job WHERE state <> 'completed'`)
}

func TestPanicIsAnErrorLikeOthers(t *testing.T) {
	r := newFixture(t)
	calls := 0
	r.upstream.pages["apples"] = func(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
		if calls++; calls == 1 {
			panic("a bug with \x00 in it")
		}
		return things(3)(ctx, request)
	}
	queue := r.start(false)
	r.ask(queue, "apples")
	r.until("apples are done at the second attempt", sqlIdle, "apples")
}

func TestDeniedStopsOneStreamOnly(t *testing.T) {
	r := newFixture(t)
	r.upstream.pages["apples"] = func(context.Context, pipeline.Request) (pipeline.Page, error) {
		return pipeline.Page{}, &pipeline.Error{Kind: pipeline.Denied, Detail: "the scope is missing"}
	}
	queue := r.start(false)
	r.ask(queue, "apples", "pears")
	r.until("pears are done", sqlIdle, "pears")
	r.until("apples are denied, with the reason",
		`SELECT count(*) FROM sluice.streams WHERE resource = 'apples' AND state = 'denied' AND reason LIKE '%scope is missing%'`)
	check.Same(t, "runs of apples failed as denied", 1,
		r.number(`SELECT count(*) FROM sluice.runs WHERE resource = 'apples' AND outcome = 'failed' AND kind = 'denied'`))
}

// TestAStreamThatIsNotReadyIsNotRead: an error of Ready is treated as an error of the chunk, and no
// call is made for the stream.
func TestAStreamThatIsNotReadyIsNotRead(t *testing.T) {
	r := newFixture(t)
	read := false
	r.upstream.pages["apples"] = func(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
		read = true
		return things(3)(ctx, request)
	}
	mended := make(chan struct{})
	r.ready = func(_ context.Context, stream pipeline.Stream) error {
		select {
		case <-mended:
			return nil
		default:
		}
		if stream.Resource.Name == "apples" {
			return &pipeline.Error{Kind: pipeline.Denied, Detail: "another business answers under this id"}
		}
		return nil
	}
	queue := r.start(false)
	r.ask(queue, "apples", "pears")
	r.until("pears are done", sqlIdle, "pears")
	r.until("apples are denied, with the reason",
		`SELECT count(*) FROM sluice.streams WHERE resource = 'apples' AND state = 'denied' AND reason LIKE '%another business%'`)
	check.ErrorIf(t, read, "apples were read nevertheless")
	close(mended)
	r.ask(queue, "apples")
	r.until("apples are done", sqlIdle, "apples")
}

func TestExhaustedWaitsWithoutAnAttempt(t *testing.T) {
	r := newFixture(t)
	spent := true
	r.upstream.pages["apples"] = func(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
		if spent {
			return pipeline.Page{}, &pipeline.Error{Kind: pipeline.Exhausted, Until: time.Now().Add(5 * time.Hour)}
		}
		return things(3)(ctx, request)
	}
	queue := r.start(false)
	r.ask(queue, "apples")
	r.until("apples wait", `SELECT count(*) FROM sluice.streams WHERE resource = 'apples' AND state = 'waiting' AND wait_until > now() + interval '4 hours'`)
	r.until("the job is snoozed, no attempt spent",
		`SELECT count(*) FROM river.river_job WHERE state = 'scheduled' AND attempt = 0 AND scheduled_at > now() + interval '4 hours'`)
	spent = false
	r.ask(queue, "apples") // a request makes the snoozed job available at once
	r.until("apples are done", sqlIdle, "apples")
}

func TestFailingStreamGivesUpAndComesBack(t *testing.T) {
	r := newFixture(t)
	calls := 0
	r.upstream.pages["apples"] = func(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
		if calls++; calls <= 3 {
			return pipeline.Page{}, &pipeline.Error{Kind: pipeline.Unavailable}
		}
		return things(3)(ctx, request)
	}
	queue := r.start(false)
	r.ask(queue, "apples")
	r.until("apples failed after two retries", `SELECT count(*) FROM sluice.streams WHERE resource = 'apples' AND state = 'failed'`)
	r.ask(queue, "apples")
	r.until("apples are done", sqlIdle, "apples")
}

// TestWhatLastsCostsOneCall: an answer that lacks what is declared ends the run at once, and the
// stream comes back once the declaration is right.
func TestWhatLastsCostsOneCall(t *testing.T) {
	r := newFixture(t)
	r.upstream.pages["apples"] = func(context.Context, pipeline.Request) (pipeline.Page, error) {
		return pipeline.Page{}, &pipeline.Error{Kind: pipeline.Unexpected, Lasting: true, Detail: "the key apples is missing"}
	}
	queue := r.start(false)
	r.ask(queue, "apples")
	r.until("apples have failed, with the reason",
		`SELECT count(*) FROM sluice.streams WHERE resource = 'apples' AND state = 'failed' AND reason LIKE '%the key apples is missing%'`)
	check.Same(t, "calls, want 1: none of the others can succeed", 1, r.upstream.count())
	check.Same(t, "runs failed as unexpected", 1,
		r.number(`SELECT count(*) FROM sluice.runs WHERE resource = 'apples' AND outcome = 'failed' AND kind = 'unexpected'`))
	r.upstream.answer("apples", things(3))
	r.ask(queue, "apples")
	r.until("apples are done", sqlIdle, "apples")
}

// TestAListThatWasReadIsAskedAgain: once a list was read its declaration is right, so an answer
// that lacks the key is a passing fault, also behind the first page of the first run.
func TestAListThatWasReadIsAskedAgain(t *testing.T) {
	r := newFixture(t)
	strange := 0
	once := func(from int) func(context.Context, pipeline.Request) (pipeline.Page, error) {
		met := false
		return func(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
			if !met && request.Page >= from {
				met = true
				strange++
				return pipeline.Page{}, &pipeline.Error{Kind: pipeline.Unexpected, Lasting: true, Detail: "the key apples is missing"}
			}
			return things(5)(ctx, request)
		}
	}
	queue := r.start(false)
	r.upstream.answer("apples", once(2))
	r.ask(queue, "apples")
	r.until("apples are done", sqlIdle, "apples")
	r.upstream.answer("apples", once(1))
	r.ask(queue, "apples")
	r.until("apples are done again", sqlIdle, "apples")
	got := r.number(`SELECT count(*) FROM sluice.runs WHERE resource = 'apples' AND outcome = 'done'`)
	check.ErrorIf(t, got != 2 || strange != 2, "%d runs are done after %d strange answers, want 2 and 2", got, strange)
}

// TestAKeyThatTurnedWrongCostsOneCall: a list that was read is asked once more, since the answer
// may be a passing fault. From then on each run costs one call, until an answer has the key.
func TestAKeyThatTurnedWrongCostsOneCall(t *testing.T) {
	r := newFixture(t)
	queue := r.start(false)
	r.upstream.answer("apples", things(3))
	r.ask(queue, "apples")
	r.until("apples are done", sqlIdle, "apples")
	r.upstream.answer("apples", func(context.Context, pipeline.Request) (pipeline.Page, error) {
		return pipeline.Page{}, &pipeline.Error{Kind: pipeline.Unexpected, Lasting: true, Detail: "the key apples is missing"}
	})
	for failed, want := range []int64{2, 1, 1} {
		before := r.upstream.count()
		r.ask(queue, "apples")
		r.until("another run failed", `SELECT CASE WHEN count(*) = $1 THEN 1 ELSE 0 END FROM sluice.runs
			WHERE outcome = 'failed' AND kind = 'unexpected' AND note LIKE '%the key apples is missing%'`, failed+1)
		check.Same(t, fmt.Sprintf("failed run %d: calls", failed+1), want, r.upstream.count()-before)
	}
	r.upstream.answer("apples", things(3))
	r.ask(queue, "apples")
	r.until("apples are done again", sqlIdle, "apples")
}

// TestWhatPassesIsAskedAgain: an unexpected answer that may be another one next time is retried.
func TestWhatPassesIsAskedAgain(t *testing.T) {
	r := newFixture(t)
	r.upstream.pages["apples"] = func(context.Context, pipeline.Request) (pipeline.Page, error) {
		return pipeline.Page{}, &pipeline.Error{Kind: pipeline.Unexpected, Detail: "not JSON: a page of a proxy"}
	}
	queue := r.start(false)
	r.ask(queue, "apples")
	r.until("apples have failed", `SELECT count(*) FROM sluice.streams WHERE resource = 'apples' AND state = 'failed'`)
	// Each of the three attempts asks in the order of modification first, and then without it.
	check.Same(t, "calls, want 2 for each of three attempts", 6, r.upstream.count())
}

// heldUp makes the first page of a resource wait. The first channel is closed when it is asked for,
// and the page is given once the second one is.
func (r *fixture) heldUp(resource string) (<-chan struct{}, chan<- struct{}) {
	asked, goOn := make(chan struct{}), make(chan struct{})
	first := true
	r.upstream.pages[resource] = func(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
		if first {
			first = false
			close(asked)
			<-goOn
		}
		return things(1)(ctx, request)
	}
	return asked, goOn
}

func TestAskedDuringARunIsServedByAnother(t *testing.T) {
	r := newFixture(t)
	asked, goOn := r.heldUp("apples")
	queue := r.start(false)
	r.ask(queue, "apples")
	<-asked
	r.ask(queue, "apples") // swallowed as a duplicate; the generation remembers it
	close(goOn)
	r.until("apples are done twice", `SELECT CASE WHEN count(*) = 2 THEN 1 ELSE 0 END FROM sluice.runs WHERE outcome = 'done'`)
}

func TestTickTakesDueStreams(t *testing.T) {
	r := newFixture(t)
	r.start(true)
	r.until("apples are done", sqlIdle, "apples")
	r.until("pears are done", sqlIdle, "pears")
	check.Same(t, "streams are due in an hour",
		2, r.number(`SELECT count(*) FROM sluice.streams WHERE next_due_at > now() + interval '50 minutes'`))
}

// TestKilledWorkersJobsComeBack simulates a process that took a job and was killed: its lock is
// gone.
func TestKilledWorkersJobsComeBack(t *testing.T) {
	r := newFixture(t)
	id := r.taken("apples", "sluice-99999")
	r.start(false)
	r.until("the job was worked by this process", `SELECT count(*) FROM river.river_job WHERE id = $1 AND state = 'completed'`, id)
	r.until("apples are done", sqlIdle, "apples")
}

// taken requests a run and inserts its job, whose number it returns, as one that a process took.
func (r *fixture) taken(resource, process string) int {
	r.t.Helper()
	check.Must(r.t, r.db.Request(r.t.Context(), []pipeline.Key{r.key(resource)}))
	return r.number(`INSERT INTO river.river_job (kind, queue, args, max_attempts, state, attempt, attempted_at, attempted_by)
		VALUES ('stream', 'streams', jsonb_build_object('organization', '1', 'service', 'made_up', 'resource', $1::text), 10, 'running', 1, now(), ARRAY[$2])
		RETURNING id`, resource, process)
}

// TestAnEndThatWasNotRecorded: River records the end of a job unless a chunk does, and gives up
// while the database is away; a promoted standby may lack any end. A job that is worked meanwhile
// stays.
func TestAnEndThatWasNotRecorded(t *testing.T) {
	r := newFixture(t)
	goOn := make(chan struct{})
	release := sync.OnceFunc(func() { close(goOn) })
	defer release()
	r.upstream.pages["apples"] = func(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
		<-goOn
		return things(1)(ctx, request)
	}
	queue := r.start(false)
	r.ask(queue, "apples")
	r.until("apples are read", `SELECT count(*) FROM river.river_job WHERE state = 'running'`)
	worked := r.number(`SELECT id FROM river.river_job`)
	process := r.number(`SELECT id FROM sluice.live_processes`)
	id := r.taken("pears", fmt.Sprintf("sluice-%d", process))
	r.until("the job was worked by this process", `SELECT count(*) FROM river.river_job WHERE id = $1 AND state = 'completed'`, id)
	release()
	r.until("apples are done", sqlIdle, "apples")
	check.Same(t, "attempts of the job that was worked", 1, r.number(`SELECT attempt FROM river.river_job WHERE id = $1`, worked))
}

// TestZombieWritesNothing: another worker claims the stream while this one waits for a page. This
// one must then neither write that page nor complete the job.
func TestZombieWritesNothing(t *testing.T) {
	r := newFixture(t)
	reading, goOn := r.heldUp("apples")
	queue := r.start(false)
	r.ask(queue, "apples")
	<-reading
	stream, _ := r.stream(r.key("apples"))
	claim := check.Sure(r.db.Claim(t.Context(), stream, pipeline.ClassIncremental))(t)
	close(goOn)
	r.until("the old worker's job is completed", `SELECT count(*) FROM river.river_job WHERE state = 'completed'`)
	check.Same(t, "rows that the zombie wrote", 0, r.number(`SELECT count(*) FROM made_up.apples`))
	settlement := pipeline.Settlement{State: pipeline.StateRetrying}
	err := r.db.Settle(t.Context(), claim, settlement)
	check.ErrorIf(t, err != nil, "the worker that has the claim cannot write: %v", err)
	r.until("the forgotten stream is queued and done", sqlIdle, "apples")
}

// TestARunWithoutAJobGoesOn: a process is killed after another worker had completed its
// job. The run came from the schedule, so no command requests it again.
func TestARunWithoutAJobGoesOn(t *testing.T) {
	r := newFixture(t)
	stream, _ := r.stream(r.key("apples"))
	claim := check.Sure(r.db.Claim(t.Context(), stream, pipeline.ClassIncremental))(t)
	n := r.number(`SELECT count(*) FROM sluice.streams WHERE resource = 'apples' AND state = 'running' AND requested_gen = served_gen`)
	check.FatalIf(t, n != 1, "a command waits for the run")
	r.start(false)
	r.until("the run is done", `SELECT count(*) FROM sluice.runs WHERE id = $1 AND outcome = 'done'`, claim.Run)
	r.until("apples are at rest", `SELECT count(*) FROM sluice.streams WHERE resource = 'apples' AND state = 'idle' AND run_id IS NULL`)
}

// TestJobsOfOtherConfigurationsAreLeft: a process that does not know a stream must leave its job
// in the queue.
func TestJobsOfOtherConfigurationsAreLeft(t *testing.T) {
	r := newFixture(t)
	stranger := pipeline.Key{Organization: "1", Service: "made_up", Resource: "plums"}
	queue := r.start(false)
	check.Must(t, queue.Insert(t.Context(), []pipeline.Key{stranger}))
	r.until("the job waits for a process that knows the stream",
		`SELECT count(*) FROM river.river_job WHERE args ->> 'resource' = 'plums' AND state = 'scheduled' AND scheduled_at > now() AND (metadata ->> 'snoozes')::int > 0`)
}
