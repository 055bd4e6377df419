package bench

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

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-dev/harness"
	"sluice/cmd/sluice-sandbox/poster"
	"sluice/pipeline/engine"
	"sluice/pipeline/notifications"
	"sluice/sandbox"
)

const (
	wholeDay = 24 * time.Hour
	// callTakes is how long one call takes.
	callTakes = time.Second
	// endsBefore is how far before the present the virtual days end: nothing is then in the future
	// of the queue, which keeps the machine's time.
	endsBefore = 12 * time.Hour
)

// The intervals of a process that serves, in virtual time: the schedule, hints, and the keeper of
// notifications, which has nothing to do before the next test callback.
const (
	tickEvery   = 15 * time.Second
	hintEvery   = 500 * time.Millisecond
	keeperEvery = 15 * time.Minute
)

// Before it is measured, each list changes once within an hour, and hours pass in which
// notifications become trusted: three runs in a row have to find nothing untold.
const beginning, trying = time.Hour, 5 * time.Hour

// fiveLists returns the lists of an organization that change.
func fiveLists() []list {
	payments := list{name: "payments", service: accounting, resource: "vendor_payments", id: "payment_id", details: true}
	bundles := list{name: "bundles", service: inventory, resource: "composite_items", id: "composite_item_id", details: true}
	return []list{items, bills, accounts, payments, bundles}
}

// twoOrganizations returns the organizations that have these lists.
func twoOrganizations() []string { return []string{sandbox.DefaultOrganizationID, "60012345679"} }

// measureDays lets virtual days pass in which ten lists change, once for each mode. The schedule,
// the hints, the queue, the reading and the loading are the program's own.
func measureDays(ctx context.Context, s *stage, p *plan, t *table) error {
	calls := make(map[mode]float64)
	for _, m := range modes() {
		if p.quick && m != hourly && m != notified {
			continue
		}
		d := &days{mode: m, length: time.Duration(float64(p.days) * m.share), edits: p.edits}
		err := s.fresh(ctx, "", func(w *warehouse) error {
			d.warehouse = w
			return w.do(ctx, func(conn *pgx.Conn) error {
				var err error
				if d.clock, err = newClock(ctx, conn, time.Now().Add(-d.length-endsBefore).Truncate(time.Hour)); err != nil {
					return err
				}
				return inWorld(ctx, sandbox.Options{
					Records: companyOf(p.small), HeadersOnly: true, SortsModified: true, Now: d.clock.Now, Limits: sandbox.Limits{Off: true},
					Poster: new(poster.Poster), Organizations: []sandbox.OrganizationOptions{{ID: twoOrganizations()[1], Seed: 2, Plan: harness.Plan}},
				}, d.clock.taking, func(u *world) error {
					d.world = u
					return d.measure(ctx)
				})
			})
		})
		if err != nil {
			return fmt.Errorf("%s: %w", m.name(), err)
		}
		calls[m] = float64(d.calls) / (d.length.Hours() / wholeDay.Hours())
		t.add(m.name(), calls[m])
		sum := 0.0
		for _, wait := range d.waits {
			sum += wait
		}
		seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)).Round(time.Second) }
		t.line(m.name()).figure = fmt.Sprintf("calls a day; %d changes in %s wait %s, 99 of 100 at most %s",
			len(d.waits), d.length, seconds(sum/float64(len(d.waits))), seconds(harness.Quantile(d.waits, 0.99)))
	}
	t.add("hinted calls", calls[hourly]/calls[notified])
	return nil
}

// days are the virtual days of one mode. One goroutine takes all steps in the order of virtual
// time, and waits after each until the queue has done its work.
type days struct {
	warehouse *warehouse
	world     *world
	clock     *clock
	mode      mode
	length    time.Duration
	edits     int

	app    *engine.App
	queue  *engine.Queue
	keeper *engine.Told
	// kept is the keeper's next turn, end that of the time that passes now.
	kept, end time.Time
	// changes are those to come, in order; waiting are those that the warehouse lacks, waits is how
	// many seconds the others waited, and calls how many calls were made meanwhile.
	changes, waiting []change
	waits            []float64
	calls            int
}

