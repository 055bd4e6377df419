//go:build e2e

package cli

import (
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// garbage is what upstream does during one run.
type garbage struct {
	kind string
	// code is the exit code of the run that meets it, and moved says whether the watermark moves.
	code  int
	moved bool
}

// TestPassingGarbageLosesNothing: upstream answers nonsense during one run and is healthy again.
// The next sync has all records, however many did not fit, and whichever way the list is read
// (invariant 1).
func TestPassingGarbageLosesNothing(t *testing.T) {
	t.Parallel()
	for _, g := range []garbage{
		{"all_huge_numbers", codeFailed, false},
		{"same_id", codeFailed, false},
		{"huge_number", codeFine, true}, // one record: below the share, and asked for again
	} {
		for _, list := range []struct {
			name     string
			filtered bool
		}{{"from a watermark", true}, {"whole", false}} {
			t.Run(g.kind+" "+list.name, func(t *testing.T) {
				t.Parallel()
				g.play(newFaultFixtureOf(t, list.filtered, small))
			})
		}
	}
}

func (g garbage) play(f *faultFixture) {
	f.t.Helper()
	f.sync(codeFine, f.name)
	f.minutes()
	f.change(1, all)
	_, before := f.stands()
	f.fault(g.kind, 0, 0)
	result := f.sync(g.code, f.name)
	if _, after := f.stands(); after.Equal(before) == g.moved {
		f.t.Errorf("the watermark moved: %t, want %t: %+v", !g.moved, g.moved, result)
	}
	if f.open() == 0 {
		f.t.Error("nothing is in quarantine")
	}
	if !g.moved && !strings.Contains(f.run("status").stdout, "ALARM") {
		f.t.Error("status does not say that a watermark waits because of what is in quarantine")
	}
	f.clear()
	f.minutes()
	f.sync(codeFine, f.name)
	f.equal(f.name)
	if open := f.open(); open != 0 {
		f.t.Errorf("%d records are in quarantine although all is well", open)
	}
}

// TestGarbageIsNotForgotten: the second run knows what was rejected in the first, and moves the
// watermark over it. The exit code reports it until it is loaded, and within an hour the list is
// read whole because of it.
func TestGarbageIsNotForgotten(t *testing.T) {
	t.Parallel()
	f := newFaultFixtureOf(t, true, small)
	f.sync(codeFine, f.name)
	f.minutes()
	f.change(1, all)
	f.fault("all_huge_numbers", 0, 0)
	_, before := f.stands()
	f.sync(codeFailed, f.name)
	f.sync(codeFailed, f.name)
	if _, after := f.stands(); !after.After(before) {
		f.t.Error("what will never fit keeps the watermark where it is for ever")
	}
	f.clear()
	f.exec(`UPDATE sluice.streams SET watermark = clock_timestamp(), scanned_until = NULL WHERE resource = 'items'`) // minutes later
	f.sync(codeFailed, f.name)                                                                                       // it read from the watermark: nothing new, nothing repaired
	if due := one[bool](f.fixture, `SELECT next_due_at <= clock_timestamp() + interval '1 hour' FROM sluice.streams WHERE resource = 'items.sweep'`); !due {
		t.Error("the whole list is not read within an hour")
	}
	f.pass(61 * time.Minute)
	f.sync(codeFine, f.name)
	f.equal(f.name)
}

// TestOneRecordThatWillNeverFit: such a record stops a watermark once, and is asked for again less
// and less often.
func TestOneRecordThatWillNeverFit(t *testing.T) {
	t.Parallel()
	f := newFaultFixtureOf(t, true, small)
	f.sync(codeFine, f.name)
	f.minutes()
	must(t, f.world.SetFaults([]sandbox.Fault{{Path: f.path, Kind: "huge_number"}}))
	f.change(1, 2)
	f.sync(codeFailed, f.name)
	_, before := f.stands()
	f.sync(codeFailed, f.name)
	_, after := f.stands()
	if !after.After(before) {
		t.Errorf("the watermark waits for ever: %v, %v", before, after)
	}
	f.exec(`UPDATE sluice.quarantine SET opened_at = clock_timestamp() - interval '8 hours', asked_at = clock_timestamp();
		UPDATE sluice.streams SET next_due_at = clock_timestamp() + interval '7 days' WHERE resource = 'items.sweep'`)
	f.sync(codeFailed, f.name)
	if !one[bool](f.fixture, `SELECT next_due_at > clock_timestamp() + interval '7 hours' FROM sluice.streams WHERE resource = 'items.sweep'`) {
		t.Error("what was asked for in vain for eight hours is asked for again before another eight")
	}
}

// TestVerifyLoadsWhatItReads: if verify reads a fitting version of a record in quarantine, no sweep
// is needed for it.
func TestVerifyLoadsWhatItReads(t *testing.T) {
	t.Parallel()
	f := newFaultFixtureOf(t, true, small)
	f.sync(codeFine, f.name)
	f.minutes()
	f.change(1, all)
	f.fault("all_huge_numbers", 0, 0)
	f.sync(codeFailed, f.name)
	f.clear()
	if o := f.run("verify", "--calls", "5", f.name); o.code != codeFine || strings.Contains(o.stdout, "quarantined") {
		t.Errorf("verify: %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	f.equal(f.name)
	if open := f.open(); open != 0 {
		t.Errorf("%d records are in quarantine although they were read", open)
	}
	if one[bool](f.fixture, `SELECT EXISTS (SELECT FROM inventory.items i WHERE NOT EXISTS (SELECT FROM sluice.calls c WHERE c.id = i._call_id))`) {
		t.Error("a row does not name the call that brought it")
	}
}
