// Package wants holds the records that roles of the database asked for: analytics.want and
// analytics.fresh write them, and a run of the class hinted reads each by its single record
// (docs/decisions/0035-wants).
//
// A want writes no value and moves no watermark. The database decides which wants are taken: the
// view analytics.wants and the trigger behind it. This package says what can be asked for, and how
// each want ended.
//
// Start reading at Allow, then Waiting and QueueAnswered.
package wants

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Share is how many records of one organization, of all tables together, roles may ask for within
// 24 hours, and how many of them one role may.
type Share struct{ PerDay, PerRole int }

// Outcome is a closed set: how a want ended.
type Outcome string

// The outcomes.
const (
	Read Outcome = "read"
	// Unknown: upstream does not know the record. NotFound: it gave none, in other words.
	Unknown     Outcome = "gone"
	NotFound    Outcome = "not found"
	Quarantined Outcome = "quarantined"
	// Expired: it was not read within openFor.
	Expired Outcome = "expired"
)

const (
	// openFor is how long a want waits: what was asked for a day ago is not waited for any more.
	openFor = 24 * time.Hour
	// Kept is how long wants are kept after they were asked for: their share is of 24 hours, the
	// rest is for the role that looks how they ended.
	Kept = 14 * 24 * time.Hour
)

const (
	sqlForbid = `
DELETE FROM sluice.wantable t WHERE t.organization_id = ANY ($1::text[]) AND NOT EXISTS (
	SELECT FROM unnest($2::text[], $3::text[]) AS w (organization_id, resource) WHERE (w.organization_id, w.resource) = (t.organization_id, t.resource))`

	sqlAllow = `
INSERT INTO sluice.wantable AS t (organization_id, resource, per_day, per_role)
SELECT w.organization_id, w.resource, $3, $4 FROM unnest($1::text[], $2::text[]) AS w (organization_id, resource)
ORDER BY w.organization_id, w.resource
ON CONFLICT (organization_id, resource) DO UPDATE SET per_day = excluded.per_day, per_role = excluded.per_role
WHERE (t.per_day, t.per_role) <> (excluded.per_day, excluded.per_role)`

	sqlWaiting = `
SELECT DISTINCT organization_id, resource FROM sluice.wants WHERE answered_at IS NULL AND requested_at IS NULL ORDER BY 1, 2`

	sqlRequested = `
UPDATE sluice.wants SET requested_at = clock_timestamp()
WHERE (organization_id, resource) = ($1, $2) AND answered_at IS NULL AND requested_at IS NULL`

	// A want that came after the call was reserved leads to another read. Where no call is named,
	// its answer could not be read; the run began before it.
	sqlAnswered = `
UPDATE sluice.wants w SET answered_at = clock_timestamp(), outcome = k.outcome, call_id = nullif($5::bigint, 0)
FROM unnest($3::text[], $4::text[]) AS k (id, outcome)
WHERE (w.organization_id, w.resource, w.record_id) = ($1, $2, k.id) AND w.answered_at IS NULL
	AND w.asked_at < coalesce($6::timestamptz, (SELECT r.started_at FROM sluice.runs r WHERE r.id = $7))`

	sqlExpire = `
UPDATE sluice.wants SET answered_at = clock_timestamp(), outcome = 'expired'
WHERE answered_at IS NULL AND asked_at < clock_timestamp() - $1::interval`

	sqlPrune = `DELETE FROM sluice.wants WHERE answered_at IS NOT NULL AND asked_at < clock_timestamp() - $1::interval`

	sqlOf = `
SELECT asked_by::text, asked_at, answered_at, coalesce(outcome, '') AS outcome, coalesce(call_id, 0) AS call_id FROM sluice.wants
WHERE (organization_id, resource, record_id) = ($1, $2, $3) ORDER BY id DESC LIMIT 5`

	sqlSums = `
SELECT t.organization_id, t.per_day, t.per_role,
	count(w.id) FILTER (WHERE w.asked_at > clock_timestamp() - interval '24 hours') AS wants,
	count(w.id) FILTER (WHERE w.answered_at IS NULL) AS open,
	count(w.id) FILTER (WHERE w.outcome IN ('read', 'gone') AND w.asked_at > clock_timestamp() - interval '24 hours') AS answered,
	count(w.id) FILTER (WHERE w.outcome NOT IN ('read', 'gone') AND w.asked_at > clock_timestamp() - interval '24 hours') AS failed,
	coalesce(extract(epoch FROM clock_timestamp() - min(w.asked_at) FILTER (WHERE w.answered_at IS NULL)), 0)::float8 AS oldest_seconds
FROM (SELECT organization_id, max(per_day) AS per_day, max(per_role) AS per_role FROM sluice.wantable GROUP BY organization_id) AS t
LEFT JOIN sluice.wants w ON w.organization_id = t.organization_id
	AND (w.answered_at IS NULL OR w.asked_at > clock_timestamp() - interval '24 hours')
GROUP BY t.organization_id, t.per_day, t.per_role ORDER BY t.organization_id`
)

