// Package hints holds what change notifications told: the inbox of callbacks, and the hints that
// records should be read (docs/decisions/0014-notifications).
//
// A hint writes no value and moves no watermark: it only leads to a read. Package notifications
// decides which callbacks are believed, package planning how hints are read.
//
// Start reading at Inbox.Take and TakeDue, then Pending and QueueRead.
package hints

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams/details"
	"sluice/schema"
)

// Due are the hints of one resource whose pause is over.
type Due struct {
	pipeline.Key

	// Records are the records told of, without those of Deleted, of which upstream told that they
	// are gone; List says that the list should be read.
	Records, Deleted []string
	List             bool
	// Waiting is how many more records a run was requested for and has not read.
	Waiting int
	// Recent is how many calls hints of the resource caused in the last minute, ListCalls what the
	// last clean run of the list cost, SinceList the time since one began. SinceLook is the time
	// since a look or a sweep began.
	Recent, ListCalls    int
	SinceList, SinceLook time.Duration
}

// The streams of a resource that hints are about: recentRuns is more than a minute has.
const (
	recentRuns = 64
	never      = 365 * 24 * time.Hour
)

const (
	// The clock is read once: it is volatile, so a comparison row by row could not use the index.
	sqlTakeDue = `
WITH due AS (
	SELECT organization_id, service, resource, record_id, record_id <> '' AND operation = 'delete' AS deleted FROM sluice.hints
	WHERE asked_at IS NULL AND read_at IS NULL AND due_at <= (SELECT clock_timestamp())
	ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
)
SELECT d.organization_id, d.service, d.resource, 
	coalesce(array_agg(d.record_id) FILTER (WHERE d.record_id <> '' AND NOT d.deleted), '{}'),
	coalesce(array_agg(d.record_id) FILTER (WHERE d.deleted), '{}'),
	bool_or(d.record_id = ''),
	(SELECT count(*) FROM sluice.hints w WHERE (w.organization_id, w.service, w.resource) = (d.organization_id, d.service, d.resource)
		AND w.read_at IS NULL AND w.asked_at IS NOT NULL AND w.record_id <> ''),
	(SELECT coalesce(sum(r.pages), 0) FROM (
		SELECT pages, started_at FROM sluice.runs
		WHERE (organization_id, service, resource) = (d.organization_id, d.service, d.resource || '.hinted') ORDER BY id DESC LIMIT $2
	) AS r WHERE r.started_at > clock_timestamp() - interval '1 minute'),
	coalesce((SELECT r.calls FROM sluice.runs r
		WHERE (r.organization_id, r.service, r.resource) = (d.organization_id, d.service, d.resource) AND r.outcome = 'done'
		ORDER BY r.id DESC LIMIT 1), 0),
	coalesce((SELECT clock_timestamp() - r.started_at FROM sluice.runs r
		WHERE (r.organization_id, r.service, r.resource) = (d.organization_id, d.service, d.resource)
		ORDER BY r.id DESC LIMIT 1), $3::interval),
	coalesce((SELECT clock_timestamp() - max(r.started_at) FROM sluice.runs r WHERE r.id IN (
		SELECT max(l.id) FROM sluice.runs l WHERE (l.organization_id, l.service, l.resource) = (d.organization_id, d.service, d.resource || '.look')
		UNION ALL
		SELECT max(w.id) FROM sluice.runs w WHERE (w.organization_id, w.service, w.resource) = (d.organization_id, d.service, d.resource || '.sweep')
	)), $3::interval)
FROM due d GROUP BY d.organization_id, d.service, d.resource`

	sqlRequested = `
UPDATE sluice.hints SET asked_at = clock_timestamp()
WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4::text[])`

	// The list stands for its records: what told of them told of it.
	sqlList = `
WITH told AS (
	UPDATE sluice.hints SET read_at = clock_timestamp()
	WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id <> '' AND read_at IS NULL
		AND (asked_at IS NOT NULL OR record_id = ANY ($4::text[]))
	RETURNING first_at, last_at
)
INSERT INTO sluice.hints AS h (organization_id, service, resource, record_id, first_at, last_at, due_at, asked_at)
SELECT $1, $2, $3, '', coalesce(min(first_at), clock_timestamp()), coalesce(max(last_at), clock_timestamp()),
	clock_timestamp() + $5::interval, CASE WHEN $5::interval = interval '0' THEN clock_timestamp() END
FROM told
ON CONFLICT (organization_id, service, resource, record_id) DO UPDATE SET
	first_at = CASE WHEN h.read_at IS NULL THEN least(h.first_at, excluded.first_at) ELSE excluded.first_at END,
	last_at = CASE WHEN h.read_at IS NULL THEN greatest(h.last_at, excluded.last_at) ELSE excluded.last_at END,
	due_at = excluded.due_at, asked_at = excluded.asked_at, read_at = NULL`

	sqlPostpone = `
UPDATE sluice.hints SET due_at = clock_timestamp() + $5::interval
WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4::text[])`

	sqlLooked = `
UPDATE sluice.hints SET asked_at = clock_timestamp(), read_at = clock_timestamp()
WHERE (organization_id, service, resource) = ($1, $2, $3) AND record_id = ANY ($4::text[])`

	sqlPending = `
SELECT coalesce((array_agg(h.record_id ORDER BY h.first_at, h.record_id))[1:$4], '{}'), count(*) FROM sluice.hints h
WHERE (h.organization_id, h.service, h.resource) = ($1, $2, $3) AND h.record_id <> '' AND h.read_at IS NULL AND h.asked_at IS NOT NULL`

	// Hints about parents whose lists no scheduled run reads are settled: their records are not
	// copied. A hint that came after the run began is left to the next one, so that a run reads no
	// list twice.
	sqlNextParent = `
WITH asked AS MATERIALIZED (
	SELECT h.record_id, h.first_at, EXISTS (SELECT FROM sluice.parents p
		WHERE (p.organization_id, p.service, p.resource, p.parent_id) = ($1, $2, $3, h.record_id) AND p.active) AS known
	FROM sluice.hints h
	WHERE (h.organization_id, h.service, h.resource) = ($1, $2, $3) AND h.record_id <> '' AND h.read_at IS NULL AND h.asked_at IS NOT NULL
		AND h.last_at < (SELECT r.started_at FROM sluice.runs r WHERE r.id = $4)
), strange AS (
	UPDATE sluice.hints h SET read_at = clock_timestamp() FROM asked a
	WHERE (h.organization_id, h.service, h.resource, h.record_id) = ($1, $2, $3, a.record_id) AND NOT a.known
)
SELECT coalesce((array_agg(record_id ORDER BY first_at, record_id))[1], ''), count(*) FROM asked WHERE known`

	// A callback that arrived after the call was reserved leads to another read. %[1]s is the
	// table, %[2]s its key.
	sqlRead = `
UPDATE sluice.hints h SET
	read_at = CASE WHEN n.new OR h.read_again THEN clock_timestamp() END, read_again = NOT n.new,
	asked_at = CASE WHEN n.new OR h.read_again THEN h.asked_at END,
	due_at = CASE WHEN n.new OR h.read_again THEN h.due_at ELSE clock_timestamp() + $6::interval END
FROM (
	SELECT k.id, began.at, EXISTS (SELECT FROM %[1]s AS t
		WHERE t.organization_id = $1 AND t.%[2]s = k.id AND t._changed_at >= began.at) AS new
	FROM unnest($4::text[]) AS k (id)
	CROSS JOIN (SELECT coalesce($5::timestamptz, (SELECT r.started_at FROM sluice.runs r WHERE r.id = $7)) AS at) AS began
) AS n
WHERE (h.organization_id, h.service, h.resource) = ($1, $2, $3) AND h.record_id = n.id AND h.read_at IS NULL
	AND h.last_at < n.at
RETURNING CASE WHEN n.new THEN h.first_at END`

	// A run answers what was told before it began. %s says whether it found something new.
	sqlRunRead = `
UPDATE sluice.hints h SET
	read_at = CASE WHEN n.new OR h.read_again THEN clock_timestamp() END, read_again = NOT n.new,
	asked_at = CASE WHEN n.new OR h.read_again THEN h.asked_at END,
	due_at = CASE WHEN n.new OR h.read_again THEN h.due_at ELSE clock_timestamp() + $5::interval END
FROM (SELECT r.started_at, %s AS new FROM sluice.runs r WHERE r.id = $4) AS n
WHERE (h.organization_id, h.service, h.resource) = ($1, $2, $3) AND h.record_id = $6 AND h.read_at IS NULL
	AND h.last_at < n.started_at
RETURNING CASE WHEN n.new THEN h.first_at END`
)

