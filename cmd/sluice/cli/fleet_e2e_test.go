//go:build e2e

package cli

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

var fleetSeed = flag.Uint64("fleet-seed", 0, "the seed of TestAFleetOfFourCellsUnderKills; 0 draws one")

// servedFleet is a fleet whose cells are served, each by a process of its own, and whose
// organizations move.
type servedFleet struct {
	*fleetFixture // of the first cell

	cells         []*servedCell
	organizations []business
	homes         map[string]*servedCell // where each organization is, by name
	meetings      meetings

	chance *rand.Rand
	strike int // so many calls in all have arrived when the next process of a cell is killed
	moves  struct{ ended, givenUp int }
	killed struct{ movers, served int }
}

// servedCell is a cell and its process. It calls upstream at an address of its own, which tells
// whose a call is.
type servedCell struct {
	*fixture

	name, variable string
	serve          *process
}

// TestAFleetOfFourCellsUnderKills: the processes of four cells copy, and processes move their
// organizations between the cells. Of both, some are killed at any instant, and moves are given up.
// In the end each organization is in one cell, with the rows that upstream has. Upstream judges the
// limits, and no two cells ever called for one organization at once (invariants 3 and 6).
func TestAFleetOfFourCellsUnderKills(t *testing.T) {
	t.Parallel()
	const (
		rounds            = 6
		minute            = 4 * time.Second
		perMinute, atOnce = 100, 10 // of the plan premium: docs/upstream.md U40 and U41
	)
	f := newServedFleet(t, minute)
	for range rounds {
		calls := f.arrivals.after(1 + f.chance.IntN(25))
		f.edit()
		f.wait("the cells copy what was edited", calls)
		f.movesUnderKills()
	}
	f.rest()
	f.edit()
	f.readAgain()
	f.apartInCells()
	for _, o := range f.organizations {
		home := f.homes[o.name]
		if gone, undeclared := home.equalOf(o); gone+undeclared != 0 {
			t.Errorf("%s: %d rows without a record upstream, %d with keys that no column takes", o.name, gone, undeclared)
		}
		stats, err := f.world.StatsOf(o.id, o.dataCenter)
		must(t, err)
		home.within(stats, perMinute, atOnce, minute)
		logged := one[int](home.fixture, `SELECT count(*) FROM sluice.calls WHERE organization_id = $1 AND resource <> 'token'`, o.key)
		if stats.Calls > logged {
			t.Errorf("%s: upstream counted %d calls, the call log has %d", o.name, stats.Calls, logged)
		}
	}
	f.meetings.none(t)
	t.Logf("%d moves ended well, %d were given up; %d movers and %d processes of cells were killed; %d calls",
		f.moves.ended, f.moves.givenUp, f.killed.movers, f.killed.served, f.arrivals.total())
	if f.moves.ended < rounds || f.killed.movers == 0 || f.killed.served == 0 {
		t.Error("that is too little to prove anything")
	}
}

func newServedFleet(t *testing.T, minute time.Duration) *servedFleet {
	t.Helper()
	const records = 300
	seed := *fleetSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-fleet-seed %d", seed)
	f := &servedFleet{chance: rand.New(rand.NewPCG(seed, seed)), homes: map[string]*servedCell{}}
	// The single records are what takes more calls than a minute allows.
	options := sandbox.Options{
		Seed: 1905, Records: records, HeadersOnly: true, PageLatency: 60 * time.Millisecond, Limits: sandbox.Limits{Minute: minute},
	}
	for i, name := range []string{"alder", "birch", "cedar", "elm", "fir"} {
		o := business{key: sandbox.DefaultOrganizationID, name: name, id: sandbox.DefaultOrganizationID}
		if i > 0 {
			o.id = fmt.Sprint(70_000_000_000 + i)
			o.key = o.id
			options.Organizations = append(options.Organizations, sandbox.OrganizationOptions{ID: o.id, Seed: 1905 + int64(i), Records: records})
		}
		f.organizations = append(f.organizations, o)
	}
	f.fleetFixture = &fleetFixture{fixture: newFixture(t, options)}
	f.environment[withMinute] = minute.String()
	f.cellsOf("north", "east", "south", "west")
	return f
}

// cellsOf makes the cells with these names, divides the organizations over them, and starts their
// processes.
func (f *servedFleet) cellsOf(names ...string) {
	f.t.Helper()
	dir, list := filepath.Dir(f.config), "cells:\n"
	f.file = filepath.Join(dir, "fleet.yaml")
	for i, name := range names {
		own := *f.fixture
		c := &servedCell{fixture: &own, name: name, variable: strings.ToUpper(name) + "_URL"}
		c.config, c.upstream = filepath.Join(dir, name+".yaml"), f.calledBy(name)
		f.environment[c.variable] = f.environment["SLUICE_DATABASE_URL"]
		if i > 0 {
			f.environment[c.variable] = warehousetest.Template(f.t, "migrated", migrated)
			c.conn = warehousetest.Connect(f.t, f.environment[c.variable])
		}
		f.cells = append(f.cells, c)
		list += "  - {name: " + name + ", config: " + name + ".yaml}\n"
	}
	must(f.t, os.WriteFile(f.file, []byte(list), 0o600))
	first := make([][]business, len(f.cells))
	for i, o := range f.organizations {
		at := i % len(f.cells)
		first[at], f.homes[o.name] = append(first[at], o), f.cells[at]
	}
	for i, c := range f.cells {
		c.configured(first[i])
	}
	f.fleet(codeFine, nil, "migrate")
	for _, c := range f.cells {
		c.configured(f.organizations)
		c.started()
	}
}

