package streams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// lookedThrough is how many runs a page looks through for those that its filter selects. All runs
// of one stream, and all runs, are found without looking.
const lookedThrough = "20000"

const (
	runChoice = `) r
WHERE ($1 = '' OR organization_id = $1) AND ($2 = '' OR service = $2) AND ($3 = '' OR resource = $3)
	AND ($5 = '' OR coalesce(outcome, 'open') = $5)
ORDER BY id DESC LIMIT $6`

	// What runColumns takes of a run.
	runFields = `id, organization_id, service, resource, class, started_at, ended_at, outcome, kind, note, proof, gen, bound,
	watermark_before, watermark_after, chunks, calls, pages, received, inserted, updated, unchanged, superseded, duplicates, quarantined,
	drifted, silent, rollbacks, forecast_calls, forecast_basis`

	ofAll    = ` FROM sluice.runs WHERE id < $4 ORDER BY id DESC`
	ofStream = ` FROM sluice.runs WHERE (organization_id, service, resource) = ($1, $2, $3) AND id < $4 ORDER BY id DESC`

	sqlRunPage         = runColumns + `(SELECT ` + runFields + ofAll + ` LIMIT ` + lookedThrough + runChoice
	sqlRunPageOfStream = runColumns + `(SELECT ` + runFields + ofStream + ` LIMIT ` + lookedThrough + runChoice

	sqlLast         = `SELECT id FROM sluice.runs WHERE id < $1 ORDER BY id DESC OFFSET ` + lookedThrough + ` - 1 LIMIT 1`
	sqlLastOfStream = `SELECT id` + ofStream + ` OFFSET ` + lookedThrough + ` - 1 LIMIT 1`

	sqlWaitReasons = `
SELECT run_id, reason FROM sluice.streams WHERE run_id = ANY($1) AND state IN ('waiting', 'retrying') AND reason <> ''`

	sqlRunDays = `
SELECT to_char(day, 'YYYY-MM-DD') AS day, count(*) FILTER (WHERE outcome = 'done') AS done,
	count(*) FILTER (WHERE outcome = 'provisional') AS provisional, count(*) FILTER (WHERE outcome = 'failed') AS failed
FROM (
	SELECT (started_at AT TIME ZONE $4)::date AS day, outcome FROM (
		SELECT started_at, outcome FROM sluice.runs WHERE (organization_id, service, resource) = ($1, $2, $3)
		ORDER BY id DESC LIMIT ` + lookedThrough + `
	) AS newest WHERE started_at > $5
) AS days GROUP BY day ORDER BY day`
)

// RunPage is a part of the list of runs.
type RunPage struct {
	// Runs are the newest first.
	Runs []Run
	// Before is what the filter of the next part has; 0 if this is the last one. Where few runs
	// match, a part has fewer than its limit, and the next one goes on looking.
	Before int64
}

// RunPage returns the runs with an identifier below before, 0 for the newest, that a filter and an
// outcome select: done, provisional, failed, open, or all if it is empty. Its time does not depend
// on the number of runs. Of the filter, Open and ID do not count.
func (s *Schedule) RunPage(ctx context.Context, f RunFilter, outcome string, before int64) (RunPage, error) {
	page, last := sqlRunPage, sqlLast
	if f.Organization != "" && f.Service != "" && f.Resource != "" {
		page, last = sqlRunPageOfStream, sqlLastOfStream
	}
	if before <= 0 {
		before = 1<<63 - 1
	}
	limit := postgres.Limit(f.Limit)
	runs, err := postgres.Read[Run](ctx, s.pool, "runs", page, f.Organization, f.Service, f.Resource, before, outcome, limit)
	found := RunPage{Runs: runs}
	switch {
	case err != nil:
		return RunPage{}, err
	case len(runs) == limit:
		found.Before = runs[limit-1].ID
		return found, nil
	}
	arguments := []any{before}
	if last == sqlLastOfStream {
		arguments = []any{f.Organization, f.Service, f.Resource, before}
	}
	err = s.pool.QueryRow(ctx, last, arguments...).Scan(&found.Before)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return RunPage{}, fmt.Errorf("looking for earlier runs: %w", err)
	}
	return found, nil
}

// RunDay are the runs of a stream that began on one day.
type RunDay struct {
	// Day is the date, as in 2026-03-01.
	Day         string `db:"day"`
	Done        int64  `db:"done"`
	Provisional int64  `db:"provisional"`
	Failed      int64  `db:"failed"`
}

// RunDays returns the days since an instant on which runs of a stream began, by the dates of a
// zone.
func (s *Schedule) RunDays(ctx context.Context, key pipeline.Key, zone *time.Location, since time.Time) ([]RunDay, error) {
	return postgres.Read[RunDay](ctx, s.pool, "the days of a stream", sqlRunDays, key.Organization, key.Service, key.Resource, zone.String(), since)
}

// WaitReasons returns why those of some runs make no call now that wait, by their identifiers.
func (s *Schedule) WaitReasons(ctx context.Context, runs []int64) (map[int64]string, error) {
	type row struct {
		Run    int64  `db:"run_id"`
		Reason string `db:"reason"`
	}
	rows, err := postgres.Read[row](ctx, s.pool, "why runs wait", sqlWaitReasons, runs)
	reasons := make(map[int64]string, len(rows))
	for i := range rows {
		reasons[rows[i].Run] = rows[i].Reason
	}
	return reasons, err
}

// A run that was done while the watermark was ahead of time left it there, so only earlier
// watermarks are proven. If no such run is known, the whole list is read. The new fence refuses
// workers that read from the wrong watermark, and their scan is dropped.
const sqlResetWatermark = `
UPDATE sluice.streams s SET fence = fence + 1, scan = NULL, watermark = (
	SELECT max(r.watermark_after) FROM sluice.runs r
	WHERE (r.organization_id, r.service, r.resource) = (s.organization_id, s.service, s.resource)
		AND r.outcome = 'done' AND r.watermark_after <= coalesce(s.scanned_until, clock_timestamp()))
FROM (SELECT watermark FROM sluice.streams WHERE (organization_id, service, resource) = ($1, $2, $3) FOR UPDATE) AS before
WHERE (s.organization_id, s.service, s.resource) = ($1, $2, $3)
	AND s.watermark > coalesce(s.scanned_until, clock_timestamp() + interval '1 day')
RETURNING before.watermark, s.watermark`

// ResetWatermark sets a watermark that is ahead of time (pipeline.Position.WatermarkAhead) back to
// the last one that a clean run left. If no such run is known, it removes the watermark. It returns
// both watermarks, zero for none, and whether it changed anything.
//
//nolint:nonamedreturns // the names say which is which
func (s *Schedule) ResetWatermark(ctx context.Context, key pipeline.Key) (before, after time.Time, reset bool, failure error) {
	var from, to *time.Time
	err := s.pool.QueryRow(ctx, sqlResetWatermark, key.Organization, key.Service, key.Resource).Scan(&from, &to)
	if errors.Is(err, pgx.ErrNoRows) {
		return before, after, false, nil
	}
	if err != nil {
		return before, after, false, postgres.Fail(fmt.Sprintf("resetting the watermark of %s", key), err)
	}
	if to != nil {
		after = *to
	}
	return *from, after, true, nil
}
