package migrations_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sluice/migrations"
	"sluice/pipeline/check"
)

// baseline is the number of the last file that makes a family of tables. Later files change what is
// there.
const baseline = 122

var (
	takenAway = map[string]*regexp.Regexp{
		"drops":                   regexp.MustCompile(`^(DROP|TRUNCATE)\b`),
		"renames":                 regexp.MustCompile(`^ALTER .*\bRENAME\b`),
		"moves to another schema": regexp.MustCompile(`^ALTER .*\bSET SCHEMA\b`),
		"drops a part of a table": regexp.MustCompile(`^ALTER TABLE .*\bDROP (COLUMN|DEFAULT|EXPRESSION|IDENTITY|CONSTRAINT|"|[A-Z_]+( CASCADE| RESTRICT)?(,|$))`),
		"changes a type":          regexp.MustCompile(`^ALTER TABLE .*\bALTER (COLUMN )?\S+ (SET DATA )?TYPE\b`),
		"demands values":          regexp.MustCompile(`^ALTER TABLE .*\bSET NOT NULL\b`),
		"demands what a program before it may not keep": regexp.MustCompile(`^(ALTER TABLE .*\bADD (CONSTRAINT|CHECK|UNIQUE|PRIMARY KEY|FOREIGN KEY|EXCLUDE)\b|CREATE UNIQUE INDEX\b)`),
	}
	droppedNull   = regexp.MustCompile(`\bDROP NOT NULL\b`)
	added         = regexp.MustCompile(`\bADD (COLUMN )?(IF NOT EXISTS )?("[^"]*"|\w+) [^,]*\bNOT NULL\b[^,]*`)
	replacedCheck = regexp.MustCompile(`\bDROP CONSTRAINT (IF EXISTS )?(\S+), ADD CONSTRAINT (\S+) CHECK\b`)
	makesTable    = regexp.MustCompile(`^CREATE (?:(?:UNLOGGED )?TABLE|VIEW) (?:IF NOT EXISTS )?(\S+)`)
	changesTable  = regexp.MustCompile(`^(?:ALTER TABLE|DROP TABLE|CREATE UNIQUE INDEX \S+ ON) (\S+)`)
	comment       = regexp.MustCompile(`(?m)^--.*$`)
	body          = regexp.MustCompile(`(?s)\$(\w*)\$.*?\$(\w*)\$`)
	literal       = regexp.MustCompile(`'(?:[^']|'')*'`)
	doBlock       = regexp.MustCompile(`(?s)\bDO \$\$.*?\$\$`)
	hidden        = regexp.MustCompile(`(?i)\b(ALTER TABLE|DROP|RENAME|TRUNCATE)\b`)
	raises        = regexp.MustCompile(`SLUICE\.RAISE_FLOOR\((\d+)(?:, (\d+))?\)`)
)

// statements cuts a file at the semicolons that end lines, outside of the bodies of functions. Each
// comes on one line, in capitals, and with empty literals.
func statements(text string) []string {
	var all []string
	for part := range strings.SplitSeq(body.ReplaceAllString(comment.ReplaceAllString(text, ""), "''"), ";\n") {
		if sql := strings.Join(strings.Fields(literal.ReplaceAllString(part, "''")), " "); sql != "" {
			all = append(all, strings.ToUpper(strings.TrimSuffix(sql, ";")))
		}
	}
	return all
}

// faultsOf says what is wrong with a file: what an expanding file takes away from the program
// before it, and a contract that raises no floor.
func faultsOf(number int, text string) []string {
	var faults []string
	var raised []string
	made := map[string]bool{}
	for _, block := range doBlock.FindAllString(text, -1) {
		if hidden.MatchString(block) {
			faults = append(faults, "takes away: hides in a block what it does to tables: "+block)
		}
	}
	for _, sql := range statements(text) {
		if found := makesTable.FindStringSubmatch(sql); found != nil {
			made[found[1]] = true
		}
		if found := raises.FindStringSubmatch(sql); found != nil {
			raised = append(raised, found[1])
		}
		if of := changesTable.FindStringSubmatch(sql); of == nil || !made[of[1]] {
			faults = append(faults, taken(sql)...)
		}
	}
	switch contract := migrations.Contracts(text); {
	case !contract && len(raised) > 0:
		faults = append(faults, "raises the floor, and is not declared: -- sluice:contract")
	case contract && len(raised) != 1:
		faults = append(faults, "is a contract, and does not raise the floor once: SELECT sluice.raise_floor(…)")
	case contract:
		if floor, err := strconv.Atoi(raised[0]); err != nil || floor > number {
			faults = append(faults, "raises the floor above itself: no program would be left")
		}
		return slices.DeleteFunc(faults, func(f string) bool { return strings.HasPrefix(f, "takes away: ") })
	}
	return faults
}

