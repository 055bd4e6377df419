//go:build e2e

package cli

import (
	"context"
	"slices"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/sandbox"
)

// nonsense is one way in which upstream misbehaves, and the expected results.
type nonsense struct {
	kind string
	// filtered plays it on a list that is filtered instead of one that is sorted.
	filtered bool
	// code and state are the results of a sync while every page but the first one misbehaves. moved
	// says that the watermark may move nevertheless.
	code  int
	state pipeline.State
	moved bool
	// either says that the watermark may move or not, by where a page is hit.
	either bool
	// once is the exit code of a sync in which a single page misbehaves. Zero means that the same
	// sync heals it.
	once int
	// spoils says that the records themselves are spoilt until they change.
	spoils bool
	// deletes says that records are deleted.
	deletes bool
}

func nonsenses() []nonsense {
	const idle, failed = pipeline.StateIdle, pipeline.StateFailed
	return []nonsense{
		{kind: "html", code: codeFailed, state: failed},
		{kind: "error_in_200", code: codeFailed, state: failed},
		{kind: "wrong_page", code: codeFailed, state: failed},
		{kind: "missing_context", code: codeFailed, state: failed},
		{kind: "redirect", code: codeFailed, state: failed},
		{kind: "cut", code: codeEnvironment, state: failed},
		{kind: "cut_silent", code: codeEnvironment, state: failed},
		{kind: "reset", code: codeEnvironment, state: failed},
		{kind: "unavailable", code: codeEnvironment, state: failed},
		{kind: "unauthorized", code: codeFailed, state: pipeline.StateDenied},
		{kind: "forbidden", code: codeFailed, state: pipeline.StateDenied, once: codeFailed},
		{kind: "exhausted", code: codeBudget, state: pipeline.StateWaiting, once: codeBudget},
		// Lists that cannot be believed are read, but prove nothing: the watermark does not move.
		{kind: "repeat_page", code: codeFine, state: idle},
		{kind: "empty_more", code: codeFine, state: idle},
		{kind: "delete_between", code: codeFine, state: idle, deletes: true, either: true},
		// Faults that the run notices and corrects.
		{kind: "ignore_filter", filtered: true, code: codeFine, state: idle, moved: true},
		{kind: "unsorted", code: codeFine, state: idle, moved: true},
		{kind: "duplicate", code: codeFine, state: idle, moved: true},
		{kind: "slow", code: codeFine, state: idle, moved: true},
		// One record never stops the others. Poison strikes by position on the page. Pages overlap
		// all the same, unless it strikes their links: then the edges of two passes differ, and to
		// a run such a list keeps changing (docs/decisions/0007-paging-by-number).
		{kind: "poison", code: codeFine, state: idle, spoils: true, either: true},
		{kind: "nul", code: codeFine, state: idle, moved: true, spoils: true},
		{kind: "extra_keys", code: codeFine, state: idle, moved: true, spoils: true},
	}
}

// refusals are faults under which a sync does not end: they are played once, below.
func refusals() []string { return []string{"throttle", "crowded"} }

// TestNonsenseMovesNoMark plays every fault of the sandbox on the whole program: first while it
// reads everything, then while it reads what changed, then once.
func TestNonsenseMovesNoMark(t *testing.T) {
	t.Parallel()
	played := refusals()
	for _, n := range nonsenses() {
		played = append(played, n.kind)
		t.Run(n.kind, func(t *testing.T) {
			t.Parallel()
			n.play(newFaultFixture(t, n.filtered))
		})
	}
	for _, known := range sandbox.FaultKinds() {
		if !slices.Contains(played, known.Kind) {
			t.Errorf("the fault %s is not played", known.Kind)
		}
	}
}

func (n nonsense) play(f *faultFixture) {
	f.t.Helper()
	f.fault(n.kind, 1, 0)
	n.suffer(f)
	n.spoilt(f)
	n.heal(f, 1)

	f.minutes()
	f.change(2, several)
	f.fault(n.kind, 1, 0)
	n.suffer(f)
	n.spoilt(f)
	n.heal(f, 3)

	f.minutes()
	f.change(4, several)
	f.fault(n.kind, 1, 1)
	f.sync(n.once, f.name)
	if n.once == codeFine && !n.spoils {
		n.equal(f)
	}
	n.heal(f, 5)
}

// suffer syncs while upstream misbehaves.
func (n nonsense) suffer(f *faultFixture) {
	f.t.Helper()
	rows := f.rows()
	_, before := f.stands()
	result := f.sync(n.code, f.name)
	state, after := f.stands()
	if state != n.state {
		f.t.Errorf("the stream is %s, want %s: %+v", state, n.state, result)
	}
	if moved := !after.Equal(before); moved != n.moved && !n.either {
		f.t.Errorf("the watermark moved: %v, want %v: %+v", moved, n.moved, result)
	}
	if f.rows() < max(rows, 1) {
		f.t.Errorf("%d rows after it, %d before: %+v", f.rows(), rows, result)
	}
}

