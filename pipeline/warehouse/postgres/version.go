package postgres

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// Oldest is the first major version of Postgres that has all that the program uses.
const Oldest = 14

// ErrTooOld says that the server is of a version that lacks what the program uses.
var ErrTooOld = fmt.Errorf("the server is too old: sluice needs Postgres %d or newer", Oldest)

// CheckVersion returns ErrTooOld if the server of a connection is older than Oldest. It asks
// nothing: the server told its version when the connection began, through poolers, too.
func CheckVersion(conn *pgconn.PgConn) error {
	said := conn.ParameterStatus("server_version")
	digits, _, _ := strings.Cut(said, ".")
	major, err := strconv.Atoi(digits[:len(digits)-len(strings.TrimLeft(digits, "0123456789"))])
	if err != nil {
		return errors.New("the server does not say its version: it is no Postgres, or something between drops what it says")
	}
	if major < Oldest {
		return fmt.Errorf("%w, and this is %s", ErrTooOld, said)
	}
	return nil
}
