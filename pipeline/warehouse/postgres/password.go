package postgres

import (
	"context"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Password reads the password of the role that connects.
type Password func(ctx context.Context) (string, error)

// ReadAnew makes each new connection of a pool read its password first, so that a replaced one is
// used without a restart. Nil leaves the password of the address.
func ReadAnew(config *pgxpool.Config, password Password) {
	if password == nil {
		return
	}
	config.BeforeConnect = func(ctx context.Context, conn *pgx.ConnConfig) error {
		read, err := password(ctx)
		if err != nil {
			return fmt.Errorf("%w: reading its password: %w", ErrUnreachable, err)
		}
		conn.Password = read
		return nil
	}
}

// NewPool prepares connections of their own to the database at address, at most as many as most.
// Each new one reads the password, unless that is nil, and is set up as SetUp says.
func NewPool(ctx context.Context, address string, most int32, password Password, settings map[string]string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, CheckAddress(address)
	}
	config.MaxConns = most
	ReadAnew(config, password)
	SetUp(config.ConnConfig, settings)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	return pool, Fail("preparing connections to the database", err)
}

// Connect opens a connection of its own, as the pool opens its connections.
func Connect(ctx context.Context, pool *pgxpool.Pool) (*pgx.Conn, error) {
	config := pool.Config()
	if config.BeforeConnect != nil {
		if err := config.BeforeConnect(ctx, config.ConnConfig); err != nil {
			return nil, err
		}
	}
	return pgx.ConnectConfig(ctx, config.ConnConfig)
}

// WithPassword adds a password to an address that has none; an empty one adds nothing. The address
// has the form postgres://….
func WithPassword(address, password string) string {
	parsed, err := url.Parse(address)
	if err != nil || password == "" {
		return address
	}
	query := parsed.Query() // not the part before the host: an address may leave the user to PGUSER
	query.Set("password", password)
	parsed.RawQuery = query.Encode()
	return parsed.String()
}