// strangerRest is the pause of hints about a stream that the process does not know.
const strangerRest = time.Hour

// readAgain is the pause before a read that showed nothing new is repeated once: readers may see a
// change late, and caches longer.
const readAgain = 30 * time.Second

// TakeDue returns the hints whose pause is over, at most limit, by resource. They stay locked until
// the transaction ends: any number of processes may ask, each gets other hints.
func TakeDue(ctx context.Context, tx pgx.Tx, limit int) ([]Due, error) {
	return postgres.Collect(ctx, tx, "looking for hints", func(row pgx.CollectableRow) (Due, error) {
		var d Due
		err := row.Scan(&d.Organization, &d.Service, &d.Resource, &d.Records, &d.Deleted, &d.List, &d.Waiting, &d.Recent, &d.ListCalls,
			&d.SinceList, &d.SinceLook)
		return d, err
	}, sqlTakeDue, limit, recentRuns, never)
}

// QueueRequested notes that a run was requested for records.
func QueueRequested(queue *pgx.Batch, key pipeline.Key, ids []string) {
	queue.Queue(sqlRequested, key.Organization, key.Service, key.Resource, ids)
}

// QueueList lets one hint for the list stand for records and for those that no run has read yet.
// The hint is due after a pause; zero means that a run of the list was requested.
func QueueList(queue *pgx.Batch, key pipeline.Key, ids []string, pause time.Duration) {
	queue.Queue(sqlList, key.Organization, key.Service, key.Resource, ids, pause)
}

