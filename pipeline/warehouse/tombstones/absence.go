// Package tombstones decides whether a record that a list did not show is gone (invariant 7).
//
// Absence from one scan proves nothing: lists shift, shrink and fail. A row gets its tombstone when
// two clean scans of the whole list, some time apart, did not see its record, or a look and then a
// scan. The first is enough if upstream then answers that it does not know the record. If a scan
// misses more rows than the limit allows, the operator decides. Any call that shows the record
// again refutes the evidence. Why: docs/decisions/0010-deletions.
//
// It works in its caller's transactions. Locks are always taken in this order: evidence, then rows.
//
// Start reading at Conclude; look.go has what a look does, seen.go what every batch of records does
// to the evidence, review.go what the operator decides.
package tombstones

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// limit is how many live rows one scan may miss.
func limit(r pipeline.TombstoneRules, live int) int {
	return max(r.MaxRows, int(r.MaxShare*float64(live)))
}

// Scan is a clean scan of a whole list that is about to end.
type Scan struct {
	Stream pipeline.Stream
	Run    int64
	// Started is upstream's clock at its first answer.
	Started time.Time
	Rules   pipeline.TombstoneRules
}

// Verdict is the result of a scan.
type Verdict struct {
	// Live are the rows that were taken to exist, Absent those of them that the scan did not see.
	Live, Absent int
	// Suspected are absent for the first time, Deleted got their tombstone, NeedsReview wait for
	// the operator's decision.
	Suspected, Deleted, NeedsReview int
	// Requested are those of Suspected whose single record is asked for now.
	Requested int
	// Shrunken says that the scan missed more than the limit allows, or saw nothing although there
	// were rows.
	Shrunken bool
	// Doubt says why the scan allowed no conclusion; "" if it did.
	Doubt string
}

// Note describes the verdict; "" if there is nothing to report.
func (v Verdict) Note() string {
	switch {
	case v.Doubt != "":
		return v.Doubt
	case v.NeedsReview > 0:
		return fmt.Sprintf("%d of %d rows are in neither of two scans and need review: sluice tombstones review", v.NeedsReview, v.Live)
	case v.Shrunken:
		return fmt.Sprintf("%d of %d rows were not in the list: too many to be believed", v.Absent, v.Live)
	case v.Deleted > 0 && v.Suspected > 0:
		return fmt.Sprintf("%d gone upstream, %d missed for the first time", v.Deleted, v.Suspected)
	case v.Deleted > 0:
		return fmt.Sprintf("%d gone upstream", v.Deleted)
	case v.Suspected > 0:
		return fmt.Sprintf("%d missed for the first time", v.Suspected)
	default:
		return ""
	}
}

// Again is why the stream has to run again before its interval is over. Where single records are
// asked for, upstream's word replaces the second scan. A scan that confirmed evidence asks for no
// other scan: where records are deleted all the time, a list is scanned twice in its interval, and
// not without end.
func (v Verdict) Again() pipeline.Again {
	if v.Suspected > v.Requested && v.Deleted == 0 && v.NeedsReview == 0 {
		return pipeline.AgainMissed
	}
	return pipeline.AgainNot
}

