package migrations

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Execute runs the statements that plan returns, separated by ";" and a line break, under the lock
// of migrations. So no other process migrates at the same time, and a plan that is made under the
// lock describes the database as it is. Each table has a transaction of its own: a table that
// another session holds delays no other table. If plan fails or returns nothing, nothing is
// executed. It returns ErrBlocked as Migrate does; a new plan then contains what is left.
func Execute(ctx context.Context, url string, opts Options, plan func(ctx context.Context) (string, error)) error {
	conn, err := locked(ctx, url)
	if err != nil {
		return err
	}
	defer hangUp(ctx, conn)
	if err := refuseOthers(ctx, conn); err != nil {
		return err
	}
	statements, err := plan(ctx)
	if err != nil || statements == "" {
		return err
	}
	worker, err := pgx.ConnectConfig(ctx, conn.Config()) // conn looks which sessions are in its way
	if err != nil {
		return fmt.Errorf("connecting to migrate: %w", err)
	}
	defer hangUp(ctx, worker)
	others := opts.beside(conn)
	steps := byTable(statements)
	var left []string
	var blocked error
	for _, step := range steps {
		err := others.try(ctx, step.table, func(ctx context.Context) error {
			return pgx.BeginFunc(ctx, worker, func(tx pgx.Tx) error {
				_, err := tx.Exec(ctx, step.sql)
				return err
			})
		})
		if errors.Is(err, ErrBlocked) { // the next table may be free
			left, blocked = append(left, step.table), err
			continue
		}
		if err != nil {
			return fmt.Errorf("executing the plan: %s: %w", step.table, err)
		}
	}
	if blocked != nil {
		return fmt.Errorf("executing the plan: %d of %d tables are done, left: %s: run sluice migrate again for a plan of those: %w",
			len(steps)-len(left), len(steps), strings.Join(left, ", "), blocked)
	}
	return nil
}

// ErrNoRole says that the role that is to be the worker does not exist.
var ErrNoRole = errors.New("no such role")

const (
	sqlHasRole = `SELECT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = $1)`
	sqlWorker  = `SELECT sluice.grant_worker($1)`
)

// GrantWorker gives a role the rights that every command but migrate needs. The role that migrates
// calls it; it can be repeated.
func GrantWorker(ctx context.Context, url, role string) error {
	conn, err := locked(ctx, url)
	if err != nil {
		return err
	}
	defer hangUp(ctx, conn)
	var exists bool
	if err := conn.QueryRow(ctx, sqlHasRole, role).Scan(&exists); err != nil {
		return fmt.Errorf("looking for the role: %w", err)
	}
	if !exists {
		return fmt.Errorf("%w: %q: make it first, CREATE ROLE … LOGIN PASSWORD …", ErrNoRole, role)
	}
	if _, err := conn.Exec(ctx, sqlWorker, role); err != nil {
		return fmt.Errorf("granting %q what it needs: %w", role, err)
	}
	return nil
}

// step is what a plan does to one table.
type step struct{ table, sql string }

// tableOf finds the table that a statement of a plan is about: the name that follows the verb, with
// its schema.
//
//nolint:lll // one expression
var tableOf = regexp.MustCompile(`^(?:CREATE TABLE|ALTER TABLE|COMMENT ON TABLE|COMMENT ON COLUMN|CREATE INDEX .* ON) "((?:[^"]|"")+)"\."((?:[^"]|"")+)"`)

// byTable groups statements by table, in the order in which the tables first appear. A statement
// about no table joins the next table's group.
func byTable(statements string) []step {
	var steps []step
	before := "" // statements about no table
	for statement := range strings.SplitSeq(statements, ";\n") {
		if statement = strings.TrimSpace(statement); statement == "" {
			continue
		}
		found := tableOf.FindStringSubmatch(statement)
		if found == nil {
			before += statement + ";\n"
			continue
		}
		name := found[1] + "." + found[2]
		at := slices.IndexFunc(steps, func(s step) bool { return s.table == name })
		if at < 0 {
			at, steps = len(steps), append(steps, step{table: name})
		}
		steps[at].sql += before + statement + ";\n"
		before = ""
	}
	if before != "" {
		steps = append(steps, step{table: "the schemas", sql: before})
	}
	return steps
}
