package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sluice/pipeline/engine/config"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/cells"
	"sluice/pipeline/warehouse/postgres"
)

// Fleet is the cells of a fleet, in the order of its file. Its commands work on all of their
// databases; no other process knows more than its own cell.
type Fleet struct {
	// Path is the file.
	Path  string
	Cells []*FleetCell

	now func() time.Time
	// looking is held by one look at all cells at a time: it opens what it needs.
	looking sync.Mutex
}

// FleetCell is one cell: its configuration and its database.
type FleetCell struct {
	Name string
	App  *App
	// Path is its configuration.
	Path string
	// DB is its database, nil if not even its address is known. Err says why it is out of reach;
	// nil if it is in reach.
	DB  *cells.Database
	Err error

	connected bool
}

// ErrCellOut says that the database of a cell is out of reach.
var ErrCellOut = fmt.Errorf("a cell is %w", postgres.ErrUnreachable)

// reachWithin bounds the wait for one database: the others are shown without it.
const reachWithin = 20 * time.Second

// OpenFleet loads the file of a fleet and the configurations that it names, and connects to the
// databases, which need not be migrated. One that is out of reach stops no other: its cell says
// why.
func OpenFleet(ctx context.Context, options Options, path string) (*Fleet, error) {
	f := &Fleet{Path: path, now: options.Now}
	if options.Scrub == nil {
		options.Scrub = outside.NewScrubber()
	}
	options.Fleet = true
	loaded, err := config.LoadFleet(path, options.LookupEnv, options.ReadFile, func(of string) (*config.Config, error) {
		options.ConfigPath = of
		a, err := Load(options)
		if err != nil {
			return nil, err
		}
		f.Cells = append(f.Cells, &FleetCell{App: a, Path: of})
		return a.Config, nil
	})
	if _, mistakes := errors.AsType[*config.Error](err); mistakes || errors.Is(err, ErrUsage) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	var reaching sync.WaitGroup
	for i, cell := range f.Cells {
		cell.Name = loaded.Cells[i].Name
		reaching.Go(func() { cell.Err = cell.reach(ctx) })
	}
	reaching.Wait()
	return f, nil
}

// reach opens the database of a cell, also again.
func (c *FleetCell) reach(ctx context.Context) error {
	if c.DB != nil {
		c.DB.Close()
		c.DB = nil
	}
	limited, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	out := c.App.OpenDatabase(limited)
	if c.App.URL == "" {
		return out
	}
	var err error
	if c.DB, err = cells.Open(ctx, c.Name, c.App.URL, c.App.Password()); err != nil {
		return err
	}
	return out
}

// Close closes all databases.
func (f *Fleet) Close(ctx context.Context) error {
	var failed error
	for _, cell := range f.Cells {
		if cell.DB != nil {
			cell.DB.Close()
		}
		failed = errors.Join(failed, cell.App.Close(ctx))
	}
	return failed
}

// cell returns the cell with a name; nil if there is none.
func (f *Fleet) cell(name string) *FleetCell {
	i := slices.IndexFunc(f.Cells, func(c *FleetCell) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return f.Cells[i]
}

// Named returns the cell that a command line names.
func (f *Fleet) Named(name string) (*FleetCell, error) {
	if c := f.cell(name); c != nil {
		return c, nil
	}
	names := make([]string, len(f.Cells))
	for i, c := range f.Cells {
		names[i] = c.Name
	}
	return nil, fmt.Errorf("%w: %s has no cell %q: choose one of %s", ErrUsage, f.Path, name, strings.Join(names, ", "))
}

// Unreachable returns ErrCellOut, with the reasons, if databases are out of reach.
func (f *Fleet) Unreachable() error {
	var out []string
	for _, c := range f.Cells {
		if c.Err != nil {
			out = append(out, fmt.Sprintf("cell %s: %v", c.Name, c.Err))
		}
	}
	if len(out) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrCellOut, strings.Join(out, "; "))
}

// lock takes the lock of all cells, in the order of their names: two commands that need all of them
// never wait for each other.
func (f *Fleet) lock(ctx context.Context) (func(), error) {
	sorted := slices.SortedFunc(slices.Values(f.Cells), func(a, b *FleetCell) int { return strings.Compare(a.Name, b.Name) })
	var locks []*cells.Lock
	release := func() {
		for _, lock := range locks {
			lock.Release(ctx)
		}
	}
	for _, c := range sorted {
		lock, err := c.DB.Lock(ctx, "")
		if err != nil {
			release()
			return nil, err
		}
		locks = append(locks, lock)
	}
	return release, nil
}

// connect opens the warehouse of a cell, which has to be migrated.
func (c *FleetCell) connect(ctx context.Context) error {
	if c.connected {
		return nil
	}
	if err := c.App.Migrated(ctx); err != nil {
		return err
	}
	if err := c.App.Connect(ctx); err != nil {
		return err
	}
	c.connected = true
	return nil
}

// configures reports whether the configuration of the cell has an organization.
func (c *FleetCell) configures(organization string) bool {
	return c.App.organization(organization) != nil
}
