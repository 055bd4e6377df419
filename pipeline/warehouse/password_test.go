package warehouse_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/warehousetest"
)

// TestARotatedPassword changes the password of a login role under a running pool: sessions that
// stand go on, and new ones take the new password from its file. Without the file, and with a
// password that is not in force yet, the database counts as out of reach, and no error says a
// password.
func TestARotatedPassword(t *testing.T) {
	t.Parallel()
	address := warehousetest.Owner(t)
	warehousetest.AsksForPassword(t, address)
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	role, file := parsed.User.Username(), filepath.Join(t.TempDir(), "password")
	parsed.User = url.User(role)
	admin := warehousetest.Connect(t, warehousetest.Admin(t, "postgres"))
	change := func(password string) {
		t.Helper()
		if _, err := admin.Exec(t.Context(), "ALTER ROLE "+role+" PASSWORD '"+password+"'"); err != nil {
			t.Fatal(err)
		}
	}
	write := func(password string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(password), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := warehouse.Open(t.Context(), parsed.String(), warehouse.Options{})
	if err == nil {
		db.Close()
		t.Fatal("the server asks for no password")
	}
	change("canary-one")
	write("canary-one")
	db, err = warehouse.Open(t.Context(), parsed.String(), warehouse.Options{Password: func(context.Context) (string, error) {
		text, err := os.ReadFile(file)
		return string(text), err
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	old, err := db.Pool().Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer old.Release()
	session := func(conn interface {
		QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	}) (uint32, error) {
		var pid uint32
		return pid, conn.QueryRow(t.Context(), "SELECT pg_backend_pid()").Scan(&pid)
	}
	before, err := session(old)
	if err != nil {
		t.Fatal(err)
	}

	change("canary-two")
	if now, err := session(old); err != nil || now != before {
		t.Errorf("the session that stood: %d, %v, want %d", now, err, before)
	}
	for name, prepare := range map[string]func(){
		"the old password": func() {},
		"no file":          func() { must(t, os.Remove(file)) },
	} {
		prepare()
		_, err := session(db.Pool())
		if failed := postgres.Fail("asking", err); !errors.Is(failed, warehouse.ErrUnreachable) || strings.Contains(failed.Error(), "canary") {
			t.Errorf("%s: %v", name, failed)
		}
		write("canary-one")
	}
	write("canary-two")
	now, err := session(db.Pool())
	if err != nil || now == before {
		t.Errorf("a new session of the pool: %d, %v", now, err)
	}
	conn, err := postgres.Connect(t.Context(), db.Pool())
	if err != nil {
		t.Fatalf("a connection of its own: %v", err)
	}
	must(t, conn.Close(t.Context()))
	direct, err := pgx.Connect(t.Context(), postgres.WithPassword(parsed.String(), "canary-two"))
	if err != nil {
		t.Fatalf("the address with its password: %v", err)
	}
	must(t, direct.Close(t.Context()))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
