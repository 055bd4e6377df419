package verifications

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
)

// Outcome is a closed set: how a verification ended.
type Outcome string

// The outcomes.
const (
	OutcomeClean Outcome = "clean"
	// OutcomeFound: there are violations.
	OutcomeFound Outcome = "found"
	// OutcomeBudget: calls were refused, and the checks without calls found nothing.
	OutcomeBudget Outcome = "budget"
	// OutcomeUnreachable: upstream did not answer.
	OutcomeUnreachable Outcome = "unreachable"
	// OutcomeFailed: another error kept it from checking everything.
	OutcomeFailed Outcome = "failed"
)

// Verification is one execution.
type Verification struct {
	ID        int64      `db:"id"         json:"id"`
	StartedAt time.Time  `db:"started_at" json:"started_at"`
	EndedAt   *time.Time `db:"ended_at"   json:"ended_at"`
	// Scope describes what it had to check; empty means everything.
	Scope string `db:"scope" json:"scope,omitempty"`
	// Allowed is how many calls it may make, Calls how many it made.
	Allowed int `db:"calls_allowed" json:"calls_allowed"`
	Calls   int `db:"calls"         json:"calls"`
	Checks  int `db:"checks"        json:"checks"`
	// Rows were compared with their raw records, Records of upstream with rows. NotDue counts those
	// of Records that changed since the watermark.
	Rows       int64   `db:"rows"       json:"rows"`
	Records    int64   `db:"records"    json:"records"`
	NotDue     int64   `db:"not_due"    json:"not_due"`
	Violations int64   `db:"violations" json:"violations"`
	Notices    int64   `db:"notices"    json:"notices"`
	Outcome    Outcome `db:"outcome"    json:"outcome"`
	// Note says what kept it from checking everything.
	Note string `db:"note" json:"note,omitempty"`
}

// Verified is what a verification checked of one resource of one organization.
type Verified struct {
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	Rows         int64  `db:"rows"            json:"rows"`
	Calls        int    `db:"calls"           json:"calls"`
	Records      int64  `db:"records"         json:"records"`
	// Complete says that the whole list was read.
	Complete   bool   `db:"complete"   json:"complete"`
	NotDue     int64  `db:"not_due"    json:"not_due"`
	Violations int64  `db:"violations" json:"violations"`
	Notices    int64  `db:"notices"    json:"notices"`
	Note       string `db:"note"       json:"note,omitempty"`
}

// maxFindings bounds how many findings are stored; all are counted.
const maxFindings = 1000

