package readers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/warehouse/postgres"
)

// ErrTooLong says that a question took longer than it may.
var ErrTooLong = errors.New("the answer took too long")

// Answer are the first rows of an answer, in the texts that Postgres gives; nil is null.
type Answer struct {
	Columns []AnswerColumn `json:"columns"`
	Rows    [][]*string    `json:"rows"`
	// More says that there are further rows.
	More bool `json:"more"`
}

// AnswerColumn is a column of an answer.
type AnswerColumn struct {
	Name   string `json:"name"`
	Number bool   `json:"number"`
}

const (
	sqlWithin = `SELECT set_config('statement_timeout', $1, true)`
	// A cursor keeps the order of the question, and reads no more rows than are fetched.
	sqlAnswer = `DECLARE answer NO SCROLL CURSOR FOR %s`
	sqlFetch  = `FETCH FORWARD %[1]d FROM answer`
)

// Query answers a query of the program's own documents: read only, within a time, with so many rows
// at most. It returns ErrTooLong if the time does not suffice.
func Query(ctx context.Context, pool *pgxpool.Pool, query string, within time.Duration, most int) (Answer, error) {
	const op = "answering a question"
	answer := Answer{Columns: []AnswerColumn{}, Rows: [][]*string{}}
	err := pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlWithin, strconv.FormatInt(within.Milliseconds(), 10)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, fmt.Sprintf(sqlAnswer, query), pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, fmt.Sprintf(sqlFetch, most+1), pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			return err
		}
		defer rows.Close()
		for _, field := range rows.FieldDescriptions() {
			answer.Columns = append(answer.Columns, AnswerColumn{Name: field.Name, Number: isNumber(field.DataTypeOID)})
		}
		for rows.Next() {
			if len(answer.Rows) == most {
				answer.More = true
				continue
			}
			answer.Rows = append(answer.Rows, textsOf(rows.RawValues()))
		}
		return rows.Err()
	})
	if stopped, ok := errors.AsType[*pgconn.PgError](err); ok && stopped.Code == "57014" && ctx.Err() == nil {
		return answer, fmt.Errorf("%w: more than %s", ErrTooLong, within)
	}
	return answer, postgres.Fail(op, err)
}

func isNumber(oid uint32) bool {
	return slices.Contains([]uint32{
		pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.NumericOID, pgtype.Float4OID, pgtype.Float8OID,
	}, oid)
}

// textsOf copies values: the next row overwrites them.
func textsOf(values [][]byte) []*string {
	texts := make([]*string, len(values))
	for i, value := range values {
		if value != nil {
			text := string(value)
			texts[i] = &text
		}
	}
	return texts
}
