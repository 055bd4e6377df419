package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// shortSocketDir is the prefix of the name of a socket folder under /tmp.
const shortSocketDir = "sluice-run-"

// furnish creates what the server needs in its folder, before any other process works there: the
// folders of the socket and of the cluster, and the log. From then on a temporary folder belongs to
// the server's account, so that the guard can remove it.
func (s *Server) furnish() error {
	var err error
	if s.socketDir, err = s.makeSocketDir(); err == nil {
		s.log, err = s.folder.root.OpenFile("server.log", os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	}
	if err == nil && s.opts.Dir == "" {
		if err = s.folder.give("data"); err == nil {
			err = s.folder.handOver()
		}
	}
	if err != nil {
		return fmt.Errorf("preparing the folder of the database: %w", err)
	}
	return nil
}

// makeSocketDir makes the folder of the unix socket: in the server's folder, or under /tmp if that
// path is too long.
func (s *Server) makeSocketDir() (string, error) {
	dir := filepath.Join(s.dir, "run")
	if len(filepath.Join(dir, ".s.PGSQL."+port+".lock")) < maxSocketPath {
		return dir, s.folder.give("run")
	}
	tmp, err := os.OpenRoot("/tmp")
	if err != nil {
		return "", fmt.Errorf("opening the system's folder for temporary files: %w", err)
	}
	defer func() { _ = tmp.Close() }() // nothing was written
	if err = s.who.checkWay("/tmp"); err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("/tmp", shortSocketDir); err != nil {
		return "", fmt.Errorf("making the folder of the socket: %w", err)
	}
	return dir, s.who.hand(tmp, filepath.Base(dir))
}

// makeCluster makes the cluster. A temporary one is made in place. Another is made beside its place
// and then moved, so that an interrupted start leaves no half of one. initdb holds our lock, too: if
// we are killed, the next start waits until initdb ends.
func (s *Server) makeCluster(ctx context.Context) error {
	if s.opts.Log != nil {
		_, _ = fmt.Fprintln(s.opts.Log, "making a Postgres cluster in", s.dir) // only a message: losing it loses nothing
	}
	if s.opts.Dir == "" {
		return s.initialize(ctx, "data")
	}
	const unfinished = "data.new"
	if err := s.folder.root.RemoveAll(unfinished); err != nil {
		return fmt.Errorf("removing an unfinished cluster: %w", err)
	}
	if err := s.folder.give(unfinished); err != nil {
		return err
	}
	if err := s.initialize(ctx, unfinished); err != nil {
		return err
	}
	if err := s.folder.root.Rename(unfinished, "data"); err != nil {
		return fmt.Errorf("putting the new cluster in its place: %w", err)
	}
	return nil
}

// initialize makes a cluster in the named folder. It has checksums: a page that the disk corrupted
// is an error and not a wrong answer. A start by hand, without our settings, would make every
// account of the machine superuser: the cluster's own files say that it listens nowhere.
func (s *Server) initialize(ctx context.Context, name string) error {
	locale := "C" // every system has it
	if runtime.GOOS == "linux" {
		locale = "C.UTF-8" // sorts by code point, too, and knows the letters of all languages
	}
	place := filepath.Join(s.dir, name)
	made := s.command(ctx, "initdb", "-D", place, "-U", superuser, "--auth-local=trust", "--auth-host=reject",
		"--data-checksums", "--encoding=UTF8", "--locale="+locale, "--no-instructions")
	if !s.opts.Durable {
		made.Args = append(made.Args, "--no-sync")
	}
	const closing = `printf "%s\n" "listen_addresses = ''" "unix_socket_directories = ''" "unix_socket_permissions = 0700" >>"$1"/postgresql.conf`
	closed := s.command(ctx, "sh", "-c", closing, "sh", place)
	closed.Path = "/bin/sh"
	for _, cmd := range []*exec.Cmd{made, closed} {
		cmd.ExtraFiles = []*os.File{s.lock}
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w%s", cmd.Path, errors.Join(ctx.Err(), err), lastLines(said))
		}
	}
	return nil
}

// settings returns the server's arguments, quoted for a shell. They are given at each start, so
// that the folder stores none of them.
func (s *Server) settings() string {
	values := []string{
		"listen_addresses=", "unix_socket_directories=" + s.socketDir, "port=" + port, "max_connections=200",
		"timezone=UTC", "log_timezone=UTC", "lc_messages=C",
	}
	if !s.opts.Durable {
		// Shared memory of a killed server would stay in /dev/shm for ever; in the folder it is
		// removed with the folder.
		values = append(values, "shared_buffers=32MB", "fsync=off", "full_page_writes=off", "synchronous_commit=off",
			"dynamic_shared_memory_type=mmap", "max_connections=800") // the tests of several packages share one server
	}
	var args strings.Builder
	for _, value := range values {
		args.WriteString(" -c " + quote(value))
	}
	return args.String()
}

// quote quotes a word for a shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
