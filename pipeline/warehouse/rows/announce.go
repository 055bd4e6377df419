package rows

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/changes"
)

// The last archive of the call, if it has one, says where the next one begins.
const sqlArchivePlace = `
SELECT coalesce((SELECT r.first_position + coalesce(r.record_count, json_array_length(r.records::json)) FROM sluice.raw_records r
	WHERE r.call_id = $1 ORDER BY r.first_position DESC LIMIT 1), 0), (extract(epoch FROM now()) * 1000000)::bigint`

// announce reads the position of the call's next stored record and the time of the transaction. In
// the same round trip it logs what is about to be written. Rows that change are locked by now; if
// another session inserts a row that is new here, this load is rolled back with its log.
//
// Rewritten records are logged by the package that has them rewritten, which knows what they were
// before.
func (w *work) announce(ctx context.Context) error {
	batch := new(pgconn.Batch)
	batch.ExecParams(sqlArchivePlace, [][]byte{strconv.AppendInt(nil, w.batch.Call, 10)}, []uint32{pgtype.Int8OID}, nil, nil)
	if !w.unlogged {
		w.logChanges(batch)
	}
	results, err := w.conn.ExecBatch(ctx, batch).ReadAll()
	if err != nil {
		return w.fail("archive raw records and log changes of", err)
	}
	place, err := strconv.ParseInt(string(results[0].Rows[0][0]), 10, 32)
	if err != nil {
		return fmt.Errorf("first position of call %d: %w", w.batch.Call, err)
	}
	now, err := strconv.ParseInt(string(results[0].Rows[0][1]), 10, 64)
	if err != nil {
		return fmt.Errorf("the time of call %d: %w", w.batch.Call, err)
	}
	w.place, w.now = int32(place), now-postgresEpoch
	return nil
}

func (w *work) logChanges(batch *pgconn.Batch) {
	ids := make(map[changes.Op][]string)
	for _, k := range w.fresh {
		ids[changes.New] = append(ids[changes.New], k.ID)
	}
	for _, k := range w.changed {
		op := changes.Changed
		if k.completes {
			op = changes.Completed
		}
		ids[op] = append(ids[op], k.ID)
	}
	for _, op := range []changes.Op{changes.New, changes.Changed, changes.Completed} {
		changes.Append(batch, w.batch.Organization, w.sql.Path(w.sql.Resource, ""), op, ids[op])
	}
}
