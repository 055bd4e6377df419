package enginetest_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// TestSeveralOrganizations: records of organizations do not mix, and the failure of one stops no
// other (invariant 9). Two are in one data center, whose records have the same identifiers, and one
// is in another data center with the identifier of the first.
func TestSeveralOrganizations(t *testing.T) {
	all := []organization{single(), {key: "70099990001", id: "70099990001"}, {key: "first-eu", id: sandbox.DefaultOrganizationID, dataCenter: "eu"}}
	lists := []string{"accounting.chart_of_accounts", "inventory.items", "inventory.taxes", "chat.channels", "chat.conversations"}
	f := newFixture(t, sandbox.Options{
		Seed: 61, Records: 60, Limits: sandbox.Limits{Off: true},
		Organizations: []sandbox.OrganizationOptions{
			{ID: all[1].id, Seed: 62, Records: 40, TimeZone: "America/New_York"},
			{ID: all[2].id, DataCenter: "eu", Seed: 63, Records: 50, TimeZone: "Europe/Berlin"},
		},
	}, lists, "", all...)
	f.sync(all[1].key)
	check.Same(t, "one organization was asked for, and there are rows of", 1, one[int](f, `SELECT count(DISTINCT organization_id) FROM inventory.items`))
	f.copies()
	f.apart(all, lists)

	// The credentials of the second one die: the others go on.
	for _, o := range all {
		check.Sure(f.world.ChangeOf(o.id, o.dataCenter, sandbox.Change{Seed: 9, Inserts: 5, Edits: 5}))(t)
	}
	check.Must(t, f.world.SetFaults([]sandbox.Fault{{Path: "/", Kind: "forbidden", Organization: all[1].id}}))
	denied := 0
	for name, r := range f.sync("") {
		want := "idle"
		// No row waits for its details, so no call is made and refused.
		if r.Organization == all[1].key && !strings.HasSuffix(r.Resource, ".details") {
			want = "denied"
			denied++
		}
		check.ErrorIf(t, r.State != want, "%s is %s, want %s: %s", name, r.State, want, r.Reason)
	}
	check.ErrorIf(t, denied < len(lists), "%d streams are denied, want those of %d lists", denied, len(lists))
	check.Must(t, f.world.SetFaults(nil))
	f.copies()
	f.apart(all, lists)
}

// apart compares the rows of each organization with its records upstream.
func (f *fixture) apart(all []organization, lists []string) {
	f.t.Helper()
	zones := map[string]string{}
	for _, o := range all {
		gone, _ := f.equal(o, lists...)
		check.ErrorIf(f.t, gone > 0, "%s has %d rows without a record", o.key, gone)
		zones[o.key] = one[string](f, `SELECT time_zone FROM sluice.organizations WHERE organization_id = $1`, o.key)
	}
	check.ErrorIf(f.t, zones[all[1].key] != "America/New_York" || zones[all[2].key] != "Europe/Berlin",
		"the time zones of the organizations are %v", zones)
	shared := `SELECT count(*) FROM inventory.items a JOIN inventory.items b USING (item_id) WHERE a.organization_id < b.organization_id`
	check.ErrorIf(f.t, one[int](f, shared) == 0, "no two organizations have an item of the same identifier: nothing could have mixed")
	// Every call went to the data center of its organization.
	for _, o := range all {
		stats := check.Sure(f.world.StatsOf(o.id, o.dataCenter))(f.t)
		calls := one[int](f, `SELECT count(*) FROM sluice.calls WHERE organization_id = $1 AND resource <> 'token'`, o.key)
		check.ErrorIf(f.t, stats.Calls != calls, "%s: upstream counted %d calls, the call log has %d", o.key, stats.Calls, calls)
	}
}

// TestAModuleIsRemoved: upstream does not know one of two custom modules any more. Its rows stay,
// the other module is read on, and the sync names the missing list. When the module is back, the
// run reads what it missed.
func TestAModuleIsRemoved(t *testing.T) {
	const list = "accounting.custom_module_records"
	f := newFixture(t, sandbox.Options{Seed: 95, Records: 300, CustomModules: []string{"cm_assets", "cm_vehicles"}, Limits: sandbox.Limits{Off: true}},
		[]string{list}, "", single())
	f.copies(list)
	const (
		rows  = `SELECT count(*) FROM accounting.custom_module_records WHERE module_name = $1 AND _deleted_at IS NULL`
		stale = `SELECT count(*) FROM accounting.custom_module_records WHERE module_name = $1 AND module_record_id = ANY($2) AND _changed_at = _first_seen_at`
	)
	assets, vehicles := one[int](f, rows, "cm_assets"), one[int](f, rows, "cm_vehicles")
	check.FatalIf(t, assets == 0 || vehicles == 0, "%d assets and %d vehicles: nothing is tried", assets, vehicles)
	changed := check.Sure(f.world.Change(sandbox.Change{Seed: 3, Edits: 30, Resources: []string{"custom_module_records"}}))(t)
	edited := changed["custom_module_records"].Edited
	check.Must(t, f.world.SetFaults([]sandbox.Fault{{Path: "/books/v3/cm_assets", Kind: "not_found"}}))
	warehousetest.Pass(t, f.conn, 7*time.Hour)
	results := f.copies(list)
	if note := results[single().key+"/"+list].run.Note; len(results) != 1 || !strings.Contains(note, "1 could not be read") || !strings.Contains(note, "cm_assets") {
		t.Errorf("what is said of a removed module: %+v", results)
	}
	a, v := one[int](f, rows, "cm_assets"), one[int](f, rows, "cm_vehicles")
	check.ErrorIf(t, a != assets || v != vehicles, "%d assets and %d vehicles, want %d and %d", a, v, assets, vehicles)
	if a, v := one[int](f, stale, "cm_assets", edited), one[int](f, stale, "cm_vehicles", edited); a == 0 || v != 0 {
		t.Errorf("%d edited assets and %d edited vehicles are as they were", a, v)
	}
	check.Must(t, f.world.SetFaults(nil))
	warehousetest.Pass(t, f.conn, 7*time.Hour)
	f.copies(list)
	check.Same(t, "edited assets are as they were when the module is there again", 0, one[int](f, stale, "cm_assets", edited))
}

