package certificates

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Moment is the instant of a snapshot.
type Moment struct {
	// TakenAt is the clock of the database; QuietBefore is when the oldest transaction under way
	// began: later loads may still bring rows with such stamps.
	TakenAt     time.Time `db:"taken_at"     json:"taken_at"`
	QuietBefore time.Time `db:"quiet_before" json:"quiet_before"`
	// Cut is the greatest instant up to which all lists are complete, by upstream's clock, as
	// analytics.cut tells analysts; nil if one of them never was.
	Cut *time.Time `db:"cut" json:"cut"`
	// Warehouse names the server and its timeline, Schema the last migration.
	Warehouse string `db:"warehouse" json:"warehouse"`
	Schema    int64  `db:"schema"    json:"schema"`
	// LastRun and LastCall are the last of all organizations; OpenRuns are the runs under way of
	// this one.
	LastRun  int64   `db:"last_run"  json:"last_run"`
	LastCall int64   `db:"last_call" json:"last_call"`
	OpenRuns []int64 `db:"open_runs" json:"open_runs"`
}

// List is how far one list is copied, and what is open.
type List struct {
	Resource   string     `db:"resource"     json:"resource"`
	Enabled    bool       `db:"enabled"      json:"enabled"`
	State      string     `db:"state"        json:"state"`
	Watermark  *time.Time `db:"watermark"    json:"watermark"`
	LastDoneAt *time.Time `db:"last_done_at" json:"last_done_at"`
	// SweptAt is when the last clean reading of the whole list began, SweptBy its run.
	SweptAt *time.Time `db:"swept_at" json:"last_clean_sweep"`
	SweptBy *int64     `db:"swept_by" json:"last_clean_sweep_run"`
	// Pending, Stale and Failed count records that wait for their single record.
	Pending int64 `db:"pending" json:"details_pending"`
	Stale   int64 `db:"stale"   json:"details_stale"`
	Failed  int64 `db:"failed"  json:"details_failed"`
	// InReview counts records whose deletion a person has to decide.
	InReview int64 `db:"in_review" json:"deletions_in_review"`
}

// Entry is an open entry in quarantine.
type Entry struct {
	ID       int64  `db:"id"        json:"id"`
	Resource string `db:"resource"  json:"resource"`
	Record   string `db:"record_id" json:"record"`
	Code     string `db:"code"      json:"code"`
	Path     string `db:"path"      json:"path"`
	Hash     string `db:"hash"      json:"sha256"`
	State    string `db:"state"     json:"-"`
	// DecidedAt and LastSeenAt say when it changed last.
	DecidedAt  *time.Time `db:"decided_at"   json:"-"`
	LastSeenAt time.Time  `db:"last_seen_at" json:"-"`
}

// Gap is a time in which nothing could have told of a change.
type Gap struct {
	ID       int64      `db:"id"        json:"id"`
	Channel  string     `db:"channel"   json:"channel"`
	OpenedAt time.Time  `db:"opened_at" json:"opened_at"`
	ClosedAt *time.Time `db:"closed_at" json:"closed_at"`
}

