// Package local runs a private Postgres server with the binaries that are installed on this
// machine. It is for operators whose configuration names no other database, and for tests without a
// container engine. It downloads nothing, needs no container, and listens on a unix socket only:
// the server is out of reach of the network, and two servers cannot clash over a port.
//
// It never touches a cluster that it did not make and never changes the machine's own Postgres
// service. It is unsuitable for a warehouse that several accounts or machines use: the owner of the
// socket directory is superuser of the server.
//
// A temporary server belongs to the process that starts it and ends with it. A server with a folder
// of its own belongs to all processes that use it: the first starts it, the others attach, and the
// last to stop ends it, even if others were killed in between. It ends with its starter only where
// a supervisor ends all descendants of a process (a container, a service of systemd).
//
// Start reading at Start; binaries.go chooses the binaries, account.go the account they run as,
// lock.go orders the processes that use a server.
//
// One folder holds one server:
//
//	users        locked (flock): shared by each process that uses the server, exclusive by the one that stops it
//	start        locked by the process that checks whether the server runs and starts it
//	data         the cluster
//	run          the unix socket (elsewhere if the path would be too long for a socket)
//	server.log   the log of the server
package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	port          = "5432"                // only names the socket file; nothing listens on TCP
	superuser     = "postgres"            // owns every database
	maxSocketPath = 100                   // below the limits: 104 bytes on macOS, 108 on Linux, each with a final zero
	startLimit    = 2 * time.Minute       // recovery after a crash included
	pollEvery     = 10 * time.Millisecond // the interval at which waiting processes check locks and the server's state file

	// othersEvery is the interval at which a server of another starter is checked: each check asks
	// it for a connection.
	othersEvery = 100 * time.Millisecond
	// silentPolls is how often the process that a state file names may be found alive without
	// answering. A server closes its socket a moment before it ends, but another process may also
	// have its number by now.
	silentPolls = 20
	// orphansLimit is how long a start waits for the last processes of a killed server, and
	// stillInUse what a new server logs while there are some.
	orphansLimit = 20 * time.Second
	stillInUse   = "is still in use"
)

// Options say which server to start. The zero value is a temporary server for tests.
type Options struct {
	// Dir is the folder that holds the server's data; it is made if it is missing and kept on Stop.
	// All processes that name the same folder share one server. Empty means a temporary folder that
	// Stop removes.
	Dir string
	// Bin is the folder with initdb, postgres and pg_ctl. Empty means: search, as described at
	// ErrNoBinaries.
	Bin string
	// Durable makes commits survive a power cut. Leave it off for data that can be made again: it
	// is then several times faster. The process that starts a shared server decides.
	Durable bool
	// InMemory puts the folder of a temporary server in memory if /dev/shm has room. Copying a
	// database then takes a tenth of the processor time: ext4 does not use the inodes of files that
	// were deleted within the last seconds, and spends most of the time searching for others.
	InMemory bool
	// Log gets a line about each step that takes time; nil means no log. The server's own log is
	// the file server.log in the folder.
	Log io.Writer
}

// Server is a running private Postgres server.
type Server struct {
	opts      Options
	who       account
	dir       string
	folder    *folder  // of dir, during the start
	log       *os.File // server.log, during the start
	bin       string
	users     *os.File     // a lock that every user of the server holds
	guard     <-chan error // of a temporary server; receives its end
	leash     io.Closer    // closing it makes the guard end the server
	socketDir string
	stopOnce  sync.Once
	stopErr   error
}

// Start starts the server of opts.Dir, or attaches to it if it runs, and returns when it accepts
// connections. The context bounds the start only. Every Server must be stopped, also one that
// another process started.
//
// A temporary server (no Dir) ends when this process dies, for whatever reason. A server with a Dir
// outlives its starter: if all its users are killed, it runs on, and the next Start attaches to it.
//
// It returns ErrNoBinaries, or an error that describes the failure; if the server did not start,
// with the last lines of its log.
func Start(ctx context.Context, opts Options) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	want, err := clusterVersion(opts.Dir)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts}
	if s.bin, err = findBinaries(ctx, opts.Bin, want); err != nil {
		return nil, err
	}
	if s.who, err = chooseAccount(); err != nil {
		return nil, err
	}
	if s.folder, err = openFolder(opts.Dir, s.who, opts.InMemory); err != nil {
		return nil, err
	}
	defer func() { _ = s.folder.root.Close() }() // it writes nothing later
	s.dir = s.folder.path
	if err := s.join(ctx); err != nil {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), quitLimit)
		defer cancel()
		_ = s.Stop(undo) // the first error is the useful one
		return nil, err
	}
	return s, nil
}

