package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
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
	ours := map[string]bool{"search_path": true}
	for name, value := range settings {
		ours[name] = wanted[name] == value
	}
	config.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error { return setUp(ctx, conn, wanted, ours) }
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
	names := slices.Sorted(maps.Keys(wanted))
	var read []string
	for _, name := range names {
		read = append(read, fmt.Sprintf("pg_catalog.current_setting(%s)", literal(name)))
	}
	got, err := row(ctx, conn, read)
	if err != nil {
		return fmt.Errorf("reading the settings of the session: %w", err)
	}
	for i, name := range names {
		if !same(wanted[name], got[i]) {
			return fmt.Errorf("the session's setting %s is %q behind the pooler in database.url, want %q: "+
				"let its connect_query set it (docs/operations/poolers-and-failover.md), or write the address in database.session_url into database.url",
				name, got[i], wanted[name])
		}
	}
	return nil
}

// setUp uses the simple protocol, since a pooler may be in between. Every name is qualified, as the
// search path is not ours yet. The server may return the address's values in another form (65536 as
// 64MB, ISO as "ISO, MDY", ü as ??). So they are compared with what the server returned when it set
// them. For our own settings the forms are known.
func setUp(ctx context.Context, conn *pgconn.PgConn, wanted map[string]string, ours map[string]bool) error {
	names := slices.Sorted(maps.Keys(wanted))
	var set, read []string
	for _, name := range names {
		set = append(set, fmt.Sprintf("pg_catalog.set_config(%s, %s, false)", literal(name), literal(wanted[name])))
		read = append(read, fmt.Sprintf("pg_catalog.current_setting(%s)", literal(name)))
	}
	said, err := row(ctx, conn, set)
	if err != nil {
		return fmt.Errorf("setting the session up (%s): %w", strings.Join(names, ", "), err)
	}
	got, err := row(ctx, conn, read)
	if err != nil {
		return fmt.Errorf("reading the settings of the session: %w", err)
	}
	for i, name := range names {
		if got[i] != said[i] || ours[name] && !same(wanted[name], got[i]) {
			return fmt.Errorf("the session's setting %s is %q after it was set to %q: something between here and the database drops settings; "+
				"name the database itself, or a pooler in session mode, in database.url or in database.session_url beside it", name, got[i], wanted[name])
		}
	}
	return nil
}

var errNoRow = errors.New("the answer is not one row with a value for each setting")

// row evaluates all expressions in one statement.
func row(ctx context.Context, conn *pgconn.PgConn, expressions []string) ([]string, error) {
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

// same reports whether two texts mean one value: the server returns 5min where 300000 was set.
func same(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	x, xOK := amount(a)
	y, yOK := amount(b)
	if xOK && yOK {
		return x == y
	}
	x, xOK = truth(a)
	y, yOK = truth(b)
	return xOK && yOK && x == y
}

// amount reads a duration in milliseconds, which is also the unit of a bare number.
func amount(text string) (float64, bool) {
	units := map[string]float64{"": 1, "us": 0.001, "ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
	text = strings.TrimSpace(text)
	digits := strings.TrimRight(text, "usminhd ")
	unit, known := units[strings.TrimSpace(text[len(digits):])]
	n, err := strconv.ParseFloat(digits, 64)
	return n * unit, known && err == nil
}

// truth reads a boolean in the forms that Postgres accepts: 1 for true, 0 for false.
func truth(text string) (float64, bool) {
	switch strings.ToLower(text) {
	case "on", "true", "yes", "1":
		return 1, true
	case "off", "false", "no", "0":
		return 0, true
	default:
		return 0, false
	}
}
