package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// searchPath is where a session looks for names that have no schema. Any other schema may belong to
// another role. Its functions and operators may match a call better than those of Postgres, and
// would be executed with our rights (CVE-2018-1058).
const searchPath = "pg_catalog, pg_temp"

// Parameters that stay in the start-up message: they are no settings of a session, or every pooler
// accepts them.
var startUp = []string{"application_name", "client_encoding", "options", "replication"} //nolint:gochecknoglobals // a constant

// KeepStartUp removes from the start-up message all parameters that a pooler could refuse.
func KeepStartUp(config *pgx.ConnConfig) {
	maps.DeleteFunc(config.RuntimeParams, func(name, _ string) bool { return !slices.Contains(startUp, name) })
}

// SetUp makes every connection of config, or of a copy of it, set its session up first: the search
// path, the settings in the address, and the given settings that the address does not have. They
// are set after connecting and read back, since a pooler may refuse or drop parameters of the
// start-up message. If a session does not have a setting as it was set, connecting fails with an
// error that names the setting.
func SetUp(config *pgx.ConnConfig, settings map[string]string) {
	wanted := maps.Clone(settings)
	if wanted == nil {
		wanted = map[string]string{}
	}
	for name, value := range config.RuntimeParams {
		if name == "application_name" || !slices.Contains(startUp, name) {
			wanted[name] = value
		}
	}
	KeepStartUp(config)
	if name := wanted["application_name"]; name != "" {
		config.RuntimeParams["application_name"] = name // so that it has its name while it logs in
	}
	wanted["search_path"] = searchPath
	config.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error { return setUp(ctx, conn, wanted) }
}

// Pooled is SetUp for connections through a pooler that shares sessions. What one sets there,
// others get; so the pooler has to set up each session that it opens, with the settings in the
// address, too. Here they are only read. No statement is prepared.
func Pooled(config *pgx.ConnConfig, settings map[string]string) {
	wanted := maps.Clone(settings)
	for name, value := range config.RuntimeParams {
		if !slices.Contains(startUp, name) {
			wanted[name] = value
		}
	}
	KeepStartUp(config)
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = settings["application_name"] // every pooler passes it on
	}
	delete(wanted, "application_name")
	wanted["search_path"] = searchPath
	config.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	config.StatementCacheCapacity = 0
	config.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error { return lookUp(ctx, conn, wanted) }
}

// lookUp reads the settings of a session that the pooler has set up.
func lookUp(ctx context.Context, conn *pgconn.PgConn, wanted map[string]string) error {
	name, got, err := differing(ctx, conn, wanted)
	if err == nil && name != "" {
		err = fmt.Errorf("the session's setting %s is %q behind the pooler in database.url, want %q: "+
			"let its connect_query set it (docs/operations/poolers-and-failover.md), or write the address in database.session_url into database.url",
			name, got, wanted[name])
	}
	return err
}

// setUp uses the simple protocol, since a pooler may be in between. Every name is qualified, as the
// search path is not ours yet.
func setUp(ctx context.Context, conn *pgconn.PgConn, wanted map[string]string) error {
	names := slices.Sorted(maps.Keys(wanted))
	if _, err := row(ctx, conn, names, func(name string) string { return set(name, wanted[name], false) }); err != nil {
		return fmt.Errorf("setting the session up (%s): %w", strings.Join(names, ", "), err)
	}
	name, got, err := differing(ctx, conn, wanted)
	if err == nil && name != "" {
		err = fmt.Errorf("the session's setting %s is %q after it was set to %q: something between here and the database drops settings; "+
			"name the database itself, or a pooler in session mode, in database.url or in database.session_url beside it", name, got, wanted[name])
	}
	return err
}

// set is the expression that sets a setting of the session, or of the statement alone.
func set(name, value string, local bool) string {
	return fmt.Sprintf("pg_catalog.set_config(%s, %s, %t)", literal(name), literal(value), local)
}

// differing returns the first setting that the session has otherwise than wanted, and its value; ""
// if there is none. The server returns values in other forms than they are set in (65536 as 64MB,
// ISO as "ISO, MDY", ü as ??): so it is asked for the form of each, by setting it for one statement.
func differing(ctx context.Context, conn *pgconn.PgConn, wanted map[string]string) (string, string, error) {
	names := slices.Sorted(maps.Keys(wanted))
	got, err := row(ctx, conn, names, func(name string) string { return "pg_catalog.current_setting(" + literal(name) + ")" })
	var forms []string
	if err == nil {
		forms, err = row(ctx, conn, names, func(name string) string { return set(name, wanted[name], true) })
	}
	if err != nil {
		return "", "", fmt.Errorf("reading the settings of the session: %w", err)
	}
	for i, name := range names {
		if got[i] != forms[i] {
			return name, got[i], nil
		}
	}
	return "", "", nil
}

var errNoRow = errors.New("the answer is not one row with a value for each setting")

// row evaluates an expression for each name, in one statement.
func row(ctx context.Context, conn *pgconn.PgConn, names []string, expression func(name string) string) ([]string, error) {
	expressions := make([]string, len(names))
	for i, name := range names {
		expressions[i] = expression(name)
	}
	results, err := conn.Exec(ctx, "SELECT "+strings.Join(expressions, ", ")).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0]) != len(expressions) {
		return nil, errNoRow
	}
	values := make([]string, len(expressions))
	for i, value := range results[0].Rows[0] {
		values[i] = string(value)
	}
	return values, nil
}

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
