package warehouse

import (
	"context"

	"sluice/pipeline/warehouse/history"
)

// HistorySetting is what the configuration says about the past of a resource.
type HistorySetting = history.Setting

// EnableHistory makes what is kept that which the settings say, of the organizations in them: see
// history.Switch. The streams have to be registered.
func (db *DB) EnableHistory(ctx context.Context, settings []HistorySetting) error {
	return history.Switch(ctx, db.pool, settings)
}
