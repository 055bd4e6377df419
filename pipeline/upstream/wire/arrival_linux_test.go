package wire

import (
	"testing"
	"time"
)

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
