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

	"sluice/pipeline/warehouse/postgres"
)

// contractLine says that a file takes away what an earlier program uses, and raises the floor.
const contractLine = "-- sluice:contract"

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
	return postgres.Collect(ctx, pool, "looking which processes are at work", pgx.RowTo[string], sqlBelow, floor)
}

// files applies what is pending, a transaction for each file.
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
		at, err := below(ctx, pool, string(text))
		if err != nil {
			return err
		}
		if len(at) > 0 {
			return fmt.Errorf("%s contracts: %w: %s", name, ErrBelow, strings.Join(at, "; "))
		}
		var result *goose.MigrationResult
		err = others.try(ctx, name, func(ctx context.Context) error {
			var err error
			result, err = provider.UpByOne(ctx)
			return err
		})
		if errors.Is(err, ErrBlocked) {
			return fmt.Errorf("%d of %d files are applied, %s are left: run it again, it goes on there: %w",
				done, len(left), strings.Join(left[done:], ", "), err)
		}
		if err != nil {
			return err
		}
		others.log.InfoContext(ctx, "migration applied", "migration", result.Source.Path, "seconds", result.Duration.Seconds())
	}
	return nil
}
