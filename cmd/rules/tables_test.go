package rules_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/pipeline/check"
)

// migrated stands for tables whose rows the migrations write, and no package.
const migrated = "migrations"

// writers names, for each table of schema sluice, the one package that writes it, its folders below
// not included: what a table means, and in which order its rows are locked, is then known in one
// place.
//
// A function of the database writes on behalf of the package that calls it: reserve_call,
// finish_call and prune_calls write calls, live_calls, budgets, day_budgets, spent, external_spent
// for calls, and reserve_call last_timeline; prune_runs deletes runs for streams, and with them verifications and
// processes that are as old; take_callback writes callbacks and hints for hints; prune_actions
// deletes actions for actions; prune_changes and renew_changes write changes and change_log for
// changes; prune_raw deletes raw_records and notes it in raw_looks; prune_quarantine deletes from
// quarantine for quarantine, and prune_gone rows of organizations for tombstones, which it notes in
// tombstones and changes; take_turn, inside the keep functions, and prune_quarantine write
// housekeeping.
func writers() map[string]string {
	const (
		warehouse = "pipeline/warehouse"
		streams   = warehouse + "/streams"
		calls     = warehouse + "/calls"
		verified  = warehouse + "/verifications"
	)
	return map[string]string{
		"streams": streams, "runs": streams, "housekeeping": streams,
		"backfills": streams + "/backfills", "parents": streams + "/details",
		"calls": calls, "live_calls": calls, "last_timeline": calls, "budgets": calls, "day_budgets": calls, "spent": calls, "external_spent": calls, "tokens": calls,
		"quarantine": warehouse + "/quarantine", "drift": warehouse + "/quarantine", "keys": warehouse + "/quarantine",
		"tombstones": warehouse + "/tombstones", "sightings": warehouse + "/tombstones",
		"capabilities": warehouse + "/capabilities", "lateness": warehouse + "/capabilities",
		"callbacks": warehouse + "/hints", "hints": warehouse + "/hints", "channels": warehouse + "/channels", "channel_gaps": warehouse + "/channels",
		"raw_records": warehouse + "/rows", "raw_looks": warehouse,
		"left_out":      warehouse + "/leftout",
		"organizations": warehouse, "rebuilds": warehouse + "/rebuilds",
		"erasures": erasing, "erasure_salt": migrated, "erased_records": erasing,
		"imports":  warehouse + "/imports",
		"closings": warehouse + "/closings", "closing_sums": warehouse + "/closings", "closed_records": warehouse + "/closings", "after_close_notices": warehouse + "/closings",
		"changes": warehouse + "/changes", "change_log": warehouse + "/changes",
		"actions": warehouse + "/actions", "console_address": warehouse + "/actions", "event_receivers": warehouse + "/receivers",
		"processes":     "pipeline/jobs",
		"verifications": verified, "verified_streams": verified, "findings": verified,
		"views": migrated, "columns": migrated, "reader_key": migrated,
	}
}

// erasing is the package that takes records out of the tables of all others: erasing is one act,
// and a table that it forgets keeps a person.
const erasing = "pipeline/warehouse/erasures"

// writing finds statements that write a table of schema sluice, and names of such tables by
// themselves, out of which statements are made.
var writing = regexp.MustCompile(`(?i)\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|COPY|MERGE\s+INTO|TRUNCATE(?:\s+TABLE)?)\s+(?:ONLY\s+)?sluice\.(\w+)` +
	`|"sluice\.(\w+)"|Identifier\{"sluice",\s*"(\w+)"\}`)

// foreign gives the tables that a Go source writes and that are another package's, each with its
// line.
func foreign(name, text string) []string {
	folder, _, _ := strings.Cut(name, "/"+filepath.Base(name))
	if strings.HasSuffix(name, "_test.go") || folder == migrated || slices.ContainsFunc(tools(), func(tool string) bool { return under(folder, tool) }) {
		return nil // they play the operator, a fault or time
	}
	var found []string
	for _, at := range writing.FindAllStringSubmatchIndex(text, -1) {
		for group := 2; group < len(at); group += 2 {
			if at[group] < 0 {
				continue
			}
			table := text[at[group]:at[group+1]]
			if writer := writers()[table]; writer != folder && folder != erasing {
				found = append(found, fmt.Sprintf("%s:%d: writes sluice.%s, which only %q writes", name, 1+strings.Count(text[:at[group]], "\n"), table, writer))
			}
		}
	}
	return found
}

// TestOneWriterPerTable: every control table has one package that writes it.
func TestOneWriterPerTable(t *testing.T) {
	t.Parallel()
	walk(t, func(name string, text []byte) {
		if !strings.HasSuffix(name, ".go") {
			return
		}
		for _, broken := range foreign(name, string(text)) {
			t.Error(broken)
		}
	})
	for text, want := range map[string]int{
		"const q = `UPDATE sluice.streams SET x = 1`": 1, "const q = `\nINSERT INTO\n\tsluice.runs AS r`": 1, `var t = pgx.Identifier{"sluice", "tokens"}`: 1,
		"const q = `delete from sluice.nothing`": 1, "const q = `SELECT FROM sluice.streams FOR UPDATE`": 0, "const q = `UPDATE sluice.organizations SET x = 1`": 0,
	} {
		found := foreign("pipeline/warehouse/a.go", text)
		check.ErrorIf(t, len(found) != want, "%s: found %q, want %d", text, found, want)
	}
}

// TestEveryTableHasAWriter holds the list of writers against the tables that the migrations make.
func TestEveryTableHasAWriter(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(root(t), "migrations", "*.sql"))
	check.FatalIf(t, err != nil || len(files) == 0, "found %d migrations, error %v", len(files), err)
	made := regexp.MustCompile(`(?i)\bCREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?sluice\.([a-z_]+)\b`) // a partition, calls_0, is its table's
	tables := map[string]bool{}
	for _, file := range files {
		text := check.Sure(os.ReadFile(file))(t)
		for _, match := range made.FindAllStringSubmatch(string(text), -1) {
			tables[match[1]] = true
		}
	}
	have, want := slices.Sorted(maps.Keys(writers())), slices.Sorted(maps.Keys(tables))
	check.ErrorIf(t, !slices.Equal(have, want), "writers are listed of %v, the migrations make %v", have, want)
}
