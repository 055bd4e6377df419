package scale

import (
	"context"
	"fmt"
	"time"

	"sluice/pipeline"
)

// A worker's steps for a job, as packages budget, upstream and jobs take them; the waits are
// theirs.
const (
	maxWait     = 75 * time.Second
	pollPause   = time.Second
	minPause    = 20 * time.Millisecond
	maxJitter   = 250 * time.Millisecond
	snoozeSoon  = 20 * time.Second
	snoozeDay   = time.Hour
	maxSnooze   = 5 * time.Second
	callTimeout = 90 * time.Second
	throttled   = time.Minute
	crowded     = 5 * time.Minute
)

// chunk is a worker with a job.
type chunk struct {
	*simulation

	stream   *stream
	began    instant
	pages    int
	deadline instant // the end of the call's wait for its turn
}

// begin starts a chunk, and its run if none is under way.
func (s *simulation) begin(st *stream) {
	c := &chunk{simulation: s, stream: st, began: s.now}
	s.busy++
	if !st.open {
		st.open, st.started = true, s.now
	}
	c.enter()
}

// enter begins the next call: it asks the call log until its turn comes, or it has waited too long.
func (c *chunk) enter() {
	c.deadline = c.now + maxWait
	c.plan(c.now, c.ask)
}

// ask asks the call log, and sends the call or waits.
func (c *chunk) ask(ctx context.Context) error {
	st := c.stream
	c.counts.statements++
	decision, err := c.db.ledger.Reserve(ctx, pipeline.Call{
		Organization: st.key.Organization, Service: st.key.Service, Resource: st.key.Resource, Class: st.class,
		Run: int64(st.number + 1), Method: "GET", Path: "/books", Page: st.page + 1,
	}, st.of.limits)
	if err != nil {
		return err
	}
	if decision.Refused == "" {
		c.counts.granted++
		c.send(decision.Call)
		return nil
	}
	c.counts.refused[decision.Refused]++
	pause := decision.Wait
	switch decision.Refused {
	case pipeline.RefusedDay, pipeline.RefusedClass:
		return c.snooze(decision.Wait)
	case pipeline.RefusedConcurrent:
		pause = min(pause, pollPause)
	case pipeline.RefusedMinute, pipeline.RefusedClosed, pipeline.RefusedForgotten:
	}
	pause = max(pause, minPause)
	if pause += c.draw(min(pause/4, maxJitter)); c.now+pause > c.deadline {
		return c.snooze(decision.Wait)
	}
	c.plan(c.now+pause, c.ask)
	return nil
}

// send makes a call: it arrives, is answered, and its end is reported. One in 300 is never
// answered.
func (c *chunk) send(call int64) {
	server := &c.stream.of.server
	takes := 100*time.Millisecond + min(8*time.Second, time.Duration(c.chance.ExpFloat64()*float64(250*time.Millisecond)))
	there := c.draw(takes)
	silent := c.chance.IntN(300) == 0
	c.plan(c.now+there, func(context.Context) error {
		result := server.Arrive(c.now)
		c.plan(c.now+(takes-there)/2, func(context.Context) error {
			server.End()
			return nil
		})
		back := c.now + takes - there
		if silent {
			result, back = pipeline.CallResult{Kind: pipeline.Unavailable}, c.now+callTimeout-there
		}
		c.plan(back, func(ctx context.Context) error { return c.leave(ctx, call, result) })
		return nil
	})
}

// leave reports the end of a call, a penalty first, and applies the answer to the job.
func (c *chunk) leave(ctx context.Context, call int64, result pipeline.CallResult) error {
	o := c.stream.of
	penalty := time.Duration(0)
	switch result.Kind { //nolint:exhaustive // no other kind of answer holds calls back
	case pipeline.Throttled:
		penalty = throttled
	case pipeline.Crowded:
		penalty = crowded
	case pipeline.Exhausted:
		if penalty = result.DayReset; penalty <= 0 {
			_, midnight := o.localDay(c.now)
			penalty = midnight - c.now
		}
	}
	if penalty > 0 {
		c.counts.statements++
		if err := c.db.ledger.Penalize(ctx, o.name, c.stream.key.Service, o.limits.Shared, result.Kind, penalty); err != nil {
			return err
		}
	}
	c.counts.statements++
	if err := c.db.ledger.Finish(ctx, call, result); err != nil {
		return err
	}
	switch result.Kind {
	case 0:
		return c.next(ctx)
	case pipeline.Exhausted:
		return c.snooze(snoozeDay)
	case pipeline.Throttled, pipeline.Crowded:
		return c.snooze(c.jitter(snoozeSoon))
	default:
		return c.fail(ctx)
	}
}

func (c *chunk) jitter(d time.Duration) time.Duration { return d - d/10 + c.draw(d/5) }

// next continues after a loaded page.
func (c *chunk) next(ctx context.Context) error {
	st, rules := c.stream, pipeline.DefaultRules()
	st.page++
	c.pages++
	if st.page >= st.calls {
		return c.complete(ctx, false)
	}
	if c.pages >= rules.ChunkPages || c.now-c.began >= rules.ChunkTime {
		st.errors = 0
		c.queue(st)
		return c.give()
	}
	c.enter()
	return nil
}

// complete ends the run and its job.
func (c *chunk) complete(ctx context.Context, failed bool) error {
	st := c.stream
	if !failed {
		st.clean(c.now)
	} else if st.class != pipeline.ClassBackfill {
		st.page = 0 // a failed scan begins anew; backfills continue
	}
	st.open, st.job = false, false
	if _, err := c.db.Pool.Exec(ctx, sqlEnded, st.key.Organization, st.key.Service, st.key.Resource, failed, st.done); err != nil {
		return fmt.Errorf("write the end of a run: %w", err)
	}
	return c.give()
}

// give frees the worker.
func (c *chunk) give() error {
	c.busy--
	c.counts.busy += c.now - c.began
	return c.dispatch()
}

// snooze makes the job wait without spending an attempt.
func (c *chunk) snooze(wait time.Duration) error { return c.sleep(wait + c.draw(maxSnooze)) }

// sleep makes the job wait until the queue wakes it.
func (c *chunk) sleep(wait time.Duration) error {
	c.plan(c.now+max(wait, time.Second)+c.draw(wakeEvery), func(context.Context) error {
		c.queue(c.stream)
		return nil
	})
	return c.give()
}

// fail makes the job try again later, and ends the run after the last wait.
func (c *chunk) fail(ctx context.Context) error {
	retries := [...]time.Duration{time.Second, 5 * time.Second, 20 * time.Second, time.Minute}
	if c.stream.errors >= len(retries) {
		return c.complete(ctx, true)
	}
	c.stream.errors++
	return c.sleep(c.jitter(retries[c.stream.errors-1]))
}
