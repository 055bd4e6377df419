package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/engine/config"
	"sluice/pipeline/events"
	"sluice/pipeline/jobs"
	changelog "sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/receivers"
)

// EventReceiver is a receiver of events as commands and pages show it. It has no secret, and of the
// address the host only.
type EventReceiver struct {
	receivers.Receiver

	// Configured says that this configuration has it. Begun says that it has a position.
	Configured, Begun bool
	// Lag is the age of the oldest change that it was not told; zero if it has everything.
	Lag time.Duration
	// Lost says that its position cannot be followed, so that it will be told to read the tables
	// anew.
	Lost bool
}

// ForgottenAt is when the row of a receiver is deleted that no configuration has.
func (r *EventReceiver) ForgottenAt() time.Time { return r.ConfiguredAt.Add(receivers.Kept) }

// EventReceivers returns the configured receivers, and those that the configuration no longer has
// but the database still knows, by name.
func (a *App) EventReceivers(ctx context.Context) ([]EventReceiver, error) {
	rows, err := receivers.List(ctx, a.DB.Pool())
	if err != nil {
		return nil, err
	}
	all := []EventReceiver{}
	for i := range rows {
		r := EventReceiver{Receiver: rows[i], Begun: true, Configured: a.eventReceiver(rows[i].Name) != nil}
		page, _, err := changelog.Read(ctx, a.DB.Pool(), r.Cursor, 1)
		switch {
		case errors.Is(err, changelog.ErrCursor):
			r.Lost = true
		case err != nil:
			return nil, fmt.Errorf("look what receiver %s was not told: %w", r.Name, err)
		case len(page) > 0:
			r.Lag = max(a.options.Now().Sub(page[0].At), 0)
		}
		all = append(all, r)
	}
	for i := range a.Config.Events {
		name := a.Config.Events[i].Name
		if !slices.ContainsFunc(all, func(r EventReceiver) bool { return r.Name == name }) {
			all = append(all, EventReceiver{Receiver: receivers.Receiver{Name: name, State: receivers.OK}, Configured: true})
		}
	}
	slices.SortFunc(all, func(x, y EventReceiver) int { return strings.Compare(x.Name, y.Name) })
	return all, nil
}

// eventReceiver returns a configured receiver; nil if there is none of the name.
func (a *App) eventReceiver(name string) *config.EventReceiver {
	return find(a.Config.Events, func(r *config.EventReceiver) bool { return r.Name == name })
}

func (a *App) deliverer(of *config.EventReceiver) *events.Deliverer {
	pool := a.DB.Pool()
	return events.New(events.Options{
		Receiver: events.Receiver{
			Name: of.Name, URL: of.URL, Tables: of.Tables, Organizations: of.Organizations, Ops: of.Ops,
			Keys: func() [][]byte { return a.secrets.eventKeys(of.Name) },
		},
		Log: changeLog{pool}, Positions: position{pool, of.Name}, Now: a.options.Now, Scrub: a.options.Scrub, Logger: a.Log,
	})
}

// events returns what the queue needs to deliver events; nil if there are no receivers.
func (a *App) events(ctx context.Context, stopping <-chan struct{}) (*jobs.Events, error) {
	if len(a.Config.Events) == 0 {
		return nil, nil //nolint:nilnil // none is no error
	}
	if err := a.registerReceivers(ctx); err != nil {
		return nil, err
	}
	of := &jobs.Events{Ahead: a.receiversAhead}
	deliverers := make(map[string]*events.Deliverer, len(a.Config.Events))
	for i := range a.Config.Events {
		name := a.Config.Events[i].Name
		of.Receivers = append(of.Receivers, name)
		deliverers[name] = a.deliverer(&a.Config.Events[i])
	}
	of.Deliver = func(ctx context.Context, receiver string) error { return deliverers[receiver].Deliver(ctx, stopping) }
	return of, nil
}

// registerReceivers gives the receivers of the configuration a position, if they have none yet:
// they are told what changes from now on.
func (a *App) registerReceivers(ctx context.Context) error {
	names := make([]string, len(a.Config.Events))
	for i := range a.Config.Events {
		names[i] = a.Config.Events[i].Name
	}
	now, err := changeLog{a.DB.Pool()}.Now(ctx)
	if err != nil {
		return err
	}
	return receivers.Register(ctx, a.DB.Pool(), names, now)
}

