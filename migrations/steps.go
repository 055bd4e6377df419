package migrations

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
)

// Lines of a file that say how it is applied.
const (
	// stepLine begins a step: what follows up to the next such line is one transaction. The rest of
	// the line names it, mostly by its table.
	stepLine = "-- sluice:step "
	// contractLine says that the file takes away what an earlier program uses, and raises the
	// floor.
	contractLine = "-- sluice:contract"
)

const (
	sqlSteps    = `SELECT step FROM sluice.migration_steps WHERE version_id = $1`
	sqlStepDone = `INSERT INTO sluice.migration_steps (version_id, step, name) VALUES ($1, $2, $3)`
	sqlFileDone = `INSERT INTO sluice.schema_version (version_id, is_applied) VALUES ($1, true)`
)

// part is one transaction of a file. A file without steps is one part without a name.
type part struct{ name, sql string }

// partsOf cuts a file into its steps. Statements before the first of them are a step, too.
func partsOf(text string) []part {
	parts := []part{{}}
	for line := range strings.Lines(text) {
		if name, found := strings.CutPrefix(line, stepLine); found {
			parts = append(parts, part{name: strings.TrimSpace(name)})
		} else {
			parts[len(parts)-1].sql += line
		}
	}
	switch {
	case len(parts) == 1:
		return parts
	case len(statements(parts[0].sql)) == 0:
		return parts[1:]
	}
	parts[0].name = "what stands before the steps"
	return parts
}

// contracts reports whether a file declares that it takes something away.
func contracts(text string) bool { return strings.Contains("\n"+text, "\n"+contractLine) }

// ErrBelow says that processes are at work to which a migration takes away what they use.
var ErrBelow = errors.New("processes of versions below the new floor are at work: replace or stop them, and run it again")

// raising finds the floor to which a file that contracts raises it.
var raising = regexp.MustCompile(`sluice\.raise_floor\((\d+)`)

const sqlBelow = `
SELECT p.name || coalesce(', of version ' || p.program, ', of a version before the floor') || ', since '
	|| to_char(p.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')
FROM sluice.processes p JOIN sluice.live_processes l ON l.id = p.id
WHERE coalesce(p.program, 0) < $1 ORDER BY p.id`

// below returns the processes at work that are of a version below the floor that a file sets.
func below(ctx context.Context, pool *pgxpool.Pool, text string) ([]string, error) {
	found := raising.FindStringSubmatch(text)
	if !contracts(text) || found == nil {
		return nil, nil
	}
	floor, err := strconv.ParseInt(found[1], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("reading the floor of a migration: %w", err)
	}
	rows, err := pool.Query(ctx, sqlBelow, floor)
	if err != nil {
		return nil, fmt.Errorf("looking which processes are at work: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("looking which processes are at work: %w", err)
	}
	return names, nil
}

// files applies what is pending, a transaction for each file, or for each step of a file that has
// steps.
func files(ctx context.Context, pool *pgxpool.Pool, provider *goose.Provider, from fs.FS, others *beside) error {
	states, err := provider.Status(ctx)
	if err != nil {
		return err
	}
	var left []string
	for _, state := range states {
		if state.State == goose.StatePending {
			left = append(left, state.Source.Path)
		}
	}
	for done, name := range left {
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return fmt.Errorf("reading the embedded migrations: %w", err)
		}
		if at, err := below(ctx, pool, string(text)); err != nil || len(at) > 0 {
			return errors.Join(err, refusal(name, at))
		}
		if parts := partsOf(string(text)); parts[0].name != "" {
			err = stepped(ctx, pool, name, parts, others)
		} else {
			err = whole(ctx, provider, name, others)
		}
		if errors.Is(err, ErrBlocked) {
			err = fmt.Errorf("%d of %d files are applied, %s are left: run it again, it goes on there: %w",
				done, len(left), strings.Join(left[done:], ", "), err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refusal names the processes that a file would leave without what they use; nil for none.
func refusal(name string, processes []string) error {
	if len(processes) == 0 {
		return nil
	}
	return fmt.Errorf("%s contracts: %w: %s", name, ErrBelow, strings.Join(processes, "; "))
}

// whole applies the next file in one transaction.
func whole(ctx context.Context, provider *goose.Provider, name string, others *beside) error {
	var result *goose.MigrationResult
	err := others.try(ctx, name, func(ctx context.Context) error {
		var err error
		result, err = provider.UpByOne(ctx)
		return err
	})
	if err != nil {
		return err
	}
	others.log.InfoContext(ctx, "migration applied", "migration", result.Source.Path, "seconds", result.Duration.Seconds())
	return nil
}

// stepped applies the steps of a file that are left, a transaction for each. The last one also
// notes the file as applied.
func stepped(ctx context.Context, pool *pgxpool.Pool, name string, parts []part, others *beside) error {
	version, err := numberOf(name)
	if err != nil {
		return err
	}
	done, err := stepsDone(ctx, pool, version)
	if err != nil {
		return err
	}
	for i, step := range parts {
		if done[i+1] {
			continue
		}
		err := others.try(ctx, name+", step "+step.name, func(ctx context.Context) error {
			return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, step.sql); err != nil {
					return err
				}
				if _, err := tx.Exec(ctx, sqlStepDone, version, i+1, step.name); err != nil || i < len(parts)-1 {
					return err
				}
				_, err := tx.Exec(ctx, sqlFileDone, version)
				return err
			})
		})
		if err != nil {
			return fmt.Errorf("%s, step %s (%d of %d): %w", name, step.name, i+1, len(parts), err)
		}
		others.log.InfoContext(ctx, "step applied", "migration", name, "step", step.name)
	}
	others.log.InfoContext(ctx, "all steps of the migration applied", "migration", name)
	return nil
}

// stepsDone returns which steps of a file are applied.
func stepsDone(ctx context.Context, pool *pgxpool.Pool, version int64) (map[int]bool, error) {
	rows, err := pool.Query(ctx, sqlSteps, version)
	if err != nil {
		return nil, fmt.Errorf("looking which steps are applied: %w", err)
	}
	numbers, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, fmt.Errorf("looking which steps are applied: %w", err)
	}
	done := make(map[int]bool, len(numbers))
	for _, number := range numbers {
		done[number] = true
	}
	return done, nil
}
