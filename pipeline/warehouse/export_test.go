package warehouse

import (
	"time"

	"sluice/pipeline/warehouse/ledger"
)

// ScaleLedger makes minutes and days short, so that tests see them pass.
func (db *DB) ScaleLedger(lease, window, day time.Duration) {
	db.Ledger = ledger.New(db.pool, db.tokens, ledger.Rules{Lease: lease, Window: window, Day: day})
}
