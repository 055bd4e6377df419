package rest_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/cmd/sluice-lake/rest"
	"sluice/cmd/sluice-lake/storage"
	"sluice/pipeline/check"
)

// TestTheDatabaseIsAway: readers learn that they should ask again, the operator learns why.
func TestTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	pool := check.Sure(pgxpool.New(t.Context(), "postgres://127.0.0.1:1/nothing?connect_timeout=5"))(t)
	t.Cleanup(pool.Close)
	store := check.Sure(storage.Open(t.Context(), t.TempDir()))(t)
	var log bytes.Buffer
	server := httptest.NewServer(rest.New(rest.Options{Pool: pool, Store: store, Log: slog.New(slog.NewTextHandler(&log, nil))}))
	response, err := server.Client().Get(server.URL + "/v1/namespaces")
	check.Must(t, err)
	var body struct {
		Error struct {
			Message string `json:"message"`
			Type    string `json:"type"`
		} `json:"error"`
	}
	if err := json.NewDecoder(response.Body).Decode(&body); err != nil || response.Body.Close() != nil {
		t.Fatal(err)
	}
	server.Close() // the log is written
	if response.StatusCode != http.StatusServiceUnavailable || body.Error.Type != "ServiceUnavailableException" || strings.Contains(body.Error.Message, "127.0.0.1") {
		t.Errorf("the answer is %d %+v", response.StatusCode, body.Error)
	}
	check.ErrorIf(t, !strings.Contains(log.String(), "127.0.0.1"), "the log is %q", log.String())
}
