// Package quarantine notices when a declared key is gone: most records of a list carried it, and do
// not any more. A key that upstream renamed or dropped leaves its column as it was last, without
// any error, so an operator has to be told (docs/decisions/0024-rejected-records).
//
// It never judges a record, and changes no row of a resource. What lists and sweeps show is kept
// apart.
//
// Start reading at Queue.
package quarantine

import (
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/schema/record"
)

// Least is how many records of an answer have to be read for it to say anything.
const Least = 10

const (
	// One write a run and key. Once gone keys come again, they count from nothing.
	sqlCame = `
INSERT INTO sluice.keys AS k (organization_id, service, resource, path, came_run)
SELECT $1, $2, $3, path, $5 FROM unnest($4::text[]) AS w (path)
WHERE NOT EXISTS (
	SELECT FROM sluice.keys k WHERE (k.organization_id, k.service, k.resource, k.path) = ($1, $2, $3, w.path) AND k.came_run >= $5)
ON CONFLICT (organization_id, service, resource, path) DO UPDATE SET
	came_run = excluded.came_run, came_at = excluded.came_at, lacking = 0, sometimes = k.sometimes OR k.lacking_run = excluded.came_run`

	// Two runs in a row that never see a key say more than an earlier one that saw answers of both
	// kinds. What is returned are the keys that are gone from now on.
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

// Queue notes which keys the records of a batch carry. When the queue was sent, gone gets the names
// of those that are gone from now on.
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
		if err != nil {
			return fmt.Errorf("noting keys of %s: %w", key, err)
		}
		return nil
	})
}

// Sight is what an answer of a list shows.
type Sight struct {
	// Came are the keys that most records carry, Lacking the others, both empty if the answer says
	// nothing.
	Came, Lacking []string
	// Read is how many records were read. Those that are known by their bytes were not: they carry
	// what they always did.
	Read int
}

// Look looks at the records of a batch. A backfill's may be older than a key.
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
		for at := range rec.Tables[0][0].Values {
			if rec.Tables[0][0].Values[at].State != record.Absent {
				values[at]++
			}
		}
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
	for at := range resource.Columns {
		if !resource.Columns[at].Given {
			seen.note(resource.Columns[at].Wire, values[at])
		}
	}
	for at := range tables {
		if tables[at].Depth() == 1 && tables[at].Child.Prefix == "" {
			seen.note(tables[at].Path[0], arrays[at])
		}
	}
	return seen
}

// note puts a key where it belongs.
func (s *Sight) note(name string, carriers int) {
	name = postgres.Clean(name, postgres.MaxName)
	if carriers*2 > s.Read {
		s.Came = append(s.Came, name)
	} else {
		s.Lacking = append(s.Lacking, name)
	}
}
