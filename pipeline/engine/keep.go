package engine

import (
	"context"
	"errors"
	"time"

	"sluice/pipeline/warehouse/actions"
)

// retention deletes notes that are older than the configured retention, and runs Rezone.
func (a *App) retention(ctx context.Context) error {
	const day = 24 * time.Hour
	_, err := a.DB.PruneCalls(ctx, int(a.Config.Retention.Calls/day))
	if a.Config.Retention.Runs > 0 {
		_, failed := actions.Prune(ctx, a.DB.Pool(), a.Config.Retention.Runs)
		err = errors.Join(err, a.DB.PruneRuns(ctx, a.Config.Retention.Runs), failed)
	}
	if a.Config.Retention.Raw > 0 {
		err = errors.Join(err, a.DB.PruneRaw(ctx, a.Config.Retention.Raw))
	}
	if a.Config.Retention.History > 0 {
		err = errors.Join(err, a.DB.PruneHistory(ctx, a.Config.Retention.History))
	}
	err = errors.Join(err, a.Inbox().Prune(ctx, a.Config.Notifications.Keep))
	return errors.Join(err, a.Rezone(ctx))
}
