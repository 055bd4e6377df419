// Package rebuild writes rows anew out of the raw records that are kept beside them: no call is made, and rows keep their calls, the
// instant at which they were first seen, their tombstones and whatever else is theirs.
//
// A row is what its last list record and its last single record make of it, in the order in which they were loaded; each
// is normalized again. What only an earlier version of the record carried is not looked for: it stays as the row has it.
//
// What is written is encoded first and held against what is stored, bytes against bytes: a row that is as it should be is left
// alone. Others are taken out and put back by COPY where nothing but their own arrays hangs on them, and updated where something does. Both
// need the caller to hold everybody else off the table's rows of the organization: whoever writes them locks a stream of theirs first.
//
// Start reading at Step, then batch and exchange.
package rebuild

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/history"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/rows"
	"sluice/pipeline/warehouse/tombstones"
	"sluice/schema/record"
)

// batchRows is how many rows one transaction goes through.
const batchRows = 2000

// Normalize turns the bytes of one record into rows, as the declaration has it now; parent is the one that the record was
// listed under, "" where there are none. What does not fit is a *record.ValueError. It is safe for concurrent use.
type Normalize func(raw []byte, parent string) (record.Record, error)

// Scope is a closed set: which rows are written.
type Scope string

// The scopes.
const (
	// All rows are held against their records, and those are written that are not what these make of them, whatever the table holds.
	All Scope = "all"
	// Changed are those of which the declaration, or the rule of the content hash, makes something else than it did.
	Changed Scope = "changed"
)

// Rows writes the rows of one resource anew.
type Rows struct {
	stream    pipeline.Stream
	scope     Scope
	loader    *rows.Loader
	normalize Normalize
	table     *table
	run       int64
	reader    *reader
	// renewed says that the hashes of most rows of the last batch were other ones: those rows are written whatever their columns hold.
	renewed bool
	// err is what New found wrong with the declaration; every Step returns it.
	err error
}

// Counts say what became of rows.
type Counts struct {
	// Rows were looked at; Rewritten were written.
	Rows, Rewritten int
	// Unfit do not fit the declaration any more: they stay as they are. Lost have no raw record.
	Unfit, Lost int
}

// Add adds other counts.
func (c *Counts) Add(other Counts) {
	c.Rows += other.Rows
	c.Rewritten += other.Rewritten
	c.Unfit += other.Unfit
	c.Lost += other.Lost
}

// Done is what one step did.
type Done struct {
	Counts

	// Last is the key of the last row, "" if there was none left.
	Last string
	// Rejects and Refused do not fit, by the declaration and by the database.
	Rejects []pipeline.Reject
	Refused []rows.Refused
}

// New prepares a rebuild of the stream's resource by a run.
func New(stream pipeline.Stream, run int64, scope Scope, l *rows.Loader, n Normalize) *Rows {
	table, err := newTable(stream)
	return &Rows{stream: stream, run: run, scope: scope, loader: l, normalize: n, table: table, err: err}
}

// Step goes through the next rows behind a key, within a transaction of the caller's. Versions says that versions are kept.
func (r *Rows) Step(ctx context.Context, tx pgx.Tx, after string, versions bool) (Done, error) {
	// Nobody waits for the disk: what a crash of the server takes back, the position with it, is written again.
	if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = off`); err != nil {
		return Done{}, fmt.Errorf("preparing a batch: %w", err)
	}
	done, l, todo, err := r.prepare(ctx, tx, after)
	if err != nil {
		return done, err
	}
	if err = r.write(ctx, tx, l, todo, &done); err != nil || !versions {
		return done, err
	}
	return done, r.keepVersions(ctx, tx, todo)
}

// keepVersions begins a version of each row that is another one now.
func (r *Rows) keepVersions(ctx context.Context, tx pgx.Tx, rows []*row) error {
	keys := make([]string, len(rows))
	for i, row := range rows {
		keys[i] = row.key
	}
	return history.Keep(ctx, tx, history.ResourceOf(r.stream), keys)
}

// Look is Step without a write: Rewritten are the rows that would be written. What the database would refuse is not known.
func (r *Rows) Look(ctx context.Context, tx pgx.Tx, after string) (Done, error) {
	done, _, todo, err := r.prepare(ctx, tx, after)
	done.Rewritten = len(todo)
	return done, err
}

// prepare finds the rows that are to be written.
func (r *Rows) prepare(ctx context.Context, tx pgx.Tx, after string) (Done, *layout, []*row, error) {
	var done Done
	if r.err != nil {
		return done, nil, nil, r.err
	}
	if err := postgres.InKeyOrder(ctx, tx); err != nil {
		return done, nil, nil, err
	}
	l, err := r.table.look(ctx, tx)
	if err != nil {
		return done, nil, nil, err
	}
	b := r.newBatch(l, r.reader.take(ctx, r, after), &done)
	if err := b.read(ctx, tx, after); err != nil || done.Rows == 0 {
		return done, l, nil, err
	}
	done.Last = string(b.last)
	if err := b.finish(ctx, tx); err != nil {
		return done, nil, nil, err
	}
	if b.compares {
		if err := b.compareElements(ctx, tx, after, done.Last); err != nil {
			return done, nil, nil, err
		}
	}
	return done, l, slices.DeleteFunc(b.kept, func(row *row) bool { return !row.unlike }), nil
}

// compares says that rows are written only where they are not what they would be. Tables of other types are written whole.
func (r *Rows) compares(l *layout) bool { return r.scope == All && l.typed }

// write writes rows by the quick way as far as it goes, and by the other.
func (r *Rows) write(ctx context.Context, tx pgx.Tx, l *layout, todo []*row, done *Done) error {
	if len(todo) == 0 {
		return nil
	}
	rest := todo
	if l.exchanged {
		whole, others, err := r.split(ctx, tx, todo)
		if err != nil {
			return err
		}
		switch err := r.exchange(ctx, tx, l, whole); {
		case err == nil:
			rest = others
			done.Rewritten += len(whole)
		case !errors.Is(err, errRefused):
			return err
		}
	}
	if err := r.update(ctx, tx, l, rest, done); err != nil {
		return err
	}
	var buried []string
	for _, row := range todo {
		if l.deleted >= 0 && row.fields[l.deleted] != nil {
			buried = append(buried, row.key)
		}
	}
	return tombstones.Follow(ctx, tx, r.stream, buried)
}

// renew finds what the declaration makes of a row. It says false, and counts why, if the row has to stay as it is.
func (r *Rows) renew(row *row, done *Done) bool {
	for _, version := range row.inOrder() {
		one := version.made
		if one == nil {
			done.Lost++
			return false
		}
		misfit := one.misfit
		if misfit == nil && one.record.ID != row.key {
			misfit = &record.ValueError{
				ID: row.key, Path: r.stream.Resource.ID, Code: record.CodeNoID, Detail: "the raw record now has another key than its row",
			}
		}
		if misfit != nil {
			done.Unfit++
			done.Rejects = append(done.Rejects, reject(row.key, one.raw, misfit))
			return false
		}
		version.record = &one.record
	}
	row.record = row.merged()
	return true
}

// reject keeps a raw record whole, with the reason (promise 4).
func reject(id string, raw []byte, err error) pipeline.Reject {
	if misfit, ok := errors.AsType[*record.ValueError](err); ok {
		return pipeline.Reject{Raw: raw, ID: id, Code: string(misfit.Code), Path: misfit.Path, Detail: outside.Plain(misfit.Detail)}
	}
	return pipeline.Reject{Raw: raw, ID: id, Code: string(record.CodeBadJSON), Detail: outside.Plain(err.Error())}
}
