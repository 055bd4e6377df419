package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/engine"
	"sluice/pipeline/lineage/rebuild"
	"sluice/pipeline/lineage/verify"
	"sluice/pipeline/warehouse/verifications"
	"sluice/sandbox"
)

func (s *fixture) verified(code int, args ...string) verify.Result {
	s.t.Helper()
	return decoded[verify.Result](s, code, append([]string{"verify"}, args...)...)
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
	v := s.verified(codeFine, "--calls", "1", "items").Verification
	errorIf(t, v.Outcome != verifications.OutcomeClean || v.Calls != 1 || v.Allowed != 1, "a clean warehouse: %+v", v)
	edited := one[string](s, `UPDATE inventory.items SET name = name || ' Ltd' WHERE item_id = (SELECT min(item_id) FROM inventory.items) RETURNING item_id`)
	found := s.verified(codeFailed, "--local", "items")
	told, calls := toldOf(found.Findings), found.Verification.Calls
	errorIf(t, !slices.Equal(told, []string{"violation edited items " + edited}) || calls != 0, "without a call: %d calls\n%v", calls, told)
	again := decoded[verify.Result](s, codeFine, "verify", "show")
	diff := cmp.Diff(toldOf(found.Findings), toldOf(again.Findings))
	errorIf(t, diff != "" || again.Verification.ID != found.Verification.ID, "read again (-first +again):\n%s", diff)
	listed := decoded[[]verifications.Verification](s, codeFine, "verify", "list")
	fatalIf(t, len(listed) != 2 || listed[0].Violations != found.Verification.Violations || listed[1].Outcome != verifications.OutcomeClean,
		"listed: %+v", listed)
	s.prints(codeFine, "0 violations", "verify", "show", fmt.Sprint(listed[1].ID))
}

// TestVerifyTotals: each list beside upstream's own count. A deletion makes the exit code 1, and
// --repair finds it. Lists that say no number are named with the reason.
func TestVerifyTotals(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 93, Records: 300, AsLive: true}).narrow()
	s.sync(codeFine, "inventory.items", "inventory.credit_notes", "inventory.items.details")
	totals := func(code int, args ...string) map[string]total {
		t.Helper()
		counted := map[string]total{}
		for _, of := range decoded[[]total](s, code, append([]string{"verify", "--totals"}, args...)...) {
			counted[of.List] = of
		}
		return counted
	}
	truth := int64(len(s.truth("inventory.items")))
	first := totals(codeFine, "inventory.items", "inventory.credit_notes", "chat.channels")
	same(t, "lists", 2, len(first))
	items := first["inventory.items"]
	errorIf(t, items.Upstream != truth || *items.Ours != truth || items.Difference != 0 || items.AgreedAt == nil, "items: %+v", items)

	s.age()
	s.delete("inventory.items", s.truth("inventory.items")[10:12]...)
	items = totals(codeFailed, "inventory.items")["inventory.items"]
	errorIf(t, items.Upstream != truth-2 || items.Difference != -2, "after two deletions: %+v", items)
	s.prints(codeFailed, "-2", "verify", "--totals", "inventory.items")
	items = totals(codeFine, "--repair", "inventory.items")["inventory.items"]
	errorIf(t, items.Difference != 0, "repaired: %+v", items)
	same(t, "tombstones", 2, one[int](s, `SELECT count(*) FROM inventory.items WHERE _deleted_at IS NOT NULL`))
	s.prints(codeFine, "counted: ", "status", "--why", "inventory.items")

	off := newFixture(t, sandbox.Options{Seed: 93, Records: 20}).narrow()
	off.sync(codeFine, "inventory.items")
	off.prints(codeFine, "the list gave a page without it", "verify", "--totals", "inventory.items")
	must(t, off.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/items", Kind: "exhausted"}}))
	off.prints(codeBudget, "LIST", "verify", "--totals", "inventory.items")
	for _, args := range [][]string{{"--totals", "--local"}, {"--totals", "--calls", "3"}, {"--repair"}, {"--by", "month"}, {"--totals", "--by", "day"}} {
		off.prints(codeUsage, "", append([]string{"verify"}, args...)...)
	}
}

