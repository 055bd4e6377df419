package readers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// ErrRights says that the role of this session may not do what was asked for. The error has the
// statements for the role that may.
var ErrRights = errors.New("this role of the database may not do that")

// ErrNoRole says that a role does not exist.
var ErrNoRole = errors.New("no such role")

const (
	// sqlMay gives the role of the session, the owner of the tables, and whether the first may
	// make roles.
	sqlMay = `
SELECT r.rolname::text, pg_catalog.pg_get_userbyid(o.role)::text, r.rolsuper OR r.rolcreaterole
FROM pg_catalog.pg_roles r CROSS JOIN sluice.owner o WHERE r.rolname = current_user`
	sqlHasRole = `SELECT EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = $1)`
	sqlAllow   = `INSERT INTO analytics.readers (role, organization_id) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`
	sqlDeny    = `DELETE FROM analytics.readers WHERE role = $1 AND (organization_id = ANY ($2::text[]) OR '*' = ANY ($2::text[]))`
	// sqlSeen gives the organizations that a role sees, by its own rows and by those of the roles
	// that it is a member of.
	sqlSeen = `
SELECT DISTINCT a.organization_id FROM analytics.readers a JOIN pg_catalog.pg_roles t ON t.rolname = a.role
JOIN pg_catalog.pg_roles r ON r.rolname = $1 AND pg_catalog.pg_has_role(r.oid, t.oid, 'MEMBER') ORDER BY 1`
)

// Apply gives the groups what they lack, in one transaction, and returns what that was. It returns
// ErrRights if the session's role does not own the tables, or if the groups have to be made and it
// may not make roles.
func Apply(ctx context.Context, pool *pgxpool.Pool, groups Groups) ([]Lack, error) {
	var lacks []Lack
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		var role, owner string
		var makes bool
		if err := tx.QueryRow(ctx, sqlMay).Scan(&role, &owner, &makes); err != nil {
			return fmt.Errorf("looking what this role may do: %w", err)
		}
		var err error
		if lacks, err = lacking(ctx, tx, groups); err != nil {
			return err
		}
		if len(lacks) > 0 && role != owner {
			return fmt.Errorf("%w: it is %q, and the tables belong to %q: run it as that one, or with ?role=… in the address of the database",
				ErrRights, role, owner)
		}
		if roles := ofRoles(lacks); len(roles) > 0 && !makes {
			return fmt.Errorf("%w: %q may not make roles. Let an administrator execute this, then run it again:\n%s", ErrRights, role, script(roles))
		}
		for _, lack := range lacks {
			if _, err := tx.Exec(ctx, lack.SQL); err != nil {
				if postgres.LacksRight(err) {
					err = fmt.Errorf("%w: let an administrator execute this, then run it again:\n%s: %w", ErrRights, script([]Lack{lack}), err)
				}
				return fmt.Errorf("executing %s: %w", lack.SQL, err)
			}
		}
		return nil
	})
	return lacks, err
}

// ofRoles are the statements about roles, which the owner of the tables may often not execute.
func ofRoles(lacks []Lack) []Lack {
	made := slices.ContainsFunc(lacks, func(l Lack) bool { return strings.HasPrefix(l.SQL, "CREATE ROLE ") })
	if !made {
		return nil
	}
	var found []Lack
	for _, lack := range lacks {
		if strings.HasPrefix(lack.SQL, "CREATE ROLE ") || strings.HasPrefix(lack.SQL, "GRANT ") && !strings.Contains(lack.SQL, " ON ") {
			found = append(found, lack)
		}
	}
	return found
}

// Allow lets a role see the rows of organizations, by their keys or All, and returns the
// organizations that it sees now. It returns ErrNoRole if there is no such role.
func Allow(ctx context.Context, pool *pgxpool.Pool, role string, organizations []string) ([]string, error) {
	var exists bool
	if err := pool.QueryRow(ctx, sqlHasRole, role).Scan(&exists); err != nil {
		return nil, fmt.Errorf("looking for the role: %w", err)
	}
	if !exists {
		return nil, fmt.Errorf("%w: %q", ErrNoRole, role)
	}
	return write(ctx, pool, sqlAllow, role, organizations)
}

// Deny takes rows of organizations from a role, All takes every one, and returns the organizations
// that it sees still: by All, or by a role that it is a member of.
func Deny(ctx context.Context, pool *pgxpool.Pool, role string, organizations []string) ([]string, error) {
	return write(ctx, pool, sqlDeny, role, organizations)
}

func write(ctx context.Context, pool *pgxpool.Pool, sql, role string, organizations []string) ([]string, error) {
	if _, err := pool.Exec(ctx, sql, role, organizations); err != nil {
		if postgres.LacksRight(err) {
			err = fmt.Errorf("%w: %w", ErrRights, err)
		}
		return nil, fmt.Errorf("writing analytics.readers: %w", err)
	}
	return postgres.Collect(ctx, pool, "reading what "+role+" sees", pgx.RowTo[string], sqlSeen, role)
}
