// Package local runs a private Postgres server with the binaries that are installed on this
// machine. It is for tries, and for tests without a container engine. It downloads nothing, needs no
// container, and listens on a unix socket only: the server is out of reach of the network, and two
// servers cannot clash over a port.
//
// It never touches a cluster that it did not make and never changes the machine's own Postgres
// service. It is unsuitable for a warehouse that several accounts or machines use: the owner of the
// socket directory is superuser of the server.
//
// A server belongs to the process that starts it and ends with it, also if that is killed. A folder
// has one server at a time.
//
// Start reading at Start; binaries.go chooses the binaries, account.go the account they run as,
// folder.go and cluster.go what is on the disk.
//
// One folder holds one server:
//
//	lock         locked (flock) by the guard of the server, as long as it lives
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
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	port          = "5432"          // only names the socket file; nothing listens on TCP
	superuser     = "postgres"      // owns every database
	maxSocketPath = 100             // below the limits: 104 bytes on macOS, 108 on Linux, each with a final zero
	startLimit    = 2 * time.Minute // recovery after a crash included

	// orphansLimit is how long a start waits for the end of the server before it.
	orphansLimit = 20 * time.Second
	orphansEvery = 100 * time.Millisecond
)

// Options say which server to start. The zero value is a temporary server for tests.
type Options struct {
	// Dir is the folder that holds the server's data; it is made if it is missing and kept on Stop.
	// Empty means a temporary folder that Stop removes.
	Dir string
	// Bin is the folder with initdb, postgres and pg_ctl. Empty means: search, as described at
	// ErrNoBinaries.
	Bin string
	// Durable makes commits survive a power cut. Leave it off for data that can be made again: it
	// is then several times faster.
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
	lock      *os.File // during the start
	bin       string
	guard     <-chan error // receives the end of the guard
	leash     io.Closer    // closing it makes the guard end the server
	socketDir string
	stopOnce  sync.Once
	stopErr   error
}

// Start starts a server and returns when it accepts connections. The context bounds the start only.
// It returns ErrNoBinaries, or an error that describes the failure; if the server did not start,
// with the last lines of its log.
func Start(ctx context.Context, opts Options) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	version, err := clusterVersion(opts.Dir)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts}
	if s.bin, err = findBinaries(ctx, opts.Bin, version); err != nil {
		return nil, err
	}
	if s.who, err = chooseAccount(); err != nil {
		return nil, err
	}
	if s.folder, err = openFolder(opts.Dir, s.who, opts.InMemory); err != nil {
		return nil, err
	}
	s.dir = s.folder.path
	// Server and guard hold their own handles.
	defer func() { _, _, _ = s.folder.root.Close(), s.log.Close(), s.lock.Close() }()
	err = s.takeLock(ctx)
	if err == nil {
		err = s.furnish()
	}
	if err == nil {
		err = s.startGuard(ctx)
	}
	if err == nil && version == "" {
		err = s.makeCluster(ctx)
	}
	if err == nil {
		err = s.launch(ctx)
	}
	if err != nil {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), startLimit)
		defer cancel()
		_ = s.Stop(undo) // the first error is the useful one
		return nil, err
	}
	return s, nil
}

// takeLock takes the lock of the folder. If the starter of the server before was killed, that one may
// still be ending. The system releases a lock when its holders die, so locks are never stale.
func (s *Server) takeLock(ctx context.Context) error {
	var err error
	if s.lock, err = s.folder.root.OpenFile("lock", os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return fmt.Errorf("opening the lock of the database folder: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, orphansLimit)
	defer cancel()
	for {
		err := syscall.Flock(int(s.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("another process uses the database folder %s: %w", s.dir, err)
		case <-time.After(orphansEvery):
		}
	}
}

// startGuard starts a process that waits until its input is closed: by Stop, or by the system when
// we die. Then it ends the server and removes a temporary folder. Our own code could not do that
// after a SIGKILL. pg_ctl runs under the server's account, which cannot harm other processes,
// whatever the state file of the server says.
func (s *Server) startGuard(ctx context.Context) error {
	const script = `read _; "$1" stop -s -D "$2" -m "$3" -t 20 || "$1" stop -s -D "$2" -m immediate; shift 3; rm -rf "$@"`
	mode, remove := "fast", []string{}
	if s.opts.Dir == "" {
		mode, remove = "immediate", []string{s.dir}
	}
	if !strings.HasPrefix(s.socketDir, s.dir) {
		remove = append(remove, s.socketDir)
	}
	cmd := s.command(context.WithoutCancel(ctx), "pg_ctl")
	cmd.Args = append([]string{"sh", "-c", script, "sh", cmd.Path, s.data(), mode}, remove...)
	cmd.Path = "/bin/sh"
	cmd.ExtraFiles = []*os.File{s.lock}
	leash, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("starting the guard of the server: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	s.leash, s.guard = leash, ended
	return nil
}

// launch starts the server and waits until it accepts connections. If the server before it was
// killed, its last processes may still be ending: for a while, launch tries again.
func (s *Server) launch(ctx context.Context) error {
	patience, cancel := context.WithTimeout(ctx, orphansLimit)
	defer cancel()
	for {
		before, err := s.log.Stat()
		if err != nil {
			return fmt.Errorf("looking at the log of the server: %w", err)
		}
		cmd := s.command(ctx, "pg_ctl", "start", "-s", "-w", "-t", "120", "-D", s.data(), "-o", s.settings())
		cmd.Stdout, cmd.Stderr = s.log, s.log
		if err = cmd.Run(); err == nil {
			return nil
		}
		said, _ := io.ReadAll(io.NewSectionReader(s.log, before.Size(), 1<<62)) // without it the error is still true
		err = fmt.Errorf("postgres in %s did not start: %w%s", s.dir, errors.Join(ctx.Err(), err), lastLines(said))
		if !bytes.Contains(said, []byte("is still in use")) {
			return err
		}
		select {
		case <-patience.Done():
			return err
		case <-time.After(orphansEvery):
		}
	}
}

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

// Stop ends the server, and removes a temporary one. It may be called again; it then returns its
// first result.
func (s *Server) Stop(ctx context.Context) error {
	s.stopOnce.Do(func() {
		if s.leash == nil {
			if s.opts.Dir == "" && s.dir != "" {
				_ = os.RemoveAll(s.dir) // the start failed before the guard existed, and has reported why
			}
			return
		}
		_ = s.leash.Close() // it fails only if the guard has ended
		var err error
		select {
		case err = <-s.guard:
		case <-ctx.Done():
			err = ctx.Err()
		}
		if err != nil {
			s.stopErr = fmt.Errorf("ending Postgres in %s: %w", s.dir, err)
		}
	})
	return s.stopErr
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
	return fmt.Sprintf("%s -h %s -p %s -U %s -d %s", psql, quote(s.socketDir), port, superuser, quote(database))
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }
