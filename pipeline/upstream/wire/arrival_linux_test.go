package wire

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"sync/atomic"
	"testing"
	"time"

	"sluice/pipeline"
)

// TestTheArrivalIsKnownBeforeTheAnswer: the server answers when the client knows that the request
// has arrived, a minute later by the client's clock.
func TestTheArrivalIsKnownBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	clock := func() time.Time { return time.Unix(later.Load(), 0) }
	var known atomic.Pointer[guardedConn]
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ticker := time.NewTicker(pollArrival)
		defer ticker.Stop()
		for r.Context().Err() == nil && known.Load().arrival.at().IsZero() {
			<-ticker.C
		}
		later.Add(60)
		_, _ = io.WriteString(w, "{}")
	})
	for name, server := range map[string]*httptest.Server{"plain": httptest.NewServer(handler), "tls": httptest.NewTLSServer(handler)} {
		t.Cleanup(server.Close)
		settings := Transport{Now: clock, Margin: time.Second}
		if name == "tls" {
			settings.RootCAs = server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		}
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) {
			conn := got.Conn
			if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
				conn = secure.NetConn()
			}
			known.Store(conn.(*guardedConn))
		}})
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		var result pipeline.CallResult
		err = NewDoor(settings, "").Open(ctx, Call{Op: "GET /"}, time.Minute, request, func(answer *Reply) error {
			Note(&result, answer, clock())
			return nil
		})
		if err != nil || result.Arrived != 59*time.Second {
			t.Errorf("%s: arrived %s before the end (%v), want a minute without the margin", name, result.Arrived, err)
		}
	}
}

// TestTheLastWriteDecides: the acknowledged bytes of a handshake say nothing about the request
// after it.
func TestTheLastWriteDecides(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	a := &acknowledged{now: func() time.Time { return at }}
	a.begin()
	if a.look(1, false) || !a.at().IsZero() {
		t.Error("bytes that are under way have arrived")
	}
	if !a.look(1, true) || !a.at().Equal(at) {
		t.Errorf("all of it arrived at %s, want %s", a.at(), at)
	}
	a.begin()
	if !a.at().IsZero() {
		t.Error("bytes that are not written yet have arrived")
	}
	if !a.look(1, true) || !a.at().IsZero() {
		t.Error("the watch of an earlier write noted an arrival")
	}
	at = at.Add(time.Second)
	if !a.look(2, true) || !a.at().Equal(at) {
		t.Errorf("the last write arrived at %s, want %s", a.at(), at)
	}
}
