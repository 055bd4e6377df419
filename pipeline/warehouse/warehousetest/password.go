package warehousetest

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// AsksForPassword makes the server ask the role of an address for its password, and returns when it
// does. A server in a container does so by itself; one on a socket trusts its only account.
func AsksForPassword(tb testing.TB, address string) {
	tb.Helper()
	right, err := url.Parse(address)
	if err != nil {
		tb.Fatal(err)
	}
	wrong := *right
	wrong.User = url.UserPassword(right.User.Username(), "wrong")
	refused := func() bool {
		conn, err := pgx.Connect(tb.Context(), wrong.String())
		if err == nil {
			_ = conn.Close(tb.Context()) // it did nothing
		}
		return err != nil
	}
	if refused() {
		return
	}
	admin := Connect(tb, Admin(tb, "postgres"))
	line := "local all " + right.User.Username() + " scram-sha-256"
	var file, text string
	err = admin.QueryRow(tb.Context(), `SELECT current_setting('hba_file'), pg_read_file(current_setting('hba_file'))`).Scan(&file, &text)
	if err == nil {
		_, err = admin.Exec(tb.Context(), `CREATE TEMPORARY TABLE list (n int GENERATED ALWAYS AS IDENTITY, line text)`)
	}
	if err == nil {
		_, err = admin.Exec(tb.Context(), `INSERT INTO list (line) SELECT $1 UNION ALL SELECT unnest(string_to_array($2, E'\n'))`, line, text)
	}
	if err == nil {
		_, err = admin.Exec(tb.Context(), `COPY (SELECT line FROM list ORDER BY n) TO '`+file+`'`)
	}
	if err == nil {
		_, err = admin.Exec(tb.Context(), `SELECT pg_reload_conf()`)
	}
	if err != nil {
		tb.Fatalf("making the server ask for passwords: %v", err)
	}
	ctx, cancel := context.WithTimeout(tb.Context(), databaseLimit)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !refused() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			tb.Fatal("the server does not ask for passwords")
		}
	}
}
