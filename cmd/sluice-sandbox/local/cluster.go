package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
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

// removeSocketDir removes the folder of the socket, which the server has emptied; the next start
// makes it again. Its name comes from the server's state file, so only names that this package
// gives are accepted.
func (s *Server) removeSocketDir() {
	if s.socketDir == filepath.Join(s.dir, "run") || strings.HasPrefix(s.socketDir, "/tmp/"+shortSocketDir) && filepath.Dir(s.socketDir) == "/tmp" {
		_ = syscall.Rmdir(s.socketDir)
	}
}

// makeCluster makes the cluster, if there is none. A temporary one is made in place. Another is
// made beside its place and then moved, so that an interrupted start leaves no half of one. initdb
// holds our lock, too: if we are killed, the next start waits until initdb ends.
func (s *Server) makeCluster(ctx context.Context, lock *os.File) error {
	if version, err := clusterVersion(s.dir); version != "" || err != nil {
		return err
	}
	s.say("making a Postgres cluster in")
	if s.opts.Dir == "" {
		return s.initialize(ctx, lock, "data")
	}
	const unfinished = "data.new"
	if err := s.folder.root.RemoveAll(unfinished); err != nil {
		return fmt.Errorf("removing an unfinished cluster: %w", err)
	}
	if err := s.folder.give(unfinished); err != nil {
		return err
	}
	if err := s.initialize(ctx, lock, unfinished); err != nil {
		return err
	}
	if err := s.folder.root.Rename(unfinished, "data"); err != nil {
		return fmt.Errorf("putting the new cluster in its place: %w", err)
	}
	return nil
}

// initialize makes a cluster in the named folder. It has checksums: a page that the disk corrupted
// is an error and not a wrong answer.
func (s *Server) initialize(ctx context.Context, lock *os.File, name string) error {
	locale := "C" // every system has it
	if runtime.GOOS == "linux" {
		locale = "C.UTF-8" // sorts by code point, too, and knows the letters of all languages
	}
	cmd := s.command(ctx, "initdb", "-D", filepath.Join(s.dir, name), "-U", superuser, "--auth-local=trust", "--auth-host=reject",
		"--data-checksums", "--encoding=UTF8", "--locale="+locale, "--no-instructions")
	if !s.opts.Durable {
		cmd.Args = append(cmd.Args, "--no-sync")
	}
	cmd.ExtraFiles = []*os.File{lock}
	if err := run(cmd); err != nil {
		return errors.Join(ctx.Err(), err)
	}
	return nil
}

// closeByHand writes into the cluster's own files that it listens on no address and no socket.
// Otherwise a start by hand, without our settings, would make every account of the machine
// superuser. It does so before each start, for clusters that older programs made. A process of the
// lent account does the work: links in the folder then give access to nothing that this account may
// not use.
func (s *Server) closeByHand(ctx context.Context) error {
	//nolint:dupword // all users, all addresses
	const script = `cd "$1" || exit
if grep -qs '^host.*trust$' pg_hba.conf && ! grep -qs '^# sluice: closed' pg_hba.conf; then
	{ printf '%s\n' '# sluice: closed' 'host  all,replication  all  all  reject' && cat pg_hba.conf; } >pg_hba.conf.new &&
		sync && mv pg_hba.conf.new pg_hba.conf || exit
fi
grep -qs '^# sluice: closed' postgresql.conf ||
	printf '%s\n' '' '# sluice: closed' "listen_addresses = ''" "unix_socket_directories = ''" 'unix_socket_permissions = 0700' >>postgresql.conf`
	cmd := s.command(ctx, "sh")
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", script, "sh", s.data()}
	if err := run(cmd); err != nil {
		return fmt.Errorf("closing the cluster to starts by hand: %w", errors.Join(ctx.Err(), err))
	}
	return nil
}

// settings returns the server's arguments. They are given at each start, so that the folder stores
// none of them.
func (s *Server) settings() []string {
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
	args := []string{"-D", s.data()}
	for _, value := range values {
		args = append(args, "-c", value)
	}
	return args
}
