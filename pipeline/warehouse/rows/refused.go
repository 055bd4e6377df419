package rows

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"sluice/schema/record"
)

const (
	// uniqueViolation is what a row gets that another session inserted between look and COPY.
	uniqueViolation = "23505"
	// noBinaryForm is what Postgres says of bytes that are no value of a type. It is said here of
	// texts that package record does not make.
	noBinaryForm = "22P03"
)

// Rejected is a record that Postgres would not take, whole, for the quarantine.
type Rejected struct {
	RejectedRecord record.Record
	// Code is the SQLSTATE, five characters.
	Code string
	// Path is the table with its schema and, where Postgres names it, the column: shop.goods.rate.
	Path string
	// Detail explains in words, without the value.
	Detail string
}

// RejectedError says that Postgres refuses a value: SQLSTATE class 22 (the value does not fit its
// type), 23 (a constraint) or 54 (a limit of the server). Its text leaves out what Postgres says,
// for that quotes the value; Unwrap gives the original.
type RejectedError struct {
	code, path, constraint string
	cause                  error
}

// Error implements error.
func (e *RejectedError) Error() string {
	text := "postgres refused a value: SQLSTATE " + e.code
	if e.path != "" {
		text += " at " + e.path
	}
	if e.constraint != "" {
		text += ", constraint " + e.constraint
	}
	return text
}

// Unwrap gives the error of Postgres, which may quote the value.
func (e *RejectedError) Unwrap() error { return e.cause }

// guarded wraps errors about values so that no value reaches a log (records carry personal data);
// others stay as they are.
func (w *work) guarded(err error) error {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || len(pg.Code) < 2 {
		return err
	}
	switch pg.Code[:2] {
	case "22", "23", "54":
		return &RejectedError{code: pg.Code, path: w.sql.Place(pg), constraint: pg.ConstraintName, cause: pg}
	default:
		return err
	}
}

func newRejected(record *record.Record, cause *RejectedError) Rejected {
	return Rejected{
		RejectedRecord: *record, Code: cause.code, Path: cause.path,
		Detail: "the database refused the record: " + cause.Error(),
	}
}
