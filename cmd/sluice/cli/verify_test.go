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

// TestVerify: an edited row fails it, --local makes no call, and what was found is kept.
func TestVerify(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 91, Records: small}).narrow()
	s.sync(codeFine, "inventory.items")
	if v := s.verified(codeFine, "--calls", "1", "items").Verification; v.Outcome != verifications.OutcomeClean || v.Calls != 1 || v.Allowed != 1 {
		t.Errorf("a clean warehouse: %+v", v)
	}
	edited := one[string](s, `UPDATE inventory.items SET name = name || ' Ltd' WHERE item_id = (SELECT min(item_id) FROM inventory.items) RETURNING item_id`)
	found := s.verified(codeFailed, "--local", "items")
	if told, calls := toldOf(found.Findings), found.Verification.Calls; !slices.Equal(told, []string{"violation edited items " + edited}) || calls != 0 {
		t.Errorf("without a call: %d calls\n%v", calls, told)
	}
	var again verify.Result
	s.document(&again, "verify", "--last")
	if diff := cmp.Diff(toldOf(found.Findings), toldOf(again.Findings)); diff != "" || again.Verification.ID != found.Verification.ID {
		t.Errorf("read again (-first +again):\n%s", diff)
	}
	var listed []verifications.Verification
	s.document(&listed, "verify", "list")
	if len(listed) != 2 || listed[0].Violations != found.Verification.Violations || listed[1].Outcome != verifications.OutcomeClean {
		t.Fatalf("listed: %+v", listed)
	}
	if o := s.run("verify", "show", fmt.Sprint(listed[1].ID)); o.code != codeFine || !strings.Contains(o.stdout, "0 violations") {
		t.Errorf("the first one: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// TestVerifyRefused: a reason that prevents calls has its own exit code, and what needs no call is
// still checked.
func TestVerifyRefused(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 92, Records: 20}).narrow()
	s.sync(codeFine, "inventory.bills")
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
