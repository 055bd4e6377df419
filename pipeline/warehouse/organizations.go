package warehouse

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// ErrOtherOrganization says that upstream gives another name than the one that was pinned first.
// The identifier may be that of another business, whose rows must not be mixed with the existing
// ones.
var ErrOtherOrganization = errors.New("another organization answers")

// Identity is what upstream says about an organization.
type Identity struct {
	// Name is the organization's name; an empty name pins nothing.
	Name string
	// TimeZone is the name of its time zone, "" if upstream does not say.
	TimeZone string
	// Active says whether upstream regards it as active.
	Active bool
}

const (
	// The name is compared and never replaced. An answer without a time zone keeps the old one.
	// After a change of the time zone every whole list is due to be read.
	sqlPin = `
WITH was AS (SELECT time_zone FROM sluice.organizations WHERE organization_id = $1), pinned AS (
	INSERT INTO sluice.organizations AS o (organization_id, name, time_zone, is_active) VALUES ($1, $2, $3, $4)
	ON CONFLICT (organization_id) DO UPDATE SET
		time_zone_before = CASE WHEN excluded.time_zone IN ('', o.time_zone) THEN o.time_zone_before ELSE o.time_zone END,
		time_zone = coalesce(nullif(excluded.time_zone, ''), o.time_zone), is_active = excluded.is_active, checked_at = clock_timestamp()
	WHERE o.name = excluded.name
	RETURNING time_zone)
SELECT was.time_zone NOT IN ('', pinned.time_zone) FROM was, pinned`

	// The time zone is left to the next pin, which also makes the whole lists due.
	sqlAccept = `
INSERT INTO sluice.organizations AS o (organization_id, name, time_zone, is_active) VALUES ($1, $2, $3, $4)
ON CONFLICT (organization_id) DO UPDATE SET
	name = excluded.name, is_active = excluded.is_active, pinned_at = clock_timestamp(), checked_at = clock_timestamp()`

	sqlPinned = `SELECT name, time_zone, is_active FROM sluice.organizations WHERE organization_id = $1`
)

// PinOrganization compares what upstream says about an organization with the name that was pinned
// first. The key is the identifier under which the organization's rows are kept. It returns what is
// pinned, and ErrOtherOrganization if the names differ. Time zone and activity follow upstream. An
// identity without a name changes nothing.
func (db *DB) PinOrganization(ctx context.Context, key string, seen Identity) (Identity, error) {
	op := "pinning organization " + key
	seen.Name = postgres.Clean(seen.Name, postgres.MaxReason)
	if seen.Name != "" {
		if err := db.pin(ctx, op, key, seen); err != nil {
			return Identity{}, err
		}
	}
	var pinned Identity
	err := db.pool.QueryRow(ctx, sqlPinned, key).Scan(&pinned.Name, &pinned.TimeZone, &pinned.Active)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Identity{}, nil // never seen with a name
	case err != nil:
		return Identity{}, postgres.Fail(op, err)
	case seen.Name != "" && seen.Name != pinned.Name:
		return pinned, fmt.Errorf("%w: %s was %q when it was first read and is %q now: correct its id in the configuration, "+
			"or, if the business was renamed, run `sluice organizations accept %s`", ErrOtherOrganization, key, pinned.Name, seen.Name, key)
	default:
		return pinned, nil
	}
}

// pin stores the identity. After a change of the time zone it also makes whole lists due, in the
// same transaction, so that a crash cannot lose that.
func (db *DB) pin(ctx context.Context, op, key string, seen Identity) error {
	return db.inTx(ctx, op, func(tx pgx.Tx) error {
		moved := false
		err := tx.QueryRow(ctx, sqlPin, key, seen.Name, postgres.Clean(seen.TimeZone, postgres.MaxName), seen.Active).Scan(&moved)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // this is the first pin, or the name differs
		}
		if err != nil || !moved {
			return postgres.Fail(op, err)
		}
		return db.SweepsDue(ctx, tx, key)
	})
}

// AcceptOrganization pins an organization to the name that upstream gives now: the operator decided
// that it is the same business.
func (db *DB) AcceptOrganization(ctx context.Context, key string, seen Identity) error {
	op := "accepting organization " + key
	name := postgres.Clean(seen.Name, postgres.MaxReason)
	if name == "" {
		return fmt.Errorf("%s: upstream gives it no name; there is nothing to accept", op)
	}
	_, err := db.pool.Exec(ctx, sqlAccept, key, name, postgres.Clean(seen.TimeZone, postgres.MaxName), seen.Active)
	return postgres.Fail(op, err)
}

// Organization is what is pinned of an organization.
type Organization struct {
	// Organization is the identifier under which its rows are kept.
	Organization string `db:"organization_id" json:"organization"`
	// Name is the name that it has been pinned to since PinnedAt.
	Name     string `db:"name"      json:"name"`
	TimeZone string `db:"time_zone" json:"time_zone"`
	Active   bool   `db:"is_active" json:"active"`

	PinnedAt time.Time `db:"pinned_at" json:"pinned_at"`
	// CheckedAt is when upstream last gave that name.
	CheckedAt time.Time `db:"checked_at" json:"checked_at"`
}

const sqlOrganizations = `
SELECT organization_id, name, time_zone, is_active, pinned_at, checked_at FROM sluice.organizations ORDER BY organization_id`

// Organizations returns the organizations that were pinned so far.
func (db *DB) Organizations(ctx context.Context) ([]Organization, error) {
	return postgres.Read[Organization](ctx, db.pool, "organizations", sqlOrganizations)
}
