//go:build e2e

package cli

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sluice/sandbox"
)

var lookRecords = flag.Int("look-records", 2400, "how many items TestLooks looks at; docs/decisions/0010-deletions has figures for 50,000")

// TestLooks deletes items upstream: a look and one answer for several single records give their
// rows tombstones, for a few calls. A look at a list in which nothing is missing takes one.
func TestLooks(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 97, Records: *lookRecords, HeadersOnly: true, Plan: "elite", Limits: sandbox.Limits{Off: true}}).narrow()
	s.configured("  inventory.items: {calls_per_run: 5000}\n")
	s.sync(codeFine, "items")
	s.age()
	n := len(s.truth("inventory.items"))
	if waiting := one[int](s, `SELECT count(*) FROM inventory.items WHERE _detail_state <> 'current'`); waiting > 0 {
		t.Fatalf("%d of %d items have no single record", waiting, n)
	}
	look := func(what string, most int64, condition string) {
		t.Helper()
		rows, err := s.conn.Query(t.Context(), `SELECT item_id FROM (SELECT item_id, row_number() OVER (ORDER BY created_time, item_id) AS number
			FROM inventory.items WHERE _deleted_at IS NULL) AS i WHERE `+condition)
		must(t, err)
		var gone []string
		for rows.Next() {
			var id string
			must(t, rows.Scan(&id))
			gone = append(gone, id)
		}
		must(t, rows.Err())
		before := s.ids("inventory.items", dead)
		if len(gone) > 0 {
			s.delete("inventory.items", gone...)
		}
		calls := make(map[string]int64)
		sum := int64(0)
		for _, stream := range s.sync(codeFine, "inventory.items.look", "inventory.items.details").Streams {
			calls[stream.Resource] += stream.Calls
			sum += stream.Calls
		}
		want := slices.Concat(before, gone)
		slices.Sort(want)
		if got := s.ids("inventory.items", dead); !slices.Equal(got, want) {
			t.Errorf("%s: %d rows have tombstones, want %d", what, len(got), len(want))
		}
		s.truthful("inventory.items")
		if sum > most {
			t.Errorf("%s: %d calls, want %d at most: %v", what, sum, most, calls)
		}
		t.Logf("%s: %d deletions of %d items took %d calls: %v", what, len(gone), n, sum, fmt.Sprint(calls))
	}
	look("at rest", 1, "false")
	for _, command := range []string{"plan inventory.items.look", "status --why inventory.items.look"} {
		if o := s.run(strings.Fields(command)...); o.code != codeFine || !strings.Contains(o.stdout, "items.look") {
			t.Errorf("%s shows no looks:\n%s%s", command, o.stdout, o.stderr)
		}
	}
	some := min(n/40, 50) // within the brake
	look("neighbours", 12, fmt.Sprintf("number BETWEEN %d AND %d", n/3, n/3+some-1))
	look("the newest", 3, fmt.Sprintf("number > %d", n-2*some))
	look("all over the list", int64(3*some), fmt.Sprintf("number %% %d = 7 AND number <= %d", n/some-3, (n/some-3)*some))
}