// The hash of an entry is of the bytes that are stored, not what the entry says of them.
const (
	sqlMoment = `
SELECT now() AS taken_at,
	(SELECT least(now(), min(a.xact_start)) FROM pg_catalog.pg_stat_activity a
		WHERE a.backend_xid IS NOT NULL AND a.datname = current_database()) AS quiet_before,
	(SELECT c.cut FROM analytics.cut($1) c) AS cut,
	sluice.timeline() AS warehouse,
	(SELECT coalesce(max(v.version_id), 0) FROM sluice.schema_version v WHERE v.is_applied) AS schema,
	(SELECT coalesce(max(r.id), 0) FROM sluice.runs r) AS last_run,
	(SELECT coalesce(max(c.id), 0) FROM sluice.calls c) AS last_call,
	ARRAY(SELECT r.id FROM sluice.runs r WHERE r.organization_id = $1 AND r.ended_at IS NULL ORDER BY r.id) AS open_runs`

	sqlLists = `
SELECT s.service || '.' || s.resource AS resource, s.enabled, s.state, s.watermark, s.last_done_at, w.started_at AS swept_at, w.id AS swept_by,
	coalesce(b.pending, 0) AS pending, coalesce(b.stale, 0) AS stale, coalesce(b.failed, 0) AS failed,
	(SELECT count(*) FROM sluice.tombstones t
		WHERE (t.organization_id, t.service, t.resource) = (s.organization_id, s.service, s.resource) AND t.state = 'needs_review') AS in_review
FROM sluice.streams s
LEFT JOIN LATERAL (SELECT r.id, r.started_at FROM sluice.runs r
	WHERE r.organization_id = s.organization_id AND r.service = s.service AND r.outcome = 'done' AND r.proof <> ''
		AND (r.resource = s.resource || '.sweep' OR r.resource = s.resource AND r.bound IS NULL)
	ORDER BY r.id DESC LIMIT 1) AS w ON true
LEFT JOIN LATERAL sluice.detail_backlog(s.organization_id, s.service, s.resource || '.details') AS b ON true
WHERE s.organization_id = $1 AND s.resource NOT LIKE '%.%' ORDER BY 1`

	sqlEntries = `
SELECT q.id, q.service || '.' || q.resource AS resource, q.record_id, q.code, q.path, encode(sha256(q.raw), 'hex') AS hash, q.state,
	q.decided_at, q.last_seen_at
FROM sluice.quarantine q WHERE q.organization_id = $1 AND ($2::bigint[] IS NULL AND q.state = 'open' OR q.id = ANY ($2)) ORDER BY q.id`

	sqlGaps = `
SELECT g.id, g.channel, g.opened_at, g.closed_at FROM sluice.channel_gaps g
WHERE g.organization_id = $1 AND ($2::bigint[] IS NULL OR g.id = ANY ($2)) ORDER BY g.id DESC LIMIT 1000`

	// A run that is older than the oldest one kept was pruned.
	sqlWrote = `
SELECT k.n FROM unnest($5::bigint[], $6::bigint[], $7::bigint[]) WITH ORDINALITY AS k (run, call, detail, n)
WHERE EXISTS (SELECT FROM sluice.runs r
	WHERE r.id IN (k.run, (SELECT c.run_id FROM sluice.calls c WHERE c.id = greatest(k.call, k.detail)))
		AND r.organization_id = $1 AND r.service = $2 AND (r.resource = $3 OR r.resource LIKE $3 || '.%')
		AND (r.id > $4 OR r.id = ANY ($8::bigint[])))
	OR k.run > $4 AND k.run < (SELECT min(r.id) FROM sluice.runs r)`

	sqlTombstones = `
SELECT record_id FROM sluice.tombstones WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4)
	AND (state = 'deleted' AND greatest(proof_at, decided_at) >= $5 OR state = 'restored' AND restored_at >= $5)`

	sqlPruned = `
SELECT record_id FROM sluice.tombstones WHERE (organization_id, service, resource) = ($1, $2, $3) AND state = 'deleted' AND pruned_at >= $5
	AND ($4::text[] IS NULL OR record_id = ANY ($4))
UNION
SELECT w.id FROM unnest($4) AS w (id) JOIN sluice.erasures e
	ON (e.organization_id, e.service, e.resource) = ($1, $2, $3) AND e.subject_hash = sluice.erasure_hash($1, $2, $3, w.id) AND e.ended_at >= $5`

	// Entries that were decided and came last before that instant went; null if none ever did.
	sqlForgotten = `SELECT coalesce((SELECT pruned_to FROM sluice.housekeeping WHERE work = 'quarantine') >= $1, false)`

	sqlRebuilt = `
SELECT EXISTS (SELECT FROM sluice.rebuilds
	WHERE (organization_id, service, resource) = ($1, $2, $3) AND (ended_at IS NULL OR greatest(started_at, ended_at) >= $4))`

	sqlMoved = `
SELECT EXISTS (SELECT FROM sluice.runs r
	WHERE r.organization_id = $1 AND r.service || '.' || r.resource = $2 AND (r.id > $3 OR r.id = ANY ($4)) AND r.watermark_after = $5)`
)

// At reads the instant of a snapshot.
func At(ctx context.Context, view View, organization string) (Moment, error) {
	found, err := postgres.Read[Moment](ctx, view.tx, "the instant of a certificate", sqlMoment, organization)
	if err != nil {
		return Moment{}, err
	}
	return found[0], nil
}

