package cli

import (
	"cmp"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/sandbox"
)

// faultFixture is a fixture for one stream whose list misbehaves.
type faultFixture struct {
	*fixture

	name, short, path string
	// struck is the path that misbehaves, if it is not the list's.
	struck string
}

// newFaultFixture has a list of several pages, and a token that is some minutes old.
func newFaultFixture(t *testing.T, filtered bool) *faultFixture {
	t.Helper()
	return newFaultFixtureOf(t, filtered, 1600)
}

// newFaultFixtureOf has a world of so many records.
func newFaultFixtureOf(t *testing.T, filtered bool, records int) *faultFixture {
	t.Helper()
	f := &faultFixture{
		fixture: newFixture(t, sandbox.Options{
			Seed: 51, Records: records, ChatPage: 20,
			// Each fault costs a token, since a day passes: more than upstream grants in ten of its minutes.
			Limits: sandbox.Limits{Off: true, Minute: time.Second},
			// Changes upstream have to be earlier than the run that reads them, by the second.
			Now: func() time.Time { return time.Now().Add(-time.Minute) },
		}).narrow(),
		name: "inventory.bills", short: "bills", path: "/inventory/v1/bills",
	}
	if filtered {
		f.name, f.short, f.path = "inventory.items", "items", "/inventory/v1/items"
	}
	if o := f.run("check"); o.code != codeFine {
		t.Fatalf("check: %d\n%s", o.code, o.stdout)
	}
	f.minutes()
	return f
}

// minutes lets time pass, so that earlier calls do not count and a token may be refreshed.
func (f *faultFixture) minutes() { f.pass(5 * time.Minute) }

func (f *faultFixture) fault(kind string, after, count int) {
	f.t.Helper()
	must(f.t, f.world.SetFaults([]sandbox.Fault{{Path: cmp.Or(f.struck, f.path), Kind: kind, After: after, Count: count, Milliseconds: 1}}))
}

func (f *faultFixture) clear() {
	f.t.Helper()
	must(f.t, f.world.SetFaults(nil))
}

// change edits so many records that the changes take several pages.
func (f *faultFixture) change(seed int64, edits int) {
	f.t.Helper()
	sure(f.world.Change(sandbox.Change{Seed: seed, Inserts: 3, Edits: edits, Resources: []string{f.short}}))(f.t)
}

// stands gives the state and the watermark of the stream.
func (f *faultFixture) stands() (pipeline.State, time.Time) {
	f.t.Helper()
	state := pipeline.State(one[string](f.fixture, `SELECT state FROM sluice.streams WHERE service || '.' || resource = $1`, f.name))
	watermark := one[time.Time](f.fixture, `SELECT coalesce(watermark, 'epoch') FROM sluice.streams WHERE service || '.' || resource = $1`, f.name)
	return state, watermark
}

// all edits every record.
const all = 1 << 20

// Sizes of worlds: in small all bills fit into a page, in large they take two.
const (
	small = 120
	large = 800
)

// open counts what is in quarantine.
func (f *faultFixture) open() int {
	f.t.Helper()
	return one[int](f.fixture, `SELECT count(*) FROM sluice.quarantine WHERE state = 'open'`)
}

// comesTo syncs and reports another exit code than the given one.
func (f *faultFixture) comesTo(when string, code int) outcome {
	f.t.Helper()
	o := f.run("sync", "--json", f.name)
	if o.code != code {
		f.t.Errorf("%s: sync ended with %d, want %d: %s", when, o.code, code, o.stderr)
	}
	return o
}
