package postgres_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// TestInKeyOrder: the next rows after a key are read by the index although the table has no
// statistics. Rows without an index for their order are sorted, and the statement is not compiled.
func TestInKeyOrder(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		`CREATE TABLE things (owner text, id text COLLATE "C", note text, PRIMARY KEY (owner, id)) WITH (autovacuum_enabled = off)`,
		`INSERT INTO things SELECT 'a', n::text, repeat('x', 100) FROM generate_series(1, 20000) AS n`,
	} {
		if _, err := tx.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	const behind = `SELECT note FROM things WHERE owner = 'a' AND id > '1' ORDER BY id LIMIT 2000`
	if plan := explain(t, tx, behind); !strings.Contains(plan, "Sort") {
		t.Errorf("without it nothing is sorted: this shows nothing\n%s", plan)
	}
	if err := postgres.InKeyOrder(t.Context(), tx); err != nil {
		t.Fatal(err)
	}
	if plan := explain(t, tx, behind); strings.Contains(plan, "Sort") || !strings.Contains(plan, "Index") {
		t.Errorf("the rows behind a key:\n%s", plan)
	}
	if plan := explain(t, tx, `SELECT note FROM things ORDER BY note`); !strings.Contains(plan, "Sort") || strings.Contains(plan, "JIT") {
		t.Errorf("in an order that no index has:\n%s", plan)
	}
}

func explain(t *testing.T, tx pgx.Tx, sql string) string {
	t.Helper()
	rows, err := tx.Query(t.Context(), "EXPLAIN "+sql)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
