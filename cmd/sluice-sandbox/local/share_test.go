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

// begin starts a server in a child, and returns its address when it is ready, and a function that
// kills the child.
func begin(t *testing.T, dir string) (string, func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	input, err := cmd.StdinPipe()
	must(t, err)
	t.Cleanup(func() { _ = input.Close() })
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "postgres://") {
		t.Fatalf("the child says %q, %v", line, err)
	}
	return strings.TrimSpace(line), func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // its error says "killed"
	}
}

// TestAServerEndsWithItsStarter kills the processes that started a temporary server and one with a
// folder. The folder of the first is removed, and the next server takes the second.
func TestAServerEndsWithItsStarter(t *testing.T) {
	t.Parallel()
	kept := serverDir(t)
	for _, dir := range []string{"temporary", kept} {
		url, kill := begin(t, dir)
		data := ask(t, url, "show data_directory")
		conn, err := pgx.Connect(t.Context(), url)
		must(t, err)
		kill()
		waitDown(t, conn)
		if dir == kept {
			ask(t, start(t, local.Options{Dir: kept}).URL(), "select 'up'")
			continue
		}
		waitGone(t, filepath.Dir(data))
	}
}

// waitGone waits until a folder is removed.
func waitGone(t *testing.T, dir string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(2 * time.Minute); ; {
		if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			t.Fatal("the folder stays")
		}
	}
}

// TestAFolderHasOneServer: a second server is refused, and the first one goes on.
func TestAFolderHasOneServer(t *testing.T) {
	t.Parallel()
	dir := serverDir(t)
	first := start(t, local.Options{Dir: dir})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if second, err := local.Start(ctx, local.Options{Dir: dir}); err == nil {
		_ = second.Stop(t.Context())
		t.Error("a second server works in the folder of the first")
	}
	ask(t, first.URL(), "select 'up'")
}
