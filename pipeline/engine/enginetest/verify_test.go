package enginetest_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/engine"
	"sluice/pipeline/lineage/verify"
	"sluice/pipeline/upstream/probe"
	"sluice/pipeline/warehouse/capabilities"
	"sluice/pipeline/warehouse/erasures"
	"sluice/pipeline/warehouse/verifications"
	"sluice/sandbox"
)

// verify verifies lists with so many calls; of each, sample rows are compared with their raw
// records.
func (f *fixture) verify(calls, sample int, names ...string) verify.Result {
	f.t.Helper()
	return check.Sure(f.app.Verify(f.t.Context(), engine.VerifyOptions{Names: names, Calls: calls, Sample: sample}))(f.t)
}

// toldOf returns the findings in short, sorted: severity, code, resource, record.
func toldOf(findings []verifications.Finding) []string {
	short := []string{}
	for _, found := range findings {
		short = append(short, fmt.Sprintf("%s %s %s %s", found.Severity, found.Code, found.Resource, found.Record))
	}
	slices.Sort(short)
	return slices.Compact(short)
}

// TestVerify: a clean warehouse has no finding, a later change upstream is none, and each way of
// tampering with rows is found, by the tampered record.
func TestVerify(t *testing.T) {
	f := newFixture(t, sandbox.Options{Seed: 91, Records: 50, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}, sixLists(), "", single())
	f.copies()

	clean := f.verify(9, 200)
	v := clean.Verification
	if len(clean.Findings) != 0 || v.Outcome != verifications.OutcomeClean || v.Calls != 9 || v.Checks < 14 || v.Rows == 0 || v.Records <= v.Rows || v.NotDue != 0 {
		t.Errorf("a clean warehouse: %+v\n%+v", v, clean.Findings)
	}
	bill := one[string](f, `SELECT _parent_id FROM inventory.bills_line_items GROUP BY 1 HAVING count(*) > 1 ORDER BY 1 LIMIT 1`)
	others := func(n int) string {
		return one[string](f, `SELECT bill_id FROM inventory.bills WHERE bill_id <> $1 ORDER BY 1 OFFSET $2 LIMIT 1`, bill, n)
	}
	edited, fresh, orphaned, forged := others(0), others(1), others(2), others(3)
	payment := one[string](f, `SELECT payment_id FROM accounting.vendor_payments ORDER BY 1 LIMIT 1`)
	account := one[string](f, `SELECT account_id FROM accounting.chart_of_accounts ORDER BY 1 LIMIT 1`)

	// A change upstream after the watermark is no finding.
	check.Sure(f.world.Change(sandbox.Change{Seed: 5, Inserts: 1, Edits: 2, Resources: []string{"vendor_payments", "items"}}))(t)
	newer := f.verify(9, 200)
	if v := newer.Verification; len(newer.Findings) != 0 || v.Outcome != verifications.OutcomeClean || v.NotDue < 4 {
		t.Errorf("changed upstream since: %+v\n%+v", newer.Verification, newer.Findings)
	}

	f.exec(`UPDATE inventory.bills SET vendor_name = vendor_name || ' Ltd' WHERE bill_id = $1`, edited)
	f.exec(`DELETE FROM inventory.bills_line_items WHERE _parent_id = $1 AND _position = 1`, bill)
	f.exec(`UPDATE inventory.bills SET last_modified_time = last_modified_time + interval '1 second' WHERE bill_id = $1`, fresh)
	f.exec(`UPDATE inventory.bills SET _call_id = (SELECT max(id) + 1000 FROM sluice.calls) WHERE bill_id = $1`, forged)
	f.exec(`DELETE FROM accounting.vendor_payments WHERE payment_id = $1`, payment)
	f.exec(`DELETE FROM accounting.chart_of_accounts WHERE account_id = $1`, account)
	f.exec(`SET session_replication_role = replica`)
	f.exec(`DELETE FROM inventory.bills WHERE bill_id = $1`, orphaned)
	f.exec(`RESET session_replication_role`)
	f.exec(`UPDATE sluice.streams SET watermark = clock_timestamp() + interval '1 hour' WHERE resource = 'credit_notes'`)

	found := f.verify(9, 200)
	want := []string{
		"notice no_raw bills " + forged,
		"violation bill_lines bills " + bill,
		"violation edited bills " + bill,
		"violation edited bills " + edited,
		"violation edited bills " + fresh,
		"violation watermarks_ahead credit_notes ",
		"violation watermarks_unproven credit_notes ",
		"violation missing bills " + orphaned,
		"violation missing chart_of_accounts " + account,
		"violation missing vendor_payments " + payment,
		"violation orphans bills " + orphaned,
		"violation rows_without_call bills " + forged,
		"violation rows_without_raw bills " + forged,
	}
	slices.Sort(want)
	got := slices.DeleteFunc(toldOf(found.Findings), func(one string) bool { return one == "violation bill_balances bills "+bill })
	if diff := cmp.Diff(want, got); diff != "" || found.Verification.Outcome != verifications.OutcomeFound {
		t.Errorf("tampered with (-want +got):\n%s\n%+v", diff, found.Findings)
	}
	tellsWhere(t, found.Findings, bill, edited)

	local := f.verify(0, 0, "inventory.bills")
	if calls := local.Verification.Calls; calls != 0 || !slices.Contains(toldOf(local.Findings), "violation edited bills "+edited) {
		t.Errorf("without a call: %d calls\n%v", calls, toldOf(local.Findings))
	}
	check.ErrorIf(t, slices.ContainsFunc(local.Findings, func(one verifications.Finding) bool { return one.Resource != "bills" }),
		"bills alone were asked for: %v", toldOf(local.Findings))
}

