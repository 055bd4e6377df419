package ground

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
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/migrations"
	"sluice/pipeline/warehouse/localpg"
)

// Postgres is a server that may be ended at any moment, if it is durable, with one database. If a small volume was asked for and may be
// mounted, the database is in a tablespace on it; what the server writes ahead is on the disk of its folder.
type Postgres struct {
	dir, small, unfillable string
	durable                bool
	server                 *localpg.Server
	// Pool asks beside the processes, without a proxy.
	Pool *pgxpool.Pool
}

const (
	database = "storm"
	// filler is the file that fills the small volume.
	filler = "filler"
	// quitLimit is how long a server may take to end that was told to end at once.
	quitLimit = time.Minute
	pollEvery = 10 * time.Millisecond
)

func openPostgres(ctx context.Context, folder string, mebibytes int, durable bool) (_ *Postgres, err error) {
	p := &Postgres{dir: filepath.Join(folder, "pg"), durable: durable}
	if err := p.Start(ctx); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close(context.WithoutCancel(ctx)))
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
	defer func() { _ = admin.Close(ctx) }() // what it was for is done
	statements := []string{"CREATE DATABASE " + database}
	if p.small != "" {
		statements = []string{
			"CREATE TABLESPACE small LOCATION '" + strings.ReplaceAll(p.small, "'", "''") + "'", "CREATE DATABASE " + database + " TABLESPACE small",
		}
	}
	for _, sql := range statements {
		if _, err := admin.Exec(ctx, sql); err != nil {
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
	}
	if err := migrations.Migrate(ctx, p.url(database), migrations.Options{}); err != nil {
		return nil, fmt.Errorf("migrate: %w", err)
	}
	if _, err := admin.Exec(ctx, "CREATE DATABASE "+Empty+" TEMPLATE "+database); err != nil {
		return nil, fmt.Errorf("keep an empty database: %w", err)
	}
	if p.Pool, err = pgxpool.New(ctx, p.url(database)); err != nil {
		return nil, fmt.Errorf("prepare connections: %w", err)
	}
	return p, nil
}

// Empty is a database with all tables and no rows, to make others of.
const Empty = "empty"

// Fresh makes a database as another one is, to which nobody is connected, and connects to it.
func (p *Postgres) Fresh(ctx context.Context, name, template string) (*pgxpool.Pool, error) {
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

// mount makes a volume of memory that the server's account owns.
func (p *Postgres) mount(ctx context.Context, at string, mebibytes int) error {
	owner, err := os.Stat(filepath.Join(p.dir, "data"))
	if err != nil {
		return fmt.Errorf("look at the cluster: %w", err)
	}
	stat, ok := owner.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New("this system does not say who owns a file")
	}
	if err := os.Mkdir(at, 0o700); err != nil {
		return fmt.Errorf("make the mount point: %w", err)
	}
	options := fmt.Sprintf("size=%dm,mode=0700,uid=%d,gid=%d", mebibytes, stat.Uid, stat.Gid)
	cmd := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", options, "tmpfs", at) //nolint:gosec // arguments of ours
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mount a small volume: %w: %s", err, bytes.TrimSpace(said))
	}
	p.small = at
	return nil
}

// Start starts the server, or starts it again.
func (p *Postgres) Start(ctx context.Context) error {
	server, err := localpg.Start(ctx, localpg.Options{Dir: p.dir, Durable: p.durable})
	if err != nil {
		return fmt.Errorf("start Postgres: %w", err)
	}
	if before := p.server; before != nil {
		defer func() { _ = before.Stop(ctx) }() // it leaves the folder to the new one
	}
	p.server = server
	return nil
}

// Crash ends it as pg_ctl stop -m immediate does: nothing is written out, all sessions break.
func (p *Postgres) Crash(ctx context.Context) error {
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

// KillSession kills the server process of one session, of an application whose name begins so, as a memory killer does. Postgres
// then ends all sessions and recovers by itself.
func (p *Postgres) KillSession(ctx context.Context, application string) error {
	var pid int
	const busiest = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE $1 || '%'
		ORDER BY state = 'active' DESC, state_change DESC LIMIT 1`
	if err := p.Pool.QueryRow(ctx, busiest, application).Scan(&pid); err != nil {
		return fmt.Errorf("look for a session: %w", err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill a session: %w", err)
	}
	return nil
}

func (p *Postgres) postmaster() (int, error) {
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

// Fillable says whether there is a volume that can be filled, and if not, why.
func (p *Postgres) Fillable() (bool, string) { return p.small != "", p.unfillable }

// Fill fills the small volume to the last byte.
func (p *Postgres) Fill() error {
	file, err := os.OpenFile(filepath.Join(p.small, filler), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("fill the volume: %w", err)
	}
	piece := make([]byte, 1<<20)
	for len(piece) > 0 {
		switch _, err = file.Write(piece); {
		case errors.Is(err, syscall.ENOSPC):
			piece = piece[:len(piece)/2]
		case err != nil:
			return errors.Join(fmt.Errorf("fill the volume: %w", err), file.Close())
		}
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("fill the volume: %w", err)
	}
	return nil
}

// Free takes back what Fill filled.
func (p *Postgres) Free() error {
	if err := os.Remove(filepath.Join(p.small, filler)); err != nil {
		return fmt.Errorf("free the volume: %w", err)
	}
	return nil
}

// url is the address of a database, without a proxy.
func (p *Postgres) url(database string) string {
	address, err := url.Parse(p.server.URL())
	if err != nil {
		return p.server.URL()
	}
	address.Path = "/" + database
	return address.String()
}

// Dial connects to the server, for a proxy.
func (p *Postgres) Dial(ctx context.Context) (net.Conn, error) {
	address, err := url.Parse(p.server.URL())
	if err != nil {
		return nil, fmt.Errorf("read the address of Postgres: %w", err)
	}
	query := address.Query()
	return (&net.Dialer{}).DialContext(ctx, "unix", filepath.Join(query.Get("host"), ".s.PGSQL."+query.Get("port")))
}

// through is the address of a database behind a proxy, for an application of a name.
func through(proxy, database, application string) string {
	return "postgres://postgres@" + proxy + "/" + database + "?sslmode=disable&application_name=" + application
}

func (p *Postgres) close(ctx context.Context) error {
	if p.Pool != nil {
		p.Pool.Close()
	}
	errs := []error{p.server.Stop(ctx)}
	if p.small != "" {
		if said, err := exec.CommandContext(ctx, "umount", "-l", p.small).CombinedOutput(); err != nil { //nolint:gosec // a path of ours
			errs = append(errs, fmt.Errorf("unmount the small volume: %w: %s", err, said))
		}
	}
	return errors.Join(errs...)
}