const (
	sqlBounds = `
SELECT r.started_at, coalesce(min(s.call_id), 0), coalesce(max(s.call_id), 0), coalesce(sum(cardinality(s.ids)), 0),
	coalesce((SELECT o.is_active FROM sluice.organizations o WHERE o.organization_id = r.organization_id), true)
FROM sluice.runs r LEFT JOIN sluice.sightings s ON s.run_id = r.id
WHERE r.id = $1 GROUP BY r.id`

	// %[1]s is the table, %[2]s its key. Rows that were loaded or otherwise written after the scan
	// began existed then. An answer out of a cache carries the clock of when it was made: rows
	// first seen later cannot be in it. Rows that already wait for the operator are left out. NOT
	// IN uses a hash table. On a table without statistics an anti join would read all sightings for
	// each row: measured with 10,000 rows, ten seconds.
	sqlAbsent = `
SELECT t.%[2]s FROM %[1]s AS t
WHERE t.organization_id = $1 AND t._deleted_at IS NULL AND t._first_seen_at < least($5, $6::timestamptz) AND t._changed_at < $5
	AND t.%[2]s NOT IN (SELECT unnest(ids) FROM sluice.sightings WHERE run_id = $4)
	AND t.%[2]s NOT IN (SELECT record_id FROM sluice.tombstones
		WHERE (organization_id, service, resource) = ($1, $2, $3) AND state = 'needs_review')`

	sqlLive = `SELECT count(*) FROM %[1]s AS t WHERE t.organization_id = $1 AND t._deleted_at IS NULL`

	// Under parents, a run says something about the rows of those parents alone whose lists it read
	// whole. Only these count as live, too: the limit of a run that read few parents is that of few
	// rows. %[3]s is the column of the parent.
	underWhole = ` AND EXISTS (SELECT FROM sluice.parents p
		WHERE (p.organization_id, p.service, p.resource) = ($1, $2, $3) AND p.parent_id = t.%[3]s AND p.whole_run_id = $4)`

	// This combines evidence from two scans, or from a look and a scan. Evidence of a shrunken scan
	// only leads to a review by the operator.
	sqlConfirm = `
UPDATE sluice.tombstones AS k SET
	state = $5::text, proof = 'scan', proof_run_id = $6, proof_first_call = $7, proof_last_call = $8, proof_at = clock_timestamp(),
	deleted_at = $9, decided_by = CASE $5::text WHEN 'deleted' THEN 'rule' END,
	decided_at = CASE $5::text WHEN 'deleted' THEN clock_timestamp() END,
	shrunken = shrunken OR $5::text = 'needs_review'
WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4::text[]) AND state = 'suspected'
	AND suspected_run_id <> $6 AND (NOT shrunken OR $5::text = 'needs_review')
	AND suspected_at <= $10::timestamptz - $11::interval AND suspected_clock <= $9::timestamptz - $11::interval
RETURNING record_id`

	// If the run of a look is no longer kept, its kind is unknown.
	byLook = `NOT EXISTS (SELECT FROM sluice.runs f WHERE f.id = k.suspected_run_id AND f.resource NOT LIKE '%.look')`

	// A credible scan replaces a shrunken one. A scan of the whole list that came too soon after a
	// look to confirm it replaces it, so that a second scan follows. A record that came back can be
	// missed again.
	sqlMiss = `
INSERT INTO sluice.tombstones AS k (organization_id, service, resource, record_id, state, shrunken,
	suspected_run_id, suspected_first_call, suspected_last_call, suspected_clock)
SELECT $1, $2, $3, id, 'suspected', $8, $5, $6, $7, $9 FROM unnest($4::text[]) AS absent (id) ORDER BY id
ON CONFLICT (organization_id, service, resource, record_id) DO UPDATE SET
	state = 'suspected', shrunken = excluded.shrunken, suspected_run_id = excluded.suspected_run_id,
	suspected_first_call = excluded.suspected_first_call, suspected_last_call = excluded.suspected_last_call, suspected_at = clock_timestamp(),
	suspected_clock = excluded.suspected_clock, proof = NULL, proof_run_id = NULL, proof_first_call = NULL, proof_last_call = NULL,
	proof_at = NULL, deleted_at = NULL, decided_by = NULL, decided_at = NULL
WHERE k.state = 'restored' OR k.state = 'suspected' AND (k.shrunken AND NOT excluded.shrunken OR ` + byLook + `)
RETURNING record_id`
)

// doubtInactive is why the lists of an organization that upstream calls inactive allow no
// conclusion: they may be empty for that reason.
const doubtInactive = "upstream says that the organization is not active: nothing is concluded from what its list did not show"

// bounds are the beginning and the calls of a scan.
type bounds struct {
	// began is when the run began, by the database's clock.
	began       time.Time
	first, last int64
	// sighted counts records that the scan was shown, in all passes.
	sighted int64
	active  bool
}