// tellsWhere: the path names the value, and texts of records are shown nowhere.
func tellsWhere(t *testing.T, findings []verifications.Finding, bill, edited string) {
	t.Helper()
	paths := map[string]string{bill: "line_items[1]", edited: "vendor_name"}
	for _, one := range findings {
		want := paths[one.Record]
		check.ErrorIf(t, want != "" && one.Code == verify.CodeEdited && one.Path != want,
			"record %s: path %q, want %q", one.Record, one.Path, want)
		check.ErrorIf(t, strings.Contains(one.Detail, "Ltd"), "a text of a record is shown: %s", one.Detail)
	}
}

// TestVerifyFurtherPages: the remaining calls find what the newest page does not show, and the next
// verification goes on with what this one did not reach.
func TestVerifyFurtherPages(t *testing.T) {
	const bills, notes = "inventory.bills", "inventory.credit_notes"
	f := newFixture(t, sandbox.Options{Seed: 96, Records: 900}, []string{bills, notes}, "", single())
	f.copies()
	f.exec(`DELETE FROM inventory.bills WHERE bill_id IN (SELECT bill_id FROM inventory.bills ORDER BY last_modified_time LIMIT 1)`)
	rows := one[int](f, `SELECT count(*) FROM inventory.bills`)
	check.FatalIf(t, rows < 201 || rows > 400, "%d bills, want two pages of them", rows)
	newest := f.verify(1, 1, bills)
	if v := newest.Verification; len(newest.Findings) != 0 || v.Calls != 1 || v.Records != 200 || newest.Streams[0].Complete {
		t.Errorf("one page: %+v %+v", v, newest.Findings)
	}
	both := f.verify(9, 1, bills)
	v := both.Verification
	check.ErrorIf(t, v.Calls != 2 || len(both.Findings) != 1 || both.Findings[0].Code != "missing", "both pages: %+v %+v", v, both.Findings)
	// One call goes first to bills or to what was never verified; bills were verified.
	next := f.verify(1, 1, bills, notes)
	check.Same(t, fmt.Sprintf("the next one finds %+v", next.Findings), 0, len(next.Findings))
	for _, stream := range next.Streams {
		check.ErrorIf(t, (stream.Calls == 1) != (stream.Resource == "credit_notes"), "the next call is for another one: %+v", next.Streams)
	}
}

// TestVerifyUndated: records without a modification time. A record that had a row before and has
// none now is a finding; a record that had none may be newer than the last run.
func TestVerifyUndated(t *testing.T) {
	const places, persons = "inventory.locations", "accounting.contact_persons"
	f := newFixture(t, sandbox.Options{Seed: 97, Records: 20}, []string{places, persons, "inventory.bills"}, "", single())
	f.copies()
	changed := check.Sure(f.world.Change(sandbox.Change{Seed: 3, Inserts: 1, Edits: 1, Deletes: 1, Resources: []string{"locations"}}))(t)
	touched := changed["locations"]
	kept := one[string](f, `SELECT location_id FROM inventory.locations WHERE location_id <> ALL ($1) ORDER BY 1 LIMIT 1`,
		slices.Concat(touched.Edited, touched.Deleted))
	f.exec(`DELETE FROM inventory.locations WHERE location_id = $1`, kept)
	result := f.verify(2, 0, places, persons)
	want := []string{"violation missing locations " + kept}
	for _, id := range touched.Deleted {
		want = append(want, "notice not_listed locations "+id)
	}
	slices.Sort(want)
	diff := cmp.Diff(want, toldOf(result.Findings))
	check.ErrorIf(t, diff != "", "findings (-want +got):\n%s\n%+v", diff, result)
	for _, stream := range result.Streams {
		listed := stream.Resource == "locations"
		check.ErrorIf(t, stream.Complete != listed || listed && stream.NotDue != 2 || stream.Calls != 1 || stream.Records == 0,
			"looked at: %+v", stream)
	}
}

