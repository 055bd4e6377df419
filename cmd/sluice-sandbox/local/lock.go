package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// openLock opens a lock file and takes the lock: LOCK_SH or LOCK_EX. It waits for other holders
// until the context ends. The system releases a lock when its holder dies, so locks are never
// stale.
func openLock(ctx context.Context, path string, how int) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening a lock of the database folder: %w", err)
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		held, err := tryLock(file, how)
		if held {
			return file, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			err = fmt.Errorf("waiting for another process, which starts or stops Postgres and holds %s: %w", path, ctx.Err())
		}
		if err != nil {
			_ = file.Close() // nothing was written
			return nil, err
		}
	}
}

// tryLock takes a lock, or converts one, and says whether it could. False means that another
// process holds the lock, and that the lock held before is lost.
func tryLock(file *os.File, how int) (bool, error) {
	err := syscall.Flock(int(file.Fd()), how|syscall.LOCK_NB)
	if err != nil && !errors.Is(err, syscall.EWOULDBLOCK) {
		return false, fmt.Errorf("locking %s: %w (is the folder on a network file system?)", file.Name(), err)
	}
	return err == nil, nil
}

// state is what a server says about itself in its file postmaster.pid, checked against its process.
// A killed server leaves the file behind: then no process answers, and the next start replaces the
// file.
type state struct {
	socketDir, socket string
	alive             bool // a process with the server's number exists
	ready             bool // and the server says that it accepts connections
}

// readState returns the state of the server of the cluster, the zero state if there is none.
func readState(data string) state {
	const pidLine, portLine, socketLine, statusLine = 0, 3, 4, 7
	text, err := readNote(filepath.Join(data, "postmaster.pid"))
	lines := strings.Split(string(text), "\n")
	if err != nil || len(lines) <= socketLine {
		return state{} // or it is still being written
	}
	pid, err := strconv.Atoi(strings.TrimSpace(lines[pidLine]))
	if err != nil || pid <= 1 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return state{}
	}
	found := state{socketDir: lines[socketLine], alive: true}
	found.socket = filepath.Join(found.socketDir, ".s.PGSQL."+strings.TrimSpace(lines[portLine]))
	found.ready = len(lines) > statusLine && strings.TrimSpace(lines[statusLine]) == "ready"
	return found
}

// dial asks the server for a connection and closes it. The server accepts connections one by one,
// and late while it starts: frequent dials would delay its real clients.
func (s state) dial() error {
	if !s.alive {
		return errNoServer
	}
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.Dial("unix", s.socket)
	if err != nil {
		return fmt.Errorf("asking the server for a connection: %w", err)
	}
	_ = conn.Close() // nothing was said
	return nil
}

var errNoServer = errors.New("there is no server")

// listens says whether what dial returned proves that a server exists. A server whose queue of
// connections is full returns EAGAIN and exists, too.
func listens(err error) bool { return err == nil || errors.Is(err, syscall.EAGAIN) }

// readNote reads a short file that the server's account wrote. It opens only regular files and
// follows no link. So that account can neither make us wait nor make us show it another account's
// file.
func readNote(path string) ([]byte, error) {
	const limit = 4096
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("reading what the server says of itself: %w", err)
	}
	defer func() { _ = file.Close() }() // nothing was written
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s is no file", path), err)
	}
	text, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil {
		return nil, fmt.Errorf("reading what the server says of itself: %w", err)
	}
	return text, nil
}