// configured writes the configuration of the cell.
func (c *servedCell) configured(organizations []business) {
	c.t.Helper()
	c.configure(organizations)
	text, err := os.ReadFile(c.config)
	must(c.t, err)
	before, _, _ := strings.Cut(string(text), "resources:\n") // narrow has others
	must(c.t, os.WriteFile(c.config, []byte(strings.ReplaceAll(before, "SLUICE_DATABASE_URL", c.variable)), 0o600))
	c.narrow()
}

func (c *servedCell) started() { c.serve = c.start("serve", "--listen", "127.0.0.1:0") }

// calledBy serves upstream to one cell.
func (f *servedFleet) calledBy(cell string) *httptest.Server {
	f.t.Helper()
	return listening(f.t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if organization := r.URL.Query().Get("organization_id"); organization != "" {
			defer f.meetings.enter(organization, call{cell, r.Method + " " + r.URL.String()})()
		}
		f.arrivals.ServeHTTP(w, r)
	}))
}

// meetings are calls of one organization that were under way together and must not be.
type meetings struct {
	mu    sync.Mutex
	under map[string][]call // by organization
	met   []string
}

type call struct{ cell, what string }

// enter compares a call with those under way: none is of another cell, and none is the same. The
// returned function ends it.
func (m *meetings) enter(organization string, entering call) func() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, other := range m.under[organization] {
		if other.cell != entering.cell || other.what == entering.what {
			m.met = append(m.met, fmt.Sprintf("cell %s called %s while cell %s had %s under way", entering.cell, entering.what, other.cell, other.what))
		}
	}
	if m.under == nil {
		m.under = map[string][]call{}
	}
	m.under[organization] = append(m.under[organization], entering)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		at := slices.Index(m.under[organization], entering)
		m.under[organization] = slices.Delete(m.under[organization], at, at+1)
	}
}

// none reports all meetings.
func (m *meetings) none(t *testing.T) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, met := range m.met {
		t.Error(met)
	}
}

// edit changes records of each organization, and makes all lists due. No organization moves
// meanwhile.
func (f *servedFleet) edit() {
	f.t.Helper()
	for _, o := range f.organizations {
		_, err := f.world.ChangeOf(o.id, o.dataCenter, sandbox.Change{Seed: f.chance.Int64(), Inserts: 2, Edits: 5})
		must(f.t, err)
	}
	for _, c := range f.cells {
		c.exec(`UPDATE sluice.streams SET next_due_at = clock_timestamp() WHERE enabled AND resource !~ '\.'`)
	}
}

// rest waits until the schedule has done all that it planned, and ends the processes.
func (f *servedFleet) rest() {
	f.t.Helper()
	for _, c := range f.cells {
		// A job whose call was refused because its organization leaves is snoozed for a minute. It
		// is in the way of a run of one that has come back.
		c.exec(`UPDATE river.river_job SET scheduled_at = clock_timestamp() WHERE state = 'scheduled'`)
	}
	for _, c := range f.cells {
		c.nothingLeftButDue()
		c.serve.terminate()
		c.serve.ends(codeFine, stopLimit)
	}
}

// readAgain reads all lists once more, and the single records that wait. One that was asked for
// while it was edited brought an older answer, and would rest for an hour.
func (f *servedFleet) readAgain() {
	f.t.Helper()
	for _, c := range f.cells {
		for _, table := range []string{"accounting.vendor_payments", "inventory.items", "inventory.bills", "inventory.credit_notes"} {
			c.exec(`UPDATE ` + table + ` SET _detail_at = _changed_at WHERE _detail_state <> 'current' AND _detail_at > _changed_at`)
		}
	}
	var syncs []*process
	for _, o := range f.organizations {
		syncs = append(syncs, f.homes[o.name].start("sync", "--org", o.name))
	}
	for _, p := range syncs {
		p.worksOff(codeFine)
	}
}

// apartInCells checks that each organization is in one cell, as far as the cells say and by their
// rows, and that the command that checks a fleet finds nothing but the other configurations.
func (f *servedFleet) apartInCells() {
	f.t.Helper()
	for _, c := range f.cells {
		says := map[string]string{}
		rows, err := c.conn.Query(f.t.Context(), `SELECT organization_id,
			CASE WHEN state = 'left' AND dropped_at IS NULL THEN 'left, with rows' ELSE state END FROM sluice.homes`)
		must(f.t, err)
		var organization, state string
		_, err = pgx.ForEachRow(rows, []any{&organization, &state}, func() error {
			says[organization] = state
			return nil
		})
		must(f.t, err)
		for _, o := range f.organizations {
			if said, home := says[o.key], f.homes[o.name] == c; home && said != "here" || !home && said != "left" && said != "" {
				f.t.Errorf("cell %s says of %s: %q; it moved to cell %s", c.name, o.name, said, f.homes[o.name].name)
			}
		}
		for organization, tables := range withRows(f.t, c.conn) {
			if says[organization] != "here" {
				f.t.Errorf("cell %s has rows of organization %s in %v", c.name, organization, tables)
			}
		}
	}
	var found []engine.FleetFinding
	f.fleet(codeFailed, &found, "check")
	for i := range found {
		if found[i].Finding != engine.RuleConfig {
			f.t.Errorf("fleet check found %+v", found[i])
		}
	}
	if want := len(f.organizations) * (len(f.cells) - 1); len(found) != want {
		f.t.Errorf("fleet check found %d of the other configurations, want %d", len(found), want)
	}
}
