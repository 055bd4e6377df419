//go:build e2e

package local_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-sandbox/local"
)

func TestServerOutlivesItsStarter(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(child, *testing.T){"that stops": child.stop, "that is killed": child.kill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := serverDir(t)
			first := begin(t, dir)
			born := ask(t, first.url(t), birth)
			second := begin(t, dir)
			url := second.url(t)
			conn, err := pgx.Connect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			end(first, t)
			var got string
			if err := conn.QueryRow(t.Context(), birth).Scan(&got); err != nil || got != born {
				t.Errorf("on the open connection the server was born at %q (%v), want %q", got, err, born)
			}
			_ = conn.Close(t.Context())
			if got := ask(t, url, birth); got != born {
				t.Errorf("on a new connection the server was born at %q, want %q", got, born)
			}
			second.stop(t)
			mustBeDown(t, url)
		})
	}
}

func TestServerOutlivesAllItsUsers(t *testing.T) {
	t.Parallel()
	dir := serverDir(t)
	first, second := begin(t, dir), begin(t, dir)
	born := ask(t, first.url(t), birth)
	second.url(t)
	first.kill(t)
	second.kill(t)
	third := start(t, local.Options{Dir: dir})
	if got := ask(t, third.URL(), birth); got != born {
		t.Errorf("the server was born at %q, want %q", got, born)
	}
	stop(t, third)
	mustBeDown(t, third.URL())
	if _, err := os.Stat(filepath.Join(dir, "data", "postmaster.pid")); err == nil {
		t.Error("the server was not stopped in order: its state file is still there")
	}
}

func TestProcessesStartOneServer(t *testing.T) {
	t.Parallel()
	dir := serverDir(t)
	children := make([]child, 6)
	for i := range children {
		children[i] = begin(t, dir)
	}
	births, url := map[string]bool{}, ""
	for _, c := range children {
		url = c.url(t)
		births[ask(t, url, birth)] = true
	}
	if len(births) != 1 {
		t.Errorf("%d servers were started: %v", len(births), births)
	}
	for i, c := range children {
		ask(t, url, birth) // until the last has stopped
		if i%2 == 0 {
			c.stop(t)
		} else {
			_ = c.input.Close() // the next one stops at the same time
		}
	}
	for _, c := range children {
		_ = c.cmd.Wait() // half of them have been waited for
	}
	mustBeDown(t, url)
	again := start(t, local.Options{Dir: dir}) // a server that was stopped under races starts again
	ask(t, again.URL(), birth)
}

// TestStopAndStartAtOnce lets each process stop while the next starts: whatever the order, a
// process that has started can query.
func TestStopAndStartAtOnce(t *testing.T) {
	t.Parallel()
	dir := serverDir(t)
	current := begin(t, dir)
	current.url(t)
	for range 8 {
		_ = current.input.Close()
		next := begin(t, dir)
		ask(t, next.url(t), birth)
		if err := current.cmd.Wait(); err != nil {
			t.Errorf("the process that stops: %v", err)
		}
		current = next
	}
	current.stop(t)
}
