package rows

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/schema/record"
)

const (
	// leastRange is how many records a batch has at least for its range to be read: fewer are looked up as fast.
	leastRange = 16
	// mostBetween is how many rows are read of a range, in multiples of the batch. Looking a key up costs some four times as
	// much as reading the next row, measured with 200,000 items by 5,000.
	mostBetween = 2
	// sparseFor is for how many batches no range is read after one in which most rows were none of the batch's.
	sparseFor = 16
)

// density remembers whether the last batches were a large part of what is stored between their keys, as those of a sweep are,
// or a few records out of many. It decides about cost alone.
type density struct{ sparse atomic.Int32 }

func (d *density) dense() bool {
	if d.sparse.Load() <= 0 {
		return true
	}
	d.sparse.Add(-1)
	return false
}

// note takes in that reading a range was given up when so many records of all had been passed.
func (d *density) note(through, all int) {
	if through < all/2 {
		d.sparse.Store(sparseFor)
	}
}

// lookBetween reads which hashes are stored between the least and the largest key, as far as between does.
func (w *work) lookBetween(ctx context.Context, records []*record.Record) ([]stored, int, error) {
	var rows []stored
	through, err := between(ctx, w.conn, w.form.Range, w.batch.Organization, records, func(at int, hash []byte) error {
		if len(hash) != len(stored{}.hash) {
			return fmt.Errorf("_hash is not of 16 bytes: %w", errShape)
		}
		if rows == nil {
			rows = make([]stored, len(records))
		}
		rows[at].found = true
		copy(rows[at].hash[:], hash)
		return nil
	})
	return rows, through, err
}

// between asks sql for what is stored between the least and the largest key of records, which are in key order, and gives it to
// each with the place of its record. It gives up where that is too much, and says how many records, from the front, it knows
// everything about.
func between(
	ctx context.Context, conn *pgconn.PgConn, sql, organization string, records []*record.Record, each func(at int, value []byte) error,
) (int, error) {
	most := mostBetween * len(records)
	reader := conn.ExecParams(ctx, sql, [][]byte{
		[]byte(organization), []byte(records[0].ID), []byte(records[len(records)-1].ID), strconv.AppendInt(nil, int64(most), 10),
	}, []uint32{pgtype.TextOID, pgtype.TextOID, pgtype.TextOID, pgtype.Int8OID}, nil, []int16{formatBinary})
	var shape error
	at, read := 0, 0
	for ; reader.NextRow(); read++ {
		key, value := reader.Values()[0], reader.Values()[1]
		for at < len(records) && records[at].ID < string(key) {
			at++
		}
		if at == len(records) {
			shape = fmt.Errorf("keys are not in order: %w", errShape)
			continue // the answer has to be read to its end before the connection can be used again
		}
		if records[at].ID != string(key) {
			continue
		}
		if err := each(at, value); err != nil {
			shape = err
		}
		at++
	}
	if _, err := reader.Close(); err != nil {
		return 0, err
	}
	if read < most {
		at = len(records)
	}
	return at, shape
}
