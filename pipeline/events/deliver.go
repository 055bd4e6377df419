package events

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/receivers"
)

// Options configure a Deliverer.
type Options struct {
	Receiver  Receiver
	Log       Log
	Positions Positions
	Now       func() time.Time
	// Lanes is how many messages are posted at once; Limit bounds one post. Zero means the usual.
	Lanes int
	Limit time.Duration
	// First is the wait after a failure; it doubles with each further one, up to Longest. Zero
	// means the usual: a second, and an hour.
	First, Longest time.Duration
	// RootCAs replace the authorities of the system if they are set.
	RootCAs *x509.CertPool
	Scrub   *outside.Scrubber
	Logger  *slog.Logger
}

// The usual figures.
const (
	usualLanes   = 8
	usualFirst   = time.Second
	usualLongest = time.Hour
	// A page has about messagesAtOnce messages, and a kill repeats one page at most. How many rows
	// that are is learned from the last page, because one row has any number of records.
	messagesAtOnce, firstRows, mostRows = 1000, 20, 1000
	// partLimit bounds the time between two stored positions, deliverLimit that of one call.
	partLimit, deliverLimit = 30 * time.Second, 5 * time.Minute
	// noteLimit bounds the storing of a position when the process ends.
	noteLimit = 10 * time.Second
)

// Deliverer delivers messages to one receiver.
type Deliverer struct {
	options Options
	poster  *poster
}

// New makes a Deliverer.
func New(o Options) *Deliverer {
	o.Lanes = orUsual(o.Lanes, usualLanes)
	o.Limit = orUsual(o.Limit, postLimit)
	o.First, o.Longest = orUsual(o.First, usualFirst), orUsual(o.Longest, usualLongest)
	return &Deliverer{options: o, poster: newPoster(&o)}
}

func orUsual[T int | time.Duration](value, usual T) T {
	if value == 0 {
		return usual
	}
	return value
}

// Deliver posts what the receiver has not got yet, until it has everything, a post fails, stopping
// is closed, or some minutes have passed: the next call goes on. It returns no error if the
// receiver fails, because that is stored with the position.
func (d *Deliverer) Deliver(ctx context.Context, stopping <-chan struct{}) error {
	claim, err := d.options.Positions.Claim(ctx)
	if err != nil || claim == nil {
		return err
	}
	defer d.poster.client.CloseIdleConnections()
	run := &run{Deliverer: d, claim: claim, until: d.options.Now().Add(deliverLimit), stopping: stopping}
	err = run.follow(ctx)
	if errors.Is(err, receivers.ErrLost) {
		return nil
	}
	return err
}

// Test posts a message of type test, and says why it failed.
func (d *Deliverer) Test(ctx context.Context, id string) error {
	defer d.poster.client.CloseIdleConnections()
	m, err := messageOf(id, body{Type: testMessage, Timestamp: d.options.Now().UTC(), Data: struct{}{}})
	if err != nil {
		return err
	}
	return d.poster.post(ctx, &m)
}

// run is one call of Deliver.
type run struct {
	*Deliverer

	claim    *receivers.Claimed
	until    time.Time
	stopping <-chan struct{}
}

// follow reads the log from the position on and delivers it, page by page.
func (r *run) follow(ctx context.Context) error {
	for rows := firstRows; !r.ends(); {
		page, next, err := r.options.Log.Read(ctx, r.claim.Cursor, rows)
		switch {
		case errors.Is(err, changes.ErrCursor):
			if ended, err := r.restart(ctx, err); ended || err != nil {
				return err
			}
			continue
		case err != nil:
			return fmt.Errorf("read what to tell %s: %w", r.options.Receiver.Name, err)
		case len(page) == 0: // the cursor moves on all the same
			return r.advance(ctx, receivers.Position{Cursor: next}, 0, nil)
		}
		groups, many, err := r.groups(page)
		if err != nil {
			return err
		}
		if ended, err := r.deliver(ctx, groups, next); ended || err != nil {
			return err
		}
		rows = min(max(rows*messagesAtOnce/max(many, 1), 1), 2*rows, mostRows)
	}
	return nil
}

// ends reports whether this call should end soon.
func (r *run) ends() bool {
	select {
	case <-r.stopping:
		return true
	default:
		return !r.options.Now().Before(r.until)
	}
}