// Want is a record that a role asked for.
type Want struct {
	AskedBy string    `db:"asked_by" json:"asked_by"`
	AskedAt time.Time `db:"asked_at" json:"asked_at"`
	// AnsweredAt and Outcome are nil and "" while it waits; Call is the call that answered it, 0
	// if none did.
	AnsweredAt *time.Time `db:"answered_at" json:"answered_at,omitempty"`
	Outcome    Outcome    `db:"outcome"     json:"outcome,omitempty"`
	Call       int64      `db:"call_id"     json:"call,omitempty"`
}

// Of returns the last wants of a record, the newest first.
func Of(ctx context.Context, pool *pgxpool.Pool, list pipeline.Key, record string) ([]Want, error) {
	return postgres.Read[Want](ctx, pool, "the wants", sqlOf, list.Organization, nameOf(list), record)
}

// Allow makes lists those of whose records roles may ask for, with this share, and takes all others
// of these organizations away.
func Allow(ctx context.Context, pool *pgxpool.Pool, organizations []string, lists []pipeline.Key, share Share) error {
	const op = "storing what can be asked for"
	of, names := make([]string, len(lists)), make([]string, len(lists))
	for i, list := range lists {
		of[i], names[i] = list.Organization, nameOf(list)
	}
	return postgres.InTx(ctx, pool, op, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlForbid, organizations, of, names); err != nil {
			return postgres.Fail(op, err)
		}
		_, err := tx.Exec(ctx, sqlAllow, of, names, share.PerDay, share.PerRole)
		return postgres.Fail(op, err)
	})
}

func nameOf(list pipeline.Key) string { return list.Service + "." + list.Resource }

// Waiting returns the lists of whose records some were asked for, and no run was requested since.
func Waiting(ctx context.Context, tx pgx.Tx) ([]pipeline.Key, error) {
	rows, err := tx.Query(ctx, sqlWaiting)
	if err != nil {
		return nil, postgres.Fail("looking for wants", err)
	}
	lists, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (pipeline.Key, error) {
		var list pipeline.Key
		var name string
		err := row.Scan(&list.Organization, &name)
		list.Service, list.Resource, _ = strings.Cut(name, ".")
		return list, err
	})
	return lists, postgres.Fail("looking for wants", err)
}

// QueueRequested notes that a run was requested that reads what was asked for.
func QueueRequested(queue *pgx.Batch, list pipeline.Key) {
	queue.Queue(sqlRequested, list.Organization, nameOf(list))
}

// QueueAnswered ends the wants of the records that a batch asked for; its call was reserved at
// requestedAt. Rejected are the records that the database refused.
func QueueAnswered(queue *pgx.Batch, batch *pipeline.Batch, rejected []string, requestedAt time.Time) {
	ended := make(map[string]Outcome)
	for i := range batch.Records {
		ended[batch.Records[i].ID] = Read
	}
	for _, id := range batch.Missing {
		ended[id] = NotFound
		if batch.Unknown {
			ended[id] = Unknown
		}
	}
	for i := range batch.Rejected {
		ended[batch.Rejected[i].ID] = Quarantined
	}
	for _, id := range rejected {
		ended[id] = Quarantined
	}
	if len(ended) == 0 {
		return
	}
	ids, outcomes := slices.Sorted(maps.Keys(ended)), make([]string, len(ended))
	for i, id := range ids {
		outcomes[i] = string(ended[id])
	}
	list := batch.Claim.Stream.ListKey()
	queue.Queue(sqlAnswered, list.Organization, nameOf(list), ids, outcomes, batch.Call, postgres.Instant(requestedAt), batch.Claim.Run)
}

// Prune ends the wants that have waited for a day, and deletes those that are older than Kept.
func Prune(ctx context.Context, pool *pgxpool.Pool) error {
	if _, err := pool.Exec(ctx, sqlExpire, openFor); err != nil {
		return postgres.Fail("ending wants", err)
	}
	_, err := pool.Exec(ctx, sqlPrune, Kept)
	return postgres.Fail("deleting old wants", err)
}

// Sum is what became of the wants of an organization's records within the last 24 hours.
type Sum struct {
	Organization string `db:"organization_id" json:"organization"`
	// PerDay and PerRole are the share.
	PerDay  int `db:"per_day"  json:"per_day"`
	PerRole int `db:"per_role" json:"per_role"`
	// Wants are all; Answered those that were read or are gone, Failed those that ended otherwise.
	Wants    int `db:"wants"    json:"wants"`
	Answered int `db:"answered" json:"answered"`
	Failed   int `db:"failed"   json:"failed"`
	// Open are those that wait, of any age; OldestSeconds is how long the oldest of them has
	// waited.
	Open          int     `db:"open"           json:"open"`
	OldestSeconds float64 `db:"oldest_seconds" json:"oldest_seconds"`
}

// Sums sums up the wants by organization, those that can be asked for records.
func Sums(ctx context.Context, pool *pgxpool.Pool) ([]Sum, error) {
	return postgres.Read[Sum](ctx, pool, "the wants", sqlSums)
}