// heal removes the fault, begins a new day, and syncs: no record may be missing.
func (n nonsense) heal(f *faultFixture, seed int64) {
	f.t.Helper()
	f.clear()
	f.pass(25 * time.Hour)
	if n.spoils {
		f.change(seed, all)
	}
	f.sync(codeFine, f.name)
	n.equal(f)
	f.released()
	if state, _ := f.stands(); state != pipeline.StateIdle {
		f.t.Errorf("the stream is %s after all is well", state)
	}
}

func (n nonsense) equal(f *faultFixture) {
	f.t.Helper()
	gone, undeclared := f.equal(f.name)
	if gone > 0 != n.deletes || undeclared > 0 != (n.kind == "extra_keys") {
		f.t.Errorf("%d rows without a record upstream, %d with keys that no column takes", gone, undeclared)
	}
}

// spoilt checks what happened to spoilt records.
func (n nonsense) spoilt(f *faultFixture) {
	f.t.Helper()
	const (
		visible = `SELECT count(*) FROM inventory.bills WHERE vendor_name = 'before' || chr(9216) || 'after'`
		kept    = `SELECT count(*) FROM inventory.bills WHERE _extra = '{"entity_rank": 7, "is_edition_flag": true,
			"edition_details": {"region": "north", "codes": ["a", "b"]}}'`
		drift = `SELECT count(DISTINCT path) FROM sluice.drift WHERE seen > 0`
		open  = `SELECT count(*) FROM sluice.quarantine WHERE state = 'open'`
		// whole counts entries that are readable and complete except for the spoilt value.
		whole = `SELECT count(*) FROM sluice.quarantine WHERE state = 'open' AND convert_from(raw, 'UTF8')::jsonb ? 'line_items'
			AND (record_id <> '' AND convert_from(raw, 'UTF8')::jsonb ->> 'date' = 'not a value' AND path = 'date'
			OR record_id = '' AND NOT convert_from(raw, 'UTF8')::jsonb ? 'bill_id')`
	)
	quarantined := one[int](f.fixture, open)
	switch n.kind {
	case "nul":
		if rows := one[int](f.fixture, visible); rows == 0 || quarantined > 0 {
			f.t.Errorf("%d rows show a sign for NUL, %d entries in quarantine; want some and none", rows, quarantined)
		}
	case "extra_keys":
		if rows, paths := one[int](f.fixture, kept), one[int](f.fixture, drift); rows == 0 || paths != 3 || quarantined > 0 {
			f.t.Errorf("%d rows keep the undeclared keys, %d of them are known as drift; want some and 3", rows, paths)
		}
	case "poison":
		missing := -f.rows()
		for range f.world.Truth("inventory", "bills") {
			missing++
		}
		if quarantined == 0 || one[int](f.fixture, whole) != quarantined || missing > quarantined {
			f.t.Errorf("%d open entries, %d of them whole, %d records missing", quarantined, one[int](f.fixture, whole), missing)
		}
	default:
		if quarantined > 0 || n.spoils {
			f.t.Errorf("%d entries in quarantine", quarantined)
		}
	}
}

// released makes sure that entries close when their records fit again. An entry without an
// identifier stays until a person decides.
func (f *faultFixture) released() {
	f.t.Helper()
	if n := one[int](f.fixture, `SELECT count(*) FROM sluice.quarantine WHERE state = 'open' AND record_id <> ''`); n > 0 {
		f.t.Errorf("%d entries of records that fit by now are open", n)
	}
}

// TestRefusalsAreWaitedFor plays the two refusals that any call can meet: the sync waits for their
// end, and makes no call while they last.
func TestRefusalsAreWaitedFor(t *testing.T) {
	t.Parallel()
	const last = `(SELECT max(reserved_at) FROM sluice.calls WHERE shared = 'suite')` // the call that was refused
	held := map[string]string{
		"throttle": `SELECT closed_until > ` + last + ` + interval '45 seconds' FROM sluice.budgets WHERE shared = 'suite'`,
		"crowded":  `SELECT concurrent_cap < concurrent_limit AND cap_until > ` + last + ` + interval '4 minutes' FROM sluice.budgets WHERE shared = 'suite'`,
	}
	for _, kind := range refusals() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := newFaultFixture(t, false)
			f.fault(kind, 1, 1)
			ended := make(chan outcome, 1)
			go func(ctx context.Context) { ended <- f.runContext(ctx, "sync", "--json", f.name) }(t.Context())
			f.until("the stream waits", `SELECT s.state = 'retrying' AND EXISTS (SELECT FROM river.river_job WHERE state = 'scheduled')
				FROM sluice.streams s WHERE s.resource = 'bills'`)
			if !one[bool](f.fixture, held[kind]) {
				t.Error("other calls are not held back")
			}
			calls := f.arrivals.total()
			f.minutes()
			f.synced(codeFine, <-ended)
			f.equal(f.name)
			if calls != 3+1+2 { // the checks, the identity of the organization, the first page, the refused one
				t.Errorf("%d calls before the wait was over, want 6", calls)
			}
			if n := one[int](f.fixture, `SELECT count(*) FROM sluice.runs WHERE resource = 'bills'`); n != 1 {
				t.Errorf("%d runs, want the one that waited", n)
			}
		})
	}
}
