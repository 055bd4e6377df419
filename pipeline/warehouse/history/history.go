// Package history keeps every version of the records of a resource, with their arrays, where the
// configuration asks for it.
//
// Functions of the database read a version's content from the tables, in the transaction that wrote
// them. So a row and its open version always agree, whatever session wrote the row. History makes
// no call upstream, and a row that is not written costs nothing. Why:
// docs/decisions/0016-versions.
//
// It decides neither what a table holds nor when a row is gone. Start reading at Write; switch.go
// turns history on and off.
package history

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
)

// Resource is one resource of one organization.
type Resource struct{ Organization, Service, Name string }

// ResourceOf returns the resource that a stream reads, whatever its work is.
func ResourceOf(stream pipeline.Stream) Resource {
	key := stream.ListKey()
	return Resource{Organization: key.Organization, Service: key.Service, Name: key.Resource}
}

// String names it in messages: 10234695/inventory.bills.
func (r Resource) String() string { return r.Organization + "/" + r.Service + "." + r.Name }

func (r Resource) key() pipeline.Key {
	return pipeline.Key{Organization: r.Organization, Service: r.Service, Resource: r.Name}
}

const sqlWrite = `SELECT history.write_versions($1, $2, $3, $4)`

// Write brings the versions of records in line with their rows. Call it in the transaction that
// wrote the rows or their tombstones, after all of their arrays are written. The rows have to be
// locked or new. Where no versions are kept, or nothing changed, it writes nothing.
func Write(ctx context.Context, tx pgx.Tx, of Resource, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, sqlWrite, of.Organization, of.Service, of.Name, ids); err != nil {
		return fmt.Errorf("keeping versions of %s: %w", of, err)
	}
	return nil
}
