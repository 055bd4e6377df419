package cli

import (
	"strings"
	"testing"

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
	same, gone := others[0], others[1]
	s.delete("inventory.bills", gone)

	read := decoded[[]engine.SingleRecord](s, codeFine, "sync", "inventory.bills", "--id", added, "--id", edited, "--id", same, "--id", gone, "--id", added)
	got, calls := map[string]string{}, map[int64]bool{}
	for _, r := range read {
		got[r.Record], calls[r.Call] = string(r.Result), true
	}
	if diff := cmp.Diff(map[string]string{added: "new", edited: "changed", same: "unchanged", gone: "absent"}, got); diff != "" || len(calls) != 4 {
		t.Errorf("by %d calls (-want +got):\n%s", len(calls), diff)
	}
	for _, id := range []string{added, edited, same, gone} {
		const sql = `SELECT count(*)::int FROM sluice.calls WHERE id > $1 AND class = 'details' AND path = '/inventory/v1/bills/' || $2`
		if n := one[int](s, sql, before, id); n != 1 {
			t.Errorf("%d calls of class details read %s, want 1", n, id)
		}
	}
	s.counts(4, "calls were made", `SELECT count(*)::int FROM sluice.calls WHERE id > $1 AND service = 'inventory'`, before)
	if lines := one[int](s, `SELECT count(*)::int FROM inventory.bills_line_items WHERE _parent_id = $1`, added); lines == 0 {
		t.Error("the lines of the new bill are missing")
	}
	if gone, _ := s.equal("inventory.bills"); gone != 1 {
		t.Errorf("%d bills are missing upstream, want 1", gone)
	}
	if now := one[string](s, schedule); now != stands {
		t.Errorf("the schedule was %s, is %s", stands, now)
	}
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
