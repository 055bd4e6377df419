// Package foreign reads the tables that Airbyte, Fivetran and Singer targets fill in Postgres.
//
// It only reads, a page at a time and each page in a statement of its own, so that no table of
// others is locked for long. It knows what the columns of each program mean, and never what the
// records mean: package adopt of lineage does.
//
// Start reading at Open, then Database.Tables and Database.Page.
package foreign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// Layout is a closed set: how a table holds records.
type Layout string

// The layouts.
const (
	// Raw: one column holds the record as JSON.
	Raw Layout = "raw"
	// Typed: each key of the record is a column.
	Typed Layout = "typed"
	// Child: the table holds elements of arrays that another program took out of the records.
	Child Layout = "child"
)

// Table is a table of another program.
type Table struct {
	Schema, Name string
	// Stream is the name that the other program has for the records.
	Stream string
	Layout Layout

	// Names of columns, "" where there is none: the record, when it was read upstream, what the
	// program notes about it, whether it is deleted, and whether it is the present version.
	data, extracted, meta, deleted, active string
	columns                                []column
}

// column is a column of a table and its type.
type column struct{ name, kind string }

// String names the table in messages: airbyte_internal.public_raw__stream_bills.
func (t *Table) String() string { return t.Schema + "." + t.Name }

// Has reports whether a typed table has a column.
func (t *Table) Has(name string) bool {
	return slices.ContainsFunc(t.columns, func(c column) bool { return c.name == name })
}

// Inexact are the columns of a typed table whose numbers are floating point, so that digits of
// amounts may be lost already.
func (t *Table) Inexact() []string {
	var names []string
	for _, c := range t.columns {
		if c.kind == "float4" || c.kind == "float8" {
			names = append(names, c.name)
		}
	}
	return names
}

// Naive are the columns of a typed table that hold times without an offset.
func (t *Table) Naive() []string {
	var names []string
	for _, c := range t.columns {
		if c.kind == "timestamp" {
			names = append(names, c.name)
		}
	}
	return names
}

// Program is a closed set: the programs whose tables are known.
type Program string

// The programs.
const (
	Airbyte  Program = "airbyte"
	Fivetran Program = "fivetran"
	Singer   Program = "singer"
)

// Database is a database with tables of another program. Close it.
type Database struct{ pool *pgxpool.Pool }

// ErrAddress says that the address of the source does not parse. The address itself is not shown:
// it may hold a password.
var ErrAddress = errors.New("the address of the source does not parse: write it as postgres://user@host:5432/database")

// Open connects to a database for reading alone.
func Open(ctx context.Context, address string) (*Database, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, ErrAddress
	}
	config.MaxConns = 2
	postgres.SetUp(config.ConnConfig, map[string]string{
		"application_name": "sluice adopt", "default_transaction_read_only": "on", "statement_timeout": "10min", "lock_timeout": "10s",
		"timezone": "UTC", "jit": "off",
	})
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err == nil {
		if err = pool.Ping(ctx); err == nil {
			return &Database{pool: pool}, nil
		}
		pool.Close()
	}
	return nil, fmt.Errorf("%w: the source, database %s at %s: %w", postgres.ErrUnreachable, config.ConnConfig.Database, config.ConnConfig.Host, err)
}

// Close closes the connections.
func (d *Database) Close() { d.pool.Close() }

// Only tables, which have addresses of rows; columns in their order.
const sqlColumns = `
SELECT n.nspname::text, c.relname::text, a.attname::text, y.typname::text
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_catalog.pg_type y ON y.oid = a.atttypid
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND ($1 = '' OR n.nspname = $1)
	AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
ORDER BY 1, 2, a.attnum`

// Tables returns the tables that a program made, in one schema or, for "", in all.
func (d *Database) Tables(ctx context.Context, program Program, schema string) ([]Table, error) {
	rows, err := d.pool.Query(ctx, sqlColumns, schema)
	if err != nil {
		return nil, postgres.Fail("looking for tables of "+string(program), err)
	}
	var all []Table
	var in, name string
	var c column
	_, err = pgx.ForEachRow(rows, []any{&in, &name, &c.name, &c.kind}, func() error {
		if n := len(all); n == 0 || all[n-1].Schema != in || all[n-1].Name != name {
			all = append(all, Table{Schema: in, Name: name, Stream: name, Layout: Typed})
		}
		last := &all[len(all)-1]
		last.columns = append(last.columns, c)
		return nil
	})
	if err != nil {
		return nil, postgres.Fail("looking for tables of "+string(program), err)
	}
	recognize := map[Program]func(*Table) bool{Airbyte: (*Table).airbyte, Fivetran: (*Table).fivetran, Singer: (*Table).singer}[program]
	var found []Table
	for i := range all {
		if recognize(&all[i]) {
			found = append(found, all[i])
		}
	}
	return found, nil
}
