package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/lineage/verify"
	"sluice/pipeline/warehouse/verifications"
	"sluice/sandbox"
)

// verified runs verify, checks its exit code, and gives its result.
func (s *fixture) verified(code int, args ...string) verify.Result {
	s.t.Helper()
	var result verify.Result
	o := s.run(append([]string{"--json", "verify"}, args...)...)
	if o.code != code {
		s.t.Fatalf("verify %q: exit code %d, want %d\n%s%s", args, o.code, code, o.stdout, o.stderr)
	}
	must(s.t, json.Unmarshal([]byte(o.stdout), &result))
	return result
}

// toldOf gives the findings in short, sorted: severity, code, resource, record.
func toldOf(findings []verifications.Finding) []string {
	short := []string{}
	for _, f := range findings {
		short = append(short, fmt.Sprintf("%s %s %s %s", f.Severity, f.Code, f.Resource, f.Record))
	}
	slices.Sort(short)
	return slices.Compact(short)
}

// TestVerify: a clean warehouse has no finding, a later change upstream is none, and each way of
// tampering with rows is found, by the tampered record.
func TestVerify(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 91, Records: 50, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)

	clean := s.verified(codeFine, "--calls", "9")
	v := clean.Verification
	if len(clean.Findings) != 0 || v.Outcome != verifications.OutcomeClean || v.Calls != 9 || v.Checks < 14 || v.Rows == 0 || v.Records <= v.Rows || v.NotDue != 0 {
		t.Errorf("a clean warehouse: %+v\n%+v", v, clean.Findings)
	}
	bill := one[string](s, `SELECT _parent_id FROM inventory.bills_line_items GROUP BY 1 HAVING count(*) > 1 ORDER BY 1 LIMIT 1`)
	others := func(n int) string {
		return one[string](s, `SELECT bill_id FROM inventory.bills WHERE bill_id <> $1 ORDER BY 1 OFFSET $2 LIMIT 1`, bill, n)
	}
	edited, fresh, orphaned, forged := others(0), others(1), others(2), others(3)
	payment := one[string](s, `SELECT payment_id FROM accounting.vendor_payments ORDER BY 1 LIMIT 1`)
	account := one[string](s, `SELECT account_id FROM accounting.chart_of_accounts ORDER BY 1 LIMIT 1`)

	// A change upstream after the watermark is no finding.
	if _, err := s.world.Change(sandbox.Change{Seed: 5, Inserts: 1, Edits: 2, Resources: []string{"vendor_payments", "items"}}); err != nil {
		t.Fatal(err)
	}
	newer := s.verified(codeFine, "--calls", "9")
	if len(newer.Findings) != 0 || newer.Verification.NotDue < 4 {
		t.Errorf("changed upstream since: %+v\n%+v", newer.Verification, newer.Findings)
	}

	s.exec(`UPDATE inventory.bills SET vendor_name = vendor_name || ' Ltd' WHERE bill_id = $1`, edited)
	s.exec(`DELETE FROM inventory.bills_line_items WHERE _parent_id = $1 AND _position = 1`, bill)
	s.exec(`UPDATE inventory.bills SET last_modified_time = last_modified_time + interval '1 second' WHERE bill_id = $1`, fresh)
	s.exec(`UPDATE inventory.bills SET _call_id = (SELECT max(id) + 1000 FROM sluice.calls) WHERE bill_id = $1`, forged)
	s.exec(`DELETE FROM accounting.vendor_payments WHERE payment_id = $1`, payment)
	s.exec(`DELETE FROM accounting.chart_of_accounts WHERE account_id = $1`, account)
	s.exec(`SET session_replication_role = replica`)
	s.exec(`DELETE FROM inventory.bills WHERE bill_id = $1`, orphaned)
	s.exec(`RESET session_replication_role`)
	s.exec(`UPDATE sluice.streams SET watermark = clock_timestamp() + interval '1 hour' WHERE resource = 'credit_notes'`)

	found := s.verified(codeFailed, "--calls", "9")
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
	got := slices.DeleteFunc(toldOf(found.Findings), func(f string) bool { return f == "violation bill_balances bills "+bill })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tampered with (-want +got):\n%s\n%+v", diff, found.Findings)
	}
	s.tellsWhere(found.Findings, bill, edited)
	s.keptFindings(found)

	local := s.verified(codeFailed, "--local", "inventory.bills")
	if calls := local.Verification.Calls; calls != 0 || !slices.Contains(toldOf(local.Findings), "violation edited bills "+edited) {
		t.Errorf("without a call: %d calls\n%v", calls, toldOf(local.Findings))
	}
	if slices.ContainsFunc(local.Findings, func(f verifications.Finding) bool { return f.Resource != "bills" }) {
		t.Errorf("bills alone were asked for: %v", toldOf(local.Findings))
	}
}

// tellsWhere: the path names the value, and texts of records are shown nowhere.
func (s *fixture) tellsWhere(findings []verifications.Finding, bill, edited string) {
	s.t.Helper()
	paths := map[string]string{bill: "line_items[1]", edited: "vendor_name"}
	for _, f := range findings {
		if want := paths[f.Record]; want != "" && f.Code == verify.CodeEdited && f.Path != want {
			s.t.Errorf("record %s: path %q, want %q", f.Record, f.Path, want)
		}
		if strings.Contains(f.Detail, "Ltd") {
			s.t.Errorf("a text of a record is shown: %s", f.Detail)
		}
	}
}

