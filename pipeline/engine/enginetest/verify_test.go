package enginetest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/engine"
	"sluice/pipeline/lineage/verify"
	"sluice/sandbox"
)

// verify verifies lists with so many calls; of each, sample rows are compared with their raw
// records.
func (f *fixture) verify(calls, sample int, names ...string) verify.Result {
	f.t.Helper()
	result, err := f.app.Verify(f.t.Context(), engine.VerifyOptions{Names: names, Calls: calls, Sample: sample})
	must(f.t, err)
	return result
}

// TestVerifyFurtherPages: the remaining calls find what the newest page does not show, and the next
// verification goes on with what this one did not reach.
func TestVerifyFurtherPages(t *testing.T) {
	t.Parallel()
	const bills, notes = "inventory.bills", "inventory.credit_notes"
	f := newFixture(t, sandbox.Options{Seed: 96, Records: 900}, []string{bills, notes}, "", single())
	f.copies()
	f.exec(`DELETE FROM inventory.bills WHERE bill_id IN (SELECT bill_id FROM inventory.bills ORDER BY last_modified_time LIMIT 1)`)
	if rows := one[int](f, `SELECT count(*) FROM inventory.bills`); rows < 201 || rows > 400 {
		t.Fatalf("%d bills, want two pages of them", rows)
	}
	newest := f.verify(1, 1, bills)
	if v := newest.Verification; len(newest.Findings) != 0 || v.Calls != 1 || v.Records != 200 || newest.Streams[0].Complete {
		t.Errorf("one page: %+v %+v", v, newest.Findings)
	}
	both := f.verify(9, 1, bills)
	if v := both.Verification; v.Calls != 2 || len(both.Findings) != 1 || both.Findings[0].Code != "missing" {
		t.Errorf("both pages: %+v %+v", v, both.Findings)
	}
	// One call goes first to bills or to what was never verified; bills were verified.
	next := f.verify(1, 1, bills, notes)
	if len(next.Findings) != 0 {
		t.Errorf("the next one finds %+v", next.Findings)
	}
	for _, stream := range next.Streams {
		if (stream.Calls == 1) != (stream.Resource == "credit_notes") {
			t.Errorf("the next call is for another one: %+v", next.Streams)
		}
	}
}

// TestVerifyUndated: records without a modification time. A record that had a row before and has
// none now is a finding; a record that had none may be newer than the last run.
func TestVerifyUndated(t *testing.T) {
	t.Parallel()
	const places, persons = "inventory.locations", "accounting.contact_persons"
	f := newFixture(t, sandbox.Options{Seed: 97, Records: 20}, []string{places, persons, "inventory.bills"}, "", single())
	f.copies()
	changed, err := f.world.Change(sandbox.Change{Seed: 3, Inserts: 1, Edits: 1, Deletes: 1, Resources: []string{"locations"}})
	must(t, err)
	touched := changed["locations"]
	kept := one[string](f, `SELECT location_id FROM inventory.locations WHERE location_id <> ALL ($1) ORDER BY 1 LIMIT 1`,
		slices.Concat(touched.Edited, touched.Deleted))
	f.exec(`DELETE FROM inventory.locations WHERE location_id = $1`, kept)
	result := f.verify(2, 0, places, persons)
	want := []string{"violation missing locations " + kept}
	for _, id := range touched.Deleted {
		want = append(want, "notice not_listed locations "+id)
	}
	var got []string
	for _, found := range result.Findings {
		got = append(got, fmt.Sprintf("%s %s %s %s", found.Severity, found.Code, found.Resource, found.Record))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
		t.Errorf("findings (-want +got):\n%s\n%+v", diff, result)
	}
	for _, stream := range result.Streams {
		listed := stream.Resource == "locations"
		if stream.Complete != listed || listed && stream.NotDue != 2 || stream.Calls != 1 || stream.Records == 0 {
			t.Errorf("looked at: %+v", stream)
		}
	}
}

// TestAnotherRuleOfTheHash: hashes of another rule are rewritten from raw records before anything
// is read, and no record looks changed.
func TestAnotherRuleOfTheHash(t *testing.T) {
	t.Parallel()
	f := newFixture(t, sandbox.Options{Seed: 71, Records: 100, Limits: sandbox.Limits{Off: true}}, []string{"inventory.bills", "inventory.items"}, "", single())
	f.copies()
	hashes := `SELECT md5(string_agg(bill_id || _content_hash::text, ' ' ORDER BY bill_id)) FROM inventory.bills`
	before := one[string](f, hashes)
	f.exec(`UPDATE inventory.bills SET _content_hash = '\x00112233445566778899aabbccddeeff'`)
	f.exec(`UPDATE sluice.streams SET hash_rule = 0`)
	f.exec(`UPDATE sluice.streams SET watermark = NULL WHERE resource = 'bills'`) // the list is read whole again
	f.copies("inventory.bills")
	if got := one[string](f, hashes); got != before {
		t.Error("the hashes are others than before")
	}
	if got := one[string](f, `SELECT concat_ws(' ', count(*) FILTER (WHERE scope = 'changed' AND outcome = 'done') > 0, sum(rewritten) = (SELECT count(*) FROM inventory.bills))
		FROM sluice.rebuilds WHERE resource = 'bills'`); got != "t t" {
		t.Errorf("done once, all rows: %s", got)
	}
	if updated := one[int](f, `SELECT sum(updated) FROM sluice.runs WHERE resource = 'bills' AND calls > 0`); updated != 0 {
		t.Errorf("%d bills looked changed", updated)
	}
	rebuilds := one[int](f, `SELECT count(*) FROM sluice.rebuilds`)
	f.copies()
	if got := one[int](f, `SELECT count(*) FROM sluice.rebuilds`); got != rebuilds {
		t.Errorf("%d rebuilds more, and the rule is the same", got-rebuilds)
	}
}
