// Package postgres is a Postgres under attack: stopped at once, filled up, crowded, locked, with
// sessions killed.
//
// It knows nothing of upstream and of processes, which connect through a proxy. Start reading at
// Open.
package postgres

import (
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
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/migrations"
	"sluice/pipeline/warehouse/postgres/local"
)

// Server can be stopped at any moment, if it is durable. It has one database, and others copied
// from it. With a small volume, the database is in a tablespace on it; the write-ahead log is on
// the disk of its folder.
type Server struct {
	dir, small, unfillable string
	durable                bool
	server                 *local.Server
	// Pool connects beside the processes, without a proxy.
	Pool *pgxpool.Pool
}

const (
	// Database is the name of the database.
	Database = "chaos"
	// quitLimit bounds an immediate stop of the server.
	quitLimit = time.Minute
	pollEvery = 10 * time.Millisecond
)

// Open starts a server in a folder, durable or not, whose database has all tables and no rows. With
// mebibytes it is on a volume of that size, if one can be mounted: see Fillable. A bare database
// has no tables either, and there is no template of others.
func Open(ctx context.Context, folder string, mebibytes int, durable, bare bool) (_ *Server, err error) {
	p := &Server{dir: filepath.Join(folder, "pg"), durable: durable}
	if err := p.Start(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close(context.WithoutCancel(ctx)))
		}
	}()
	if mebibytes > 0 {
		if why := p.mount(ctx, filepath.Join(folder, "small"), mebibytes); why != nil {
			p.unfillable = why.Error()
		}
	}
	admin, err := pgx.Connect(ctx, p.server.URL())
	if err != nil {
		return nil, fmt.Errorf("connect to Postgres: %w", err)
	}
	defer func() { _ = admin.Close(ctx) }() // its work is done
	statements := []string{"CREATE DATABASE " + Database}
	if p.small != "" {
		statements = []string{
			"CREATE TABLESPACE small LOCATION '" + strings.ReplaceAll(p.small, "'", "''") + "'", "CREATE DATABASE " + Database + " TABLESPACE small",
		}
	}
	for _, sql := range statements {
		if _, err := admin.Exec(ctx, sql); err != nil {
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
	}
	if !bare {
		if err := p.fill(ctx, admin); err != nil {
			return nil, err
		}
	}
	if p.Pool, err = pgxpool.New(ctx, p.url(Database)); err != nil {
		return nil, fmt.Errorf("prepare connections: %w", err)
	}
	return p, nil
}

// fill makes the tables, the role of receivers, and the template of other databases.
func (p *Server) fill(ctx context.Context, admin *pgx.Conn) error {
	if err := migrations.Migrate(ctx, p.url(Database), migrations.Options{}); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := p.grantReceiver(ctx); err != nil {
		return err
	}
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+Empty+" TEMPLATE "+Database); err != nil {
		return fmt.Errorf("keep an empty database: %w", err)
	}
	return nil
}

// Empty is a database with all tables and no rows, the template of others.
const Empty = "empty"

// The roles that processes connect as: the owner of the tables, and one that can do nothing but
// take callbacks.
const (
	Owner    = "postgres"
	Receiver = "receiver"
)

// grantReceiver makes the role of receivers, also for the databases that are copied from this one.
func (p *Server) grantReceiver(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, p.url(Database))
	if err != nil {
		return fmt.Errorf("connect to Postgres: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }() // its work is done
	for _, sql := range []string{"CREATE ROLE " + Receiver + " LOGIN", "SELECT sluice.grant_receiver('" + Receiver + "')"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// Fresh copies a database without connections to a new one, and connects to it.
func (p *Server) Fresh(ctx context.Context, name, template string) (*pgxpool.Pool, error) {
	for _, sql := range []string{"DROP DATABASE IF EXISTS %[1]s WITH (FORCE)", "CREATE DATABASE %[1]s TEMPLATE %[2]s"} {
		sql = fmt.Sprintf(sql, pgx.Identifier{name}.Sanitize(), pgx.Identifier{template}.Sanitize())
		if _, err := p.Pool.Exec(ctx, sql); err != nil {
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
	}
	pool, err := pgxpool.New(ctx, p.url(name))
	if err != nil {
		return nil, fmt.Errorf("prepare connections: %w", err)
	}
	return pool, nil
}

// Start starts the server, or starts it again.
func (p *Server) Start(ctx context.Context) error {
	server, err := local.Start(ctx, local.Options{Dir: p.dir, Durable: p.durable})
	if err != nil {
		return fmt.Errorf("start Postgres: %w", err)
	}
	if before := p.server; before != nil {
		defer func() { _ = before.Stop(ctx) }() // it leaves the folder to the new server
	}
	p.server = server
	return nil
}

// Crash stops the server like pg_ctl stop -m immediate: nothing is flushed, all sessions break.
func (p *Server) Crash(ctx context.Context) error {
	pid, err := p.postmaster()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGQUIT); err != nil {
		return fmt.Errorf("end Postgres: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, quitLimit)
	defer cancel()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for syscall.Kill(pid, 0) == nil {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("postgres does not end: %w", ctx.Err())
		}
	}
	return nil
}

// KillSession kills the server process of one session, of an application whose name begins with a
// text, as a memory killer does. It returns when Postgres has ended all sessions; then Postgres
// recovers by itself. Waiting matters: before it notices the kill, Postgres answers as usual.
func (p *Server) KillSession(ctx context.Context, application string) error {
	ctx, cancel := context.WithTimeout(ctx, quitLimit)
	defer cancel()
	witness, err := pgx.Connect(ctx, p.url(Database))
	if err != nil {
		return fmt.Errorf("look for a session: %w", err)
	}
	defer func() { _ = witness.Close(ctx) }() // its session is to be broken
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
}

func (p *Server) postmaster() (int, error) {
	state, err := os.ReadFile(filepath.Join(p.dir, "data", "postmaster.pid"))
	if err != nil {
		return 0, fmt.Errorf("find Postgres: %w", err)
	}
	first, _, _ := strings.Cut(string(state), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		return 0, fmt.Errorf("find Postgres: %w", err)
	}
	return pid, nil
}

// url returns the address of a database, without a proxy.
func (p *Server) url(database string) string {
	address, err := url.Parse(p.server.URL())
	if err != nil {
		return p.server.URL()
	}
	address.Path = "/" + database
	return address.String()
}

// Dial connects to the server, for a proxy.
func (p *Server) Dial(ctx context.Context) (net.Conn, error) {
	address, err := url.Parse(p.server.URL())
	if err != nil {
		return nil, fmt.Errorf("read the address of Postgres: %w", err)
	}
	query := address.Query()
	return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(query.Get("host"), ".s.PGSQL."+query.Get("port")))
}

// Through returns the address of a database behind a proxy, for a role and an application of a
// name.
func Through(proxy, role, database, application string) string {
	return "postgres://" + role + "@" + proxy + "/" + database + "?sslmode=disable&application_name=" + application
}

// Close stops the server and removes the volume. A server that is told to stop while it recovers
// may never do so by itself.
func (p *Server) Close(ctx context.Context) error {
	if p.Pool != nil {
		p.Pool.Close()
	}
	stopping, cancel := context.WithTimeout(ctx, quitLimit)
	defer cancel()
	errs := []error{p.server.Stop(stopping)}
	if p.small != "" {
		if said, err := exec.CommandContext(ctx, "umount", "-l", p.small).CombinedOutput(); err != nil { //nolint:gosec // a path of ours
			errs = append(errs, fmt.Errorf("unmount the small volume: %w: %s", err, said))
		}
	}
	return errors.Join(errs...)
}
