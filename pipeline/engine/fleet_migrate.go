package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/pipeline/warehouse/cells"
)

// FleetMigration is what Migrate did to a fleet, or would do.
type FleetMigration struct {
	// Planned says that nothing was done.
	Planned bool            `json:"planned,omitempty"`
	Cells   []CellMigration `json:"cells"`
	// Settled are the organizations of which no cell said anything before.
	Settled []Settled `json:"settled"`
	// Unsettled are those of which it is not certain where they are at home.
	Unsettled []Unsettled `json:"unsettled"`
}

// CellMigration is what was done to one cell.
type CellMigration struct {
	Cell string `json:"cell"`
	// Migrated says that its tables changed.
	Migrated bool `json:"migrated"`
	// Joined is the number that it got, 0 if it had one.
	Joined int `json:"joined,omitempty"`
	// Salted says that it got the salt of the other cells.
	Salted bool `json:"salted,omitempty"`
	// Accept is the plan of custom resources that is left to accept: sluice migrate --accept.
	Accept string `json:"accept,omitempty"`
	// Config is its configuration.
	Config string `json:"config"`
}

// Settled is an organization that is at home in a cell from now on.
type Settled struct {
	Organization string `json:"organization"`
	Cell         string `json:"cell"`
}

// Unsettled is an organization that was left alone.
type Unsettled struct {
	Organization string `json:"organization"`
	Reason       string `json:"reason"`
}

// Migrate brings the databases of all cells up to date, lets those join that are no cell yet, and
// settles each organization of which no cell says anything: where its streams are, else where it is
// configured. Patience is as in App.Migrate. With plan it changes nothing. It is safe to repeat.
//
// Nothing is done if a database is out of reach (ErrCellOut), or if another process is at it
// (cells.ErrBusy).
func (f *Fleet) Migrate(ctx context.Context, patience time.Duration, plan bool) (FleetMigration, error) {
	done := FleetMigration{Planned: plan, Cells: make([]CellMigration, len(f.Cells)), Settled: []Settled{}, Unsettled: []Unsettled{}}
	if err := f.Unreachable(); err != nil {
		return done, err
	}
	release, err := f.lock(ctx)
	if err != nil {
		return done, err
	}
	defer release()
	begun := make([]bool, len(f.Cells)) // has sluice's tables
	for i, c := range f.Cells {
		done.Cells[i] = CellMigration{Cell: c.Name, Config: c.Path}
		if begun[i], err = done.Cells[i].migrate(ctx, c, patience, plan); err != nil {
			return done, fmt.Errorf("cell %s: %w", c.Name, err)
		}
	}
	seen := make([]*seenCell, len(f.Cells))
	for i, c := range f.Cells {
		if seen[i], err = c.see(ctx, begun[i], plan); err != nil {
			return done, err
		}
	}
	settling := f.place(&done, seen)
	if err := f.join(ctx, &done, seen, settling); err != nil || plan {
		return done, err
	}
	if err := f.align(ctx, &done); err != nil {
		return done, err
	}
	for _, c := range f.Cells {
		if err := c.DB.Settle(ctx, settling[c.Name]...); err != nil {
			return done, err
		}
	}
	return done, nil
}

// migrate migrates one cell, and reports whether it has tables.
func (m *CellMigration) migrate(ctx context.Context, c *FleetCell, patience time.Duration, plan bool) (bool, error) {
	var err error
	if m.Migrated, err = c.App.Pending(ctx); err != nil {
		return false, err
	}
	if plan {
		return c.App.Begun(ctx)
	}
	if err := c.App.Migrate(ctx, patience); err != nil {
		return false, err
	}
	custom, err := c.App.Plan(ctx)
	if err != nil {
		return false, err
	}
	if custom.SQL != "" {
		m.Accept = custom.ID
	}
	declared, err := c.App.Declare(ctx)
	m.Migrated = m.Migrated || declared
	return true, err
}

// seenCell is what a database says: its cell, nil if it is none; the organizations of which it says
// something; and those with streams in it.
type seenCell struct {
	cell     *cells.Cell
	homes    []cells.Home
	streamed []string
	numbers  cells.Numbers
}

// see reads what a database says. Before it is migrated it is no cell.
func (c *FleetCell) see(ctx context.Context, begun, planned bool) (*seenCell, error) {
	seen := new(seenCell)
	if !begun {
		return seen, nil
	}
	var err error
	if seen.streamed, err = c.DB.Streamed(ctx); err != nil {
		return nil, err
	}
	if planned {
		if has, err := c.DB.Has(ctx); err != nil || !has {
			return seen, err
		}
	}
	if seen.numbers, err = c.DB.Numbers(ctx); err != nil {
		return nil, err
	}
	switch cell, err := c.DB.Cell(ctx); {
	case errors.Is(err, cells.ErrNoCell):
		return seen, nil
	case err != nil:
		return nil, err
	default:
		seen.cell = &cell
	}
	seen.homes, err = c.DB.Homes(ctx)
	return seen, err
}

