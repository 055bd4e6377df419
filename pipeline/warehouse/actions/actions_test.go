package actions_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/actions"
	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// fixture is a migrated database.
type fixture struct {
	*testing.T
	pool *pgxpool.Pool
}

func open(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	return &fixture{T: t, pool: warehousetest.Pool(t, warehousetest.Migrated(t))}
}

func (f *fixture) write(action actions.Action) int64 {
	f.Helper()
	return check.Sure(actions.Write(f.Context(), f.pool, &action))(f)
}

// targets are the targets of the actions that a filter chooses.
func (f *fixture) targets(filter actions.Filter) string {
	f.Helper()
	found := check.Sure(actions.List(f.Context(), f.pool, filter))(f)
	var targets []string
	for i := range found {
		targets = append(targets, found[i].Target)
	}
	return strings.Join(targets, " ")
}

func TestAnActionIsReadAsItWasWritten(t *testing.T) {
	f := open(t)
	began := time.Now()
	scrubber := outside.NewScrubber()
	scrubber.Keep("a-secret-of-the-test")
	failed := actions.Action{
		Actor: "jane", Action: "backfill pause", Target: "12", Organization: "10234695",
		Before: json.RawMessage(`{"state": "running"}`), Outcome: actions.Failed, Error: scrubber.Text("refused: a-secret-of-the-test", 200),
	}
	done := actions.Action{Actor: "joe", Action: "sync", Target: "inventory.bills", After: json.RawMessage(`{"due": 1e2}`), Outcome: actions.Done}
	for _, want := range []actions.Action{failed, done} {
		id := f.write(want)
		got := check.Sure(actions.Get(t.Context(), f.pool, id))(f)
		check.ErrorIf(t, got.ID != id || got.At.Sub(began).Abs() > time.Minute, "action %d has the number %d and is of %s", id, got.ID, got.At)
		got.ID, got.At = 0, time.Time{}
		if want.After != nil {
			want.After = json.RawMessage(`{"due": 100}`)
		}
		diff := cmp.Diff(want, got)
		check.ErrorIf(t, diff != "" || strings.Contains(string(got.Error), "secret-of"), "-written +read:\n%s", diff)
	}
	var null int
	check.Must(f, f.pool.QueryRow(t.Context(), `SELECT count(*) FROM sluice.actions WHERE target = 'inventory.bills'
		AND organization_id IS NULL AND before IS NULL AND error IS NULL`).Scan(&null))
	check.ErrorIf(t, null != 1, "what an action does not have is not null")
	_, err := actions.Get(t.Context(), f.pool, 999)
	check.ErrorIf(t, !errors.Is(err, postgres.ErrNotFound), "Get of an action that is none: %v", err)
}

// TestWordsThatPostgresRefuses: an action is noted whatever its names and records hold.
func TestWordsThatPostgresRefuses(t *testing.T) {
	f := open(t)
	long := json.RawMessage(`"` + strings.Repeat("x", actions.MaxState) + `"`)
	id := f.write(actions.Action{
		Actor: "ja\x00ne", Action: "quarantine retry", Target: "in\xffventory" + strings.Repeat("ü", 400), Organization: "a\x00",
		Before: json.RawMessage(`{"name": "a\u0000b\\u0000", "half": "\ud800"}`), After: long, Outcome: actions.Failed, Error: "un\x00fit",
	})
	got := check.Sure(actions.Get(t.Context(), f.pool, id))(f)
	got.ID, got.At = 0, time.Time{}
	want := actions.Action{
		Actor: "ja␀ne", Action: "quarantine retry", Target: "in\uFFFDventory" + strings.Repeat("ü", 250), Organization: "a␀",
		// "in", the replacement and "ventory" have 12 bytes; 250 letters of two bytes make 512.
		Before: json.RawMessage(`{"half": "` + "\uFFFD" + `", "name": "a␀b\\u0000"}`), After: json.RawMessage(`{"left_out_bytes": 65538}`),
		Outcome: actions.Failed, Error: "un␀fit",
	}
	check.Same(t, "read", want, got)
	for what, action := range map[string]actions.Action{
		"no JSON":                   {Before: json.RawMessage(`{`), Outcome: actions.Done},
		"a key twice":               {After: json.RawMessage(`{"a":1,"a":2}`), Outcome: actions.Done},
		"no outcome":                {},
		"a failure without a cause": {Outcome: actions.Failed},
		"a cause without a failure": {Outcome: actions.Done, Error: "unfit"},
	} {
		if id, err := actions.Write(t.Context(), f.pool, &action); err == nil {
			t.Errorf("%s: noted as %d", what, id)
		}
	}
}

