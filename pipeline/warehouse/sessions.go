package warehouse

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// ErrSharedSessions says that a pooler shares sessions between connections. That fails, because the
// lock that shows that a process lives belongs to a session, and so do prepared statements.
var ErrSharedSessions = errors.New("the database is behind a pooler that shares sessions between connections (transaction or statement mode): " +
	"name the database itself, or a pooler in session mode, in database.session_url beside database.url, or in database.url")

// CheckSessions opens two connections and checks that each keeps its session, also while the other
// one is in a transaction. If not, it returns ErrSharedSessions. A nil error is no proof: a pooler
// may happen to give each connection a session of its own.
func CheckSessions(ctx context.Context, url string) error {
	var conns [2]*pgx.Conn
	var sessions [2]uint32
	defer func() {
		for _, conn := range conns {
			if conn != nil {
				_ = conn.Close(context.WithoutCancel(ctx)) // the connection has no open transaction
			}
		}
	}()
	for i := range conns {
		config, err := pgx.ParseConfig(url)
		if err != nil {
			return postgres.CheckAddress(url)
		}
		postgres.KeepStartUp(config)                                  // a pooler could refuse any other parameter
		config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // a pooler would lose prepared statements
		if conns[i], err = pgx.ConnectConfig(ctx, config); err != nil {
			return fmt.Errorf("%w: database %s at %s: %w", ErrUnreachable, config.Database, config.Host, err)
		}
		if err := postgres.CheckVersion(conns[i].PgConn()); err != nil {
			return err
		}
	}
	const look = "" // each connection is asked for its session
	for _, sql := range []string{look, "BEGIN", look, "COMMIT", look} {
		if sql != look {
			if _, err := conns[0].Exec(ctx, sql); err != nil {
				return postgres.Fail("looking whether connections keep their sessions", err)
			}
			continue
		}
		for i, conn := range conns {
			before := sessions[i]
			if err := conn.QueryRow(ctx, `SELECT pg_catalog.pg_backend_pid()`).Scan(&sessions[i]); err != nil {
				return postgres.Fail("looking whether connections keep their sessions", err)
			}
			if before != 0 && before != sessions[i] {
				return ErrSharedSessions
			}
		}
		if sessions[0] == sessions[1] {
			return ErrSharedSessions
		}
	}
	return nil
}
