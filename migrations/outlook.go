package migrations

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/rivermigrate"
)

// Outlook is what Migrate would do to a database.
type Outlook struct {
	// Database are the newest migrations of the database, Program those of this program, and Floor
	// the lowest that a program needs to work on the database as it is.
	Database versions `json:"database"`
	Program  versions `json:"program"`
	Floor    versions `json:"floor"`
	// Steps are the transactions, in their order.
	Steps []Step `json:"steps"`
}

// Step is one transaction of a migration.
type Step struct {
	// File is the file, or the name of the queue's migration; SQL is its text.
	File string `json:"file"`
	SQL  string `json:"sql"`
	// Contracts says that the file takes away what earlier programs use, and raises the floor.
	Contracts bool `json:"contracts,omitempty"`
	// Below are the processes at work that have to end before: they are below the floor that the
	// file sets.
	Below []string `json:"below,omitempty"`
}

const (
	sqlHasViews = `SELECT to_regclass('sluice.views') IS NOT NULL`
)

// Foresee says what Migrate would do, in which order. It reads the catalog and changes nothing. It
// returns ErrNewer and ErrDevelopment as Migrate does.
func Foresee(ctx context.Context, url string, opts Options) (Outlook, error) {
	var o Outlook
	pool, err := connect(ctx, url)
	if err != nil {
		return o, err
	}
	defer pool.Close()
	from := cmp.Or[fs.FS](opts.files, FS)
	s, mine, err := both(ctx, pool, from)
	if err != nil {
		return o, err
	}
	o.Database, o.Program, o.Floor, o.Steps = s.applied, mine.applied, s.floor, []Step{}
	if newer, err := s.ahead(mine.applied); err != nil || newer {
		return o, err
	}
	for _, more := range []func() ([]Step, error){
		func() ([]Step, error) { return pendingFiles(ctx, pool, s, from) },
		func() ([]Step, error) { return pendingQueue(ctx, pool) },
		func() ([]Step, error) { return pendingViews(ctx, pool, opts) },
	} {
		steps, err := more()
		if err != nil {
			return o, err
		}
		o.Steps = append(o.Steps, steps...)
	}
	return o, nil
}

// pendingFiles returns the numbered files that are left.
func pendingFiles(ctx context.Context, pool *pgxpool.Pool, s state, from fs.FS) ([]Step, error) {
	names, err := fs.Glob(from, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("reading the embedded migrations: %w", err)
	}
	var steps []Step
	for _, name := range names {
		number, err := numberOf(name)
		if err != nil {
			return nil, err
		}
		if slices.Contains(s.files, number) {
			continue
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, fmt.Errorf("reading the embedded migrations: %w", err)
		}
		step := Step{File: name, SQL: string(text), Contracts: contracts(string(text))}
		if s.floor.Program > 0 { // the column of processes is as old as the floor
			if step.Below, err = below(ctx, pool, step.SQL); err != nil {
				return nil, err
			}
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// pendingViews returns the views whose text the database does not have, and those that are dropped.
func pendingViews(ctx context.Context, pool *pgxpool.Pool, opts Options) ([]Step, error) {
	from := cmp.Or[fs.FS](opts.views, viewFiles)
	var has bool
	if err := pool.QueryRow(ctx, sqlHasViews).Scan(&has); err != nil {
		return nil, fmt.Errorf("looking which views are made: %w", err)
	}
	var work viewWork
	var err error
	if has {
		work, err = lackingViews(ctx, pool, from, opts.History)
	} else {
		work.making, err = readViews(from)
	}
	if err != nil {
		return nil, err
	}
	steps := make([]Step, 0, len(work.making))
	for i := range work.making {
		file := &work.making[i]
		name := file.name
		if name != file.whole() {
			name = "views/" + name + ".sql"
		}
		steps = append(steps, Step{File: name, SQL: file.text})
	}
	if !has && len(opts.History.Tables) > 0 {
		steps = append(steps, Step{File: "views and functions of the history of " + strings.Join(opts.History.Tables, ", ")})
	}
	if len(work.drops) > 0 {
		steps = append(steps, Step{File: "views and functions of a history that is over", SQL: strings.Join(work.drops, ";\n")})
	}
	return steps, nil
}

// pendingQueue returns the migrations of the queue that are left.
func pendingQueue(ctx context.Context, pool *pgxpool.Pool) ([]Step, error) {
	queue, err := newQueue(pool)
	if err != nil {
		return nil, err
	}
	result, err := queue.Migrate(ctx, rivermigrate.DirectionUp, &rivermigrate.MigrateOpts{DryRun: true})
	if err != nil {
		return nil, fmt.Errorf("looking for pending migrations of the queue: %w", err)
	}
	var steps []Step
	for _, version := range result.Versions {
		steps = append(steps, Step{File: fmt.Sprintf("the queue's %d, %s", version.Version, version.Name), SQL: version.SQL})
	}
	return steps, nil
}
