package simulation_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// enough is the number of schedules that have to cover everything that can happen.
const enough = 4000

var (
	schedules = flag.Int("schedules", usual, "how many schedules are tried")
	shrinking = flag.Bool("shrink", true, "shrink a failing schedule to as few actions as possible; sluice-dev mutate needs only its seed")
	first     = flag.Uint64("first", 1, "the first seed")
	only      = flag.Uint64("seed", 0, "try this seed alone, and print its trace")
	traces    = flag.String("traces", "", "write a line per schedule into this file: its seed, the SHA-256 of its trace and its last state")
)

// play executes one schedule from beginning to end and returns the first broken invariant.
func play(seed uint64, s swarm, actions []action, trace func(string, ...any)) (*world, error) {
	w := newWorld(seed, s)
	w.trace = trace
	for _, a := range actions {
		w.do(a)
		if w.store.violation != nil {
			break
		}
	}
	if w.store.violation == nil {
		w.heal()
		w.equal()
	}
	for _, k := range w.workers {
		k.stop()
	}
	return w, w.store.violation
}

func drawn(seed uint64) (swarm, []action) {
	rng := rand.New(rand.NewPCG(seed, 0))
	s := draw(rng)
	s.anchors(seed)
	s.hinted(seed)
	return s, schedule(rng, s)
}

// equal checks invariant 8: once upstream is quiet, warehouse and upstream are equal as far as this
// list can show. A silent edit, or a write that becomes visible after the lag, takes a scan of the
// whole list.
func (w *world) equal() {
	of := w.streams[0]
	if id := w.unburied(); id != "" {
		w.store.brokenf("%s is gone, its row is not, and no person is asked", id)
	}
	scanned := w.swarm.cursor == "full" || w.swarm.sweep
	for _, t := range of.upstream.things {
		v := t.last()
		have := of.table.rows[t.id]
		switch {
		case v.gone:
			// No list shows it.
		case have != nil && !have.deleted.IsZero() && !v.nameless: // a record without a readable identifier removes no tombstone
			w.store.brokenf("%s is alive and has a tombstone", t.id)
		case !scanned && (v.quiet || v.late() || of.hidden[t.id]):
		case v.poison:
			if !of.rejected(t, v) {
				w.store.brokenf("%s does not fit and is not in quarantine", t.id)
			}
		case have == nil:
			w.store.brokenf("%s is not loaded", t.id)
		case have.value != fmt.Sprint(v.value):
			w.store.brokenf("%s holds %s, upstream has %d", t.id, have.value, v.value)
		case have.stamps != strings.Repeat(fmt.Sprintf("%d ", v.value), v.lines):
			w.store.brokenf("%s holds lines [%s], upstream has %d of %d", t.id, have.stamps, v.lines, v.value)
		}
	}
}

// unburied returns a record that is gone upstream and whose row has no tombstone; "" if there
// is none. It looks only where scans of the whole list can prove that, and skips records that the
// operator has to decide about.
func (w *world) unburied() string {
	if !w.swarm.complete || w.swarm.cursor != "full" && !w.swarm.sweep {
		return ""
	}
	of := w.streams[0]
	if slices.ContainsFunc(of.upstream.things, func(t *thing) bool { return t.last().nameless && !t.last().gone }) {
		return "" // it may be any of those that are not seen
	}
	for _, t := range of.upstream.things {
		have, e := of.table.rows[t.id], of.table.evidence[t.id]
		if t.last().gone && have != nil && have.deleted.IsZero() && (e == nil || e.state != stateHeld) {
			return t.id
		}
	}
	return ""
}

// TestSchedules checks invariants 1, 5, 6 and 8 under random schedules, and what has to be true of
// hints. A failing seed is printed with the fewest actions that still fail.
func TestSchedules(t *testing.T) {
	t.Parallel()
	if *only != 0 {
		s, actions := drawn(*only)
		t.Logf("%+v", s)
		if _, err := play(*only, s, actions, t.Logf); err != nil {
			t.Error(err)
		}
		return
	}
	if *traces != "" {
		writeTraces(t)
		return
	}
	var (
		lock sync.Mutex
		all  = map[string]int{}
		wait sync.WaitGroup
		next = make(chan uint64)
	)
	begun := time.Now()
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for seed := range next {
				s, actions := drawn(seed)
				w, err := play(seed, s, actions, nil)
				lock.Lock()
				w.count(all)
				lock.Unlock()
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
					if *shrinking {
						t.Log(smallest(seed, s, actions))
					}
				}
			}
		})
	}
	for seed := *first; seed < *first+uint64(*schedules) && !t.Failed(); seed++ {
		next <- seed
	}
	close(next)
	wait.Wait()
	var seen strings.Builder
	for _, what := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&seen, "\n%9d %s", all[what], what)
	}
	t.Logf("%d schedules in %v%s", *schedules, time.Since(begun).Round(time.Millisecond), seen.String())
	if !t.Failed() && *schedules >= enough {
		covered(t, all)
	}
}

// writeTraces plays the schedules and writes their traces, for a comparison with another version of
// the program. Code that was moved without a change of behaviour gives the same file.
func writeTraces(t *testing.T) {
	t.Helper()
	var (
		lines = make([]string, *schedules)
		wait  sync.WaitGroup
		next  atomic.Int64
	)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for n := next.Add(1) - 1; n < int64(len(lines)); n = next.Add(1) - 1 {
				seed := *first + uint64(n)
				lines[n] = traceOf(seed)
			}
		})
	}
	wait.Wait()
	if err := os.WriteFile(*traces, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Error(err)
	}
}

