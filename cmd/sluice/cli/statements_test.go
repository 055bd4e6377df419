package cli

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sluice/cmd/sluice-sandbox/demo"
	"sluice/sandbox"
)

// statement is SQL in a text for people, with its place.
type statement struct{ place, sql string }

// verbs are the words that begin a statement; loose matches those that docs may also write in small
// letters.
const verbs = `(SELECT|WITH|INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|GRANT|REVOKE|CREATE|ALTER|DROP|TRUNCATE|COMMENT ON|COPY|` +
	`EXPLAIN|ANALYZE|VACUUM|REINDEX|CLUSTER|REFRESH|SET|RESET|CALL|DO|LISTEN|NOTIFY|LOCK|REASSIGN|BEGIN|COMMIT)`

const loose = `(?i:select|grant|revoke|insert into|delete from|explain)`

var (
	fence      = regexp.MustCompile("(?ms)^[ ]*```([a-z]*)[^\n]*\n(.*?)^[ ]*```[ ]*$")
	span       = regexp.MustCompile("`([^`]+)`")
	whole      = regexp.MustCompile(`(?s)^(?:` + verbs + `|` + loose + `)\s+\S`)
	inLine     = regexp.MustCompile(`(?m)^[+\- #]*((?:` + verbs + `|` + loose + `)\s+\S)`)
	inProse    = regexp.MustCompile(`\b` + verbs + ` [^.;\n]*[a-z_.]+\.[a-z_]+[^;\n]*`)
	commandSQL = regexp.MustCompile(`(?s)(?:-c|--command)[ =]+("(?:[^"\\]|\\.)*"|'[^']*')`)
	aside      = regexp.MustCompile(`--[^\n]*`)
	spaces     = regexp.MustCompile(`\s+`)
)

// statementsIn finds the statements of a Markdown text: whole blocks of SQL, and spans of code that
// begin like a statement. In other blocks and on command lines of psql it takes lines that begin
// like one.
func statementsIn(place, text string) []statement {
	var found []statement
	add := func(sql string) {
		for _, one := range separate(sql) {
			found = append(found, statement{place, one})
		}
	}
	for _, block := range fence.FindAllStringSubmatch(text, -1) {
		if language, code := block[1], block[2]; language == "sql" {
			add(code)
		} else {
			for _, sql := range statementsAmong(code) {
				add(sql)
			}
		}
	}
	prose := fence.ReplaceAllString(text, "")
	for _, code := range span.FindAllStringSubmatch(prose, -1) {
		if whole.MatchString(code[1]) {
			add(code[1])
		}
	}
	for _, sql := range inPlain(span.ReplaceAllString(prose, "``")) {
		add(sql)
	}
	return found
}

// statementsAmong finds statements among other lines: from a line that begins like one to a
// semicolon or an empty line, and the arguments of psql.
func statementsAmong(code string) []string {
	var found []string
	for _, given := range commandSQL.FindAllStringSubmatch(code, -1) {
		if strings.Contains(code, "psql") {
			found = append(found, strings.Trim(given[1], `"'`))
		}
	}
	for _, at := range inLine.FindAllStringSubmatchIndex(code, -1) {
		rest := code[at[2]:]
		if end := strings.Index(rest, "\n\n"); end >= 0 {
			rest = rest[:end]
		}
		if end := closing(rest); end >= 0 {
			rest = rest[:end]
		}
		found = append(found, strings.ReplaceAll(rest, "\n+", "\n"))
	}
	return found
}

// inPlain finds statements in text without markup, such as a comment or a help text. It looks for
// capitals and the name of a table with its schema, up to the end of the sentence or line.
func inPlain(text string) []string {
	var found []string
	for _, sql := range inProse.FindAllString(text, -1) {
		sql, _, _ = strings.Cut(sql, ". ")
		found = append(found, strings.TrimRight(sql, "."))
	}
	return found
}

func closing(sql string) int {
	quoted := false
	for i, c := range sql {
		if c == '\'' {
			quoted = !quoted
		}
		if c == ';' && !quoted {
			return i
		}
	}
	return -1
}

func separate(text string) []string {
	var all []string
	text = aside.ReplaceAllString(text, "")
	for {
		end := closing(text)
		one := text
		if end >= 0 {
			one = text[:end]
		}
		if one = strings.TrimSpace(spaces.ReplaceAllString(one, " ")); one != "" {
			all = append(all, one)
		}
		if end < 0 {
			return all
		}
		text = text[end+1:]
	}
}

