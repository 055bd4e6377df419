//go:build e2e

package cli

import (
	"context"
	"flag"
	"maps"
	"slices"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/sandbox"
)

// fate is the expected result of a sync while upstream misbehaves on every call of a list.
type fate struct {
	code  int
	state pipeline.State
	// moved says whether the watermark moves; unsure allows both.
	moved, unsure bool
	// kept says that records go to quarantine.
	kept bool
	// ghosts says that rows appear of which upstream has no record.
	ghosts bool
}

// The fates, by what a fault does.
var (
	// harmless: the records are those of upstream, or fewer of them, or in another form.
	harmless = fate{code: codeFine, state: pipeline.StateIdle, moved: true}
	// unproven: the list is read, but proves nothing, so the watermark does not move.
	unproven = fate{code: codeFine, state: pipeline.StateIdle}
	// broken: an answer that cannot be believed; asking again is of no use.
	broken = fate{code: codeFailed, state: pipeline.StateFailed}
	// lost: an answer that did not arrive, or not whole, also when asked again.
	lost = fate{code: codeEnvironment, state: pipeline.StateFailed}
	// denied: the operator has to change something first.
	denied = fate{code: codeFailed, state: pipeline.StateDenied}
	// spoilt: a record that does not fit goes to quarantine, and the others are loaded.
	spoilt = fate{code: codeFine, state: pipeline.StateIdle, moved: true, kept: true}
	// rotten: like spoilt, but with too many for a good run, so that the watermark does not move.
	rotten = fate{code: codeFailed, state: pipeline.StateIdle, kept: true}
)

// rare is a rare fault with its fate.
type rare struct {
	kind string
	fate fate
}

// rareFaults are the kinds that strike lists, in groups that share a fixture. Each expected result
// follows from what the fault does; if that leaves a choice, the line says what was chosen.
func rareFaults() map[string][]rare {
	return map[string][]rare{
		"pages": {
			{"more_early", harmless},   // a full page is never the last one.
			{"more_forever", unproven}, // an end that upstream denies is no end.
			{"missing_more", broken},
			{"context_array", harmless},
			{"ignore_sort", harmless},
			// Within one second as the edits, or across two.
			{"insert_between", fate{code: codeFine, state: pipeline.StateIdle, unsure: true}},
			{"edit_between", fate{code: codeFine, state: pipeline.StateIdle, unsure: true}},
			{"narrow", harmless},
			{"foreign", fate{code: codeFine, state: pipeline.StateIdle, moved: true, ghosts: true}}, // sluice cannot detect it.
		},
		"times": {
			{"capped_page", harmless}, // half a page is enough for all records.
			{"clock_ahead", harmless}, // the process's clock decides.
			{"clock_behind", unproven},
			{"stale", lost},
			{"old_time", harmless},
			{"rate_huge", harmless},   // headers with figures that fit into no column.
			{"future_time", harmless}, // says nothing about which version is newer.
			{"no_offset", harmless},   // read in the organization's zone.
			{"other_offset", harmless},
			{"zero_time", spoilt},
		},
		"statuses": {
			{"server_error", lost}, {"bad_gateway", lost}, {"gateway_timeout", lost}, {"success_in_500", lost},
			{"no_content", broken}, {"empty_body", lost},
			{"bad_request", broken}, {"not_found", broken}, {"not_allowed", broken}, {"not_acceptable", broken},
			{"missing_token", denied}, {"wrong_organization", denied},
		},
		"bodies": {
			{"wrong_type", broken}, {"missing_key", broken}, {"object_for_list", broken}, {"two_documents", broken},
			{"bom", harmless}, {"charset", broken}, {"wrong_charset", harmless},
			{"reset_body", lost}, {"stall", lost}, {"gzip_unlabelled", lost}, {"gzip_mislabelled", lost}, {"gzip_broken", lost},
			{"gzip_cut", lost}, {"gzip_bomb", broken},
		},
		"values": {
			{"surrogate", harmless}, {"invalid_utf8", harmless}, // made visible in the text, as NUL is.
			{"huge_number", spoilt},
			{"nan", broken}, // it is no JSON, so the end of the record is unknown.
			{"duplicate_key", spoilt}, {"deep", spoilt}, {"huge_record", harmless}, {"object_text", spoilt},
		},
		"bounds": {
			{"many_elements", broken}, {"many_keys", spoilt},
			{"huge_token", harmless}, // a list that goes on by number does not look at it.
			{"all_poison", rotten},
		},
		"keys": {
			{"case_twin", harmless}, {"bare_id", harmless}, {"nulls", harmless}, {"flipped", rotten}, {"drifting", harmless},
			{"all_huge_numbers", rotten}, {"same_id", rotten},
			{"renamed_key", harmless}, {"dropped_key", harmless},
		},
	}
}