// join takes the lock of a user of the server. Then, under the lock of starters, it makes sure that
// the server runs. The order matters: while we hold a user's lock, no process stops a running
// server.
func (s *Server) join(ctx context.Context) error {
	var err error
	if s.users, err = openLock(ctx, filepath.Join(s.dir, "users"), syscall.LOCK_SH); err != nil {
		return err
	}
	lock, err := openLock(ctx, filepath.Join(s.dir, "start"), syscall.LOCK_EX)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // nothing was written
	if ready, err := s.waitReady(ctx, nil); ready || err != nil {
		return err
	}
	if err = s.furnish(); err != nil {
		return err
	}
	defer func() { _ = s.log.Close() }() // the server holds its own handle
	if s.opts.Dir == "" {
		err = s.startGuard(ctx)
	}
	if err == nil {
		err = s.makeCluster(ctx, lock)
	}
	if err == nil {
		err = s.closeByHand(ctx)
	}
	if err == nil {
		err = s.launch(ctx)
	}
	return err
}

// launch starts the server and waits until it accepts connections. If the server before it was
// killed, its last processes may still be ending: for a while, launch tries again.
func (s *Server) launch(ctx context.Context) error {
	patience, cancel := context.WithTimeout(ctx, orphansLimit)
	defer cancel()
	for {
		said, err := s.tryLaunch(ctx)
		if err == nil || !bytes.Contains(said, []byte(stillInUse)) {
			return err
		}
		select {
		case <-patience.Done():
			return err
		case <-time.After(othersEvery):
		}
	}
}

// tryLaunch starts the server once. If it does not start, it also returns what the server logged.
func (s *Server) tryLaunch(ctx context.Context) ([]byte, error) {
	before, err := s.log.Stat()
	if err != nil {
		return nil, fmt.Errorf("looking at the log of the server: %w", err)
	}
	cmd := s.command(context.WithoutCancel(ctx), "postgres", s.settings()...)
	cmd.Stdout, cmd.Stderr = s.log, s.log
	exited, err := spawn(cmd)
	if err != nil {
		return nil, err
	}
	if _, err := s.waitReady(ctx, exited); err != nil {
		_ = cmd.Process.Signal(syscall.SIGQUIT)                                 // it may have no state file yet, without which Stop does not find it
		said, _ := io.ReadAll(io.NewSectionReader(s.log, before.Size(), 1<<62)) // without it the error is still true
		return said, fmt.Errorf("postgres in %s did not start: %w%s", s.dir, err, lastLines(said))
	}
	return nil, nil
}

// waitReady waits until a server accepts connections, and then returns true. With exited, which
// receives its end, that is the server just started. Without it, it is a server that runs already,
// or whose starter was killed before it was ready; if there is none, waitReady returns false.
func (s *Server) waitReady(ctx context.Context, exited <-chan error) (bool, error) {
	every := pollEvery
	if exited == nil {
		every = othersEvery
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for silent := 0; ; silent++ {
		found := readState(s.data())
		dialed := errNoServer
		if exited == nil || found.ready {
			dialed = found.dial()
		}
		switch {
		case found.ready && dialed == nil:
			s.socketDir = found.socketDir
			return true, nil
		case listens(dialed): // it is starting or ending, or too many connections wait
			silent = 0
		case exited == nil && (!found.alive || silent >= silentPolls):
			return false, nil
		}
		select {
		case err := <-exited:
			return false, errors.Join(errors.New("it ended at once"), err)
		case <-ctx.Done():
			return false, fmt.Errorf("waiting for Postgres in %s to start or to end: %w", s.dir, ctx.Err())
		case <-tick.C:
		}
	}
}

// Stop ends our use of the server. If no other process uses it, Stop ends the server, and removes
// the folder of a temporary one. If the context ends first, the server is stopped in mode
// immediate. Stop may be called again; it then returns its first result.
func (s *Server) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() { s.stopErr = s.leave(ctx) })
	return s.stopErr
}

func (s *Server) leave(ctx context.Context) error {
	if s.users == nil {
		return nil
	}
	defer func() { _ = s.users.Close() }() // last, so that no process starts a server while this one ends
	if s.opts.Dir == "" {
		return s.remove(ctx)
	}
	alone, err := tryLock(s.users, syscall.LOCK_EX)
	if !alone || err != nil {
		return err
	}
	err = s.shutDown(ctx)
	s.removeSocketDir()
	return err
}

// URL returns the connection string of the server's first database, "postgres".
func (s *Server) URL() string {
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/postgres"}
	// libpq decodes %20 as a blank in a URL, but not +.
	u.RawQuery = strings.ReplaceAll(url.Values{"host": {s.socketDir}, "port": {port}}.Encode(), "+", "%20")
	return u.String()
}

// PsqlCommand returns the command with which the operator opens the named database in psql.
func (s *Server) PsqlCommand(database string) string {
	psql := filepath.Join(s.bin, "psql")
	if !isExecutable(psql) {
		psql = "psql" // some packages have the client elsewhere
	}
	quote := func(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
	return fmt.Sprintf("%s -h %s -p %s -U %s -d %s", psql, quote(s.socketDir), port, superuser, quote(database))
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) say(what string) {
	if s.opts.Log != nil {
		_, _ = fmt.Fprintln(s.opts.Log, what, s.dir) // only a message: losing it loses nothing
	}
}
