// Package postgres holds what all packages of the warehouse need for Postgres: transactions that
// always end, errors that say whether the database is out of reach, and values in a form that it
// accepts.
//
// Start reading at InTx.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrUnreachable says that the database is out of reach or refuses connections. The cause lies in
// the environment.
var ErrUnreachable = errors.New("the database is out of reach")

// ErrNotFound says that there is no row of that number.
var ErrNotFound = errors.New("not found")

// Bounds of texts, in bytes, so that no single text fills the database.
const (
	// MaxReason bounds reasons and other sentences.
	MaxReason = 2000
	// MaxName bounds paths, codes and other names.
	MaxName = 512
)

// SettleLimit bounds writes that have to be made although the caller's context has ended.
const SettleLimit = 10 * time.Second

// Beginner opens transactions.
type Beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// InTx runs fn in a transaction. If the outcome of the commit is unknown, it returns an error: the
// caller then claims the stream again and reads its position.
func InTx(ctx context.Context, pool Beginner, op string, fn func(tx pgx.Tx) error) error {
	tx, err := pool.Begin(ctx)
	if err != nil {
		return Fail(op, err)
	}
	defer Rollback(ctx, tx)
	if err := fn(tx); err != nil {
		return err
	}
	return Fail(op+": commit", tx.Commit(ctx))
}

// Rollback ends a transaction that was not committed; after a commit it does nothing.
func Rollback(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), SettleLimit)
	defer cancel()
	_ = tx.Rollback(ctx) // a connection that cannot even roll back is closed, and the server rolls back
}

// Fail wraps an error of the database, and adds ErrUnreachable if the database is out of reach.
func Fail(op string, err error) error {
	if err == nil {
		return nil
	}
	if Unreachable(err) && !errors.Is(err, ErrUnreachable) {
		return fmt.Errorf("%s: %w: %w", op, ErrUnreachable, err)
	}
	return fmt.Errorf("%s: %w", op, err)
}

// Unreachable reports whether an error means that the database is out of reach, refuses
// connections, or went away.
func Unreachable(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	if errors.Is(err, ErrUnreachable) {
		return true
	}
	var (
		answer  *pgconn.PgError
		connect *pgconn.ConnectError
		network *net.OpError
	)
	switch {
	case errors.As(err, &answer):
		// 08: connection, 57P: shutting down or starting up, 53300: too many connections, 28P01: the
		// password, which may be being replaced.
		return strings.HasPrefix(answer.Code, "08") || strings.HasPrefix(answer.Code, "57P") || answer.Code == "53300" || answer.Code == "28P01"
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF),
		pgconn.SafeToRetry(err): // a connection that is closed already
		return true
	default:
		return false
	}
}

// codeDeadlock is deadlock_detected (PostgreSQL, appendix A, error codes).
const codeDeadlock = "40P01"

// LacksRight reports whether an error means that the role lacks a right. Source: PostgreSQL,
// appendix A, insufficient_privilege.
func LacksRight(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && answer.Code == "42501"
}

// Busy reports whether the database is reachable but could not do what it was asked for just now.
// It has no room, no memory or no connection left, cannot write, or waited too long for other
// sessions. Source: PostgreSQL, appendix A, error codes.
func Busy(err error) bool {
	var answer *pgconn.PgError
	if !errors.As(err, &answer) || errors.Is(err, context.Canceled) {
		return false
	}
	switch answer.Code {
	case "55P03", "57014", "40001", codeDeadlock: // a lock was not available, the statement was canceled, serialization failed, or a deadlock
		return true
	default: // 53: resources, 58: the system below the server
		return strings.HasPrefix(answer.Code, "53") || strings.HasPrefix(answer.Code, "58")
	}
}

// Refused reports whether the server answered with an error about the statement itself: then
// nothing is written, and another transaction may succeed. It is false if the server is shutting
// down or out of reach, where the outcome is unknown.
func Refused(err error) bool {
	var answer *pgconn.PgError
	return errors.As(err, &answer) && !Unreachable(err)
}

// Deadlocked reports whether the server ended the transaction to resolve a deadlock.
func Deadlocked(err error) bool {
	var answer *pgconn.PgError
	return errors.As(err, &answer) && answer.Code == codeDeadlock
}

// Clean turns a text into one that Postgres accepts (no NUL, valid UTF-8), at most limit bytes
// long.
func Clean[Text ~string](said Text, limit int) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(string(said), "\uFFFD"), "\x00", "\u2400")
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// Instant gives null for the zero time.
func Instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// NotNil turns nil, which would be stored as null, into an empty value.
func NotNil(raw []byte) []byte {
	if raw == nil {
		return []byte{}
	}
	return raw
}

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
