package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/engine"
	"sluice/sandbox"
)

// TestSyncReadsSingleRecords reads four bills by their identifiers: one that is new upstream, one
// that changed, one that is as it was and one that was deleted. Each takes one call of class
// details. The tables hold what upstream holds, lines included, and the schedule stays as it is. A
// details run that is open keeps its place.
func TestSyncReadsSingleRecords(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 87, Records: 40, HeadersOnly: true}).narrow()
	s.sync(codeFine, "bills")
	s.exec(`WITH r AS (INSERT INTO sluice.runs (organization_id, service, resource, class, gen)
			SELECT organization_id, service, resource, 'details', requested_gen FROM sluice.streams WHERE resource = 'bills.details' RETURNING id)
		UPDATE sluice.streams SET run_id = r.id, state = 'waiting', scan = '{"done": 3, "total": 7}' FROM r WHERE resource = 'bills.details'`)
	const schedule = `SELECT string_agg(concat_ws(' ', resource, next_due_at, requested_gen, served_gen, watermark, run_id, scan ->> 'done', scan ->> 'total'), ', '
			ORDER BY resource)
		FROM sluice.streams WHERE resource IN ('bills', 'bills.details')`
	stands, before := one[string](s, schedule), one[int](s, `SELECT max(id)::int FROM sluice.calls`)
	made := sure(s.world.Change(sandbox.Change{Seed: 1, Inserts: 1, Edits: 1, Resources: []string{"bills"}}))(t)
	added, edited := made["bills"].Inserted[0], made["bills"].Edited[0]
	others := one[[]string](s, `SELECT array_agg(bill_id ORDER BY bill_id) FROM inventory.bills WHERE bill_id NOT IN ($1, $2)`, added, edited)
	untouched, gone := others[0], others[1]
	s.delete("inventory.bills", gone)

	read := decoded[[]engine.SingleRecord](s, codeFine, "sync", "inventory.bills",
		"--id", added, "--id", edited, "--id", untouched, "--id", gone, "--id", added)
	got, calls := map[string]string{}, map[int64]bool{}
	for _, r := range read {
		got[r.Record], calls[r.Call] = string(r.Result), true
	}
	diff := cmp.Diff(map[string]string{added: "new", edited: "changed", untouched: "unchanged", gone: "absent"}, got)
	errorIf(t, diff != "" || len(calls) != 4, "by %d calls (-want +got):\n%s", len(calls), diff)
	for _, id := range []string{added, edited, untouched, gone} {
		const sql = `SELECT count(*)::int FROM sluice.calls WHERE id > $1 AND class = 'details' AND path = '/inventory/v1/bills/' || $2`
		s.counts(1, "calls of class details read", sql, before, id)
	}
	s.counts(4, "calls were made", `SELECT count(*)::int FROM sluice.calls WHERE id > $1 AND service = 'inventory'`, before)
	lines := one[int](s, `SELECT count(*)::int FROM inventory.bills_line_items WHERE _parent_id = $1`, added)
	errorIf(t, lines == 0, "the lines of the new bill are missing")
	if gone, _ := s.equal("inventory.bills"); gone != 1 {
		t.Errorf("%d bills are missing upstream, want 1", gone)
	}
	same(t, "the schedule was", stands, one[string](s, schedule))
	s.prints(codeFine, "absent: upstream does not know it", "sync", "bills", "--id", gone)
	item := s.truth("inventory.items")[0] // its list shows whole records, so there is no stream of details
	s.prints(codeFine, item+"  new", "sync", "items", "--id", item)
	for line, says := range map[string]string{
		"sync --id 1":                                     "goes with the name of one resource",
		"sync bills taxes --id 1":                         "goes with the name of one resource",
		"sync bills --id 1 --reset-watermark":             "goes with the name of one resource",
		"sync chat.conversations --id 1":                  "has no API call for a single record",
		"sync nothing --id 1":                             "is no configured resource",
		"sync bills --org nobody --id 460000000000000000": "is no configured organization",
	} {
		s.complains(codeUsage, says, strings.Fields(line)...)
	}
}

