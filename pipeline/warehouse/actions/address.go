package actions

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/warehouse/postgres"
)

const (
	sqlAddress = `
INSERT INTO sluice.console_address AS a (address) VALUES ($1)
ON CONFLICT (one) DO UPDATE SET address = excluded.address, changed_at = excluded.changed_at WHERE a.address <> excluded.address`

	sqlNoAddress = `DELETE FROM sluice.console_address`
)

// ErrAddress says that an address is none under which people reach a console.
var ErrAddress = errors.New("has to be an address such as https://sluice.example.com, without a user, a query or a fragment")

// ErrOnlyReads says that the role of the database may not write.
var ErrOnlyReads = errors.New("the role of the database only reads")

// Executor is a pool, or one transaction.
type Executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// SetConsoleAddress stores where people reach the console, for analytics.explain_url; "" means
// that there is none. It returns ErrAddress if the address is none, and ErrOnlyReads if the role
// may not write. Processes that know of no console of their own leave the address as it is: they
// do not call it.
func SetConsoleAddress(ctx context.Context, db Executor, address string) error {
	const op = "storing the address of the console"
	if address == "" {
		_, err := db.Exec(ctx, sqlNoAddress)
		return postgres.Fail(op, err)
	}
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "" || at.User != nil ||
		at.RawQuery != "" || at.ForceQuery || strings.Contains(address, "#") {
		return ErrAddress // without the address, which may have a password in it
	}
	_, err = db.Exec(ctx, sqlAddress, strings.TrimRight(at.String(), "/"))
	if postgres.LacksRight(err) {
		return fmt.Errorf("%s: %w", op, ErrOnlyReads)
	}
	return postgres.Fail(op, err)
}