// keptFindings: the last verification can be read again unchanged, and is listed.
func (s *fixture) keptFindings(last verify.Result) {
	s.t.Helper()
	var again verify.Result
	s.document(&again, "verify", "--last")
	if diff := cmp.Diff(toldOf(last.Findings), toldOf(again.Findings)); diff != "" || again.Verification.ID != last.Verification.ID {
		s.t.Errorf("read again (-first +again):\n%s", diff)
	}
	var listed []verifications.Verification
	s.document(&listed, "verify", "list")
	if len(listed) != 3 || listed[0].Violations != last.Verification.Violations || listed[2].Outcome != verifications.OutcomeClean {
		s.t.Errorf("listed: %+v", listed)
	}
	if o := s.run("verify", "show", fmt.Sprint(listed[2].ID)); o.code != codeFine || !strings.Contains(o.stdout, "0 violations") {
		s.t.Errorf("the first one: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// TestVerifyRefused: a reason that prevents calls has its own exit code, and what needs no call is
// still checked.
func TestVerifyRefused(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 92, Records: 20}).narrow()
	s.sync(codeFine)
	for fault, c := range map[string]struct {
		code    int
		outcome verifications.Outcome
	}{
		"exhausted":   {codeBudget, verifications.OutcomeBudget},
		"unavailable": {codeEnvironment, verifications.OutcomeUnreachable},
		"forbidden":   {codeFailed, verifications.OutcomeFailed},
	} {
		must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/bills", Kind: fault}}))
		s.exec(`UPDATE sluice.day_budgets SET exhausted_until = NULL`)
		result := s.verified(c.code, "inventory.bills", "--calls", "3")
		if v := result.Verification; v.Outcome != c.outcome || v.Rows == 0 || v.Records != 0 || len(result.Findings) != 0 || result.Streams[0].Note == "" {
			t.Errorf("%s: %+v %+v", fault, v, result.Streams)
		}
	}
	for _, args := range [][]string{{"nothing"}, {"--calls", "-1"}, {"--sample", "0"}, {"--org", "nobody"}, {"--local", "--calls", "3"}, {"show", "x"}} {
		if o := s.run(append([]string{"verify"}, args...)...); o.code != codeUsage {
			t.Errorf("verify %q: exit code %d, want %d\n%s", args, o.code, codeUsage, o.stderr)
		}
	}
}

// TestVerifyNamesNoErasedRecord: upstream still shows an item that was erased, one that fits and
// one that does not. A verification says so, and keeps nothing by which they could be recognized.
func TestVerifyNamesNoErasedRecord(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 92, Records: 30, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine, "items")
	fits, misfit := one[string](s, `SELECT min(item_id) FROM inventory.items`), one[string](s, `SELECT max(item_id) FROM inventory.items`)
	for _, id := range []string{fits, misfit} {
		if o := s.run("erase", "inventory.items", id); o.code != codeFine {
			t.Fatalf("erase: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
		}
	}
	s.arrivals.next = rewriting(s.world, func(_ *http.Request, answer map[string]any) {
		items, _ := answer["items"].([]any)
		for _, one := range items {
			if item, _ := one.(map[string]any); item["item_id"] == misfit {
				item["rate"] = "much"
			}
		}
	})
	found := s.verified(codeFine, "inventory.items", "--calls", "9").Findings
	if got, want := toldOf(found), []string{"notice erased items "}; !slices.Equal(got, want) || len(found) != 2 {
		t.Errorf("%d findings: %q, want two of %q", len(found), got, want)
	}
	for _, id := range []string{fits, misfit} {
		if o := s.run("erase", "inventory.items", id, "--verify"); o.code != codeFine {
			t.Errorf("erase --verify: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
		}
	}
}

// TestLargeAnswersGiveWayToEachOther: verify and check read large answers one after the other, and
// none waits for an answer that was read before.
func TestLargeAnswersGiveWayToEachOther(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 91, Records: small, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine, "inventory.bills", "inventory.items")
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/bills", Kind: "many_keys"}, {Path: "/inventory/v1/items", Kind: "many_keys"}}))
	if v := s.verified(codeFine, "--calls", "3", "inventory.bills", "inventory.items"); v.Verification.Calls < 2 {
		t.Errorf("%+v", v.Verification)
	}
	if list := s.probed(codeFine, "inventory.items"); list.Error != "" {
		t.Errorf("%+v", list)
	}
}

// probed runs check --probe and gives the measurement of one list.
func (s *fixture) probed(code int, resource string) listView {
	s.t.Helper()
	o := s.run("check", "--probe", "--json", resource)
	var view probeView
	if err := json.Unmarshal([]byte(o.stdout), &view); err != nil || o.code != code {
		s.t.Fatalf("check --probe %s ended with %d, want %d (%v)\n%s\n%s", resource, o.code, code, err, o.stdout, o.stderr)
	}
	if len(view.Lists) != 1 || view.Lists[0].Resource != resource {
		s.t.Fatalf("lists probed: %+v", view.Lists)
	}
	return view.Lists[0]
}
