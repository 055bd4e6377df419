// Package publish carries the rows of the warehouse to the lake, and keeps the lake in order.
//
// A publication is one transaction of Postgres. It holds the lock of the catalog, reads the log of
// changes and the rows of those records in one snapshot, the cut, writes files, and commits the new
// metadata of all tables together. What a killed one has written is referred to by nothing, and is
// swept later. The cursor of the cut is in the snapshots: so what is published and how far the log
// was read cannot differ. Why: docs/decisions/0030-lake.
//
// It never writes a table of the warehouse. Start reading at Publisher.Publish.
package publish

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/apache/iceberg-go/table"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-lake/catalog"
	"sluice/cmd/sluice-lake/files"
	"sluice/cmd/sluice-lake/shape"
	"sluice/cmd/sluice-lake/storage"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/postgres"
)

// Cursor is the property of a snapshot that says up to where the log of changes was read.
const Cursor = "sluice-cursor"

const (
	// mostKeys bounds the records whose keys are in memory: a table of which more changed is read
	// whole.
	mostKeys = 400_000
	// page is how many rows of the log are read at a time.
	page = 2000
	// freshen is the age of the cursor at which a publication saves a new one although nothing
	// changed: the log is pruned, and also tells of runs, which are no changes.
	freshen = 24 * time.Hour
)

// Options say what is published, from where and to where.
type Options struct {
	Pool *pgxpool.Pool
	// Catalog is the database of a catalog that several cells share; nil means that of Pool.
	Catalog *pgxpool.Pool
	Store   storage.Storage
	// Tables are the tables of the declarations; those that the warehouse does not have are left
	// out.
	Tables []shape.Table
	// Buckets is the number of buckets of organizations of a table that is made now.
	Buckets int
	Log     *slog.Logger
}

// Publisher publishes to one lake.
type Publisher struct{ Options }

// New makes a publisher.
func New(options Options) *Publisher { return &Publisher{options} }

// Result is what a publication did.
type Result struct {
	// Cursor is how far the log was read, At when.
	Cursor string    `json:"cursor"`
	At     time.Time `json:"at"`
	// Tables are those that have a new snapshot.
	Tables []TableResult `json:"tables"`
	// Whole says why the tables were read whole although they were there; "" if they were not.
	Whole string `json:"whole,omitempty"`
}

// TableResult is what a publication did to a table.
type TableResult struct {
	Table string `json:"table"`
	// How is first, whole or changes.
	How      string `json:"how"`
	Snapshot int64  `json:"snapshot"`
	// Added and Removed are rows of the lake: one that changed is in both.
	Added   int64 `json:"added"`
	Removed int64 `json:"removed"`
	// Rows is how many the table has now.
	Rows int64 `json:"rows"`
}

// work is one publication.
type work struct {
	*Publisher

	tx      pgx.Tx
	catalog *catalog.Catalog
	// cell is a part of the names of all files with rows of this warehouse; lineage names the
	// databases that are at work.
	cell, lineage string
	// tables are those that the warehouse has.
	tables []shape.Table
	cursor string
	at     time.Time
	result Result
	// snapshot is the name under which other transactions take the snapshot of the cut.
	snapshot string
	// snapshots are tables of the lake with their current snapshots.
	snapshots map[string]*table.Table
	// filled are the tables that have rows, and are not in the lake yet.
	filled map[string]bool
	// compacts says that crowded buckets are written again, chosen which tables are, and erased
	// which erasures have to be carried out.
	compacts bool
	chosen   []string
	erased   erasures
}

// Publish publishes what changed since the last publication. It returns catalog.ErrBusy if another
// process works on the lake.
func (p *Publisher) Publish(ctx context.Context) (Result, error) {
	return p.publishAs(ctx, func(*work) {})
}

// PublishWhole is Publish, and reads some tables whole, as if they were not there.
func (p *Publisher) PublishWhole(ctx context.Context, names ...string) (Result, error) {
	return p.publishAs(ctx, func(w *work) { w.chosen = names })
}

func (p *Publisher) publishAs(ctx context.Context, set func(w *work)) (Result, error) {
	var result Result
	var erased erasures
	err := p.locked(ctx, func(w *work) error {
		set(w)
		if err := w.publish(ctx); err != nil {
			return err
		}
		result, erased = w.result, w.erased
		return nil
	})
	if err == nil && len(erased.records) > 0 {
		err = p.carryOut(ctx, erased)
	}
	return result, err
}

// locked does work in a transaction that has the lock of the catalog and one snapshot.
func (p *Publisher) locked(ctx context.Context, do func(w *work) error) error {
	return inSnapshot(ctx, p.Pool, func(tx pgx.Tx) error {
		return p.inCatalog(ctx, tx, func(ofCatalog pgx.Tx) error {
			// First: the snapshot of the rows is taken behind the last publication.
			c, err := catalog.Lock(ctx, ofCatalog, p.Store)
			if err != nil {
				return err
			}
			w, err := p.work(ctx, tx, ofCatalog, c)
			if err != nil {
				return err
			}
			if err := tx.QueryRow(ctx, sqlCut).Scan(&w.at, &w.snapshot); err != nil {
				return postgres.Fail("sharing the snapshot of a publication", err)
			}
			if w.tables, err = p.present(ctx, tx); err != nil {
				return err
			}
			return do(w)
		})
	})
}

