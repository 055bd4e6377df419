package tombstones

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

const (
	// refused are records that Postgres refused: when they were created is not kept.
	refused = `EXISTS (SELECT FROM sluice.quarantine q WHERE (q.organization_id, q.service, q.resource) = ($1, $2, $3)
		AND q.record_id = i.id AND q.state = 'open' AND q.code ~ '^[0-9A-Z]{5}$')`

	sqlSeen = `
WITH i AS (SELECT DISTINCT unnest(s.ids) AS id FROM sluice.sightings s WHERE s.run_id = $4 AND s.call_id > $5)
SELECT count(*) FILTER (WHERE CASE WHEN t.%[2]s IS NULL THEN NOT ` + refused + ` ELSE t.%[3]s < $6 END),
	count(*) FILTER (WHERE CASE WHEN t.%[2]s IS NULL THEN ` + refused + ` ELSE coalesce(t.%[3]s >= $6 AND t.%[3]s < $7, true) END)
FROM i LEFT JOIN %[1]s AS t ON t.organization_id = $1 AND t.%[2]s = i.id`

	// Records in quarantine exist, too. When one was created that came with this very run is
	// unknown, as is whether one exists that a person has set aside. So is whether a row existed that
	// got its tombstone while upstream counted.
	sqlKnown = `
WITH q AS (
	SELECT DISTINCT ON (q.record_id) q.record_id = '' OR q.state = 'resolved' OR q.first_seen_at >= r.started_at AS unsure
	FROM sluice.quarantine q JOIN sluice.runs r ON r.id = $4
	WHERE (q.organization_id, q.service, q.resource) = ($1, $2, $3) AND q.state <> 'retried'
		AND NOT EXISTS (SELECT FROM %[1]s AS t WHERE t.organization_id = $1 AND t.%[2]s = q.record_id)
	ORDER BY q.record_id, q.state
)
SELECT count(*) FILTER (WHERE t.%[3]s < $5) + (SELECT count(*) FILTER (WHERE NOT unsure) FROM q),
	count(*) FILTER (WHERE coalesce(t.%[3]s >= $5 AND t.%[3]s < $6, true) OR t.%[3]s < $5 AND t._deleted_at < $6)
		+ (SELECT count(*) FILTER (WHERE unsure) FROM q),
	EXISTS (SELECT FROM sluice.tombstones k WHERE (k.organization_id, k.service, k.resource) = ($1, $2, $3) AND k.state = 'needs_review')
FROM %[1]s AS t WHERE t.organization_id = $1 AND (t._deleted_at IS NULL OR t._deleted_at >= $5)`
)

// Seen counts the records that a run was shown since a count.
func Seen(ctx context.Context, db postgres.Asker, claim pipeline.Claim, count pipeline.Count) (pipeline.Seen, error) {
	key := claim.Stream.ListKey()
	var seen pipeline.Seen
	err := db.QueryRow(ctx, namesOf(claim.Stream).fillCreated(sqlSeen), key.Organization, key.Service, key.Resource,
		claim.Run, count.Call, count.From, count.To).Scan(&seen.Before, &seen.Between)
	return seen, err
}

// Known counts the records that are known to exist, those in quarantine included, and says whether
// deletions among them wait for the operator.
func Known(ctx context.Context, tx pgx.Tx, claim pipeline.Claim, count pipeline.Count) (pipeline.Seen, bool, error) {
	key := claim.Stream.ListKey()
	var known pipeline.Seen
	held := false
	err := tx.QueryRow(ctx, namesOf(claim.Stream).fillCreated(sqlKnown), key.Organization, key.Service, key.Resource,
		claim.Run, count.From, count.To).Scan(&known.Before, &known.Between, &held)
	if err != nil {
		return known, held, fmt.Errorf("counting the records of %s: %w", key, err)
	}
	return known, held, nil
}
