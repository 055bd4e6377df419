// Package erasures removes records from the warehouse, wherever a copy of them stands, and keeps
// what is left of them: a receipt that names no data, and a salted hash by which a load refuses the
// record (docs/decisions/0029-personal-data).
//
// Erasing is one act over the tables of many packages, so it is in one place: this package alone
// deletes from tables that others write. It never calls upstream, and never decides what is erased:
// the operator does.
//
// Start reading at Record, then at others: the list of tables.
package erasures

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/streams"
	"sluice/schema"
)

// ErrNothing says that nothing of the record stands in the warehouse.
var ErrNothing = errors.New("nothing of the record stands in the warehouse")

const (
	// One erasure at a time, so that each receipt follows the one before it.
	sqlLock = `LOCK TABLE sluice.erasures IN SHARE ROW EXCLUSIVE MODE`

	sqlBegin = `
INSERT INTO sluice.erasures (organization_id, service, resource, subject_hash, note)
VALUES ($1, $2, $3, sluice.erasure_hash($1, $2, $3, $4), $5) RETURNING id`

	sqlAny = `SELECT EXISTS (SELECT FROM sluice.erased_records WHERE (organization_id, service, resource) = ($1, $2, $3))`

	sqlRefuse = `
INSERT INTO sluice.erased_records (organization_id, service, resource, record_hash, erasure_id)
VALUES ($1, $2, $3, sluice.erasure_hash($1, $2, $3, $4), $5)
ON CONFLICT (organization_id, service, resource, record_hash) DO UPDATE SET erasure_id = excluded.erasure_id`

	sqlEnd = `
UPDATE sluice.erasures SET ended_at = clock_timestamp(), places = $2
WHERE id = $1 RETURNING ` + columns

	sqlSeal = `UPDATE sluice.erasures SET digest = $2 WHERE id = $1`

	sqlBefore = `
SELECT coalesce((SELECT b.digest FROM sluice.erasures b WHERE b.id < e.id AND b.organization_id = e.organization_id
	ORDER BY b.id DESC LIMIT 1), '')
FROM sluice.erasures e WHERE e.id = $1`

	sqlRefused = `
SELECT w.id FROM unnest($4::text[]) AS w (id)
JOIN sluice.erased_records e ON (e.organization_id, e.service, e.resource) = ($1, $2, $3)
	AND e.record_hash = sluice.erasure_hash($1, $2, $3, w.id)`

	sqlEarlier = `
SELECT e.id FROM sluice.erased_records r JOIN sluice.erasures e ON e.id = r.erasure_id
WHERE (r.organization_id, r.service, r.resource) = ($1, $2, $3) AND r.record_hash = sluice.erasure_hash($1, $2, $3, $4)`

	sqlAllow = `
WITH allowed AS (
	DELETE FROM sluice.erased_records r
	WHERE (r.organization_id, r.service, r.resource) = ($1, $2, $3) AND r.record_hash = sluice.erasure_hash($1, $2, $3, $4)
)
UPDATE sluice.erasures SET allowed_at = clock_timestamp()
WHERE (organization_id, service, resource) = ($1, $2, $3) AND subject_hash = sluice.erasure_hash($1, $2, $3, $4) AND allowed_at IS NULL`

	columns = `id, organization_id, service, resource, encode(subject_hash, 'hex') AS subject, asked_by, note, begun_at, ended_at, places,
	encode(digest, 'hex') AS digest, allowed_at`

	sqlList = `SELECT ` + columns + ` FROM sluice.erasures ORDER BY id`

	// The server analyzes a table for its owner and for the owner of the database.
	sqlMayAnalyze = `
SELECT pg_has_role(c.relowner, 'USAGE') OR pg_has_role(d.datdba, 'USAGE')
FROM pg_class c, pg_database d WHERE c.oid = $1::text::regclass AND d.datname = current_database()`
)

