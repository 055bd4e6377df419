package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/connectors"
	"sluice/sandbox"
)

// empty says why columns of the demo are empty, by name ("_extra") for columns of many tables, or
// by table and name. Every line has to be true: a column that is filled after all fails the test,
// like an empty one without a reason.
func empty() map[string]string {
	return map[string]string{
		"_extra":               "holds keys that no declaration knows: the sandbox sends none unless told to",
		"_deleted_at":          "nothing is deleted in the demo",
		"_detail_hash":         "the lists of the demo carry everything, so no single record is read",
		"_detail_call_id":      "as _detail_hash",
		"_detail_raw_position": "as _detail_hash",
		"_detail_at":           "as _detail_hash",

		"inventory.bills.total": "live services alone send it, and the sandbox plays the document (docs/upstream.md U319)",

		"chat.conversations._payload_hash":         "lines of an export have none",
		"chat.network_conversations._payload_hash": "lines of an export have none",
	}
}

// detailed are the tables whose lists show headers in the demo, too (docs/upstream.md U182: only
// the single record has accounts).
func detailed() map[string]bool { return map[string]bool{"accounting.base_currency_adjustments": true} }

// demoCalls is how many calls the first sync of the demo may make.
const demoCalls = 90

// TestDemoFillsEveryColumn syncs like the demo, and looks for tables without rows and columns
// without a value.
func TestDemoFillsEveryColumn(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{
		Seed: 1, Records: 5000, Limits: sandbox.Limits{Off: true}, Networks: demoNetworks(), CustomModules: demoModules(), Demo: true,
	})
	running := runningSandbox{
		URL: s.upstream.URL, Organization: sandbox.DefaultOrganizationID, ClientID: sandbox.ClientID,
		Networks: demoNetworks(), Modules: demoModules(),
	}
	must(t, os.WriteFile(s.config, []byte("database:\n  url: ${SLUICE_DATABASE_URL}\n"+running.config(plan)+demoResources), 0o600))
	s.sync(codeFine)
	if calls := s.calls(); calls > demoCalls {
		t.Errorf("the first sync of the demo costs %d calls: with the second one it has to stay below the 100 of one minute", calls)
	}

	used := make(map[string]bool)
	for _, table := range tablesOf(connectors.All()) {
		s.filled(table, used)
	}
	for name := range empty() {
		if !used[name] {
			t.Errorf("%s is said to be empty, but no empty column needs it: remove the line", name)
		}
	}
}

// filled reports the empty columns of a table, and columns that have values although empty says
// otherwise.
func (s *fixture) filled(table string, used map[string]bool) {
	s.t.Helper()
	schemaName, name, _ := strings.Cut(table, ".")
	rows, err := s.conn.Query(s.t.Context(), `SELECT column_name FROM information_schema.columns
		WHERE (table_schema, table_name) = ($1, $2) ORDER BY ordinal_position`, schemaName, name)
	must(s.t, err)
	columns, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(s.t, err)
	counts := make([]string, 0, len(columns))
	for _, column := range columns {
		counts = append(counts, "count("+pgx.Identifier{column}.Sanitize()+")")
	}
	if len(counts) == 0 || one[int](s, `SELECT count(*) FROM `+table) == 0 {
		s.t.Errorf("%s is not there or has no row", table)
		return
	}
	values := one[[]int64](s, fmt.Sprintf("SELECT ARRAY[%s] FROM %s", strings.Join(counts, ", "), table))
	for i, column := range columns {
		at := column
		if _, named := empty()[at]; !named || detailed()[table] && strings.HasPrefix(at, "_detail") {
			at = table + "." + column
		}
		_, named := empty()[at]
		switch {
		case values[i] == 0 && named:
			used[at] = true
		case values[i] == 0:
			s.t.Errorf("%s.%s holds nothing in any row", table, column)
		case named:
			s.t.Errorf("%s.%s holds something in %d rows, but is said to be empty: remove the line", table, column, values[i])
		}
	}
}
