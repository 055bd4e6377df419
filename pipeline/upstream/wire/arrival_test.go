package wire

import (
	"testing"
	"time"
)

// TestTheLastWriteDecides: what arrived of a handshake says nothing of the request behind it.
func TestTheLastWriteDecides(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	c := &guardedConn{now: func() time.Time { return at }}
	first := c.begin()
	if c.look(first, false) || !c.arrived().IsZero() {
		t.Error("bytes that are under way have arrived")
	}
	if !c.look(first, true) || !c.arrived().Equal(at) {
		t.Errorf("all of it arrived at %s, want %s", c.arrived(), at)
	}
	second := c.begin()
	if !c.arrived().IsZero() {
		t.Error("bytes that are not written yet have arrived")
	}
	if !c.look(first, true) || !c.arrived().IsZero() {
		t.Error("who watches an earlier write noted an arrival")
	}
	at = at.Add(time.Second)
	if !c.look(second, true) || !c.arrived().Equal(at) {
		t.Errorf("the last write arrived at %s, want %s", c.arrived(), at)
	}
}
