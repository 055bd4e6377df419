package rules_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// oldNames matches exported names that were given up, with the name in the glossary that took their
// place. Keep that deletes is Prune, and Keep that stores is Store.
func oldNames() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"Batch":                        regexp.MustCompile(`^Units?$`),
		"Request":                      regexp.MustCompile(`^(Ask|Asked)$`),
		"RejectedRecord":               regexp.MustCompile(`Misfit|Unfit|ValueError`),
		"Watermark":                    regexp.MustCompile(`^Marks?(Ahead|Before|After)?$`),
		"PayloadHash":                  regexp.MustCompile(`Fingerprint`),
		"Prune, Store or Enable":       regexp.MustCompile(`^Keep(Raw|Runs|Calls|Versions|History|Forecast|Plans|Verdicts)$`),
		"ReadsByKeyset or FallsBack":   regexp.MustCompile(`^(Anchored|Demoted)$`),
		"Suspected, Deleted, Restored": regexp.MustCompile(`^(Missed|Gone|Revived|Revivals)(At|Run|Call|FirstCall|LastCall)?$`),
		"Fixture, mutate, scale, chaos or oracle": regexp.MustCompile(`^(Storehouse|Zoo|Storm|Truthtest)$`),
	}
}

// oldWords matches words that no help text and no comment in the database has: they were given up,
// or they name no actor.
var oldWords = regexp.MustCompile(`(?i)\b(whoever|nobody|somebody|anybody|misfit|unfit|fingerprint|the mark|a mark|its mark|zoo|truthtest)\b`)

// TestOldWords keeps the worst old words out of exported names, texts of commands and comments in
// the database.
func TestOldWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"type Unit struct{}": true, "func (db *DB) KeepRaw() {}": true, "type T struct { Missed, At int }": true, "var Fingerprint int": true,
		"type Batch struct{}": false, "func (db *DB) PruneRaw() {}": false, "var unit int": false, "const Marker = 1": false, "func KeepStartUp() {}": false,
	} {
		if got := len(exportedOld(t, "a.go", "package a\n"+text)) > 0; got != want {
			t.Errorf("%s: an old name %t, want %t", text, got, want)
		}
	}
	walk(t, func(name string, text []byte) {
		switch {
		case strings.HasPrefix(name, "sandbox/") || strings.HasSuffix(name, "_test.go"):
		case strings.HasSuffix(name, ".go"):
			for _, found := range exportedOld(t, name, string(text)) {
				t.Errorf("%s: %s", name, found)
			}
			if strings.HasPrefix(name, "cmd/sluice/") {
				for _, literal := range literals(t, name, text) {
					if word := oldWords.FindString(literal); word != "" {
						t.Errorf("%s: %q is an old word: docs/glossary.md has the new one", name, word)
					}
				}
			}
		case strings.HasPrefix(name, "migrations/") && strings.HasSuffix(name, ".sql"):
			for line := range strings.Lines(string(text)) {
				if word := oldWords.FindString(line); word != "" && strings.HasPrefix(line, "COMMENT ON") {
					t.Errorf("%s: %q is an old word: docs/glossary.md has the new one: %s", name, word, line)
				}
			}
		}
	})
}

// exportedOld returns the exported names of a file that were given up.
func exportedOld(t *testing.T, name, text string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	look := func(names ...*ast.Ident) {
		for _, id := range names {
			for instead, old := range oldNames() {
				if id.IsExported() && old.MatchString(id.Name) {
					found = append(found, id.Name+" is an old name: say "+instead)
				}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			look(n.Name)
		case *ast.TypeSpec:
			look(n.Name)
		case *ast.ValueSpec:
			look(n.Names...)
		case *ast.Field:
			look(n.Names...)
		}
		return true
	})
	return found
}

// literals returns the texts in a file.
func literals(t *testing.T, name string, text []byte) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			found = append(found, literal.Value)
		}
		return true
	})
	return found
}
