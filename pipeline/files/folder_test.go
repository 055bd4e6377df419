package files_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sluice/pipeline/files"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// names are the names in a folder; those of files that are not whole end with partial.
func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	must(t, err)
	var found []string
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, ".partial") {
			name = "partial"
		}
		found = append(found, name)
	}
	return found
}

func fill(t *testing.T, f *files.Folder, name, content string) *files.File {
	t.Helper()
	file, err := f.Create(name)
	must(t, err)
	_, err = file.Write([]byte(content))
	must(t, err)
	return file
}

// TestFolder: files get their names together, and none that was there is touched.
func TestFolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "folder")
	all := []string{"a.csv", "export.json"}
	open := func(replace bool) (*files.Folder, error) { return files.OpenFolder(path, all, replace) }
	f, err := open(false)
	must(t, err)
	a := fill(t, f, "a.csv", "one")
	must(t, a.Close())
	must(t, fill(t, f, "export.json", "{}").Close())
	if got := names(t, path); !slices.Equal(got, []string{"partial", "partial"}) {
		t.Errorf("before Commit: %q", got)
	}
	must(t, f.Commit())
	must(t, f.Discard()) // nothing is left to discard
	sum := sha256.Sum256([]byte("one"))
	if got := names(t, path); !slices.Equal(got, all) || a.Bytes != 3 || a.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("after Commit: %q, %d bytes, %s", got, a.Bytes, a.SHA256)
	}
	info, err := os.Stat(filepath.Join(path, "a.csv"))
	must(t, err)
	if info.Mode() != 0o600 {
		t.Errorf("the file has mode %v", info.Mode())
	}
	if _, err := open(false); !errors.Is(err, files.ErrExists) {
		t.Errorf("files that are there: %v", err)
	}
	f, err = open(true)
	must(t, err)
	must(t, fill(t, f, "a.csv", "two").Close())
	must(t, fill(t, f, "export.json", "{}").Close())
	must(t, f.Commit())
	if content, err := os.ReadFile(filepath.Join(path, "a.csv")); err != nil || string(content) != "two" {
		t.Errorf("replaced by %q, %v", content, err)
	}
}

// TestAFileThatAppears: one that another process made meanwhile is not replaced unasked.
func TestAFileThatAppears(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	f, err := files.OpenFolder(path, []string{"a.csv"}, false)
	must(t, err)
	must(t, fill(t, f, "a.csv", "ours").Close())
	must(t, os.WriteFile(filepath.Join(path, "a.csv"), []byte("theirs"), 0o600))
	if err := f.Commit(); !errors.Is(err, files.ErrExists) {
		t.Errorf("Commit = %v", err)
	}
	must(t, f.Discard())
	if content, err := os.ReadFile(filepath.Join(path, "a.csv")); err != nil || string(content) != "theirs" || len(names(t, path)) != 1 {
		t.Errorf("%q, %v, %q", content, err, names(t, path))
	}
}

// TestAFullDevice: the error says which file, and Discard leaves nothing.
func TestAFullDevice(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	f, err := files.OpenFolder(path, []string{"a.csv"}, false)
	must(t, err)
	file, err := f.Create("a.csv")
	must(t, err)
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	must(t, err)
	defer func() { must(t, device.Close()) }()
	file.Redirect(device)
	_, err = file.Write([]byte("rows"))
	must(t, err)
	if err := file.Close(); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "a.csv") {
		t.Errorf("Close = %v", err)
	}
	must(t, f.Discard())
	if got := names(t, path); len(got) != 0 {
		t.Errorf("left behind: %q", got)
	}
}
