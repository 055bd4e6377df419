package cells_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"sluice/pipeline"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/cells"
	"sluice/schema/record"
)

var wantedMoves = flag.Int("moves", 12, "how many moves of organizations end well while processes write") //nolint:gochecknoglobals // a flag

// The allowance of each organization, in a minute that is a second long.
const (
	perMinute = 20
	minute    = time.Second
)

// world is a fleet whose processes write, and what they have written.
type world struct {
	testing.TB
	members       []*member
	processes     []*warehouse.DB
	organizations []string

	mu      sync.Mutex
	clock   time.Time                    // upstream's
	rows    map[string]map[string]string // the name of each record, by organization
	granted map[string][]int64           // the calls that were let through, by organization
	moves   int
}

// TestAFleetWhoseOrganizationsMove: processes of four cells call and load for the same
// organizations, which move while movers are killed. In the end each is in one cell, with the rows
// that were written and the calls that were made, and no allowance was exceeded by all cells
// together (invariants 3 and 6).
func TestAFleetWhoseOrganizationsMove(t *testing.T) {
	t.Parallel()
	w := &world{TB: t, members: fleetOf(t, "few_tables", fewTables, "a", "b", "c", "d"), organizations: []string{"101", "102", "103", "104", "105"},
		clock: time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC), rows: map[string]map[string]string{}, granted: map[string][]int64{}}
	for _, m := range w.members {
		w.processes = append(w.processes, m.process(calls.Rules{Lease: 2 * time.Second, Window: minute, Day: time.Hour}))
	}
	for i, organization := range w.organizations {
		at := i % len(w.members)
		w.members[at].settle(organization)
		w.members[at].must(register(t.Context(), w.processes[at], organization))
		w.rows[organization] = map[string]string{}
	}
	writing, stop := context.WithCancel(t.Context())
	defer stop()
	var writers errgroup.Group
	for at := range w.members {
		for _, organization := range w.organizations {
			writers.Go(func() error { return w.write(writing, at, organization) })
		}
	}
	var movers errgroup.Group
	for range 3 {
		movers.Go(func() error {
			for !w.enough() {
				if err := w.move(t.Context()); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := movers.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, organization := range w.organizations {
		w.finish(organization)
	}
	stop()
	if err := writers.Wait(); err != nil {
		t.Fatal(err)
	}
	oneHome(t, w.members)
	for _, organization := range w.organizations {
		w.check(organization)
	}
}

// enough reports whether the moves are as many as wanted, and the calls of each organization twice
// its allowance of a minute.
func (w *world) enough() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moves >= *wantedMoves && !slices.ContainsFunc(w.organizations, func(o string) bool { return len(w.granted[o]) < 2*perMinute })
}

// write is a process of a cell: it calls for an organization whenever the cell lets it, and loads
// what it is told. Now and then a worker dies between the call and its end.
func (w *world) write(ctx context.Context, at int, organization string) error {
	db := w.processes[at]
	for ctx.Err() == nil {
		// Not ended in the middle: the call could be counted, and the writer not know.
		decision, err := db.Reserve(context.WithoutCancel(ctx), callOf(organization, 0), pipeline.Limits{Shared: "suite", PerMinute: perMinute, Concurrent: 5})
		switch {
		case err != nil:
			return fmt.Errorf("reserving a call of %s: %w", organization, err)
		case decision.Refused != "":
			select {
			case <-ctx.Done():
			case <-time.After(min(decision.Wait, 20*time.Millisecond)):
			}
			continue
		}
		w.mu.Lock()
		w.granted[organization] = append(w.granted[organization], decision.Call)
		w.mu.Unlock()
		if rand.IntN(3) > 0 {
			if err := w.load(context.WithoutCancel(ctx), db, organization, decision.Call); err != nil {
				return err
			}
		}
		if rand.IntN(20) == 0 {
			continue // the call is under way until its lease ends
		}
		if err := db.Finish(context.WithoutCancel(ctx), decision.Call, pipeline.CallResult{Status: 200}); err != nil {
			return fmt.Errorf("finishing a call of %s: %w", organization, err)
		}
	}
	return nil
}

// load writes the next version of some record of an organization.
func (w *world) load(ctx context.Context, db *warehouse.DB, organization string, call int64) error {
	w.mu.Lock()
	w.clock = w.clock.Add(time.Second)
	id, name, now := rand.IntN(30), "version of "+w.clock.Format(time.RFC3339), w.clock
	w.mu.Unlock()
	claim, err := db.Claim(ctx, streamOf(organization), pipeline.ClassIncremental)
	var loaded record.Record
	if err == nil {
		loaded = thing(w.TB, id, name, now)
		_, err = db.Load(ctx, batchOf(claim, call, loaded))
	}
	if err != nil {
		// The lease of the call may have ended on a busy machine, and the organization be elsewhere
		// by now.
		if strings.Contains(err.Error(), "SLC01") || errors.Is(err, pipeline.ErrLostClaim) || errors.Is(err, warehouse.ErrNoStream) {
			return nil
		}
		return fmt.Errorf("loading a record of %s: %w", organization, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rows[organization][fmt.Sprint(id)] = name
	return nil
}

// move moves some organization to some cell, and is killed half of the times.
func (w *world) move(ctx context.Context) error {
	organization := w.organizations[rand.IntN(len(w.organizations))]
	from, to := w.members[rand.IntN(len(w.members))], w.members[rand.IntN(len(w.members))]
	if from == to {
		return nil
	}
	home, err := from.Home(ctx, organization)
	if err != nil {
		return err
	}
	switch home.State {
	case cells.Here, cells.Leaving, cells.Sealed, cells.Left:
	case cells.Arriving, cells.Arrived, "":
		return nil
	}
	moves := &cells.Move{From: from.Database, To: to.Database, Organization: organization}
	killed, kill := context.WithCancel(ctx)
	defer kill()
	if rand.IntN(2) == 0 {
		at := rand.IntN(150) // of the steps that are told
		moves.Progress = func(cells.Step, string, int64) {
			if at--; at < 0 {
				kill()
			}
		}
	}
	if rand.IntN(6) == 0 {
		err = moves.GiveUp(killed)
	} else if err = moves.Run(killed); err == nil && home.State != cells.Left {
		w.mu.Lock()
		w.moves++
		w.mu.Unlock()
	}
	switch {
	case err == nil, killed.Err() != nil, errors.Is(err, cells.ErrElsewhere), errors.Is(err, cells.ErrBusy), errors.Is(err, cells.ErrUnderWay):
		return nil
	default:
		return fmt.Errorf("moving %s from %s to %s: %w", organization, from.Database.Name, to.Database.Name, err)
	}
}

// finish ends the move of an organization that was ended early, and drops what it left.
func (w *world) finish(organization string) {
	w.Helper()
	byName := map[string]*member{}
	for _, m := range w.members {
		byName[m.Database.Name] = m
	}
	for range 2 { // first to where it goes; then what is left elsewhere is dropped
		var home *member
		for _, m := range w.members {
			found, err := m.Home(w.Context(), organization)
			m.must(err)
			switch found.State {
			case cells.Leaving, cells.Sealed:
				w.run(m, byName[found.Peer], organization)
				home = byName[found.Peer]
			case cells.Arrived:
				if from, err := byName[found.Peer].Home(w.Context(), organization); err == nil && from.State == cells.Left && from.Move == found.Move {
					w.run(byName[found.Peer], m, organization)
				}
			case cells.Here:
				home = m
			case cells.Left, cells.Arriving, "":
			}
		}
		for _, m := range w.members {
			found, err := m.Home(w.Context(), organization)
			m.must(err)
			if found.State == cells.Left && found.DroppedAt == nil && home != nil && home != m {
				w.run(m, home, organization)
			}
		}
	}
}

func (w *world) run(from, to *member, organization string) {
	w.Helper()
	if err := (&cells.Move{From: from.Database, To: to.Database, Organization: organization}).Run(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// check compares what the cells have of an organization with what was written and called.
func (w *world) check(organization string) {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	var homes []*member
	var logged []int64
	var times []time.Time
	for _, m := range w.members {
		home, err := m.Home(w.Context(), organization)
		m.must(err)
		if home.State == cells.Here {
			homes = append(homes, m)
		} else {
			if home.State != "" && home.State != cells.Left {
				w.Errorf("cell %s says that organization %s is %s", m.Database.Name, organization, home.State)
			}
			if left := m.contents(organization, append(m.moves(), strings.Fields(dropped)...)); len(left) > 0 {
				w.Errorf("cell %s has rows of organization %s: %v", m.Database.Name, organization, left)
			}
		}
		logged = append(logged, list[int64](m, `SELECT id FROM sluice.calls WHERE organization_id = $1 ORDER BY id`, organization)...)
		times = append(times, list[time.Time](m, `SELECT reserved_at FROM sluice.calls WHERE organization_id = $1`, organization)...)
	}
	if len(homes) != 1 {
		w.Fatalf("organization %s is at home in %d cells", organization, len(homes))
	}
	rows := map[string]string{}
	for _, line := range list[string](homes[0], `SELECT thing_id || ' ' || name FROM shop.things WHERE organization_id = $1`, organization) {
		id, name, _ := strings.Cut(line, " ")
		rows[id] = name
	}
	if diff := cmp.Diff(w.rows[organization], rows); diff != "" {
		w.Errorf("organization %s has other rows than were written (-written +there):\n%s", organization, diff)
	}
	slices.Sort(w.granted[organization])
	if diff := cmp.Diff(w.granted[organization], logged); diff != "" {
		w.Errorf("the logs of calls of organization %s have others than were let through (-let through +logged):\n%s", organization, diff)
	}
	slices.SortFunc(times, time.Time.Compare)
	for i := perMinute; i < len(times); i++ {
		if within := times[i].Sub(times[i-perMinute]); within < minute {
			w.Errorf("organization %s made %d calls within %s", organization, perMinute+1, within)
		}
	}
}