func TestPagesOfActions(t *testing.T) {
	f := open(t)
	ids := map[string]int64{}
	for target := range strings.FieldsSeq("a b c d e") {
		ids[target] = f.write(actions.Action{Actor: "jane", Action: "sync", Target: target, Outcome: actions.Done})
	}
	for want, filter := range map[string]actions.Filter{
		"e d c b a": {}, "e d": {Limit: 2}, "c b": {Limit: 2, Before: ids["d"]}, "": {Before: ids["a"]},
	} {
		check.Same(t, fmt.Sprintf("%+v", filter), want, f.targets(filter))
	}
}

// TestOneTransaction: an action that is rolled back leaves no note.
func TestOneTransaction(t *testing.T) {
	f := open(t)
	undone := errors.New("undone")
	for target, outcome := range map[string]error{"rolled_back": undone, "committed": nil} {
		err := pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error {
			_, err := actions.Write(t.Context(), tx, &actions.Action{Actor: "jane", Action: "sync", Target: target, Outcome: actions.Done})
			check.Must(f, err)
			return outcome
		})
		if !errors.Is(err, outcome) {
			t.Fatal(err)
		}
	}
	check.Same(t, "noted", "committed", f.targets(actions.Filter{}))
}

// TestActionsAreKept: those older than the retention go. Younger ones than 35 days stay, whatever
// the retention is.
func TestActionsAreKept(t *testing.T) {
	f := open(t)
	for _, age := range []string{"401_days", "36_days", "7_days"} {
		f.write(actions.Action{Actor: "jane", Action: "sync", Target: age, Outcome: actions.Done})
		_, err := f.pool.Exec(t.Context(), `UPDATE sluice.actions SET at = now() - replace($1, '_', ' ')::interval WHERE target = $1`, age)
		check.Must(f, err)
	}
	const day = 24 * time.Hour
	for _, step := range []struct {
		age     time.Duration
		dropped int
		left    string
	}{{400 * day, 1, "7_days 36_days"}, {400 * day, 0, "7_days 36_days"}, {2 * day, 1, "7_days"}} {
		dropped := check.Sure(actions.Prune(t.Context(), f.pool, step.age))(f)
		if got := f.targets(actions.Filter{}); dropped != step.dropped || got != step.left {
			t.Errorf("kept for %s: %d dropped, %q left; want %d and %q", step.age, dropped, got, step.dropped, step.left)
		}
	}
}

// explained is the address of a record; "" is null.
func (f *fixture) explained(organization, resource, id string) string {
	f.Helper()
	var address string
	check.Must(f, f.pool.QueryRow(f.Context(),
		`SELECT coalesce(analytics.explain_url($1, $2, $3), '')`, organization, resource, id).Scan(&address))
	return address
}

func TestTheAddressOfTheConsole(t *testing.T) {
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
			check.Must(f, actions.SetConsoleAddress(t.Context(), f.pool, step.address))
		}
		check.Same(t, fmt.Sprintf("with the address %q", step.address), step.want, f.explained("10234695", "inventory.bills", "460000000038049"))
	}
	check.Must(f, actions.SetConsoleAddress(t.Context(), f.pool, "https://sluice.example.com"))
	for _, wrong := range []string{
		"sluice.example.com", "javascript:alert(1)", "https://", "https://:8080", "https://jane:canary@sluice.example.com", "https://canary.example.com/?a=b",
		"https://canary.example.com/?", "https://canary.example.com/#", "https://canary .example.com", "ftp://canary.example.com", "/canary",
	} {
		err := actions.SetConsoleAddress(t.Context(), f.pool, wrong)
		check.ErrorIf(t, !errors.Is(err, actions.ErrAddress) || strings.Contains(err.Error(), "canary"), "%s: %v", wrong, err)
	}
	got := f.explained("10234695", "inventory.bills", "460000000038049")
	check.ErrorIf(t, got != "https://sluice.example.com"+path, "a wrong address has replaced the one before: %q", got)
	var null bool
	check.Must(f, f.pool.QueryRow(t.Context(), `SELECT analytics.explain_url('a', 'inventory.bills', NULL) IS NULL AND analytics.explain_url('a', NULL, '1') IS NULL
		AND analytics.explain_url(NULL, 'inventory.bills', '1') IS NULL`).Scan(&null))
	check.ErrorIf(t, !null, "the address of no record is not null")
}

