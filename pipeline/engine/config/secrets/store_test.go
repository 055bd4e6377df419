package secrets_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sluice/pipeline/check"
	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/upstream/wire"
)

func TestDestination(t *testing.T) {
	t.Parallel()
	from := secrets.Source{Getenv: func(name string) (string, bool) { return "/home/x", name == "HOME" }}
	for raw, want := range map[string]secrets.Destination{
		"${TOKEN}": {Variable: "TOKEN"}, "file:/run/token": {File: "/run/token"}, "file:${HOME}/token": {File: "/home/x/token"}, "other:token": {},
	} {
		got, err := from.Destination(raw)
		check.ErrorIf(t, err != nil || got != want, "%s: %+v, %v", raw, got, err)
	}
	for _, raw := range []string{"file:token", "file:${NOTHING}/token"} {
		got, err := from.Destination(raw)
		check.ErrorIf(t, err == nil, "%s: %+v, want an error", raw, got)
	}
}

// TestReplace: the file changes at once with Commit and not before, keeps its mode as far as a
// secret may have it, and stays behind its link.
func TestReplace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path, link := filepath.Join(folder, "token"), filepath.Join(t.TempDir(), "link")
	check.Must(t, os.Symlink(path, link))
	replace := func(at, value string) error {
		r, err := secrets.Replace(at)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		check.ErrorIf(t, err == nil && strings.Contains(string(text), value), "%s is there before Commit", value)
		return r.Commit(wire.NewSecret(value))
	}
	for n, c := range []struct {
		before, after os.FileMode // before is zero where there is no file
		at            string
	}{{0, 0o600, path}, {0o640, 0o640, path}, {0o400, 0o600, link}, {0o666, 0o640, path}, {0o755, 0o640, path}} {
		if c.before != 0 {
			check.Must(t, os.Chmod(path, c.before))
		}
		value := strings.Repeat("v", n+1)
		err := replace(c.at, value)
		text, readErr := os.ReadFile(path)
		info, statErr := os.Lstat(path)
		check.ErrorIf(t, err != nil || readErr != nil || statErr != nil || string(text) != value+"\n" || info.Mode() != c.after,
			"%d: %v, %q, %v, want mode %s", n, err, text, info, c.after)
	}
	r := check.Sure(secrets.Replace(path))(t)
	if err := r.Cancel(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	for _, bad := range []string{folder, filepath.Join(folder, "nowhere", "token"), "/dev/null/token"} {
		_, err := secrets.Replace(bad)
		check.ErrorIf(t, err == nil, "%s can be replaced", bad)
	}
	missing := filepath.Join(folder, "nowhere")
	if _, err := secrets.Replace(filepath.Join(missing, "token")); err == nil || !strings.Contains(err.Error(), "install -d -m 700 "+missing) {
		t.Errorf("in a folder that is not there: %v, want the command that makes it", err)
	}
	left, err := os.ReadDir(folder)
	check.ErrorIf(t, err != nil || len(left) != 1, "%d files are left, %v", len(left), err)
}
