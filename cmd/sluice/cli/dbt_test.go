package cli

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"sluice/sandbox"
)

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
			if err := yaml.Unmarshal(text, &file); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			all.Sources = append(all.Sources, file.Sources...)
			all.Models = append(all.Models, file.Models...)
			all.SemanticModels = append(all.SemanticModels, file.SemanticModels...)
			all.Metrics = append(all.Metrics, file.Metrics...)
			all.Exposures = append(all.Exposures, file.Exposures...)
			for _, used := range regexp.MustCompile(`- (\w+): \{arguments`).FindAllStringSubmatch(string(text), -1) {
				if !tests[used[1]] && !fileExists(filepath.Join(root, "tests", "generic", used[1]+".sql")) {
					t.Errorf("%s: the test %s is not defined", path, used[1])
				}
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
			if differs := one[[]string](s, `
				SELECT array(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
					EXCEPT SELECT unnest($2::text[])) ||
				array(SELECT 'only in the source: ' || unnest($2::text[]) EXCEPT
					SELECT 'only in the source: ' || a.attname FROM pg_attribute a WHERE a.attrelid = to_regclass($1) AND a.attnum > 0)`,
				full, columns); len(differs) > 0 {
				s.t.Errorf("source %s: %v", full, differs)
			}
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
		if measure := metric.TypeParams.Measure; len(names) == 0 && !known["measure "+measure] {
			s.t.Errorf("metric %s: there is no measure %q", metric.Name, measure)
		}
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
