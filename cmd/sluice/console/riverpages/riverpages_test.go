package riverpages_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice/console"
	"sluice/cmd/sluice/console/riverpages"
	"sluice/migrations"
	"sluice/pipeline/jobs"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// twoJobs are one job that waits and one that failed, as River stores them.
const twoJobs = `INSERT INTO river.river_job (args, kind, max_attempts, queue, state, finalized_at, attempt, errors) VALUES
	('{"organization": "nordwind", "service": "inventory", "resource": "bills"}', 'stream', 1000, 'streams', 'available', NULL, 0, NULL),
	('{"organization": "nordwind", "service": "inventory", "resource": "items"}', 'stream', 1000, 'streams', 'discarded', now(), 1,
	 ARRAY['{"at": "2026-01-02T03:04:05Z", "attempt": 1, "error": "upstream said <b>no</b>", "trace": ""}'::jsonb])`

// serve serves the pages over a migrated database with two jobs.
func serve(t *testing.T) (*httptest.Server, *pgxpool.Pool) {
	t.Helper()
	url := warehousetest.Template(t, "migrated", func(ctx context.Context, url string) error {
		return migrations.Migrate(ctx, url, migrations.Options{})
	})
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	if _, err := pool.Exec(t.Context(), twoJobs); err != nil {
		t.Fatal(err)
	}
	handler, start, err := riverpages.Handler(pool, jobs.Schema, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop) // before the pool is closed
	if err := start(ctx); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle(console.QueuePath+"/", handler)
	server := httptest.NewServer(http.NewCrossOriginProtection().Handler(mux))
	t.Cleanup(server.Close)
	return server, pool
}

// answer is what the server answers.
type answer struct {
	status int
	header http.Header
	text   string
}

// ask sends a request and returns the answer.
func ask(t *testing.T, server *httptest.Server, method, path, body string, header ...string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	return answer{status: response.StatusCode, header: response.Header, text: string(text)}
}

// TestPages: the start page and its script come with the headers of these pages, below the prefix.
func TestPages(t *testing.T) {
	t.Parallel()
	server, _ := serve(t)
	page := ask(t, server, http.MethodGet, "/river/", "")
	if page.status != http.StatusOK || !strings.Contains(page.text, "<title>River</title>") {
		t.Fatalf("status %d, page\n%s", page.status, page.text)
	}
	csp := page.header.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'"} {
		if !strings.Contains(csp, part) {
			t.Errorf("the policy %q lacks %s", csp, part)
		}
	}
	_, script, _ := strings.Cut(page.text, `<script type="module" src="`)
	script, _, _ = strings.Cut(script, `"`)
	if !strings.HasPrefix(script, "/river/assets/") {
		t.Fatalf("the page's script is at %q", script)
	}
	if got := ask(t, server, http.MethodGet, script, ""); got.status != http.StatusOK {
		t.Errorf("status %d for the script %s", got.status, script)
	}
}

// TestJobs: the interface of the pages lists jobs by state, counts them, and hides their arguments
// by default.
func TestJobs(t *testing.T) {
	t.Parallel()
	server, _ := serve(t)
	for state, resource := range map[string]string{"available": "bills", "discarded": "items"} {
		text := ask(t, server, http.MethodGet, "/river/api/jobs?state="+state, "").text
		var list struct {
			Data []struct {
				Kind  string `json:"kind"`
				State string `json:"state"`
				Args  string `json:"args"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if len(list.Data) != 1 || list.Data[0].Kind != "stream" || list.Data[0].State != state || !strings.Contains(list.Data[0].Args, `"resource": "`+resource+`"`) {
			t.Errorf("%s: got\n%s", state, text)
		}
	}
	text := ask(t, server, http.MethodGet, "/river/api/states", "").text
	var counts map[string]struct {
		Count int `json:"count"`
	}
	if err := json.Unmarshal([]byte(text), &counts); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if counts["available"].Count != 1 || counts["discarded"].Count != 1 || counts["running"].Count != 0 {
		t.Errorf("counts\n%s", text)
	}
	text = ask(t, server, http.MethodGet, "/river/api/features", "").text
	var features map[string]any
	if err := json.Unmarshal([]byte(text), &features); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if features["job_list_hide_args_by_default"] != true {
		t.Errorf("features\n%s", text)
	}
}

// TestActions: an action from this site changes the job. The guard that the handler asks for stops
// the same request from another site.
func TestActions(t *testing.T) {
	t.Parallel()
	server, pool := serve(t)
	var id, state string
	const discarded = `SELECT id::text FROM river.river_job WHERE state = 'discarded'`
	if err := pool.QueryRow(t.Context(), discarded).Scan(&id); err != nil {
		t.Fatal(err)
	}
	for _, try := range []struct {
		site   string
		status int
		state  string
	}{{"cross-site", http.StatusForbidden, "discarded"}, {"same-origin", http.StatusOK, "available"}} {
		got := ask(t, server, http.MethodPost, "/river/api/jobs/retry", `{"ids": ["`+id+`"]}`,
			"Sec-Fetch-Site", try.site, "Content-Type", "application/json")
		if got.status != try.status {
			t.Errorf("%s: status %d, want %d: %s", try.site, got.status, try.status, got.text)
		}
		if err := pool.QueryRow(t.Context(), `SELECT state FROM river.river_job WHERE id = $1::text::bigint`, id).Scan(&state); err != nil {
			t.Fatal(err)
		}
		if state != try.state {
			t.Errorf("%s: the job is %s, want %s", try.site, state, try.state)
		}
	}
}
