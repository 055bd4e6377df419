package cli

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/engine"
	"sluice/pipeline/engine/metrics"
	"sluice/sandbox"
)

// opened opens the program on the fixture, with a log in the test's output.
func (s *fixture) opened() *engine.App {
	s.t.Helper()
	app := sure(engine.Open(s.t.Context(), (&cli{env: s.env(&buffer{}, s.t.Output()), config: s.config}).options()))(s.t)
	s.t.Cleanup(func() { must(s.t, app.Close(context.WithoutCancel(s.t.Context()))) })
	return app
}

// metricsOf reads /metrics of an application.
func metricsOf(t *testing.T, app *engine.App) string {
	t.Helper()
	registry := metrics.Registry(app.Metrics(build(), nil))
	answer := httptest.NewRecorder()
	statusPages(app.DB.Pool().Ping, registry).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("/metrics: %d %s", answer.Code, answer.Body)
	}
	return answer.Body.String()
}

// TestMetricsWithoutDatabase: /metrics answers while the database does not, says so, and has what
// the process counted itself.
func TestMetricsWithoutDatabase(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 86, Records: 3}).narrow()
	app := s.opened()
	app.Calls.Called("inventory", 0, 3*time.Second)
	app.DB.Pool().Close()
	text := metricsOf(t, app)
	for _, want := range []string{
		`sluice_database_up 0`, `sluice_call_duration_seconds_sum{kind="ok",service="inventory"} 3`, `sluice_hint_to_row_seconds_count 0`,
		`sluice_build_info{go_version=`,
	} {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if strings.Contains(text, "sluice_stream_state") {
		t.Error("/metrics shows streams that it could not read")
	}
}