// traceOf returns the line of one schedule.
func traceOf(seed uint64) string {
	sum := sha256.New()
	s, actions := drawn(seed)
	w, err := play(seed, s, actions, func(format string, args ...any) { _, _ = fmt.Fprintf(sum, format+"\n", args...) }) // a hash never fails
	if err != nil {
		return fmt.Sprintf("%d %x %016x %v\n", seed, sum.Sum(nil), w.hash, err)
	}
	return fmt.Sprintf("%d %x %016x\n", seed, sum.Sum(nil), w.hash)
}

// count adds the events of a world to all.
func (w *world) count(all map[string]int) {
	for what, times := range w.store.seen {
		all[what] += times
	}
	for p := range pointCount {
		all["at "+p.String()] += w.points[p]
		all["steps"] += w.points[p]
	}
	for f := faultRefused; f < faultCount; f++ {
		all["fault "+f.String()] += w.faults[f]
		all["faults"] += w.faults[f]
	}
	all["calls"] += int(w.calls)
}

// covered demands that every kind of event happened: a simulation in which no worker crashes proves
// nothing.
func covered(t *testing.T, all map[string]int) {
	t.Helper()
	want := []string{
		"crash", "rescued", "suspended", "zombie refused", "unchanged", "superseded", "rollback", "database away", "commit ambiguous",
		"watermark moved", "run given up", "waited for the day", "denied", "ended done", "ended provisional", "noted", "missed", "held", "revived",
		"gone by two scans", "gone by upstream's word", "gone by the word of a batch",
		"look", "look at rest", "missed by a look", "sweep after a look", "gone by a look and upstream's word", "accepted by a person",
		"withheld", "released", "refused, and known", "asked for again", "not upstream any more",
	}
	want = append(want,
		"callback", "callback lost", "callback repeated", "callback late", "callback without a record", "callback forged", "channel silent",
		"callback during a call", "hints by single records", "hints by the list", "hints by the list, later", "hints of a denied stream",
		"hint answered", "hint read twice", "hints are left", "list answered", "row equal by its hint", "row equal after one run", "gone by a scan and a hint",
		"deletions looked for by the list", "deletions looked for by sweep", "deletions looked for by look", "deletions looked for later")
	for p := pointTaken; p < pointCount; p++ {
		want = append(want, "at "+p.String())
	}
	want = append(want, "with late records",
		"observed filter no", "observed filter yes", "observed sort_descending no", "observed sort_descending yes", "observed page_size no",
		"observed sort_ascending no", "observed sort_ascending yes", "observed filter_inclusive yes", "keyset", "keyset sweep", "tie walked")
	for f := faultRefused; f < faultCount; f++ {
		want = append(want, "fault "+f.String())
	}
	for _, what := range want {
		if all[what] < 5 {
			t.Errorf("%q happened %d times, that is too seldom to prove anything", what, all[what])
		}
	}
}

// smallest shrinks a failing schedule and describes the result.
func smallest(seed uint64, s swarm, actions []action) string {
	actions = shrunk(actions, func(fewer []action) bool {
		_, err := play(seed, s, fewer, nil)
		return err != nil
	})
	_, err := play(seed, s, actions, nil)
	return fmt.Sprintf("again with: go test ./pipeline/simulation -run TestSchedules -v -seed %d\nsmallest: %v\n%v\n%+v", seed, err, actions, s)
}

// shrunk leaves out runs of actions, long ones first, until none can be left out.
func shrunk(actions []action, fails func([]action) bool) []action {
	for before := len(actions) + 1; len(actions) < before; {
		before = len(actions)
		for size := max(len(actions)/2, 1); size > 0; size /= 2 {
			for from := 0; from+size <= len(actions); {
				if fewer := slices.Delete(slices.Clone(actions), from, from+size); fails(fewer) {
					actions = fewer
				} else {
					from += size
				}
			}
		}
	}
	return actions
}

// TestAFailureIsShrunkAndPlayedAgain: schedules fail on a store that loses the records of one
// thing. Each failing schedule is shrunk until no action can be left out, and then fails again with
// the same error and the same trace.
func TestAFailureIsShrunkAndPlayedAgain(t *testing.T) {
	t.Parallel()
	failed := 0
	for seed := uint64(1); seed <= 40; seed++ {
		s, actions := drawn(seed)
		s.forgets = "012"
		said := func(actions []action) (string, uint64) {
			w, err := play(seed, s, actions, nil)
			if err == nil {
				return "", w.hash
			}
			return err.Error(), w.hash
		}
		if first, _ := said(actions); first == "" {
			continue
		}
		failed++
		fewer := shrunk(actions, func(fewer []action) bool { what, _ := said(fewer); return what != "" })
		what, hash := said(fewer)
		if again, same := said(fewer); what == "" || again != what || same != hash || len(fewer) > len(actions)/2 {
			t.Errorf("seed %d: %d actions of %d fail with %q, and then with %q", seed, len(fewer), len(actions), what, again)
		}
		for i := range fewer {
			if what, _ := said(slices.Delete(slices.Clone(fewer), i, i+1)); what != "" {
				t.Errorf("seed %d: action %d of %v can be left out", seed, i, fewer)
			}
		}
	}
	if failed < 5 {
		t.Errorf("%d schedules failed, that is too seldom to prove anything", failed)
	}
}

// TestSameSeedSameTrace: the same seed gives the same trace, so every failure can be played again.
func TestSameSeedSameTrace(t *testing.T) {
	t.Parallel()
	hashes := func() []uint64 {
		var out []uint64
		for seed := uint64(1); seed <= usual/8; seed++ {
			s, actions := drawn(seed)
			w, _ := play(seed, s, actions, nil)
			out = append(out, w.hash)
		}
		return out
	}
	if diff := cmp.Diff(hashes(), hashes()); diff != "" {
		t.Errorf("the same seeds went another way (-first +second):\n%s", diff)
	}
}
