package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-sandbox/local"
	"sluice/migrations"
)

// ServerOptions describe a private Postgres.
type ServerOptions struct {
	// Dir is its folder; "" for a temporary one, which InMemory puts in memory.
	Dir      string
	InMemory bool
	// Durable makes commits survive an immediate stop.
	Durable bool
}

// Server is a private Postgres that can be attacked: stopped at any moment, filled up, crowded,
// locked, with sessions killed. Processes connect to it through a proxy.
type Server struct {
	options ServerOptions
	server  *local.Server
	// volume is the mount point of a small volume; "" for none, and then unfillable says why.
	volume, unfillable string
}

// The databases and roles of a server: Empty is a migrated database without rows, the template of
// others. Owner owns the tables, Receiver can do nothing but take callbacks.
const (
	Empty    = "empty"
	Owner    = "postgres"
	Receiver = "receiver"
)

// quitLimit bounds a stop of the server.
const quitLimit = time.Minute

// StartServer starts a server without databases.
func StartServer(ctx context.Context, options ServerOptions) (*Server, error) {
	s := &Server{options: options}
	if err := s.Start(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Start starts the server, or starts it again.
func (s *Server) Start(ctx context.Context) error {
	o := s.options
	if s.server != nil {
		if err := s.server.Stop(ctx); err != nil {
			return fmt.Errorf("leave the Postgres before: %w", err)
		}
	}
	server, err := local.Start(ctx, local.Options{Dir: o.Dir, InMemory: o.InMemory, Durable: o.Durable})
	if err != nil {
		return fmt.Errorf("start Postgres: %w", err)
	}
	s.server = server
	return nil
}

// Stop stops the server and removes the volume. A server that is told to stop while it recovers may
// never do so by itself.
func (s *Server) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), quitLimit)
	defer cancel()
	errs := []error{s.server.Stop(ctx)}
	if s.volume != "" {
		if output, err := exec.CommandContext(ctx, "umount", "-l", s.volume).CombinedOutput(); err != nil { //nolint:gosec // a path of ours
			errs = append(errs, fmt.Errorf("unmount the small volume: %w: %s", err, output))
		}
	}
	return errors.Join(errs...)
}

// URL returns the address of a database, without a proxy; "" for the one that others are made from.
func (s *Server) URL(database string) string {
	address, err := url.Parse(s.server.URL())
	if err == nil && database != "" {
		address.Path = "/" + database
		return address.String()
	}
	return s.server.URL()
}

// Through returns the address of a database behind a proxy, for a role and an application of a
// name.
func Through(proxy, role, database, application string) string {
	return "postgres://" + role + "@" + proxy + "/" + database + "?sslmode=disable&application_name=" + application
}

// Dial connects to the server, for a proxy.
func (s *Server) Dial(ctx context.Context) (net.Conn, error) {
	address, err := url.Parse(s.server.URL())
	if err != nil {
		return nil, fmt.Errorf("read the address of Postgres: %w", err)
	}
	query := address.Query()
	return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(query.Get("host"), ".s.PGSQL."+query.Get("port")))
}

// Do runs work on a connection of its own to a database.
func (s *Server) Do(ctx context.Context, database string, work func(conn *pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, s.URL(database))
	if err != nil {
		return fmt.Errorf("connect to Postgres: %w", err)
	}
	return errors.Join(work(conn), conn.Close(context.WithoutCancel(ctx)))
}

// Execute runs statements one by one.
func (s *Server) Execute(ctx context.Context, database string, statements ...string) error {
	return s.Do(ctx, database, func(conn *pgx.Conn) error {
		for _, sql := range statements {
			if _, err := conn.Exec(ctx, sql); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}
		return nil
	})
}

// Create makes a database anew, as a copy of a template without connections; "" for an empty one.
func (s *Server) Create(ctx context.Context, name, template string) error {
	if template == "" {
		template = "template0"
	}
	name, template = pgx.Identifier{name}.Sanitize(), pgx.Identifier{template}.Sanitize()
	return s.Execute(ctx, "", "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)", "CREATE DATABASE "+name+" TEMPLATE "+template)
}

// MakeEmpty makes the database Empty, and the role of receivers.
func (s *Server) MakeEmpty(ctx context.Context) error {
	if err := s.Create(ctx, Empty, ""); err != nil {
		return err
	}
	if err := migrations.Migrate(ctx, s.URL(Empty), migrations.Options{}); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return s.Execute(ctx, Empty, "CREATE ROLE "+Receiver+" LOGIN", "SELECT sluice.grant_receiver('"+Receiver+"')")
}

// Fresh makes a database as Create does, and connects to it.
func (s *Server) Fresh(ctx context.Context, name, template string) (*pgxpool.Pool, error) {
	if err := s.Create(ctx, name, template); err != nil {
		return nil, err
	}
	pool, err := pgxpool.New(ctx, s.URL(name))
	if err != nil {
		return nil, fmt.Errorf("prepare connections: %w", err)
	}
	return pool, nil
}

// Crash stops the server like pg_ctl stop -m immediate: nothing is flushed, all sessions break.
func (s *Server) Crash(ctx context.Context) error {
	state, err := os.ReadFile(filepath.Join(s.options.Dir, "data", "postmaster.pid"))
	if err != nil {
		return fmt.Errorf("find Postgres: %w", err)
	}
	first, _, _ := strings.Cut(string(state), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return fmt.Errorf("find Postgres: %w", err)
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		return fmt.Errorf("end Postgres: %w", err)
	}
	return Wait(ctx, quitLimit, "Postgres does not end", func(context.Context) (bool, error) { return syscall.Kill(pid, 0) != nil, nil })
}