// TestEachByteOfAnAddress compares with addresses that were encoded by hand, by RFC 3986.
func TestEachByteOfAnAddress(t *testing.T) {
	f := open(t)
	check.Must(f, actions.SetConsoleAddress(t.Context(), f.pool, "https://c"))
	for id, want := range map[string]string{
		"AZaz09-._~": "AZaz09-._~", "a/b": "a%2Fb", "100%": "100%25", "%2F": "%252F", "a b": "a%20b", "a+b&c=d": "a%2Bb%26c%3Dd", "a?b#c": "a%3Fb%23c",
		"é": "%C3%A9", "日": "%E6%97%A5", "😀": "%F0%9F%98%80", "e\u0301": "e%CC%81", "a\nb": "a%0Ab", "abc\n": "abc%0A", "\"<'\\>": "%22%3C%27%5C%3E", "ÄZ": "%C3%84Z",
	} {
		got := f.explained(id, id, id)
		check.ErrorIf(t, got != "https://c/r/"+want+"/"+want+"?org="+want, "%q gives %s, want %s", id, got, want)
	}
}

// TestAServerReadsTheAddress: whatever a record is called, a server whose routes are those of the
// console finds the names in the address.
func TestAServerReadsTheAddress(t *testing.T) {
	f := open(t)
	seen := make(chan [3]string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /r/{resource}/{id}", func(_ http.ResponseWriter, r *http.Request) {
		seen <- [3]string{r.URL.Query().Get("org"), r.PathValue("resource"), r.PathValue("id")}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	check.Must(f, actions.SetConsoleAddress(t.Context(), f.pool, server.URL))
	for _, id := range []string{"460000000038049", "a/b", "../../x", "a//b", "%", "%2e", " ", "a b+c", "?org=other&x", "#", "日本語/😀", "\"'<>\\`{}|^", "\t\r\n", ";,:@!$&()*="} {
		want := [3]string{"org " + id, "custom.things_" + id, id}
		request := check.Sure(http.NewRequestWithContext(t.Context(), http.MethodGet, f.explained(want[0], want[1], want[2]), http.NoBody))(f)
		answer, err := server.Client().Do(request)
		check.Must(f, err)
		check.Must(f, answer.Body.Close())
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%q: status %d for %s", id, answer.StatusCode, request.URL)
			continue
		}
		check.Same(t, fmt.Sprintf("%q", id), want, <-seen)
	}
}

// TestReadersMayAsk: a role that may use nothing but schema analytics gets the address, and cannot
// read the table of it.
func TestReadersMayAsk(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(warehousetest.Owner(t))
	f := &fixture{T: t}
	check.Must(f, err)
	check.Must(f, migrations.Migrate(t.Context(), address.String(), migrations.Options{}))
	conn := warehousetest.Connect(t, address.String())
	check.Must(f, actions.SetConsoleAddress(t.Context(), conn, "https://c"))
	admin := warehousetest.Connect(t, warehousetest.Admin(t, strings.TrimPrefix(address.Path, "/")))
	tx := check.Sure(admin.Begin(t.Context()))(f)
	const role = "analyst_of_this_test"
	var got string
	for _, step := range []string{"CREATE ROLE " + role, "GRANT USAGE ON SCHEMA analytics TO " + role, "SET LOCAL ROLE " + role} {
		check.Must(f, check.Failure(tx.Exec(t.Context(), step)))
	}
	check.Must(f, tx.QueryRow(t.Context(), `SELECT analytics.explain_url('a', 'inventory.bills', 'é')`).Scan(&got))
	check.ErrorIf(t, got != "https://c/r/inventory.bills/%C3%A9?org=a", "a reader gets %q", got)
	err = pgx.BeginFunc(t.Context(), tx, func(inner pgx.Tx) error {
		_, err := inner.Exec(t.Context(), `UPDATE sluice.console_address SET address = 'x'`)
		return err
	})
	check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), "permission denied"), "a reader may change the address: %v", err)
	check.Must(f, tx.Rollback(t.Context()))
}
