package warehouse_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/streams"
)

// due takes the streams that are due in a transaction of its own.
func (h *fixture) due(limit int) []pipeline.Key {
	h.Helper()
	tx := check.Sure(h.db.Pool().Begin(h.Context()))(h)
	keys := check.Sure(h.db.TakeDue(h.Context(), tx, limit))(h)
	check.Must(h, tx.Commit(h.Context()))
	return keys
}

func key(organization, resource string) pipeline.Key {
	return pipeline.Key{Organization: organization, Service: "shop", Resource: resource}
}

func TestRegisterStreams(t *testing.T) {
	h := open(t)
	register := func(settings ...warehouse.StreamSetting) {
		t.Helper()
		check.Must(h, h.db.RegisterStreams(t.Context(), settings))
	}
	setting := func(organization, resource string, every time.Duration) warehouse.StreamSetting {
		return warehouse.StreamSetting{Key: key(organization, resource), Every: every, Enabled: true}
	}
	register(setting("a", "one", time.Hour), setting("a", "two", time.Hour), setting("b", "one", time.Hour))
	register(setting("a", "one", time.Minute))
	want := organization + "|things|t|01:00:00 a|one|t|00:01:00 a|two|f|01:00:00 b|one|t|01:00:00"
	got := ask[string](h, `SELECT string_agg(line, ' ' ORDER BY line) FROM (SELECT concat_ws('|', organization_id, resource, enabled,
		every) AS line FROM sluice.streams) AS x`)
	check.Same(t, "streams", want, got)
	check.ErrorIf(t, h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{setting("a", "one", 0)}) == nil,
		"an interval of zero was accepted")
	// A shorter interval takes effect at once.
	h.due(10)
	register(setting("a", "one", time.Second))
	check.ErrorIf(t,
		!ask[bool](h, `SELECT next_due_at < now() + interval '2 seconds' FROM sluice.streams WHERE organization_id = 'a' AND enabled`),
		"a shorter interval has to wait for the longer one")
}

func TestDueStreamsAreTakenOnce(t *testing.T) {
	h := open(t)
	var settings []warehouse.StreamSetting
	for _, name := range []string{"a", "b", "c", "d"} {
		settings = append(settings, warehouse.StreamSetting{Key: key("x", name), Every: time.Hour, Enabled: name != "d"})
	}
	check.Must(h, h.db.RegisterStreams(t.Context(), settings))
	first := check.Sure(h.db.Pool().Begin(t.Context()))(h)
	taken := check.Sure(h.db.TakeDue(t.Context(), first, 2))(h)
	check.FatalIf(t, len(taken) != 2, "took %v, want two", taken)
	taken = append(taken, h.due(10)...) // another tick at the same time
	check.Must(h, first.Commit(t.Context()))
	taken = append(taken, h.due(10)...)
	slices.SortFunc(taken, func(a, b pipeline.Key) int {
		return slices.Compare([]string{a.Organization, a.Resource}, []string{b.Organization, b.Resource})
	})
	want := []pipeline.Key{key(organization, "things"), key("x", "a"), key("x", "b"), key("x", "c")}
	check.Same(t, "taken", want, taken)
	check.Same(t, "state", "queued", ask[string](h, `SELECT DISTINCT state FROM sluice.streams WHERE enabled`))
}

func TestARequestDuringARunMakesAnother(t *testing.T) {
	h := open(t)
	h.due(10)
	claim := h.claim()
	check.Must(h, h.db.Request(t.Context(), []pipeline.Key{h.stream.Key()}))
	got := h.due(10)
	check.FatalIf(t, len(got) != 1, "due after a request: %v", got)
	got = h.due(10)
	check.FatalIf(t, len(got) != 0, "due twice: %v", got)
	end := func(claim pipeline.Claim) string {
		t.Helper()
		batch := h.unit(claim)
		batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
		h.load(batch)
		return ask[string](h, `SELECT requested_gen || '|' || served_gen FROM sluice.streams`)
	}
	check.Same(t, "generations after the run that began before the request", "1|0", end(claim))
	if got := h.due(10); len(got) != 1 {
		t.Errorf("due after the run that began before the request: %v", got)
	}
	check.Same(t, "generations after the run", "1|1", end(h.claim()))
	check.Empty(t, "due after the run", h.due(10))
}

