package jobs

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// lockClass is the first half of the advisory locks by which processes show that they live.
const lockClass = 0x51C0

// The rhythm of a process.
const (
	beatEvery = 5 * time.Second
	reapEvery = time.Second
	tickEvery = 15 * time.Second
)

// tries bounds how many numbers of locks are tried. Any role that may connect can take locks of our
// class, and so many of the two billion that several in a row are taken by chance it cannot.
const tries = 20

// process is this process's sign of life: a session advisory lock on a connection of its own.
// Whatever ends the process ends the session, and with it the lock.
type process struct {
	pool *pgxpool.Pool
	id   int64
	mu   sync.Mutex
	conn *pgx.Conn
}

// register enters the process and takes its lock.
func register(ctx context.Context, pool *pgxpool.Pool) (*process, error) {
	p := &process{pool: pool}
	const insert = `INSERT INTO sluice.processes (name, started_at)
		VALUES (current_setting('application_name'), clock_timestamp()) RETURNING id`
	if err := pool.QueryRow(ctx, insert).Scan(&p.id); err != nil {
		return nil, fmt.Errorf("register the process: %w", err)
	}
	if err := p.connect(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *process) connect(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, p.pool.Config().ConnConfig)
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

// lock takes the lock of the process's number, or, if another session has that, one of any number,
// and notes which one it is and whose.
func (p *process) lock(ctx context.Context, conn *pgx.Conn) error {
	const take = `SELECT n, pg_try_advisory_lock($1::integer, n) FROM (
		SELECT CASE WHEN $3::integer = 0 THEN $2::bigint::integer ELSE floor(random() * 2147483647)::integer END AS n OFFSET 0) AS w`
	const note = `UPDATE sluice.processes SET lock_number = $2, lock_pid = pg_backend_pid() WHERE id = $1`
	for try := range tries {
		var number int32
		var taken bool
		if err := conn.QueryRow(ctx, take, lockClass, p.id, try).Scan(&number, &taken); err != nil {
			return fmt.Errorf("lock to show that the process lives: %w", err)
		}
		if !taken {
			continue
		}
		if _, err := conn.Exec(ctx, note, p.id, number); err != nil {
			return fmt.Errorf("say which lock shows that the process lives: %w", err)
		}
		return nil
	}
	return fmt.Errorf("lock to show that the process lives: other sessions hold all %d advisory locks of class %d that were tried: "+
		"look for them in pg_locks, and REVOKE CONNECT ON DATABASE from their roles", tries, lockClass)
}

// beat looks after the connection: after a restart of the database the lock has to be taken anew.
// Until then others may take over our tickets; fences keep that harmless.
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