// change is one edit of a list.
type change struct {
	at           time.Time
	organization string
	list         list
	seed         int64
	// ids are the records that were edited.
	ids []string
}

// measure starts the program within this process, on the virtual clock, copies the lists, and lets
// the days pass.
func (d *days) measure(ctx context.Context) (err error) {
	var receiver http.Handler
	public, hangUp, err := harness.Listen(ctx, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { receiver.ServeHTTP(w, r) }))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hangUp()) }()
	config := harness.Config{Upstream: d.world.address, Organizations: twoOrganizations(), Services: twoServices}
	each := fmt.Sprintf("every: %s, sweep: off", d.mode.every)
	if d.mode.told > 0 {
		each += fmt.Sprintf(", notified: {every: %s}", d.mode.told)
		config.Notifications, config.Settings = `{secret: "${HOOK_SECRET}"}`, fmt.Sprintf("notifications: {public_url: \"http://%s\"}\n", public)
	}
	config.Resources = copied(fiveLists(), each)
	path, environment, err := d.warehouse.configure(config)
	if err != nil {
		return err
	}
	if err := d.warehouse.command(ctx, environment, "migrate", "--config", path); err != nil {
		return err
	}
	variables := make(map[string]string)
	for _, one := range environment {
		name, value, _ := strings.Cut(one, "=")
		variables[name] = value
	}
	d.app, err = engine.Open(ctx, engine.Options{
		Catalogue: catalogue(false), ConfigPath: path, ReadFile: os.ReadFile, Now: d.clock.Now, LogTo: os.Stderr,
		LookupEnv: func(name string) (string, bool) {
			value, found := variables[name]
			return value, found
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.app.Close(context.WithoutCancel(ctx))) }()
	if d.mode.told > 0 {
		opened, err := d.app.OpenReceiver(ctx, func(notifications.Observation) {})
		if err != nil {
			return err
		}
		defer opened.Close()
		receiver = opened
		client, err := d.app.Client()
		if err != nil {
			return err
		}
		d.keeper = d.app.Told(client)
		for _, id := range twoOrganizations() {
			if err := d.world.SetWebhooksOf(id, "", rules(id, fiveLists(), "http://"+public)); err != nil {
				return err
			}
		}
	}
	if d.queue, err = d.app.StartQueue(ctx, false); err != nil {
		return err
	}
	err = d.pass(ctx)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	return errors.Join(err, d.queue.Stop(stop))
}

// pass copies the lists, lets notifications become trusted, and then the days pass that count.
func (d *days) pass(ctx context.Context) error {
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
	before, err := d.count(ctx, sqlCalls)
	if err != nil {
		return err
	}
	if err := d.until(ctx, d.draw(int(math.Ceil(float64(d.edits)*d.length.Hours()/wholeDay.Hours())), d.length)); err != nil {
		return err
	}
	after, err := d.count(ctx, sqlCalls)
	d.calls = after - before
	for _, missing := range d.waiting {
		d.waits = append(d.waits, d.clock.Now().Sub(missing.at).Seconds())
	}
	return err
}

const (
	sqlNext = `SELECT
	(SELECT min(next_due_at) FROM sluice.streams WHERE enabled),
	(SELECT min(due_at) FROM sluice.hints WHERE asked_at IS NULL AND read_at IS NULL)`

	sqlUnfinished = `SELECT count(*) FROM river.river_job WHERE state NOT IN ('completed', 'cancelled', 'discarded')`

	sqlCalls = `SELECT count(*) FROM sluice.calls WHERE resource <> 'token'` // tokens cost nothing of the allowance
)

func (d *days) count(ctx context.Context, sql string, args ...any) (int, error) {
	var n int
	if err := d.app.DB.Pool().QueryRow(ctx, sql, args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("%s: %w", sql, err)
	}
	return n, nil
}

