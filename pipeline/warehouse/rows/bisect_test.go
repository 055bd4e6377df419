package rows_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/rows"
	"sluice/schema/record"
)

func TestCulpritsAreFoundAndTheRestIsLoaded(t *testing.T) {
	t.Parallel()
	poisons := map[string]struct {
		fields     object
		code, path string
	}{
		"number beyond numeric":      {object{"rate": strings.Repeat("9", 200_000)}, "22P03", "shop.goods.rate"},
		"text where a number stands": {object{"rate": "secret words"}, "22P03", "shop.goods.rate"},
		"day that does not exist":    {object{"since": "2026-02-30"}, "22P03", "shop.goods.since"},
		"NUL in text":                {object{"name": "secret\x00words"}, "22021", "shop.goods.name"},
		"invalid UTF-8":              {object{"name": "secret\xffwords"}, "22021", "shop.goods.name"},
		"NUL in json":                {object{"open": `{"secret": "\u0000"}`}, "22P05", "shop.goods.open"},
		"unbalanced json":            {object{"open": `{"secret": `}, "22P02", "shop.goods.open"},
		"array row":                  {object{"labels": []object{{"label": "secret\x00"}}}, "22021", "shop.goods_labels.label"},
		"index row too large":        {object{"good_id": "1" + noise(4000)}, "54000", "shop.goods"},
	}
	for name, poison := range poisons {
		t.Run(name, func(t *testing.T) {
			conn, res := parallel(t, "goods")
			for call, text := range []string{"fresh", "changed"} {
				var records []record.Record
				for i := range 50 {
					records = append(records, recordOf(t, res, object{"good_id": fmt.Sprintf("%03d", i), "name": text}))
				}
				for _, i := range []int{7, 8, 49} {
					fields := object{"good_id": fmt.Sprintf("%03d", i), "name": text}
					maps.Copy(fields, poison.fields)
					if long, is := poison.fields["good_id"].(string); is {
						fields["good_id"] = fmt.Sprintf("%d%s", i, long)
					}
					records[i] = recordOf(t, res, fields)
				}
				result, refused := bisect(t, conn, res, batch(int64(call+1), records...))
				want := rows.Result{Inserted: 47}
				if text == "changed" {
					want = rows.Result{Updated: 47}
				}
				check.Same(t, "result", want, result)
				check.FatalIf(t, len(refused) != 3, "%d records refused, want 3", len(refused))
				culprits := []int{7, 8, 49}
				slices.SortFunc(culprits, func(a, b int) int { return strings.Compare(records[a].ID, records[b].ID) })
				for k, i := range culprits {
					check.ErrorIf(t, !bytes.Equal(records[i].Raw, refused[k].RejectedRecord.Raw),
						"culprit %d is record %.9q, want %.9q", k, refused[k].RejectedRecord.ID, records[i].ID)
					check.Same(t, "code", poison.code, refused[k].Code)
					check.ErrorIf(t, strings.Contains(refused[k].Detail+refused[k].Path, "secret") || strings.Contains(refused[k].Detail, "999"),
						"the value leaks: %s at %s", refused[k].Detail, refused[k].Path)
					check.Same(t, "path", poison.path, refused[k].Path)
				}
				check.Same(t, "rows",
					[]string{"47|47|" + text}, query(t, conn, `SELECT count(*), count(DISTINCT _raw_position), min(name) FROM shop.goods
 JOIN sluice.raw_records ON call_id = _call_id AND first_position <= _raw_position AND records::json -> (_raw_position - first_position) ->> 'good_id' = good_id`))
			}
		})
	}
}

// noise gives text that the server cannot compress.
func noise(n int) string {
	var b strings.Builder
	state := uint64(1)
	for b.Len() < n {
		state = state*6364136223846793005 + 1442695040888963407
		fmt.Fprintf(&b, "%x", state)
	}
	return b.String()[:n]
}

func TestARefusalSaysWhereWithoutTheValue(t *testing.T) {
	conn, res := parallel(t, "goods")
	execute(t, conn, "ALTER TABLE shop.goods ADD CONSTRAINT few CHECK (stock < 100)")
	for where, record := range map[string]record.Record{
		"SQLSTATE 22P03 at shop.goods.stock":           recordOf(t, res, object{"good_id": "1", "stock": "secret"}),
		"SQLSTATE 22P02 at shop.goods.open":            recordOf(t, res, object{"good_id": "1", "open": "secret"}),
		"SQLSTATE 23514 at shop.goods, constraint few": recordOf(t, res, object{"good_id": "1", "stock": "100"}),
	} {
		_, refused := bisect(t, conn, res, batch(1, record))
		want := "the database refused the record: postgres refused a value: " + where
		check.ErrorIf(t, len(refused) != 1 || refused[0].Detail != want, "refused %+v, want %s", refused, want)
	}
}

func TestFaultsThatNoRecordCausedAreReturned(t *testing.T) {
	conn, res := parallel(t, "flags")
	execute(t, conn, "ALTER TABLE shop.flags DROP COLUMN state")
	err := pgx.BeginFunc(context.Background(), conn, func(tx pgx.Tx) error {
		_, refused, err := rows.New(shop, res).LoadBisect(context.Background(), tx, batch(1, recordOf(t, res, object{"flag_id": "1", "state": "x"})))
		check.ErrorIf(t, len(refused) != 0, "a record was blamed for a missing column: %+v", refused)
		return err
	})
	var pg *pgconn.PgError
	check.ErrorIf(t, !errors.As(err, &pg) || pg.Code != "42703", "error %v, want SQLSTATE 42703", err)
	check.Same(t, "nothing stays", []string{"0|0"}, query(t, conn, "SELECT (SELECT count(*) FROM shop.flags), (SELECT count(*) FROM sluice.raw_records)"))
}

func TestCancelledLoadIsAnError(t *testing.T) {
	t.Parallel()
	conn, res := dial(t, database(t)), resource(t, "flags")
	ctx, cancel := context.WithCancel(context.Background())
	tx := check.Sure(conn.Begin(ctx))(t)
	cancel()
	_, refused, err := rows.New(shop, res).LoadBisect(ctx, tx, batch(1, recordOf(t, res, object{"flag_id": "1", "state": "x"})))
	check.ErrorIf(t, !errors.Is(err, context.Canceled) || len(refused) != 0,
		"error %v with %d refused, want cancelled with none", err, len(refused))
}
