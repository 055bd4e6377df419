package actions_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/migrations"
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
	f := &fixture{T: t}
	var err error
	f.pool, err = pgxpool.New(t.Context(), warehousetest.Template(t, "migrated", func(ctx context.Context, url string) error {
		return migrations.Migrate(ctx, url, migrations.Options{})
	}))
	f.must(err)
	t.Cleanup(f.pool.Close)
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) write(action actions.Action) int64 {
	f.Helper()
	id, err := actions.Write(f.Context(), f.pool, &action)
	f.must(err)
	return id
}

// targets are the targets of the actions that a filter chooses.
func (f *fixture) targets(filter actions.Filter) string {
	f.Helper()
	found, err := actions.List(f.Context(), f.pool, filter)
	f.must(err)
	var targets []string
	for i := range found {
		targets = append(targets, found[i].Target)
	}
	return strings.Join(targets, " ")
}

func TestAnActionIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
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
		got, err := actions.Get(t.Context(), f.pool, id)
		f.must(err)
		if got.ID != id || got.At.Sub(began).Abs() > time.Minute {
			t.Errorf("action %d has the number %d and is of %s", id, got.ID, got.At)
		}
		got.ID, got.At = 0, time.Time{}
		if want.After != nil {
			want.After = json.RawMessage(`{"due": 100}`)
		}
		if diff := cmp.Diff(want, got); diff != "" || strings.Contains(string(got.Error), "secret-of") {
			t.Errorf("-written +read:\n%s", diff)
		}
	}
	var null int
	f.must(f.pool.QueryRow(t.Context(), `SELECT count(*) FROM sluice.actions WHERE target = 'inventory.bills'
		AND organization_id IS NULL AND before IS NULL AND error IS NULL`).Scan(&null))
	if null != 1 {
		t.Error("what an action does not have is not null")
	}
	if _, err := actions.Get(t.Context(), f.pool, 999); !errors.Is(err, postgres.ErrNotFound) {
		t.Errorf("Get of an action that is none: %v", err)
	}
}

// TestWordsThatPostgresRefuses: an action is noted whatever its names and records hold.
func TestWordsThatPostgresRefuses(t *testing.T) {
	t.Parallel()
	f := open(t)
	long := json.RawMessage(`"` + strings.Repeat("x", actions.MaxState) + `"`)
	id := f.write(actions.Action{
		Actor: "ja\x00ne", Action: "quarantine retry", Target: "in\xffventory" + strings.Repeat("ü", 400), Organization: "a\x00",
		Before: json.RawMessage(`{"name": "a\u0000b\\u0000", "half": "\ud800"}`), After: long, Outcome: actions.Failed, Error: "un\x00fit",
	})
	got, err := actions.Get(t.Context(), f.pool, id)
	f.must(err)
	got.ID, got.At = 0, time.Time{}
	want := actions.Action{
		Actor: "ja␀ne", Action: "quarantine retry", Target: "in\uFFFDventory" + strings.Repeat("ü", 250), Organization: "a␀",
		// "in", the replacement and "ventory" have 12 bytes; 250 letters of two bytes make 512.
		Before: json.RawMessage(`{"half": "` + "\uFFFD" + `", "name": "a␀b\\u0000"}`), After: json.RawMessage(`{"left_out_bytes": 65538}`),
		Outcome: actions.Failed, Error: "un␀fit",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +read:\n%s", diff)
	}
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
	t.Parallel()
	f := open(t)
	ids := map[string]int64{}
	for target := range strings.FieldsSeq("a b c d e") {
		ids[target] = f.write(actions.Action{Actor: "jane", Action: "sync", Target: target, Outcome: actions.Done})
	}
	for want, filter := range map[string]actions.Filter{
		"e d c b a": {}, "e d": {Limit: 2}, "c b": {Limit: 2, Before: ids["d"]}, "": {Before: ids["a"]},
	} {
		if got := f.targets(filter); got != want {
			t.Errorf("%+v gives %q, want %q", filter, got, want)
		}
	}
}

// TestOneTransaction: an action that is rolled back leaves no note.
func TestOneTransaction(t *testing.T) {
	t.Parallel()
	f := open(t)
	undone := errors.New("undone")
	for target, outcome := range map[string]error{"rolled_back": undone, "committed": nil} {
		err := pgx.BeginFunc(t.Context(), f.pool, func(tx pgx.Tx) error {
			_, err := actions.Write(t.Context(), tx, &actions.Action{Actor: "jane", Action: "sync", Target: target, Outcome: actions.Done})
			f.must(err)
			return outcome
		})
		if !errors.Is(err, outcome) {
			t.Fatal(err)
		}
	}
	if got := f.targets(actions.Filter{}); got != "committed" {
		t.Errorf("noted are %q", got)
	}
}

// TestActionsAreKept: those older than the retention go. Younger ones than 35 days stay, whatever
// the retention is.
func TestActionsAreKept(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, age := range []string{"401_days", "36_days", "7_days"} {
		f.write(actions.Action{Actor: "jane", Action: "sync", Target: age, Outcome: actions.Done})
		_, err := f.pool.Exec(t.Context(), `UPDATE sluice.actions SET at = now() - replace($1, '_', ' ')::interval WHERE target = $1`, age)
		f.must(err)
	}
	const day = 24 * time.Hour
	for _, step := range []struct {
		age     time.Duration
		dropped int
		left    string
	}{{400 * day, 1, "7_days 36_days"}, {400 * day, 0, "7_days 36_days"}, {2 * day, 1, "7_days"}} {
		dropped, err := actions.Prune(t.Context(), f.pool, step.age)
		f.must(err)
		if got := f.targets(actions.Filter{}); dropped != step.dropped || got != step.left {
			t.Errorf("kept for %s: %d dropped, %q left; want %d and %q", step.age, dropped, got, step.dropped, step.left)
		}
	}
}
