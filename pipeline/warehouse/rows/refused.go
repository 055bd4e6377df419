package rows

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"sluice/schema/record"
)

// errShape says that the database answered in a way that the statements rule out: the tables are not what the declaration
// says, or something else writes to them.
var errShape = errors.New("the table is not what its declaration says, or something else writes to it")

// Refused is a record that Postgres would not take, whole, for the quarantine.
type Refused struct {
	Record record.Record
	// Code is the SQLSTATE, five characters.
	Code string
	// Path is the table with its schema and, where Postgres names it, the column: shop.goods.rate.
	Path string
	// Detail explains in words, without the value.
	Detail string
}

// RefusedError says that Postgres refused a value: SQLSTATE class 22 (the value does not fit its type), 23 (a constraint)
// or 54 (a limit of the server). Its text leaves out what Postgres says, for that quotes the value; Unwrap gives the
// original.
type RefusedError struct {
	cause *pgconn.PgError
	path  string
}

// Code is the SQLSTATE.
func (e *RefusedError) Code() string { return e.cause.Code }

// Path names the table with its schema and, as far as Postgres tells, the column.
func (e *RefusedError) Path() string { return e.path }

// Error implements error.
func (e *RefusedError) Error() string {
	text := "postgres refused a value: SQLSTATE " + e.Code()
	if e.path != "" {
		text += " at " + e.path
	}
	if e.cause.ConstraintName != "" {
		text += ", constraint " + e.cause.ConstraintName
	}
	return text
}

// Unwrap gives the error of Postgres, which may quote the value.
func (e *RefusedError) Unwrap() error { return e.cause }

// guarded wraps errors about values so that no value reaches a log (records carry personal data); others stay as they are.
func (w *work) guarded(err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || len(pg.Code) < 2 {
		return err
	}
	switch pg.Code[:2] {
	case "22", "23", "54":
		return &RefusedError{cause: pg, path: w.sql.Place(pg)}
	default:
		return err
	}
}

func newRefused(record *record.Record, cause *RefusedError) Refused {
	return Refused{
		Record: *record, Code: cause.Code(), Path: cause.Path(),
		Detail: "the database refused the record: " + cause.Error(),
	}
}