// shownStatements are those of the repository: README.md, every page below docs, the example of the
// configuration, the tour, the help texts, and the comments in the database.
func shownStatements(ctx context.Context, t *testing.T, conn *pgx.Conn) []statement {
	t.Helper()
	var found []statement
	dir := os.DirFS(filepath.Join("..", "..", ".."))
	files := []string{"README.md"}
	must(t, fs.WalkDir(dir, "docs", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".md" {
			files = append(files, name)
		}
		return err
	}))
	for _, name := range files {
		text := sure(fs.ReadFile(dir, name))(t)
		found = append(found, statementsIn(name, string(text))...)
	}
	example := sure(fs.ReadFile(dir, "config.example.yaml"))(t)
	plain := func(place, text string) {
		for _, sql := range inPlain(text) {
			for _, one := range separate(sql) {
				found = append(found, statement{place, one})
			}
		}
	}
	plain("config.example.yaml", string(example))
	for _, q := range demo.Questions() {
		for _, one := range separate(q.SQL) {
			found = append(found, statement{"the tour: " + q.Text, one})
		}
	}
	eachCommand(newRoot(Env{}), func(c *cobra.Command) {
		plain("help of "+c.CommandPath(), c.Short+"\n"+c.Long+"\n"+c.Example)
		c.Flags().VisitAll(func(f *pflag.Flag) { plain("flag "+f.Name+" of "+c.CommandPath(), f.Usage) })
	})
	rows := sure(conn.Query(ctx, `SELECT DISTINCT description FROM pg_description WHERE description ~ '[A-Z]{2,} '
		AND objoid >= 16384 ORDER BY description`))(t)
	comments := sure(pgx.CollectRows(rows, pgx.RowTo[string]))(t)
	for _, comment := range comments {
		plain("a comment in the database", comment)
	}
	return found
}

func eachCommand(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, below := range c.Commands() {
		eachCommand(below, visit)
	}
}

// TestStatementsAreFound: a statement that the finder misses is run by no test.
func TestStatementsAreFound(t *testing.T) {
	t.Parallel()
	const text = "Ask `SELECT a\n  FROM b.c` or `GRANT x TO y; SELECT ';' FROM d.e`, in prose SELECT f FROM g.h. Not `UPDATE`, not `_deleted_at`.\n\n" +
		"```sql\n-- one\nSELECT 1; -- two\nselect 2\n```\n\n```text\n== Title\nSELECT 3\nFROM i.j;\n\nTABLE\nrow\n```\n\n" +
		"   ```sh\n   psql \"$URL\" -c 'SELECT 4'\n   ls -c 5\n   ```\n\n```diff\n+CREATE TABLE k (\n+  l int\n+);\n```\n"
	want := []string{
		"SELECT 1", "select 2", "SELECT 3 FROM i.j", "SELECT 4", "CREATE TABLE k ( l int )", "SELECT a FROM b.c", "GRANT x TO y", "SELECT ';' FROM d.e",
		"SELECT f FROM g.h",
	}
	var got []string
	for _, s := range statementsIn("here", text) {
		got = append(got, s.sql)
	}
	errorIf(t, strings.Join(got, "\n") != strings.Join(want, "\n"), "found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
}

// dbtFile is the part of a file of the dbt package that names things.
type dbtFile struct {
	Sources []struct {
		Name   string
		Tables []struct {
			Name    string
			Columns []struct{ Name string }
		}
	}
	Models []struct {
		Name    string
		Columns []struct{ Name string }
	}
	SemanticModels []struct {
		Model      string
		Entities   []struct{ Name, Expr string }
		Dimensions []struct{ Name string }
		Measures   []struct{ Name, Expr string }
	} `yaml:"semantic_models"`
	Metrics []struct {
		Name       string
		TypeParams struct {
			Measure, Numerator, Denominator string
			Metrics                         []string
		} `yaml:"type_params"`
	}
	Exposures []struct {
		DependsOn []string `yaml:"depends_on"`
	}
}

// TestDBTPackage reads the package in deploy/dbt as its tool would name things: every source is a
// table of the database with these columns, and every model, measure and metric that a file names
// is there. The tool itself is not at hand.
func TestDBTPackage(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 1, Records: 10})
	const root = "../../../deploy/dbt"
	var all dbtFile
	models, tests := map[string]string{}, map[string]bool{}
	must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		text := sure(os.ReadFile(path))(t)
		switch {
		case strings.Contains(path, "/tests/generic/") && strings.HasSuffix(path, ".sql"):
			tests[name] = strings.Contains(string(text), "{% test "+name+"(")
		case strings.HasSuffix(path, ".sql"):
			models[name] = string(text)
		case strings.HasSuffix(path, ".yml") && strings.Contains(path, "/models/"):
			var file dbtFile
			err := yaml.Unmarshal(text, &file)
			errorIf(t, err != nil, "%s: %v", path, err)
			all.Sources = append(all.Sources, file.Sources...)
			all.Models = append(all.Models, file.Models...)
			all.SemanticModels = append(all.SemanticModels, file.SemanticModels...)
			all.Metrics = append(all.Metrics, file.Metrics...)
			all.Exposures = append(all.Exposures, file.Exposures...)
			for _, used := range regexp.MustCompile(`- (\w+): \{arguments`).FindAllStringSubmatch(string(text), -1) {
				errorIf(t, !tests[used[1]] && !fileExists(filepath.Join(root, "tests", "generic", used[1]+".sql")),
					"%s: the test %s is not defined", path, used[1])
			}
		}
		return nil
	}))
	sources := s.dbtSources(&all)
	for name, text := range models {
		from := regexp.MustCompile(`source\('(\w+)', '(\w+)'\)`).FindStringSubmatch(text)
		errorIf(t, from == nil || !sources[from[1]+"."+from[2]], "model %s selects from no source: %s", name, text)
	}
	s.dbtNames(&all, models)
}