// TestAWatermarkAheadOfTimeIsRefused: no run reads from a watermark that something else moved
// ahead. The command status says so, the other streams go on, and one command brings back the
// changes that a run would have skipped.
func TestAWatermarkAheadOfTimeIsRefused(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: 60}).narrow()
	lists := []string{"inventory.items", "accounting.vendor_payments"}
	s.sync(codeFine, lists...)
	before := one[string](s, `SELECT watermark::text FROM sluice.streams WHERE resource = 'items'`)
	sure(s.world.Change(sandbox.Change{Seed: 5, Inserts: 3, Resources: []string{"items", "vendor_payments"}}))(t)
	s.exec(`UPDATE sluice.streams SET watermark = watermark + interval '1 year' WHERE resource = 'items'`)

	result := s.sync(codeFailed, lists...)
	for _, r := range result.Streams {
		switch r.Resource {
		case "items":
			errorIf(t, r.Outcome != "failed" || !strings.Contains(r.Reason+r.Note, "sluice sync inventory.items --reset-watermark"), "items: %+v", r)
		case "vendor_payments":
			errorIf(t, r.Outcome != "done" || r.Inserted != 3, "the stream beside it: %+v", r)
		}
	}
	if o := s.run("status"); !strings.Contains(o.stdout, "ERROR: the watermark") || strings.Contains(o.stdout, "items            idle") {
		t.Errorf("status: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	s.prints(codeUsage, "", "sync", "--reset-watermark")
	o := s.run("sync", "--json", "--reset-watermark", "inventory.items")
	r := s.synced(codeFine, o).Streams[0]
	errorIf(t, r.Inserted != 3 || !strings.Contains(o.stderr, "the watermark goes back from"), "after the reset: %+v\n%s", r, o.stderr)
	moved := one[bool](s, `SELECT watermark > $1::timestamptz AND watermark < clock_timestamp() FROM sluice.streams WHERE resource = 'items'`, before)
	errorIf(t, !moved, "the watermark is not where the last run left it")
	// If the runs are not known any more, the whole list is read.
	s.exec(`UPDATE sluice.streams SET watermark = watermark + interval '1 year' WHERE resource = 'items'`)
	s.exec(`UPDATE sluice.runs SET watermark_after = NULL WHERE resource = 'items'`)
	o = s.run("sync", "--json", "--reset-watermark", "inventory.items")
	if r := s.synced(codeFine, o).Streams[0]; r.Received < one[int64](s, `SELECT count(*) FROM inventory.items`) || r.Inserted != 0 || !strings.Contains(o.stderr, "to none: the whole list is read") {
		t.Errorf("without a proven watermark: %+v\n%s", r, o.stderr)
	}
	s.run("status").lacks(t, codeFine, "ERROR")
}

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
		o.prints(t, codeFine, c.texts...)
		same(t, fmt.Sprintf("lines of %q", args), c.lines, strings.Count(o.stdout, "\n")-1)
		report := decoded[driftReport](s, codeFine, args...)
		errorIf(t, len(report.Keys) != c.lines || report.Keys[0].Hint == "" || report.Keys[0].Seen == 0 || report.Keys[0].FirstSeenAt.IsZero(),
			"%q --json: %+v", args, report)
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
		hint := map[string]string{"bills": "query _extra, or declare or ignore", "items": "sluice drift inventory.items"}[r.Resource]
		errorIf(t, !strings.Contains(r.Hint, hint), "%s: %q, want %q", r.Resource, r.Hint, hint)
		got = append(got, sum{r.Organization, r.Service + "." + r.Resource, r.Keys, r.Values, r.Missing, r.Crowded, r.Records})
	}
	want := []sum{
		{sandbox.DefaultOrganizationID, "inventory.bills", 2, 0, 0, false, 1234},
		{sandbox.DefaultOrganizationID, "inventory.items", 0, 1, 1, false, 4321},
		{"99", "accounting.vendor_payments", 0, 0, 0, true, 5},
	}
	errorIf(t, !slices.Equal(got, want), "summed up %+v, want %+v", got, want)
	bills, first := report.Resources[0], time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	errorIf(t, !bills.FirstSeenAt.Equal(first) || !bills.LastSeenAt.After(first.AddDate(0, 0, 1)),
		"bills drift from %s to %s, want from %s to the last key", bills.FirstSeenAt, bills.LastSeenAt, first)
}