// TestADeniedStreamIsTriedADayLater: and at once when the operator asks.
func TestADeniedStreamIsTriedADayLater(t *testing.T) {
	h := open(t)
	check.Must(h, h.db.Settle(t.Context(), h.claim(), pipeline.Settlement{
		State: pipeline.StateDenied, Kind: pipeline.Denied, Reason: "authorize anew", EndRun: true,
	}))
	pass := func(hours int) {
		_, err := h.db.Pool().Exec(t.Context(), `UPDATE sluice.streams SET next_due_at = next_due_at - $1 * interval '1 hour'`, hours)
		check.Must(h, err)
	}
	pass(23)
	check.Empty(t, "denied and due after 23 hours", h.due(10))
	pass(2)
	if got := h.due(10); len(got) != 1 || ask[string](h, `SELECT state FROM sluice.streams`) != "denied" {
		t.Errorf("denied and not due after 25 hours: %v", got)
	}
	check.Must(h, h.db.Request(t.Context(), []pipeline.Key{h.stream.Key(), h.stream.Key()}))
	check.Same(t, "after a request it", "idle||1", ask[string](h, `SELECT concat_ws('|', state, reason, requested_gen) FROM sluice.streams`))
	got := h.due(10)
	check.ErrorIf(t, len(got) != 1, "requested and not due: %v", got)
}

func TestUnknownStreams(t *testing.T) {
	h := open(t)
	check.Must(h, h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{{Key: key("x", "off"), Every: time.Hour}}))
	for _, unknown := range []pipeline.Key{key("x", "off"), key("x", "nothing")} {
		err := h.db.Request(t.Context(), []pipeline.Key{h.stream.Key(), unknown})
		check.ErrorIf(t, !errors.Is(err, warehouse.ErrNoStream), "Request(%s) = %v, want ErrNoStream", unknown, err)
	}
	check.Same(t, "requests were kept", 0, ask[int64](h, `SELECT sum(requested_gen) FROM sluice.streams`))
	stream := h.stream
	stream.Organization = "nobody"
	check.FailsWith(t, check.Failure(h.db.Claim(t.Context(), stream, pipeline.ClassIncremental)), warehouse.ErrNoStream)
	check.FailsWith(t, h.db.Resolve(t.Context(), 12345, ""), warehouse.ErrNotFound)
}

// TestTickIsNoted: the transaction that takes due streams notes its instant, also where none is
// due, and waits for no other that does the same.
func TestTickIsNoted(t *testing.T) {
	h := open(t)
	pool := h.db.Pool()
	at, err := h.db.LastTick(t.Context())
	check.FatalIf(t, at != nil || err != nil, "the last tick was at %v (error %v) before the first", at, err)
	before := time.Time{}
	check.Must(h, pool.QueryRow(t.Context(), `SELECT clock_timestamp()`).Scan(&before))
	check.Must(h, check.Failure(pool.Exec(t.Context(), `UPDATE sluice.streams SET next_due_at = now() + interval '1 day'`)))
	check.Must(h, pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		if _, err := h.db.TakeDue(t.Context(), tx, 10); err != nil {
			return err
		}
		return pgx.BeginFunc(t.Context(), pool, func(other pgx.Tx) error { // a wait would end with the timeout of locks
			_, err := h.db.TakeDue(t.Context(), other, 10)
			return err
		})
	}))
	at, err = h.db.LastTick(t.Context())
	check.ErrorIf(t, err != nil || at == nil || at.Before(before), "the last tick was at %v (error %v), want after %v", at, err, before)
}

// TestAForecastIsMadeOnceAndBeforeTheRun: a forecast that is made after the first page knows the
// outcome.
func TestAForecastIsMadeOnceAndBeforeTheRun(t *testing.T) {
	h := open(t)
	keep := func(calls int) {
		check.Must(h, h.db.StoreForecast(t.Context(), h.stream.Key(), streams.Forecast{Calls: calls, Basis: "measured"}))
	}
	kept := func(run int64) int64 {
		return ask[int64](h, "SELECT coalesce(forecast_calls, -1) FROM sluice.runs WHERE id = $1", run)
	}
	keep(1) // no run is open
	check.Same(t, "forecasts of no run", 0, ask[int](h, "SELECT count(forecast_calls) FROM sluice.runs"))
	claim := h.claim()
	keep(5)
	keep(6)
	check.Same(t, "the forecast", 5, kept(claim.Run))
	h.load(h.unit(claim, h.record(1, "a")))
	_ = ask[int](h, "WITH gone AS (UPDATE sluice.runs SET forecast_calls = NULL RETURNING 1) SELECT count(*) FROM gone")
	keep(7)
	got := kept(claim.Run)
	check.ErrorIf(t, got != -1, "a run that has loaded a page was forecast to take %d calls", got)
}
