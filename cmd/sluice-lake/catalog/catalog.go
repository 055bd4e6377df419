// Package catalog keeps where the metadata of each table of the lake is: Iceberg's SQL catalog, in
// the tables of schema lake of the warehouse's own database, or of one that several warehouses
// share. Other engines read the same rows.
//
// It works in the transaction that it is given. So the tables of a publication change together, and
// together with nothing else: that transaction holds the lock by which one process publishes at a
// time. Why it is no library: docs/decisions/0030-lake.
//
// Start reading at Lock, then CommitTable.
package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/cmd/sluice-lake/storage"
	"sluice/pipeline/warehouse/postgres"
)

// Name is the name of the catalog in its tables.
const Name = "sluice"

var (
	// ErrBusy says that another process works on the lake.
	ErrBusy = errors.New("another process publishes to the lake, or maintains it")
	// ErrMoved says that another program changed a table of the lake.
	ErrMoved = fmt.Errorf("another program has changed the table: %w", table.ErrCommitFailed)
)

const (
	// The row is there from the migration on.
	sqlLock = `
SELECT FROM lake.iceberg_namespace_properties WHERE catalog_name = $1 AND namespace = 'sluice' AND property_key = 'exists' FOR UPDATE NOWAIT`

	sqlLake = `
SELECT property_value FROM lake.iceberg_namespace_properties WHERE catalog_name = $1 AND namespace = 'sluice' AND property_key = 'lake'`

	sqlTables = `
SELECT table_namespace, table_name, coalesce(metadata_location, '') FROM lake.iceberg_tables
WHERE catalog_name = $1 AND coalesce(iceberg_type, 'TABLE') = 'TABLE'`

	sqlNamespace = `
INSERT INTO lake.iceberg_namespace_properties (catalog_name, namespace, property_key, property_value) VALUES ($1, $2, 'exists', 'true')
ON CONFLICT (catalog_name, namespace, property_key) DO NOTHING`

	sqlCreate = `
INSERT INTO lake.iceberg_tables (catalog_name, table_namespace, table_name, iceberg_type, metadata_location) VALUES ($1, $2, $3, 'TABLE', $4)`

	sqlMove = `
UPDATE lake.iceberg_tables SET metadata_location = $5, previous_metadata_location = $4
WHERE (catalog_name, table_namespace, table_name) = ($1, $2, $3) AND metadata_location = $4`
)

// Codes of Postgres. Source: PostgreSQL, appendix A.
const (
	codeLocked     = "55P03" // lock_not_available
	codeSerialized = "40001" // serialization_failure
)

// Catalog is the catalog as one transaction sees it.
type Catalog struct {
	tx    pgx.Tx
	store storage.Storage
	// lake is a part of the names of all folders.
	lake string
	// tables has the metadata file of each table that is there.
	tables map[string]string
	// fresh are tables that this transaction makes.
	fresh map[string]table.Metadata
}

// Lock begins to work on the lake. It returns ErrBusy if another process does.
func Lock(ctx context.Context, tx pgx.Tx, store storage.Storage) (*Catalog, error) {
	switch done, err := tx.Exec(ctx, sqlLock, Name); {
	case code(err) == codeLocked || code(err) == codeSerialized:
		return nil, ErrBusy
	case err != nil:
		return nil, postgres.Fail("locking the catalog of the lake", err)
	case done.RowsAffected() != 1:
		return nil, errors.New("the catalog of the lake has lost the row of its namespace sluice: insert it again, as migration 50 did")
	}
	return Look(ctx, tx, store)
}

// Word is the word that the migrations gave to a database: a part of the names of the folders of
// its catalog, and of the names of the files that have its rows.
func Word(ctx context.Context, tx pgx.Tx) (string, error) {
	var word string
	err := tx.QueryRow(ctx, sqlLake, Name).Scan(&word)
	return word, postgres.Fail("reading the name of the lake", err)
}

// Look reads the catalog without the right to change it.
func Look(ctx context.Context, tx pgx.Tx, store storage.Storage) (*Catalog, error) {
	c := &Catalog{tx: tx, store: store, tables: map[string]string{}, fresh: map[string]table.Metadata{}}
	var err error
	if c.lake, err = Word(ctx, tx); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, sqlTables, Name)
	if err != nil {
		return nil, postgres.Fail("reading the catalog of the lake", err)
	}
	var namespace, name, location string
	_, err = pgx.ForEachRow(rows, []any{&namespace, &name, &location}, func() error {
		c.tables[namespace+"."+name] = location
		return nil
	})
	return c, postgres.Fail("reading the catalog of the lake", err)
}

// Word is the word of the catalog.
func (c *Catalog) Word() string { return c.lake }

// Held looks whether the session that has the lock is still there.
func (c *Catalog) Held(ctx context.Context) error {
	_, err := c.tx.Exec(ctx, `SELECT`)
	return postgres.Fail("looking whether the lock is still held", err)
}

// Has reports whether the lake has a table.
func (c *Catalog) Has(full string) bool { return c.tables[full] != "" }

