package cli

import (
	"net/http"
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestPagesOfDrift looks at what the newest records of a list hold under keys that no declaration
// knows, as an operator and as a viewer.
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
	s.exec(`INSERT INTO sluice.raw_records (call_id, first_position, organization_id, service, resource, records) VALUES
		(1, 0, $1, 'inventory', 'bills', '[{"bill_id": "1", "surprise": "Anna Karenina", "line_items": [{"novel": 5}, {"rate": 1}]}, {"bill_id": "2"}]'),
		(2, 0, $1, 'inventory', 'bills', '[{"bill_id": "3", "surprise": ""}]'),
		(3, 0, '99', 'inventory', 'bills', '[{"bill_id": "4", "surprise": "of another organization"}]')`, sandbox.DefaultOrganizationID)
	bills := "/drift/inventory.bills?org=" + sandbox.DefaultOrganizationID
	s.visited(anOperator, false, func(v *desk) {
		v.same("/drift?format=json", "drift")
		v.same(bills+"&format=json", "drift", "inventory.bills", "--org", sandbox.DefaultOrganizationID)
		v.says("/drift", "1 declared key gone, 3 unknown keys, 1 unknown value in 2 resources.", "1,234", "4,321")
		v.says(bills, "2 of 3", "1 of 2", "0 of 3", "Anna Karenina", "the newest 3 records", "&lt;script&gt;k", "schema.Text(&#34;surprise&#34;")
		if html := v.get(http.StatusOK, bills); strings.Contains(html, "<script>k") || strings.Contains(html, "of another organization") || strings.Contains(html, `schema.Int(&#34;novel`) {
			t.Errorf("the page of drift\n%s", html)
		}
		v.says("/drift/inventory.items?org="+sandbox.DefaultOrganizationID, "Declared keys that are gone", "value: consumable", "4,321")
		v.says("/drift/inventory.credit_notes", "Everything that came is declared.")
		v.get(http.StatusNotFound, "/drift/nothing")
	})
	s.visited(aViewer, false, func(v *desk) {
		html := v.get(http.StatusOK, bills)
		if strings.Contains(html, "Karenina") || !strings.Contains(html, "text of 13 characters") {
			t.Errorf("a viewer sees an example, or not what it is:\n%s", html)
		}
	})
}