// receiversAhead returns the receivers that can be told something now. It moves the position of
// those that have everything on now and then, so that it never becomes older than the log.
func (a *App) receiversAhead(ctx context.Context) ([]string, error) {
	pool := a.DB.Pool()
	rows, err := receivers.List(ctx, pool)
	if err != nil {
		return nil, err
	}
	var ahead []string
	fresh := 0
	for i := range rows {
		r := &rows[i]
		if a.eventReceiver(r.Name) == nil {
			continue
		}
		if r.Fresh {
			fresh++
		}
		if !r.Ready {
			continue
		}
		page, next, err := changelog.Read(ctx, pool, r.Cursor, 1)
		switch {
		case errors.Is(err, changelog.ErrCursor) || len(page) > 0:
			ahead = append(ahead, r.Name)
		case err != nil:
			return nil, err
		case r.Idle:
			if err := receivers.Refresh(ctx, pool, r.Name, r.Cursor, next); err != nil {
				return nil, err
			}
		}
	}
	if fresh < len(a.Config.Events) {
		return ahead, a.registerReceivers(ctx)
	}
	return ahead, nil
}

// finishLimit bounds how long a process that ends soon delivers what it changed.
const finishLimit = time.Minute

// FinishEvents waits until the receivers were told everything, or fail, a minute at most: a process
// without a schedule would else end before they hear of what it changed.
func (q *Queue) FinishEvents(ctx context.Context) error {
	if q.ahead == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, finishLimit)
	defer cancel()
	for {
		ahead, err := q.ahead(ctx)
		if ctx.Err() != nil {
			return nil // the next process goes on
		}
		if err != nil || len(ahead) == 0 {
			return err
		}
		_ = wait(ctx, finishPoll) // the next look sees that ctx ended
	}
}

const finishPoll = 200 * time.Millisecond

// TestEvents posts a test message to a receiver. The error says why it was not acknowledged.
func (a *App) TestEvents(ctx context.Context, name string) error {
	of := a.eventReceiver(name)
	if of == nil {
		return a.noReceiver(name)
	}
	if len(a.secrets.eventKeys(name)) == 0 {
		return fmt.Errorf("%w: the secret of receiver %s is missing", ErrUsage, name)
	}
	return a.deliverer(of).Test(ctx, "msg_test_"+rand.Text())
}

// EnableEvents lets a receiver go on at once where it stopped.
func (a *App) EnableEvents(ctx context.Context, name string) error {
	return a.known(name, receivers.Enable(ctx, a.DB.Pool(), name))
}

// ReplayEvents moves a receiver to a cursor of analytics.changes_cursor(), and "now" behind
// everything that is committed. It is told what is in the log behind it, again or for the first
// time. It returns the cursor.
func (a *App) ReplayEvents(ctx context.Context, name, from string) (string, error) {
	pool := a.DB.Pool()
	if from == "now" {
		var err error
		if from, err = (changeLog{pool}).Now(ctx); err != nil {
			return "", err
		}
	} else if _, _, err := changelog.Read(ctx, pool, from, 1); err != nil {
		if errors.Is(err, changelog.ErrCursor) {
			err = fmt.Errorf("%w: --from: %w", ErrUsage, err)
		}
		return "", err
	}
	if a.eventReceiver(name) != nil {
		if err := a.registerReceivers(ctx); err != nil {
			return "", err
		}
	}
	return from, a.known(name, receivers.Move(ctx, pool, name, from))
}

// known turns the error of a receiver without a position into one that says what to do.
func (a *App) known(name string, err error) error {
	switch {
	case !errors.Is(err, postgres.ErrNotFound):
		return err
	case a.eventReceiver(name) == nil:
		return a.noReceiver(name)
	default:
		return fmt.Errorf("%w: receiver %s has no position yet: it gets one when sluice serve or sluice sync begins", ErrUsage, name)
	}
}

func (a *App) noReceiver(name string) error {
	return fmt.Errorf("%w: there is no receiver %q: sluice events lists them", ErrUsage, name)
}

// changeLog reads the log of changes by the connections of a pool.
type changeLog struct{ pool *pgxpool.Pool }

// Read implements events.Log.
func (l changeLog) Read(ctx context.Context, after string, limit int) ([]changelog.Change, string, error) {
	return changelog.Read(ctx, l.pool, after, limit)
}

// Now implements events.Log. If the log does not have every change, it begins the log anew
// first.
func (l changeLog) Now(ctx context.Context) (string, error) {
	if _, err := changelog.Renew(ctx, l.pool); err != nil {
		return "", err
	}
	return changelog.Now(ctx, l.pool)
}

// position is the stored position of a receiver.
type position struct {
	pool *pgxpool.Pool
	name string
}

// Claim implements events.Positions.
func (p position) Claim(ctx context.Context) (*receivers.Claimed, error) {
	return receivers.Claim(ctx, p.pool, p.name)
}

// Advance implements events.Positions.
func (p position) Advance(ctx context.Context, claim int64, to receivers.Position, delivered int, failed *receivers.Failure) error {
	return receivers.Advance(ctx, p.pool, p.name, claim, to, delivered, failed)
}
