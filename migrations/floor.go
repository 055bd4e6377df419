package migrations

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"

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
	sqlVersion = `SELECT coalesce(max(version_id), 0) FROM sluice.schema_version WHERE is_applied`
	// The column line is there from version 5 on.
	sqlQueue = `SELECT coalesce(max(version), 0) FROM river.river_migration AS m WHERE coalesce(to_jsonb(m) ->> 'line', 'main') = 'main'`
	sqlFloor = `SELECT program, queue FROM sluice.floor`
)

// versions are numbers of migrations and of the queue's migrations.
type versions struct {
	Program int64 `json:"program"`
	Queue   int64 `json:"queue"`
}

// state is how far a database is migrated.
type state struct {
	// ours and queue say whether the program's and the queue's tables of versions exist.
	ours, queue bool
	// applied are the newest migrations, floor the lowest that a program needs; zero if the
	// database does not say it.
	applied, floor versions
}

// stateOf reads how far a database is migrated. It changes nothing.
func stateOf(ctx context.Context, session postgres.Asker) (state, error) {
	var s state
	var floor bool
	if err := session.QueryRow(ctx, sqlMade).Scan(&s.ours, &s.queue, &floor); err != nil {
		return s, fmt.Errorf("looking for applied migrations: %w", err)
	}
	if s.ours {
		if err := session.QueryRow(ctx, sqlVersion).Scan(&s.applied.Program); err != nil {
			return s, fmt.Errorf("reading the version of the database: %w", err)
		}
	}
	if s.queue {
		if err := session.QueryRow(ctx, sqlQueue).Scan(&s.applied.Queue); err != nil {
			return s, fmt.Errorf("reading the version of the queue: %w", err)
		}
	}
	if floor {
		if err := session.QueryRow(ctx, sqlFloor).Scan(&s.floor.Program, &s.floor.Queue); err != nil {
			return s, fmt.Errorf("reading which programs may work on the database: %w", err)
		}
	}
	return s, nil
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
	newest, err := newestOf(FS)
	if err != nil {
		panic(err) // the files are embedded
	}
	return newest
}

// newestOf returns the number of the newest file.
func newestOf(from fs.FS) (int64, error) {
	names, err := fs.Glob(from, "*.sql")
	if err != nil {
		return 0, fmt.Errorf("reading the embedded migrations: %w", err)
	}
	newest := int64(0)
	for _, name := range names {
		number, err := numberOf(name)
		if err != nil {
			return 0, err
		}
		newest = max(newest, number)
	}
	return newest, nil
}

func numberOf(name string) (int64, error) {
	digits, _, _ := strings.Cut(path.Base(name), "_")
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the migration %s does not begin with its number: %w", name, err)
	}
	return number, nil
}

// own returns the versions of a program with these files.
func own(from fs.FS) (versions, error) {
	newest, err := newestOf(from)
	if err != nil {
		return versions{}, err
	}
	queue, err := newQueue(nil) // it is asked for what is embedded
	if err != nil {
		return versions{}, err
	}
	v := versions{Program: newest}
	for _, known := range queue.AllVersions() {
		v.Queue = max(v.Queue, int64(known.Version))
	}
	return v, nil
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
	if _, err := s.ahead(mine); err != nil {
		return false, err
	}
	if !s.ours || !s.queue {
		return true, nil
	}
	return pending(ctx, pool)
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

// both returns how far the database is migrated, and the versions of a program with these files.
func both(ctx context.Context, session postgres.Asker, from fs.FS) (state, versions, error) {
	mine, err := own(from)
	if err != nil {
		return state{}, mine, err
	}
	s, err := stateOf(ctx, session)
	return s, mine, err
}

// ofNewer reports whether a newer program migrated the database and this one may work on it.
func ofNewer(ctx context.Context, session postgres.Asker) (bool, error) {
	s, mine, err := both(ctx, session, FS)
	if err != nil {
		return false, err
	}
	return s.ahead(mine)
}

func pending(ctx context.Context, pool *pgxpool.Pool) (_ bool, failure error) {
	db := stdlib.OpenDBFromPool(pool)
	defer func() { failure = errors.Join(failure, db.Close()) }()
	provider, err := newProvider(db, FS)
	if err != nil {
		return false, err
	}
	more, err := provider.HasPending(ctx)
	if err != nil {
		return false, fmt.Errorf("looking for pending migrations: %w", err)
	}
	queue, err := newQueue(pool)
	if err != nil {
		return false, err
	}
	valid, err := queue.Validate(ctx, nil)
	if err != nil {
		return false, fmt.Errorf("looking for pending migrations of the queue: %w", err)
	}
	return more || !valid.OK, nil
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