// Receipt says what was erased where, without what it was.
type Receipt struct {
	ID           int64  `db:"id"              json:"id"`
	Organization string `db:"organization_id" json:"organization"`
	Service      string `db:"service"         json:"service"`
	Resource     string `db:"resource"        json:"resource"`
	// Subject is the salted hash of the record's name, in hexadecimal digits.
	Subject string `db:"subject" json:"subject"`
	// AskedBy is the role of the database, Note what the operator noted.
	AskedBy string    `db:"asked_by" json:"asked_by"`
	Note    string    `db:"note"     json:"note,omitempty"`
	BegunAt time.Time `db:"begun_at" json:"begun_at"`
	EndedAt time.Time `db:"ended_at" json:"ended_at,omitzero"`
	// Places are how much was erased, by place.
	Places map[string]int64 `db:"places" json:"places"`
	Digest string           `db:"digest" json:"digest,omitempty"`
	// AllowedAt is when the record was allowed again; nil if loads refuse it.
	AllowedAt *time.Time `db:"allowed_at" json:"allowed_at,omitempty"`
	// Altered says that the receipt, or the one before it, is not what it was when it was written.
	Altered bool `db:"-" json:"altered"`
	// Unanalyzed are the tables whose statistics may keep erased values, because the role does not
	// own them. Only the erasure itself says it.
	Unanalyzed []string `db:"-" json:"unanalyzed,omitempty"`
}

// sealed is the digest of a receipt behind the one of the receipt before it.
func (r *Receipt) sealed(before []byte) ([]byte, error) {
	text, err := json.Marshal([]any{
		hex.EncodeToString(before), r.ID, r.Organization, r.Service, r.Resource, r.Subject, r.AskedBy, r.Note,
		r.BegunAt.UTC(), r.EndedAt.UTC(), r.Places,
	})
	if err != nil {
		return nil, fmt.Errorf("sealing a receipt: %w", err)
	}
	sum := sha256.Sum256(text)
	return sum[:], nil
}

// Subject is a record that is erased.
type Subject struct {
	Stream pipeline.Stream
	// Record is its key in the warehouse.
	Record string
	// Is says whether a raw record of the resource is one of the record.
	Is func(raw []byte) bool
	// Note is what the operator notes.
	Note string
}

func (s *Subject) key() pipeline.Key { return s.Stream.ListKey() }

// own is the record's own identifier: a key may be qualified by the parent, and raw records lack
// that.
func (s *Subject) own() string {
	if cursor, ok := s.Stream.Resource.Cursor.(schema.PerParent); ok && cursor.Identifier != "" {
		return s.Record[strings.LastIndexByte(s.Record, '/')+1:]
	}
	return s.Record
}

// Record erases a record in a transaction whose caller has locked all streams that write the
// resource, and refuses it from then on. It returns ErrNothing if nothing of it stands anywhere,
// and the caller rolls back then.
func Record(ctx context.Context, tx pgx.Tx, subject *Subject) (Receipt, error) {
	key, op := subject.key(), "erasing a record of "+subject.key().String()
	if _, err := tx.Exec(ctx, sqlLock); err != nil {
		return Receipt{}, postgres.Fail(op, err)
	}
	var id int64
	err := tx.QueryRow(ctx, sqlBegin, key.Organization, key.Service, key.Resource, subject.Record, subject.Note).Scan(&id)
	if err != nil {
		return Receipt{}, postgres.Fail(op, err)
	}
	if _, err := tx.Exec(ctx, sqlRefuse, key.Organization, key.Service, key.Resource, subject.Record, id); err != nil {
		return Receipt{}, postgres.Fail(op, err)
	}
	if err := streams.Unclaim(ctx, tx, key); err != nil {
		return Receipt{}, err
	}
	found, err := everywhere(ctx, tx, subject, id)
	if err != nil {
		return Receipt{}, postgres.Fail(op, err)
	}
	if len(found) == 0 {
		return Receipt{}, ErrNothing
	}
	receipt, err := end(ctx, tx, id, found)
	return receipt, postgres.Fail(op, err)
}

