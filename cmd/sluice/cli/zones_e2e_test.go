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

// elsewhere is an upstream that says something else about its organizations than the sandbox does.
type elsewhere struct {
	next http.Handler

	mu       sync.Mutex
	old, now string
}

// writes replaces one text by another from now on; empty ones change nothing.
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
	_, _ = io.WriteString(w, strings.ReplaceAll(recorded.Body.String(), old, now)) // a failure means that the client has disconnected
}

// newZoneStage copies items whose modification times have no offset.
func newZoneStage(t *testing.T) (*faultFixture, *elsewhere) {
	t.Helper()
	f := newFaultFixtureOf(t, true, small)
	moved := &elsewhere{}
	f.arrivals.through(func(upstream http.Handler) http.Handler {
		moved.next = upstream
		return moved
	})
	f.fault("no_offset", 0, 0)
	return f, moved
}

// shifted counts the items whose modification time is not by so much earlier than upstream's.
func (f *faultFixture) shifted(by time.Duration) int {
	f.t.Helper()
	wrong := 0
	for text := range f.world.Truth("inventory", "items") {
		var record struct {
			ID       string `json:"item_id"`
			Modified string `json:"last_modified_time"`
		}
		must(f.t, json.Unmarshal(text, &record))
		at := sure(time.Parse("2006-01-02T15:04:05-0700", record.Modified))(f.t)
		if !one[time.Time](f.fixture, `SELECT last_modified_time FROM inventory.items WHERE item_id = $1`, record.ID).Equal(at.Add(by)) {
			wrong++
		}
	}
	return wrong
}

// TestZoneOfTheConfigurationChanges: what was read in the old zone is rebuilt from raw records,
// without a call, whether upstream shows the record again or not.
func TestZoneOfTheConfigurationChanges(t *testing.T) {
	t.Parallel()
	f, _ := newZoneStage(t)
	f.sync(codeFine, f.name)
	if wrong := f.shifted(0); wrong != 0 {
		t.Fatalf("%d items are wrong from the start", wrong)
	}
	f.clear() // from here on all times have an offset
	f.rewrite("Asia/Kolkata", "Asia/Dubai")
	calls := f.arrivals.total()
	f.sync(codeFine, f.name)
	if read := f.arrivals.total() - calls; read > 3 {
		t.Errorf("%d calls: the list was read again", read)
	}
	const waiting = `SELECT count(*) FROM sluice.streams WHERE zone_gen <> rezoned_gen`
	for range 3 { // a list that is being written when its rows are due is rebuilt the next time
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
	f.counts(0, "lists wait to be written anew", waiting)
	rebuilds := one[int](f.fixture, `SELECT count(*) FROM sluice.rebuilds`)
	f.sync(codeFine, f.name)
	f.counts(rebuilds, "rows are written anew although the zone is the same", `SELECT count(*) FROM sluice.rebuilds`)
}

// TestZoneOfTheOrganizationChanges: rows stay, because upstream wrote them in its old zone. Whole
// lists are read again, which finds what upstream writes differently in the new zone. Every process
// reads in the new zone.
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
	f.fault("no_offset", 0, 0) // sluice now reads them by the clock of Dubai
	f.sync(codeFine, f.name)
	if wrong := f.shifted(90 * time.Minute); wrong != 0 {
		t.Errorf("%d items are not what the new zone makes of what upstream shows", wrong)
	}
	if due := one[bool](f.fixture, `SELECT next_due_at <= clock_timestamp() FROM sluice.streams WHERE resource = 'items.sweep'`); due {
		t.Error("the sweep is still due")
	}
}