func (w *work) publish(ctx context.Context) error {
	switch err := w.guard(); {
	case errors.Is(err, ErrCopy) && !w.shared():
		// In a catalog of its own it changes nothing for others; only files are not removed.
		w.Log.WarnContext(ctx, "the lake belongs to another database: nothing is removed from it", "reason", err.Error())
	case err != nil:
		return err
	}
	before, err := w.position(ctx)
	if err != nil {
		return err
	}
	changed, err := w.changed(ctx, before)
	if err != nil {
		return err
	}
	if w.erased, err = w.erasures(ctx); err != nil {
		return err
	}
	for _, name := range w.chosen {
		if !slices.ContainsFunc(w.tables, func(t shape.Table) bool { return t.Full() == name }) {
			return fmt.Errorf("the warehouse has no table %s", name)
		}
	}
	if err := w.fill(ctx); err != nil {
		return err
	}
	for i := range w.tables {
		t := &w.tables[i]
		done, err := w.table(ctx, t, changed)
		if err != nil {
			return fmt.Errorf("publishing %s: %w", t.Full(), err)
		}
		if done != nil {
			w.result.Tables = append(w.result.Tables, *done)
		}
	}
	w.result.Cursor, w.result.At = w.cursor, w.at
	if len(w.result.Tables) == 0 && before != nil && w.at.Sub(before.at) < freshen {
		w.result.Cursor = before.cursor
	} else if err := w.note(ctx); err != nil {
		return err
	}
	// The database is told of a publication without changes, too: it is as fresh.
	_, err = w.tx.Exec(ctx, sqlFresh, w.at, w.cursor)
	return postgres.Fail("noting how fresh the lake is", err)
}

// fill asks which tables have got their first row.
func (w *work) fill(ctx context.Context) error {
	w.filled = map[string]bool{}
	fresh := slices.DeleteFunc(slices.Clone(w.tables), func(t shape.Table) bool { return w.catalog.Has(t.Full()) })
	if len(fresh) == 0 {
		return nil
	}
	rows, err := w.tx.Query(ctx, shape.Filled(fresh))
	if err != nil {
		return postgres.Fail("looking for first rows", err)
	}
	var full string
	_, err = pgx.ForEachRow(rows, []any{&full}, func() error { w.filled[full] = true; return nil })
	return postgres.Fail("looking for first rows", err)
}

// changed are the records that changed since the position, by the table of the records. Without a
// position, or with one that cannot be followed, it is nil: all tables are read whole.
func (w *work) changed(ctx context.Context, before *position) (map[string]files.Keys, error) {
	if before != nil {
		found, err := w.follow(ctx, before.cursor)
		if err == nil || !errors.Is(err, changes.ErrCursor) {
			return found, err
		}
		w.result.Whole = err.Error()
		w.Log.WarnContext(ctx, "the lake is published whole: its position in the log of changes cannot be followed", "reason", err.Error())
	}
	cursor, err := changes.Now(ctx, w.tx)
	if err != nil {
		return nil, fmt.Errorf("beginning at the log of changes: %w", err)
	}
	w.cursor = cursor
	return nil, nil //nolint:nilnil // nil means all
}

// follow reads the log. Of a table with more changes than fit into memory the keys are nil.
func (w *work) follow(ctx context.Context, cursor string) (map[string]files.Keys, error) {
	found, total := map[string]files.Keys{}, 0
	for {
		var rows []changes.Change
		var next string
		// A refusal ends the inner transaction only: the outer one has the snapshot and the lock.
		err := pgx.BeginFunc(ctx, w.tx, func(tx pgx.Tx) error {
			var err error
			rows, next, err = changes.Read(ctx, tx, cursor, page)
			return err
		})
		if err != nil {
			return nil, err
		}
		for i := range rows {
			total += add(found, &rows[i])
		}
		for total > mostKeys {
			most := slices.MaxFunc(slices.Collect(maps.Keys(found)), func(a, b string) int { return found[a].Len() - found[b].Len() })
			total -= found[most].Len()
			found[most] = nil
		}
		cursor = next
		if len(rows) < page {
			w.cursor = cursor
			return found, nil
		}
	}
}

// add takes a row of the log, and says how many records it added.
func add(found map[string]files.Keys, c *changes.Change) int {
	if c.Op == changes.Finished || c.Op == changes.AfterClose {
		return 0 // no change, and one that another row tells of, too
	}
	keys, known := found[c.Table]
	if known && keys == nil {
		return 0
	}
	if keys == nil {
		keys = files.Keys{}
		found[c.Table] = keys
	}
	before := len(keys[c.Organization])
	keys.Add(c.Organization, c.Records...)
	return len(keys[c.Organization]) - before
}

// present are the tables that the warehouse has, with all columns.
func (p *Publisher) present(ctx context.Context, tx pgx.Tx) ([]shape.Table, error) {
	rows, err := tx.Query(ctx, sqlColumns)
	if err != nil {
		return nil, postgres.Fail("looking which tables there are", err)
	}
	columns := map[string][]string{}
	var name string
	var has []string
	if _, err := pgx.ForEachRow(rows, []any{&name, &has}, func() error { columns[name] = has; return nil }); err != nil {
		return nil, postgres.Fail("looking which tables there are", err)
	}
	var found []shape.Table
	for i := range p.Tables {
		t := &p.Tables[i]
		has, is := columns[t.Full()]
		if !is {
			continue
		}
		if lacks := t.Lacks(has); len(lacks) > 0 {
			return nil, fmt.Errorf("%s has no columns %s: run sluice migrate first", t.Full(), strings.Join(lacks, ", "))
		}
		found = append(found, *t)
	}
	return found, nil
}

// The snapshot is shared before the first savepoint: in one, Postgres does not.
const sqlCut = `SELECT now(), pg_export_snapshot()`

const sqlFresh = `UPDATE lake.last_publication SET published_at = $1, cursor = $2`

const sqlColumns = `
SELECT n.nspname || '.' || c.relname, array_agg(a.attname::text)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relkind IN ('r', 'p') AND n.nspname IN (SELECT name FROM sluice.service_schemas) AND a.attnum > 0 AND NOT a.attisdropped
GROUP BY 1`
