package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sluice/pipeline/engine"
	"sluice/sandbox"
)

// demoLife is what runs while a demo stays up: the company changes three times a minute, sluice
// serves it, and the console shows both.
type demoLife struct {
	stage    *demoStage
	receiver *receiverListener
	queue    *engine.Queue
	console  *consoleListener
}

// trouble makes what needs a person: two records that never fit, and more deletions at once than
// are believed, which two scans have to miss.
func (s *demoStage) trouble(ctx context.Context, seed int64) error {
	if err := s.title("Two records that do not fit, and many deletions at once"); err != nil {
		return err
	}
	fault := sandbox.Fault{Path: "/inventory/v1/items", Kind: "poison"}
	if err := s.upstream.world.SetFaults([]sandbox.Fault{fault}); err != nil {
		return fmt.Errorf("let upstream send records that do not fit: %w", err)
	}
	changed, err := s.upstream.world.Change(sandbox.Change{Seed: seed + demoTroubleSeed, Deletes: demoDeletions, Resources: []string{"credit_notes"}})
	if err != nil {
		return fmt.Errorf("delete credit notes: %w", err)
	}
	result, err := s.cli.syncOnce(ctx, s.app, []string{"inventory.items", "inventory.credit_notes"}, "")
	if err != nil {
		return err
	}
	if err := s.say("Upstream deleted %d credit notes. %s\n", deleted(changed), result.text()); err != nil {
		return err
	}
	if result, err = s.cli.syncOnce(ctx, s.app, []string{"inventory.credit_notes"}, ""); err != nil {
		return err
	}
	return s.say("%s", result.text())
}

func deleted(changed sandbox.Changed) int {
	n := 0
	for _, ids := range changed {
		n += len(ids.Deleted)
	}
	return n
}

const (
	demoTroubleSeed = 3
	demoDeletions   = 200
	// demoLifeSeed is the seed of the first change while the demo stays up; the next one follows.
	demoLifeSeed = 1000
	// demoChangeEvery is fast enough for a visitor. A change costs one call of the class hinted,
	// which may spend 750 of the day's 2,500 calls: enough for four hours. After them the list of
	// bills shows the changes, as long as the day lasts.
	demoChangeEvery = 20 * time.Second
)

// live starts the queue with its schedule, the receiver of callbacks, and the console.
func (s *demoStage) live(ctx context.Context) (*demoLife, error) {
	life := &demoLife{stage: s}
	var err error
	if life.receiver, err = openListener(ctx, s.app, callbackMetrics(s.app)); err != nil {
		return nil, err
	}
	if life.queue, err = s.app.StartQueue(context.WithoutCancel(ctx), true); err != nil {
		return nil, errors.Join(err, life.close(ctx))
	}
	if life.console, err = s.cli.openConsole(ctx, s.app, "127.0.0.1:0"); err != nil {
		return nil, errors.Join(err, life.close(ctx))
	}
	return life, nil
}

// until changes the company until the context ends.
func (l *demoLife) until(ctx context.Context) error {
	ticker := time.NewTicker(demoChangeEvery)
	defer ticker.Stop()
	for seed := int64(demoLifeSeed); ; seed++ {
		change := sandbox.Change{Seed: seed, Edits: 1, Resources: []string{"bills"}}
		if seed%3 == 0 {
			change.Edits, change.Inserts = 0, 1
		}
		if _, err := l.stage.upstream.world.Change(change); err != nil {
			return fmt.Errorf("change the company: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func (l *demoLife) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), queueStopLimit)
	defer cancel()
	var errs []error
	errs = append(errs, l.console.stop(ctx), l.receiver.stop(ctx))
	if l.queue != nil {
		errs = append(errs, l.queue.Stop(ctx))
	}
	return errors.Join(errs...)
}
