package cli

import (
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// TestAModuleIsRemoved: upstream does not know one of two custom modules any more. Its rows stay,
// the other module is read on, and the sync names the missing list. When the module is back, the
// run reads what it missed.
func TestAModuleIsRemoved(t *testing.T) {
	t.Parallel()
	s := newWideStage(t, sandbox.Options{Seed: 95, Records: 300})
	s.sync(codeFine, "custom_module_records")
	const (
		rows  = `SELECT count(*) FROM accounting.custom_module_records WHERE module_name = $1 AND _deleted_at IS NULL`
		stale = `SELECT count(*) FROM accounting.custom_module_records WHERE module_name = $1 AND module_record_id = ANY($2) AND _changed_at = _first_seen_at`
	)
	assets, vehicles := one[int](s, rows, "cm_assets"), one[int](s, rows, "cm_vehicles")
	if assets == 0 || vehicles == 0 {
		t.Fatalf("%d assets and %d vehicles: nothing is tried", assets, vehicles)
	}
	changed, err := s.world.Change(sandbox.Change{Seed: 3, Edits: 30, Resources: []string{"custom_module_records"}})
	must(t, err)
	edited := changed["custom_module_records"].Edited
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/books/v3/cm_assets", Kind: "not_found"}}))
	s.pass(7 * time.Hour)
	streams := s.sync(codeFine, "custom_module_records").Streams
	if len(streams) != 1 || !strings.Contains(streams[0].Note, "1 could not be read") || !strings.Contains(streams[0].Note, "cm_assets") {
		t.Errorf("what is said of a removed module: %+v", streams)
	}
	if a, v := one[int](s, rows, "cm_assets"), one[int](s, rows, "cm_vehicles"); a != assets || v != vehicles {
		t.Errorf("%d assets and %d vehicles, want %d and %d", a, v, assets, vehicles)
	}
	if a, v := one[int](s, stale, "cm_assets", edited), one[int](s, stale, "cm_vehicles", edited); a == 0 || v != 0 {
		t.Errorf("%d edited assets and %d edited vehicles are as they were", a, v)
	}
	must(t, s.world.SetFaults(nil))
	s.pass(7 * time.Hour)
	s.sync(codeFine, "custom_module_records")
	if n := one[int](s, stale, "cm_assets", edited); n != 0 {
		t.Errorf("%d edited assets are as they were when the module is there again", n)
	}
}
