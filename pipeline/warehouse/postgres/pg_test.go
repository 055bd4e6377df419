package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"sluice/pipeline/warehouse/postgres"
)

// Codes of PostgreSQL's appendix A, and whether they say that the server is away, or that it cannot
// do the work now.
func TestWhatTheServerSays(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]struct{ unreachable, busy bool }{
		"08006": {unreachable: true},                 // connection_failure
		"57P01": {unreachable: true},                 // admin_shutdown
		"57P03": {unreachable: true},                 // cannot_connect_now
		"53300": {unreachable: true, busy: true},     // too_many_connections
		"28P01": {unreachable: true},                 // invalid_password: it may be replaced at this moment
		"53100": {busy: true}, "53200": {busy: true}, // disk_full, out_of_memory
		"58030": {busy: true},                        // io_error
		"55P03": {busy: true}, "57014": {busy: true}, // lock_not_available, query_canceled
		"40001": {busy: true}, "40P01": {busy: true}, // serialization_failure, deadlock_detected
		"55000": {}, "42P01": {}, "23505": {}, "22P02": {}, // our own mistakes, or a matter for the operator
	} {
		err := fmt.Errorf("registering: %w", &pgconn.PgError{Code: code})
		if postgres.Unreachable(err) != want.unreachable || postgres.Busy(err) != want.busy {
			t.Errorf("%s: unreachable %v, busy %v, want %+v", code, postgres.Unreachable(err), postgres.Busy(err), want)
		}
		if postgres.Refused(err) == want.unreachable || postgres.Deadlocked(err) != (code == "40P01") {
			t.Errorf("%s: refused %v, deadlocked %v", code, postgres.Refused(err), postgres.Deadlocked(err))
		}
	}
	for _, err := range []error{nil, errors.New("something else"), context.Canceled, errors.Join(context.Canceled, &pgconn.PgError{Code: "57014"})} {
		if postgres.Unreachable(err) || postgres.Busy(err) || postgres.Deadlocked(err) {
			t.Errorf("%v: unreachable %v, busy %v, deadlocked %v", err, postgres.Unreachable(err), postgres.Busy(err), postgres.Deadlocked(err))
		}
	}
}
