package local

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// quitLimit bounds how long a server may take to end in mode immediate. It usually takes up to five
// seconds.
const quitLimit = 10 * time.Second

// command returns a program of the server, run as its account in its folder, with an environment
// without secrets and settings of libpq. An interrupt on our terminal does not reach it, and it
// outlives us. The context kills it.
func (s *Server) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.Env = s.dir, []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH"), "LD_LIBRARY_PATH=" + os.Getenv("LD_LIBRARY_PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.who.lent, Setsid: true}
	cmd.WaitDelay = time.Second // children of a killed program may hold its output open
	return cmd
}

// run runs a program to its end; the error carries its output.
func run(cmd *exec.Cmd) error {
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w%s", cmd.Path, err, lastLines(said))
	}
	return nil
}

// spawn starts a program that runs beside us. The channel receives its result.
func spawn(cmd *exec.Cmd) (<-chan error, error) {
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	return exited, nil
}

// startGuard starts a process that waits until its input is closed: by Stop, or by the system when
// we die. Then it ends the temporary server and removes its files. Our own code could not do that
// after a SIGKILL.
func (s *Server) startGuard(ctx context.Context) error {
	const script = `read _; "$1" stop -s -D "$2" -m immediate; rm -rf "$3" "$4"`
	cmd := s.command(context.WithoutCancel(ctx), "pg_ctl")
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", script, "sh", cmd.Path, s.data(), s.dir, s.socketDir}
	leash, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("starting the guard of the server: %w", err)
	}
	if s.guard, err = spawn(cmd); err == nil {
		s.leash = leash
	}
	return err
}

// remove makes the guard end a temporary server, and waits until the guard has removed the folder.
func (s *Server) remove(ctx context.Context) error {
	if s.leash == nil {
		_ = os.RemoveAll(s.dir) // the start failed before the guard existed, and has reported why
		return nil
	}
	_ = s.leash.Close() // it fails only if the guard has ended
	var err error
	select {
	case err = <-s.guard:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("ending Postgres and removing it from %s: %w", s.dir, err)
	}
	return nil
}

// shutDown ends the server, whichever process started it: cleanly, with all data written, as long
// as the context allows, then in mode immediate. pg_ctl does it under the server's account, which
// cannot harm other processes, whatever the state file says.
func (s *Server) shutDown(ctx context.Context) error {
	if s.tryShutDown(ctx, "fast") == nil {
		return nil
	}
	quit, cancel := context.WithTimeout(context.WithoutCancel(ctx), quitLimit)
	defer cancel()
	return s.tryShutDown(quit, "immediate")
}

func (s *Server) tryShutDown(ctx context.Context, mode string) error {
	if !listens(readState(s.data()).dial()) {
		return nil // it has ended, and another process may have the number in its file by now
	}
	err := run(s.command(ctx, "pg_ctl", "stop", "-s", "-D", s.data(), "-m", mode, "-t", "1000000")) // the context is the bound
	if err != nil && listens(readState(s.data()).dial()) {
		return fmt.Errorf("stopping Postgres in %s: %w", s.dir, err)
	}
	return nil
}

// lastLines returns the last lines of a text, each indented on a line of its own, to append to an
// error.
func lastLines(text []byte) string {
	const keep = 15
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return ""
	}
	lines := strings.Split(string(text), "\n")
	return "\n\t" + strings.Join(lines[max(0, len(lines)-keep):], "\n\t")
}
