package warehouse

import (
	"context"

	"sluice/pipeline/warehouse/history"
)

// HistorySetting is what the configuration says about the past of a resource.
type HistorySetting = history.Setting

// EnableHistory makes the database keep the versions and daily values that the settings ask for,
// for the organizations in them: see history.Switch. The streams have to be registered first.
func (db *DB) EnableHistory(ctx context.Context, settings []HistorySetting) error {
	return history.Switch(ctx, db.pool, settings)
}
