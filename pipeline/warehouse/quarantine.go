package warehouse

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/loader"
	"sluice/pipeline/warehouse/pg"
	"sluice/schema"
)

const (
	// The same bytes again are the same entry. One that a person set aside stays set aside; one that was loaded since and
	// comes back unfit is open again.
	sqlReject = `
INSERT INTO sluice.quarantine AS q (organization_id, service, resource, call_id, run_id,
	record_hash, record_id, raw, code, path, detail, seen)
SELECT $1, $2, $3, nullif($4::bigint, 0), $5::bigint, *
FROM unnest($6::bytea[], $7::text[], $8::bytea[], $9::text[], $10::text[], $11::text[], $12::bigint[])
ON CONFLICT (organization_id, service, resource, record_hash) DO UPDATE SET
	record_id = excluded.record_id, code = excluded.code, path = excluded.path, detail = excluded.detail,
	call_id = excluded.call_id, run_id = excluded.run_id, seen = q.seen + excluded.seen, last_seen_at = clock_timestamp(),
	state = CASE q.state WHEN 'retried' THEN 'open' ELSE q.state END,
	decided_at = CASE q.state WHEN 'retried' THEN NULL ELSE q.decided_at END`

	sqlRelease = `
UPDATE sluice.quarantine SET state = 'retried', decided_at = clock_timestamp()
WHERE (organization_id, service, resource) = ($1, $2, $3) AND state = 'open' AND record_id <> ''
	AND (call_id IS NULL OR call_id <= $5)
	AND (record_id = ANY($4::text[]) OR record_id = ANY($6::text[])
		AND NOT EXISTS (SELECT FROM sluice.calls c WHERE c.id = call_id AND c.resource = $7))`

	// Keys can be made of data (an object by record number): after a thousand of a stream they are only counted.
	sqlDrift = `
INSERT INTO sluice.drift AS d (organization_id, service, resource, path, kind, seen)
SELECT $1, $2, $3, CASE WHEN fits THEN path ELSE '(others)' END, CASE WHEN fits THEN kind ELSE '' END, sum(seen)
FROM (
	SELECT w.path, w.kind, w.seen, k.path IS NOT NULL OR
		row_number() OVER (PARTITION BY k.path IS NOT NULL ORDER BY w.path, w.kind) + (
			SELECT count(*) FROM sluice.drift WHERE (organization_id, service, resource) = ($1, $2, $3)) <= 1000 AS fits
	FROM unnest($4::text[], $5::text[], $6::bigint[]) AS w (path, kind, seen)
	LEFT JOIN sluice.drift k
		ON (k.organization_id, k.service, k.resource, k.path, k.kind) = ($1, $2, $3, w.path, w.kind)
) AS sighted
GROUP BY 4, 5
ON CONFLICT (organization_id, service, resource, path, kind) DO UPDATE SET
	seen = d.seen + excluded.seen, last_seen_at = clock_timestamp()`

	sqlResolve = `
UPDATE sluice.quarantine SET state = 'resolved', decided_at = clock_timestamp(), note = $2
WHERE id = $1 AND state = 'open'`
)

// queueRelease closes the entries of records that fit by now: this unit loads them, in the same version or in a later one. A
// header that fits says nothing about the single record that did not.
func queueRelease(batch *pgx.Batch, unit pipeline.Unit) {
	whole, headers := make([]string, 0, len(unit.Records)), []string{}
	details := unit.Claim.Stream
	details.Work = pipeline.WorkDetails
	marker := markerTable(unit)
	for i := range unit.Records {
		if record := &unit.Records[i]; marker > 0 && marker < len(record.Carries) && !record.Carries[marker] {
			headers = append(headers, record.ID)
		} else {
			whole = append(whole, record.ID)
		}
	}
	key := tableKey(unit)
	batch.Queue(sqlRelease, key.Organization, key.Service, key.Resource, whole, unit.Call, headers, details.Key().Resource)
}

