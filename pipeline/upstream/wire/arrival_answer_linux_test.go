package wire_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"sluice/pipeline/upstream/wire"
)

// TestNothingHasArrivedBeforeItIsWritten: net/http reports a request as written while it is in a
// buffer. A connection with no byte to be acknowledged then shows nothing of it.
func TestNothingHasArrivedBeforeItIsWritten(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	var looked atomic.Int64
	third := make(chan struct{}, 1)
	clock := func() time.Time {
		switch looked.Add(1) {
		case 2: // the first check was before connecting, this one is before the bytes are written
			select {
			case <-third:
				t.Error("an arrival was noted before anything was written")
			case <-time.After(200 * time.Millisecond):
			}
		case 3:
			third <- struct{}{}
		}
		return time.Now()
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	call := wire.Call{Op: "GET /", Granted: time.Now()}
	if err := wire.NewDoor(wire.Transport{Now: clock}, "").Open(t.Context(), call, time.Minute, request, func(*wire.Reply) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if looked.Load() < 3 {
		t.Errorf("the clock was looked at %d times: no arrival was noted", looked.Load())
	}
}
