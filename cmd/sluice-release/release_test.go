package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLicensesAreCurrent compares what the program prints for version --licenses with the modules
// that it is made of now.
func TestLicensesAreCurrent(t *testing.T) {
	t.Chdir("../..")
	var fresh bytes.Buffer
	if err := writeLicenses(t.Context(), &fresh); err != nil {
		t.Fatal(err)
	}
	embedded, err := os.ReadFile("cmd/sluice/cli/licenses.txt")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fresh.Bytes(), embedded) {
		t.Error("cmd/sluice/cli/licenses.txt is out of date: run make licenses")
	}
}

// TestSourcesHaveEveryPackage compares the sources that a release is built of with the files that
// the compiler reads for the programs.
func TestSourcesHaveEveryPackage(t *testing.T) {
	t.Chdir("../..")
	const files = `{{if .Module}}{{if .Module.Main}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}` +
		`{{range .EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", files, "./cmd/sluice", "./cmd/sluice-sandbox").Output()
	must(t, err)
	root, err := os.Getwd()
	must(t, err)
	all := strings.Fields(string(listed))
	if len(all) == 0 {
		t.Fatal("go list names no file")
	}
	for _, file := range all {
		name, err := filepath.Rel(root, file)
		must(t, err)
		name = filepath.ToSlash(name)
		if top, _, _ := strings.Cut(name, "/"); !slices.Contains(sources(), top) && !slices.Contains(sources(), name) {
			t.Errorf("%s is no part of the sources of a release", name)
		}
	}
}

func TestAModuleWithoutALicense(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "README"), nil, 0o600))
	if _, err := licensesOf(module{"example.org/m", "v1.0.0", dir}); err == nil || !strings.Contains(err.Error(), "example.org/m has no license") {
		t.Errorf("error %v, want one that names the module", err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "License.md"), []byte("Do \r\nwhat you like.\n\n"), 0o600))
	if texts, err := licensesOf(module{"example.org/m", "v1.0.0", dir}); err != nil || len(texts) != 1 || texts[0] != "Do\nwhat you like." {
		t.Errorf("%q, error %v", texts, err)
	}
}

func TestVersionOf(t *testing.T) {
	t.Parallel()
	const revision = "0123456789abcdef"
	for _, test := range []struct {
		tags    string
		changed bool
		want    string
	}{
		{"", false, "0.0.0-dev+0123456789ab"},
		{"", true, "0.0.0-dev+0123456789ab.changed"},
		{"v1.2.3", false, "1.2.3"},
		{"v1.2.3", true, "0.0.0-dev+0123456789ab.changed"},
		{"v1.2.3-rc.1", false, "1.2.3-rc.1"},
		{"latest v1.2 v01", false, "0.0.0-dev+0123456789ab"},
	} {
		if got := versionOf(strings.Fields(test.tags), revision, test.changed); got != test.want {
			t.Errorf("tags %q, changed %t: version %s, want %s", test.tags, test.changed, got, test.want)
		}
	}
}

// TestArchivesAreEqual packs the same files twice, written at different times and with different
// modes.
func TestArchivesAreEqual(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var packed [][]byte
	for i, modes := range [][2]os.FileMode{{0o755, 0o644}, {0o700, 0o600}} {
		dir := t.TempDir()
		folder := filepath.Join(dir, "in")
		must(t, os.MkdirAll(filepath.Join(folder, "man"), modes[0]))
		for name, mode := range map[string]os.FileMode{"sluice": modes[0], "man/sluice.1": modes[1], "b": modes[1], "a": modes[1]} {
			must(t, os.WriteFile(filepath.Join(folder, name), []byte(name), mode))
			must(t, os.Chtimes(filepath.Join(folder, name), at, at.Add(time.Duration(i)*time.Hour)))
		}
		to := filepath.Join(dir, "out.tar.gz")
		must(t, writeArchive(to, folder, "sluice-1.2.3-linux-amd64", at))
		text, err := os.ReadFile(to)
		must(t, err)
		packed = append(packed, text)
	}
	if !bytes.Equal(packed[0], packed[1]) {
		t.Error("the same files give different archives")
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	first, second := t.TempDir(), t.TempDir()
	for _, dir := range []string{first, second} {
		must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("a"), 0o600))
	}
	sums, err := same(first, second)
	if want := "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a\n"; err != nil || sums != want {
		t.Errorf("sums %q, error %v, want %q", sums, err, want)
	}
	must(t, os.WriteFile(filepath.Join(second, "a"), []byte("b"), 0o600))
	must(t, os.WriteFile(filepath.Join(second, "c"), []byte("c"), 0o600))
	if _, err := same(first, second); err == nil || !strings.Contains(err.Error(), "a differs") || !strings.Contains(err.Error(), "other files") {
		t.Errorf("error %v, want one that names both differences", err)
	}
}

// TestSBOM lists what this test is made of.
func TestSBOM(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	must(t, err)
	to := filepath.Join(t.TempDir(), "sbom.json")
	must(t, writeSBOM(to, program, "1.2.3", time.Unix(0, 0).UTC()))
	text, err := os.ReadFile(to)
	must(t, err)
	var found bom
	must(t, json.Unmarshal(text, &found))
	info, _ := debug.ReadBuildInfo()
	if len(found.Components) != len(info.Deps)+1 || len(info.Deps) < 10 {
		t.Errorf("%d components, want the standard library and %d modules", len(found.Components), len(info.Deps))
	}
	names := map[string]component{}
	for _, c := range found.Components {
		names[c.Name] = c
	}
	cobra := names["github.com/spf13/cobra"]
	if cobra.PURL != "pkg:golang/github.com/spf13/cobra@"+cobra.Version || len(cobra.Properties) != 1 || !strings.HasPrefix(cobra.Properties[0].Value, "h1:") {
		t.Errorf("cobra is listed as %+v", cobra)
	}
	if found.Format != "CycloneDX" || found.Metadata.Component.Version != "1.2.3" || found.Metadata.Timestamp != "1970-01-01T00:00:00Z" ||
		len(found.Metadata.Component.Hashes) != 1 || len(found.SerialNumber) != len("urn:uuid:")+36 {
		t.Errorf("%+v", found.Metadata)
	}
}

// TestManual writes the pages of all commands. Each page that another one names exists.
func TestManual(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, writeManual(dir, "1.2.3", time.Unix(0, 0).UTC()))
	pages, err := filepath.Glob(filepath.Join(dir, "man", "*.1"))
	must(t, err)
	if len(pages) < 50 {
		t.Errorf("%d pages", len(pages))
	}
	for _, name := range pages {
		text, err := os.ReadFile(name)
		must(t, err)
		if !strings.HasPrefix(string(text), ".TH \"SLUICE") || strings.Contains(string(text), "\n.\n") {
			t.Errorf("%s is no manual page:\n%s", name, text)
		}
		_, others, _ := strings.Cut(string(text), ".SH SEE ALSO\n")
		for line := range strings.Lines(others) {
			other := strings.ReplaceAll(strings.Fields(line)[1], `\-`, "-")
			if _, err := os.Stat(filepath.Join(dir, "man", other+".1")); err != nil {
				t.Errorf("%s names a page that is missing: %v", filepath.Base(name), err)
			}
		}
	}
	sync, err := os.ReadFile(filepath.Join(dir, "man", "sluice-sync.1"))
	must(t, err)
	for _, want := range []string{`.TH "SLUICE\-SYNC" 1 1970-01-01 "sluice 1.2.3"`, `\fB\-\-org\fR \fIstring\fR`, "sluice sync inventory.bills accounting\n"} {
		if !strings.Contains(string(sync), want) {
			t.Errorf("the page of sync lacks %q:\n%s", want, sync)
		}
	}
	for _, name := range []string{"sluice.bash", "_sluice", "sluice.fish"} {
		if info, err := os.Stat(filepath.Join(dir, "completions", name)); err != nil || info.Size() < 1000 {
			t.Errorf("the completion %s: %v", name, err)
		}
	}
}

func TestEscaped(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		".ci/run --all\n": `\&.ci/run \-\-all`, `'quoted'`: `\&'quoted'`, `a\b`: `a\eb`, "  x  ": "  x",
	} {
		if got := escaped(line); got != want {
			t.Errorf("%q becomes %q, want %q", line, got, want)
		}
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{"-platforms linux": "linux/amd64", "make": "make", "-platforms=": "names none"} {
		var errs bytes.Buffer
		if code := run(t.Context(), strings.Fields(args), &errs, &errs); code != codeUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d, want %d and %q\n%s", args, code, codeUsage, want, errs.String())
		}
	}
	if _, err := parsePlatforms("linux/amd64 /"); !errors.Is(err, errUsage) {
		t.Errorf("error %v, want one of usage", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
