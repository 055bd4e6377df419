// Package quarantine stores rejected records, judges what they mean for the end of a run, and
// counts drift. It also notices when a declared key is gone: most records of a list carried it, and
// no longer do. A key that upstream renamed or dropped leaves its column as it was, without any
// error, so the operator has to be told (docs/decisions/0018-rejected-records).
//
// It never decides whether a record fits, and changes no row of a resource. Lists and sweeps are
// counted separately.
//
// Start reading at Store, then Judge; Queue counts keys.
package quarantine

import (
	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema"
	"sluice/schema/record"
)

// Least is the number of records that an answer needs before it counts.
const Least = 10

const (
	// At most one write per run and key. When a key that was gone comes again, its count begins at
	// zero.
	sqlCame = `
INSERT INTO sluice.keys AS k (organization_id, service, resource, path, came_run)
SELECT $1, $2, $3, path, $5 FROM unnest($4::text[]) AS w (path)
WHERE NOT EXISTS (
	SELECT FROM sluice.keys k WHERE (k.organization_id, k.service, k.resource, k.path) = ($1, $2, $3, w.path) AND k.came_run >= $5)
ON CONFLICT (organization_id, service, resource, path) DO UPDATE SET
	came_run = excluded.came_run, came_at = excluded.came_at, lacking = 0, sometimes = k.sometimes OR k.lacking_run = excluded.came_run`

	// Two runs in a row that never see a key outweigh an earlier run that saw answers with and
	// without it. The statement returns the keys that are gone from now on.
	sqlLack = `
WITH was AS (
	SELECT organization_id, service, resource, path, came_run, lacking_run, lacking, lacking_since, sometimes,
		CASE WHEN came_run = $5 THEN true WHEN lacking_run > came_run AND lacking_run < $5 THEN false ELSE sometimes END AS now_sometimes
	FROM sluice.keys WHERE (organization_id, service, resource) = ($1, $2, $3) AND path = ANY($4::text[]) AND came_run <= $5
)
UPDATE sluice.keys k SET
	lacking_run = $5, lacking = was.lacking + $6, lacking_at = clock_timestamp(), sometimes = was.now_sometimes,
	lacking_since = CASE WHEN was.lacking_run > was.came_run THEN was.lacking_since ELSE clock_timestamp() END
FROM was
WHERE (k.organization_id, k.service, k.resource, k.path) = (was.organization_id, was.service, was.resource, was.path)
	AND NOT (was.sometimes AND was.now_sometimes AND $5 IN (was.came_run, was.lacking_run))
RETURNING CASE WHEN was.came_run < $5 AND NOT was.now_sometimes AND (was.lacking_run <= was.came_run OR was.sometimes) THEN k.path END`
)

// Queue records which keys the records of a batch carry. Once the queue is sent, gone has the names
// of the keys that are gone from now on.
func Queue(queue *pgx.Batch, batch *pipeline.Batch, gone *[]string) {
	seen := Look(batch)
	key := batch.Claim.Stream.Key()
	if len(seen.Came) > 0 {
		queue.Queue(sqlCame, key.Organization, key.Service, key.Resource, seen.Came, batch.Claim.Run)
	}
	if len(seen.Lacking) == 0 {
		return
	}
	queue.Queue(sqlLack, key.Organization, key.Service, key.Resource, seen.Lacking, batch.Claim.Run, seen.Read).Query(func(rows pgx.Rows) error {
		names, err := pgx.CollectRows(rows, pgx.RowTo[*string])
		for _, name := range names {
			if name != nil {
				*gone = append(*gone, *name)
			}
		}
		return postgres.Fail("noting keys of "+key.String(), err)
	})
}

// Sight is what an answer of a list shows about keys.
type Sight struct {
	// Came are the keys that most records carry, Lacking the others. Both are empty if the answer
	// has too few records.
	Came, Lacking []string
	// Read is how many records were decoded. Unchanged records were not: they carry the same keys
	// as before.
	Read int
}

// Look counts the keys of the records of a batch. Backfills are left out: their records may be
// older than a key.
func Look(batch *pipeline.Batch) Sight {
	resource, work := batch.Claim.Stream.Resource, batch.Claim.Stream.Work
	if !batch.Listed || batch.Call == 0 || work != pipeline.WorkList && work != pipeline.WorkSweep {
		return Sight{}
	}
	tables := resource.Tables()
	values, arrays, read := make([]int, len(resource.Columns)), make([]int, len(tables)), 0
	for i := range batch.Records {
		rec := &batch.Records[i]
		if rec.Unchanged || len(rec.Tables) == 0 || len(rec.Tables[0]) == 0 {
			continue
		}
		read++
		countGiven(rec, values)
		for at, carried := range rec.Carries {
			if carried {
				arrays[at]++
			}
		}
	}
	seen := Sight{Read: read}
	if read < Least {
		return seen
	}
	leaveOut := batch.Claim.Stream.LeaveOut
	for at := range resource.Columns {
		if !resource.Columns[at].Given && !leaveOut.Omits(0, at) {
			seen.note(resource.Columns[at].Wire, values[at])
		}
	}
	for at := range tables {
		if ofRecord(&tables[at]) && (!tables[at].Child.Scalar || !leaveOut.Omits(at, 0)) {
			seen.note(tables[at].Path[0], arrays[at])
		}
	}
	return seen
}

// countGiven counts the columns of which a record has the key.
func countGiven(rec *record.Record, values []int) {
	for at := range rec.Tables[0][0].Values {
		if rec.Tables[0][0].Values[at].State != record.Absent {
			values[at]++
		}
	}
}

// ofRecord reports whether a table is an array of the record under a key of its own.
func ofRecord(table *schema.Table) bool { return table.Depth() == 1 && table.Child.Prefix == "" }

// note adds a key to Came or Lacking.
func (s *Sight) note(name string, carriers int) {
	name = postgres.Clean(name, postgres.MaxName)
	if carriers*2 > s.Read {
		s.Came = append(s.Came, name)
	} else {
		s.Lacking = append(s.Lacking, name)
	}
}