// copy lets time pass until the lists are copied, with their single records.
func (d *days) copy(ctx context.Context) error {
	d.end = d.clock.Now().Add(wholeDay)
	for err := d.step(ctx); ; err = d.next(ctx) {
		pending := 0
		for _, l := range fiveLists() {
			if err == nil && l.details {
				var n int
				n, err = d.count(ctx, "SELECT count(*) FROM "+quoted(l.service, l.resource)+" WHERE _detail_state = 'pending'")
				pending += n
			}
		}
		if err != nil {
			return fmt.Errorf("copy the lists first: %w", err)
		}
		if pending == 0 {
			return nil
		}
	}
}

// draw decides when each list changes within a span, so many times, and returns its end.
func (d *days) draw(edits int, span time.Duration) time.Time {
	began := d.clock.Now()
	chance := rand.New(rand.NewPCG(1, 1)) // it has to be repeatable
	for _, id := range twoOrganizations() {
		for _, l := range fiveLists() {
			for range edits {
				at := began.Add(time.Duration(chance.Int64N(int64(span)))).Truncate(time.Second)
				d.changes = append(d.changes, change{at: at, organization: id, list: l, seed: chance.Int64()})
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

// next moves the clock to the next instant at which something is to be done, and does it.
func (d *days) next(ctx context.Context) error {
	var due, told, turn, edit *time.Time
	if err := d.app.DB.Pool().QueryRow(ctx, sqlNext).Scan(&due, &told); err != nil {
		return fmt.Errorf("ask what is due: %w", err)
	}
	if d.keeper != nil {
		turn = &d.kept
	}
	if len(d.changes) > 0 {
		edit = &d.changes[0].at
	}
	at := d.end
	for _, candidate := range []struct {
		at   *time.Time
		look time.Duration // the interval between two looks for it
	}{{due, tickEvery}, {told, hintEvery}, {turn, time.Second}, {edit, time.Second}} {
		if candidate.at != nil {
			if seen := candidate.at.Truncate(candidate.look).Add(candidate.look); seen.Before(at) {
				at = seen
			}
		}
	}
	if err := d.clock.Advance(ctx, max(at.Sub(d.clock.Now()), hintEvery)); err != nil {
		return err
	}
	if err := d.change(ctx); err != nil {
		return err
	}
	return d.step(ctx)
}

// change makes the changes that are due, and upstream tell of them.
func (d *days) change(ctx context.Context) error {
	for len(d.changes) > 0 && !d.changes[0].at.After(d.clock.Now()) {
		c := d.changes[0]
		d.changes = d.changes[1:]
		changed, err := d.world.ChangeOf(c.organization, "", sandbox.Change{Seed: c.seed, Edits: 1, Resources: []string{c.list.stream()}})
		if err != nil {
			return err
		}
		for _, one := range changed {
			c.ids = append(c.ids, one.Edited...)
		}
		c.at = d.clock.Now().Truncate(time.Second)
		d.waiting = append(d.waiting, c)
		if sent := d.world.Deliver(ctx); len(c.ids) == 0 || d.keeper != nil && sent == 0 {
			return fmt.Errorf("%d records changed in %s, and upstream told of it %d times", len(c.ids), c.list.stream(), sent)
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
	if err := errors.Join(d.queue.Hint(ctx), d.queue.Tick(ctx)); err != nil {
		return err
	}
	for began := time.Now(); ; harness.Sleep(ctx, 2*time.Millisecond) {
		unfinished, err := d.count(ctx, sqlUnfinished)
		if err != nil {
			return err
		}
		if unfinished == 0 {
			return d.look(ctx)
		}
		if time.Since(began) > patience {
			return errors.New("the queue is not empty")
		}
	}
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
		there, err := d.count(ctx, "SELECT count(*) FROM "+quoted(c.list.service, c.list.resource)+" AS r JOIN sluice.calls c ON c.id = "+brought+
			" WHERE r.organization_id = $1 AND r."+quoted(c.list.id)+" = ANY ($2) AND c.reserved_at >= $3", c.organization, c.ids, c.at)
		if err != nil {
			return err
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
