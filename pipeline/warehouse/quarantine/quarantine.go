package quarantine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/rows"
	"sluice/pipeline/warehouse/streams"
	"sluice/schema"
)

// One statement's records exist several times in memory: as parameters, and in the message to the
// server. So their size is bounded.
const (
	// maxRejectedListed bounds the bytes of the records in one statement.
	maxRejectedListed = 1 << 20
	// mostOfOne bounds the bytes of one record in one statement; a larger record is appended in
	// pieces.
	mostOfOne = 8 << 20
)

const (
	// The same bytes are the same entry. An entry that the operator resolved stays resolved. An
	// entry that was loaded since is opened again if its bytes come again, and is news. Other bytes
	// of a record that has an open entry for the same reason get an entry of their own, but are no
	// news: otherwise a record whose bytes always differ would hold back a watermark for ever. The
	// counts include only news that a call brought: a rebuild's records have a row already.
	sqlReject = `
WITH came AS (
	SELECT c.record_hash, c.record_id, c.raw, c.code, c.path, c.detail, c.seen
	FROM unnest($6::bytea[], $7::text[], $8::bytea[], $9::text[], $10::text[], $11::text[], $12::bigint[])
		AS c (record_hash, record_id, raw, code, path, detail, seen)
), known AS (
	SELECT DISTINCT ON (k.record_id, k.code) k.record_id, k.code, k.opened_at, k.asked_at, k.weighed, k.weighed_by_list
	FROM sluice.quarantine k
	WHERE (k.organization_id, k.service, k.resource) = ($1, $2, $3) AND k.state = 'open' AND k.record_id <> '' AND k.record_id = ANY($7::text[])
	ORDER BY k.record_id, k.code, k.opened_at, k.id
), kept AS (
	INSERT INTO sluice.quarantine AS q (organization_id, service, resource, call_id, run_id,
		record_hash, record_id, raw, code, path, detail, seen, opened_at, asked_at, weighed, weighed_by_list)
	SELECT $1, $2, $3, nullif($4::bigint, 0), $5::bigint, c.record_hash, c.record_id, c.raw, c.code, c.path, c.detail, c.seen,
		coalesce(k.opened_at, clock_timestamp()), k.asked_at, coalesce(k.weighed, ''), coalesce(k.weighed_by_list, false)
	FROM came c LEFT JOIN known k USING (record_id, code)
	ON CONFLICT (organization_id, service, resource, record_hash) DO UPDATE SET
		record_id = excluded.record_id, code = excluded.code, path = excluded.path, detail = excluded.detail,
		call_id = excluded.call_id, run_id = excluded.run_id, seen = q.seen + excluded.seen, last_seen_at = clock_timestamp(),
		state = CASE q.state WHEN 'retried' THEN 'open' ELSE q.state END,
		decided_at = CASE q.state WHEN 'retried' THEN NULL ELSE q.decided_at END,
		note = CASE q.state WHEN 'retried' THEN '' ELSE q.note END,
		opened_at = CASE q.state WHEN 'retried' THEN excluded.opened_at ELSE q.opened_at END,
		asked_at = CASE q.state WHEN 'retried' THEN excluded.asked_at ELSE q.asked_at END,
		weighed = CASE q.state WHEN 'retried' THEN excluded.weighed ELSE q.weighed END,
		weighed_by_list = CASE q.state WHEN 'retried' THEN excluded.weighed_by_list ELSE q.weighed_by_list END
	RETURNING q.record_hash, q.code, q.state = 'open' AND CASE WHEN $13 THEN NOT q.weighed_by_list ELSE q.weighed = '' END AND $4 <> 0 AS news
)
SELECT coalesce(sum(c.seen) FILTER (WHERE k.news), 0)::bigint AS refused,
	coalesce(sum(c.seen) FILTER (WHERE k.news AND k.code = '` + pipeline.CodeClash + `'), 0)::bigint AS clashed
FROM kept k JOIN came c USING (record_hash)`

	// An entry that existed before is complete, and so longer than the offset of any piece: only a
	// new entry gets pieces.
	sqlAppend = `
UPDATE sluice.quarantine SET raw = raw || $5::bytea
WHERE (organization_id, service, resource, record_hash) = ($1, $2, $3, $4::bytea) AND octet_length(raw) = $6`

	sqlRelease = `
UPDATE sluice.quarantine SET state = 'retried', decided_at = clock_timestamp()
WHERE (organization_id, service, resource) = ($1, $2, $3) AND state = 'open' AND record_id <> ''
	AND (call_id IS NULL OR call_id <= $5)
	AND (record_id = ANY($4::text[]) OR record_id = ANY($6::text[])
		AND NOT EXISTS (SELECT FROM sluice.calls c WHERE c.id = call_id AND c.resource = $7))`

	// Keys can be made of data (an object by record number): after a thousand keys of a stream, new
	// ones are only counted.
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

// QueueRelease closes the entries of records that fit now: this batch loads them, in the same
// version or a later one. A header does not close the entry of its single record.
func QueueRelease(queue *pgx.Batch, batch pipeline.Batch) {
	whole, headers := make([]string, 0, len(batch.Records)), []string{}
	details := batch.Claim.Stream
	details.Work = pipeline.WorkDetails
	marker := detailMarkerTable(batch)
	for i := range batch.Records {
		if record := &batch.Records[i]; marker > 0 && marker < len(record.Carries) && !record.Carries[marker] {
			headers = append(headers, record.ID)
		} else {
			whole = append(whole, record.ID)
		}
	}
	key := tableKey(batch)
	queue.Queue(sqlRelease, key.Organization, key.Service, key.Resource, whole, batch.Call, headers, details.Key().Resource)
}

// detailMarkerTable is the index of the array that single records carry and headers do not; 0 if
// the batch cannot hold headers.
func detailMarkerTable(batch pipeline.Batch) int {
	resource := batch.Claim.Stream.Resource
	if resource.Details == nil || batch.Details {
		return 0
	}
	tables := resource.Tables()
	return slices.IndexFunc(tables, func(t schema.Table) bool { return t.Depth() == 1 && t.Path[0] == resource.Details.Marker })
}

// tableKey is the key under which quarantine and drift store a batch's records. Single records have
// the name of their resource, as their rows do.
func tableKey(batch pipeline.Batch) pipeline.Key {
	key := batch.Claim.Stream.Key()
	key.Resource = batch.Claim.Stream.Resource.Name
	return key
}

// Store stores rejected records, whole (invariant 4), in the transaction that moves the position
// past them.
func Store(ctx context.Context, tx pgx.Tx, batch pipeline.Batch, refused []rows.Rejected) error {
	rejects := slices.Clip(batch.Rejected) // the caller's array stays as it is
	for i := range refused {
		rejects = append(rejects, pipeline.RejectedRecord{
			Raw: refused[i].RejectedRecord.Raw, ID: refused[i].RejectedRecord.ID,
			Code: refused[i].Code, Path: refused[i].Path, Detail: outside.Plain(refused[i].Detail),
		})
	}
	for from, to := 0, 0; from < len(rejects); from = to {
		for size := 0; to < len(rejects) && (to == from || size+len(rejects[to].Raw) <= maxRejectedListed); to++ {
			size += len(rejects[to].Raw)
		}
		if err := storeSome(ctx, tx, batch, rejects[from:to]); err != nil {
			return err
		}
	}
	return nil
}

// storeSome stores rejected records in one statement, and appends the further pieces of large ones.
func storeSome(ctx context.Context, tx pgx.Tx, batch pipeline.Batch, rejects []pipeline.RejectedRecord) error {
	var (
		hashes, wholes, raws     [][]byte
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
		wholes = append(wholes, reject.Raw)
		first := reject.Raw[:min(len(reject.Raw), mostOfOne)]
		hashes, raws, seen = append(hashes, hash[:]), append(raws, postgres.NotNil(first)), append(seen, 1)
		ids, codes = append(ids, postgres.Clean(reject.ID, postgres.MaxName)), append(codes, postgres.Clean(reject.Code, postgres.MaxName))
		paths, texts = append(paths, postgres.Clean(reject.Path, postgres.MaxName)), append(texts, postgres.Clean(reject.Detail, postgres.MaxReason))
	}
	key := tableKey(batch)
	op := "keeping what did not fit of " + batch.Claim.Stream.String()
	var news, clashed int64
	if err := tx.QueryRow(ctx, sqlReject, key.Organization, key.Service, key.Resource, batch.Call, batch.Claim.Run,
		hashes, ids, raws, codes, paths, texts, seen, ofTheList(batch.Claim)).Scan(&news, &clashed); err != nil {
		return postgres.Fail(op, err)
	}
	if news > 0 {
		if err := streams.CountRejected(ctx, tx, batch.Claim.Run, news, clashed); err != nil {
			return err
		}
	}
	for i, raw := range wholes {
		for from := mostOfOne; from < len(raw); from += mostOfOne {
			piece := raw[from:min(from+mostOfOne, len(raw))]
			if _, err := tx.Exec(ctx, sqlAppend, key.Organization, key.Service, key.Resource, hashes[i], piece, from); err != nil {
				return postgres.Fail(op, err)
			}
		}
	}
	return nil
}

// QueueDrift counts keys that the declaration does not know and returns how many records have such
// keys.
func QueueDrift(queue *pgx.Batch, batch pipeline.Batch) int {
	type sight struct{ path, kind string }
	var (
		drifted      int
		paths, kinds []string
		seen         []int64
	)
	at := make(map[sight]int)
	for i := range batch.Records {
		if len(batch.Records[i].Drift) > 0 {
			drifted++
		}
		for _, drift := range batch.Records[i].Drift {
			one := sight{postgres.Clean(drift.Path, postgres.MaxName), postgres.Clean(drift.Kind, postgres.MaxName)}
			if j, again := at[one]; again {
				seen[j]++
				continue
			}
			at[one] = len(paths)
			paths, kinds, seen = append(paths, one.path), append(kinds, one.kind), append(seen, 1)
		}
	}
	if drifted > 0 {
		key := tableKey(batch)
		queue.Queue(sqlDrift, key.Organization, key.Service, key.Resource, paths, kinds, seen)
	}
	return drifted
}

// Entries is the table of rejected records. It is safe for concurrent use.
type Entries struct{ pool *pgxpool.Pool }

// New returns the table over the connections of a warehouse.
func New(pool *pgxpool.Pool) *Entries { return &Entries{pool: pool} }

// Resolve closes an open entry of the quarantine for good: the operator decided that the record is
// not wanted. The note says why. It returns postgres.ErrNotFound if there is no such open entry. An
// entry whose record is loaded later needs no decision: Load closes it.
func (q *Entries) Resolve(ctx context.Context, id int64, note string) error {
	tag, err := q.pool.Exec(ctx, sqlResolve, id, postgres.Clean(note, postgres.MaxReason))
	if err != nil {
		return postgres.Fail("resolving a quarantine entry", err)
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("quarantine entry %d: %w", id, postgres.ErrNotFound)
	}
	return nil
}
