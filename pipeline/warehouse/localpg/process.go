package localpg

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// quitLimit is how long a server that was told to end without ceremony is given. By itself it takes up to five seconds.
const quitLimit = 10 * time.Second

// command is a program of the server, run as its account in its folder, with an environment that carries no secret and no
// setting of libpq. An interrupt on our terminal does not reach it, nor does our end. The context kills it.
func (s *Server) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.Env = s.dir, environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.who.lent, Setsid: true}
	cmd.WaitDelay = time.Second // children of a killed program may hold its output open
	return cmd
}

// environment is the little that the server's programs need of ours.
func environment() []string {
	env := []string{"LC_ALL=C"}
	for _, name := range []string{"PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// run runs a program to its end; the error carries what it said.
func run(cmd *exec.Cmd) error {
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w%s", cmd.Path, err, lastLines(said))
	}
	return nil
}

// spawn starts a program that runs beside us. The channel brings how it ended.
func spawn(cmd *exec.Cmd) (<-chan error, error) {
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", cmd.Path, err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	return exited, nil
}

// guard is a process that waits for its input to close, which Stop does, or the system when we die; then it ends the temporary
// server and removes what is left of it. Nothing else sees a SIGKILL of ours on every system.
type guard struct {
	leash  io.Closer
	exited <-chan error
}

func (s *Server) newGuard(ctx context.Context) (*guard, error) {
	const script = `read _; "$1" stop -s -D "$2" -m immediate; rm -rf "$3" "$4"`
	cmd := s.command(context.WithoutCancel(ctx), "pg_ctl")
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", script, "sh", cmd.Path, s.data(), s.dir, s.socketDir}
	leash, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the guard of the server: %w", err)
	}
	exited, err := spawn(cmd)
	return &guard{leash, exited}, err
}

// remove lets the guard end a temporary server, and sees the folder go.
func (s *Server) remove(ctx context.Context) error {
	if s.guard != nil {
		_ = s.guard.leash.Close() // it fails only if the guard has ended
		select {
		case <-s.guard.exited:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the end of Postgres in %s: %w", s.dir, ctx.Err())
		}
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("removing the temporary database: %w", err)
	}
	return nil
}

// shutDown ends the server, whoever started it: cleanly, with everything written out, as long as the context allows;
// then at once. It is left to pg_ctl under the server's account, which can do no harm to others whatever the state file says.
func (s *Server) shutDown(ctx context.Context) error {
	const seconds = "1000000" // the context is the bound
	ended := func() bool { return !readState(s.data()).answers }
	stop := func(ctx context.Context, mode string) error {
		err := run(s.command(ctx, "pg_ctl", "stop", "-s", "-D", s.data(), "-m", mode, "-t", seconds))
		if err != nil && !ended() {
			return fmt.Errorf("stopping Postgres in %s: %w", s.dir, err)
		}
		return nil
	}
	// The number in the file of a server that has ended may be another's by now.
	if ended() || stop(ctx, "fast") == nil {
		return nil
	}
	quit, cancel := context.WithTimeout(context.WithoutCancel(ctx), quitLimit)
	defer cancel()
	return stop(quit, "immediate")
}

// lastLines returns the last lines of a text, indented on lines of their own, ready to be put behind an error.
func lastLines(text []byte) string {
	const keep = 15
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return ""
	}
	lines := strings.Split(string(text), "\n")
	return "\n\t" + strings.Join(lines[max(0, len(lines)-keep):], "\n\t")
}
