package engine

import (
	"context"
	"errors"
	"time"

	"sluice/pipeline/warehouse/actions"
	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/receivers"
)

// retention deletes notes, rejected records and rows of gone records that are older than the
// configured retention, and runs Rezone.
func (a *App) retention(ctx context.Context) error {
	const day = 24 * time.Hour
	_, err := a.DB.PruneCalls(ctx, int(a.Config.Retention.Calls/day))
	if a.Config.Retention.Runs > 0 {
		_, failed := actions.Prune(ctx, a.DB.Pool(), a.Config.Retention.Runs)
		err = errors.Join(err, a.DB.PruneRuns(ctx, a.Config.Retention.Runs), failed)
	}
	err = errors.Join(err, a.DB.PruneQuarantine(ctx, quarantine.Ages(a.Config.Retention.Quarantine)))
	if a.Config.Retention.Tombstoned > 0 {
		err = errors.Join(err, a.DB.PruneGone(ctx, a.Config.Retention.Tombstoned))
	}
	if a.Config.Retention.Raw > 0 {
		err = errors.Join(err, a.DB.PruneRaw(ctx, a.Config.Retention.Raw))
	}
	if a.Config.Retention.History > 0 {
		err = errors.Join(err, a.DB.PruneHistory(ctx, a.Config.Retention.History))
	}
	err = errors.Join(err, a.DB.RenewChanges(ctx), a.DB.PruneChanges(ctx, a.Config.Retention.Changes))
	err = errors.Join(err, a.Inbox().Prune(ctx, a.Config.Notifications.Keep), receivers.Forget(ctx, a.DB.Pool(), receivers.Kept))
	return errors.Join(err, a.Rezone(ctx))
}