// Locations are the metadata files in force, by the full names of the tables.
func (c *Catalog) Locations() map[string]string { return c.tables }

// LoadTable implements table.CatalogIO.
func (c *Catalog) LoadTable(ctx context.Context, identifier table.Identifier) (*table.Table, error) {
	full := strings.Join(identifier, ".")
	if !c.Has(full) {
		return nil, fmt.Errorf("the lake has no table %s", full)
	}
	t, err := table.NewFromLocation(ctx, identifier, c.tables[full], storage.Func(c.store), c)
	if err != nil {
		return nil, fmt.Errorf("reading the metadata of %s: %w", full, err)
	}
	return t, nil
}

// Load reads a table by its full name.
func (c *Catalog) Load(ctx context.Context, full string) (*table.Table, error) {
	return c.LoadTable(ctx, strings.Split(full, "."))
}

// Folders is how the addresses of all folders begin that a table of this lake ever had, those of
// publications that were killed included.
func (c *Catalog) Folders(full string) string {
	return c.store.Root() + "/" + strings.Replace(full, ".", "/", 1) + "-" + c.lake + "-"
}

// New makes a table that exists from its first commit on.
func (c *Catalog) New(
	full string, schema *iceberg.Schema, spec *iceberg.PartitionSpec, order table.SortOrder, properties iceberg.Properties,
) (*table.Table, error) {
	identifier := strings.Split(full, ".")
	// No two tables share a folder, also where one of the name was dropped.
	location := c.Folders(full) + uuid.NewString()[:8]
	metadata, err := table.NewMetadata(schema, spec, order, location, properties)
	if err != nil {
		return nil, fmt.Errorf("making the table %s: %w", full, err)
	}
	c.fresh[full] = metadata
	return table.New(identifier, metadata, "", storage.Func(c.store), c), nil
}

// CommitTable implements table.CatalogIO: it writes the metadata, and moves the table to it when
// the transaction commits.
func (c *Catalog) CommitTable(
	ctx context.Context, identifier table.Identifier, requirements []table.Requirement, updates []table.Update,
) (table.Metadata, string, error) {
	full := strings.Join(identifier, ".")
	base, before, version, err := c.base(ctx, identifier)
	if err != nil {
		return nil, "", err
	}
	for _, r := range requirements {
		if err := r.Validate(base); err != nil {
			return nil, "", fmt.Errorf("changing the table %s: %w", full, err)
		}
	}
	metadata, err := table.UpdateTableMetadata(base, updates, before)
	if err != nil {
		return nil, "", fmt.Errorf("changing the table %s: %w", full, err)
	}
	text, err := json.Marshal(metadata)
	if err != nil {
		return nil, "", fmt.Errorf("writing the metadata of %s: %w", full, err)
	}
	location := fmt.Sprintf("%s/metadata/%05d-%s.metadata.json", metadata.Location(), version, uuid.NewString())
	if err := c.store.WriteFile(location, text); err != nil {
		return nil, "", fmt.Errorf("writing the metadata of %s: %w", full, err)
	}
	if err := c.move(ctx, identifier, before, location); err != nil {
		return nil, "", err
	}
	c.tables[full] = location
	delete(c.fresh, full)
	return metadata, location, nil
}

// base is the metadata that a commit changes, its file, and the number of the next file.
func (c *Catalog) base(ctx context.Context, identifier table.Identifier) (table.Metadata, string, int, error) {
	full := strings.Join(identifier, ".")
	if fresh := c.fresh[full]; fresh != nil {
		return fresh, "", 0, nil
	}
	t, err := c.LoadTable(ctx, identifier)
	if err != nil {
		return nil, "", 0, err
	}
	number, _, _ := strings.Cut(path.Base(t.MetadataLocation()), "-")
	version, err := strconv.Atoi(number)
	if err != nil {
		version = 0 // another program wrote it, and named it as it likes
	}
	return t.Metadata(), t.MetadataLocation(), version + 1, nil
}

func (c *Catalog) move(ctx context.Context, identifier table.Identifier, before, location string) error {
	full := strings.Join(identifier, ".")
	if before == "" {
		if _, err := c.tx.Exec(ctx, sqlNamespace, Name, identifier[0]); err != nil {
			return postgres.Fail("adding "+identifier[0]+" to the catalog of the lake", err)
		}
		_, err := c.tx.Exec(ctx, sqlCreate, Name, identifier[0], identifier[1], location)
		return postgres.Fail("adding "+full+" to the catalog of the lake", err)
	}
	switch done, err := c.tx.Exec(ctx, sqlMove, Name, identifier[0], identifier[1], before, location); {
	case code(err) == codeSerialized:
		return fmt.Errorf("changing %s in the catalog of the lake: %w", full, ErrMoved)
	case err != nil:
		return postgres.Fail("changing "+full+" in the catalog of the lake", err)
	case done.RowsAffected() != 1:
		return fmt.Errorf("changing %s in the catalog of the lake: %w", full, ErrMoved)
	}
	return nil
}

func code(err error) string {
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return answer.Code
	}
	return ""
}
