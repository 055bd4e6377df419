package scale

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// try runs a scenario in a database of its own; change, if given, replaces the call log.
func try(t *testing.T, s scenario, rules calls.Rules, change func(right) ledger, prepare func(*simulation)) (*simulation, verdict) {
	t.Helper()
	url := warehousetest.Template(t, "migrated", func(ctx context.Context, url string) error {
		return migrations.Migrate(ctx, url, migrations.Options{})
	})
	db, err := openDatabase(t.Context(), url, rules)
	must(t, err)
	t.Cleanup(db.Pool.Close)
	if change != nil {
		db.ledger = change(right{db.ledger, db.Pool})
	}
	sim, err := newSimulation(s, db)
	must(t, err)
	if prepare != nil {
		prepare(sim)
	}
	must(t, sim.run(t.Context()))
	return sim, sim.judge()
}

// small returns a fleet of all plans, others and outages, with backfills of days.
func small() scenario {
	return scenario{Organizations: 5, Days: 2, Tick: 30 * time.Second, Backfill: 40, LongEvery: 2, Seed: 7}
}

// right is the real call log, for variants that change one thing.
type right struct {
	ledger

	pool *pgxpool.Pool
}

// bySending frees a slot a minute after its call was sent.
type bySending struct{ right }

func (w bySending) Finish(ctx context.Context, call int64, result pipeline.CallResult) error {
	if err := w.right.Finish(ctx, call, result); err != nil {
		return err
	}
	_, err := w.pool.Exec(ctx, `UPDATE sluice.live_calls SET free_at = lease_until - interval '1 minute' WHERE id = $1`, call)
	return err
}

// refunding gives back calls that went well.
type refunding struct{ right }

func (w refunding) Finish(ctx context.Context, call int64, result pipeline.CallResult) error {
	if err := w.right.Finish(ctx, call, result); err != nil || call%10 != 0 {
		return err
	}
	_, err := w.pool.Exec(ctx, `DELETE FROM sluice.live_calls WHERE id = $1`, call)
	return err
}

// deaf ignores what upstream says about limits.
type deaf struct{ right }

func (w deaf) Finish(ctx context.Context, call int64, result pipeline.CallResult) error {
	result.DayLimit = 0
	return w.right.Finish(ctx, call, result)
}

func (w deaf) Penalize(context.Context, string, string, string, pipeline.Kind, time.Duration) error {
	return nil
}

// classless lets all classes share the day, first come, first served.
type classless struct{ right }

func (w classless) Reserve(ctx context.Context, call pipeline.Call, limits pipeline.Limits) (pipeline.Decision, error) {
	limits.Shares = pipeline.Shares{}
	return w.right.Reserve(ctx, call, limits)
}

// dayless ignores the limit of the day.
type dayless struct{ right }

func (w dayless) Reserve(ctx context.Context, call pipeline.Call, limits pipeline.Limits) (pipeline.Decision, error) {
	limits.Daily = 0
	return w.right.Reserve(ctx, call, limits)
}

// TestTheJudgeSeesWhatIsWrong: a simulation must be able to fail. Each of these call logs does one
// thing wrong, and the judge finds it.
func TestTheJudgeSeesWhatIsWrong(t *testing.T) {
	t.Parallel()
	hasty := calls.DefaultRules()
	hasty.Lease = 100 * time.Millisecond
	const fine = ""
	for _, test := range []struct {
		name, want string // what is broken
		rules      calls.Rules
		change     func(right) ledger
		others     others
	}{
		{"as it is", fine, calls.DefaultRules(), nil, alone},
		{"as it is, with others", fine, calls.DefaultRules(), nil, unseen},
		{"slots counted from sending", "calls of ours were more", calls.DefaultRules(), func(r right) ledger { return bySending{r} }, alone},
		{"calls given back", "calls of ours were more", calls.DefaultRules(), func(r right) ledger { return refunding{r} }, alone},
		{"leases shorter than calls", "calls of ours were more", hasty, nil, alone},
		{"no day", "calls of ours were more", calls.DefaultRules(), func(r right) ledger { return dayless{r} }, alone},
		{"no classes", "of its bound", calls.DefaultRules(), func(r right) ledger { return classless{r} }, alone},
		{"others ignored", "were refused with 45", calls.DefaultRules(), func(r right) ledger { return deaf{r} }, unseen},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			// The backfill takes more than a day; after the one day it is only unfinished.
			s := scenario{Organizations: 1, Days: 1, Tick: time.Minute, Backfill: 1200, LongEvery: 1, Seed: 1}
			_, v := try(t, s, test.rules, test.change, func(sim *simulation) {
				o := sim.organizations[0]
				o.others, o.share, o.outages = test.others, 0.6, nil
				o.limits.Concurrent = 2
				o.streams[streamsEach-1].calls = s.Backfill
			})
			broken := slices.DeleteFunc(v.Broken, func(broken string) bool { return strings.Contains(broken, "its backfill is at") })
			if test.want == fine && len(broken) > 0 {
				t.Errorf("with nothing wrong, the judge saw %q", broken)
			}
			if test.want != fine && !slices.ContainsFunc(broken, func(broken string) bool { return strings.Contains(broken, test.want) }) {
				t.Errorf("the judge saw %q, nothing of %q", broken, test.want)
			}
		})
	}
}
