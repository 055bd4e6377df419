package postgres_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/warehousetest"
)

// settings returns the settings for a session of the tests.
func settings() map[string]string {
	return map[string]string{"application_name": "sluice", "statement_timeout": "300000", "lock_timeout": "20s", "jit": "false"}
}

// TestASessionIsSetUp: the search path has no other role's schema, whatever role, database or
// address say. Other settings are those of the address, or else the given ones.
func TestASessionIsSetUp(t *testing.T) {
	t.Parallel()
	address := warehousetest.New(t)
	config, err := pgxpool.ParseConfig(withQuery(t, address, "lock_timeout=7s&search_path=public&work_mem=5MB&timezone=Asia/Kolkata"))
	check.Must(t, err)
	postgres.SetUp(config.ConnConfig, settings())
	check.ErrorIf(t, len(config.ConnConfig.RuntimeParams) != 1 || config.ConnConfig.RuntimeParams["application_name"] != "sluice",
		"the start-up message asks for %v: only a name is what every pooler takes", config.ConnConfig.RuntimeParams)
	pool := check.Sure(pgxpool.NewWithConfig(t.Context(), config))(t)
	defer pool.Close()
	for name, want := range map[string]string{
		"search_path": "pg_catalog, pg_temp", "application_name": "sluice", "statement_timeout": "5min", "lock_timeout": "7s", "jit": "off",
		"work_mem": "5MB", "TimeZone": "Asia/Kolkata",
	} {
		var got string
		if err := pool.QueryRow(t.Context(), `SELECT current_setting($1)`, name).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, want %q (%v)", name, got, want, err)
		}
	}
}

// TestAPoolerThatDropsSettingsIsFoundOut: a pooler answers as if it had set a setting, and has not.
func TestAPoolerThatDropsSettingsIsFoundOut(t *testing.T) {
	t.Parallel()
	address := warehousetest.New(t)
	direct := check.Sure(pgx.ParseConfig(address))(t)
	for name, change := range map[string]func(query string) string{
		"": func(query string) string { return query },
		"search_path": func(query string) string {
			return strings.ReplaceAll(query, "'pg_catalog, pg_temp', false", "'public', false")
		},
		"statement_timeout": func(query string) string { return strings.ReplaceAll(query, "'300000', false", "'300001', false") },
		"jit":               func(query string) string { return strings.ReplaceAll(query, "'false', false", "'true', false") },
	} {
		t.Run("drops "+name, func(t *testing.T) {
			t.Parallel()
			config := check.Sure(pgx.ParseConfig(between(t, direct, change)))(t)
			postgres.SetUp(config, settings())
			conn, err := pgx.ConnectConfig(t.Context(), config)
			if err == nil {
				_ = conn.Close(context.WithoutCancel(t.Context()))
			}
			switch {
			case name == "" && err != nil:
				t.Errorf("it drops nothing: %v", err)
			case name != "" && (err == nil || !strings.Contains(err.Error(), "setting "+name) || !strings.Contains(err.Error(), "session mode")):
				t.Errorf("the error is: %v", err)
			}
		})
	}
}

// TestAPoolerThatRefusesStartUpParametersIsFine: PgBouncer accepts a few parameters, such as name
// and encoding, and refuses the others.
func TestAPoolerThatRefusesStartUpParametersIsFine(t *testing.T) {
	t.Parallel()
	direct := check.Sure(pgx.ParseConfig(warehousetest.New(t)))(t)
	config := check.Sure(pgx.ParseConfig(between(t, direct, func(query string) string { return query })))(t)
	config.RuntimeParams["statement_timeout"] = "1min"
	if conn, err := pgx.ConnectConfig(t.Context(), config); err == nil {
		_ = conn.Close(context.WithoutCancel(t.Context()))
		t.Fatal("the pooler of this test takes anything: this shows nothing")
	}
	postgres.SetUp(config, settings())
	conn := check.Sure(pgx.ConnectConfig(t.Context(), config))(t)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	var got string
	err := conn.QueryRow(t.Context(), `SELECT current_setting('statement_timeout')`).Scan(&got)
	check.ErrorIf(t, err != nil || got != "1min", "statement_timeout is %q (%v)", got, err)
}

