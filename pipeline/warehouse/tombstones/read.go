package tombstones

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Table is the table of tombstones, for reading. It is safe for concurrent use.
type Table struct{ pool *pgxpool.Pool }

// New returns a reader over the connections of a warehouse.
func New(pool *pgxpool.Pool) *Table { return &Table{pool: pool} }

// Tombstone is the evidence about one record that a whole list did not show.
type Tombstone struct {
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	Record       string `db:"record_id"       json:"record"`
	// State is suspected (one scan did not show it), needs_review (the operator decides), deleted
	// (the row has its tombstone) or restored (it came back).
	State string `db:"state" json:"state"`
	// Shrunken says that the scan that missed it missed too many rows at once to be credible.
	Shrunken bool `db:"shrunken" json:"shrunken"`
	// SuspectedRun, its calls and SuspectedAt describe the clean scan that first did not see it.
	SuspectedRun       int64     `db:"suspected_run_id"     json:"suspected_run"`
	SuspectedFirstCall int64     `db:"suspected_first_call" json:"suspected_first_call"`
	SuspectedLastCall  int64     `db:"suspected_last_call"  json:"suspected_last_call"`
	SuspectedAt        time.Time `db:"suspected_at"         json:"suspected_at"`
	// Proof is scan or not_found, empty while there is no confirmation; the next fields say where
	// it comes from.
	Proof          string     `db:"proof"            json:"proof,omitempty"`
	ProofRun       *int64     `db:"proof_run_id"     json:"proof_run,omitempty"`
	ProofFirstCall *int64     `db:"proof_first_call" json:"proof_first_call,omitempty"`
	ProofLastCall  *int64     `db:"proof_last_call"  json:"proof_last_call,omitempty"`
	ProofAt        *time.Time `db:"proof_at"         json:"proof_at,omitempty"`
	// DeletedAt is the tombstone of the row; DecidedBy is rule or person.
	DeletedAt *time.Time `db:"deleted_at" json:"deleted_at,omitempty"`
	DecidedBy string     `db:"decided_by" json:"decided_by,omitempty"`
	DecidedAt *time.Time `db:"decided_at" json:"decided_at,omitempty"`
	// RestoredAt is when it was last seen again after a tombstone, by RestoredCall; Restores counts
	// how often that happened.
	RestoredAt   *time.Time `db:"restored_at"   json:"restored_at,omitempty"`
	RestoredCall *int64     `db:"restored_call" json:"restored_call,omitempty"`
	Restores     int        `db:"restores"      json:"restores,omitempty"`
	// PrunedAt is when its row was deleted, because the tombstone was older than such rows are
	// kept.
	PrunedAt *time.Time `db:"pruned_at" json:"pruned_at,omitempty"`
}

// Filter selects tombstones; empty fields select all.
type Filter struct {
	Service, Resource, Record, State string
	// Limit bounds the list; zero means 100.
	Limit int
}

const (
	sqlColumns = `
SELECT organization_id, service, resource, record_id, state, shrunken, suspected_run_id, suspected_first_call, suspected_last_call, suspected_at,
	coalesce(proof, '') AS proof, proof_run_id, proof_first_call, proof_last_call, proof_at, deleted_at,
	coalesce(decided_by, '') AS decided_by, decided_at, restored_at, restored_call, restores, pruned_at
FROM sluice.tombstones`

	sqlTombstones = sqlColumns + `
WHERE ($1 = '' OR service = $1) AND ($2 = '' OR resource = $2) AND ($3 = '' OR record_id = $3) AND ($4 = '' OR state = $4)
ORDER BY greatest(suspected_at, proof_at, decided_at, restored_at) DESC, organization_id, service, resource, record_id LIMIT $5`

	sqlTombstone = sqlColumns + `
WHERE (organization_id, service, resource, record_id) = ($1, $2, $3, $4)`
)

// Tombstones returns the evidence about records that whole lists did not show, newest first.
func (t *Table) Tombstones(ctx context.Context, f Filter) ([]Tombstone, error) {
	return postgres.Read[Tombstone](ctx, t.pool, "tombstones", sqlTombstones, f.Service, f.Resource, f.Record, f.State, postgres.Limit(f.Limit))
}

// Of returns the evidence about one record; nil if there is none.
func (t *Table) Of(ctx context.Context, organization, service, resource, record string) (*Tombstone, error) {
	found, err := postgres.Read[Tombstone](ctx, t.pool, "a tombstone", sqlTombstone, organization, service, resource, record)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// ScanToReview is a scan whose missing rows wait for the operator.
type ScanToReview struct {
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	// Run is the second of the two scans; a decision covers all the rows that it left.
	Run       int64     `db:"run_id"     json:"run"`
	StartedAt time.Time `db:"started_at" json:"started_at"`
	// Received is how many records its list had, in all passes; FirstRun is the first scan that
	// missed them.
	Received int64 `db:"received"  json:"received"`
	FirstRun int64 `db:"first_run" json:"first_run"`
	// NeedsReview counts the records; Sample names some of them.
	NeedsReview int64    `db:"needs_review" json:"needs_review"`
	Sample      []string `db:"sample"       json:"sample"`
}

// Key names the list.
func (s *ScanToReview) Key() pipeline.Key {
	return pipeline.Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource}
}

const sqlScansToReview = `
SELECT k.organization_id, k.service, k.resource, k.proof_run_id AS run_id, r.started_at, r.received, min(k.suspected_run_id) AS first_run,
	count(*) AS needs_review, (array_agg(k.record_id ORDER BY k.record_id))[1:5] AS sample
FROM sluice.tombstones k JOIN sluice.runs r ON r.id = k.proof_run_id
WHERE k.state = 'needs_review'
GROUP BY k.organization_id, k.service, k.resource, k.proof_run_id, r.id
ORDER BY k.proof_run_id`

// ScansToReview returns the scans whose missing rows wait for the operator.
func (t *Table) ScansToReview(ctx context.Context) ([]ScanToReview, error) {
	return postgres.Read[ScanToReview](ctx, t.pool, "what is held", sqlScansToReview)
}

// Held is what of a list waits for the operator's decision.
type Held struct {
	Organization string `db:"organization_id"`
	Service      string `db:"service"`
	Resource     string `db:"resource"`
	Records      int64  `db:"records"`
	// Since is when the first of them was found to be gone.
	Since time.Time `db:"since"`
}

const sqlHeld = `
SELECT organization_id, service, resource, count(*) AS records, min(proof_at) AS since FROM sluice.tombstones
WHERE state = 'needs_review' AND proof_at IS NOT NULL GROUP BY organization_id, service, resource`

// Held returns the lists of which deletions wait for the operator.
func (t *Table) Held(ctx context.Context) ([]Held, error) {
	return postgres.Read[Held](ctx, t.pool, "held deletions", sqlHeld)
}
