package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams"
	"sluice/schema"
)

// Setting is what the configuration says about the past of a resource.
type Setting struct {
	List pipeline.Key
	// Versions says whether versions are kept.
	Versions bool
	// Daily are the columns, and the tables of arrays, whose values are kept by day, in the zone
	// that TimeZone names.
	Daily    []string
	TimeZone string
	// Schema is the schema of the table, Key its key column, Modified the column of upstream's
	// modification time or "". Arrays are the tables of its arrays.
	Schema, Key, Modified string
	Arrays                []string
}

// Of returns the setting of a resource of which nothing is kept yet.
func Of(organization string, service *schema.Service, resource *schema.Resource) Setting {
	s := Setting{
		List:   pipeline.Key{Organization: organization, Service: service.Name, Resource: resource.Name},
		Schema: resource.SchemaName(service), TimeZone: time.UTC.String(),
	}
	for _, column := range resource.Columns {
		switch column.Wire {
		case resource.ID:
			s.Key = column.ColumnName()
		case resource.Modified():
			s.Modified = column.ColumnName()
		}
	}
	for _, table := range resource.Tables()[1:] {
		s.Arrays = append(s.Arrays, table.Name)
	}
	return s
}

const (
	sqlOpen = `
SELECT organization_id, service, resource, began_at IS NOT NULL, in_schema, key_column, coalesce(modified_column, ''), arrays,
	versions, daily, time_zone
FROM history.periods WHERE ended_at IS NULL AND organization_id = ANY ($1)`

	sqlBegin = `
INSERT INTO history.periods (organization_id, service, resource, in_schema, key_column, modified_column, arrays, versions, daily, time_zone)
VALUES ($1, $2, $3, $4, $5, nullif($6, ''), $7, $8, $9, $10)
ON CONFLICT (service, resource, organization_id) WHERE ended_at IS NULL DO NOTHING`

	sqlEnd = `
UPDATE history.periods SET ended_at = clock_timestamp()
WHERE (organization_id, service, resource) = ($1, $2, $3) AND ended_at IS NULL`

	sqlLock = `
SELECT filled_to FROM history.periods
WHERE (organization_id, service, resource) = ($1, $2, $3) AND ended_at IS NULL AND began_at IS NULL FOR UPDATE`

	// %[1]s is the table, %[2]s its key. A later statement reads the rows that this one locks. So
	// it either sees a concurrent writer's change, or that writer sees the row's version and
	// updates it.
	sqlRows = `SELECT %[2]s FROM %[1]s WHERE organization_id = $1 AND %[2]s > $2 ORDER BY %[2]s LIMIT $3 FOR NO KEY UPDATE`

	sqlFill = `SELECT history.write_versions($1, $2, $3, $4, 'present')`

	sqlFilled = `
UPDATE history.periods SET filled_to = $4 WHERE (organization_id, service, resource) = ($1, $2, $3) AND ended_at IS NULL`

	// Versions of an earlier period whose rows were removed meanwhile.
	sqlLost = `
SELECT history.write_versions($1, $2, $3, array_agg(v.record_id)) FROM history.versions v
WHERE (v.organization_id, v.service, v.resource) = ($1, $2, $3) AND v.valid_to = 'infinity'
	AND NOT EXISTS (SELECT FROM %[1]s AS t WHERE t.organization_id = $1 AND t.%[2]s = v.record_id)
HAVING count(*) > 0`

	sqlBegan = `
UPDATE history.periods SET began_at = clock_timestamp() WHERE (organization_id, service, resource) = ($1, $2, $3) AND ended_at IS NULL`
)

// fillRows is how many rows get their first version in one transaction, which locks them until it
// ends.
const fillRows = 1000

// Switch makes the database keep what the settings ask for, for the organizations in them. Where
// versions begin to be kept, existing rows get their first version, a bounded number in each
// transaction: if the process is killed, the next call continues. Where versions are no longer
// kept, existing versions stay, and their period ends. If nothing has to be done, Switch reads one
// table.
func Switch(ctx context.Context, pool *pgxpool.Pool, settings []Setting) error {
	open, err := openPeriods(ctx, pool, settings)
	if err != nil {
		return err
	}
	for i := range settings {
		setting := &settings[i]
		found, isOpen := open[setting.List]
		delete(open, setting.List)
		if isOpen && !found.setting.equal(setting) {
			isOpen, found.began = false, false
			if err := end(ctx, pool, setting.List); err != nil {
				return err
			}
		}
		if !setting.Versions && len(setting.Daily) == 0 {
			continue
		}
		if err := begin(ctx, pool, setting, isOpen, found.began); err != nil {
			return err
		}
	}
	for list := range open { // the configuration does not have it any more
		if err := end(ctx, pool, list); err != nil {
			return err
		}
	}
	return nil
}