// taken says what a statement takes away from the program before it.
func taken(sql string) []string {
	var faults []string
	fault := func(what string) { faults = append(faults, fmt.Sprintf("takes away: %s: %.120s", what, sql)) }
	sql = droppedNull.ReplaceAllString(sql, "")
	if found := replacedCheck.FindStringSubmatch(sql); found != nil && found[2] == found[3] {
		sql = replacedCheck.ReplaceAllString(sql, "") // a person has to see that the new check is the wider one
	}
	for what, pattern := range takenAway {
		if pattern.MatchString(sql) {
			fault(what)
		}
	}
	if strings.HasPrefix(sql, "ALTER TABLE") {
		for _, column := range added.FindAllString(sql, -1) {
			if !strings.Contains(column, " DEFAULT ") && !strings.Contains(column, " GENERATED ") {
				fault("demands a value that the program before it does not give")
			}
		}
	}
	return faults
}

// TestMigrationsExpand: the program before a migration works on what it makes, unless the file says
// that it contracts and raises the floor.
func TestMigrationsExpand(t *testing.T) {
	t.Parallel()
	names := check.Sure(fs.Glob(migrations.FS, "*.sql"))(t)
	for _, name := range names {
		number := check.Sure(strconv.Atoi(name[:5]))(t)
		text := check.Sure(fs.ReadFile(migrations.FS, name))(t)
		if floor := fmt.Sprintf("SELECT %d::bigint AS program", baseline); strings.HasSuffix(name, "_migrations.sql") && !strings.Contains(string(text), floor) {
			t.Errorf("%s states no floor that is the last file of the baseline: %s", name, floor)
		}
		if number <= baseline {
			continue
		}
		for _, fault := range faultsOf(number, string(text)) {
			t.Errorf("%s %s", name, fault)
		}
	}
	_, further := synthetic(t)
	for name, text := range further {
		number := check.Sure(strconv.Atoi(name[:5]))(t)
		for _, fault := range faultsOf(number, text) {
			t.Errorf("%s %s", name, fault)
		}
	}
}

func TestFaultsOfMigrations(t *testing.T) {
	t.Parallel()
	const contract = "-- sluice:contract\nSELECT sluice.raise_floor(29);\n"
	for text, want := range map[string]string{
		"ALTER TABLE a.b ADD COLUMN c text;\nCOMMENT ON COLUMN a.b.c IS 'DROP TABLE x.';":       "",
		"ALTER TABLE a.b ADD COLUMN c text NOT NULL DEFAULT 'x', ADD COLUMN d date;":            "",
		"ALTER TABLE a.b ALTER COLUMN c DROP NOT NULL;":                                         "",
		"ALTER TABLE a.b DROP CONSTRAINT k, ADD CONSTRAINT k CHECK (c IN ('x', 'y'));":          "",
		"CREATE TABLE a.b (c text NOT NULL);\nCREATE UNIQUE INDEX i ON a.b (c);":                "",
		"CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN DROP TABLE a.b; END $$;": "",
		"CREATE INDEX i ON a.b (c);":                                   "",
		"DROP TABLE a.b;":                                              "drops",
		"DROP FUNCTION a.b();":                                         "drops",
		"ALTER TABLE a.b DROP COLUMN c;":                               "drops a part",
		"ALTER TABLE a.b DROP c;":                                      "drops a part",
		"ALTER TABLE a.b ALTER c DROP DEFAULT;":                        "drops a part",
		"ALTER TABLE a.b DROP CONSTRAINT k;":                           "drops a part",
		"ALTER TABLE a.b RENAME TO c;":                                 "renames",
		"ALTER VIEW a.v RENAME COLUMN x TO y;":                         "renames",
		"ALTER TABLE a.b ALTER COLUMN c TYPE bigint;":                  "changes a type",
		"ALTER TABLE a.b ALTER c SET NOT NULL;":                        "demands values",
		"ALTER TABLE a.b ADD COLUMN c text NOT NULL;":                  "demands a value",
		"ALTER TABLE a.b ADD CONSTRAINT k CHECK (c > 0);":              "may not keep",
		"CREATE UNIQUE INDEX i ON a.b (c);":                            "may not keep",
		"DO $$ BEGIN EXECUTE 'ALTER TABLE a.b DROP COLUMN c'; END $$;": "hides in a block",
		contract + "ALTER TABLE a.b DROP COLUMN c;":                    "",
		"-- sluice:contract\nALTER TABLE a.b DROP COLUMN c;":           "does not raise",
		"-- sluice:contract\nSELECT sluice.raise_floor(99);":           "above itself",
		"SELECT sluice.raise_floor(29);":                               "is not declared",
	} {
		faults := faultsOf(29, "-- +goose Up\n"+text)
		said := strings.Join(faults, "; ")
		check.ErrorIf(t, (want == "") != (said == "") || !strings.Contains(said, want), "%s\nhas the faults %q, want %q", text, faults, want)
	}
}
