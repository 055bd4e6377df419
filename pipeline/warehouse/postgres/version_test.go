package postgres_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"sluice/pipeline/warehouse/postgres"
)

// serverOf accepts one connection as a server of a version, and returns the connection.
func serverOf(t *testing.T, version string) *pgconn.PgConn {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		backend := pgproto3.NewBackend(conn, conn)
		if _, err := backend.ReceiveStartupMessage(); err != nil {
			return
		}
		backend.Send(&pgproto3.AuthenticationOk{})
		if version != "" {
			backend.Send(&pgproto3.ParameterStatus{Name: "server_version", Value: version})
		}
		backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
		_ = backend.Flush()
	}()
	conn, err := pgconn.Connect(t.Context(), "postgres://u@"+listener.Addr().String()+"/d?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

// TestServersBefore14AreRefused: the error says what is needed and what is there.
func TestServersBefore14AreRefused(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"15.18 (Debian 15.18-0+deb12u1)": "", "14.0": "", "17beta2": "", "18.1": "",
		"13.22": "Postgres 14 or newer, and this is 13.22", "9.6.24": "this is 9.6.24", "": "does not say its version",
	} {
		err := postgres.CheckVersion(serverOf(t, version))
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", version, err, want)
		}
		if old := strings.Contains(want, "this is"); old != errors.Is(err, postgres.ErrTooOld) {
			t.Errorf("%q: %v, want ErrTooOld %t", version, err, old)
		}
	}
}