// TestVerifyNamesNoErasedRecord: upstream still shows an item that was erased, one that fits and
// one that does not. A verification says so, and keeps nothing by which they could be recognized.
func TestVerifyNamesNoErasedRecord(t *testing.T) {
	const items = "inventory.items"
	f := newFixture(t, sandbox.Options{Seed: 92, Records: 30, Limits: sandbox.Limits{Off: true}}, []string{items}, "", single())
	f.copies()
	erased := f.world.Listed("inventory", "items")[:2]
	for _, id := range erased {
		check.Sure(f.app.EraseRecord(t.Context(), items, id, single().key, "", false))(t)
	}
	// The first record of the list does not fit; single records do.
	check.Must(t, f.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/items", Kind: "huge_number", Count: 1}}))
	found := f.verify(9, 200, items)
	if got, want := toldOf(found.Findings), []string{"notice erased items "}; !slices.Equal(got, want) || len(found.Findings) != 2 ||
		found.Verification.Outcome != verifications.OutcomeClean {
		t.Errorf("%s with %d findings: %q, want two of %q and nothing else", found.Verification.Outcome, len(found.Findings), got, want)
	}
	for _, id := range erased {
		refused := check.Sure(f.app.Erasure(t.Context(), items, id, single().key))(t)
		left, err := f.app.EraseRecord(t.Context(), items, id, single().key, "", true)
		check.ErrorIf(t, !errors.Is(err, erasures.ErrNothing) || refused == 0,
			"refused since erasure %d, and %v is left of it (error %v)", refused, left.Places, err)
	}
}

// TestLargeAnswersGiveWayToEachOther: a verification and a probe read large answers one after the
// other, and none waits for an answer that was read before.
func TestLargeAnswersGiveWayToEachOther(t *testing.T) {
	const bills, items = "inventory.bills", "inventory.items"
	f := newFixture(t, sandbox.Options{Seed: 91, Records: 120, Limits: sandbox.Limits{Off: true}}, []string{bills, items}, "", single())
	f.copies()
	check.Must(t, f.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/bills", Kind: "many_keys"}, {Path: "/inventory/v1/items", Kind: "many_keys"}}))
	v := f.verify(3, 200, bills, items).Verification
	check.ErrorIf(t, v.Outcome != verifications.OutcomeClean || v.Calls < 2, "%+v", v)
	client := check.Sure(f.app.Client())(t)
	list, known := f.app.Stream(pipeline.Key{Organization: single().key, Service: "inventory", Resource: "items"})
	check.FatalIf(t, !known, "there is no list of items")
	probed := check.Sure(probe.List(t.Context(), client, list, f.app.Zone(list.Organization), pipeline.DefaultRules().PerPage))(t)
	declared := capabilities.Declared(list.Resource)
	for _, v := range probed.Verdicts {
		if v.Answer == pipeline.AnswerNo && slices.ContainsFunc(declared, func(d pipeline.Verdict) bool { return d.Capability == v.Capability && d.Answer == pipeline.AnswerYes }) {
			t.Errorf("it contradicts the declaration: %+v", v)
		}
	}
}

// TestAnotherRuleOfTheHash: hashes of another rule are rewritten from raw records before anything
// is read, and no record looks changed.
func TestAnotherRuleOfTheHash(t *testing.T) {
	f := newFixture(t, sandbox.Options{Seed: 71, Records: 100, Limits: sandbox.Limits{Off: true}}, []string{"inventory.bills", "inventory.items"}, "", single())
	f.copies()
	hashes := `SELECT md5(string_agg(bill_id || _content_hash::text, ' ' ORDER BY bill_id)) FROM inventory.bills`
	before := one[string](f, hashes)
	f.exec(`UPDATE inventory.bills SET _content_hash = '\x00112233445566778899aabbccddeeff'`)
	f.exec(`UPDATE sluice.streams SET hash_rule = 0`)
	f.exec(`UPDATE sluice.streams SET watermark = NULL WHERE resource = 'bills'`) // the list is read whole again
	f.copies("inventory.bills")
	check.Same(t, "the hashes are others than before", before, one[string](f, hashes))
	if got := one[string](f, `SELECT concat_ws(' ', count(*) FILTER (WHERE scope = 'changed' AND outcome = 'done') > 0, sum(rewritten) = (SELECT count(*) FROM inventory.bills))
		FROM sluice.rebuilds WHERE resource = 'bills'`); got != "t t" {
		t.Errorf("done once, all rows: %s", got)
	}
	check.Same(t, "bills looked changed", 0, one[int](f, `SELECT sum(updated) FROM sluice.runs WHERE resource = 'bills' AND calls > 0`))
	rebuilds := one[int](f, `SELECT count(*) FROM sluice.rebuilds`)
	f.copies()
	got := one[int](f, `SELECT count(*) FROM sluice.rebuilds`)
	check.ErrorIf(t, got != rebuilds, "%d rebuilds more, and the rule is the same", got-rebuilds)
}