// period is an open period.
type period struct {
	setting Setting
	began   bool
}

func openPeriods(ctx context.Context, pool *pgxpool.Pool, settings []Setting) (map[pipeline.Key]period, error) {
	var organizations []string
	for i := range settings {
		organizations = append(organizations, settings[i].List.Organization)
	}
	open := make(map[pipeline.Key]period)
	var p period
	s := &p.setting
	into := []any{
		&s.List.Organization, &s.List.Service, &s.List.Resource, &p.began, &s.Schema, &s.Key, &s.Modified,
		&s.Arrays, &s.Versions, &s.Daily, &s.TimeZone,
	}
	err := postgres.Each(ctx, pool, "reading of which resources versions are kept", into, func() error {
		open[s.List] = p
		return nil
	}, sqlOpen, organizations)
	return open, err
}

// equal says whether two settings keep the same.
func (s *Setting) equal(other *Setting) bool {
	return s.Versions == other.Versions && s.Schema == other.Schema && s.Key == other.Key && s.Modified == other.Modified &&
		s.TimeZone == other.TimeZone && slices.Equal(s.Arrays, other.Arrays) && slices.Equal(s.Daily, other.Daily)
}

// begin opens a period unless one is open, and gives existing rows their first version unless that
// is done.
func begin(ctx context.Context, pool *pgxpool.Pool, setting *Setting, isOpen, done bool) error {
	list := setting.List
	op := "beginning to keep versions of " + list.String()
	if !isOpen {
		err := postgres.InTx(ctx, pool, op, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, sqlBegin, list.Organization, list.Service, list.Resource, setting.Schema, setting.Key, setting.Modified,
				notNil(setting.Arrays), setting.Versions, notNil(setting.Daily), setting.TimeZone)
			if err == nil {
				err = streams.SetHistory(ctx, tx, list, true)
			}
			return postgres.Fail(op, err)
		})
		if err != nil {
			return err
		}
	}
	for !done {
		err := postgres.InTx(ctx, pool, op, func(tx pgx.Tx) error {
			var err error
			done, err = fill(ctx, tx, setting)
			return postgres.Fail(op, err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fill gives the next rows their first version. It returns true when no row is left.
func fill(ctx context.Context, tx pgx.Tx, setting *Setting) (bool, error) {
	list := setting.List
	of := []any{list.Organization, list.Service, list.Resource}
	var after string
	err := tx.QueryRow(ctx, sqlLock, of...).Scan(&after)
	if errors.Is(err, pgx.ErrNoRows) {
		return true, nil // another process did it
	}
	if err != nil {
		return false, err
	}
	if err := postgres.InKeyOrder(ctx, tx); err != nil {
		return false, err
	}
	table, key := pgx.Identifier{setting.Schema, list.Resource}.Sanitize(), pgx.Identifier{setting.Key}.Sanitize()
	rows, _ := tx.Query(ctx, fmt.Sprintf(sqlRows, table, key), list.Organization, after, fillRows)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return false, err
	}
	if len(ids) > 0 {
		if _, err := tx.Exec(ctx, sqlFill, append(of, ids)...); err != nil {
			return false, err
		}
		_, err := tx.Exec(ctx, sqlFilled, append(of, ids[len(ids)-1])...)
		return false, err
	}
	if _, err := tx.Exec(ctx, fmt.Sprintf(sqlLost, table, key), of...); err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, sqlBegan, of...)
	return true, err
}

// notNil turns nil, which Postgres would read as null, into an empty list.
func notNil(names []string) []string { return append([]string{}, names...) }

// end closes the period, after the batches that are under way have ended.
func end(ctx context.Context, pool *pgxpool.Pool, list pipeline.Key) error {
	op := "ending to keep versions of " + list.String()
	return postgres.InTx(ctx, pool, op, func(tx pgx.Tx) error {
		err := streams.SetHistory(ctx, tx, list, false)
		if err == nil {
			_, err = tx.Exec(ctx, sqlEnd, list.Organization, list.Service, list.Resource)
		}
		return postgres.Fail(op, err)
	})
}