// markerTable is the index of the array without which a record of the unit is a header; 0 if none of them can be one.
func markerTable(unit pipeline.Unit) int {
	resource := unit.Claim.Stream.Resource
	if resource.Details == nil || unit.Details {
		return 0
	}
	tables := resource.Tables()
	return slices.IndexFunc(tables, func(t schema.Table) bool { return t.Depth() == 1 && t.Path[0] == resource.Details.Marker })
}

// tableKey names the resource of a unit in quarantine and drift, which are about records: those of single records are kept
// under the name of their resource, as their rows are.
func tableKey(unit pipeline.Unit) pipeline.Key {
	key := unit.Claim.Stream.Key()
	key.Resource = unit.Claim.Stream.Resource.Name
	return key
}

// queueRejects keeps what could not be loaded, whole (promise 4), in the transaction that moves the position past it.
func queueRejects(batch *pgx.Batch, unit pipeline.Unit, refused []loader.Refused) {
	rejects := slices.Clip(unit.Rejects) // the caller's array stays as it is
	for i := range refused {
		rejects = append(rejects, pipeline.Reject{
			Raw: refused[i].Record.Raw, ID: refused[i].Record.ID,
			Code: refused[i].Code, Path: refused[i].Path, Detail: refused[i].Detail,
		})
	}
	if len(rejects) == 0 {
		return
	}
	var (
		hashes, raws             [][]byte
		ids, codes, paths, texts []string
		seen                     []int64
	)
	at := make(map[[sha256.Size]byte]int, len(rejects))
	for _, reject := range rejects {
		hash := sha256.Sum256(reject.Raw)
		if i, again := at[hash]; again {
			seen[i]++
			continue
		}
		at[hash] = len(hashes)
		hashes, raws, seen = append(hashes, hash[:]), append(raws, pg.NotNil(reject.Raw)), append(seen, 1)
		ids, codes = append(ids, pg.Clean(reject.ID, pg.MaxName)), append(codes, pg.Clean(reject.Code, pg.MaxName))
		paths, texts = append(paths, pg.Clean(reject.Path, pg.MaxName)), append(texts, pg.Clean(reject.Detail, pg.MaxReason))
	}
	key := tableKey(unit)
	batch.Queue(sqlReject, key.Organization, key.Service, key.Resource, unit.Call, unit.Claim.Run,
		hashes, ids, raws, codes, paths, texts, seen)
}

// queueDrift counts keys that the declaration does not know and returns how many records have some.
func queueDrift(batch *pgx.Batch, unit pipeline.Unit) int {
	type sight struct{ path, kind string }
	var (
		drifted      int
		paths, kinds []string
		seen         []int64
	)
	at := make(map[sight]int)
	for i := range unit.Records {
		if len(unit.Records[i].Drift) > 0 {
			drifted++
		}
		for _, drift := range unit.Records[i].Drift {
			one := sight{pg.Clean(drift.Path, pg.MaxName), pg.Clean(drift.Kind, pg.MaxName)}
			if j, again := at[one]; again {
				seen[j]++
				continue
			}
			at[one] = len(paths)
			paths, kinds, seen = append(paths, one.path), append(kinds, one.kind), append(seen, 1)
		}
	}
	if drifted > 0 {
		key := tableKey(unit)
		batch.Queue(sqlDrift, key.Organization, key.Service, key.Resource, paths, kinds, seen)
	}
	return drifted
}

// Resolve sets an entry of the quarantine aside for good: a person decided that the record is not wanted. The note says why. It
// returns ErrNotFound if there is no such open entry. An entry whose record is loaded later needs no decision: Load closes it.
func (db *DB) Resolve(ctx context.Context, id int64, note string) error {
	tag, err := db.pool.Exec(ctx, sqlResolve, id, pg.Clean(note, pg.MaxReason))
	if err != nil {
		return pg.Fail("resolving a quarantine entry", err)
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("quarantine entry %d: %w", id, ErrNotFound)
	}
	return nil
}
