package cli

import (
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestDrift makes three resources drift and removes a key, and runs drift for all, for one, and for
// another organization.
func TestDrift(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10})
	if o := s.run("drift"); o.code != codeFine || !strings.Contains(o.stdout, "Nothing came that the declarations do not know.") {
		t.Errorf("without drift: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	s.exec(`INSERT INTO sluice.drift (organization_id, service, resource, path, kind, seen) VALUES
		($1, 'inventory', 'bills', 'surprise', 'string', 1234),
		($1, 'inventory', 'bills', 'line_items[].novel', 'number', 2),
		($1, 'inventory', 'items', E'bell\u0007', 'value: consumable', 7),
		('99', 'accounting', 'vendor_payments', '(others)', 'many', 5)`, sandbox.DefaultOrganizationID)
	s.exec(`INSERT INTO sluice.keys (organization_id, service, resource, path, came_run, lacking_run, lacking, lacking_since, lacking_at, sometimes) VALUES
		($1, 'inventory', 'items.sweep', 'rate', 7, 8, 4321, '2026-11-01', '2026-11-08', false),
		($1, 'inventory', 'items.sweep', 'sku', 7, 8, 4321, '2026-11-01', '2026-11-08', true),
		($1, 'inventory', 'items.sweep', 'unit', 8, 7, 0, NULL, '2026-11-08', false)`, sandbox.DefaultOrganizationID)

	for _, c := range []struct {
		args  []string
		lines int
		texts []string
	}{
		{nil, 5, []string{"1,234", "gone", "4,321", "kept in the column _extra, under surprise", "such as line_items[0].novel", "loaded as it came", "thousand"}},
		{[]string{"bills"}, 2, []string{"surprise", "novel"}},
		{[]string{"inventory.items"}, 2, []string{"value: consumable", "bell␀", "rate", "keeps what came last"}},
		{[]string{"accounting"}, 1, []string{"(others)"}},
		{[]string{"--org", "Sandbox Trading"}, 4, []string{"surprise", "consumable"}},
		{[]string{"inventory.bills", "--org", sandbox.DefaultOrganizationID}, 2, []string{"surprise"}},
	} {
		args := append([]string{"drift"}, c.args...)
		o := s.run(args...)
		if lines := strings.Count(o.stdout, "\n") - 1; o.code != codeFine || lines != c.lines {
			t.Errorf("%q: exit code %d, %d lines, want %d\n%s%s", args, o.code, lines, c.lines, o.stdout, o.stderr)
		}
		for _, text := range c.texts {
			if !strings.Contains(o.stdout, text) {
				t.Errorf("%q does not say %q\n%s", args, text, o.stdout)
			}
		}
		var views []driftView
		s.document(&views, args...)
		if len(views) != c.lines || views[0].Hint == "" || views[0].Seen == 0 || views[0].FirstSeenAt.IsZero() {
			t.Errorf("%q --json: %+v", args, views)
		}
	}
	if o := s.run("drift", "--org", "nobody"); o.code != codeUsage {
		t.Errorf("an unknown organization: exit code %d, want %d", o.code, codeUsage)
	}
}
