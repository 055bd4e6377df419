package local

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestReadyMeansThatAConnectionIsTaken: a starting server is not asked for connections, which would
// precede all others in its queue. A server whose queue is full is not ready, whatever its file
// says.
func TestReadyMeansThatAConnectionIsTaken(t *testing.T) {
	t.Parallel()
	s := &Server{dir: openPlace(t, "localpg-line-")}
	if err := os.Mkdir(s.data(), 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(s.dir, ".s.PGSQL."+port)
	line := listenForOne(t, socket)
	says := func(status string) {
		t.Helper()
		// The file as Postgres 15 writes it: pid, folder, start, port, socket, address, shared
		// memory, status.
		text := fmt.Sprintf("%d\n%s\n1795520000\n%s\n%s\n\n  1 2\n%s\n", os.Getpid(), s.data(), port, s.dir, status)
		if err := os.WriteFile(filepath.Join(s.data(), "postmaster.pid"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	says("starting")
	ready := make(chan error, 1)
	go func() {
		_, err := s.waitReady(t.Context(), make(chan error))
		ready <- err
	}()
	const looks = 20
	select {
	case err := <-ready:
		t.Fatalf("a server that starts is ready: %v", err)
	case <-time.After(looks * pollEvery):
	}
	var waiting []net.Conn
	for {
		conn, err := net.Dial("unix", socket)
		if errors.Is(err, syscall.EAGAIN) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		waiting = append(waiting, conn)
	}
	if len(waiting) == 0 {
		t.Fatal("the line was full before: a server that starts was asked for connections")
	}
	says("ready")
	select {
	case err := <-ready:
		t.Fatalf("a server that takes no connection is ready: %v", err)
	case <-time.After(looks * pollEvery):
	}
	for range waiting {
		conn, _, err := syscall.Accept(line)
		if err != nil {
			t.Fatal(err)
		}
		_ = syscall.Close(conn)
	}
	if err := <-ready; err != nil || s.socketDir != s.dir {
		t.Errorf("ready with the socket in %q: %v", s.socketDir, err)
	}
}

// listenForOne listens on a socket whose queue is as short as the system allows.
func listenForOne(t *testing.T, socket string) int {
	t.Helper()
	line, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(line) })
	if err := syscall.Bind(line, &syscall.SockaddrUnix{Name: socket}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(line, 0); err != nil {
		t.Fatal(err)
	}
	return line
}

func TestAccountMustReachTheFolder(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(t.TempDir(), "closed")
	inside := filepath.Join(closed, "inside")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	stranger := account{name: "stranger", lent: &syscall.Credential{Uid: 4_000_000_001, Gid: 4_000_000_001}}
	err := stranger.checkReachable(inside)
	if err == nil || !strings.Contains(err.Error(), "cannot enter "+closed+" ") {
		t.Errorf("error %v does not name %s", err, closed)
	}
	if err := (account{name: "this user"}).checkReachable(inside); err != nil {
		t.Errorf("our own account: %v", err)
	}
}
