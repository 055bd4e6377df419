package postgres_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"

	"sluice/pipeline/warehouse/postgres"
)

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(t.TempDir(), "good.pem")
	if err := os.WriteFile(good, []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"postgres://u:canary@db/w":                                                                   "",
		"postgres://u:canary@db/w?sslmode=bogus":                                                     "sslmode",
		"host=db user=u password=canary sslmode='bogus'":                                             "sslmode",
		"postgres://u:canary@db/w?sslmode=verify-full&sslrootcert=/no/such.pem":                      "sslrootcert cannot be read: no such file",
		"postgres://u:canary@db/w?sslmode=verify-full&sslrootcert=" + empty:                          "sslrootcert",
		"postgres://u:canary@db/w?sslmode=verify-full&sslcert=/no&sslkey=/no.k":                      "sslcert",
		"postgres://u:canary@db/w?pool_max_conns=abc":                                                "pool_",
		"postgres://u:canary@db:port/w?sslrootcert=" + good:                                          "postgres://user@host",
		"postgres://u:canary@db/w?sslrootcert=" + good + "&sslcert=" + good + "&sslkey=/no/such.key": "sslkey cannot be read",
		"postgres://u:canary@db:port/w":                                                              "postgres://user@host",
	} {
		err := postgres.CheckAddress(address)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", address, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", address, err, want)
		case err != nil && strings.Contains(err.Error(), "canary"):
			t.Errorf("the password is shown: %v", err)
		}
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"postgres://u:can%41ry@db/w", "postgres://u@db/w?password=can%41ry", "host=db user=u password=canAry", "host=db password = 'canAry'",
		"postgres://u:can%41ry@db/w?sslmode=bogus", "host=db password=canAry sslmode=bogus", "postgres://u@db/w?sslpassword=canAry&sslkey=/no",
	} {
		if got := postgres.Passwords(address); !slices.Contains(got, "canAry") {
			t.Errorf("%s: %q", address, got)
		}
	}
}

func TestPasswordsOfTheEnvironment(t *testing.T) { //nolint:paralleltest // the environment belongs to the process
	t.Setenv("PGPASSWORD", "canary")
	if got := postgres.Passwords("postgres://u@db/w"); !slices.Contains(got, "canary") {
		t.Errorf("%q", got)
	}
}

func TestExposed(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"postgres://u@127.0.0.1/w":                                              "",
		"postgres://u@127.8.0.1/w?sslmode=disable":                              "",
		"postgres://u@[::1]/w":                                                  "",
		"postgres://u@localhost/w":                                              "",
		"postgres://u@LocalHost/w":                                              "",
		"postgres:///w?host=/run/postgresql":                                    "",
		"host=/run/postgresql user=u":                                           "",
		"postgres://u@db.example.com/w?sslmode=verify-full":                     "",
		"host=db.example.com user=u sslmode=verify-full":                        "",
		"postgres://u@a.example.com,b.example.com/w?sslmode=verify-full":        "",
		"postgres://u@db.example.com/w":                                         "db.example.com",
		"host=db.example.com user=u":                                            "db.example.com",
		"host='db.example.com' user=u sslmode='require'":                        "db.example.com",
		"postgres:///w?host=db.example.com":                                     "db.example.com",
		"postgres://u@db.example.com/w?sslmode=disable":                         "db.example.com",
		"postgres://u@db.example.com/w?sslmode=allow":                           "db.example.com",
		"postgres://u@db.example.com/w?sslmode=prefer":                          "db.example.com",
		"postgres://u@db.example.com/w?sslmode=require":                         "db.example.com",
		"postgres://u@10.0.0.1/w?sslmode=verify-ca":                             "10.0.0.1",
		"postgres://u@[2001:db8::1]/w":                                          "2001:db8::1",
		"postgres://u@0.0.0.0/w":                                                "0.0.0.0",
		"postgres://u@localhost.example.com/w":                                  "localhost.example.com",
		"postgres://u@localhost,db.example.com/w":                               "db.example.com",
		"postgres://u@127.0.0.1:5432,10.0.0.2:5433/w":                           "10.0.0.2",
		"postgres:///w?host=/run/postgresql,10.0.0.3&port=5432,5432":            "10.0.0.3",
		"host=localhost,db.example.com user=u sslmode=require":                  "db.example.com",
		"postgres://u:p@no such address":                                        "",
		"postgres:///w?host=/run/postgresql,db.example.com&sslmode=verify-full": "",
	} {
		if got := postgres.Exposed(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

func TestExposedByTheEnvironment(t *testing.T) {
	t.Setenv("PGHOST", "db.example.com")
	for _, c := range []struct{ mode, address, want string }{
		{"", "postgres:///w", "db.example.com"},
		{"require", "postgres:///w", "db.example.com"},
		{"verify-full", "postgres:///w", ""},
		{"verify-full", "postgres:///w?sslmode=prefer", "db.example.com"},
		{"verify-full", "postgres://other.example.com/w", ""},
		{"", "postgres://localhost/w", ""},
		{"disable", "postgres://other.example.com/w?sslmode=verify-full", ""},
	} {
		t.Setenv("PGSSLMODE", c.mode)
		if got := postgres.Exposed(c.address); got != c.want {
			t.Errorf("PGSSLMODE=%s, %s: %q, want %q", c.mode, c.address, got, c.want)
		}
	}
}

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
