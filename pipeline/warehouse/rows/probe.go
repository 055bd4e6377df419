package rows

import (
	"context"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/rows/arrays"
	"sluice/schema/record"
)

// Formats of the wire protocol.
const (
	formatText   = 0
	formatBinary = 1
)

// postgresEpoch is where the binary format of an instant counts its microseconds from: 2000-01-01 in Unix microseconds.
const postgresEpoch = 946_684_800_000_000

// probe asks what is stored about records, which are in key order: whether there is a row, and its hash.
func (w *work) probe(ctx context.Context, records []*record.Record) ([]stored, error) {
	if !w.drafted {
		return read(ctx, w.conn, w.form.Probe, len(records), w.batch.Organization, keyArray(records))
	}
	if !w.density.dense() || len(records) < leastRange {
		return w.lookUp(ctx, records)
	}
	rows, through, err := w.lookBetween(ctx, records)
	if err != nil || through == len(records) {
		return rows, err
	}
	w.density.note(through, len(records))
	rest, err := w.lookUp(ctx, records[through:])
	if err != nil || rest == nil {
		return rows, err
	}
	if rows == nil {
		rows = make([]stored, len(records))
	}
	copy(rows[through:], rest)
	return rows, nil
}

// lookUp looks each key up.
func (w *work) lookUp(ctx context.Context, records []*record.Record) ([]stored, error) {
	return read(ctx, w.conn, w.form.ProbeRange, len(records), w.batch.Organization, keyArray(records),
		records[0].ID, records[len(records)-1].ID)
}

// read asks probe or lock about so many keys, and the bounds that the former may have, and gives what is stored in the order
// of the keys; nothing at all if there is nothing of any. It speaks to the connection below pgx for two reasons: an unnamed statement is
// planned for the table as it is now (a plan kept from when the table was empty would outlive its reason), and the
// answer's bytes are compared without a detour over Go values.
func read(
	ctx context.Context, conn *pgconn.PgConn, sql string, count int, organization string, keys []byte, bounds ...string,
) ([]stored, error) {
	values, types, formats := [][]byte{[]byte(organization), keys}, []uint32{pgtype.TextOID, pgtype.TextArrayOID}, []int16{formatText, formatBinary}
	for _, bound := range bounds {
		values, types, formats = append(values, []byte(bound)), append(types, pgtype.TextOID), append(formats, formatText)
	}
	reader := conn.ExecParams(ctx, sql, values, types, formats, []int16{formatBinary})
	var rows []stored
	var shape error
	for reader.NextRow() {
		values := reader.Values()
		row, err := decodeStored(values[1:])
		if err != nil {
			shape = err
			continue // the answer has to be read to its end before the connection can be used again
		}
		at := binary.BigEndian.Uint64(values[0]) - 1
		if at >= uint64(count) { //nolint:gosec // a count is never negative
			shape = errShape
			continue
		}
		if rows == nil {
			rows = make([]stored, count)
		}
		rows[at] = row
	}
	if _, err := reader.Close(); err != nil {
		return nil, err
	}
	return rows, shape
}

func decodeStored(values [][]byte) (stored, error) {
	row := stored{found: true}
	hash, call, modified, changed, place := values[0], values[1], values[2], values[3], values[4]
	if len(hash) != len(row.hash) || len(call) != 8 || (modified != nil && len(modified) != 8) || len(changed) != 8 ||
		len(place) != len(row.place) {
		return row, fmt.Errorf("_hash, _call_id, _changed_at or the modification time has another type than bytea, bigint, timestamptz: %w", errShape)
	}
	copy(row.hash[:], hash)
	copy(row.place[:], place)
	row.call = int64(binary.BigEndian.Uint64(call)) //nolint:gosec // the bits of a signed number
	row.changed = instant(changed)
	if modified != nil {
		row.modified = instant(modified)
	}
	return row, nil
}

func instant(micros []byte) time.Time {
	return time.UnixMicro(int64(binary.BigEndian.Uint64(micros)) + postgresEpoch) //nolint:gosec // the bits of a signed number
}

// keyArray is the keys of records as a parameter.
func keyArray(records []*record.Record) []byte {
	return arrays.Texts(len(records), func(i int) string { return records[i].ID })
}
