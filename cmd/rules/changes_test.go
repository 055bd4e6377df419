package rules_test

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/pipeline/check"
)

// rowWriter is a package that has statements that write tables of organizations.
type rowWriter struct {
	// statements is how many it has.
	statements int
	// logs is the package that logs what they change. It is empty if they change no record, and why
	// says then what they write.
	logs, why string
}

// rowWriters names all packages that write rows of organizations. Followers of changes miss what
// such a statement writes if nothing logs it.
func rowWriters() map[string]rowWriter {
	const warehouse = "pipeline/warehouse"
	return map[string]rowWriter{
		warehouse + "/rows/statements": {statements: 7, logs: warehouse + "/rows"},
		warehouse + "/rows":            {statements: 1, logs: warehouse + "/rows"},
		warehouse + "/leftout":         {statements: 1, logs: warehouse + "/leftout"},
		warehouse + "/rebuilds":        {statements: 1, logs: warehouse + "/rebuilds"},
		warehouse + "/tombstones":      {statements: 4, logs: warehouse + "/tombstones"},
		warehouse + "/streams/details": {statements: 1, why: "a single record that cannot be read: a state of reading"},
		warehouse + "/postgres":        {statements: 1, why: "it sends the statement of its caller"},
		warehouse + "/erasures":        {statements: 1, logs: warehouse + "/erasures"},
	}
}

var (
	// rowWriting finds statements that write a table whose name they are given, or a table of a
	// service by its name.
	rowWriting = regexp.MustCompile("(?i)\\b(?:INSERT\\s+INTO|UPDATE|DELETE\\s+FROM|COPY|MERGE\\s+INTO|TRUNCATE(?:\\s+TABLE)?)\\s+(?:ONLY\\s+)?" +
		"(?:%|[\"`]\\s*\\+|(?:accounting|inventory|chat|invoicing|billing|custom)\\.\\w)|\\.CopyFrom\\(")
	logging = regexp.MustCompile(`\bchanges\.(?:Write|Append|Note)\(`)
)

// TestWritersOfRowsLogChanges: a package that writes rows of organizations logs what it changes. It
// finds a new statement; that a known one logs the right records is for TestTheLogSaysWhatChanged.
func TestWritersOfRowsLogChanges(t *testing.T) {
	t.Parallel()
	statements, logs := map[string]int{}, map[string]bool{}
	walk(t, func(name string, text []byte) {
		folder := filepath.Dir(name)
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || !under(folder, "pipeline") && !under(folder, "cmd/sluice") ||
			slices.ContainsFunc(tools(), func(tool string) bool { return under(folder, tool) }) {
			return
		}
		if found := len(rowWriting.FindAll(text, -1)); found > 0 {
			statements[folder] += found
		}
		logs[folder] = logs[folder] || logging.Match(text)
	})
	for _, folder := range slices.Sorted(maps.Keys(statements)) {
		writer, known := rowWriters()[folder]
		switch {
		case !known:
			t.Errorf("%s writes rows of organizations: log what it changes (changes.Write), and list it here", folder)
		case writer.statements != statements[folder]:
			t.Errorf("%s has %d statements that write rows of organizations, and had %d: log what they change (changes.Write), then correct the number",
				folder, statements[folder], writer.statements)
		case writer.logs != "" && !logs[writer.logs]:
			t.Errorf("%s writes rows of organizations, and %s does not log it (changes.Write)", folder, writer.logs)
		case writer.logs == "" && writer.why == "":
			t.Errorf("%s writes rows of organizations: say who logs it, or why it is no change", folder)
		}
	}
	for folder := range rowWriters() {
		check.ErrorIf(t, statements[folder] == 0, "%s writes no rows any more", folder)
	}
}

// TestRowWritersAreFound: the statements are found in the ways in which they are written.
func TestRowWritersAreFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"const q = `\nUPDATE %[1]s AS t SET x = 1`": true, "q := `DELETE FROM ` + table": true, `q := "COPY " + table`: true,
		"q := fmt.Sprintf(`INSERT INTO\n\t%s (a)`, t)": true, "const q = `UPDATE inventory.bills SET x = 1`": true, "tx.CopyFrom(ctx, name, columns, rows)": true,
		"const q = `SELECT FROM %s FOR UPDATE`": false, "const q = `UPDATE sluice.runs SET x = 1`": false, "const q = `INSERT INTO notifications.events VALUES (1)`": false,
	} {
		got := rowWriting.MatchString(text)
		check.ErrorIf(t, got != want, "%s: found %t, want %t", text, got, want)
	}
}
