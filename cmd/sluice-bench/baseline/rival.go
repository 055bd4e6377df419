// Package baseline loads the same records as other tools do, as well as they do it: the opponent of
// sluice's loader.
//
// Its tables have sluice's columns and the raw record as json in the row, as is usual; lines
// without the raw record say so. It is not part of the program.
//
// Start reading at Of, then Upserts.
package baseline

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
	"sluice/schema/record"
)

// Tables are the rival's tables of a resource.
type Tables struct {
	tables []schema.Table
	names  [][]string // columns, by table; what the wire does not carry first
	key    string
}

// Schema is the schema of the baseline's tables.
const Schema = "rival"

// Of gives the rival's tables of a resource.
func Of(resource *schema.Resource) *Tables {
	t := &Tables{tables: resource.Tables(), key: resource.ID}
	for i := range t.tables {
		names := []string{"organization_id"}
		if i > 0 {
			names = append(names, "_parent_id", "_position")
		}
		for _, column := range t.tables[i].Columns {
			names = append(names, column.ColumnName())
		}
		if i == 0 {
			names = append(names, "_raw")
		}
		t.names = append(t.names, names)
	}
	return t
}

// Make makes the tables, empty, after those of the service.
func (t *Tables) Make(ctx context.Context, conn *pgx.Conn, service *schema.Service) error {
	var sql strings.Builder
	sql.WriteString("CREATE SCHEMA IF NOT EXISTS " + Schema + ";")
	for i := range t.tables {
		from, to := name(service.Name, t.tables[i].Name), name(Schema, t.tables[i].Name)
		names, key := t.names[i], []string{"organization_id", t.key}
		if i == 0 {
			names = names[:len(names)-1]
		} else {
			key = []string{"organization_id", "_parent_id", "_position"}
		}
		sql.WriteString("\nCREATE TABLE " + to + " AS SELECT " + list(names) + " FROM " + from + " WITH NO DATA;")
		if i == 0 {
			sql.WriteString("\nALTER TABLE " + to + " ADD _raw json; ALTER TABLE " + to + " ALTER _raw SET COMPRESSION lz4;")
		}
		sql.WriteString("\nALTER TABLE " + to + " ADD PRIMARY KEY (" + list(key) + ");")
	}
	if _, err := conn.Exec(ctx, sql.String()); err != nil {
		return fmt.Errorf("make the rival's tables: %w", err)
	}
	return nil
}

// Names returns the tables, quoted, parents first.
func (t *Tables) Names() []string {
	names := make([]string, len(t.tables))
	for i := range t.tables {
		names[i] = name(Schema, t.tables[i].Name)
	}
	return names
}

func name(parts ...string) string { return pgx.Identifier(parts).Sanitize() }

func list(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = pgx.Identifier{n}.Sanitize()
	}
	return strings.Join(quoted, ", ")
}

// rows returns the values of a record's rows in a table, as texts; nil is null.
func (t *Tables) rows(table int, organization string, rec *record.Record) [][]any {
	all := make([][]any, 0, len(rec.Tables[table]))
	for _, row := range rec.Tables[table] {
		values := make([]any, 0, len(t.names[table]))
		values = append(values, organization)
		if table > 0 {
			values = append(values, rec.ID, strconv.Itoa(row.Position[0]))
		}
		for i := range row.Values {
			if row.Values[i].State == record.Set {
				values = append(values, row.Values[i].Text)
			} else {
				values = append(values, nil)
			}
		}
		if table == 0 {
			values = append(values, string(rec.Raw))
		}
		all = append(all, values)
	}
	return all
}
