package readers_test

import (
	"errors"
	"testing"
	"time"

	"sluice/pipeline/warehouse/readers"
)

func TestQuery(t *testing.T) {
	t.Parallel()
	f := open(t)
	const values = `SELECT n, CASE WHEN n > 1 THEN 'text ' || n END AS said FROM generate_series(3, 1, -1) AS n ORDER BY n DESC`
	got, err := readers.Query(t.Context(), f.pool, values, time.Minute, 2)
	f.must(err)
	if len(got.Columns) != 2 || got.Columns[0] != (readers.AnswerColumn{Name: "n", Number: true}) || got.Columns[1] != (readers.AnswerColumn{Name: "said"}) {
		t.Errorf("columns: %+v", got.Columns)
	}
	if !got.More || len(got.Rows) != 2 || *got.Rows[0][0] != "3" || *got.Rows[1][1] != "text 2" {
		t.Errorf("two of three rows: %+v", got)
	}
	if got, err = readers.Query(t.Context(), f.pool, values, time.Minute, 3); err != nil || got.More || len(got.Rows) != 3 || got.Rows[2][1] != nil {
		t.Errorf("all rows: %+v, %v", got, err)
	}
	if _, err := readers.Query(t.Context(), f.pool, `SELECT pg_sleep(60)`, 20*time.Millisecond, 1); !errors.Is(err, readers.ErrTooLong) {
		t.Errorf("a long question: %v", err)
	}
	for _, write := range []string{`SELECT setval('sluice.runs_id_seq', 4711)`, `SELECT 1; UPDATE sluice.runs SET note = 'x'`, `UPDATE sluice.runs SET note = 'x'`} {
		if _, err := readers.Query(t.Context(), f.pool, write, time.Minute, 1); err == nil {
			t.Errorf("%s was done", write)
		}
	}
}
