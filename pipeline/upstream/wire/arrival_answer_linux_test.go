package wire_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"sync/atomic"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/upstream/wire"
)

// TestTheArrivalIsKnownBeforeTheAnswer: a server that takes a second to answer had the request a
// second ago.
func TestTheArrivalIsKnownBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	const latency, margin = time.Second, 100 * time.Millisecond
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(latency): // the latency that is measured
		case <-r.Context().Done():
		}
		_, _ = io.WriteString(w, "{}")
	})
	for name, server := range map[string]*httptest.Server{"plain": httptest.NewServer(handler), "tls": httptest.NewTLSServer(handler)} {
		t.Cleanup(server.Close)
		settings := wire.Transport{Now: time.Now, Margin: margin}
		if name == "tls" {
			settings.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		}
		// The request arrives after the connection is made. On a busy machine the handler may begin
		// long after the request arrived.
		var connected, ended time.Time
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected = time.Now() }})
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		var result pipeline.CallResult
		err = wire.NewDoor(settings, "").Open(ctx, wire.Call{Op: "GET /"}, time.Minute, request, func(answer *wire.Reply) error {
			ended = time.Now()
			wire.Note(&result, answer, ended)
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if least, most := latency/2, ended.Sub(connected); result.Arrived < least || result.Arrived > most {
			t.Errorf("%s: arrived %s before the end, want %s to %s", name, result.Arrived, least, most)
		}
	}
}

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