// QueuePostpone puts hints off for a pause.
func QueuePostpone(queue *pgx.Batch, key pipeline.Key, ids []string, pause time.Duration) {
	queue.Queue(sqlPostpone, key.Organization, key.Service, key.Resource, ids, pause)
}

// QueueStrangers puts hints off that nothing in this process can answer: another process may.
func QueueStrangers(queue *pgx.Batch, due *Due) {
	ids := slices.Concat(due.Records, due.Deleted)
	if due.List {
		ids = append(ids, "")
	}
	QueuePostpone(queue, due.Key, ids, strangerRest)
}

// QueueLooked settles hints of deletions: a look was requested, which finds out by itself.
func QueueLooked(queue *pgx.Batch, key pipeline.Key, ids []string) {
	queue.Queue(sqlLooked, key.Organization, key.Service, key.Resource, ids)
}

// Pending returns at most limit records that a run has to read, and how many there are: those that
// roles asked for, then those of hints that a run was requested for, each the oldest first.
func Pending(ctx context.Context, db postgres.Asker, list pipeline.Key, limit int) ([]string, int, error) {
	var ids []string
	var total int
	err := db.QueryRow(ctx, sqlPending, list.Organization, list.Service, list.Resource, limit).Scan(&ids, &total)
	return ids, total, err
}

// NextParent returns the parent of the oldest hint that a claim's run was requested for and has not
// answered, and how many there are; "" if there is none.
func NextParent(ctx context.Context, db details.Querier, claim pipeline.Claim) (string, int, error) {
	var parent string
	var left int
	key := claim.Stream.ListKey()
	err := db.QueryRow(ctx, sqlNextParent, key.Organization, key.Service, key.Resource, claim.Run).Scan(&parent, &left)
	return parent, left, err
}

// QueueRead settles the hints of the records that a batch asked for; its call was reserved at
// requestedAt; if its answer could not be read, the batch names no call, and the run began before
// it. A record that shows nothing new is read again after a pause, once. Once the queue is sent,
// told has when the first callbacks came of the records that changed.
func QueueRead(queue *pgx.Batch, batch pipeline.Batch, requestedAt time.Time, told *[]time.Time) {
	ids := slices.Clone(batch.Missing)
	for i := range batch.Records {
		ids = append(ids, batch.Records[i].ID)
	}
	for i := range batch.Rejected {
		ids = append(ids, batch.Rejected[i].ID)
	}
	if len(ids) == 0 {
		return
	}
	stream := batch.Claim.Stream
	table := pgx.Identifier{stream.Resource.SchemaName(stream.Service), stream.Resource.Name}.Sanitize()
	key := stream.ListKey()
	queue.Queue(fmt.Sprintf(sqlRead, table, keyOf(stream.Resource)),
		key.Organization, key.Service, key.Resource, ids, postgres.Instant(requestedAt), readAgain, batch.Claim.Run).
		Query(addTo(told))
}