// groups are the messages of a page. All of a group are delivered before the first of the next one:
// the end of a run is a group of its own, so that it is told after all that the run changed. It
// returns their number, too.
func (r *run) groups(page []changes.Change) ([][]message, int, error) {
	var groups [][]message
	many, alone := 0, true
	for i := range page {
		row := &page[i]
		if !r.options.Receiver.wants(row) {
			continue
		}
		messages, err := messagesOf(r.claim.History, row)
		if err != nil {
			return nil, 0, err
		}
		if ends := row.Op == changes.Finished; alone || ends {
			groups, alone = append(groups, messages), ends
		} else {
			groups[len(groups)-1] = append(groups[len(groups)-1], messages...)
		}
		many += len(messages)
	}
	return groups, many, nil
}

// deliver delivers a page and stores the cursor behind it. It reports whether the run ends.
func (r *run) deliver(ctx context.Context, groups [][]message, behind string) (bool, error) {
	for {
		done := r.post(ctx, groups)
		to, failed := receivers.Position{Cursor: r.claim.Cursor, Acknowledged: done.acknowledged}, (*receivers.Failure)(nil)
		if done.all {
			to = receivers.Position{Cursor: behind}
		}
		if done.delivered > 0 {
			r.claim.Failures = 0
		}
		if done.failure != nil {
			failed = r.failed(ctx, done.failure)
		}
		if err := r.advance(ctx, to, done.delivered, failed); err != nil {
			return true, err
		}
		if ctx.Err() != nil {
			return true, fmt.Errorf("deliver to %s: %w", r.options.Receiver.Name, context.Cause(ctx))
		}
		if done.all || failed != nil || r.ends() {
			return failed != nil || r.ends(), nil
		}
	}
}

// advance stores a position, also if ctx ended meanwhile: what is acknowledged is then not sent
// again.
func (r *run) advance(ctx context.Context, to receivers.Position, delivered int, failed *receivers.Failure) error {
	note, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteLimit)
	defer cancel()
	if err := r.options.Positions.Advance(note, r.claim.Number, to, delivered, failed); err != nil {
		return err
	}
	r.claim.Position = to
	return nil
}

// failed says what a failure means for the receiver, and logs it.
func (r *run) failed(ctx context.Context, why *failure) *receivers.Failure {
	r.claim.Failures++
	f := &receivers.Failure{Why: why.why, Failures: r.claim.Failures, Disable: why.gone, Wait: max(r.backoff(r.claim.Failures), why.after)}
	if f.Disable {
		r.options.Logger.WarnContext(ctx, "a receiver of events is disabled", "receiver", r.options.Receiver.Name, "reason", f.Why)
		return f
	}
	r.options.Logger.WarnContext(ctx, "a receiver of events fails", "receiver", r.options.Receiver.Name, "reason", f.Why,
		"failures", f.Failures, "wait", f.Wait.Round(time.Millisecond))
	return f
}

// backoff is the wait after so many failures in a row, changed by up to a fifth, so that receivers
// that failed together are not tried together.
func (r *run) backoff(failures int) time.Duration {
	wait := r.options.First
	for i := 1; i < failures && wait < r.options.Longest; i++ {
		wait *= 2
	}
	wait = min(wait, r.options.Longest)
	return wait - wait/5 + rand.N(2*wait/5+1)
}

// restart tells the receiver that its position cannot be followed, and goes on from now. The new
// position is taken before the message is sent: what the receiver then reads whole is at least as
// new.
func (r *run) restart(ctx context.Context, why error) (bool, error) {
	now, err := r.options.Log.Now(ctx)
	if err != nil {
		return true, fmt.Errorf("take a new position for %s: %w", r.options.Receiver.Name, err)
	}
	m, err := messageOf(restartID(r.options.Receiver.Name, r.claim.Cursor), body{
		Type: feedRestarted, Timestamp: r.options.Now().UTC(), Data: restarted{Reason: restartReason, Cursor: now},
	})
	if err != nil {
		return true, err
	}
	r.options.Logger.WarnContext(ctx, "a receiver of events has to read the tables anew", "receiver", r.options.Receiver.Name,
		"error", r.options.Scrub.Error(why))
	return r.deliver(ctx, [][]message{{m}}, now)
}

// restartReason is what a receiver is told whose position cannot be followed.
const restartReason = "changes were lost to this receiver: the database was restored or promoted, or they were older than retention.changes"
