package warehousetest

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
)

// sharedTemplates is the variable that Share sets. Its value is the prefix of the names of the
// templates that processes share.
const sharedTemplates = "SLUICE_TEST_TEMPLATES"

// Share finds a server as tests do, and gives it to all processes that this one starts from then
// on. The environment names the server and the templates, which the first process that needs one
// makes. The returned function stops what was started.
func Share(ctx context.Context) (func(context.Context) error, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit+pullLimit)
	defer cancel()
	found, err := choose(ctx)
	if err != nil {
		return nil, err
	}
	prefix := newName() + "_"
	end := found.stop
	if end == nil {
		end = func(ctx context.Context) error { return dropTemplates(ctx, found.admin, prefix) }
	}
	for name, value := range map[string]string{"SLUICE_TEST_POSTGRES": "auto", "SLUICE_TEST_DATABASE_URL": found.admin, sharedTemplates: prefix} {
		if err := os.Setenv(name, value); err != nil {
			return nil, errors.Join(fmt.Errorf("setting %s: %w", name, err), end(ctx))
		}
	}
	return end, nil
}

// findTemplate makes a template unless another process has made it. An advisory lock lets one
// process at a time look for it and make it. A template that still allows connections is
// incomplete: its maker failed or was killed.
func (s server) findTemplate(ctx context.Context, name string, migrate func(ctx context.Context, url string) error) error {
	conn, err := pgx.Connect(ctx, s.admin)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // closing it releases the lock
	if _, err := conn.Exec(ctx, "select pg_advisory_lock(hashtextextended($1, 0))", name); err != nil {
		return fmt.Errorf("waiting for other makers of the template: %w", err)
	}
	var open bool
	err = conn.QueryRow(ctx, "select datallowconn from pg_database where datname = $1", name).Scan(&open)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
	case err != nil:
		return fmt.Errorf("looking for the template: %w", err)
	case !open:
		return nil
	default:
		if err := execute(ctx, s.admin, "drop database "+name+" with (force)"); err != nil {
			return err
		}
	}
	return s.makeTemplate(ctx, name, migrate)
}

// dropTemplates removes the shared templates from a server that runs on.
func dropTemplates(ctx context.Context, admin, prefix string) error {
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	rows, err := conn.Query(ctx, "select datname from pg_database where starts_with(datname, $1)", prefix)
	if err != nil {
		return fmt.Errorf("looking for the templates: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, name := range names {
		err = errors.Join(err, execute(ctx, admin, "drop database "+name+" with (force)"))
	}
	return err
}
