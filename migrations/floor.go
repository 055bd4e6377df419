package migrations

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// ErrNewer says that a newer version of the program migrated the database, and that this version
// must not work on it: its floor is above.
var ErrNewer = errors.New("a newer version of the program migrated the database, and this one is too old for it")

// ErrDevelopment says that a version from before the first release migrated the database.
var ErrDevelopment = errors.New("the database is one of a development version from before the first release: " +
	"export what you need with that version, or sync again, into a new database, as docs/operations/upgrade.md says")

const (
	sqlMade = `
SELECT to_regclass('sluice.schema_version') IS NOT NULL, to_regclass('river.river_migration') IS NOT NULL, to_regclass('sluice.floor') IS NOT NULL`
	sqlFiles = `SELECT version_id FROM sluice.schema_version WHERE is_applied`
	// The column line is there from version 5 on.
	sqlQueue = `SELECT version::bigint FROM river.river_migration AS m WHERE coalesce(to_jsonb(m) ->> 'line', 'main') = 'main'`
	sqlFloor = `SELECT program, queue FROM sluice.floor`
)

// versions are numbers of migrations and of the queue's migrations.
type versions struct {
	Program int64 `json:"program"`
	Queue   int64 `json:"queue"`
}

// state is how far a database is migrated.
type state struct {
	// ours says whether the program's table of versions exists.
	ours bool
	// files and steps are the numbers of the applied migrations and of the queue's.
	files, steps []int64
	// applied are the newest of them, floor the lowest that a program needs; zero if the database
	// does not say it.
	applied, floor versions
}

// session is a connection, or a pool of them.
type session interface {
	postgres.Asker
	postgres.Querier
}

// stateOf reads how far a database is migrated. It changes nothing.
func stateOf(ctx context.Context, q session) (state, error) {
	var s state
	var err error
	var queue, floor bool
	if err := q.QueryRow(ctx, sqlMade).Scan(&s.ours, &queue, &floor); err != nil {
		return s, fmt.Errorf("looking for applied migrations: %w", err)
	}
	if s.ours {
		if s.files, err = postgres.Collect(ctx, q, "reading the version of the database", pgx.RowTo[int64], sqlFiles); err != nil {
			return s, err
		}
	}
	if queue {
		if s.steps, err = postgres.Collect(ctx, q, "reading the version of the queue", pgx.RowTo[int64], sqlQueue); err != nil {
			return s, err
		}
	}
	if floor {
		if err := q.QueryRow(ctx, sqlFloor).Scan(&s.floor.Program, &s.floor.Queue); err != nil {
			return s, fmt.Errorf("reading which programs may work on the database: %w", err)
		}
	}
	s.applied = s.newest()
	return s, nil
}

func (s state) newest() versions {
	return versions{Program: slices.Max(append([]int64{0}, s.files...)), Queue: slices.Max(append([]int64{0}, s.steps...))}
}

// lacks says whether a program has a migration, of its own or of the queue, that is not applied.
func (s state) lacks(own state) bool {
	missing := func(applied, known []int64) bool {
		return slices.ContainsFunc(known, func(number int64) bool { return !slices.Contains(applied, number) })
	}
	return missing(s.files, own.files) || missing(s.steps, own.steps)
}

// ahead reports whether a newer program than one with these versions migrated the database. It
// returns ErrNewer if this program may not work on it, and ErrDevelopment if no released one may.
// A newer database that states no floor comes from a version that was never released.
func (s state) ahead(own versions) (bool, error) {
	switch newer := s.applied.Program > own.Program || s.applied.Queue > own.Queue; {
	case s.applied.Program > 0 && s.applied.Program < first:
		return true, ErrDevelopment
	case newer && s.floor == (versions{}):
		return true, fmt.Errorf("%w: it is at version %d, and this one is of version %d", ErrNewer, s.applied.Program, own.Program)
	case s.floor.Program > own.Program:
		return true, fmt.Errorf("%w: it is at version %d and needs a program of version %d or above, this one is of version %d: install the newer program",
			ErrNewer, s.applied.Program, s.floor.Program, own.Program)
	case s.floor.Queue > own.Queue:
		return true, fmt.Errorf("%w: its queue is at version %d and needs a program whose queue is of version %d or above, "+
			"that of this one is of version %d: install the newer program", ErrNewer, s.applied.Queue, s.floor.Queue, own.Queue)
	default:
		return newer, nil
	}
}

// Version returns the number of the newest migration of this program: its own version, as the floor
// of a database counts it.
func Version() int64 {
	numbers, err := numbersOf(FS)
	if err != nil {
		panic(err) // the files are embedded
	}
	return slices.Max(numbers)
}

// numbersOf returns the numbers of the files.
func numbersOf(from fs.FS) ([]int64, error) {
	names, err := fs.Glob(from, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("reading the embedded migrations: %w", err)
	}
	numbers := make([]int64, len(names))
	for i, name := range names {
		if numbers[i], err = numberOf(name); err != nil {
			return nil, err
		}
	}
	return numbers, nil
}

func numberOf(name string) (int64, error) {
	digits, _, _ := strings.Cut(path.Base(name), "_")
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the migration %s does not begin with its number: %w", name, err)
	}
	return number, nil
}

// own returns how far a program with these files migrates.
func own(from fs.FS) (state, error) {
	var s state
	var err error
	if s.files, err = numbersOf(from); err != nil {
		return s, err
	}
	queue, err := newQueue(nil) // it is asked for what is embedded
	if err != nil {
		return s, err
	}
	for _, known := range queue.AllVersions() {
		s.steps = append(s.steps, int64(known.Version))
	}
	s.applied = s.newest()
	return s, nil
}

// Pending says whether Migrate would change the database. It changes nothing itself. A database of
// a newer program on which this one may work has nothing pending. It returns ErrNewer or
// ErrDevelopment if this program may not work on it.
func Pending(ctx context.Context, url string) (bool, error) {
	pool, err := connect(ctx, url)
	if err != nil {
		return false, err
	}
	defer pool.Close()
	s, mine, err := both(ctx, pool, FS)
	if err != nil {
		return false, err
	}
	_, err = s.ahead(mine.applied)
	return s.lacks(mine), err
}

// connect prepares connections to a database.
func connect(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := parse(url)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connecting to migrate: %w", err)
	}
	return pool, nil
}

// both returns how far the database is migrated, and how far a program with these files migrates.
func both(ctx context.Context, q session, from fs.FS) (state, state, error) {
	mine, err := own(from)
	if err != nil {
		return state{}, mine, err
	}
	database, err := stateOf(ctx, q)
	return database, mine, err
}

// ofNewer reports whether a newer program migrated the database and this one may work on it.
func ofNewer(ctx context.Context, q session) (bool, error) {
	s, mine, err := both(ctx, q, FS)
	if err != nil {
		return false, err
	}
	return s.ahead(mine.applied)
}

// Begun says whether the database has the program's tables, of whatever version.
func Begun(ctx context.Context, url string) (bool, error) {
	pool, err := connect(ctx, url)
	if err != nil {
		return false, err
	}
	defer pool.Close()
	s, err := stateOf(ctx, pool)
	return s.ours, err
}
