package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// ErrNoBinaries says that no Postgres server binaries (initdb, postgres and pg_ctl, not only psql)
// were found. If Options.Bin is set, only that folder is searched. Otherwise the order is: the
// folder that SLUICE_POSTGRES_BIN names; PATH, with symbolic links followed; the folders of the
// packages of Debian, Red Hat, Homebrew, MacPorts and Postgres.app, newest first.
var ErrNoBinaries = errors.New("no Postgres server binaries found: install them (Debian, Ubuntu: `apt-get install postgresql`; " +
	"Fedora: `dnf install postgresql-server`; macOS: `brew install postgresql@17`), " +
	"or name the folder that holds initdb and postgres in SLUICE_POSTGRES_BIN")

// packageFolders returns the folders in which packages install the server, outside of PATH.
// Versions before 10 are left out: their state file does not say when they are ready.
func packageFolders() []string {
	return []string{
		"/usr/lib/postgresql/[1-9][0-9]/bin", "/usr/pgsql-[1-9][0-9]/bin", "/usr/libexec/postgresql*",
		"/opt/homebrew/opt/postgresql@[1-9][0-9]/bin", "/usr/local/opt/postgresql@[1-9][0-9]/bin",
		"/home/linuxbrew/.linuxbrew/opt/postgresql@[1-9][0-9]/bin", "/opt/local/lib/postgresql[1-9][0-9]/bin",
		"/Applications/Postgres.app/Contents/Versions/[1-9][0-9]/bin", "/usr/local/pgsql/bin",
	}
}

// findBinaries returns the first folder whose server has the wanted major version, or the first of
// any version if want is empty.
func findBinaries(ctx context.Context, bin, want string) (string, error) {
	var others []string
	for _, dir := range candidates(bin) {
		server := filepath.Join(dir, "postgres")
		if !isExecutable(server) || !isExecutable(filepath.Join(dir, "initdb")) || !isExecutable(filepath.Join(dir, "pg_ctl")) {
			continue
		}
		if want == "" {
			return dir, nil
		}
		version, err := exec.CommandContext(ctx, server, "--version").Output()
		if err != nil {
			return "", fmt.Errorf("asking %s for its version: %w", server, err)
		}
		if strings.Contains(string(version), "(PostgreSQL) "+want) {
			return dir, nil
		}
		others = append(others, fmt.Sprintf("%s in %s", bytes.TrimSpace(version), dir))
	}
	if len(others) > 0 {
		return "", fmt.Errorf("the data was made by Postgres %s, but there is only %s: install version %s, or move the folder away",
			want, strings.Join(others, ", "), want)
	}
	return "", ErrNoBinaries
}

// candidates lists the folders to search, in order.
func candidates(bin string) []string {
	if bin != "" {
		return []string{bin}
	}
	var dirs []string
	if named := os.Getenv("SLUICE_POSTGRES_BIN"); named != "" {
		dirs = append(dirs, named)
	}
	if file, err := exec.LookPath("postgres"); err == nil {
		// The server's other programs are in the folder of the real file.
		if resolved, err := filepath.EvalSymlinks(file); err == nil {
			dirs = append(dirs, filepath.Dir(resolved))
		}
	}
	for _, pattern := range packageFolders() {
		if found, err := filepath.Glob(pattern); err == nil { // it sorts
			slices.Reverse(found)
			dirs = append(dirs, found...)
		}
	}
	return dirs
}

// clusterVersion returns the major version of the cluster in a server's folder, empty if there is
// none.
func clusterVersion(dir string) (string, error) {
	if dir == "" {
		return "", nil // a temporary server, not yet made
	}
	text, err := readNote(filepath.Join(dir, "data", "PG_VERSION"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("reading the version of the cluster: %w", err)
	}
	version := strings.TrimSpace(string(text))
	if strings.Trim(version, "0123456789.") != "" {
		return "", fmt.Errorf("the version of the cluster is none: look at %s", filepath.Join(dir, "data", "PG_VERSION"))
	}
	return version, nil
}

func isExecutable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// readNote reads a short file that the server's account wrote. It opens only regular files and
// follows no link. So that account can neither make us wait nor make us show it another account's
// file.
func readNote(path string) ([]byte, error) {
	const limit = 4096
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("reading what the server says of itself: %w", err)
	}
	defer func() { _ = file.Close() }() // nothing was written
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is no file", path), err)
	}
	text, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil {
		return nil, fmt.Errorf("reading what the server says of itself: %w", err)
	}
	return text, nil
}
