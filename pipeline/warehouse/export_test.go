package warehouse

import (
	"time"

	"sluice/pipeline/warehouse/calls"
)

// ScaleLedger shortens minutes and days, so that tests see them pass.
func (db *DB) ScaleLedger(lease, window, day time.Duration) {
	db.Ledger = calls.New(db.pool, db.tokens, calls.Rules{Lease: lease, Window: window, Day: day})
}
