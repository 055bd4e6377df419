package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// KeepMemory makes the server's process behind a connection keep the memory that its statements ask for and give back. It is for
// pgxpool.Config.AfterConnect.
//
// COPY takes and gives back some hundreds of kilobytes for every few dozen rows, and glibc hands what is free at the end of the heap to the
// system from 128 kB on, so that the next rows find each page missing: a tenth of the server's time (docs/decisions/0021-loading-at-copy-speed). But glibc learns: when a
// block that was mapped by itself is given back, blocks of its size come out of the heap from then on, and twice as much stays. So the session
// gives one back that is larger than what COPY asks for. Source: mallopt(3), M_MMAP_THRESHOLD, "dynamic mmap threshold", and
// M_TRIM_THRESHOLD. Servers with another allocator (musl, macOS, Windows) pay one allocation and behave as before.
func KeepMemory(ctx context.Context, conn *pgx.Conn) error {
	// By the simple protocol: a pooler may be in between.
	if _, err := conn.PgConn().Exec(ctx, keepMemory).ReadAll(); err != nil {
		return fmt.Errorf("make the session keep its memory: %w", err)
	}
	return nil
}

// keepMemory gives 4 MB back; 1 MB is too little for what COPY asks for, 2 MB is enough.
const keepMemory = `SELECT octet_length(repeat(repeat('x', 1024), 4096))`
