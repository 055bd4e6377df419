package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// TestDrift makes three resources drift and removes a key, and runs drift for all, for one, and for
// another organization.
func TestDrift(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10})
	s.prints(codeFine, "Nothing came that the declarations do not know.", "drift")
	s.exec(`INSERT INTO sluice.drift (organization_id, service, resource, path, kind, seen) VALUES
		($1, 'inventory', 'bills', 'surprise', 'string', 1234),
		($1, 'inventory', 'bills', 'surprise', 'number', 3),
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
		{nil, 6, []string{"1,234", "gone", "4,321", "kept in the column _extra, under surprise", "such as line_items[0].novel", "loaded as it came", "thousand"}},
		{[]string{"bills"}, 3, []string{"surprise", "novel"}},
		{[]string{"inventory.items"}, 2, []string{"value: consumable", "bell␀", "rate", "keeps what came last"}},
		{[]string{"accounting"}, 1, []string{"(others)"}},
		{[]string{"--org", "Sandbox Trading"}, 5, []string{"surprise", "consumable"}},
		{[]string{"inventory.bills", "--org", sandbox.DefaultOrganizationID}, 3, []string{"surprise"}},
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
		report := decoded[driftReport](s, codeFine, args...)
		if len(report.Keys) != c.lines || report.Keys[0].Hint == "" || report.Keys[0].Seen == 0 || report.Keys[0].FirstSeenAt.IsZero() {
			t.Errorf("%q --json: %+v", args, report)
		}
	}
	overview(t, s)
	s.prints(codeUsage, "", "drift", "--org", "nobody")
}

// overview checks the sums of the three resources and what follows from them.
func overview(t *testing.T, s *fixture) {
	t.Helper()
	s.exec(`UPDATE sluice.drift SET first_seen_at = '2026-10-01Z', last_seen_at = '2026-10-02Z' WHERE path = 'surprise' AND kind = 'number'`)
	report := decoded[driftReport](s, codeFine, "drift")
	type sum struct {
		organization, name string
		keys, values, gone int
		crowded            bool
		records            int64
	}
	var got []sum
	for _, r := range report.Resources {
		if hint := map[string]string{"bills": "query _extra, or declare or ignore", "items": "sluice drift inventory.items"}[r.Resource]; !strings.Contains(r.Hint, hint) {
			t.Errorf("%s: %q, want %q", r.Resource, r.Hint, hint)
		}
		got = append(got, sum{r.Organization, r.Service + "." + r.Resource, r.Keys, r.Values, r.Missing, r.Crowded, r.Records})
	}
	want := []sum{
		{sandbox.DefaultOrganizationID, "inventory.bills", 2, 0, 0, false, 1234},
		{sandbox.DefaultOrganizationID, "inventory.items", 0, 1, 1, false, 4321},
		{"99", "accounting.vendor_payments", 0, 0, 0, true, 5},
	}
	if !slices.Equal(got, want) {
		t.Errorf("summed up %+v, want %+v", got, want)
	}
	bills, first := report.Resources[0], time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	if !bills.FirstSeenAt.Equal(first) || !bills.LastSeenAt.After(first.AddDate(0, 0, 1)) {
		t.Errorf("bills drift from %s to %s, want from %s to the last key", bills.FirstSeenAt, bills.LastSeenAt, first)
	}
}
