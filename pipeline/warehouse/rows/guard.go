package rows

import (
	"time"

	"sluice/pipeline/warehouse/rows/version"
	"sluice/schema/record"
)

// stored is what the probe knows about a row.
type stored struct {
	// found says that there is one.
	found bool
	hash  [16]byte
	call  int64
	// modified is zero if the row has none; changed is when the row was last written.
	modified, changed time.Time
	// place is where the row stands (its ctid, in the wire's binary format); it holds as long as the row is locked.
	place [6]byte
}

// judge holds a record that differs against its row.
func judge(batch *Batch, record *record.Record, row stored) version.Verdict {
	return version.Judge(
		version.Record{Modified: record.Modified, Call: batch.Call, Asked: batch.CallStarted},
		version.Row{Modified: row.modified, Call: row.call, Changed: row.changed},
	)
}
