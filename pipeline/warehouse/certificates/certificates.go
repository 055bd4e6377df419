// Package certificates reads what a certificate says of an organization, and stores
// certificates.
//
// It is the only writer of sluice.certificates and sluice.certified_rows. It judges nothing:
// package certify of lineage says what the figures mean, signs them, and compares them later.
//
// Start reading at Standing, then Table.Part.
package certificates

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// Issued is a certificate as it is stored.
type Issued struct {
	ID           int64      `db:"id"              json:"id"`
	Organization string     `db:"organization_id" json:"organization"`
	TakenAt      time.Time  `db:"taken_at"        json:"taken_at"`
	Cut          *time.Time `db:"cut"             json:"cut"`
	Verdict      string     `db:"verdict"         json:"verdict"`
	ButFor       []string   `db:"but_for"         json:"but_for"`
	Rows         int64      `db:"rows"            json:"rows"`
	Tombstones   int64      `db:"tombstones"      json:"tombstones"`
	Quarantined  int64      `db:"quarantined"     json:"quarantined"`
	PublicKey    string     `db:"public_key"      json:"public_key"`
	Document     string     `db:"document"        json:"-"`
}

// Kept is how many certificates of an organization keep the digests of their single records.
const Kept = 3

const (
	sqlNumber = `SELECT nextval(pg_get_serial_sequence('sluice.certificates', 'id'))`

	sqlStore = `
INSERT INTO sluice.certificates (id, organization_id, taken_at, cut, verdict, but_for, rows, tombstones, quarantined, public_key, document)
OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

	sqlPart = `
INSERT INTO sluice.certified_rows (certificate_id, resource, table_name, number, keys, deleted, leaves)
VALUES ($1, $2, $3, $4, $5, $6, $7)`

	sqlForget = `
DELETE FROM sluice.certified_rows WHERE certificate_id IN (
	SELECT c.id FROM sluice.certificates c WHERE c.organization_id = $1 ORDER BY c.id DESC OFFSET $2)`

	sqlList = `
SELECT id, organization_id, taken_at, cut, verdict, but_for, rows, tombstones, quarantined, public_key, document
FROM sluice.certificates WHERE $1 = '' OR organization_id = $1 ORDER BY id DESC LIMIT $2`

	sqlParts = `
SELECT number, keys, deleted, leaves FROM sluice.certified_rows
WHERE (certificate_id, resource, table_name) = ($1, $2, $3) AND number = $4`

	sqlHasParts = `SELECT EXISTS (SELECT FROM sluice.certified_rows WHERE certificate_id = $1)`
)

// View is what one transaction sees of the warehouse.
type View struct{ tx pgx.Tx }

// Store writes certificates. It is safe for concurrent use.
type Store struct{ pool *pgxpool.Pool }

// New makes a store over the connections of a warehouse.
func New(pool *pgxpool.Pool) *Store { return &Store{pool: pool} }

// Number returns the number of the next certificate.
func (s *Store) Number(ctx context.Context) (int64, error) {
	var id int64
	err := s.pool.QueryRow(ctx, sqlNumber).Scan(&id)
	return id, postgres.Fail("numbering a certificate", err)
}

// Parts are the digests of single records that a certificate keeps.
type Parts struct {
	Resource, Table string
	Parts           []Part
}

// Write stores a certificate with the digests of its records, and drops those of old ones.
func (s *Store) Write(ctx context.Context, issued *Issued, tables []Parts) error {
	const op = "storing a certificate"
	return postgres.InTx(ctx, s.pool, op, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sqlStore, issued.ID, issued.Organization, issued.TakenAt, issued.Cut, issued.Verdict, issued.ButFor, issued.Rows,
			issued.Tombstones, issued.Quarantined, issued.PublicKey, issued.Document)
		if err != nil {
			return postgres.Fail(op, err)
		}
		for _, table := range tables {
			batch := new(pgx.Batch)
			for i := range table.Parts {
				keys, deleted, leaves := table.Parts[i].columns()
				batch.Queue(sqlPart, issued.ID, table.Resource, table.Table, table.Parts[i].Number, keys, deleted, leaves)
			}
			if err := tx.SendBatch(ctx, batch).Close(); err != nil {
				return postgres.Fail(op, err)
			}
		}
		_, err = tx.Exec(ctx, sqlForget, issued.Organization, Kept)
		return postgres.Fail(op, err)
	})
}

// List returns certificates, newest first; of all organizations if none is named.
func (s *Store) List(ctx context.Context, organization string, limit int) ([]Issued, error) {
	return postgres.Read[Issued](ctx, s.pool, "certificates", sqlList, organization, postgres.Limit(limit))
}

// Stored returns a part of what a certificate keeps of a table; an empty one if there is none.
func Stored(ctx context.Context, view View, certificate int64, resource, table string, number int) (Part, error) {
	rows, err := view.tx.Query(ctx, sqlParts, certificate, resource, table, number)
	if err != nil {
		return Part{}, postgres.Fail("reading the digests of a certificate", err)
	}
	part := Part{Number: number}
	var (
		keys    []string
		deleted []*time.Time
		leaves  []byte
	)
	_, err = pgx.ForEachRow(rows, []any{&part.Number, &keys, &deleted, &leaves}, func() error {
		for i := range keys {
			part.Records = append(part.Records, Record{Key: keys[i], Deleted: deleted[i], Leaf: [leafSize]byte(leaves[i*leafSize : (i+1)*leafSize])})
		}
		return nil
	})
	return part, postgres.Fail("reading the digests of a certificate", err)
}

// KeepsRecords reports whether the digests of single records of a certificate are here.
func KeepsRecords(ctx context.Context, view View, certificate int64) (bool, error) {
	var has bool
	err := view.tx.QueryRow(ctx, sqlHasParts, certificate).Scan(&has)
	return has, postgres.Fail("looking for the digests of a certificate", err)
}

// Within runs fn on one snapshot of the warehouse, in sessions that spell values in one way.
func (s *Store) Within(ctx context.Context, fn func(View) error) error {
	const op = "looking at the warehouse for a certificate"
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return postgres.Fail(op, err)
	}
	defer postgres.Rollback(ctx, tx)
	const spelling = `SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'postgres'; ` +
		`SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'`
	if _, err := tx.Conn().PgConn().Exec(ctx, spelling).ReadAll(); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	if err := postgres.InKeyOrder(ctx, tx); err != nil {
		return err
	}
	return fn(View{tx: tx})
}