// rareOnItems are the kinds that strike only a list with a filter.
func rareOnItems() []rare {
	return []rare{
		{"filter_exact", unproven}, // pages are empty and more follow.
		{"more_forever", unproven}, {"huge_number", spoilt}, {"all_huge_numbers", rotten}, {"same_id", rotten},
	}
}

// rareOnExport are the kinds that strike the conversation export.
func rareOnExport() []rare {
	return []rare{
		{"csv_newlines", harmless}, {"csv_empty_id", rotten}, // one in each answer, of twenty.
		{"csv_no_header", harmless},
		{"csv_no_trailer", harmless}, // sluice cannot detect it: it looks like the last answer.
		{"csv_same_token", broken}, {"csv_cut_line", broken}, {"csv_extra_column", broken}, {"csv_empty", unproven},
	}
}

// rareOnTokens are the kinds that strike the token endpoint.
func rareOnTokens() []rare {
	return []rare{
		{"token_empty", broken}, {"token_no_life", harmless}, {"token_odd_life", harmless},
		{"token_error", denied},     // tried again a day later.
		{"token_rotated", harmless}, // the last, since from then on two tokens have to be refused, in six minutes more.
	}
}

// frequentFaults are all other kinds of the sandbox, in groups that share a fixture. They strike every
// page but the first.
func frequentFaults() map[string][]rare {
	return map[string][]rare{
		"refused": {
			{"html", broken}, {"error_in_200", broken}, {"wrong_page", broken}, {"missing_context", broken}, {"redirect", broken},
			{"unauthorized", denied}, {"forbidden", denied},
			{"exhausted", fate{code: codeBudget, state: pipeline.StateWaiting}},
		},
		"lost": {{"cut", lost}, {"cut_silent", lost}, {"reset", lost}, {"unavailable", lost}},
		"lists": {
			// Lists that cannot be believed are read, but prove nothing.
			{"repeat_page", unproven}, {"empty_more", unproven},
			// Faults that the run notices and corrects.
			{"unsorted", harmless}, {"duplicate", harmless}, {"slow", harmless},
			{"delete_between", fate{code: codeFine, state: pipeline.StateIdle, unsure: true, ghosts: true}},
		},
		"values": {
			{"nul", harmless}, {"extra_keys", harmless},
			// One record never stops the others. Poison strikes by position on the page. Pages overlap
			// all the same, unless it strikes their links: then the edges of two passes differ, and to
			// a run such a list keeps changing (docs/decisions/0007-paging-by-number).
			{"poison", fate{code: codeFine, state: pipeline.StateIdle, unsure: true, kept: true}},
		},
		"items": {{"ignore_filter", harmless}},
	}
}

// TestNonsenseMovesNoMark plays the frequent faults of the sandbox on the whole program.
func TestNonsenseMovesNoMark(t *testing.T) {
	t.Parallel()
	played := slices.Collect(maps.Keys(refusals()))
	for name, faults := range frequentFaults() {
		for _, r := range faults {
			played = append(played, r.kind)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFaultFixture(t, name == "items")
			f.sync(codeFine, f.name)
			for n, r := range faults {
				r.play(f, int64(10*n), 1)
			}
		})
	}
	for _, known := range sandbox.FaultKinds() {
		errorIf(t, !slices.Contains(played, known.Kind), "the fault %s is not played", known.Kind)
	}
}

// rareFaultsOneIn says how many of the rare faults are played: all of them take minutes.
var rareFaultsOneIn = flag.Int("rare-faults-one-in", 8, "of the rare faults one in so many is played; 1 plays all")

// TestRareFaults plays the rare faults of the sandbox on the whole program. After each of them no
// record may be missing once upstream is healthy again.
func TestRareFaults(t *testing.T) {
	t.Parallel()
	// silent_channel strikes change notifications, and no stream; TestWrongCounts plays wrong totals.
	played := slices.Concat(slices.Collect(maps.Keys(refusals())), slices.Collect(maps.Keys(wrongCounts())), oneAnswers(), []string{"silent_channel"})
	play := func(name string, faults []rare, stage func(*testing.T) *faultFixture) {
		var chosen []rare
		for i, r := range faults {
			played = append(played, r.kind)
			// There is a minute between two tokens.
			if i%*rareFaultsOneIn == 0 && (name != "tokens" || *rareFaultsOneIn == 1) {
				chosen = append(chosen, r)
			}
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := stage(t)
			f.sync(codeFine, f.name)
			for n, r := range chosen {
				r.play(f, int64(10*n), 0)
			}
		})
	}
	for name, faults := range rareFaults() {
		records := small
		if name == "pages" {
			records = large
		}
		play(name, faults, func(t *testing.T) *faultFixture { t.Helper(); return newFaultFixtureOf(t, false, records) })
	}
	play("items", rareOnItems(), func(t *testing.T) *faultFixture { t.Helper(); return newFaultFixtureOf(t, true, large) })
	play("export", rareOnExport(), newExportStage)
	play("tokens", rareOnTokens(), func(t *testing.T) *faultFixture {
		t.Helper()
		f := newFaultFixtureOf(t, false, small)
		f.struck = "/oauth/v2/token"
		return f
	})
	for _, known := range sandbox.RareFaultKinds() {
		errorIf(t, !slices.Contains(played, known.Kind), "the fault %s is not played", known.Kind)
	}
}

