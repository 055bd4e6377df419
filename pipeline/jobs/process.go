package jobs

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// lockClass is the first key of the advisory locks that show which processes are alive.
const lockClass = 0x51C0

// The intervals of the periodic tasks of a process.
const (
	beatEvery = 5 * time.Second
	reapEvery = time.Second
	tickEvery = 15 * time.Second
)

// tries bounds how many lock numbers are tried. Any role that may connect can take locks of this
// class. It cannot take so many of the two billion that several random numbers in a row are taken.
const tries = 20

// process shows that this process is alive: it holds a session advisory lock on a connection of its
// own. When the process ends in any way, the session ends, and with it the lock.
type process struct {
	pool *pgxpool.Pool
	id   int64
	// began tells its row from that of another process which has its number, on a database that
	// had forgotten the row.
	began   time.Time
	program int64
	mu      sync.Mutex
	conn    *pgx.Conn
}

// register inserts the process, of a version of the program, into its table and takes its lock.
func register(ctx context.Context, pool *pgxpool.Pool, program int64) (*process, error) {
	p := &process{pool: pool, program: program}
	const insert = `INSERT INTO sluice.processes (name, started_at, program)
		VALUES (current_setting('application_name'), clock_timestamp(), nullif($1::bigint, 0)) RETURNING id, started_at`
	if err := pool.QueryRow(ctx, insert, program).Scan(&p.id, &p.began); err != nil {
		return nil, fmt.Errorf("register the process: %w", err)
	}
	if err := p.connect(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *process) connect(ctx context.Context) error {
	conn, err := postgres.Connect(ctx, p.pool)
	if err != nil {
		return fmt.Errorf("connect to show that the process lives: %w", err)
	}
	if err := p.lock(ctx, conn); err != nil {
		_ = conn.Close(ctx) // the first error says what is wrong
		return err
	}
	p.conn = conn
	return nil
}

// lock takes the lock with the process's number. If another session has that, it takes one with a
// random number. It records the lock's number and the session that holds it.
func (p *process) lock(ctx context.Context, conn *pgx.Conn) error {
	const take = `SELECT n, pg_try_advisory_lock($1::integer, n) FROM (
		SELECT CASE WHEN $3::integer = 0 THEN $2::bigint::integer ELSE floor(random() * 2147483647)::integer END AS n OFFSET 0) AS w`
	// A database that was promoted or restored may have forgotten the process.
	const note = `INSERT INTO sluice.processes AS p (id, name, started_at, lock_number, lock_pid, program) OVERRIDING SYSTEM VALUE
		VALUES ($1, current_setting('application_name'), $3, $2, pg_backend_pid(), nullif($4::bigint, 0))
		ON CONFLICT (id) DO UPDATE SET lock_number = excluded.lock_number, lock_pid = excluded.lock_pid WHERE p.started_at = excluded.started_at`
	for try := range tries {
		var number int32
		var taken bool
		if err := conn.QueryRow(ctx, take, lockClass, p.id, try).Scan(&number, &taken); err != nil {
			return fmt.Errorf("lock to show that the process lives: %w", err)
		}
		if !taken {
			continue
		}
		noted, err := conn.Exec(ctx, note, p.id, number, p.began, p.program)
		if err != nil {
			return fmt.Errorf("record the lock that shows that the process lives: %w", err)
		}
		if noted.RowsAffected() == 0 {
			return fmt.Errorf("the database forgot process %d, and another one has its number now: restart this one", p.id)
		}
		return nil
	}
	return fmt.Errorf("lock to show that the process lives: other sessions hold all %d advisory locks of class %d that were tried: "+
		"look for them in pg_locks, and REVOKE CONNECT ON DATABASE from their roles", tries, lockClass)
}

// client returns the process's name in the queue; nil if no lock shows that it lives, because
// another process may have its number then.
func (p *process) client() *string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == nil {
		return nil
	}
	name := clientOf(p.id)
	return &name
}

// clientOf is the name of a process in the queue.
func clientOf(process int64) string { return "sluice-" + strconv.FormatInt(process, 10) }

// beat checks the connection and takes the lock anew after a restart of the database. Until then
// other processes may take over the jobs of this one; fences keep that harmless.
func (p *process) beat(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != nil && p.conn.Ping(ctx) == nil {
		return nil
	}
	if p.conn != nil {
		_ = p.conn.Close(ctx) // it is broken already
		p.conn = nil
	}
	return p.connect(ctx)
}

func (p *process) close(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == nil {
		return
	}
	const update = `UPDATE sluice.processes SET stopped_at = clock_timestamp() WHERE id = $1`
	_, _ = p.conn.Exec(ctx, update, p.id) // the lock ends with the session anyway
	_ = p.conn.Close(ctx)
	p.conn = nil
}
