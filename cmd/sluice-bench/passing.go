package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"sluice/pipeline/engine"
	"sluice/pipeline/notifications"
	simulated "sluice/sandbox"
)

// The intervals of a process that serves, in virtual time: the schedule, hints, and the keeper of
// notifications, which has nothing to do before the next test callback.
const (
	tickEvery   = 15 * time.Second
	hintEvery   = 500 * time.Millisecond
	keeperEvery = 15 * time.Minute
)

// jobsEvery is how often the queue is looked at, in the machine's time.
const jobsEvery = 2 * time.Millisecond

// Before it is measured, each list changes once within an hour, and hours pass in which
// notifications become trusted: three runs in a row have to find nothing untold.
const beginning, trying = time.Hour, 5 * time.Hour

// days are the virtual days of one mode. One goroutine takes all steps in the order of virtual
// time, and waits after each until the queue has done its work.
type days struct {
	warehouse *warehouse
	world     *world
	clock     *clock
	of        []told
	mode      mode
	length    time.Duration
	edits     int

	app    *engine.App
	queue  *engine.Queue
	keeper *engine.Told
	// kept is the keeper's next turn, end that of the time that passes now.
	kept, end time.Time
	// changes are those to come, in order; waiting are those that the warehouse lacks, waits is how
	// many seconds the others waited.
	changes, waiting []change
	waits            []float64
}

// change is one edit of a list.
type change struct {
	at   time.Time
	of   *told
	list list
	seed int64
	// ids are the records that were edited.
	ids []string
}

// measure copies the lists, lets the days pass, and notes the results.
func (d *days) measure(ctx context.Context, got *waited) error {
	return d.open(ctx, func() error {
		if err := d.copy(ctx); err != nil {
			return err
		}
		if err := d.until(ctx, d.draw(1, beginning)); err != nil {
			return err
		}
		if err := d.until(ctx, d.clock.Now().Add(trying)); err != nil {
			return err
		}
		d.waits = d.waits[:0]
		before, err := d.calls(ctx)
		if err != nil {
			return err
		}
		edits := int(math.Ceil(float64(d.edits) * got.Days))
		end := d.draw(edits, d.length)
		got.Changes = len(d.changes)
		if err := d.until(ctx, end); err != nil {
			return err
		}
		after, err := d.calls(ctx)
		if err != nil {
			return err
		}
		got.CallsADay = float64(after-before) / got.Days
		for _, lacks := range d.waiting { // they wait still
			d.waits = append(d.waits, d.clock.Now().Sub(lacks.at).Seconds())
		}
		got.Mean, got.P99 = mean(d.waits), quantile(d.waits, 0.99)
		return nil
	})
}

// open starts the program within this process, on the virtual clock, while work runs.
func (d *days) open(ctx context.Context, work func() error) error {
	var receiver http.Handler
	return served(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { receiver.ServeHTTP(w, r) }), func(public string) error {
		told, each := "", fmt.Sprintf("every: %s, sweep: off", d.mode.every)
		if d.mode.hinted > 0 {
			told, each = fmt.Sprintf("public_url: %q", public), each+fmt.Sprintf(", notified: {every: %s}", d.mode.hinted)
		}
		config, environment, err := d.warehouse.narrow(d.world, d.of, told, each)
		if err != nil {
			return err
		}
		if err := d.warehouse.run(ctx, environment, "migrate", "--config", config); err != nil {
			return err
		}
		d.app, err = engine.Open(ctx, engine.Options{
			Catalogue: catalogue(false), ConfigPath: config, LookupEnv: lookup(environment), ReadFile: os.ReadFile, Now: d.clock.Now, LogTo: os.Stderr,
		})
		if err != nil {
			return err
		}
		err = d.serve(ctx, &receiver, public, work)
		return errors.Join(err, d.app.Close(context.WithoutCancel(ctx)))
	})
}

