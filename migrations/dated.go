package migrations

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
	"sluice/schema"
	"sluice/schema/ddl"
)

const (
	// sqlHas gives the columns of our tables of records, as schema.table.column.
	sqlHas = `SELECT c.schema || '.' || c.name || '.' || c.column_name FROM sluice.table_columns c`
	// sqlDatedIs gives the comment of the view, which ends with the digest of its text.
	sqlDatedIs = `SELECT coalesce(obj_description('sluice.dated_records'::regclass), '')`
	datedIs    = "Present records that belong to a period, with what of them belongs to it. Made of the declarations by sluice migrate; " +
		"digest of its text: "
)

// makeDated makes sluice.dated_records of the declarations, if it was made of others or of other
// tables, and returns 1 if it did. A table that lacks a column that is asked for is left out of it:
// a plan that has not been accepted yet adds it.
func makeDated(ctx context.Context, conn *pgx.Conn, services []schema.Service) (int, error) {
	names, err := postgres.Collect(ctx, conn, "looking which tables have days", pgx.RowTo[string], sqlHas)
	if err != nil {
		return 0, err
	}
	has := make(map[string]bool, len(names))
	for _, name := range names {
		has[name] = true
	}
	var selects []string
	for service, resource := range schema.Each(services) {
		if text := datedRecords(service, resource, has); text != "" {
			selects = append(selects, text)
		}
	}
	return applyDated(ctx, conn, strings.Join(selects, "\nUNION ALL\n"))
}

func applyDated(ctx context.Context, conn *pgx.Conn, text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	var is string
	if err := conn.QueryRow(ctx, sqlDatedIs).Scan(&is); err != nil {
		return 0, fmt.Errorf("looking what the view of days was made of: %w", err)
	}
	comment := fmt.Sprintf("%s%x.", datedIs, sha256.Sum256([]byte(text)))
	if is == comment {
		return 0, nil
	}
	worker, err := pgx.ConnectConfig(ctx, conn.Config()) // conn watches what is in its way
	if err != nil {
		return 0, fmt.Errorf("connecting to make the view of days: %w", err)
	}
	defer hangUp(ctx, worker)
	err = Options{}.beside(conn).try(ctx, "sluice.dated_records", func(ctx context.Context) error {
		return pgx.BeginFunc(ctx, worker, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "CREATE OR REPLACE VIEW sluice.dated_records AS\n"+text+";\nCOMMENT ON VIEW sluice.dated_records IS '"+comment+"'")
			return err
		})
	})
	if err != nil {
		return 0, fmt.Errorf("making the view of days: %w", err)
	}
	return 1, nil
}

// datedRecords returns the part of sluice.dated_records that a resource is: a row for each of its
// records. It is empty for a resource without days, and for one whose columns the database lacks.
func datedRecords(service *schema.Service, r *schema.Resource, has map[string]bool) string {
	d := r.Dated
	if d == nil {
		return ""
	}
	in := r.SchemaName(service)
	t := datedTable{alias: "t", name: in + "." + r.Name, columns: r.Columns, has: has}
	counts, currency, rate, whole := "true", "NULL", "1", "true"
	if d.State != "" {
		out := make([]string, len(d.Out))
		for i := range d.Out {
			out[i] = ddl.Literal(d.Out[i])
		}
		counts = "coalesce(" + t.column(d.State) + " NOT IN (" + strings.Join(out, ", ") + "), true)"
	}
	if d.Currency != "" {
		currency, rate = "nullif("+t.column(d.Currency)+", '')", "NULL"
	}
	if d.Rate != "" {
		rate = t.column(d.Rate)
	}
	if r.Details != nil {
		whole = t.quoted("_detail_state") + " IN ('none_needed', 'current')"
	}
	content := t.object(d.With)
	for i := range r.Children { // at most one is the array of lines
		if child := &r.Children[i]; child.Name == d.Lines {
			l := datedTable{alias: "l", name: t.name + "_" + child.Name, columns: child.Columns, has: has}
			content = fmt.Sprintf("%s || jsonb_build_object('%s', CASE WHEN %s THEN coalesce((\n\t\tSELECT jsonb_agg(%s ORDER BY l._position) FROM %s AS l"+
				"\n\t\tWHERE l.organization_id = t.organization_id AND l._parent_id = %s), '[]') END)",
				content, d.Lines, whole, l.object(d.LineColumns), l.name, t.column(r.ID))
			t.lacks = t.lacks || l.lacks
		}
	}
	text := fmt.Sprintf(`SELECT t.organization_id, '%s'::text COLLATE "C" AS service, '%s'::text COLLATE "C" AS resource,
	'%s'::text COLLATE "C" AS table_name, %s AS record_id, %s AS day, %s AS counts, %s IS NOT NULL AS is_deleted, %s AS is_whole,
	(%s)::text COLLATE "C" AS currency_code, (%s)::numeric AS exchange_rate,
	%s AS figures,
	%s AS content,
	%s AS first_seen_at, %s AS changed_at
FROM %s AS t`, service.Name, r.Name, t.name, t.column(r.ID), t.column(d.On), counts, t.quoted("_deleted_at"), whole, currency, rate,
		t.object(d.Figures), content, t.quoted("_first_seen_at"), t.quoted("_changed_at"), t.name)
	if t.lacks {
		return ""
	}
	return text
}

// datedTable writes columns of a table, and notes whether the database lacks one.
type datedTable struct {
	alias, name string
	columns     []schema.Column
	has         map[string]bool
	lacks       bool
}

// column is a declared column by its wire name.
func (t *datedTable) column(wire string) string {
	for _, c := range t.columns {
		if c.Wire == wire {
			return t.quoted(c.ColumnName())
		}
	}
	t.lacks = true
	return "NULL"
}

func (t *datedTable) quoted(column string) string {
	t.lacks = t.lacks || !t.has[t.name+"."+column]
	return t.alias + `."` + column + `"`
}

// object is JSON of some columns under their wire names.
func (t *datedTable) object(wires []string) string {
	parts := make([]string, 0, len(wires))
	for _, wire := range wires {
		parts = append(parts, ddl.Literal(wire)+", "+t.column(wire))
	}
	return "jsonb_build_object(" + strings.Join(parts, ", ") + ")"
}