// foresees makes the plan of the next sync, which has to fit. Assumed are the numbers of rows that
// nobody measured, by stream.
func (f *fixture) foresees(assumed map[string]int) planning.Plan {
	f.t.Helper()
	streams := check.Sure(f.app.Select(nil, ""))(f.t)
	var input planning.Input
	input.Streams = check.Sure(f.app.Foresee(f.t.Context(), streams))(f.t)
	for i := range input.Streams {
		s := &input.Streams[i]
		figure := &s.Rows
		if s.Way == planning.WayDetails {
			figure = &s.Waiting
		}
		if rows, known := assumed[s.Service+"."+s.Resource]; known {
			*figure = planning.Figure{Value: float64(rows), Basis: planning.Assumed}
		}
	}
	input.Services = check.Sure(f.app.Allowances(f.t.Context(), streams))(f.t)
	plan := planning.Make(input)
	check.ErrorIf(f.t, !plan.Fits, "it does not fit: %+v", plan)
	return plan
}

// TestPlan compares the forecast of a first sync, for which only the sizes are assumed, with its
// real calls. Upstream is quiet, so they have to be equal. The second forecast uses what the first
// sync measured.
func TestPlan(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		options sandbox.Options
		// whole says that the lists show whole records, so that no single record is assumed.
		// Otherwise the forecast assumes that each row needs one.
		whole bool
	}{
		"headers":    {options: sandbox.Options{Seed: 83, Records: 70, HeadersOnly: true}},
		"many pages": {options: sandbox.Options{Seed: 86, Records: 2400}, whole: true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, test.options, sixLists(), "", single())
			f.planned(test.whole)
		})
	}
}

func (f *fixture) planned(whole bool) {
	f.t.Helper()
	f.blind()
	// The list of accounts is whole except in a sandbox that plays live services.
	assumed := map[string]int{"accounting.chart_of_accounts.details": 0}
	for _, name := range sixLists() {
		if name == "chat.conversations" { // an export is one call
			continue
		}
		service, list, _ := strings.Cut(name, ".")
		assumed[name] = len(f.world.Listed(service, list))
		if whole {
			assumed[name+".details"] = 0
		}
	}
	first, before := f.foresees(assumed), f.world.Stats().Calls
	f.copies()
	f.came(first, 0)
	sum := 0
	for i := range first.Services {
		sum += first.Services[i].Calls
	}
	if arrived := f.world.Stats().Calls - before; arrived != sum || sum < 15 {
		f.t.Errorf("the services were to be called %d times (more than once a list, or nothing was forecast) and were %d times", sum, arrived)
	}

	second, last := f.foresees(nil), one[int64](f, "SELECT max(id) FROM sluice.runs")
	for i := range second.Services {
		if service := &second.Services[i]; service.Spent != first.Services[i].Calls {
			f.t.Errorf("%s: %d spent, want %d", service.Service, service.Spent, first.Services[i].Calls)
		}
	}
	f.copies()
	f.came(second, last)
	// No forecast is kept where nothing was known. The second sync's runs knew everything.
	check.Same(f.t, "runs that were forecast wrongly", 0, one[int](f, "SELECT count(*) FROM sluice.runs WHERE forecast_calls <> calls"))
	none := one[int](f, "SELECT count(*) FROM sluice.runs WHERE id > $1 AND forecast_calls IS NULL", last)
	check.ErrorIf(f.t, none != 0, "%d of the second sync's runs have no forecast", none)
}

// blind plans before anything was read: an export is one call, everything else is unknown.
func (f *fixture) blind() {
	f.t.Helper()
	plan := f.foresees(nil)
	for i := range plan.Streams {
		stream := &plan.Streams[i]
		exported := stream.Resource == "conversations"
		check.ErrorIf(f.t, (stream.Calls != nil) != exported || exported == (stream.Request != ""), "before anything was read: %+v", stream)
	}
}

// came compares the calls of a forecast with those that the runs after one made, by stream.
func (f *fixture) came(forecast planning.Plan, behind int64) {
	f.t.Helper()
	want, got := make(map[string]int), make(map[string]int)
	for i := range forecast.Streams {
		if s := &forecast.Streams[i]; s.Calls != nil {
			want[s.Service+"."+s.Resource] = *s.Calls
		}
	}
	rows, err := f.conn.Query(f.t.Context(), `SELECT r.service || '.' || r.resource, (SELECT count(*) FROM sluice.calls c WHERE c.run_id = r.id)
		FROM sluice.runs r WHERE r.id > $1`, behind)
	check.Must(f.t, err)
	var name string
	var calls int
	check.Must(f.t, check.Failure(pgx.ForEachRow(rows, []any{&name, &calls}, func() error {
		got[name] += calls
		return nil
	})))
	check.ErrorIf(f.t, !maps.Equal(want, got), "it was to take\n%v and took\n%v", want, got)
}