// Conclude draws the conclusions of a clean scan, in the transaction that ends its run.
// QueueSighting must have recorded before what the scan was shown.
func Conclude(ctx context.Context, tx pgx.Tx, scan Scan) (Verdict, error) {
	var verdict Verdict
	var b bounds
	err := tx.QueryRow(ctx, sqlBounds, scan.Run).Scan(&b.began, &b.first, &b.last, &b.sighted, &b.active)
	if err != nil {
		return verdict, fmt.Errorf("reading what the scan was shown: %w", err)
	}
	if !b.active {
		verdict.Doubt = doubtInactive
		return verdict, nil
	}
	absent, err := scan.absent(ctx, tx, b)
	if err != nil || len(absent) == 0 {
		return verdict, err
	}
	if verdict.Live, err = scan.live(ctx, tx); err != nil {
		return verdict, err
	}
	verdict.Absent = len(absent)
	verdict.Shrunken = b.sighted == 0 || len(absent) > limit(scan.Rules, verdict.Live)
	state := stateDeleted
	if verdict.Shrunken {
		state = stateNeedsReview
	}
	confirmed, err := scan.confirm(ctx, tx, absent, b, state)
	if err != nil {
		return verdict, err
	}
	if verdict.Shrunken {
		verdict.NeedsReview = len(confirmed)
	} else if verdict.Deleted, err = bury(ctx, tx, scan.Stream, confirmed, scan.Started, b.began); err != nil {
		return verdict, err
	}
	missed, err := scan.miss(ctx, tx, without(absent, confirmed), b, verdict.Shrunken)
	if err != nil {
		return verdict, err
	}
	verdict.Suspected = len(missed)
	if !verdict.Shrunken {
		verdict.Requested, err = ask(ctx, tx, scan.Stream, missed)
	}
	return verdict, err
}

// absent returns the live rows that the scan did not see although they existed when it began, in
// the order of their keys.
func (s Scan) absent(ctx context.Context, tx pgx.Tx, b bounds) ([]string, error) {
	key, sql := s.Stream.ListKey(), sqlAbsent
	if s.Stream.UnderParents() {
		sql += underWhole
	}
	ids, err := collect(tx.Query(ctx, namesOf(s.Stream).fillParent(sql), key.Organization, key.Service, key.Resource, s.Run, b.began, s.Started))
	if err != nil {
		return nil, fmt.Errorf("looking for rows that the scan did not see: %w", err)
	}
	slices.Sort(ids)
	return ids, nil
}

// live counts the rows that the scan could have seen.
func (s Scan) live(ctx context.Context, tx pgx.Tx) (int, error) {
	key, sql, live := s.Stream.ListKey(), sqlLive, 0
	args := []any{key.Organization}
	if s.Stream.UnderParents() {
		sql, args = sql+underWhole, append(args, key.Service, key.Resource, s.Run)
	}
	if err := tx.QueryRow(ctx, namesOf(s.Stream).fillParent(sql), args...).Scan(&live); err != nil {
		return 0, fmt.Errorf("counting live rows: %w", err)
	}
	return live, nil
}

// confirm moves evidence of an earlier scan to a state, and returns the identifiers, in the order
// of absent.
func (s Scan) confirm(ctx context.Context, tx pgx.Tx, absent []string, b bounds, state string) ([]string, error) {
	key := s.Stream.ListKey()
	confirmed, err := collect(tx.Query(ctx, sqlConfirm, key.Organization, key.Service, key.Resource, absent, state,
		s.Run, b.first, b.last, s.Started, b.began, s.Rules.Apart))
	if err != nil {
		return nil, fmt.Errorf("confirming what was missed before: %w", err)
	}
	slices.Sort(confirmed)
	return confirmed, nil
}

// miss stores evidence of a first scan and returns the identifiers for which it is new.
func (s Scan) miss(ctx context.Context, tx pgx.Tx, ids []string, b bounds, shrunken bool) ([]string, error) {
	key := s.Stream.ListKey()
	missed, err := collect(tx.Query(ctx, sqlMiss, key.Organization, key.Service, key.Resource, ids,
		s.Run, b.first, b.last, shrunken, s.Started))
	return missed, postgres.Fail("noting what was missed", err)
}

func collect(rows pgx.Rows, err error) ([]string, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// without returns the elements of all that are not in some; both are sorted.
func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(id string) bool {
		_, found := slices.BinarySearch(some, id)
		return found
	})
}