// KillSession kills the server process of one session, of an application whose name begins with a
// text, as a memory killer does. It returns when Postgres has ended all sessions; then Postgres
// recovers by itself. Waiting matters: before it notices the kill, Postgres answers as usual.
func (s *Server) KillSession(ctx context.Context, database, application string) error {
	ctx, cancel := context.WithTimeout(ctx, quitLimit)
	defer cancel()
	return s.Do(ctx, database, func(witness *pgx.Conn) error {
		var pid int
		const busiest = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $1 || '%'
			ORDER BY state = 'active' DESC, state_change DESC LIMIT 1`
		if err := witness.QueryRow(ctx, busiest, application).Scan(&pid); err != nil {
			return fmt.Errorf("look for a session: %w", err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return fmt.Errorf("kill a session: %w", err)
		}
		if _, err := witness.Exec(ctx, "SELECT pg_sleep($1)", quitLimit.Seconds()); err == nil || ctx.Err() != nil {
			return errors.New("a session was killed, and Postgres did not end the others")
		}
		return nil
	})
}

// LockTable locks a table exclusively, as a careless migration does, until the returned function is
// called.
func (s *Server) LockTable(ctx context.Context, database, table string) (func(), error) {
	conn, err := pgx.Connect(ctx, s.URL(database))
	if err != nil {
		return nil, fmt.Errorf("connect to Postgres: %w", err)
	}
	unlock := func() { _ = conn.Close(context.WithoutCancel(ctx)) } // the lock ends with the connection
	if _, err := conn.Exec(ctx, "SET lock_timeout = '20s'; BEGIN; LOCK TABLE "+table+" IN ACCESS EXCLUSIVE MODE"); err != nil {
		unlock()
		return nil, fmt.Errorf("lock %s: %w", table, err)
	}
	return unlock, nil
}

// tooMany is Postgres' code for a refused connection: appendix A of its documentation.
const tooMany = "53300"

// Crowd takes all free connections of the server, until the returned function is called.
func (s *Server) Crowd(ctx context.Context, database string) (func(), error) {
	var taken []*pgx.Conn
	release := func() {
		for _, conn := range taken {
			_ = conn.Close(context.WithoutCancel(ctx)) // the server may have ended it
		}
	}
	for {
		conn, err := pgx.Connect(ctx, s.URL(database))
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == tooMany {
			return release, nil
		}
		if err != nil {
			release()
			return nil, fmt.Errorf("take all connections: %w", err)
		}
		taken = append(taken, conn)
	}
}

// CreateSmall makes a database in a tablespace on a small volume in memory, which belongs to the
// server's account. Where none can be mounted, the database is an ordinary one: see Fill. The
// write-ahead log stays in the server's folder.
func (s *Server) CreateSmall(ctx context.Context, name string, mebibytes int) error {
	at := filepath.Join(filepath.Dir(s.options.Dir), "small")
	if err := mount(ctx, at, filepath.Join(s.options.Dir, "data"), mebibytes); err != nil {
		s.unfillable = err.Error()
		return s.Create(ctx, name, Empty)
	}
	s.volume = at
	return s.Execute(ctx, "", "CREATE TABLESPACE small LOCATION '"+strings.ReplaceAll(at, "'", "''")+"'",
		"CREATE DATABASE "+name+" TEMPLATE "+Empty+" TABLESPACE small")
}

// mount mounts a volume that belongs to the owner of a folder.
func mount(ctx context.Context, at, like string, mebibytes int) error {
	owner, err := os.Stat(like)
	if err != nil {
		return fmt.Errorf("look at the cluster: %w", err)
	}
	stat, ok := owner.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New("this system does not name the owner of a file")
	}
	if err := os.Mkdir(at, 0o700); err != nil {
		return fmt.Errorf("make the mount point: %w", err)
	}
	options := fmt.Sprintf("size=%dm,mode=0700,uid=%d,gid=%d", mebibytes, stat.Uid, stat.Gid)
	cmd := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", options, "tmpfs", at) //nolint:gosec // arguments of ours
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mount a small volume: %w: %s", err, bytes.TrimSpace(output))
	}
	return nil
}

// ErrNoVolume says that there is no volume that can be filled.
var ErrNoVolume = errors.New("there is no small volume")

// Fill fills the small volume to the last byte. The returned function frees the space.
func (s *Server) Fill() (func() error, error) {
	if s.volume == "" {
		return nil, fmt.Errorf("%w: %s", ErrNoVolume, s.unfillable)
	}
	file, err := os.OpenFile(filepath.Join(s.volume, "filler"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("fill the volume: %w", err)
	}
	piece := make([]byte, 1<<20)
	for len(piece) > 0 {
		if _, err = file.Write(piece); errors.Is(err, syscall.ENOSPC) {
			piece = piece[:len(piece)/2]
		} else if err != nil {
			return nil, errors.Join(fmt.Errorf("fill the volume: %w", err), file.Close())
		}
	}
	if err := file.Close(); err != nil {
		return nil, fmt.Errorf("fill the volume: %w", err)
	}
	return func() error { return os.Remove(file.Name()) }, nil
}