func fileExists(path string) bool { _, err := os.Stat(path); return err == nil }

func (s *fixture) dbtSources(all *dbtFile) map[string]bool {
	s.t.Helper()
	found := map[string]bool{}
	for _, source := range all.Sources {
		for _, table := range source.Tables {
			full := source.Name + "." + table.Name
			found[full] = true
			columns := make([]string, 0, len(table.Columns))
			for _, column := range table.Columns {
				columns = append(columns, column.Name)
			}
			differs := one[[]string](s, `
				SELECT array(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
					EXCEPT SELECT unnest($2::text[])) ||
				array(SELECT 'only in the source: ' || unnest($2::text[]) EXCEPT
					SELECT 'only in the source: ' || a.attname FROM pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attnum > 0)`,
				full, columns)
			errorIf(s.t, len(differs) > 0, "source %s: %v", full, differs)
		}
	}
	missing := one[[]string](s, `SELECT coalesce(array_agg(n.nspname || '.' || c.relname), '{}') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = 'analytics' AND c.relkind = 'v' AND NOT n.nspname || '.' || c.relname = ANY ($1)`, slices.Collect(maps.Keys(found)))
	errorIf(s.t, len(missing) > 0, "no source has the views %v", missing)
	return found
}

func (s *fixture) dbtNames(all *dbtFile, models map[string]string) {
	s.t.Helper()
	refers := func(where, text string) string {
		name := strings.TrimSuffix(strings.TrimPrefix(text, "ref('"), "')")
		errorIf(s.t, models[name] == "", "%s: there is no model %s", where, text)
		return name
	}
	known := map[string]bool{}
	for _, model := range all.SemanticModels {
		view := refers("a semantic model", model.Model)
		for _, measure := range model.Measures {
			known["measure "+measure.Name] = true
			s.exec(`SELECT ` + cmp.Or(measure.Expr, measure.Name) + ` FROM analytics.` + view + ` LIMIT 0`)
		}
		for _, entity := range model.Entities {
			s.exec(`SELECT ` + cmp.Or(entity.Expr, entity.Name) + ` FROM analytics.` + view + ` LIMIT 0`)
		}
		for _, dimension := range model.Dimensions {
			s.exec(`SELECT ` + dimension.Name + ` FROM analytics.` + view + ` LIMIT 0`)
		}
	}
	for _, metric := range all.Metrics {
		known["metric "+metric.Name] = true
	}
	for _, metric := range all.Metrics {
		names := append([]string{}, metric.TypeParams.Metrics...)
		for _, name := range []string{metric.TypeParams.Numerator, metric.TypeParams.Denominator} {
			if name != "" {
				names = append(names, name)
			}
		}
		for _, name := range names {
			errorIf(s.t, !known["metric "+name], "metric %s: there is no metric %s", metric.Name, name)
		}
		measure := metric.TypeParams.Measure
		errorIf(s.t, len(names) == 0 && !known["measure "+measure], "metric %s: there is no measure %q", metric.Name, measure)
	}
	for _, model := range all.Models {
		refers("a description", "ref('"+model.Name+"')")
	}
	for _, exposure := range all.Exposures {
		for _, on := range exposure.DependsOn {
			refers("an exposure", on)
		}
	}
	errorIf(s.t, len(all.Metrics) < 5 || len(all.Exposures) != 1 || len(all.Sources) < 6,
		"%d metrics, %d exposures, %d sources", len(all.Metrics), len(all.Exposures), len(all.Sources))
}
