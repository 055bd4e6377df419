package migrations

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/rivermigrate"
)

// Outlook is what Migrate would do to a database, and what it would wait for at this moment.
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
	// File is the file, or the name of the queue's migration; Step its step, "" if it has none.
	File string `json:"file"`
	Step string `json:"step,omitempty"`
	// Contracts says that the file takes away what earlier programs use, and raises the floor.
	Contracts bool `json:"contracts,omitempty"`
	// Below are the processes at work that have to end before: they are below the floor that the
	// file sets.
	Below      []string    `json:"below,omitempty"`
	Statements []Statement `json:"statements"`
}

// Statement is one statement of a step.
type Statement struct {
	SQL string `json:"sql"`
	// Unknown says that the statement is a block or calls functions, which can take any lock.
	Unknown bool        `json:"unknown,omitempty"`
	Locks   []TableLock `json:"locks,omitempty"`
}

// TableLock is the lock that a statement takes on a table until its transaction ends.
type TableLock struct {
	Table string `json:"table"`
	// Level is the level as Postgres names it, Work what the statement does to the rows.
	Level string `json:"level"`
	Work  string `json:"work"`
	// Missing says that the table is not there yet: an earlier statement makes it.
	Missing bool `json:"missing,omitempty"`
	// Rows is the estimate of the server, null if the table was never analyzed. Bytes is the size
	// with all indexes.
	Rows  *int64 `json:"rows"`
	Bytes int64  `json:"bytes"`
	// Behind are the sessions that have the table locked now, so that the statement would wait.
	Behind []Session `json:"behind,omitempty"`
}

// Session is a session that is in the way.
type Session struct {
	PID         int32  `json:"pid"`
	Role        string `json:"role"`
	Application string `json:"application"`
	// Since is when its transaction began; null if that is not visible.
	Since *time.Time `json:"since"`

	holder holder
}

// String names the session as errors of Migrate do.
func (s Session) String() string { return s.holder.String() }

const (
	sqlApplied = `SELECT version_id FROM sluice.schema_version WHERE is_applied`
	// sqlTable gives rows and size of a table with its partitions; no row if it does not exist.
	sqlTable = `
SELECT pg_catalog.sum(c.reltuples) FILTER (WHERE c.reltuples >= 0)::bigint, pg_catalog.sum(pg_catalog.pg_total_relation_size(c.oid))::bigint
FROM pg_catalog.pg_class c
WHERE c.oid = pg_catalog.to_regclass($1) OR c.oid IN (SELECT i.inhrelid FROM pg_catalog.pg_inherits i WHERE i.inhparent = pg_catalog.to_regclass($1))
HAVING pg_catalog.count(*) > 0`
	// sqlBehind names the sessions with a lock of one of the levels on a table or a partition of
	// it.
	sqlBehind = `
SELECT DISTINCT b.pid, coalesce(b.usename::text, ''), coalesce(b.application_name, ''),
	CASE WHEN b.usesysid IS NULL THEN '` + autovacuum + `' ELSE '' END, b.xact_start
FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity b ON b.pid = l.pid
WHERE l.locktype = 'relation' AND l.granted AND l.mode = ANY ($2) AND l.pid <> pg_catalog.pg_backend_pid()
	AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = pg_catalog.current_database())
	AND (l.relation = pg_catalog.to_regclass($1)
		OR l.relation IN (SELECT i.inhrelid FROM pg_catalog.pg_inherits i WHERE i.inhparent = pg_catalog.to_regclass($1)))
ORDER BY 1`
	sqlHasViews = `SELECT to_regclass('sluice.views') IS NOT NULL`
)

