package enginetest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/warehouse/quarantine"
	"sluice/sandbox"
)

// TestRetriesTogether retries records that one call brought: most fit, one is refused by the
// database, one came in two versions, and one still does not fit. Each has its own result.
func TestRetriesTogether(t *testing.T) {
	t.Parallel()
	f := newFixture(t, sandbox.Options{Seed: 95, Records: 10}, []string{"inventory.items"}, "", single())
	f.exec(`ALTER TABLE inventory.items ADD CONSTRAINT good CHECK (name <> 'bad') NOT VALID`)
	f.exec(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path, call_id)
SELECT $1, 'inventory', 'items', sha256(raw::bytea), raw::json ->> 'item_id', convert_to(raw, 'UTF8'), 'bad_number', 'rate', 7
FROM unnest(ARRAY['{"item_id": "81", "name": "a", "rate": 1}', '{"item_id": "82", "name": "bad"}', '{"item_id": "83", "name": "b"}',
	'{"item_id": "83", "name": "c"}', '{"item_id": "84", "rate": "much"}', '{"item_id": "85", "name": "d"}']) AS raw`, single().key)
	entries, err := f.app.DB.Quarantine(t.Context(), quarantine.Filter{State: "open"})
	must(t, err)
	var ids []int64
	for i := range entries {
		ids = append(ids, entries[i].ID)
	}
	results, err := f.app.Retry(t.Context(), ids...)
	must(t, err)
	loaded := map[string]int{}
	for _, result := range results {
		if record := one[string](f, `SELECT record_id FROM sluice.quarantine WHERE id = $1`, result.ID); result.Loaded {
			loaded[record]++
		} else if want := map[string]string{"82": "the database refuses it", "84": "number"}[record]; want == "" || !strings.Contains(result.Why, want) {
			t.Errorf("%s is not loaded: %q", record, result.Why)
		}
	}
	if diff := cmp.Diff(map[string]int{"81": 1, "83": 2, "85": 1}, loaded); diff != "" {
		t.Errorf("loaded (-want +got):\n%s", diff)
	}
	if rows := one[string](f, `SELECT string_agg(item_id, ' ' ORDER BY item_id) FROM inventory.items`); rows != "81 83 85" {
		t.Errorf("the rows are %s", rows)
	}
	if left := one[string](f, `SELECT string_agg(record_id, ' ' ORDER BY record_id) FROM sluice.quarantine WHERE state = 'open'`); left != "82 84" {
		t.Errorf("open are %s", left)
	}
	if runs := one[int](f, `SELECT count(*) FROM sluice.runs`); runs != 2 {
		t.Errorf("%d runs loaded them, want 2: the versions of one record apart", runs)
	}
}
