package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"sluice/sandbox/oracle"
)

// countSeconds measures a first sync at the limit: the time until all rows are there, and until the
// watermark says so. A minute of the limit is shorter than a minute; the seconds are scaled to a
// true one.
func countSeconds(ctx context.Context, c *counter) error {
	records := len(c.world.Listed(items.service, items.resource))
	cmd, err := c.warehouse.worker(ctx, &c.world.address, "-minute", c.plan.minute.String(), "-once", items.stream())
	if err != nil {
		return err
	}
	var began, loaded, proven time.Time
	_, err = c.spent(ctx, func() error {
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("start a worker: %w", err)
		}
		var err error
		if began, loaded, proven, err = c.observe(ctx, records); err != nil {
			err = errors.Join(err, cmd.Process.Signal(syscall.SIGTERM))
		}
		return errors.Join(err, cmd.Wait())
	})
	if err != nil {
		return fmt.Errorf("sync at the limit: %w", err)
	}
	scale := time.Minute.Seconds() / c.plan.minute.Seconds()
	calls := oracle.Calls(records, oracle.Page)
	fewest := oracle.Minutes(calls, perMinute) * int(time.Minute/time.Second)
	reason := fmt.Sprintf("seconds until the last of %d calls, %d a minute", calls, perMinute)
	c.table.count(lineRows, loaded.Sub(began).Seconds()*scale, float64(fewest), reason)
	c.table.count(lineProven, proven.Sub(began).Seconds()*scale, float64(fewest), reason)
	return nil
}

// observe waits for the first call, for all rows of the items and for their watermark, and returns
// the three instants.
//
//nolint:nonamedreturns // the names say which is which
func (c *counter) observe(ctx context.Context, records int) (began, loaded, proven time.Time, err error) {
	const most = 10 // minutes of the limit, for a list that two of them can bring
	deadline := time.Now().Add(most*c.plan.minute + time.Minute)
	ticker := time.NewTicker(countEvery)
	defer ticker.Stop()
	for proven.IsZero() {
		select {
		case <-ctx.Done():
			return began, loaded, proven, fmt.Errorf("interrupted: %w", context.Cause(ctx))
		case <-ticker.C:
		}
		var rows int
		var whole bool
		if err = c.read(ctx, `SELECT (SELECT count(*) FROM inventory.items),
			EXISTS (SELECT FROM sluice.streams WHERE service = 'inventory' AND resource = 'items' AND watermark IS NOT NULL)`,
			nil, &rows, &whole); err != nil {
			return began, loaded, proven, err
		}
		now := time.Now()
		if now.After(deadline) {
			return began, loaded, proven, fmt.Errorf("only %d of %d rows came, and no watermark", rows, records)
		}
		if began.IsZero() && c.world.Stats().Calls > 0 {
			began = now
		}
		if loaded.IsZero() && rows == records {
			loaded = now
		}
		if whole {
			proven = now
		}
	}
	return began, loaded, proven, nil
}
