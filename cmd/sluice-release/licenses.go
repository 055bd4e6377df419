package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// module is one module of the program, as go list prints it: path, version, and its folder.
type module struct{ path, version, dir string }

// systems are the operating systems of a release, whose programs differ in what they are made of.
func systems() []string { return []string{"linux", "darwin"} }

// licenseNames begin the names of files in which modules say under which terms they are used.
func licenseNames() []string { return []string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"} }

// writeLicenses writes the modules that the program is made of, and the texts of their licenses out
// of the cache of modules. Equal texts stand once, behind all modules that have them.
func writeLicenses(ctx context.Context, out io.Writer) error {
	modules, err := modulesOfProgram(ctx)
	if err != nil {
		return err
	}
	fmt.Fprint(out, "sluice is one static program. Besides its own code it contains the modules listed here.\n"+
		"The texts of their licenses follow the list.\n\n")
	for _, m := range modules {
		fmt.Fprintf(out, "  %s\n", strings.TrimSpace(m.path+" "+m.version))
	}
	var order []string
	owners, texts := map[string][]string{}, map[string]string{}
	for _, m := range modules {
		found, err := licensesOf(m)
		if err != nil {
			return err
		}
		for _, text := range found {
			digest := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
			if texts[digest] == "" {
				order = append(order, digest)
			}
			texts[digest] = text
			owners[digest] = append(owners[digest], m.path)
		}
	}
	for _, digest := range order {
		names := strings.Join(slices.Compact(owners[digest]), "\n")
		fmt.Fprintf(out, "\n%s\n%s\n%s\n\n%s\n", strings.Repeat("=", width), names, strings.Repeat("-", width), texts[digest])
	}
	return nil
}

// licensesOf reads the licenses of a module: the files at its root that are named like one. A
// module without one is an error, since the program must not contain it.
func licensesOf(m module) ([]string, error) {
	entries, err := os.ReadDir(m.dir)
	if err != nil {
		return nil, fmt.Errorf("the module %s is not in the cache of modules (run go mod download): %w", m.path, err)
	}
	var texts []string
	for _, entry := range entries {
		named := slices.ContainsFunc(licenseNames(), func(name string) bool { return strings.HasPrefix(strings.ToUpper(entry.Name()), name) })
		if entry.IsDir() || !named {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		texts = append(texts, plain(string(text)))
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("the module %s has no license in %s: it cannot be part of the program", m.path, m.dir)
	}
	return texts, nil
}

// width is that of the lines between licenses.
const width = 80

// plain is a text with one kind of line end, and no space at the ends of lines.
func plain(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\f")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// modulesOfProgram are the modules of the program on all systems of a release, and the standard
// library before them.
func modulesOfProgram(ctx context.Context) ([]module, error) {
	goroot, err := output(ctx, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	const named = `{{.Path}} {{.Version}} {{.Dir}}`
	const form = `{{with .Module}}{{if not .Main}}{{with .Replace}}` + named + `{{else}}` + named + `{{end}}{{end}}{{end}}`
	found := map[string]module{}
	for _, system := range systems() {
		said, err := output(ctx, "env", "GOOS="+system, "CGO_ENABLED=0", "go", "list", "-deps", "-tags", "timetzdata", "-f", form, "./cmd/sluice")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(said) {
			path, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			version, dir, _ := strings.Cut(rest, " ")
			if path != "" {
				found[path] = module{path, version, dir}
			}
		}
	}
	// Its version is that of the compiler, which version says: named here, it would differ by
	// machine.
	modules := []module{{"the Go standard library", "", goroot}}
	for _, path := range slices.Sorted(maps.Keys(found)) {
		modules = append(modules, found[path])
	}
	return modules, nil
}