// Forget makes the statistics anew of the tables of which a record was erased: the planner keeps
// frequent values in clear.
func (r *Receipt) Forget(ctx context.Context, pool *pgxpool.Pool, subject *Subject) error {
	const op = "making statistics anew"
	var tables []string
	for _, table := range subject.Stream.Resource.Tables() {
		tables = append(tables, pgx.Identifier{subject.Stream.Resource.SchemaName(subject.Stream.Service), table.Name}.Sanitize())
	}
	for _, table := range append(tables, "history.versions", "history.days", "sluice.quarantine") {
		var may bool
		err := pool.QueryRow(ctx, sqlMayAnalyze, table).Scan(&may)
		switch {
		case err != nil:
		case !may:
			r.Unanalyzed = append(r.Unanalyzed, table)
		default:
			_, err = pool.Exec(ctx, "ANALYZE "+table)
		}
		if err != nil {
			return postgres.Fail(op, err)
		}
	}
	return nil
}

// end completes and seals a receipt.
func end(ctx context.Context, tx pgx.Tx, id int64, found map[string]int64) (Receipt, error) {
	rows, _ := tx.Query(ctx, sqlEnd, id, found)
	receipt, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Receipt])
	if err != nil {
		return receipt, err
	}
	var before []byte
	if err := tx.QueryRow(ctx, sqlBefore, id).Scan(&before); err != nil {
		return receipt, err
	}
	digest, err := receipt.sealed(before)
	if err != nil {
		return receipt, err
	}
	receipt.Digest = hex.EncodeToString(digest)
	_, err = tx.Exec(ctx, sqlSeal, id, digest)
	return receipt, err
}

// Any reports whether records of a list were erased, in a transaction that has locked its stream.
func Any(ctx context.Context, tx pgx.Tx, list pipeline.Key) (bool, error) {
	var found bool
	err := tx.QueryRow(ctx, sqlAny, list.Organization, list.Service, list.Resource).Scan(&found)
	return found, postgres.Fail("looking for erased records", err)
}

// Refused returns those of the ids that were erased and are not allowed again.
func Refused(ctx context.Context, q postgres.Querier, list pipeline.Key, ids []string) (map[string]bool, error) {
	refused := map[string]bool{}
	var id string
	err := postgres.Each(ctx, q, "looking for erased records", []any{&id}, func() error { refused[id] = true; return nil },
		sqlRefused, list.Organization, list.Service, list.Resource, ids)
	return refused, err
}

// Earlier returns the number of the erasure because of which a record is refused; 0 if it is not.
func Earlier(ctx context.Context, pool *pgxpool.Pool, list pipeline.Key, record string) (int64, error) {
	var id int64
	err := pool.QueryRow(ctx, sqlEarlier, list.Organization, list.Service, list.Resource, record).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return id, postgres.Fail("looking for an erasure", err)
}

// Allow lets a record be loaded again, and says whether it was refused.
func Allow(ctx context.Context, pool *pgxpool.Pool, list pipeline.Key, record string) (bool, error) {
	done, err := pool.Exec(ctx, sqlAllow, list.Organization, list.Service, list.Resource, record)
	return done.RowsAffected() > 0, postgres.Fail("allowing an erased record", err)
}

// List returns all receipts, the oldest first, each held against its digest. Those of each
// organization are a chain of their own.
func List(ctx context.Context, pool *pgxpool.Pool) ([]Receipt, error) {
	receipts, err := postgres.Read[Receipt](ctx, pool, "the receipts of erasures", sqlList)
	if err != nil {
		return nil, err
	}
	before := make(map[string][]byte)
	for i := range receipts {
		r := &receipts[i]
		digest, err := r.sealed(before[r.Organization])
		if err != nil {
			return nil, err
		}
		r.Altered = hex.EncodeToString(digest) != r.Digest
		if before[r.Organization], err = hex.DecodeString(r.Digest); err != nil {
			return nil, fmt.Errorf("reading a receipt: %w", err)
		}
	}
	return receipts, nil
}