// Foresee says what Migrate would do, in which order, and which sessions would be in its way now.
// It reads the catalog and changes nothing. It returns ErrNewer and
// ErrDevelopment as Migrate does.
func Foresee(ctx context.Context, url string, opts Options) (Outlook, error) {
	var o Outlook
	pool, err := watch(ctx, url)
	if err != nil {
		return o, err
	}
	defer pool.Close()
	from := fs.FS(FS)
	if opts.files != nil {
		from = opts.files
	}
	if o.Program, err = own(from); err != nil {
		return o, err
	}
	s, err := stateOf(ctx, pool)
	if err != nil {
		return o, err
	}
	o.Database, o.Floor, o.Steps = s.applied, s.floor, []Step{}
	if newer, err := s.ahead(o.Program); err != nil || newer {
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
	for i := range o.Steps {
		for n := range o.Steps[i].Statements {
			if err := o.Steps[i].Statements[n].measure(ctx, pool); err != nil {
				return o, err
			}
		}
	}
	return o, nil
}

// pendingFiles returns the steps of the numbered files that are left.
func pendingFiles(ctx context.Context, pool *pgxpool.Pool, s state, from fs.FS) ([]Step, error) {
	var applied []int64
	if s.ours {
		rows, err := pool.Query(ctx, sqlApplied)
		if err != nil {
			return nil, fmt.Errorf("looking for applied migrations: %w", err)
		}
		if applied, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
			return nil, fmt.Errorf("looking for applied migrations: %w", err)
		}
	}
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
		if slices.Contains(applied, number) {
			continue
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, fmt.Errorf("reading the embedded migrations: %w", err)
		}
		more, err := leftOf(ctx, pool, s, number, name, string(text))
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

// leftOf returns the steps of one file that are left.
func leftOf(ctx context.Context, pool *pgxpool.Pool, s state, number int64, name, text string) ([]Step, error) {
	var steps []Step
	var done map[int]bool
	parts := partsOf(text)
	if parts[0].name != "" && s.floor.Program > 0 { // the table of steps is as old as the floor
		var err error
		if done, err = stepsDone(ctx, pool, number); err != nil {
			return nil, err
		}
	}
	var under []string
	if s.floor.Program > 0 { // as is the column of processes
		var err error
		if under, err = below(ctx, pool, text); err != nil {
			return nil, err
		}
	}
	for i, part := range parts {
		if !done[i+1] {
			steps = append(steps, Step{File: name, Step: part.name, Contracts: contracts(text), Below: under, Statements: described(part.sql)})
		}
	}
	return steps, nil
}

// pendingViews returns the views whose text the database does not have, and those that are dropped.
func pendingViews(ctx context.Context, pool *pgxpool.Pool, opts Options) ([]Step, error) {
	from := fs.FS(viewFiles)
	if opts.views != nil {
		from = opts.views
	}
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
		steps = append(steps, Step{File: name, Statements: described(file.text)})
	}
	if !has && len(opts.History.Tables) > 0 {
		steps = append(steps, Step{File: "views and functions of the history of " + strings.Join(opts.History.Tables, ", "), Statements: []Statement{}})
	}
	if len(work.drops) > 0 {
		steps = append(steps, Step{File: "views and functions of a history that is over", Statements: work.drops})
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
		steps = append(steps, Step{File: fmt.Sprintf("the queue's %d, %s", version.Version, version.Name), Statements: described(version.SQL)})
	}
	return steps, nil
}

// described returns the statements of a text with the locks that they take.
func described(text string) []Statement {
	all := []Statement{}
	for _, sql := range statements(text) {
		s := Statement{SQL: sql}
		for _, n := range needsOf(sql) {
			if n.work == WorkUnknown {
				s.Unknown = true
				continue
			}
			s.Locks = append(s.Locks, TableLock{Table: n.table, Level: n.level, Work: n.work})
		}
		all = append(all, s)
	}
	return all
}

// measure looks up the tables of a statement, and the sessions that are in its way.
func (s *Statement) measure(ctx context.Context, pool *pgxpool.Pool) error {
	for i := range s.Locks {
		lock := &s.Locks[i]
		err := pool.QueryRow(ctx, sqlTable, lock.Table).Scan(&lock.Rows, &lock.Bytes)
		if errors.Is(err, pgx.ErrNoRows) {
			lock.Missing = true
			continue
		}
		if err != nil {
			return fmt.Errorf("measuring %s: %w", lock.Table, err)
		}
		if lock.Behind, err = behind(ctx, pool, lock); err != nil {
			return err
		}
	}
	return nil
}

// behind returns the sessions that a lock would wait for.
func behind(ctx context.Context, pool *pgxpool.Pool, lock *TableLock) ([]Session, error) {
	var modes []string
	for _, level := range conflicts(lock.Level) {
		modes = append(modes, modeOf(level))
	}
	rows, err := pool.Query(ctx, sqlBehind, lock.Table, modes)
	if err != nil {
		return nil, fmt.Errorf("looking which sessions use %s: %w", lock.Table, err)
	}
	var h holder
	var since pgtype.Timestamptz
	var sessions []Session
	_, err = pgx.ForEachRow(rows, []any{&h.pid, &h.role, &h.application, &h.backend, &since}, func() error {
		h.since = since
		s := Session{PID: h.pid, Role: h.role, Application: h.application, holder: h}
		if h.backend != "" {
			s.Application = h.backend
		}
		if since.Valid {
			at := since.Time.UTC()
			s.Since = &at
		}
		sessions = append(sessions, s)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking which sessions use %s: %w", lock.Table, err)
	}
	return sessions, nil
}

// modeOf is a level as pg_locks names it: ACCESS SHARE is AccessShareLock.
func modeOf(level string) string {
	var mode strings.Builder
	for word := range strings.FieldsSeq(level) {
		mode.WriteString(word[:1] + strings.ToLower(word[1:]))
	}
	return mode.String() + "Lock"
}