// serve starts what serves: the queue, and with notifications the receiver and the keeper.
func (d *days) serve(ctx context.Context, receiver *http.Handler, public string, work func() error) error {
	if d.mode.hinted > 0 {
		opened, err := d.app.OpenReceiver(ctx, func(notifications.Observation) {})
		if err != nil {
			return err
		}
		defer opened.Close()
		*receiver = opened
		client, err := d.app.Client()
		if err != nil {
			return err
		}
		d.keeper = d.app.Told(client)
		for i := range d.of {
			if err := d.of[i].rules(d.world, public); err != nil {
				return err
			}
		}
	}
	var err error
	if d.queue, err = d.app.StartQueue(ctx, false); err != nil {
		return err
	}
	err = work()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	return errors.Join(err, d.queue.Stop(stop))
}

// copy lets time pass until the lists are copied, with their single records.
func (d *days) copy(ctx context.Context) error {
	d.end = d.clock.Now().Add(wholeDay)
	for err := d.step(ctx); ; err = d.next(ctx) {
		if err != nil {
			return fmt.Errorf("copy the lists first: %w", err)
		}
		waits := false
		for _, l := range d.of[0].lists {
			if !l.details {
				continue
			}
			var some bool
			err := d.app.DB.Pool().QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+quoted(l.service, l.resource)+" WHERE _detail_state = 'pending')").Scan(&some)
			if err != nil {
				return fmt.Errorf("look for records that wait: %w", err)
			}
			waits = waits || some
		}
		if !waits {
			return nil
		}
	}
}

// draw decides when each list changes within a span, so many times, and returns its end.
func (d *days) draw(edits int, span time.Duration) time.Time {
	began := d.clock.Now()
	chance := rand.New(rand.NewPCG(1, 1)) // it has to be repeatable
	for i := range d.of {
		for _, l := range d.of[i].lists {
			for range edits {
				at := began.Add(time.Duration(chance.Int64N(int64(span)))).Truncate(time.Second)
				d.changes = append(d.changes, change{at: at, of: &d.of[i], list: l, seed: chance.Int64()})
			}
		}
	}
	slices.SortFunc(d.changes, func(a, b change) int { return a.at.Compare(b.at) })
	return began.Add(span)
}

// until lets time pass.
func (d *days) until(ctx context.Context, end time.Time) error {
	d.end = end
	for d.clock.Now().Before(end) {
		if err := d.next(ctx); err != nil {
			return fmt.Errorf("at %s: %w", d.clock.Now().Format(time.DateTime), err)
		}
	}
	return nil
}

const (
	sqlNext = `SELECT
	(SELECT min(next_due_at) FROM sluice.streams WHERE enabled),
	(SELECT min(due_at) FROM sluice.hints WHERE asked_at IS NULL AND read_at IS NULL)`

	sqlUnfinished = `SELECT count(*) FROM river.river_job WHERE state NOT IN ('completed', 'cancelled', 'discarded')`

	sqlCalls = `SELECT count(*) FROM sluice.calls WHERE resource <> 'token'` // tokens cost nothing of the allowance
)

// next moves the clock to the next instant at which something is to be done, and does it.
func (d *days) next(ctx context.Context) error {
	var due, told *time.Time
	if err := d.app.DB.Pool().QueryRow(ctx, sqlNext).Scan(&due, &told); err != nil {
		return fmt.Errorf("ask what is due: %w", err)
	}
	now := d.clock.Now()
	at := d.end
	for _, candidate := range []struct {
		at   *time.Time
		look time.Duration // the interval between two looks for it
	}{{due, tickEvery}, {told, hintEvery}, {d.nextTurn(), time.Second}, {d.nextChange(), time.Second}} {
		if candidate.at != nil {
			if seen := candidate.at.Truncate(candidate.look).Add(candidate.look); seen.Before(at) {
				at = seen
			}
		}
	}
	if err := d.clock.Advance(ctx, max(at.Sub(now), hintEvery)); err != nil {
		return err
	}
	if err := d.change(ctx); err != nil {
		return err
	}
	return d.step(ctx)
}

func (d *days) nextChange() *time.Time {
	if len(d.changes) == 0 {
		return nil
	}
	return &d.changes[0].at
}