// join makes cells of the databases that are none. Those with the greatest numbers join first, and
// each begins behind all others: then no number is drawn twice, whatever their processes draw
// meanwhile.
func (f *Fleet) join(ctx context.Context, done *FleetMigration, seen []*seenCell, settling map[string][]string) error {
	taken := make(map[int]string)
	var joining []int
	for i, c := range f.Cells {
		cell := seen[i].cell
		switch {
		case cell == nil:
			joining = append(joining, i)
			continue
		case cell.Name != c.Name:
			return fmt.Errorf("%w: the database of cell %s says that it is cell %s: a name is never given to another database; correct %s",
				ErrUsage, c.Name, cell.Name, f.Path)
		case taken[cell.Number] != "":
			return fmt.Errorf("%w: cells %s and %s have the same number: one of them is a copy of the other, take it out of %s",
				ErrUsage, taken[cell.Number], c.Name, f.Path)
		}
		taken[cell.Number] = c.Name
	}
	slices.SortStableFunc(joining, func(i, j int) int {
		return cmp.Or(cmp.Compare(seen[j].numbers.Calls, seen[i].numbers.Calls), cmp.Compare(seen[j].numbers.Others, seen[i].numbers.Others))
	})
	for _, i := range joining {
		c, number := f.Cells[i], 1
		for taken[number] != "" {
			number++
		}
		taken[number], done.Cells[i].Joined = c.Name, number
		if done.Planned {
			continue
		}
		var above cells.Numbers
		for _, other := range f.Cells {
			has, err := other.DB.Numbers(ctx)
			if err != nil {
				return err
			}
			above = above.Above(has)
		}
		if err := c.DB.Join(ctx, number, above, settling[c.Name]...); err != nil {
			return err
		}
	}
	return nil
}

// align shares the salt of erasures, and guards tables that came later. The salt is that of the
// first cell in which something was erased: its hashes cannot be made anew.
func (f *Fleet) align(ctx context.Context, done *FleetMigration) error {
	from := f.Cells[0]
	for _, c := range f.Cells {
		erased, err := c.DB.Erased(ctx)
		if err != nil {
			return err
		}
		if erased {
			from = c
			break
		}
	}
	salt, err := from.DB.Salt(ctx)
	if err != nil {
		return err
	}
	for i, c := range f.Cells {
		shared, err := c.DB.ShareSalt(ctx, salt)
		if err != nil {
			return err
		}
		done.Cells[i].Salted = shared
		if err := c.DB.Guard(ctx); err != nil {
			return err
		}
	}
	return nil
}

// placed is what is known of where an organization is.
type placed struct {
	// known says that a cell says something of it. configured and streamed are the cells whose
	// configuration has it, and whose database has streams of it.
	known                bool
	configured, streamed []string
}

// home returns the cell to settle the organization in, or why it cannot be told.
func (p *placed) home() (string, string) {
	in := func(names []string) string { return strings.Join(names, " and ") }
	switch {
	case len(p.streamed) > 1:
		return "", fmt.Sprintf("the databases of cells %s have streams of it: drop one of the two first", in(p.streamed))
	case len(p.streamed) == 1 && len(p.configured) > 0 && !slices.Contains(p.configured, p.streamed[0]):
		return "", fmt.Sprintf("the database of cell %s has its streams, and the configuration of cell %s has it: "+
			"configure it in cell %s, move it afterwards",
			p.streamed[0], in(p.configured), p.streamed[0])
	case len(p.streamed) == 1:
		return p.streamed[0], ""
	case len(p.configured) == 1:
		return p.configured[0], ""
	default:
		return "", fmt.Sprintf("the configurations of cells %s have it: configure it in one", in(p.configured))
	}
}

// place decides where organizations are at home of which no cell says anything, by cell.
func (f *Fleet) place(done *FleetMigration, seen []*seenCell) map[string][]string {
	all := make(map[string]*placed)
	of := func(organization string) *placed {
		if all[organization] == nil {
			all[organization] = new(placed)
		}
		return all[organization]
	}
	for i, c := range f.Cells {
		for k := range c.App.Config.Organizations {
			p := of(c.App.Config.Organizations[k].Key)
			p.configured = append(p.configured, c.Name)
		}
		for _, organization := range seen[i].streamed {
			p := of(organization)
			p.streamed = append(p.streamed, c.Name)
		}
		for k := range seen[i].homes {
			of(seen[i].homes[k].Organization).known = true
		}
	}
	settling := make(map[string][]string)
	for _, organization := range slices.Sorted(maps.Keys(all)) {
		p := all[organization]
		if p.known {
			continue
		}
		home, why := p.home()
		if why != "" {
			done.Unsettled = append(done.Unsettled, Unsettled{Organization: organization, Reason: why})
			continue
		}
		settling[home] = append(settling[home], organization)
		done.Settled = append(done.Settled, Settled{Organization: organization, Cell: home})
	}
	return settling
}
