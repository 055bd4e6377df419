package rows

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5/pgtype"

	"sluice/pipeline/warehouse/history"
	"sluice/pipeline/warehouse/rows/copybinary"
)

// keepColumns keeps the values of the columns whose changes are kept.
func (w *work) keepColumns(ctx context.Context) error {
	if w.sql.EnableHistory == "" {
		return nil
	}
	written := w.written()
	keys := copybinary.Texts(len(written), func(i int) string { return written[i].ID })
	return w.exec(ctx, w.sql.EnableHistory, anyCount,
		[][]byte{[]byte(w.batch.Organization), keys, strconv.AppendInt(nil, w.batch.Call, 10)},
		append(keyTypes[:2:2], pgtype.Int8OID), append(keyFormats[:2:2], formatText))
}

// writeHistory keeps the versions of what was written, rows and arrays, if the batch asks for it.
func (w *work) writeHistory(ctx context.Context) error {
	if !w.batch.History {
		return nil
	}
	written := w.written()
	ids := make([]string, len(written))
	for i, k := range written {
		ids[i] = k.ID
	}
	of := history.Resource{Organization: w.batch.Organization, Service: w.sql.Service, Name: w.sql.Resource}
	return w.fail("keep versions of", history.Write(ctx, w.tx, of, ids))
}
