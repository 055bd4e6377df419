package actions_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"sluice/migrations"
	"sluice/pipeline/warehouse/actions"
	"sluice/pipeline/warehouse/warehousetest"
)

// explained is the address of a record; "" is null.
func (f *fixture) explained(organization, resource, id string) string {
	f.Helper()
	var address string
	f.must(f.pool.QueryRow(f.Context(), `SELECT coalesce(analytics.explain_url($1, $2, $3), '')`, organization, resource, id).Scan(&address))
	return address
}

func TestTheAddressOfTheConsole(t *testing.T) {
	t.Parallel()
	f := open(t)
	const path = "/r/inventory.bills/460000000038049?org=10234695"
	for _, step := range []struct{ address, want string }{
		{"", ""},
		{"https://sluice.example.com", "https://sluice.example.com" + path},
		{"http://10.0.0.7:8080/", "http://10.0.0.7:8080" + path},
		{"https://example.com/tools/sluice//", "https://example.com/tools/sluice" + path},
		{"", ""},
	} {
		for range 2 { // each process sets it at its start
			f.must(actions.SetConsoleAddress(t.Context(), f.pool, step.address))
		}
		if got := f.explained("10234695", "inventory.bills", "460000000038049"); got != step.want {
			t.Errorf("with the address %q: %q, want %q", step.address, got, step.want)
		}
	}
	f.must(actions.SetConsoleAddress(t.Context(), f.pool, "https://sluice.example.com"))
	for _, wrong := range []string{
		"sluice.example.com", "javascript:alert(1)", "https://", "https://:8080", "https://jane:canary@sluice.example.com", "https://canary.example.com/?a=b",
		"https://canary.example.com/?", "https://canary.example.com/#", "https://canary .example.com", "ftp://canary.example.com", "/canary",
	} {
		err := actions.SetConsoleAddress(t.Context(), f.pool, wrong)
		if !errors.Is(err, actions.ErrAddress) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if got := f.explained("10234695", "inventory.bills", "460000000038049"); got != "https://sluice.example.com"+path {
		t.Errorf("a wrong address has replaced the one before: %q", got)
	}
	var null bool
	f.must(f.pool.QueryRow(t.Context(), `SELECT analytics.explain_url('a', 'inventory.bills', NULL) IS NULL AND analytics.explain_url('a', NULL, '1') IS NULL
		AND analytics.explain_url(NULL, 'inventory.bills', '1') IS NULL`).Scan(&null))
	if !null {
		t.Error("the address of no record is not null")
	}
}

// TestEachByteOfAnAddress compares with addresses that were encoded by hand, by RFC 3986.
func TestEachByteOfAnAddress(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.must(actions.SetConsoleAddress(t.Context(), f.pool, "https://c"))
	for id, want := range map[string]string{
		"AZaz09-._~": "AZaz09-._~", "a/b": "a%2Fb", "100%": "100%25", "%2F": "%252F", "a b": "a%20b", "a+b&c=d": "a%2Bb%26c%3Dd", "a?b#c": "a%3Fb%23c",
		"é": "%C3%A9", "日": "%E6%97%A5", "😀": "%F0%9F%98%80", "e\u0301": "e%CC%81", "a\nb": "a%0Ab", "abc\n": "abc%0A", "\"<'\\>": "%22%3C%27%5C%3E", "ÄZ": "%C3%84Z",
	} {
		if got := f.explained(id, id, id); got != "https://c/r/"+want+"/"+want+"?org="+want {
			t.Errorf("%q gives %s, want %s", id, got, want)
		}
	}
}

// TestAServerReadsTheAddress: whatever a record is called, a server whose routes are those of the
// console finds the names in the address.
func TestAServerReadsTheAddress(t *testing.T) {
	t.Parallel()
	f := open(t)
	seen := make(chan [3]string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /r/{resource}/{id}", func(_ http.ResponseWriter, r *http.Request) {
		seen <- [3]string{r.URL.Query().Get("org"), r.PathValue("resource"), r.PathValue("id")}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	f.must(actions.SetConsoleAddress(t.Context(), f.pool, server.URL))
	for _, id := range []string{"460000000038049", "a/b", "../../x", "a//b", "%", "%2e", " ", "a b+c", "?org=other&x", "#", "日本語/😀", "\"'<>\\`{}|^", "\t\r\n", ";,:@!$&()*="} {
		want := [3]string{"org " + id, "custom.things_" + id, id}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.explained(want[0], want[1], want[2]), http.NoBody)
		f.must(err)
		answer, err := server.Client().Do(request)
		f.must(err)
		f.must(answer.Body.Close())
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%q: status %d for %s", id, answer.StatusCode, request.URL)
			continue
		}
		if diff := cmp.Diff(want, <-seen); diff != "" {
			t.Errorf("%q (-want +got):\n%s", id, diff)
		}
	}
}

// TestReadersMayAsk: a role that may use nothing but schema analytics gets the address, and cannot
// read the table of it.
func TestReadersMayAsk(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(warehousetest.Owner(t))
	f := &fixture{T: t}
	f.must(err)
	f.must(migrations.Migrate(t.Context(), address.String(), migrations.Options{}))
	conn := warehousetest.Connect(t, address.String())
	f.must(actions.SetConsoleAddress(t.Context(), conn, "https://c"))
	admin := warehousetest.Connect(t, warehousetest.Admin(t, strings.TrimPrefix(address.Path, "/")))
	tx, err := admin.Begin(t.Context())
	f.must(err)
	const role = "analyst_of_this_test"
	var got string
	for _, step := range []string{"CREATE ROLE " + role, "GRANT USAGE ON SCHEMA analytics TO " + role, "SET LOCAL ROLE " + role} {
		_, err := tx.Exec(t.Context(), step)
		f.must(err)
	}
	f.must(tx.QueryRow(t.Context(), `SELECT analytics.explain_url('a', 'inventory.bills', 'é')`).Scan(&got))
	if got != "https://c/r/inventory.bills/%C3%A9?org=a" {
		t.Errorf("a reader gets %q", got)
	}
	err = pgx.BeginFunc(t.Context(), tx, func(inner pgx.Tx) error {
		_, err := inner.Exec(t.Context(), `UPDATE sluice.console_address SET address = 'x'`)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("a reader may change the address: %v", err)
	}
	f.must(tx.Rollback(t.Context()))
}
