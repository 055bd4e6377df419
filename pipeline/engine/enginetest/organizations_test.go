package enginetest_test

import (
	"strings"
	"testing"
	"time"

	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// TestSeveralOrganizations: records of organizations do not mix, and the failure of one stops no
// other (invariant 9). Two are in one data center, whose records have the same identifiers, and one
// is in another data center with the identifier of the first.
func TestSeveralOrganizations(t *testing.T) {
	t.Parallel()
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
	if n := one[int](f, `SELECT count(DISTINCT organization_id) FROM inventory.items`); n != 1 {
		t.Errorf("one organization was asked for, and there are rows of %d", n)
	}
	f.copies()
	f.apart(all, lists)

	// The credentials of the second one die: the others go on.
	for _, o := range all {
		_, err := f.world.ChangeOf(o.id, o.dataCenter, sandbox.Change{Seed: 9, Inserts: 5, Edits: 5})
		must(t, err)
	}
	must(t, f.world.SetFaults([]sandbox.Fault{{Path: "/", Kind: "forbidden", Organization: all[1].id}}))
	denied := 0
	for name, r := range f.sync("") {
		want := "idle"
		// No row waits for its details, so no call is made and refused.
		if r.Organization == all[1].key && !strings.HasSuffix(r.Resource, ".details") {
			want = "denied"
			denied++
		}
		if r.State != want {
			t.Errorf("%s is %s, want %s: %s", name, r.State, want, r.Reason)
		}
	}
	if denied < len(lists) {
		t.Errorf("%d streams are denied, want those of %d lists", denied, len(lists))
	}
	must(t, f.world.SetFaults(nil))
	f.copies()
	f.apart(all, lists)
}

// apart compares the rows of each organization with its records upstream.
func (f *fixture) apart(all []organization, lists []string) {
	f.t.Helper()
	zones := map[string]string{}
	for _, o := range all {
		if gone, _ := f.equal(o, lists...); gone > 0 {
			f.t.Errorf("%s has %d rows without a record", o.key, gone)
		}
		zones[o.key] = one[string](f, `SELECT time_zone FROM sluice.organizations WHERE organization_id = $1`, o.key)
	}
	if zones[all[1].key] != "America/New_York" || zones[all[2].key] != "Europe/Berlin" {
		f.t.Errorf("the time zones of the organizations are %v", zones)
	}
	shared := `SELECT count(*) FROM inventory.items a JOIN inventory.items b USING (item_id) WHERE a.organization_id < b.organization_id`
	if one[int](f, shared) == 0 {
		f.t.Error("no two organizations have an item of the same identifier: nothing could have mixed")
	}
	// Every call went to the data center of its organization.
	for _, o := range all {
		stats, err := f.world.StatsOf(o.id, o.dataCenter)
		must(f.t, err)
		if calls := one[int](f, `SELECT count(*) FROM sluice.calls WHERE organization_id = $1 AND resource <> 'token'`, o.key); stats.Calls != calls {
			f.t.Errorf("%s: upstream counted %d calls, the call log has %d", o.key, stats.Calls, calls)
		}
	}
}

// TestAModuleIsRemoved: upstream does not know one of two custom modules any more. Its rows stay,
// the other module is read on, and the sync names the missing list. When the module is back, the
// run reads what it missed.
func TestAModuleIsRemoved(t *testing.T) {
	t.Parallel()
	const list = "accounting.custom_module_records"
	f := newFixture(t, sandbox.Options{Seed: 95, Records: 300, CustomModules: []string{"cm_assets", "cm_vehicles"}, Limits: sandbox.Limits{Off: true}},
		[]string{list}, "", single())
	f.copies(list)
	const (
		rows  = `SELECT count(*) FROM accounting.custom_module_records WHERE module_name = $1 AND _deleted_at IS NULL`
		stale = `SELECT count(*) FROM accounting.custom_module_records WHERE module_name = $1 AND module_record_id = ANY($2) AND _changed_at = _first_seen_at`
	)
	assets, vehicles := one[int](f, rows, "cm_assets"), one[int](f, rows, "cm_vehicles")
	if assets == 0 || vehicles == 0 {
		t.Fatalf("%d assets and %d vehicles: nothing is tried", assets, vehicles)
	}
	changed, err := f.world.Change(sandbox.Change{Seed: 3, Edits: 30, Resources: []string{"custom_module_records"}})
	must(t, err)
	edited := changed["custom_module_records"].Edited
	must(t, f.world.SetFaults([]sandbox.Fault{{Path: "/books/v3/cm_assets", Kind: "not_found"}}))
	warehousetest.Pass(t, f.conn, 7*time.Hour)
	results := f.copies(list)
	if note := results[single().key+"/"+list].run.Note; len(results) != 1 || !strings.Contains(note, "1 could not be read") || !strings.Contains(note, "cm_assets") {
		t.Errorf("what is said of a removed module: %+v", results)
	}
	if a, v := one[int](f, rows, "cm_assets"), one[int](f, rows, "cm_vehicles"); a != assets || v != vehicles {
		t.Errorf("%d assets and %d vehicles, want %d and %d", a, v, assets, vehicles)
	}
	if a, v := one[int](f, stale, "cm_assets", edited), one[int](f, stale, "cm_vehicles", edited); a == 0 || v != 0 {
		t.Errorf("%d edited assets and %d edited vehicles are as they were", a, v)
	}
	must(t, f.world.SetFaults(nil))
	warehousetest.Pass(t, f.conn, 7*time.Hour)
	f.copies(list)
	if n := one[int](f, stale, "cm_assets", edited); n != 0 {
		t.Errorf("%d edited assets are as they were when the module is there again", n)
	}
}
