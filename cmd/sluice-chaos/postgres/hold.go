package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// LockBills locks a table exclusively, as a careless migration does, until the returned function is
// called.
func (p *Server) LockBills(ctx context.Context) (func(), error) {
	conn, err := pgx.Connect(ctx, p.url(Database))
	if err != nil {
		return nil, fmt.Errorf("connect to Postgres: %w", err)
	}
	letGo := func() { _ = conn.Close(context.WithoutCancel(ctx)) } // the lock ends with the connection
	for _, sql := range []string{"SET lock_timeout = '20s'", "BEGIN", "LOCK TABLE inventory.bills IN ACCESS EXCLUSIVE MODE"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			letGo()
			return nil, fmt.Errorf("%s: %w", sql, err)
		}
	}
	return letGo, nil
}

// tooMany is Postgres' code for a refused connection: appendix A of its documentation.
const tooMany = "53300"

// Crowd takes all free connections of the server, until the returned function is called.
func (p *Server) Crowd(ctx context.Context) (func(), error) {
	var taken []*pgx.Conn
	letGo := func() {
		for _, conn := range taken {
			_ = conn.Close(context.WithoutCancel(ctx)) // the server may have ended it
		}
	}
	for {
		conn, err := pgx.Connect(ctx, p.url(Database))
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == tooMany {
			return letGo, nil
		}
		if err != nil {
			letGo()
			return nil, fmt.Errorf("take all connections: %w", err)
		}
		taken = append(taken, conn)
	}
}