// TestSumsShowASilentEdit: an amount that upstream changed without a new time makes the sums differ at
// the next count. A search by days comes to the page, for fewer calls than the list has pages, and
// the sums are equal again.
func TestSumsShowASilentEdit(t *testing.T) {
	t.Parallel()
	const bills = "inventory.bills"
	s := newFixture(t, sandbox.Options{Seed: 46, Records: 3000, AsLive: true, Limits: sandbox.Limits{Off: true}}).narrow()
	s.configured("  " + bills + ": {calls_per_run: 1}\n")
	pages := (len(s.truth(bills)) + 199) / 200
	first := s.sync(codeFine, bills)
	same(t, "calls of the first copy: two counts, and the pages", int64(2+pages), first.Streams[0].Calls)
	s.age()
	s.pass(2 * time.Hour)
	s.prints(codeFine, "equal (balance, total)", "verify", "--totals", bills)

	edited := s.truth(bills)[440]
	amount := one[string](s, `SELECT total::text FROM inventory.bills WHERE bill_id = $1`, edited)
	s.exec(`UPDATE inventory.bills SET total = total + 1, _content_hash = '\x00000000000000000000000000000000', _payload_hash = NULL
		WHERE bill_id = $1`, edited)
	was := decoded[[]total](s, codeFailed, "verify", "--totals", bills)[0]
	same(t, "sums that differ", []string{"total"}, was.Unequal())
	same(t, "records too few or too many", int64(0), was.Difference)
	s.prints(codeFine, "; sums: total ", "status", "--why", bills)
	records := int64(0)
	var apart []string
	for _, month := range decoded[[]engine.Month](s, codeFailed, "verify", "--totals", "--by", "month", bills) {
		records += month.Upstream
		errorIf(t, month.Missing() != 0 || month.Ours == nil, "%s: %+v", month.Name, month.Count)
		if len(month.Unequal()) > 0 {
			apart = append(apart, month.Name)
		}
	}
	same(t, "records of all months", int64(len(s.truth(bills))), records)
	same(t, "months that differ", []string{one[string](s, `SELECT to_char(date, 'YYYY-MM') FROM inventory.bills WHERE bill_id = $1`, edited)}, apart)
	s.prints(codeFailed, "behind ", "verify", "--totals", "--by", "month", bills)
	s.prints(codeFine, "takes no filter by day", "verify", "--totals", "--by", "month", "inventory.items")
	s.prints(codeFine, "its number is found out", "verify", "--totals", "--by", "month", "inventory.credit_notes")
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/bills", Kind: "count_stale"}}))
	s.prints(codeFailed, "total", "verify", "--totals", bills) // which is repeated from here on, whatever the month
	s.prints(codeFine, "ignores the filter by day", "verify", "--totals", "--by", "month", bills)
	must(t, s.world.SetFaults(nil))
	calls := s.calls()
	s.prints(codeFine, "equal (balance, total)", "verify", "--totals", "--repair", bills)
	spent := s.calls() - calls
	// Two counts, each with what changed since; the look's count, three halves of 840 and a page; and a
	// single record.
	errorIf(t, spent > 2*2+1+3+1+1, "%d calls to find and read one of %d pages", spent, pages)
	same(t, "total", amount, one[string](s, `SELECT total::text FROM inventory.bills WHERE bill_id = $1`, edited))

	s.backfills(codeFine, bills)
	s.counts(1, "backfills proven by the count", `SELECT count(*) FROM sluice.runs WHERE resource = 'bills.backfill' AND proof = 'count' AND calls = $1`, 1+pages)
}

