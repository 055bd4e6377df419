package cli

import (
	"net/http"
	"testing"

	"sluice/sandbox"
)

// TestPagesOfDrift looks at keys that no declaration knows, and at those that are gone.
func TestPagesOfDrift(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 99, Records: 10})
	s.visited(anOperator, false, func(v *desk) { v.says("/drift", "Everything that came is declared.") })
	s.exec(`INSERT INTO sluice.drift (organization_id, service, resource, path, kind, seen) VALUES
		($1, 'inventory', 'bills', 'surprise', 'string', 1234),
		($1, 'inventory', 'bills', 'surprise', 'number', 3),
		($1, 'inventory', 'bills', 'line_items[].novel', 'number', 2),
		($1, 'inventory', 'bills', '<script>k</script>', 'number', 1),
		($1, 'inventory', 'items', 'item_type', 'value: consumable', 7)`, sandbox.DefaultOrganizationID)
	s.exec(`INSERT INTO sluice.keys (organization_id, service, resource, path, came_run, lacking_run, lacking, lacking_since, lacking_at, sometimes)
		VALUES ($1, 'inventory', 'items.sweep', 'rate', 7, 8, 4321, '2026-11-01', '2026-11-08', false)`, sandbox.DefaultOrganizationID)
	bills := "/drift/inventory.bills?org=" + sandbox.DefaultOrganizationID
	s.visited(anOperator, false, func(v *desk) {
		v.same("/drift", "drift")
		v.same(bills, "drift", "inventory.bills", "--org", sandbox.DefaultOrganizationID)
		v.says("/drift", "1 declared key gone, 3 unknown keys, 1 unknown value in 2 resources.", "1,234", "4,321")
		v.says(bills, "line_items[].novel", "1,234", "string", "kept in the column _extra, under surprise", "No declared key is gone.", "&lt;script&gt;k")
		v.says("/drift/inventory.items?org="+sandbox.DefaultOrganizationID, "Declared keys that are gone", "value: consumable", "4,321")
		v.says("/drift/inventory.credit_notes", "Everything that came is declared.")
		v.get(http.StatusNotFound, "/drift/nothing")
	})
}
