package engine

import (
	"context"
	"errors"
	"time"
)

// keep is the housekeeping of what the program notes about its own work: each is kept for as long as the configuration says.
func (a *App) keep(ctx context.Context) error {
	const day = 24 * time.Hour
	_, err := a.DB.KeepCalls(ctx, int(a.Config.Keep.Calls/day))
	if a.Config.Keep.Runs > 0 {
		err = errors.Join(err, a.DB.KeepRuns(ctx, a.Config.Keep.Runs))
	}
	if a.Config.Keep.Raw > 0 {
		err = errors.Join(err, a.DB.KeepRaw(ctx, a.Config.Keep.Raw))
	}
	if a.Config.Keep.History > 0 {
		err = errors.Join(err, a.DB.KeepVersions(ctx, a.Config.Keep.History))
	}
	return errors.Join(err, a.Rezone(ctx))
}
