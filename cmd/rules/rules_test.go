// Package rules_test holds the rules of the repository: which package may import which, and where a
// name may be used, each with its reason. list_test.go has the rules as data and proves that each
// of them bites.
package rules_test

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sluice/pipeline/check"
)

// maxFileLines is the hard limit of a source file: size follows cohesion, and a larger file has
// more than one subject.
const maxFileLines = 400

// source is one Go file of the module.
type source struct {
	// path is relative to the module's root, folder the import path without "sluice/".
	path, folder string
	test         bool
	lines        int
	// imports are the import paths.
	imports []string
	// names are the used names of other packages: "time.Now", with the import path in full
	// ("net/http.Client"). calls are methods called on any value ("Skip").
	names, calls []string
	// made are the names of other packages that are called or defined as a type: functions, and
	// conversions.
	made []string
}

// within reports whether the file is in one of the folders or below it.
func (s *source) within(folders ...string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return under(s.folder, folder) })
}

// under reports whether a slash-separated path is the folder or below it.
func under(p, folder string) bool { return p == folder || strings.HasPrefix(p, folder+"/") }

// parse reads one file, with any build tags.
func parse(name string, text []byte) (*source, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", name, err)
	}
	s := &source{
		path: name, folder: path.Dir(name), test: strings.HasSuffix(name, "_test.go"),
		lines: strings.Count(string(text), "\n"),
	}
	local := make(map[string]string)
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("import in %s: %w", name, err)
		}
		s.imports = append(s.imports, imported)
		called := path.Base(imported)
		if spec.Name != nil {
			called = spec.Name.Name
		}
		local[called] = imported
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s.made = append(s.made, madeOf(n, local)...)
		if n, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := n.X.(*ast.Ident); ok && local[x.Name] != "" {
				s.names = append(s.names, local[x.Name]+"."+n.Sel.Name)
			} else {
				s.calls = append(s.calls, n.Sel.Name)
			}
		}
		return true
	})
	return s, nil
}

// madeOf returns the name of another package that a node calls, converts to or defines a type as,
// with the import path in full.
func madeOf(n ast.Node, local map[string]string) []string {
	var made ast.Expr
	switch n := n.(type) {
	case *ast.CallExpr:
		made = ast.Unparen(n.Fun)
	case *ast.TypeSpec:
		made = n.Type
	}
	if selector, ok := made.(*ast.SelectorExpr); ok {
		if x, ok := selector.X.(*ast.Ident); ok && local[x.Name] != "" {
			return []string{local[x.Name] + "." + selector.Sel.Name}
		}
	}
	return nil
}

// root returns the module's folder.
func root(t *testing.T) string {
	t.Helper()
	dir := check.Sure(os.Getwd())(t)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		check.FatalIf(t, dir == filepath.Dir(dir), "no go.mod above the test's folder")
		dir = filepath.Dir(dir)
	}
}

// ignored returns the names at the root that .gitignore keeps out of the repository.
func ignored(t *testing.T, root string) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	file := check.Sure(os.Open(filepath.Join(root, ".gitignore")))(t)
	defer func() { _ = file.Close() }() // only read
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "/"); ok {
			names[strings.TrimSuffix(name, "/")] = true
		}
	}
	return names
}

// walk calls each for every file of the repository, except dot folders and ignored files.
func walk(t *testing.T, each func(name string, text []byte)) {
	t.Helper()
	dir := root(t)
	skip := ignored(t, dir)
	check.Must(t, fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case skip[name] || (name != "." && entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata")):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		each(name, text)
		return nil
	}))
}

// TestRules applies every rule to every file.
func TestRules(t *testing.T) {
	t.Parallel()
	var files []*source
	walk(t, func(name string, text []byte) {
		if !strings.HasSuffix(name, ".go") {
			return
		}
		s, err := parse(name, text)
		if err != nil {
			t.Error(err)
			return
		}
		files = append(files, s)
	})
	check.FatalIf(t, len(files) < 20, "%d files found: the walk is wrong", len(files))
	for _, rule := range rules() {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			for _, s := range files {
				for _, what := range rule.broken(s) {
					t.Errorf("%s: %s\n\trule: %s\n\treason: %s", s.path, what, rule.name, rule.reason)
				}
			}
		})
	}
}

// TestTopLevel demands exactly the entries of the floor plan, so that a reader never has to guess a
// folder.
func TestTopLevel(t *testing.T) {
	t.Parallel()
	want := strings.Fields("cmd connectors pipeline schema migrations sandbox docs deploy " +
		"example.go go.mod go.sum config.example.yaml Dockerfile Makefile README.md")
	slices.Sort(want)
	dir := root(t)
	skip := ignored(t, dir)
	entries := check.Sure(os.ReadDir(dir))(t)
	var got []string
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), ".") && !skip[entry.Name()] {
			got = append(got, entry.Name())
		}
	}
	check.ErrorIf(t, !slices.Equal(got, want), "the root holds\n%q\nwant\n%q", got, want)
}
