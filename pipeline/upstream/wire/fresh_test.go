package wire_test

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/upstream/wire"
)

// TestAStaleGrantIsNotSent: a process that was suspended between the grant and the first byte sends
// no request, at whichever point it was suspended.
func TestAStaleGrantIsNotSent(t *testing.T) {
	t.Parallel()
	granted := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	for name, jumps := range map[string]int64{"before connecting": 1, "while connecting": 2, "not at all": 3} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var arrived, looked atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) }))
			defer server.Close()
			// The clock jumps just before it is read for the nth time.
			clock := func() time.Time {
				if looked.Add(1) >= jumps {
					return granted.Add(21 * time.Second)
				}
				return granted.Add(19 * time.Second)
			}
			door := wire.NewDoor(wire.Transport{Now: clock}, "")
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			err = door.Open(t.Context(), wire.Call{Op: "GET /", Granted: granted}, time.Minute, request, func(*wire.Reply) error { return nil })
			if stale := jumps < 3; stale != (pipeline.KindOf(err) == pipeline.Unavailable) || stale != (arrived.Load() == 0) {
				t.Errorf("open = %v, %d requests arrived", err, arrived.Load())
			}
		})
	}
}