// Lists reads how far each list is copied.
func Lists(ctx context.Context, view View, organization string) ([]List, error) {
	return postgres.Read[List](ctx, view.tx, "how far lists are copied", sqlLists, organization)
}

// Entries reads the open entries in quarantine, or those of the numbers that are given, in any
// state.
func Entries(ctx context.Context, view View, organization string, ids []int64) ([]Entry, error) {
	return postgres.Read[Entry](ctx, view.tx, "entries in quarantine", sqlEntries, organization, ids)
}

// Gaps reads the last thousand gaps of notifications, or those of the numbers that are given.
func Gaps(ctx context.Context, view View, organization string, ids []int64) ([]Gap, error) {
	return postgres.Read[Gap](ctx, view.tx, "gaps of notifications", sqlGaps, organization, ids)
}

// Wrote returns which of the records a run of their list wrote that began after a certificate, or
// was under way when it was taken.
func Wrote(ctx context.Context, view View, key pipeline.Key, moment Moment, records []Record) (map[string]bool, error) {
	wrote := map[string]bool{}
	if len(records) == 0 {
		return wrote, nil
	}
	runs, calls, details := make([]int64, len(records)), make([]int64, len(records)), make([]int64, len(records))
	for i := range records {
		runs[i], calls[i], details[i] = records[i].Run, records[i].Call, records[i].DetailCall
	}
	const what = "which runs wrote rows"
	rows, err := view.tx.Query(ctx, sqlWrote, key.Organization, key.Service, key.Resource, moment.LastRun, runs, calls, details, moment.OpenRuns)
	if err != nil {
		return nil, postgres.Fail(what, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	for _, n := range found {
		if r := &records[n-1]; !r.ChangedAt.Before(moment.QuietBefore) {
			wrote[r.Key] = true
		}
	}
	return wrote, postgres.Fail(what, err)
}

// Decided returns of which records the tombstone was set or taken off since an instant, as the
// evidence says.
func Decided(ctx context.Context, view View, key pipeline.Key, since time.Time, ids []string) (map[string]bool, error) {
	return evidence(ctx, view, sqlTombstones, key, since, ids)
}

// Pruned returns of which of the records, or of all if ids is nil, the row was deleted since an
// instant because its tombstone was old, as the evidence says; and those of the ids that were
// erased since.
func Pruned(ctx context.Context, view View, key pipeline.Key, since time.Time, ids []string) (map[string]bool, error) {
	return evidence(ctx, view, sqlPruned, key, since, ids)
}

func evidence(ctx context.Context, view View, sql string, key pipeline.Key, since time.Time, ids []string) (map[string]bool, error) {
	of := map[string]bool{}
	rows, err := view.tx.Query(ctx, sql, key.Organization, key.Service, key.Resource, ids, since)
	if err != nil {
		return nil, postgres.Fail("reading the evidence of tombstones", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, id := range found {
		of[id] = true
	}
	return of, postgres.Fail("reading the evidence of tombstones", err)
}

// Forgotten reports whether entries of the quarantine went that were decided at an instant or
// later.
func Forgotten(ctx context.Context, view View, since time.Time) (bool, error) {
	var forgotten bool
	err := view.tx.QueryRow(ctx, sqlForgotten, since).Scan(&forgotten)
	return forgotten, postgres.Fail("looking up to when the quarantine was pruned", err)
}

// Rebuilt reports whether a rebuild has written a list since an instant.
func Rebuilt(ctx context.Context, view View, key pipeline.Key, since time.Time) (bool, error) {
	var rebuilt bool
	err := view.tx.QueryRow(ctx, sqlRebuilt, key.Organization, key.Service, key.Resource, since).Scan(&rebuilt)
	return rebuilt, postgres.Fail("looking for rebuilds", err)
}

// Reached reports whether a run since a certificate left a list's watermark where it is.
func Reached(ctx context.Context, view View, organization, resource string, moment Moment, watermark time.Time) (bool, error) {
	var reached bool
	err := view.tx.QueryRow(ctx, sqlMoved, organization, resource, moment.LastRun, moment.OpenRuns, watermark).Scan(&reached)
	return reached, postgres.Fail("looking for the run of a watermark", err)
}
