package migrations_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"sluice/migrations"
)

// frozen holds the digest of each released file, as sha256sum prints it.
const frozen = "testdata/frozen.sum"

// TestReleasedFilesStayAsTheyAre: a database that has applied a file never sees a later change of
// it, so databases would differ for ever.
func TestReleasedFilesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(frozen)
	must(t, err)
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		digest, name, found := strings.Cut(strings.TrimSpace(line), "  ")
		if !found {
			t.Fatalf("%s has the line %q, want what sha256sum prints", frozen, line)
		}
		known[name] = digest
	}
	names, err := fs.Glob(migrations.FS, "*.sql")
	must(t, err)
	next := fmt.Sprintf("%05d_….sql", len(names)+migrations.First)
	for n, name := range names {
		file, err := fs.ReadFile(migrations.FS, name)
		must(t, err)
		digest := fmt.Sprintf("%x", sha256.Sum256(file))
		switch known[name] {
		case digest:
		case "":
			t.Errorf("%s is new: once it is right, freeze it by the line\n%s  %s\nin %s", name, digest, name, frozen)
		default:
			t.Errorf("%s has changed, and databases have it as it was: restore it, and write what is to change into a new file, %s", name, next)
		}
		delete(known, name)
		if number := fmt.Sprintf("%05d_", n+migrations.First); !strings.HasPrefix(name, number) {
			t.Errorf("%s does not begin with %s: files are numbered without gaps", name, number)
		}
	}
	for name := range known {
		t.Errorf("%s is missing, and databases have it: restore it", name)
	}
}
