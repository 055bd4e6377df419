package demo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/sandbox"
)

const (
	troubleSeed = 3
	deletions   = 200
	// lifeSeed is the seed of the first change while the demo stays up; the next one follows.
	lifeSeed = 1000
	// changeEvery is fast enough for a visitor. A change costs one call of the class hinted, which
	// may spend 750 of the day's 2,500 calls: enough for four hours. After them the list of bills
	// shows the changes, as long as the day lasts.
	changeEvery = 20 * time.Second
)

// stay lets the company live, sluice serve it, and the console show both, until the context ends.
func (s *Stage) stay(ctx context.Context) (err error) {
	if err := s.Trouble(ctx); err != nil {
		return err
	}
	serving, err := s.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, serving.stop()) }()
	if err := s.explain(); err != nil {
		return err
	}
	ticker := time.NewTicker(changeEvery)
	defer ticker.Stop()
	for seed := int64(lifeSeed); ; seed++ {
		change := sandbox.Change{Seed: seed, Edits: 1, Resources: []string{"bills"}}
		if seed%3 == 0 {
			change.Edits, change.Inserts = 0, 1
		}
		if _, err := s.Upstream.World.Change(change); err != nil {
			return fmt.Errorf("change the company: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-serving.ended:
			if ctx.Err() == nil { // a terminal sends Ctrl-C to both
				return errors.New("sluice serve ended")
			}
			return nil
		case <-ticker.C:
		}
	}
}

// Trouble makes what needs a person: two records that never fit, and more deletions at once than
// are believed, which two scans have to miss.
func (s *Stage) Trouble(ctx context.Context) error {
	if err := s.title("Two records that do not fit, and many deletions at once"); err != nil {
		return err
	}
	fault := sandbox.Fault{Path: "/inventory/v1/items", Kind: "poison"}
	if err := s.Upstream.World.SetFaults([]sandbox.Fault{fault}); err != nil {
		return fmt.Errorf("let upstream send records that do not fit: %w", err)
	}
	changed, err := s.Upstream.World.Change(sandbox.Change{
		Seed: s.options.Seed + troubleSeed, Deletes: deletions, Resources: []string{"credit_notes"},
	})
	if err != nil {
		return fmt.Errorf("delete credit notes: %w", err)
	}
	deleted := 0
	for _, ids := range changed {
		deleted += len(ids.Deleted)
	}
	if err := s.say("Upstream deleted %d credit notes.\n", deleted); err != nil {
		return err
	}
	const needsAPerson = 1
	for _, line := range []string{"sync inventory.items inventory.credit_notes", "sync inventory.credit_notes"} {
		if err := s.show(ctx, line, needsAPerson); err != nil {
			return err
		}
	}
	return nil
}

// explain says how other commands use what keeps running.
func (s *Stage) explain() error {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(s.Environment)) {
		lines = append(lines, "export "+name+"="+quoted(s.Environment[name]))
	}
	return s.say("\nThe console is at http://%s/\n"+
		"The sandbox stays at %s, the database as above; the company changes three times a minute. Ctrl-C ends all.\n"+
		"Other commands work on them (sluice status, check, budget, sync, explain) in a shell with these lines, whose secrets open nothing else:\n\n%s",
		s.console, s.Upstream.URL, strings.Join(lines, "\n"))
}

// quoted quotes a text as one word for a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
