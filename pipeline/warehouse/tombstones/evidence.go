package tombstones

import (
	"context"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// EvidenceRun is a run that a decision rests on. What the runs read, side by side, shows whether
// the list shrank at once.
type EvidenceRun struct {
	Run int64 `db:"id" json:"run"`
	// Resource is that of the run's stream: of the list, its sweep or its look.
	Resource  string     `db:"resource"   json:"resource"`
	StartedAt time.Time  `db:"started_at" json:"started_at"`
	EndedAt   *time.Time `db:"ended_at"   json:"ended_at"`
	Outcome   string     `db:"outcome"    json:"outcome"`
	// Received is how many records it was shown, in all passes.
	Received int64  `db:"received" json:"received"`
	Calls    int64  `db:"calls"    json:"calls"`
	Proof    string `db:"proof"    json:"proof,omitempty"`
	Note     string `db:"note"     json:"note,omitempty"`
}

// evidenceRuns is how many earlier scans, and how many looks, stand beside a scan.
const evidenceRuns = "3"

const (
	evidenceOf = `SELECT r.id, r.resource, r.started_at, r.ended_at, coalesce(r.outcome, '') AS outcome, r.received, r.calls, r.proof, r.note
FROM sluice.runs r `

	// The first scan may be a look, so UNION leaves out what is there twice.
	sqlEvidenceRuns = evidenceOf + `WHERE r.id IN ($4, $5)
UNION (` + evidenceOf + `WHERE (r.organization_id, r.service) = ($1, $2) AND r.resource = (SELECT s.resource FROM sluice.runs s WHERE s.id = $4)
	AND r.id < $5 AND r.outcome = 'done' ORDER BY r.id DESC LIMIT ` + evidenceRuns + `)
UNION (` + evidenceOf + `WHERE (r.organization_id, r.service, r.resource) = ($1, $2, $3 || '.look') AND r.outcome IS NOT NULL
	ORDER BY r.id DESC LIMIT ` + evidenceRuns + `)
ORDER BY id DESC`

	sqlMissedRows = `
SELECT t.%[2]s::text AS record_id, t._first_seen_at AS first_seen_at, t._changed_at AS changed_at,
	coalesce(t._call_id, 0) AS call_id, t._deleted_at AS deleted_at
FROM %[1]s AS t WHERE t.organization_id = $1 AND t.%[2]s = ANY ($2::text[]) ORDER BY t.%[2]s`
)

// EvidenceRuns returns the two scans that left rows to the operator, the done scans of the same
// stream before them, and the last looks at the list, newest first.
func (t *Table) EvidenceRuns(ctx context.Context, of *ScanToReview) ([]EvidenceRun, error) {
	return postgres.Read[EvidenceRun](ctx, t.pool, "the scans beside what is held", sqlEvidenceRuns,
		of.Organization, of.Service, of.Resource, of.Run, of.FirstRun)
}

// MissedRow is a row that scans missed, as it stands in the warehouse.
type MissedRow struct {
	Record      string    `db:"record_id"     json:"record"`
	FirstSeenAt time.Time `db:"first_seen_at" json:"first_seen_at"`
	// ChangedAt is when the row was last written, Call the list's call that last did; 0 if none is
	// known.
	ChangedAt time.Time `db:"changed_at" json:"changed_at"`
	Call      int64     `db:"call_id"    json:"call,omitempty"`
	// DeletedAt is the tombstone of the row, nil if it has none.
	DeletedAt *time.Time `db:"deleted_at" json:"deleted_at,omitempty"`
}

// MissedRows returns the rows of some records of a stream's list, in the order of their keys.
func (t *Table) MissedRows(ctx context.Context, stream pipeline.Stream, ids []string) ([]MissedRow, error) {
	return postgres.Read[MissedRow](ctx, t.pool, "the rows that scans missed", namesOf(stream).fill(sqlMissedRows), stream.Organization, ids)
}
