package local_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-sandbox/local"
)

// childEnv makes the test program a user of the server in the folder that it names; "temporary"
// means a temporary server.
const childEnv = "LOCALPG_TEST_CHILD"

func TestMain(m *testing.M) {
	if place := os.Getenv("LOCALPG_TEST_PLANT"); place != "" {
		plant(place, os.Getenv("LOCALPG_TEST_VICTIM"))
	}
	dir := os.Getenv(childEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := use(strings.TrimPrefix(dir, "temporary")); err != nil {
		_, _ = fmt.Println(err)
		os.Exit(1)
	}
}

// plant puts links to the victim in the places of a server's folders, as soon as the server's
// folder exists, until it is killed.
func plant(place, victim string) {
	_, _ = fmt.Println("ready")
	for {
		entries, err := os.ReadDir(place)
		if err != nil {
			_, _ = fmt.Println(err)
			os.Exit(1)
		}
		for _, entry := range entries {
			for _, name := range []string{"run", "data", "data.new"} {
				_ = os.Symlink(victim, filepath.Join(place, entry.Name(), name)) // most are too late, or refused
			}
		}
	}
}

// use does what a child does: start, report that, and stop when its input ends.
func use(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := local.Start(ctx, local.Options{Dir: dir, Durable: dir != ""})
	if err != nil {
		return err
	}
	_, _ = fmt.Println(s.URL())
	_, _ = io.Copy(io.Discard, os.Stdin)
	return s.Stop(ctx)
}

// child is another process that uses a server.
type child struct {
	cmd   *exec.Cmd
	input io.Closer
	said  *bufio.Reader
}

func begin(t *testing.T, dir string) child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() }) // the end of t.Context has killed it, if the test has not
	return child{cmd, input, bufio.NewReader(out)}
}

// url waits until the child's server is ready.
func (c child) url(t *testing.T) string {
	t.Helper()
	line, err := c.said.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "postgres://") {
		t.Fatalf("the child says %q, %v", line, err)
	}
	return strings.TrimSpace(line)
}

func (c child) stop(t *testing.T) {
	t.Helper()
	_ = c.input.Close()
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("the child that was to stop: %v", err)
	}
}

func (c child) kill(t *testing.T) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait() // its error says "killed"
}

const birth = "select pg_postmaster_start_time()::text"

func TestServersOfOneProcessShare(t *testing.T) {
	t.Parallel()
	opts := local.Options{Dir: serverDir(t)}
	first, second := start(t, opts), start(t, opts)
	born := ask(t, first.URL(), "select pg_postmaster_start_time()::text")
	stop(t, first)
	if got := ask(t, second.URL(), "select pg_postmaster_start_time()::text"); got != born {
		t.Errorf("the server was born at %s, then at %s", born, got)
	}
	stop(t, second)
	mustBeDown(t, second.URL())
}

func TestTemporaryServerEndsWithItsStarter(t *testing.T) {
	t.Parallel()
	c := begin(t, "temporary")
	url := c.url(t)
	dir := filepath.Dir(ask(t, url, "show data_directory"))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	c.kill(t)
	waitDown(t, conn)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(2 * time.Minute); ; {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("the temporary folder stays")
		}
	}
}
