package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-dev/harness"
	"sluice/sandbox"
)

// stage is the environment of the measured processes: one durable Postgres, as a user's warehouse
// is, and a folder for files.
type stage struct {
	postgres *harness.Server
	folder   string
	made     int
}

// onStage runs work on a stage, and removes the stage afterwards, also after an interruption.
func onStage(ctx context.Context, work func(s *stage) error) (err error) {
	s := new(stage)
	if s.folder, err = os.MkdirTemp("", "sluice-bench-"); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.folder)) }()
	if s.postgres, err = harness.StartServer(ctx, harness.ServerOptions{Durable: true}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.postgres.Stop(ctx)) }()
	if err := s.postgres.MakeEmpty(ctx); err != nil {
		return err
	}
	return work(s)
}

// warehouse is one database of the stage, and the world that it copies.
type warehouse struct {
	*stage

	name  string
	world *world
}

// fresh runs work on a copy of the migrated database without rows, beside a new world, and drops it
// afterwards.
func (s *stage) fresh(ctx context.Context, options sandbox.Options, work func(w *warehouse) error) error {
	return inWorld(ctx, options, func(u *world) error {
		s.made++
		w := &warehouse{stage: s, name: fmt.Sprintf("bench_%d", s.made), world: u}
		if err := s.postgres.Create(ctx, w.name, harness.Empty); err != nil {
			return err
		}
		return errors.Join(work(w), s.postgres.Execute(context.WithoutCancel(ctx), "", "DROP DATABASE "+w.name+" WITH (FORCE)"))
	})
}

// do runs work on a connection of its own.
func (w *warehouse) do(ctx context.Context, work func(conn *pgx.Conn) error) error {
	return w.postgres.Do(ctx, w.name, work)
}

// world is a simulated upstream in this process: the measurement moves its clock and knows what its
// lists hold.
type world struct {
	*sandbox.Server

	// address is its host:port.
	address string
	// moved is how far the clock was moved on.
	moved time.Duration
}

// sharePercent is the share of items in a company, and that of bills (package sandbox/world).
const sharePercent = 28

// companyOf returns the records of a company with so many items.
func companyOf(items int) int { return (items*100 + sharePercent - 1) / sharePercent }

// unlimited are the options of a world with a number of records and without limits.
func unlimited(records int) sandbox.Options {
	return sandbox.Options{Records: records, Limits: sandbox.Limits{Off: true}}
}

// behind is how far the clock of a world is behind at the start of a count of calls. The measurement
// moves it on: what happens before a step is then older than the lag of the watermark.
const behind = 6 * time.Hour

// inWorld runs work beside a new world. Without a clock in the options its clock is right.
func inWorld(ctx context.Context, options sandbox.Options, work func(u *world) error) error {
	options.Plan, options.Seed = harness.Plan, 1
	if options.Now == nil {
		options.Now = time.Now
	}
	server, err := sandbox.New(options)
	if err != nil {
		return fmt.Errorf("simulate upstream: %w", err)
	}
	server.Advance(time.Second) // from now on the header Date has the virtual time
	address, hangUp, err := harness.Listen(ctx, server)
	if err != nil {
		return err
	}
	return errors.Join(work(&world{Server: server, address: address}), hangUp())
}

// Advance moves the clock on.
func (u *world) Advance(step time.Duration) {
	u.moved += step
	u.Server.Advance(step)
}

// together is how many records change in a second.
const together = 4

// edit changes a number of records of a list and returns how many it were.
func (u *world) edit(l list, edits int) (int, error) {
	edited := make(map[string]bool)
	for left := edits; left > 0; left -= together {
		u.Advance(time.Second)
		changed, err := u.Change(sandbox.Change{Seed: int64(u.moved), Edits: min(left, together), Resources: []string{l.resource}})
		if err != nil {
			return 0, err
		}
		for _, id := range changed[l.resource].Edited {
			edited[id] = true
		}
	}
	return len(edited), nil
}

// grow adds records to a list until it has so many.
func (u *world) grow(l list, records int) error {
	for missing := records - len(u.Listed(l.service, l.resource)); missing > 0; missing -= together {
		u.Advance(time.Second)
		if _, err := u.Change(sandbox.Change{Inserts: min(missing, together), Resources: []string{l.resource}}); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes records of a list upstream.
func (u *world) remove(ctx context.Context, l list, ids []string) error {
	return harness.Control(ctx, u.Server, http.MethodPost, "delete", map[string]any{"resource": l.stream(), "ids": ids}, nil)
}
