package rules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sluice/pipeline/check"
)

// TestGoFences compiles the Go of all pages against the packages of this module, and validates what
// it declares.
func TestGoFences(t *testing.T) {
	t.Parallel()
	packages := packagesByName(t)
	for _, f := range fencesOf(t, 1, "go") {
		t.Run(fmt.Sprintf("%s:%d", f.page, f.line), func(t *testing.T) {
			t.Parallel()
			if err := checkGo(t, f, packages); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestGoFencesBite shows the check one snippet of each shape and each kind of mistake.
func TestGoFencesBite(t *testing.T) {
	t.Parallel()
	packages := packagesByName(t)
	for code, want := range map[string]string{
		`schema.Text("website", "Where it is on the web.").Is(schema.Plain),`:                                "",
		"service := inventory.Service()\nfmt.Println(service.Name)":                                          "",
		`schema.Text("website", "Where it is on the web."),`:                                                 "shown.website: the column does not say",
		`schema.Text("website", "Where it is on the web.")`:                                                  "shown.website: the column does not say",
		`schema.Child{Name: "a", Doc: "One of it.", Columns: []schema.Column{schema.Text("b", "A word.")}},`: "shown.a.b: the column does not say",
		"func a() schema.Resource {\n\treturn schema.Resource{Name: \"a\"}\n}":                               "inventory.a",
		`schema.Txt("website", "Where it is on the web."),`:                                                  "a.md:7: undefined: schema.Txt",
		`schema.Text(7, "Where it is on the web.").Is(schema.Plain),`:                                        "cannot use 7",
		"service := inventory.Service()\nfmt.Println(service.Nam)":                                           "a.md:8: service.Nam undefined",
		"package a\n\nimport \"sluice/schema\"\n\nvar A schema.Colum":                                        "undefined: schema.Colum",
		"website Text": "is not Go",
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			err := checkGo(t, fence{page: "a.md", line: 7, code: code}, packages)
			check.ErrorIf(t, (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want),
				"%s\ngot error %v, want %q", code, err, want)
		})
	}
	for marker, want := range map[string]bool{foreignFence: true, "plain": false} {
		err := checkGo(t, fence{page: "a.md", line: 7, marker: marker, code: "other.Call()"}, packages)
		check.ErrorIf(t, (err == nil) != want, "marker %s: got error %v", marker, err)
	}
}

// packagesByName returns the import paths of the standard library and of this module by package
// name. Of several packages with one name it is ours, and of these the one with the shortest path.
func packagesByName(t *testing.T) map[string]string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Name}} {{.ImportPath}}", "std", "./...")
	list.Dir = root(t)
	printed := check.Sure(list.Output())(t)
	packages := map[string]string{}
	rank := func(path string) int {
		if ours(path) == "" {
			return 1000 + len(path)
		}
		return len(path)
	}
	for line := range strings.Lines(string(printed)) {
		name, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		if old, known := packages[name]; !known || rank(path) < rank(old) {
			packages[name] = path
		}
	}
	return packages
}

// checkGo compiles a snippet, and runs the check of testdata/declared.go on what it declares.
func checkGo(t *testing.T, f fence, packages map[string]string) error {
	t.Helper()
	text, whole, err := goSource(f, packages)
	if err != nil || f.marker == foreignFence {
		return err
	}
	if f.marker != "" {
		return fmt.Errorf("unknown marker %q: only %q is known", f.marker, foreignFence)
	}
	dir, temporary := root(t), t.TempDir()
	source, overlay := filepath.Join(temporary, "shown.go"), filepath.Join(temporary, "overlay.json")
	// The folder does not exist: the compiler alone sees it.
	folder := filepath.Join(dir, "cmd", "rules", "shown")
	files, command := map[string]string{filepath.Join(folder, "shown.go"): source}, []string{"build", "-o", os.DevNull}
	if !whole {
		command = []string{"run"}
		files[filepath.Join(folder, "declared.go")] = filepath.Join(dir, "cmd", "rules", "testdata", "declared.go")
	}
	replaced, err := json.Marshal(map[string]any{"Replace": files})
	check.Must(t, errors.Join(err, os.WriteFile(source, []byte(text), 0o600), os.WriteFile(overlay, replaced, 0o600)))
	run := exec.CommandContext(t.Context(), "go", append(command, "-overlay", overlay, "./cmd/rules/shown")...)
	run.Dir = dir
	if printed, err := run.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, printed)
	}
	return nil
}

// goSource makes a source file of a snippet by its shape, and reports whether it is a whole file:
// a whole file, declarations, elements of a list, statements. Its function shown returns what the snippet declares as data. Lines are those
// of the page.
func goSource(f fence, packages map[string]string) (string, bool, error) {
	line := fmt.Sprintf("//line %s:%d\n", f.page, f.line)
	if _, err := parser.ParseFile(token.NewFileSet(), "", f.code, parser.SkipObjectResolution); err == nil {
		return line + f.code, true, nil
	}
	for _, shape := range []string{
		"%s%s\n",
		"func shown() []any { return []any{\n%s%s,\n} }\n",
		"func _() {\n%s%s\n}\n",
	} {
		body := fmt.Sprintf(shape, line, strings.TrimSuffix(strings.TrimSpace(f.code), ","))
		file, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+body, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		imports, resources, isList := needs(file, packages)
		if !isList {
			body += "\nfunc shown() []any { return []any{" + strings.Join(resources, ", ") + "} }\n"
		}
		return "package main\n" + strings.Join(imports, "\n") + "\n" + body, false, nil
	}
	return "", false, fmt.Errorf("%s:%d is not Go: no file, no declarations, no elements of a list, no statements", f.page, f.line)
}

// needs returns the imports that a file without any needs, calls of its functions that return a
// resource, and whether it declares shown.
func needs(file *ast.File, packages map[string]string) ([]string, []string, bool) {
	used := map[string]bool{}
	var resources []string
	isList := false
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && packages[x.Name] != "" && len(file.Imports) == 0 {
				used[fmt.Sprintf("import %s %q", x.Name, packages[x.Name])] = true
			}
		case *ast.FuncDecl:
			isList = isList || n.Name.Name == "shown"
			if n.Recv == nil && n.Type.Params.NumFields() == 0 && n.Type.Results.NumFields() == 1 {
				if result, ok := n.Type.Results.List[0].Type.(*ast.SelectorExpr); ok && result.Sel.Name == "Resource" {
					resources = append(resources, n.Name.Name+"()")
				}
			}
		}
		return true
	})
	return slices.Sorted(maps.Keys(used)), resources, isList
}
