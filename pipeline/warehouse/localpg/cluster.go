package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// prepareDir makes the folder that holds the server and checks that the account can reach it. A temporary one is made where the
// system has such, or under /tmp if that is closed to the account; it is all the account's, for the guard to remove.
func prepareDir(dir string, who account) (string, error) {
	var err error
	if dir == "" {
		parent := os.TempDir()
		if who.checkReachable(parent) != nil {
			parent = "/tmp"
		}
		if dir, err = os.MkdirTemp(parent, "sluice-pg-"); err == nil {
			err = who.makeDir(dir)
		}
	} else if dir, err = filepath.Abs(dir); err == nil {
		// Others may pass through, no more: the account must come to its own folder below, which is closed to all else.
		err = os.MkdirAll(dir, 0o711)
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return "", fmt.Errorf("making the folder of the database: %w", err)
	}
	return dir, who.checkReachable(dir)
}

// makeSocketDir makes the folder of the unix socket: in the server's folder, or under /tmp if that path is too long.
func (s *Server) makeSocketDir() (string, error) {
	dir := filepath.Join(s.dir, "run")
	if len(filepath.Join(dir, ".s.PGSQL."+port+".lock")) < maxSocketPath {
		return dir, s.who.makeDir(dir)
	}
	dir, err := os.MkdirTemp("/tmp", "sluice-run-")
	if err != nil {
		return "", fmt.Errorf("making the folder of the socket: %w", err)
	}
	return dir, s.who.makeDir(dir)
}

// makeCluster makes the cluster, if there is none, beside its place and moves it there, so that an interrupted start leaves no half of one.
// The program holds our lock too: if we are killed, the next start waits for its end.
func (s *Server) makeCluster(ctx context.Context, lock *os.File) error {
	if version, err := clusterVersion(s.dir); version != "" || err != nil {
		return err
	}
	s.say("making a Postgres cluster in")
	unfinished := s.data() + ".new"
	if err := os.RemoveAll(unfinished); err != nil {
		return fmt.Errorf("removing an unfinished cluster: %w", err)
	}
	if err := s.who.makeDir(unfinished); err != nil {
		return err
	}
	locale := "C" // the one that every system has
	if runtime.GOOS == "linux" {
		locale = "C.UTF-8" // sorts by code point too, and knows the letters of all languages
	}
	cmd := s.command(ctx, "initdb", "-D", unfinished, "-U", superuser, "--auth=trust", "--encoding=UTF8", "--locale="+locale, "--no-instructions")
	if !s.opts.Durable {
		cmd.Args = append(cmd.Args, "--no-sync")
	}
	cmd.ExtraFiles = []*os.File{lock}
	if err := run(cmd); err != nil {
		return errors.Join(ctx.Err(), err)
	}
	if err := os.Rename(unfinished, s.data()); err != nil {
		return fmt.Errorf("putting the new cluster in its place: %w", err)
	}
	return nil
}

// settings are the server's arguments. They are given anew at each start, so that the folder carries no choice of ours.
func (s *Server) settings() []string {
	values := []string{
		"listen_addresses=", "unix_socket_directories=" + s.socketDir, "port=" + port, "max_connections=200",
		"timezone=UTC", "log_timezone=UTC", "lc_messages=C",
	}
	if !s.opts.Durable {
		// Shared memory of a killed server would stay in /dev/shm for ever; in the folder it goes with the folder.
		values = append(values, "shared_buffers=32MB", "fsync=off", "full_page_writes=off", "synchronous_commit=off",
			"dynamic_shared_memory_type=mmap")
	}
	args := []string{"-D", s.data()}
	for _, value := range values {
		args = append(args, "-c", value)
	}
	return args
}