func (d *days) nextTurn() *time.Time {
	if d.keeper == nil {
		return nil
	}
	return &d.kept
}

// change makes the changes that are due, and upstream tell of them.
func (d *days) change(ctx context.Context) error {
	for len(d.changes) > 0 && !d.changes[0].at.After(d.clock.Now()) {
		c := d.changes[0]
		d.changes = d.changes[1:]
		changed, err := d.world.ChangeOf(c.of.id, "", simulated.Change{Seed: c.seed, Edits: 1, Resources: []string{c.list.stream()}})
		if err != nil {
			return err
		}
		for _, one := range changed {
			c.ids = append(c.ids, one.Edited...)
		}
		if len(c.ids) == 0 {
			return fmt.Errorf("nothing was changed in %s", c.list.stream())
		}
		c.at = d.clock.Now().Truncate(time.Second)
		d.waiting = append(d.waiting, c)
		if sent := d.world.Deliver(ctx); d.keeper != nil && sent == 0 {
			return fmt.Errorf("upstream did not tell of a change in %s", c.list.stream())
		}
	}
	return nil
}

// step does what a process that serves does when time has passed, waits for the queue, and looks
// which changes came.
func (d *days) step(ctx context.Context) error {
	if d.keeper != nil && !d.kept.After(d.clock.Now()) {
		d.kept = d.clock.Now().Add(keeperEvery)
		if err := d.keeper.Turn(ctx); err != nil {
			return err
		}
	}
	if err := d.queue.Hint(ctx); err != nil {
		return err
	}
	if err := d.queue.Tick(ctx); err != nil {
		return err
	}
	if err := d.drained(ctx); err != nil {
		return err
	}
	return d.look(ctx)
}

// drained waits until the queue has nothing to do.
func (d *days) drained(ctx context.Context) error {
	return until(ctx, jobsEvery, "the queue is not empty", func(ctx context.Context) (bool, error) {
		unfinished := 0
		err := d.app.DB.Pool().QueryRow(ctx, sqlUnfinished).Scan(&unfinished)
		return unfinished == 0, err
	})
}

// look notes which changes the warehouse has by now: rows whose values came by a call after the
// change. The single record of an account does not say when it was modified.
func (d *days) look(ctx context.Context) error {
	left := d.waiting[:0]
	for _, c := range d.waiting {
		brought := "r._call_id"
		if c.list.details {
			brought = "greatest(r._call_id, r._detail_call_id)"
		}
		var there int
		err := d.app.DB.Pool().QueryRow(ctx, "SELECT count(*) FROM "+quoted(c.list.service, c.list.resource)+" AS r JOIN sluice.calls c ON c.id = "+brought+
			" WHERE r.organization_id = $1 AND r."+quoted(c.list.id)+" = ANY ($2) AND c.reserved_at >= $3", c.of.id, c.ids, c.at).Scan(&there)
		if err != nil {
			return fmt.Errorf("look for changes: %w", err)
		}
		if there == len(c.ids) {
			d.waits = append(d.waits, d.clock.Now().Sub(c.at).Seconds())
		} else {
			left = append(left, c)
		}
	}
	d.waiting = left
	return nil
}

// calls is how many calls were made so far.
func (d *days) calls(ctx context.Context) (int, error) {
	var calls int
	if err := d.app.DB.Pool().QueryRow(ctx, sqlCalls).Scan(&calls); err != nil {
		return 0, fmt.Errorf("count the calls: %w", err)
	}
	return calls, nil
}

// lookup reads variables of an environment; the last one of a name counts.
func lookup(environment []string) func(string) (string, bool) {
	variables := make(map[string]string, len(environment))
	for _, one := range environment {
		name, value, _ := strings.Cut(one, "=")
		variables[name] = value
	}
	return func(name string) (string, bool) {
		value, found := variables[name]
		return value, found
	}
}

func mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// quantile is the value that a share of the values does not exceed.
func quantile(values []float64, share float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(int(math.Ceil(share*float64(len(sorted))))-1, 0)]
}
