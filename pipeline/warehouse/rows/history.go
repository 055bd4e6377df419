package rows

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5/pgtype"

	"sluice/schema/record"
)

// remember keeps the values of those columns whose changes are kept.
func (w *work) remember(ctx context.Context) error {
	if w.sql.KeepHistory == "" {
		return nil
	}
	written := make([]*record.Record, 0, len(w.fresh)+len(w.changed))
	for _, group := range [][]*kept{w.fresh, w.changed} {
		for _, k := range group {
			written = append(written, k.Record)
		}
	}
	return w.exec(ctx, w.sql.KeepHistory, anyCount,
		[][]byte{[]byte(w.batch.Organization), keyArray(written), strconv.AppendInt(nil, w.batch.Call, 10)},
		[]uint32{pgtype.TextOID, pgtype.TextArrayOID, pgtype.Int8OID}, []int16{formatText, formatBinary, formatText})
}
