package postgres_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

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
	if err != nil {
		t.Fatal(err)
	}
	postgres.SetUp(config.ConnConfig, settings())
	if len(config.ConnConfig.RuntimeParams) != 1 || config.ConnConfig.RuntimeParams["application_name"] != "sluice" {
		t.Errorf("the start-up message asks for %v: only a name is what every pooler takes", config.ConnConfig.RuntimeParams)
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
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
	direct, err := pgx.ParseConfig(address)
	if err != nil {
		t.Fatal(err)
	}
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
			config, err := pgx.ParseConfig(between(t, direct, change))
			if err != nil {
				t.Fatal(err)
			}
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
	direct, err := pgx.ParseConfig(warehousetest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	config, err := pgx.ParseConfig(between(t, direct, func(query string) string { return query }))
	if err != nil {
		t.Fatal(err)
	}
	config.RuntimeParams["statement_timeout"] = "1min"
	if conn, err := pgx.ConnectConfig(t.Context(), config); err == nil {
		_ = conn.Close(context.WithoutCancel(t.Context()))
		t.Fatal("the pooler of this test takes anything: this shows nothing")
	}
	postgres.SetUp(config, settings())
	conn, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	var got string
	if err := conn.QueryRow(t.Context(), `SELECT current_setting('statement_timeout')`).Scan(&got); err != nil || got != "1min" {
		t.Errorf("statement_timeout is %q (%v)", got, err)
	}
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
		config, err := pgx.ParseConfig(withQuery(t, address, query))
		if err != nil {
			t.Fatal(err)
		}
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
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.RawQuery = strings.TrimPrefix(u.RawQuery+"&"+query, "&")
	return u.String()
}

// between plays a pooler in session mode: it refuses start-up parameters that it does not know, and
// changes simple queries. It returns the connection string of the database behind it.
func between(t *testing.T, direct *pgx.ConnConfig, change func(query string) string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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