// TestSettingsOfAnAddressMayBeSpelledOtherwise: the server returns 64MB for 65536 and "ISO, MDY"
// for ISO.
func TestSettingsOfAnAddressMayBeSpelledOtherwise(t *testing.T) {
	t.Parallel()
	address := warehousetest.New(t)
	for _, query := range []string{
		"application_name=b%C3%BCro", "application_name=" + strings.Repeat("n", 70), "work_mem=65536", "work_mem=65536kB", "datestyle=ISO",
		"timezone=%2B05", "jit=f", "client_min_messages=debug", "statement_timeout=90s", "default_transaction_isolation=repeatable%20read",
	} {
		config := check.Sure(pgx.ParseConfig(withQuery(t, address, query)))(t)
		postgres.SetUp(config, settings())
		conn, err := pgx.ConnectConfig(t.Context(), config)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		_ = conn.Close(context.WithoutCancel(t.Context()))
	}
}

// withQuery adds parameters to an address.
func withQuery(t *testing.T, address, query string) string {
	t.Helper()
	u := check.Sure(url.Parse(address))(t)
	u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+query, "&")
	return u.String()
}

// between plays a pooler in session mode: it refuses start-up parameters that it does not know, and
// changes simple queries. It returns the connection string of the database behind it.
func between(t *testing.T, direct *pgx.ConnConfig, change func(query string) string) string {
	t.Helper()
	listener := check.Sure(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	network, place := pgconn.NetworkAddress(direct.Host, direct.Port)
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, place)
			if err != nil {
				_ = client.Close()
				continue
			}
			go func() { defer func() { _ = client.Close() }(); _, _ = io.Copy(client, server) }()
			go func() { defer func() { _ = server.Close() }(); carry(client, server, change) }()
		}
	}()
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(direct.User, direct.Password), Host: listener.Addr().String(), Path: direct.Database,
		RawQuery: "sslmode=disable",
	}
	return u.String()
}

// carry forwards a client's messages.
func carry(client io.Reader, server io.Writer, change func(query string) string) {
	for typed := false; ; typed = true {
		head := make([]byte, 5)
		if !typed {
			head = head[1:]
		}
		if _, err := io.ReadFull(client, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[len(head)-4:])-4)
		if _, err := io.ReadFull(client, body); err != nil {
			return
		}
		switch {
		case !typed && !taken(body):
			return // PgBouncer: unsupported startup parameter
		case typed && head[0] == 'Q':
			body = append([]byte(change(strings.TrimSuffix(string(body), "\x00"))), 0)
			binary.BigEndian.PutUint32(head[1:], uint32(len(body)+4))
		}
		if _, err := server.Write(slices.Concat(head, body)); err != nil {
			return
		}
	}
}

// taken reports whether PgBouncer accepts a start-up message: version, then names and values.
func taken(body []byte) bool {
	known := []string{"user", "database", "application_name", "client_encoding", "datestyle", "timezone", "standard_conforming_strings"}
	words := strings.Split(strings.TrimRight(string(body[4:]), "\x00"), "\x00")
	for i := 0; i < len(words); i += 2 {
		if !slices.Contains(known, strings.ToLower(words[i])) {
			return false
		}
	}
	return true
}

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	check.Must(t, os.WriteFile(empty, nil, 0o600))
	good := filepath.Join(t.TempDir(), "good.pem")
	check.Must(t, os.WriteFile(good, []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), 0o600))
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
		got := postgres.Passwords(address)
		check.ErrorIf(t, !slices.Contains(got, "canAry"), "%s: %q", address, got)
	}
}

func TestPasswordsOfTheEnvironment(t *testing.T) { //nolint:paralleltest // the environment belongs to the process
	t.Setenv("PGPASSWORD", "canary")
	got := postgres.Passwords("postgres://u@db/w")
	check.ErrorIf(t, !slices.Contains(got, "canary"), "%q", got)
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
		got := postgres.Exposed(address)
		check.ErrorIf(t, got != want, "%s: %q, want %q", address, got, want)
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
		got := postgres.Exposed(c.address)
		check.ErrorIf(t, got != c.want, "PGSSLMODE=%s, %s: %q, want %q", c.mode, c.address, got, c.want)
	}
}

// serverOf accepts one connection as a server of a version, and returns the connection.
func serverOf(t *testing.T, version string) *pgconn.PgConn {
	t.Helper()
	listener := check.Sure((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
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
	conn := check.Sure(pgconn.Connect(t.Context(), "postgres://u@"+listener.Addr().String()+"/d?sslmode=disable"))(t)
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
		check.ErrorIf(t, (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want),
			"%q: %v, want %q", version, err, want)
		old := strings.Contains(want, "this is")
		check.ErrorIf(t, old != errors.Is(err, postgres.ErrTooOld), "%q: %v, want ErrTooOld %t", version, err, old)
	}
}
