package migrations

import (
	"context"
	"fmt"

	"sluice/schema"
	"sluice/schema/custom"
	"sluice/schema/ddl"
)

// sqlDeclare makes sluice.columns equal to the declared columns that the database has, writes no
// row that is equal already, and counts those that it wrote or deleted.
const sqlDeclare = `
WITH declared AS (
	SELECT d.* FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::boolean[], $8::text[], $9::text[])
		AS d (schema_name, table_name, column_name, place, kind, class, is_assumed, wire, sentence)
	WHERE EXISTS (
		SELECT FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = d.schema_name AND c.relname = d.table_name AND a.attname = d.column_name
			AND a.attnum > 0 AND NOT a.attisdropped AND c.relowner = (SELECT o.role FROM sluice.owner o))
), gone AS (
	DELETE FROM sluice.columns c WHERE NOT EXISTS (SELECT FROM declared d
		WHERE (d.schema_name, d.table_name, d.column_name) = (c.schema_name, c.table_name, c.column_name))
	RETURNING 1
), written AS (
	INSERT INTO sluice.columns AS c (schema_name, table_name, column_name, place, kind, class, is_assumed, wire, sentence)
	SELECT schema_name, table_name, column_name, place, kind, class, is_assumed, wire, sentence FROM declared
	ON CONFLICT (schema_name, table_name, column_name) DO UPDATE
	SET place = excluded.place, kind = excluded.kind, class = excluded.class, is_assumed = excluded.is_assumed,
		wire = excluded.wire, sentence = excluded.sentence
	WHERE (c.place, c.kind, c.class, c.is_assumed, c.wire, c.sentence)
		IS DISTINCT FROM (excluded.place, excluded.kind, excluded.class, excluded.is_assumed, excluded.wire, excluded.sentence)
	RETURNING 1
)
SELECT (SELECT count(*) FROM gone) + (SELECT count(*) FROM written)`

// Declare makes sluice.columns say what the services declare of the columns that the database has,
// and returns the number of rows that it changed. The columns of sluice's own, which begin with an
// underscore, are not declared and not in it. It also makes sluice.dated_records of what they
// declare about periods, which alone counts as one row. The role that migrates calls it, after
// Migrate and after Execute. In a database of a newer program it changes nothing: that one
// declares more.
func Declare(ctx context.Context, url string, services []schema.Service) (int, error) {
	conn, err := locked(ctx, url)
	if err != nil {
		return 0, err
	}
	defer hangUp(ctx, conn)
	if newer, err := ofNewer(ctx, conn); err != nil || newer {
		return 0, err
	}
	var d declared
	for service, resource := range schema.Each(services) {
		d.resource(service, resource)
	}
	changed := 0
	err = conn.QueryRow(ctx, sqlDeclare, d.schemas, d.tables, d.columns, d.places, d.kinds, d.classes, d.assumed, d.wires, d.sentences).Scan(&changed)
	if err != nil {
		return 0, fmt.Errorf("noting the columns: %w", err)
	}
	made, err := makeDated(ctx, conn, services)
	return max(changed, made), err
}

// declared are the rows of sluice.columns, an array for each of its columns.
type declared struct {
	schemas, tables, columns, kinds, classes, wires, sentences []string
	places                                                     []int32
	assumed                                                    []bool
}

func (d *declared) resource(service *schema.Service, r *schema.Resource) {
	in := r.SchemaName(service)
	for _, table := range r.Tables() {
		for place, c := range table.Columns {
			d.column(in, table.Name, place, c)
		}
	}
	if len(r.History) > 0 {
		for place, c := range append(r.Columns[:1:1], ddl.HistoryColumns(r)...) {
			d.column(in, r.HistoryTable(), place, c)
		}
	}
}

func (d *declared) column(in, table string, place int, c schema.Column) {
	d.schemas, d.tables, d.columns = append(d.schemas, in), append(d.tables, table), append(d.columns, c.ColumnName())
	d.places = append(d.places, int32(place)) //nolint:gosec // a table has at most 1,600 columns
	d.kinds, d.classes = append(d.kinds, custom.KindWord(c.Kind)), append(d.classes, c.Class.String())
	d.assumed = append(d.assumed, c.Assumed)
	wire := c.Wire
	if c.Given {
		wire = ""
	}
	d.wires, d.sentences = append(d.wires, wire), append(d.sentences, c.Doc)
}
