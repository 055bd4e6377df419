package rows

import (
	"time"

	"sluice/schema/record"
)

// silent gives 1 if a list record that replaces its row changed without a new modification time, as balances, stock and lines
// do upstream. One that was modified after lists were last read to their end is none: its time may be new to the list while a
// single record brought it to the row before, or it was modified twice within the second that times upstream are rounded to.
func silent(batch *Batch, record *record.Record, row stored) int {
	modified := record.Modified.Truncate(time.Microsecond)
	if batch.Details || record.Modified.IsZero() || !modified.Equal(row.modified) || !modified.Before(batch.Settled) {
		return 0
	}
	return 1
}
