package publish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/apache/iceberg-go/table"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-lake/catalog"
	"sluice/pipeline/warehouse/postgres"
)

// ErrCopy says that the database is not the one whose part of the lake this is: it is a copy, or
// took the place of the former one.
var ErrCopy = errors.New("this database is not the one that this part of the lake belongs to: " +
	"it is a copy of that one, or was restored or promoted. If it takes that one's place, run sluice-lake take-over; " +
	"if it is a copy, give it another lake.warehouse")

// sqlLineage names the history of a database: a restore, a promotion and a copy change it.
const sqlLineage = `SELECT sluice.change_timeline()`

// shared reports whether the catalog is in another database: then other cells may publish into the
// same tables.
func (p *Publisher) shared() bool { return p.Catalog != nil }

// inSnapshot does work in a transaction with one snapshot.
func inSnapshot(ctx context.Context, pool *pgxpool.Pool, do func(tx pgx.Tx) error) error {
	tx, err := pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return postgres.Fail("beginning a publication", err)
	}
	defer postgres.Rollback(ctx, tx)
	if err := do(tx); err != nil {
		return err
	}
	return postgres.Fail("ending a publication", tx.Commit(ctx))
}

// inCatalog does work in a transaction of the catalog's database, which is that of the warehouse
// unless the catalog is shared. It commits before that of the warehouse.
func (p *Publisher) inCatalog(ctx context.Context, tx pgx.Tx, do func(tx pgx.Tx) error) error {
	if !p.shared() {
		return do(tx)
	}
	return inSnapshot(ctx, p.Catalog, do)
}

// work makes a publication of a warehouse's transaction and the catalog as its own one sees it.
func (p *Publisher) work(ctx context.Context, tx, ofCatalog pgx.Tx, c *catalog.Catalog) (*work, error) {
	w := &work{Publisher: p, tx: tx, catalog: c, snapshots: map[string]*table.Table{}}
	var err error
	if w.cell, err = catalog.Word(ctx, tx); err != nil {
		return nil, err
	}
	for _, of := range []pgx.Tx{tx, ofCatalog} {
		var lineage string
		if err := of.QueryRow(ctx, sqlLineage).Scan(&lineage); err != nil {
			return nil, postgres.Fail("looking which history of the database this is", err)
		}
		w.lineage += lineage + "\n"
	}
	return w, nil
}

// marker is the file that says to which databases a part of the lake belongs: that of the rows and
// that of the catalog.
func (w *work) marker() string {
	return w.Store.Root() + "/" + w.catalog.Word() + "." + w.cell + ".owner"
}

// guard returns ErrCopy if the part of the lake belongs to another database. A part that belongs to
// none is taken, and so is one whose marker lacks a line: its writer was killed.
func (w *work) guard() error {
	found, err := w.Store.ReadFile(w.marker())
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && strings.Count(string(found), "\n") < strings.Count(w.lineage, "\n"):
		return w.takeOver()
	case err != nil:
		return fmt.Errorf("reading whose part of the lake this is: %w", err)
	case string(found) != w.lineage:
		return ErrCopy
	default:
		return nil
	}
}

func (w *work) takeOver() error {
	if err := w.Store.WriteFile(w.marker(), []byte(w.lineage)); err != nil {
		return fmt.Errorf("noting whose part of the lake this is: %w", err)
	}
	return nil
}

// TakeOver makes the part of the lake that of this database, which took the place of another one.
func (p *Publisher) TakeOver(ctx context.Context) error {
	return p.locked(ctx, func(w *work) error { return w.takeOver() })
}