// addTo adds the instants of a statement's rows, without nulls.
func addTo(told *[]time.Time) func(pgx.Rows) error {
	return func(rows pgx.Rows) error {
		var at *time.Time
		_, err := pgx.ForEachRow(rows, []any{&at}, func() error {
			if at != nil {
				*told = append(*told, *at)
			}
			return nil
		})
		return err
	}
}

// keyOf is the column of a resource's identifier.
func keyOf(resource *schema.Resource) string {
	for _, column := range resource.Columns {
		if column.Wire == resource.ID {
			return pgx.Identifier{column.ColumnName()}.Sanitize()
		}
	}
	return pgx.Identifier{resource.ID}.Sanitize()
}

// QueueListRead settles the hint for a list at the clean end of its run. Once the queue is sent,
// told has when the first callback came, if the run found a change.
func QueueListRead(queue *pgx.Batch, claim pipeline.Claim, told *[]time.Time) {
	queueRunRead(queue, claim, "", "r.inserted + r.updated > 0", told)
}

// QueueParentRead settles the hint about a parent whose list a run has read, or could not read. It
// is read again after a pause, once, if no row under the parent changed.
func QueueParentRead(queue *pgx.Batch, claim pipeline.Claim, parent string, told *[]time.Time) {
	resource := claim.Stream.Resource
	table := pgx.Identifier{resource.SchemaName(claim.Stream.Service), resource.Name}.Sanitize()
	changed := fmt.Sprintf("EXISTS (SELECT FROM %s AS t WHERE t.organization_id = $1 AND t.%s = $6 AND t._run_id = r.id)",
		table, pgx.Identifier{resource.ColumnOfParent()}.Sanitize())
	queueRunRead(queue, claim, parent, changed, told)
}

func queueRunRead(queue *pgx.Batch, claim pipeline.Claim, id, changed string, told *[]time.Time) {
	key := claim.Stream.ListKey()
	queue.Queue(fmt.Sprintf(sqlRunRead, changed), key.Organization, key.Service, key.Resource, claim.Run, readAgain, id).Query(addTo(told))
}

const (
	// grace is how late a callback may come: younger changes are not counted as untold.
	grace = 10 * time.Minute
	// skew is how far upstream's clock may be ahead of the database's.
	skew = 2 * time.Minute
)

// A row that this call wrote has the call's number. %[1]s is the table, %[2]s the column that hints
// name, %[3]s its key.
const sqlUnannounced = `
SELECT count(*) FROM unnest($4::text[], $5::timestamptz[]) AS k (id, modified)
JOIN %[1]s AS t ON t.organization_id = $1 AND t.%[3]s = k.id AND t._call_id = $6
WHERE coalesce(k.modified, $7) < clock_timestamp() - $8::interval
	AND NOT EXISTS (SELECT FROM sluice.hints h WHERE (h.organization_id, h.service, h.resource) = ($1, $2, $3)
		AND h.record_id IN (t.%[2]s, '') AND h.last_at >= coalesce(k.modified, $7) - $9::interval)`

// Unannounced counts the rows that a batch of a list changed and of whose change no callback told.
// Since is when the list was last read: records without a modification time changed after it.
func Unannounced(ctx context.Context, tx pgx.Tx, batch pipeline.Batch, since time.Time) (int, error) {
	stream, key := batch.Claim.Stream, batch.Claim.Stream.ListKey()
	ids, modified := make([]string, len(batch.Records)), make([]*time.Time, len(batch.Records))
	for i := range batch.Records {
		ids[i], modified[i] = batch.Records[i].ID, postgres.Instant(batch.Records[i].Modified)
	}
	var rows int
	table := pgx.Identifier{stream.Resource.SchemaName(stream.Service), stream.Resource.Name}.Sanitize()
	named := keyOf(stream.Resource)
	if stream.Resource.ToldByParent() != "" {
		named = pgx.Identifier{stream.Resource.ColumnOfParent()}.Sanitize()
	}
	err := tx.QueryRow(ctx, fmt.Sprintf(sqlUnannounced, table, named, keyOf(stream.Resource)), key.Organization, key.Service, key.Resource,
		ids, modified, batch.Call, since, grace, skew).Scan(&rows)
	return rows, postgres.Fail("counting what was not told of "+stream.String(), err)
}
