package baseline

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
	"sluice/schema/record"
)

// Upserts loads records by one INSERT … ON CONFLICT DO UPDATE for each row, sent as a batch in one
// transaction for a number of records: the way of most tools. It deletes and inserts the rows of
// arrays.
func (t *Tables) Upserts(ctx context.Context, conn *pgx.Conn, organization string, records []record.Record, group int) error {
	statements := make([]string, len(t.tables))
	for i := range t.tables {
		statements[i] = t.upsert(i)
	}
	for part := range slices.Chunk(records, group) {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			batch := new(pgx.Batch)
			for i := range part {
				for table := range t.tables {
					if table > 0 {
						batch.Queue("DELETE FROM "+name(Schema, t.tables[table].Name)+" WHERE organization_id = $1 AND _parent_id = $2", organization, part[i].ID)
					}
					for _, row := range t.rows(table, organization, &part[i]) {
						batch.Queue(statements[table], row...)
					}
				}
			}
			if err := tx.SendBatch(ctx, batch).Close(); err != nil {
				return fmt.Errorf("upsert rows one by one: %w", err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Tables) upsert(table int) string {
	holes := make([]string, len(t.names[table]))
	for i := range holes {
		holes[i] = "$" + strconv.Itoa(i+1) + "::text::" + t.typeOf(table, i)
	}
	return "INSERT INTO " + name(Schema, t.tables[table].Name) + " (" + list(t.names[table]) + ") VALUES (" + strings.Join(holes, ", ") + ")" +
		t.onConflict(table)
}

func (t *Tables) typeOf(table, column int) string {
	given := 1
	if table > 0 {
		given = 3
	}
	switch {
	case t.names[table][column] == "_position":
		return "integer"
	case t.names[table][column] == "_raw":
		return "json"
	case column < given:
		return "text"
	default:
		return types[t.tables[table].Columns[column-given].Kind]
	}
}

//nolint:gochecknoglobals // a constant table
var types = map[schema.Kind]string{
	schema.KindID: "text", schema.KindText: "text", schema.KindBool: "boolean", schema.KindInt: "bigint",
	schema.KindDecimal: "numeric", schema.KindDate: "date", schema.KindTime: "timestamptz", schema.KindJSON: "jsonb",
}

func (t *Tables) onConflict(table int) string {
	key := []string{"organization_id", t.names[table][1]}
	if table > 0 {
		key = append(key, "_position")
	}
	var set []string
	for _, column := range t.names[table] {
		if !slices.Contains(key, column) {
			set = append(set, name(column)+" = excluded."+name(column))
		}
	}
	return " ON CONFLICT (" + list(key) + ") DO UPDATE SET " + strings.Join(set, ", ")
}

// Staged loads records by COPY to temporary tables and one INSERT … ON CONFLICT DO UPDATE without a
// guard, in one transaction for a number of records. It deletes and inserts the rows of arrays.
func (t *Tables) Staged(ctx context.Context, conn *pgx.Conn, organization string, records []record.Record, group int) error {
	for part := range slices.Chunk(records, group) {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			for table := range t.tables {
				if err := t.stage(ctx, tx, table, organization, part); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Tables) stage(ctx context.Context, tx pgx.Tx, table int, organization string, records []record.Record) error {
	into, stage := name(Schema, t.tables[table].Name), name("stage_"+t.tables[table].Name)
	if _, err := tx.Exec(ctx, "CREATE TEMP TABLE IF NOT EXISTS "+stage+" (LIKE "+into+" INCLUDING COMPRESSION) ON COMMIT DELETE ROWS"); err != nil {
		return fmt.Errorf("make a temporary table: %w", err)
	}
	var text strings.Builder
	escape := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	for i := range records {
		for _, row := range t.rows(table, organization, &records[i]) {
			for c, value := range row {
				if c > 0 {
					text.WriteByte('\t')
				}
				if word, ok := value.(string); ok {
					_, _ = escape.WriteString(&text, word) // a builder takes everything
				} else {
					text.WriteString(`\N`)
				}
			}
			text.WriteByte('\n')
		}
	}
	copyStage := "COPY " + stage + " (" + list(t.names[table]) + ") FROM STDIN"
	if _, err := tx.Conn().PgConn().CopyFrom(ctx, strings.NewReader(text.String()), copyStage); err != nil {
		return fmt.Errorf("copy into a temporary table: %w", err)
	}
	insert := "INSERT INTO " + into + " (" + list(t.names[table]) + ") SELECT " + list(t.names[table]) + " FROM " + stage
	if table == 0 {
		insert += t.onConflict(table)
	} else if _, err := tx.Exec(ctx, "DELETE FROM "+into+" AS t USING "+name("stage_"+t.tables[0].Name)+
		" AS s WHERE t.organization_id = s.organization_id AND t._parent_id = s."+name(t.names[0][1])); err != nil {
		return fmt.Errorf("delete rows of arrays: %w", err)
	}
	if _, err := tx.Exec(ctx, insert); err != nil {
		return fmt.Errorf("upsert from a temporary table: %w", err)
	}
	return nil
}
