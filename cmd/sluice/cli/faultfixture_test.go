package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice-dev/harness"
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

func newFaultFixture(t *testing.T, filtered bool) *faultFixture {
	t.Helper()
	return newFaultFixtureOf(t, filtered, 1600)
}

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
	o := f.run("check")
	fatalIf(t, o.code != codeFine, "check: %d\n%s", o.code, o.stdout)
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

func (f *faultFixture) open() int {
	f.t.Helper()
	return one[int](f.fixture, `SELECT count(*) FROM sluice.quarantine WHERE state = 'open'`)
}

func (f *faultFixture) comesTo(when string, code int) outcome {
	f.t.Helper()
	o := f.run("sync", "--json", f.name)
	errorIf(f.t, o.code != code, "%s: sync ended with %d, want %d: %s", when, o.code, code, o.stderr)
	return o
}

// believing makes a second scan count although it follows at once.
const believing = "tombstones: {apart: 0s}\n"

// age makes rows an hour older: a scan says nothing about rows that were first seen in the second
// in which it began.
func (s *fixture) age() {
	s.t.Helper()
	for resource := range idKeys() {
		s.exec("UPDATE " + resource + " SET _first_seen_at = _first_seen_at - interval '1 hour'")
	}
}

func (s *fixture) configured(more string) {
	s.t.Helper()
	text := sure(os.ReadFile(s.config))(s.t)
	must(s.t, os.WriteFile(s.config, append(text, more...), 0o600))
}

func (s *fixture) delete(resource string, ids ...string) {
	s.t.Helper()
	s.deleteOf(business{id: sandbox.DefaultOrganizationID}, resource, ids...)
}

func (s *fixture) deleteOf(of business, resource string, ids ...string) {
	s.t.Helper()
	body := sure(json.Marshal(map[string]any{"resource": resource, "ids": ids}))(s.t)
	address := "http://127.0.0.1/_sandbox/delete?organization=" + of.id + "&dc=" + of.dataCenter
	r := httptest.NewRequestWithContext(s.t.Context(), http.MethodPost, address, strings.NewReader(string(body)))
	r.RemoteAddr = "127.0.0.1:1"
	w := httptest.NewRecorder()
	s.world.ServeHTTP(w, r)
	fatalIf(s.t, w.Code != http.StatusOK, "delete %s %v: %d %s", resource, ids, w.Code, w.Body)
}

func idKeys() map[string]string {
	return map[string]string{
		"inventory.bills": "bill_id", "inventory.items": "item_id", "inventory.credit_notes": "creditnote_id",
		"accounting.chart_of_accounts": "account_id", "accounting.vendor_payments": "payment_id",
	}
}

func (s *fixture) truth(resource string) []string {
	s.t.Helper()
	service, name, _ := strings.Cut(resource, ".")
	var ids []string
	for raw := range s.world.Truth(service, name) {
		var record map[string]any
		must(s.t, json.Unmarshal(raw, &record))
		ids = append(ids, fmt.Sprint(record[idKeys()[resource]]))
	}
	slices.Sort(ids)
	return ids
}

// ids are the keys of the rows that a condition selects.
func (s *fixture) ids(resource, condition string) []string {
	s.t.Helper()
	rows := sure(s.conn.Query(s.t.Context(), "SELECT "+idKeys()[resource]+" FROM "+resource+" WHERE "+condition+" ORDER BY 1"))(s.t)
	ids := sure(pgx.CollectRows(rows, pgx.RowTo[string]))(s.t)
	slices.Sort(ids)
	return ids
}

// truthful compares live rows with upstream.
func (s *fixture) truthful(resource string) {
	s.t.Helper()
	if want, got := s.truth(resource), s.ids(resource, live); !slices.Equal(want, got) {
		s.t.Errorf("%s: %d live rows, upstream has %d records, and they are not the same", resource, len(got), len(want))
	}
}

const (
	live = "_deleted_at IS NULL"
	dead = "_deleted_at IS NOT NULL"
)

// edit changes records of a resource.
func (s *fixture) edit(seed int64, resource string, edits int) {
	s.t.Helper()
	_, name, _ := strings.Cut(resource, ".")
	sure(s.world.Change(sandbox.Change{Seed: seed, Edits: edits, Resources: []string{name}}))(s.t)
}

// arrivals counts the calls of services that reach upstream.
type arrivals struct {
	mu      sync.Mutex
	next    http.Handler
	count   int
	waiting map[int]chan struct{}
	// tokens are the access tokens of the calls.
	tokens map[string]bool
}

func (a *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	next := a.next
	if !strings.HasPrefix(r.URL.Path, "/oauth/") {
		a.count++
		if _, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok {
			if a.tokens == nil {
				a.tokens = make(map[string]bool)
			}
			a.tokens[token] = true
		}
		if c, ok := a.waiting[a.count]; ok {
			close(c)
		}
	}
	a.mu.Unlock()
	next.ServeHTTP(w, r)
}

// through replaces upstream by what of makes of it.
func (a *arrivals) through(of func(upstream http.Handler) http.Handler) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next = of(a.next)
}

// hold lets so many more calls of services through. Later calls wait until the returned function is
// called.
func (a *arrivals) hold(calls int) func() {
	released := make(chan struct{})
	var passed atomic.Int64
	a.through(func(upstream http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.URL.Path, "/oauth/") && passed.Add(1) > int64(calls) {
				select {
				case <-released:
				case <-r.Context().Done():
					return
				}
			}
			upstream.ServeHTTP(w, r)
		})
	})
	return func() { close(released) }
}

// total is how many calls have arrived.
func (a *arrivals) total() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count
}

// after gives a channel that is closed when n more calls have arrived.
func (a *arrivals) after(n int) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting == nil {
		a.waiting = make(map[int]chan struct{})
	}
	at := a.count + n
	if a.waiting[at] == nil {
		a.waiting[at] = make(chan struct{})
	}
	return a.waiting[at]
}

// withinLimits checks invariant 3 for the organization of the fixture, and returns the largest
// number of slots of a minute that were held together: see harness.Exceeded.
func (s *fixture) withinLimits(perMinute, atOnce int, minute time.Duration) int {
	s.t.Helper()
	return s.within(s.world.Stats(), perMinute, atOnce, minute)
}

// within is withinLimits for the counts of an organization whose calls the database has.
func (s *fixture) within(stats sandbox.Stats, perMinute, atOnce int, minute time.Duration) int {
	s.t.Helper()
	fullest, exceeded, err := harness.Exceeded(s.t.Context(), s.conn, stats, perMinute, atOnce, minute)
	must(s.t, err)
	errorIf(s.t, exceeded != "", "%v", exceeded)
	s.t.Logf("at most %d slots of a minute were held; upstream counted %d calls in a minute and %d at once, and refused %v",
		fullest, stats.Worst60s, stats.WorstConcurrent, stats.Refused)
	return fullest
}
