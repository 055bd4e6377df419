package rules_test

import (
	"strings"
	"testing"

	"sluice/pipeline/check"
)

// TestProductLinksNoSandbox follows the imports of cmd/sluice: neither the simulated upstream nor a
// private Postgres is part of the product.
func TestProductLinksNoSandbox(t *testing.T) {
	t.Parallel()
	imports := make(map[string][]string) // of each folder, without tests
	walk(t, func(name string, text []byte) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return
		}
		s, err := parse(name, text)
		if err != nil {
			t.Error(err)
			return
		}
		for _, imported := range s.imports {
			if inner := ours(imported); inner != "" {
				imports[s.folder] = append(imports[s.folder], inner)
			}
		}
	})
	// way leads from cmd/sluice to each linked folder.
	way := map[string]string{"cmd/sluice": "cmd/sluice"}
	for todo := []string{"cmd/sluice"}; len(todo) > 0; todo = todo[1:] {
		for _, next := range imports[todo[0]] {
			if way[next] == "" {
				way[next] = way[todo[0]] + " imports " + next
				todo = append(todo, next)
			}
		}
	}
	check.FatalIf(t, way["pipeline/engine"] == "", "the imports lead to %d folders and not to the engine: the walk is wrong", len(way))
	for folder, path := range way {
		check.ErrorIf(t, under(folder, "sandbox") || under(folder, sandboxProgram), "the product links %s: %s", folder, path)
	}
}
