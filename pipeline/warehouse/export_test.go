package warehouse

import "time"

// ScaleLedger makes minutes and days short, so that tests see them pass.
func (db *DB) ScaleLedger(lease, window, day time.Duration) {
	db.rules = ledgerRules{lease: lease, window: window, day: day}
}
