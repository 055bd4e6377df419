package local_test

import (
	"context"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-sandbox/local"
)

// byHand returns the server's program as an administrator would start it on the cluster, without
// any of our settings but the given ones.
func byHand(ctx context.Context, t *testing.T, bin, data string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "postgres"), append([]string{"-D", data}, args...)...)
	cmd.Dir, cmd.Env = "/", []string{"LC_ALL=C"}
	info, err := os.Stat(data)
	must(t, err)
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stat.Uid, Gid: stat.Gid}}
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// binFolder returns the folder of the server's programs, from the command of PsqlCommand.
func binFolder(t *testing.T, s *local.Server) string {
	t.Helper()
	bin := filepath.Dir(strings.Fields(s.PsqlCommand("x"))[0])
	if bin == "." {
		t.Fatal("psql is not beside the server's programs, so the test cannot start them")
	}
	return bin
}

// TestAStartByHandOpensNothing starts the server of a cluster by hand.
func TestAStartByHandOpensNothing(t *testing.T) {
	t.Parallel()
	dir := serverDir(t)
	first := start(t, local.Options{Dir: dir})
	equal(t, ask(t, first.URL(), "show data_checksums"), "on", "data_checksums")
	bin, data := binFolder(t, first), filepath.Join(dir, "data")
	stop(t, first)
	mustBeClosedByHand(t, bin, data)
}

func mustBeClosedByHand(t *testing.T, bin, data string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if said, err := byHand(ctx, t, bin, data).CombinedOutput(); err == nil || !strings.Contains(string(said), "no socket created for listening") {
		t.Errorf("a start without settings: %v\n%s", err, said)
	}
	port := freePort(t)
	ctx, cancel = context.WithCancel(t.Context())
	cmd := byHand(ctx, t, bin, data, "-c", "listen_addresses=127.0.0.1", "-c", "port="+port)
	out, err := cmd.StderrPipe()
	must(t, err)
	must(t, cmd.Start())
	defer func() { cancel(); _ = cmd.Wait() }() // its error says that it was killed
	var said strings.Builder
	for buffer := make([]byte, 4096); !strings.Contains(said.String(), "ready to accept connections"); {
		n, err := out.Read(buffer)
		said.Write(buffer[:n])
		if err != nil {
			t.Fatalf("the server that listens on TCP: %v\n%s", err, said.String())
		}
	}
	u := url.URL{Scheme: "postgres", User: url.User("postgres"), Host: "127.0.0.1:" + port, Path: "/postgres", RawQuery: "sslmode=disable"}
	conn, err := pgx.Connect(t.Context(), u.String())
	if err == nil {
		_ = conn.Close(t.Context())
		t.Error("every account of the machine comes in by TCP")
	} else if !strings.Contains(err.Error(), "pg_hba.conf rejects connection") {
		t.Errorf("a connection by TCP: %v", err)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	must(t, err)
	return port
}

// TestRootKeepsTheFolder checks the owners in the folder of a running server: the account has its
// own folders, and root the folder above them.
func TestRootKeepsTheFolder(t *testing.T) {
	t.Parallel()
	dir := serverDir(t)
	s := start(t, local.Options{Dir: dir})
	us := os.Geteuid()
	account := us
	if us == 0 {
		found, err := user.Lookup("postgres")
		if err != nil {
			found, err = user.Lookup("nobody")
		}
		must(t, err)
		if account, err = strconv.Atoi(found.Uid); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int{".": us, "lock": us, "server.log": us, "run": account, "data": account} {
		info, err := os.Lstat(filepath.Join(dir, name))
		must(t, err)
		equal(t, int(info.Sys().(*syscall.Stat_t).Uid), want, name)
	}
	stop(t, s)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// equal compares two values; where says what they are.
func equal[T comparable](t *testing.T, got, want T, where ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%v: got %v, want %v", where, got, want)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
