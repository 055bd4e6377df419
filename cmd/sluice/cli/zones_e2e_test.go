//go:build e2e

package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// elsewhere is an upstream that says something else of its organizations than the sandbox does.
type elsewhere struct {
	next http.Handler

	mu       sync.Mutex
	old, now string
}

// writes has one text written in the place of another from now on; empty ones change nothing.
func (e *elsewhere) writes(old, now string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.old, e.now = old, now
}

// ServeHTTP implements http.Handler.
func (e *elsewhere) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	old, now := e.old, e.now
	e.mu.Unlock()
	if old == "" || !strings.HasSuffix(r.URL.Path, "/organizations") {
		e.next.ServeHTTP(w, r)
		return
	}
	r.Header.Del("Accept-Encoding")
	recorded := httptest.NewRecorder()
	e.next.ServeHTTP(recorded, r)
	for name, values := range recorded.Header() {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(recorded.Code)
	_, _ = io.WriteString(w, strings.ReplaceAll(recorded.Body.String(), old, now)) // the client is gone if this fails
}

// newZoneStage copies items whose modification times come without an offset.
func newZoneStage(t *testing.T) (*faultStage, *elsewhere) {
	t.Helper()
	f := newFaultStageOf(t, true, small)
	moved := &elsewhere{}
	f.arrivals.through(func(upstream http.Handler) http.Handler {
		moved.next = upstream
		return moved
	})
	f.fault("no_offset", 0, 0)
	return f, moved
}

// shifted counts the items whose modification time is not by so much earlier than the one that
// upstream has.
func (f *faultStage) shifted(by time.Duration) int {
	f.t.Helper()
	wrong := 0
	for text := range f.world.Truth("inventory", "items") {
		var record struct {
			ID       string `json:"item_id"`
			Modified string `json:"last_modified_time"`
		}
		must(f.t, json.Unmarshal(text, &record))
		at, err := time.Parse("2006-01-02T15:04:05-0700", record.Modified)
		must(f.t, err)
		if !one[time.Time](f.fixture, `SELECT last_modified_time FROM inventory.items WHERE item_id = $1`, record.ID).Equal(at.Add(by)) {
			wrong++
		}
	}
	return wrong
}

// TestZoneOfTheConfigurationChanges: what was read in the old zone is read anew out of raw records,
// without a call, whether upstream shows the record again or not.
func TestZoneOfTheConfigurationChanges(t *testing.T) {
	t.Parallel()
	f, _ := newZoneStage(t)
	f.sync(codeFine, f.name)
	if wrong := f.shifted(0); wrong != 0 {
		t.Fatalf("%d items are wrong from the start", wrong)
	}
	f.clear() // from here on nothing comes that a zone could change
	f.rewrite("Asia/Kolkata", "Asia/Dubai")
	calls := f.arrivals.total()
	f.sync(codeFine, f.name)
	if read := f.arrivals.total() - calls; read > 3 {
		t.Errorf("%d calls: the list was read again", read)
	}
	const waiting = `SELECT count(*) FROM sluice.streams WHERE zone_gen <> rezoned_gen`
	for range 3 { // a list that is still being written when the rows have their turn has it the next time
		if one[int](f.fixture, waiting) == 0 {
			break
		}
		f.sync(codeFine, f.name)
	}
	// Dubai is an hour and a half behind Kolkata all year, so its clock shows the same figures
	// later.
	if wrong := f.shifted(90 * time.Minute); wrong != 0 {
		t.Errorf("%d items are still what the old zone made of them", wrong)
	}
	if n := one[int](f.fixture, waiting); n != 0 {
		t.Errorf("%d lists wait to be written anew", n)
	}
	rebuilds := one[int](f.fixture, `SELECT count(*) FROM sluice.rebuilds`)
	f.sync(codeFine, f.name)
	if again := one[int](f.fixture, `SELECT count(*) FROM sluice.rebuilds`); again != rebuilds {
		t.Error("rows are written anew although the zone is the same")
	}
}

// TestZoneOfTheOrganizationChanges: rows are what they were, for upstream wrote them by its old
// zone; whole lists are read again, which finds what upstream writes otherwise by the new one.
// Every process reads in the new zone.
func TestZoneOfTheOrganizationChanges(t *testing.T) {
	t.Parallel()
	f, moved := newZoneStage(t)
	f.rewrite("    time_zone: Asia/Kolkata\n", "")
	f.sync(codeFine, f.name)
	f.clear()
	moved.writes("Asia/Kolkata", "Asia/Dubai")
	f.forget()
	f.sync(codeFine, f.name)
	if wrong := f.shifted(0); wrong != 0 {
		t.Errorf("%d items moved, and upstream wrote them by its old zone", wrong)
	}
	if due := one[bool](f.fixture, `SELECT next_due_at <= clock_timestamp() FROM sluice.streams WHERE resource = 'items.sweep'`); !due {
		t.Fatal("the list is not due to be read whole")
	}
	f.fault("no_offset", 0, 0) // now by the clock of Dubai, as far as anybody can tell
	f.sync(codeFine, f.name)
	if wrong := f.shifted(90 * time.Minute); wrong != 0 {
		t.Errorf("%d items are not what the new zone makes of what upstream shows", wrong)
	}
	if due := one[bool](f.fixture, `SELECT next_due_at <= clock_timestamp() FROM sluice.streams WHERE resource = 'items.sweep'`); due {
		t.Error("the sweep is still due")
	}
}

// TestTheZoneOfTheHostDoesNotMatter: a process on a host in another time zone reads what any other
// reads, times without an offset, too.
func TestTheZoneOfTheHostDoesNotMatter(t *testing.T) {
	t.Parallel()
	f, _ := newZoneStage(t)
	f.environment["TZ"], f.environment["PGTZ"] = "Pacific/Auckland", "Pacific/Auckland"
	p := f.start("sync", f.name)
	p.ends(codeFine, patience)
	if wrong := f.shifted(0); wrong != 0 {
		t.Errorf("%d items are not what upstream has", wrong)
	}
}
