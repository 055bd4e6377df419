package warehouse

import (
	"context"
	"time"

	"sluice/pipeline/warehouse/history"
	"sluice/pipeline/warehouse/postgres"
)

// HistorySetting is what the configuration says about the past of a resource.
type HistorySetting = history.Setting

// EnableHistory makes the database keep the versions and daily values that the settings ask for,
// for the organizations in them: see history.Switch. The streams have to be registered first.
func (db *DB) EnableHistory(ctx context.Context, settings []HistorySetting) error {
	return history.Switch(ctx, db.pool, settings)
}

// PruneHistory deletes versions that ended more than age ago, and daily values that were replaced
// before then. It deletes a bounded number at a time; the next call continues.
func (db *DB) PruneHistory(ctx context.Context, age time.Duration) error {
	return postgres.Prune(ctx, db.pool, "keeping versions", `SELECT sluice.prune_history($1)`, age)
}
