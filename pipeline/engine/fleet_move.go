package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"sluice/pipeline/engine/config"
	"sluice/pipeline/warehouse/cells"
)

// MoveOrder is what a command line asks of Move.
type MoveOrder struct {
	// Organizations are named by name, key or id. To is the cell that they come to.
	Organizations []string
	To            string
	// Patience bounds the wait for work under way; zero means cells.DefaultPatience.
	Patience time.Duration
	// Cancel gives moves up that have not come to their switch.
	Cancel bool
	// Lost names a cell whose database is lost for good, "" for none: what the other cell has
	// decides.
	Lost string
	// Restored names a cell whose database was restored from a backup of before they moved to To:
	// it lets go of them.
	Restored string
	// Progress is told what is done. It may be nil.
	Progress func(organization string, step cells.Step, table string, rows int64)
}

// Moved is an organization that was moved.
type Moved struct {
	Organization string `json:"organization"`
	From         string `json:"from"`
	To           string `json:"to"`
	// Home is the cell in which it is at home now.
	Home string `json:"home"`
	// Rows is how many rows were copied.
	Rows    int64   `json:"rows"`
	Seconds float64 `json:"seconds"`
	// Already says that nothing was left to do.
	Already bool `json:"already,omitempty"`
	// Configured are the other cells whose configuration still has it.
	Configured []string `json:"configured_elsewhere"`
}

// Move moves organizations to another cell one after the other, or goes on with moves of them that
// ended early. It returns those that were moved also with an error. Besides the errors of
// cells.Move.Run there are ErrUsage and ErrCellOut.
func (f *Fleet) Move(ctx context.Context, order *MoveOrder) ([]Moved, error) {
	moved := []Moved{}
	to, err := f.Named(order.To)
	if err != nil {
		return moved, err
	}
	if order.Lost != "" {
		lost, err := f.Named(order.Lost)
		if err != nil {
			return moved, err
		}
		if lost.Err == nil {
			return moved, fmt.Errorf("%w: the database of cell %s answers: it is not lost, leave out --lost", ErrUsage, lost.Name)
		}
	}
	if order.Restored != "" {
		if _, err := f.Named(order.Restored); err != nil {
			return moved, err
		}
	}
	keys := make([]string, len(order.Organizations))
	for i, named := range order.Organizations {
		if keys[i], err = f.organizationKey(named); err != nil {
			return moved, err
		}
	}
	from := make([]*FleetCell, len(keys))
	for i, key := range keys {
		if from[i], err = f.source(ctx, key, to, order); err != nil {
			return moved, err
		}
	}
	if !order.Cancel && order.Lost == "" && order.Restored == "" {
		if err := f.movable(keys, from, to); err != nil {
			return moved, err
		}
	}
	for i, key := range keys {
		done, err := f.move(ctx, key, from[i], to, order)
		if err != nil {
			return moved, err
		}
		moved = append(moved, done)
	}
	return moved, nil
}

// organizationKey finds the organization that a command line names in all configurations.
func (f *Fleet) organizationKey(named string) (string, error) {
	var exact, byID []string
	add := func(keys []string, key string) []string {
		if slices.Contains(keys, key) {
			return keys
		}
		return append(keys, key)
	}
	for _, c := range f.Cells {
		for i := range c.App.Config.Organizations {
			switch o := &c.App.Config.Organizations[i]; named {
			case o.Name, o.Key:
				exact = add(exact, o.Key)
			case o.ID:
				byID = add(byID, o.Key)
			}
		}
	}
	found := exact
	if len(found) == 0 {
		found = byID
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("%w: %q is in no configuration of %s", ErrUsage, named, f.Path)
	default:
		return "", fmt.Errorf("%w: %q names several organizations: write the key of one: %s", ErrUsage, named, strings.Join(found, ", "))
	}
}

