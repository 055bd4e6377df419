package streams

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"sluice/pipeline/warehouse/postgres"
)

// Run is one execution of a stream. The counts of an open run are its progress.
type Run struct {
	ID           int64      `db:"id"              json:"id"`
	Organization string     `db:"organization_id" json:"organization"`
	Service      string     `db:"service"         json:"service"`
	Resource     string     `db:"resource"        json:"resource"`
	Class        string     `db:"class"           json:"class"`
	StartedAt    time.Time  `db:"started_at"      json:"started_at"`
	EndedAt      *time.Time `db:"ended_at"        json:"ended_at"`
	// Seconds is how long it took, or has taken so far, by the clock of the database.
	Seconds float64 `db:"seconds" json:"seconds"`
	// Outcome is done, provisional or failed; empty while it is open. Kind is the kind of error
	// that ended it.
	Outcome string `db:"outcome" json:"outcome"`
	Kind    string `db:"kind"    json:"kind,omitempty"`
	Note    string `db:"note"    json:"note,omitempty"`
	// Proof is how the run knows that no record of its list escaped it; "" if it does not.
	Proof string `db:"proof" json:"proof,omitempty"`
	// Gen is the last request of the stream that the run serves.
	Gen             int64      `db:"gen"              json:"gen"`
	Bound           *time.Time `db:"bound"            json:"bound,omitempty"`
	WatermarkBefore *time.Time `db:"watermark_before" json:"watermark_before"`
	WatermarkAfter  *time.Time `db:"watermark_after"  json:"watermark_after"`

	Chunks      int64 `db:"chunks"      json:"chunks"`
	Calls       int64 `db:"calls"       json:"calls"`
	Pages       int64 `db:"pages"       json:"pages"`
	Received    int64 `db:"received"    json:"received"`
	Inserted    int64 `db:"inserted"    json:"inserted"`
	Updated     int64 `db:"updated"     json:"updated"`
	Unchanged   int64 `db:"unchanged"   json:"unchanged"`
	Superseded  int64 `db:"superseded"  json:"superseded"`
	Duplicates  int64 `db:"duplicates"  json:"duplicates"`
	Quarantined int64 `db:"quarantined" json:"quarantined"`
	Drifted     int64 `db:"drifted"     json:"drifted"`
	// Silent counts those of Updated that changed without a new modification time.
	Silent int64 `db:"silent" json:"silent"`
	// Rollbacks counts those of Updated whose modification time went back upstream.
	Rollbacks int64 `db:"rollbacks" json:"rollbacks"`
	// Forecast is how many calls the run was expected to make when it began, ForecastBasis what
	// that rests on; nil and "" if there was no forecast.
	Forecast      *int64 `db:"forecast"       json:"forecast_calls"`
	ForecastBasis string `db:"forecast_basis" json:"forecast_basis,omitempty"`
}

// RunFilter selects runs; empty fields select all.
type RunFilter struct {
	Organization, Service, Resource string
	// Open selects runs that have not ended.
	Open bool
	// ID selects one run.
	ID int64
	// Limit bounds the list; zero means 100.
	Limit int
}

const (
	runColumns = `
SELECT id, organization_id, service, resource, class, started_at, ended_at,
	extract(epoch FROM coalesce(ended_at, clock_timestamp()) - started_at)::float8 AS seconds,
	coalesce(outcome, '') AS outcome, coalesce(kind, '') AS kind, note, proof, gen, bound, watermark_before, watermark_after, chunks,
	CASE WHEN ended_at IS NULL THEN (SELECT count(*) FROM sluice.calls c WHERE c.run_id = r.id) ELSE r.calls END AS calls,
	pages, received, inserted, updated, unchanged, superseded, duplicates, quarantined, drifted, silent, rollbacks,
	forecast_calls AS forecast, coalesce(forecast_basis, '') AS forecast_basis
FROM `

	sqlRuns = runColumns + `sluice.runs r
WHERE ($1 = '' OR organization_id = $1) AND ($2 = '' OR service = $2) AND ($3 = '' OR resource = $3)
	AND (NOT $4::boolean OR ended_at IS NULL) AND ($5::bigint = 0 OR id = $5)
ORDER BY id DESC LIMIT $6`
)

// Runs returns runs, newest first.
func (s *Schedule) Runs(ctx context.Context, f RunFilter) ([]Run, error) {
	return postgres.Read[Run](ctx, s.pool, "runs", sqlRuns, f.Organization, f.Service, f.Resource, f.Open, f.ID, postgres.Limit(f.Limit))
}

// RunProgress returns one run, or postgres.ErrNotFound if there is no such run.
func (s *Schedule) RunProgress(ctx context.Context, id int64) (Run, error) {
	return postgres.ReadOne[Run](ctx, s.pool, fmt.Sprintf("run %d", id), sqlRuns, "", "", "", false, cmp.Or(id, -1), 1)
}

// PruneRuns deletes runs, verifications and processes that are older than age, a bounded number at
// a time. It leaves what the program still needs: see sluice.prune_runs.
func (s *Schedule) PruneRuns(ctx context.Context, age time.Duration) error {
	_, err := s.pool.Exec(ctx, `SELECT sluice.prune_runs($1)`, age)
	return postgres.Fail("keeping the runs", err)
}