// TestCountAndSumsStandForAReading: of a list without a filter, runs ask for count and sums, and read
// what differs alone. They read the list where that does not tell, and a day after it was read last.
func TestCountAndSumsStandForAReading(t *testing.T) {
	t.Parallel()
	const notes = "inventory.credit_notes"
	s := newFixture(t, sandbox.Options{Seed: 46, Records: 6000, AsLive: true, Limits: sandbox.Limits{Off: true}}).narrow()
	s.configured("  " + notes + ": {calls_per_run: 1}\n")
	s.sync(codeFine, notes)
	const whole = -1
	read := func(what string, after time.Duration, least, most int64) {
		t.Helper()
		reads := least == whole
		if reads { // a count, if there is one, and the pages
			least = int64(len(s.truth(notes))+199) / 200
			most += least
		}
		s.age()
		s.pass(after)
		mark := one[time.Time](s, `SELECT watermark FROM sluice.streams WHERE resource = 'credit_notes'`)
		run := s.sync(codeFine, notes).Streams[0]
		errorIf(t, run.Calls < least || run.Calls > most, "%s: %d calls, want %d to %d; %s", what, run.Calls, least, most, run.Note)
		moved := one[time.Time](s, `SELECT watermark FROM sluice.streams WHERE resource = 'credit_notes'`).After(mark)
		errorIf(t, moved != reads, "%s: the watermark moved: %t", what, moved)
		live := one[[]string](s, `SELECT array_agg(creditnote_id ORDER BY creditnote_id) FROM inventory.credit_notes WHERE _deleted_at IS NULL`)
		same(t, what+": credit notes", s.truth(notes), live)
	}
	read("nothing new", 6*time.Hour, 1, 1)
	sure(s.world.Change(sandbox.Change{Inserts: 1, Resources: []string{"credit_notes"}}))(t)
	s.world.Advance(time.Minute) // while a record is created, its number is uncertain
	read("a new one", 6*time.Hour, 3, 6)
	s.exec(`UPDATE inventory.credit_notes SET total = total + 1, _content_hash = '\x00000000000000000000000000000000', _payload_hash = NULL
		WHERE creditnote_id = $1`, s.truth(notes)[300])
	read("another amount", 6*time.Hour, 3, 6)
	read("nothing new", 4*time.Hour, 1, 1)
	for _, v := range decoded[statusView](s, codeFine, "status", "--json").Streams {
		const interval, day = 6 * 3600.0, 24 * 3600.0 // seconds; three intervals, and the day in which it is not read
		errorIf(t, v.Resource == "credit_notes" && v.BoundSeconds < 3*interval+day, "it counts as late after %.0f s", v.BoundSeconds)
		errorIf(t, v.Resource == "locations" && v.BoundSeconds >= 3*v.EverySeconds+day, "locations count as late only after %.0f s", v.BoundSeconds)
	}
	read("a day later", 6*time.Hour, whole, 1)
	s.exec(`UPDATE sluice.streams SET watermark = watermark - interval '1 hour' WHERE resource = 'credit_notes'`)
	read("a watermark that was set back", time.Hour, whole, 1)
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/creditnotes", Kind: "count_refused"}}))
	read("no count", 6*time.Hour, whole, 2+2)
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
	for _, args := range [][]string{{"nothing"}, {"--calls", "-1"}, {"--org", "nobody"}, {"--local", "--calls", "3"}, {"show", "x"}} {
		s.prints(codeUsage, "", append([]string{"verify"}, args...)...)
	}
}

// rebuilt rebuilds and gives the result for each resource.
func (s *fixture) rebuilt(code int, args ...string) map[string]rebuild.Counts {
	s.t.Helper()
	var views []rebuiltView
	o := s.run(append([]string{"--json", "rebuild"}, args...)...)
	fatalIf(s.t, o.code != code, "rebuild %q: exit code %d, want %d\n%s%s", args, o.code, code, o.stdout, o.stderr)
	must(s.t, json.Unmarshal([]byte(o.stdout), &views))
	found := map[string]rebuild.Counts{}
	for _, v := range views {
		if v.Error != "" {
			s.t.Logf("%s: %s", v.Resource, v.Error)
		}
		found[v.Resource] = v.Counts
	}
	return found
}

// TestRebuild: --dry-run and --changed choose what rebuild does, and a row without a record is
// shown and fails it.
func TestRebuild(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 61, Records: small}).narrow()
	s.sync(codeFine, "inventory.items")
	rows := one[int](s, `SELECT count(*) FROM inventory.items`)
	s.exec(`UPDATE inventory.items SET name = 'edited'`)
	for _, c := range []struct {
		args      []string
		rewritten int
	}{{[]string{"--dry-run"}, rows}, {[]string{"--dry-run", "--changed"}, 0}, {[]string{"--changed"}, 0}, {[]string{"inventory.items"}, rows}, {nil, 0}} {
		got, want := s.rebuilt(codeFine, c.args...)["inventory.items"], (rebuild.Counts{Rows: rows, Rewritten: c.rewritten})
		errorIf(t, got != want, "rebuild %q: %+v, want %+v", c.args, got, want)
	}
	s.exec(`UPDATE inventory.items SET _call_id = 0 WHERE item_id = (SELECT min(item_id) FROM inventory.items)`)
	o := s.run("rebuild")
	errorIf(t, o.code != codeFailed || !regexp.MustCompile(`inventory\.items +\d+ +0 +0 +1\b`).MatchString(o.stdout),
		"with a lost record: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
}