// newExportStage has a conversation export of several answers.
func newExportStage(t *testing.T) *faultFixture {
	t.Helper()
	f := newFaultFixtureOf(t, false, small)
	f.name, f.short, f.path = "chat.conversations", "conversations", "/maintenanceapi/v2/chats"
	return f
}

// play makes changes, syncs while upstream misbehaves after so many calls, and removes the fault.
func (r rare) play(f *faultFixture, seed int64, after int) {
	f.t.Helper()
	f.minutes()
	if f.struck != "" {
		f.pass(2 * time.Hour) // no token lives as long.
	}
	f.change(seed+1, all)
	f.fault(r.kind, after, 0)
	_, before := f.stands()
	open := f.open()
	result := f.comesTo(r.kind, r.fate.code)
	state, now := f.stands()
	errorIf(f.t, state != r.fate.state, "%s: the stream is %s, want %s: %s", r.kind, state, r.fate.state, result.stderr)
	if moved := !now.Equal(before); moved != r.fate.moved && !r.fate.unsure {
		f.t.Errorf("%s: the watermark moved: %t, want %t: %s", r.kind, moved, r.fate.moved, result.stderr)
	}
	errorIf(f.t, one[bool](f.fixture, `SELECT coalesce(max(watermark) > clock_timestamp() - interval '4 minutes', false) FROM sluice.streams`),
		"%s: a watermark lies less than five minutes back", r.kind)
	same(f.t, r.kind+": records went to quarantine: "+result.stderr, r.fate.kept, f.open() > open)
	r.heal(f, seed)
}

// heal removes the fault, and syncs: no record may be missing.
func (r rare) heal(f *faultFixture, seed int64) {
	f.t.Helper()
	f.clear()
	f.pass(25 * time.Hour)
	f.change(seed+2, all)
	f.comesTo(r.kind+" is over", codeFine)
	gone, _ := f.equal(f.name)
	errorIf(f.t, gone > 0 != r.fate.ghosts, "%s: %d rows without a record upstream", r.kind, gone)
}

// refusals are faults under which a sync does not end: they are played once.
func refusals() map[string]refusal {
	const last = `(SELECT max(reserved_at) FROM sluice.calls WHERE shared = 'suite')` // the call that was refused
	return map[string]refusal{
		"throttle":    {held: `SELECT closed_until > ` + last + ` + interval '45 seconds' FROM sluice.budgets WHERE shared = 'suite'`},
		"crowded":     {held: `SELECT concurrent_cap < concurrent_limit AND cap_until > ` + last + ` + interval '4 minutes' FROM sluice.budgets WHERE shared = 'suite'`},
		"retry_after": {wait: 30 * time.Second},
		"retry_date":  {wait: time.Minute}, // the date has passed when it is read
		"plain_429":   {wait: time.Minute},
	}
}

// refusal is what a refusal has to lead to: a wait of so long, and a condition on the budgets.
type refusal struct {
	wait time.Duration
	held string
}

// TestRefusalsAreWaitedFor: the sync waits for the end of a refusal, and makes no call while it lasts.
func TestRefusalsAreWaitedFor(t *testing.T) {
	t.Parallel()
	for kind, r := range refusals() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := newFaultFixture(t, false)
			f.fault(kind, 1, 1)
			ended := make(chan outcome, 1)
			go func(ctx context.Context) { ended <- f.runContext(ctx, "sync", "--json", f.name) }(t.Context())
			f.until("the stream waits", `SELECT s.state = 'retrying' AND EXISTS (SELECT FROM river.river_job
				WHERE state IN ('scheduled', 'retryable') AND scheduled_at > clock_timestamp() + $1::interval / 2) FROM sluice.streams s WHERE s.resource = 'bills'`, r.wait)
			errorIf(t, r.held != "" && !one[bool](f.fixture, r.held), "other calls are not held back")
			calls := f.arrivals.total()
			f.minutes()
			f.synced(codeFine, <-ended)
			f.equal(f.name)
			if calls != 3+1+2 { // the checks, the identity of the organization, the first page, the refused one
				t.Errorf("%d calls before the wait was over, want 6", calls)
			}
			f.counts(1, "runs", `SELECT count(*) FROM sluice.runs WHERE resource = 'bills'`)
		})
	}
}
