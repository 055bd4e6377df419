package jobs

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// lockClass is the first half of the advisory locks by which processes show that
// they live.
const lockClass = 0x51C0

// The rhythm of a process.
const (
	beatEvery = 5 * time.Second
	reapEvery = time.Second
	tickEvery = 15 * time.Second
)

// process is this process's sign of life: a session advisory lock on a connection
// of its own. Whatever ends the process ends the session, and with it the lock.
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
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1::integer, $2::integer)`, lockClass, p.id); err != nil {
		_ = conn.Close(ctx) // the first error says what is wrong
		return fmt.Errorf("lock to show that the process lives: %w", err)
	}
	p.conn = conn
	return nil
}

// beat looks after the connection: after a restart of the database the lock has
// to be taken anew. Until then others may take over our tickets; fences keep that
// harmless.
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
