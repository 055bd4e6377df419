// Package leftout notes which columns are left out of records or hashed, since when, and by which
// key, and brings rows of before in line.
//
// It never decides what is left out: the configuration does. It is the only writer of
// sluice.left_out, which holds neither values nor the key.
//
// Start reading at Note, then CheckKey; rows.go counts and cleans rows.
package leftout

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
	"sluice/schema/redact"
)

// ErrOtherKey says that the database has hashes of another key. Hashes of two keys could not be
// told apart or joined.
var ErrOtherKey = errors.New("the database has hashes of another privacy.key: give this process that key. " +
	"To change the key, write the hashed columns into omit, run sluice redact scrub, write them back into hash with the new key, " +
	"and read them again: sluice backfill")

// Column is one column as it is noted.
type Column struct {
	Service  string     `db:"service"`
	Resource string     `db:"resource"`
	Path     string     `db:"path"`
	How      redact.How `db:"how"`
	Since    time.Time  `db:"since"`
	// EndedAt is nil while it is in force, ScrubbedAt while what came before may still be there.
	EndedAt    *time.Time `db:"ended_at"`
	ScrubbedAt *time.Time `db:"scrubbed_at"`
	// KeyPrint is the fingerprint of the key whose hashes the column has or may have; nil if there
	// are none.
	KeyPrint *string `db:"key_fingerprint"`
}

const (
	sqlRead = `
SELECT service, resource, path, how, since, ended_at, scrubbed_at, key_fingerprint FROM sluice.left_out ORDER BY service, resource, path`

	// One process at a time: two keys must not both be the first.
	sqlLock = `LOCK TABLE sluice.left_out IN SHARE ROW EXCLUSIVE MODE`

	// A column that is hashed keeps its fingerprint when it is to be omitted: its hashes of before
	// are there until they are scrubbed. Of a resource without raw records nothing came before.
	sqlNote = `
INSERT INTO sluice.left_out AS l (service, resource, path, how, key_fingerprint, scrubbed_at)
SELECT w.service, w.resource, w.path, w.how, CASE w.how WHEN 'hashed' THEN $5 END,
	CASE WHEN NOT EXISTS (SELECT FROM sluice.raw_records r WHERE (r.service, r.resource) = (w.service, w.resource))
		AND NOT EXISTS (SELECT FROM sluice.quarantine q WHERE (q.service, q.resource) = (w.service, w.resource)) THEN clock_timestamp() END
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS w (service, resource, path, how)
ON CONFLICT (service, resource, path) DO UPDATE SET how = excluded.how, since = clock_timestamp(), ended_at = NULL,
	scrubbed_at = excluded.scrubbed_at,
	key_fingerprint = coalesce(excluded.key_fingerprint, l.key_fingerprint)
WHERE l.how <> excluded.how OR l.ended_at IS NOT NULL OR l.key_fingerprint IS NULL AND excluded.how = 'hashed'`

	sqlEnd = `
UPDATE sluice.left_out l SET ended_at = clock_timestamp()
WHERE l.ended_at IS NULL AND NOT EXISTS (
	SELECT FROM unnest($1::text[], $2::text[], $3::text[]) AS w (service, resource, path)
	WHERE (w.service, w.resource, w.path) = (l.service, l.resource, l.path))`

	// An omitted column has no hashes behind a scrub.
	sqlScrubbed = `
UPDATE sluice.left_out SET scrubbed_at = clock_timestamp(), key_fingerprint = CASE how WHEN 'hashed' THEN key_fingerprint END
WHERE (service, resource) = ($1, $2) AND ended_at IS NULL`
)

// Read returns the columns that are noted.
func Read(ctx context.Context, pool *pgxpool.Pool) ([]Column, error) {
	return postgres.Read[Column](ctx, pool, "what is left out", sqlRead)
}

// CheckKey returns ErrOtherKey if hashes were made by another key.
func CheckKey(columns []Column, key *redact.Key) error {
	for i := range columns {
		if made := columns[i].KeyPrint; made != nil && key != nil && !key.Made(*made) {
			return ErrOtherKey
		}
	}
	return nil
}

// Choice is what is left out of the records of one resource.
type Choice struct {
	Service, Resource string
	Rules             []redact.Rule
}

// Note notes what is left out from now on, before a record is read by it. It returns ErrOtherKey,
// and notes nothing, if hashes were made by another key. The key may be nil if nothing is hashed.
func Note(ctx context.Context, pool *pgxpool.Pool, choices []Choice, key *redact.Key) error {
	const op = "noting what is left out"
	var services, resources, paths, hows []string
	for _, choice := range choices {
		for _, rule := range choice.Rules {
			services, resources = append(services, choice.Service), append(resources, choice.Resource)
			paths, hows = append(paths, rule.Path), append(hows, string(rule.How))
		}
	}
	if known, err := Read(ctx, pool); err != nil || same(known, choices) {
		return cmp.Or(err, CheckKey(known, key))
	}
	return postgres.InTx(ctx, pool, op, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlLock); err != nil {
			return postgres.Fail(op, err)
		}
		before, err := postgres.Read[Column](ctx, tx, "what is left out", sqlRead)
		if err != nil {
			return err
		}
		if err := CheckKey(before, key); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, sqlEnd, services, resources, paths); err != nil {
			return postgres.Fail(op, err)
		}
		_, err = tx.Exec(ctx, sqlNote, services, resources, paths, hows, fingerprint(before, key))
		return postgres.Fail(op, err)
	})
}

// same reports whether the columns that are noted are those of the choices.
func same(known []Column, choices []Choice) bool {
	type column struct{ service, resource, path string }
	noted := make(map[column]redact.How, len(known))
	for i := range known {
		if k := &known[i]; k.EndedAt == nil && (k.How == redact.Omitted || k.KeyPrint != nil) {
			noted[column{k.Service, k.Resource, k.Path}] = k.How
		}
	}
	for _, choice := range choices {
		for _, rule := range choice.Rules {
			at := column{choice.Service, choice.Resource, rule.Path}
			if noted[at] != rule.How {
				return false
			}
			delete(noted, at)
		}
	}
	return len(noted) == 0
}

// fingerprint is that of the key: the one that is there already, or a new one; nil without a key.
func fingerprint(before []Column, key *redact.Key) *string {
	for i := range before {
		if before[i].KeyPrint != nil {
			return before[i].KeyPrint
		}
	}
	if key == nil {
		return nil
	}
	var salt [8]byte
	_, _ = rand.Read(salt[:]) // it never fails
	return new(key.Print(salt))
}

// Scrubbed notes that nothing of before is left of the columns of a resource.
func Scrubbed(ctx context.Context, pool *pgxpool.Pool, service, resource string) error {
	_, err := pool.Exec(ctx, sqlScrubbed, service, resource)
	return postgres.Fail("noting what is scrubbed", err)
}
