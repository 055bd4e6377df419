package postgres

import (
	"context"
	"io"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// CopyFrom copies what source gives as pgconn does, and has done with source when it returns:
// nobody reads of it any more, so its caller may ask it how it ended, and use again what it read
// from. pgconn itself leaves the goroutine that reads at work where the connection fails or ctx
// ends (pgx 5.12, PgConn.CopyFrom: it returns an error of receiving before it waits).
func CopyFrom(ctx context.Context, conn *pgconn.PgConn, source io.Reader, sql string) (pgconn.CommandTag, error) {
	lent := &lent{source: source}
	defer lent.takeBack()
	return conn.CopyFrom(ctx, lent, sql)
}

// lent is a reader that can be taken back from its reader.
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

// takeBack waits for the read that is under way, and lets no other begin.
func (l *lent) takeBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.source = nil
}
