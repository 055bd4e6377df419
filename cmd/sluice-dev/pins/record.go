package pins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// schema writes the schema as pg_dump prints it.
func (s *scenario) schema(ctx context.Context) error {
	program, err := exec.LookPath("pg_dump")
	if err != nil {
		found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump")
		if len(found) == 0 {
			return errors.New("there is no pg_dump: install Postgres' client programs")
		}
		program = found[len(found)-1]
	}
	args := []string{"--schema-only", "--no-owner", "--exclude-schema=river", s.database}
	dump, err := exec.CommandContext(ctx, program, args...).Output() //nolint:gosec // of the machine
	if err != nil {
		return fmt.Errorf("pg_dump: %w", err)
	}
	var kept [][]byte
	for line := range bytes.Lines(dump) {
		if !bytes.HasPrefix(line, []byte("--")) && !bytes.HasPrefix(line, []byte(`\`)) {
			kept = append(kept, line)
		}
	}
	return s.write("schema.sql", bytes.Join(kept, nil))
}

// columnsOf gives the columns of each table. Of those that differ between two runs it gives whether
// they are null: times, digests, and numbers of runs, calls and transactions.
const columnsOf = `
SELECT format('%I.%I', table_schema, table_name),
	string_agg(CASE WHEN data_type IN ('timestamp with time zone', 'interval', 'bytea', 'xid8')
			OR column_name IN ('timeline', 'token_key', 'property_value')
			OR data_type IN ('bigint', 'integer') AND column_name ~ '(^|_)(id|ids|call|run|job|xid|position|bytes|ms|us|pid|size|number|seen|hash)$'
		THEN format('CASE WHEN %I IS NULL THEN ''null'' ELSE ''some'' END AS %I', column_name, column_name)
		ELSE format('%I', column_name) END, ', ' ORDER BY column_name)
FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema', 'river')
	AND table_name !~ '^(calls|calls_\d+|live_calls|spent|day_budgets)$' -- calls.txt has them, without the minute
GROUP BY 1 ORDER BY 1`

// rows writes the rows of each table, and the call log by what was asked for.
func (s *scenario) rows(ctx context.Context) error {
	found, err := s.conn.Query(ctx, columnsOf)
	if err != nil {
		return err
	}
	tables, err := pgx.CollectRows(found, pgx.RowToStructByPos[struct{ Name, Columns string }])
	if err != nil {
		return err
	}
	for _, table := range tables {
		rows := "SELECT to_jsonb(r)::text FROM (SELECT " + table.Columns + " FROM " + table.Name + ") AS r"
		if err := s.answer(ctx, "rows/"+table.Name+".txt", rows); err != nil {
			return fmt.Errorf("%s: %w", table.Name, err)
		}
	}
	return s.answer(ctx, "calls.txt", `SELECT concat_ws(' ', count(*), service, resource, class, method, what, page, status, kind)
		FROM sluice.calls, LATERAL (SELECT CASE class WHEN 'probe' THEN regexp_replace(path, '\d{9,}', 'ID') ELSE path END AS what) AS w
		GROUP BY service, resource, class, method, what, page, status, kind`)
}

// answer writes the lines that a statement gives, sorted after they were masked.
func (s *scenario) answer(ctx context.Context, file, sql string) error {
	found, err := s.conn.Query(ctx, sql)
	if err != nil {
		return err
	}
	lines, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for i := range lines {
		lines[i] = string(mask([]byte(lines[i])))
	}
	slices.Sort(lines)
	return s.write(file, []byte(strings.Join(append(lines, ""), "\n")))
}

// commands writes the JSON of each command that shows something, and the texts of all helps.
func (s *scenario) commands(ctx context.Context) error {
	bill, err := s.text(ctx, `SELECT min(bill_id) FROM inventory.bills WHERE _deleted_at IS NULL`)
	if err != nil {
		return err
	}
	for _, line := range []string{
		"backfill list", "backfill show 1", "budget", "check --offline", "close --list",
		"config", "dictionary", "drift", "drift inventory.items", "erase --list", "events",
		"explain inventory.bills " + bill, "export --list", "find " + bill, "health", "keys", "metrics", "migrate --plan",
		"notifications", "notifications inbox", "organizations", "plan", "quarantine", "quarantine list", "quarantine causes",
		"readers", "redact", "resources", "resources catalogue", "runs", "runs --actions",
		"status", "status --why", "tombstones", "tombstones list", "verify --local",
		"verify list", "verify show",
	} {
		o := s.command(ctx, append(strings.Fields(line), "--json")...)
		text := append(fmt.Appendf(nil, "exit code %d\n%s", o.code, o.stderr), indented(o.stdout)...)
		if err := s.write("commands/"+strings.ReplaceAll(strings.ReplaceAll(line, bill, "BILL"), " ", "_")+".txt", text); err != nil {
			return err
		}
	}
	var helps bytes.Buffer
	for _, c := range allCommands() { //nolint:contextcheck // it runs none of them
		o := s.command(ctx, append(c, "--help")...)
		fmt.Fprintf(&helps, "\n$ sluice %s --help\n%s", strings.Join(c, " "), o.stdout)
	}
	return s.write("help.txt", helps.Bytes())
}
