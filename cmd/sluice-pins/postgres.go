package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// postgres is a server for databases of recordings: a private one, or the one that
// SLUICE_TEST_DATABASE_URL names.
type postgres struct {
	address *url.URL // of its database postgres, or of the one that was named
	bin     string   // the folder of its programs; empty for a server that was named
	data    string
	account *syscall.Credential // as whom it runs; nil for ourselves
	lock    sync.Mutex
	made    []string // databases to drop
}

// startPostgres makes and starts a private server below a folder, unless another one is named.
func startPostgres(ctx context.Context, folder string) (*postgres, error) {
	if named := os.Getenv("SLUICE_TEST_DATABASE_URL"); named != "" && named != "local" {
		address, err := url.Parse(named)
		if err != nil {
			return nil, errors.New("SLUICE_TEST_DATABASE_URL is no address")
		}
		return &postgres{address: address}, nil
	}
	bin, err := postgresFolder()
	if err != nil {
		return nil, err
	}
	p := &postgres{bin: bin, data: filepath.Join(folder, "postgres", "data")}
	p.account = lentAccount()
	top := filepath.Join(folder, "postgres")
	if err := os.Mkdir(top, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for Postgres: %w", err)
	}
	if p.account != nil {
		if err := os.Chown(top, int(p.account.Uid), int(p.account.Gid)); err != nil {
			return nil, fmt.Errorf("lend the folder of Postgres: %w", err)
		}
	}
	p.address = &url.URL{Scheme: "postgres", User: url.User("postgres"), Path: "/postgres", RawQuery: url.Values{"host": {top}}.Encode()}
	if err := p.program(ctx, "initdb", "-D", p.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"); err != nil {
		return nil, err
	}
	// Without autovacuum the planner knows the same in each recording: which of equal rows a query
	// with a limit gives depends on its plan.
	settings := "-c listen_addresses= -c fsync=off -c autovacuum=off -c unix_socket_directories=" + top
	return p, p.program(ctx, "pg_ctl", "-D", p.data, "-w", "-l", filepath.Join(top, "server.log"), "-o", settings, "start")
}

// program runs one of the server's programs, as the account that the server runs as.
func (p *postgres) program(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(p.bin, name), args...)
	cmd.Dir, cmd.Env = "/", []string{"LC_ALL=C", "TZ=UTC", "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.account}
	// Not through a pipe: the server would hold it, and we would wait for its end.
	log, err := os.CreateTemp("", "sluice-pins-log-")
	if err != nil {
		return fmt.Errorf("open a log: %w", err)
	}
	defer func() { _, _ = log.Close(), os.Remove(log.Name()) }() // it was only read
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		text, _ := os.ReadFile(log.Name()) // without it the error is still true
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(text))
	}
	return nil
}

// stop stops a private server; of another one it drops the databases.
func (p *postgres) stop() error {
	ctx := context.Background()
	if p.bin != "" {
		return p.program(ctx, "pg_ctl", "-D", p.data, "-w", "-m", "immediate", "stop")
	}
	conn, err := pgx.Connect(ctx, p.address.String())
	if err != nil {
		return fmt.Errorf("connect to Postgres: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }() // nothing was written that a close could lose
	var errs []error
	for _, name := range p.made {
		_, err := conn.Exec(ctx, "DROP DATABASE "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// database makes an empty database and gives its address.
func (p *postgres) database(ctx context.Context, name string) (string, error) {
	conn, err := pgx.Connect(ctx, p.address.String())
	if err != nil {
		return "", fmt.Errorf("connect to Postgres: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }() // nothing was written that a close could lose
	name = "sluice_pins_" + name
	if p.bin == "" {
		name += "_" + strconv.Itoa(os.Getpid())
	}
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		return "", fmt.Errorf("make a database: %w", err)
	}
	p.lock.Lock()
	p.made = append(p.made, name)
	p.lock.Unlock()
	address := *p.address
	address.Path = "/" + name
	return address.String(), nil
}

// postgresFolder finds the folder with the server's programs.
func postgresFolder() (string, error) {
	dirs := []string{os.Getenv("SLUICE_POSTGRES_BIN")}
	if file, err := exec.LookPath("postgres"); err == nil {
		if resolved, err := filepath.EvalSymlinks(file); err == nil {
			dirs = append(dirs, filepath.Dir(resolved))
		}
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/libexec/postgresql*", "/opt/homebrew/opt/postgresql*/bin",
		"/usr/local/opt/postgresql*/bin", "/usr/local/pgsql/bin",
	} {
		found, _ := filepath.Glob(pattern) // the pattern is right
		slices.Reverse(found)
		dirs = append(dirs, found...)
	}
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); dir != "" && err == nil {
			return dir, nil
		}
	}
	return "", errors.New("no Postgres server programs were found: install them, or name their folder in SLUICE_POSTGRES_BIN")
}

// lentAccount is the account that a server of root runs as, which Postgres refuses to be itself.
func lentAccount() *syscall.Credential {
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.ParseUint(found.Uid, 10, 32) // numbers on every system that Postgres runs on as another account
		gid, _ := strconv.ParseUint(found.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	return nil
}

// lines splits a text without its last end of line.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