// source returns the cell that an organization leaves for another one. Nil means that it is at home
// there, and nothing is left to do.
func (f *Fleet) source(ctx context.Context, key string, to *FleetCell, order *MoveOrder) (*FleetCell, error) {
	if order.Lost != "" && order.Lost != to.Name {
		return f.Named(order.Lost)
	}
	if order.Restored != "" {
		return f.Named(order.Restored)
	}
	var home, left *FleetCell
	for _, c := range f.Cells {
		if c.Err != nil {
			continue
		}
		says, err := c.DB.Home(ctx, key)
		switch {
		case err != nil:
			return nil, err
		case says.State.AtHome() && home != nil:
			return nil, fmt.Errorf("%w organization %s: cells %s and %s both say that it is at home there: sluice fleet check says what to do",
				cells.ErrElsewhere, key, home.Name, c.Name)
		case says.State.AtHome():
			home = c
		case says.State == cells.Left && says.Peer == to.Name && says.DroppedAt == nil:
			left = c // the target has to begin, or rows are left
		}
	}
	switch {
	case home != nil && home != to:
		return home, nil
	case left != nil:
		return left, nil
	case home != nil && order.Cancel:
		return nil, fmt.Errorf("%w organization %s: it is at home in cell %s already: move it back", cells.ErrElsewhere, key, to.Name)
	case home != nil:
		return nil, nil //nolint:nilnil // the comment says what it means
	}
	if err := f.Unreachable(); err != nil {
		return nil, fmt.Errorf("no cell in reach says that organization %s is at home there: %w", key, err)
	}
	return nil, fmt.Errorf("%w: no cell says that organization %s is at home there: sluice fleet migrate settles it", ErrUsage, key)
}

// movable checks that organizations may come to a cell: its configuration has them, and no other
// organization of the same credential stays behind.
func (f *Fleet) movable(keys []string, from []*FleetCell, to *FleetCell) error {
	for i, key := range keys {
		source := from[i]
		if source == nil {
			continue
		}
		o := to.App.organization(key)
		if o == nil {
			return fmt.Errorf("%w: the configuration of cell %s, %s, does not have organization %s: write it there first, and start its processes again",
				ErrUsage, to.Name, to.Path, key)
		}
		sharing := []*config.Organization{o}
		if mine := source.App.organization(key); mine != nil {
			sharing = append(sharing, mine)
		}
		var stay []string
		for k := range source.App.Config.Organizations {
			other := &source.App.Config.Organizations[k]
			shares := slices.ContainsFunc(sharing, func(o *config.Organization) bool { return o.Shares(other) })
			if shares && !slices.Contains(keys, other.Key) {
				stay = append(stay, other.Name)
			}
		}
		if len(stay) > 0 {
			return fmt.Errorf("%w: organization %s shares its credentials with %s, and credentials are used in one cell only: "+
				"name all of them, they move one after the other", ErrUsage, o.Name, strings.Join(stay, ", "))
		}
	}
	return nil
}

// move moves one organization.
func (f *Fleet) move(ctx context.Context, key string, from, to *FleetCell, order *MoveOrder) (Moved, error) {
	began := f.now()
	done := Moved{Organization: key, To: to.Name, Home: to.Name, Configured: []string{}}
	home := to
	if from == nil {
		done.Already = true
	} else {
		done.From = from.Name
		var err error
		if home, err = f.carry(ctx, key, from, to, order); err != nil {
			return done, err
		}
		done.Home = home.Name
	}
	for _, c := range f.Cells {
		if c != home && c.configures(key) {
			done.Configured = append(done.Configured, c.Name)
		}
	}
	if home == to && !done.Already {
		says, err := to.DB.Home(ctx, key)
		if err != nil {
			return done, err
		}
		if says.Rows != nil {
			done.Rows = *says.Rows
		}
	}
	done.Seconds = f.now().Sub(began).Seconds()
	return done, nil
}

// carry moves one organization, and returns the cell in which it is at home then.
func (f *Fleet) carry(ctx context.Context, key string, from, to *FleetCell, order *MoveOrder) (*FleetCell, error) {
	for _, c := range []*FleetCell{from, to} {
		if c.Err != nil && c.Name != order.Lost {
			return nil, fmt.Errorf("%w: cell %s: %w", ErrCellOut, c.Name, c.Err)
		}
	}
	m := &cells.Move{From: from.database(), To: to.database(), Organization: key, Patience: order.Patience, Lost: order.Lost}
	if order.Progress != nil {
		m.Progress = func(step cells.Step, table string, rows int64) { order.Progress(key, step, table, rows) }
	}
	switch {
	case order.Restored != "":
		m.From, m.To = m.To, m.From
		return to, m.LetGo(ctx)
	case order.Lost == from.Name:
		return to, m.TakeOver(ctx)
	case order.Lost != "" || order.Cancel:
		return from, m.GiveUp(ctx)
	default:
		return to, m.Run(ctx)
	}
}

// database returns the database of the cell; of one that is lost, its name is all that is needed.
func (c *FleetCell) database() *cells.Database {
	if c.DB == nil {
		return &cells.Database{Name: c.Name}
	}
	return c.DB
}
