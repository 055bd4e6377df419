package postgres

import (
	"context"
	"io"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// CopyFrom copies what source gives, as pgconn does. When it returns, no goroutine reads source any
// more: the caller may ask it how it ended, and reuse its input. pgconn itself leaves its reading
// goroutine running when the connection fails or ctx ends (pgx 5.12, PgConn.CopyFrom: it returns an
// error of receiving before it waits).
func CopyFrom(ctx context.Context, conn *pgconn.PgConn, source io.Reader, sql string) (pgconn.CommandTag, error) {
	lent := &lent{source: source}
	defer lent.takeBack()
	return conn.CopyFrom(ctx, lent, sql)
}

// lent is a reader that its owner can take back.
type lent struct {
	mu     sync.Mutex
	source io.Reader
}

func (l *lent) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.source == nil {
		return 0, io.ErrClosedPipe
	}
	return l.source.Read(p) // a reader's own errors, io.EOF among them
}

// takeBack waits for the read that is under way, and refuses further ones.
func (l *lent) takeBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.source = nil
}
