package rows

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"sluice/schema/record"
)

const (
	// uniqueViolation is the error of a row that another session inserted between look and COPY.
	uniqueViolation = "23505"
	// noBinaryForm is the error of Postgres for bytes that are no value of a type. This package
	// uses it for texts that package record never makes.
	noBinaryForm = "22P03"
)

// Rejected is a record that Postgres refused, whole, for the quarantine.
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
// type), 23 (a constraint) or 54 (a limit of the server). Its text leaves out the message of
// Postgres, which quotes the value; Unwrap returns the original.
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

// Unwrap returns the error of Postgres, which may quote the value.
func (e *RejectedError) Unwrap() error { return e.cause }

// guarded wraps errors about values so that no value reaches a log (records carry personal data).
// It returns other errors unchanged.
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