const (
	sqlBegin = `INSERT INTO sluice.verifications (scope, calls_allowed) VALUES ($1, $2) RETURNING id, started_at`

	sqlEnd = `
UPDATE sluice.verifications SET ended_at = clock_timestamp(), calls = $2, checks = $3, rows = $4, records = $5, not_due = $6,
	violations = $7, notices = $8, outcome = $9, note = $10
WHERE id = $1 RETURNING ended_at`

	sqlVerified = `
INSERT INTO sluice.verified_streams
	(verification_id, organization_id, service, resource, rows, calls, records, complete, not_due, violations, notices, note)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

	sqlFinding = `
INSERT INTO sluice.findings (verification_id, number, severity, source, code, organization_id, service, resource, record_id, path, detail, call_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, nullif($12::bigint, 0))`

	sqlList = `
SELECT id, started_at, ended_at, scope, calls_allowed, calls, checks, rows, records, not_due, violations, notices,
	coalesce(outcome, '') AS outcome, note
FROM sluice.verifications WHERE $1::bigint = 0 OR id = $1 ORDER BY id DESC LIMIT $2`

	sqlStreamsOf = `
SELECT organization_id, service, resource, rows, calls, records, complete, not_due, violations, notices, note
FROM sluice.verified_streams WHERE verification_id = $1 ORDER BY organization_id, service, resource`

	sqlFindingsOf = `
SELECT severity, source, code, organization_id, service, resource, record_id, path, detail, coalesce(call_id, 0) AS call_id
FROM sluice.findings WHERE verification_id = $1 ORDER BY number`

	// A verification that did not end has no row here: it writes them all at its end.
	sqlLastFound = `
SELECT s.organization_id, s.service, s.resource, v.violations FROM sluice.streams s CROSS JOIN LATERAL (
	SELECT l.violations FROM sluice.verified_streams l
	WHERE (l.organization_id, l.service, l.resource) = (s.organization_id, s.service, s.resource)
	ORDER BY l.verification_id DESC LIMIT 1
) AS v`

	sqlLastVerified = `
SELECT organization_id, service, resource, max(verification_id) FROM sluice.verified_streams WHERE calls > 0
GROUP BY organization_id, service, resource`
)

// Begin records that a verification begins, with its scope and the calls that it may make.
func (s *Store) Begin(ctx context.Context, scope string, calls int) (Verification, error) {
	v := Verification{Scope: scope, Allowed: calls}
	err := s.pool.QueryRow(ctx, sqlBegin, postgres.Clean(scope, postgres.MaxReason), calls).Scan(&v.ID, &v.StartedAt)
	return v, postgres.Fail("noting that a verification begins", err)
}

// End stores what a verification found.
func (s *Store) End(ctx context.Context, v *Verification, streams []Verified, findings []Finding) error {
	const op = "keeping what a verification found"
	return postgres.InTx(ctx, s.pool, op, func(tx pgx.Tx) error {
		batch := new(pgx.Batch)
		for i := range streams {
			one := &streams[i]
			batch.Queue(sqlVerified, v.ID, one.Organization, one.Service, one.Resource, one.Rows, one.Calls, one.Records, one.Complete, one.NotDue,
				one.Violations, one.Notices, postgres.Clean(one.Note, postgres.MaxReason))
		}
		for i := range findings {
			if i == maxFindings {
				break
			}
			f := &findings[i]
			batch.Queue(sqlFinding, v.ID, i+1, f.Severity, f.Source, f.Code, f.Organization, f.Service, f.Resource,
				postgres.Clean(f.Record, postgres.MaxName), postgres.Clean(f.Path, postgres.MaxName), postgres.Clean(f.Detail, postgres.MaxReason), f.Call)
		}
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return postgres.Fail(op, err)
		}
		err := tx.QueryRow(ctx, sqlEnd, v.ID, v.Calls, v.Checks, v.Rows, v.Records, v.NotDue, v.Violations, v.Notices, v.Outcome,
			postgres.Clean(v.Note, postgres.MaxReason)).Scan(&v.EndedAt)
		return postgres.Fail(op, err)
	})
}

// List returns verifications, newest first.
func (s *Store) List(ctx context.Context, limit int) ([]Verification, error) {
	return postgres.Read[Verification](ctx, s.pool, "verifications", sqlList, 0, limit)
}

// ErrNone says that the verification does not exist.
var ErrNone = errors.New("there is no such verification: sluice verify list shows them")

// Read returns one verification with what it checked and what it found; 0 means the last one.
func (s *Store) Read(ctx context.Context, id int64) (Verification, []Verified, []Finding, error) {
	found, err := postgres.Read[Verification](ctx, s.pool, "verifications", sqlList, id, 1)
	if err == nil && len(found) == 0 {
		err = ErrNone
	}
	if err != nil {
		return Verification{}, nil, nil, err
	}
	streams, err := postgres.Read[Verified](ctx, s.pool, "verifications", sqlStreamsOf, found[0].ID)
	if err != nil {
		return Verification{}, nil, nil, err
	}
	findings, err := postgres.Read[Finding](ctx, s.pool, "verifications", sqlFindingsOf, found[0].ID)
	return found[0], streams, findings, err
}

// Found is what the last verification of a list found.
type Found struct {
	Organization string `db:"organization_id"`
	Service      string `db:"service"`
	Resource     string `db:"resource"`
	Violations   int64  `db:"violations"`
}

// LastFound returns what the last verification of each list found.
func (s *Store) LastFound(ctx context.Context) ([]Found, error) {
	return postgres.Read[Found](ctx, s.pool, "verifications", sqlLastFound)
}

// LastVerified returns, by resource of an organization, the last verification that made a call for
// it.
func (s *Store) LastVerified(ctx context.Context) (map[pipeline.Key]int64, error) {
	var (
		key  pipeline.Key
		last int64
	)
	found := map[pipeline.Key]int64{}
	err := postgres.Each(ctx, s.pool, "reading what was verified when", []any{&key.Organization, &key.Service, &key.Resource, &last}, func() error {
		found[key] = last
		return nil
	}, sqlLastVerified)
	return found, err
}
