package rows

import (
	"context"
	"errors"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/rows/statements"
	"sluice/schema/record"
)

const (
	// leastRange is how many records a batch needs for its range to be read: fewer are looked up as
	// fast.
	leastRange = 16
	// mostBetween bounds how many rows of a range are read, in multiples of the batch.
	mostBetween = 2
)

// lookBetween does what look does for records in key order. It is faster if they are a large part
// of the rows between their keys, as in a sweep: it reads the index from the first key to the last.
// After twice as many rows as there are records it looks up the rest by their keys. The goal for
// unchanged items, 20 times the speed of a batch of upserts, depends on it: the factor is 38 with
// it and 16 without, for bills 232 and 159.
func lookBetween(ctx context.Context, conn *pgconn.PgConn, form *statements.Form, organization string, records []*record.Record) ([]stored, error) {
	if len(records) < leastRange || form.Range == "" {
		return look(ctx, conn, form.Look, organization, records)
	}
	most := mostBetween * len(records)
	reader := conn.ExecParams(ctx, form.Range, [][]byte{
		[]byte(organization), []byte(records[0].ID), []byte(records[len(records)-1].ID), strconv.AppendInt(nil, int64(most), 10),
	}, []uint32{pgtype.TextOID, pgtype.TextOID, pgtype.TextOID, pgtype.Int8OID}, nil, []int16{formatBinary})
	var rows []stored
	var shape error
	through, read := 0, 0            // records whose rows are known, and rows read
	for ; reader.NextRow(); read++ { // the answer has to be read to its end before the connection can be used again
		key := reader.Values()[0]
		for through < len(records) && records[through].ID < string(key) {
			through++
		}
		switch {
		case through == len(records):
			shape = errShape // keys are not in order
		case records[through].ID == string(key):
			if rows == nil {
				rows = make([]stored, len(records))
			}
			var err error
			if rows[through], err = decodeStored(reader.Values()[1:]); err != nil {
				shape = err
			}
			through++
		}
	}
	if _, err := reader.Close(); err != nil || shape != nil {
		return nil, errors.Join(err, shape)
	}
	if read < most || through == len(records) {
		return rows, nil
	}
	rest, err := look(ctx, conn, form.Look, organization, records[through:])
	if err != nil || rest == nil {
		return rows, err
	}
	if rows == nil {
		rows = make([]stored, len(records))
	}
	copy(rows[through:], rest)
	return rows, nil
}
