package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"sluice/cmd/sluice-chaos/frontend"
	"sluice/cmd/sluice-chaos/plan"
	"sluice/cmd/sluice-chaos/watch"
	"sluice/sandbox"
)

// onTheWay is what happens to callbacks on their way.
func onTheWay() sandbox.Chaos {
	return sandbox.Chaos{Lose: 0.05, Duplicate: 0.05, Late: 0.1, LateBy: 2 * time.Second, Reorder: 0.1}
}

// reach connects the public address to the next process that receives callbacks, as a balancer
// does. A serve receives them, too.
func (s *chaos) reach(ctx context.Context) (net.Conn, error) {
	all := s.all()
	for range all {
		address := all[int(s.turn.Add(1))%len(all)].current().Receives()
		if address == "" {
			continue // it is starting
		}
		if conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address); err == nil {
			return conn, nil
		}
	}
	return nil, errors.New("nothing receives callbacks")
}

// disturbReceivers plays the plan of the receivers, and counts what it played.
func (s *chaos) disturbReceivers(ctx context.Context) (map[plan.Fault]int, error) {
	played := make(map[plan.Fault]int)
	for _, step := range plan.OfReceivers(s.Seed, s.Receivers, s.ReceiverKills) {
		if err := s.await(ctx, step); err != nil {
			return played, err
		}
		if err := s.disturbReceiver(ctx, step); err != nil {
			return played, fmt.Errorf("%s: %w", step.Fault, err)
		}
		played[step.Fault]++
	}
	return played, nil
}

// disturbReceiver injects one fault of receivers.
func (s *chaos) disturbReceiver(ctx context.Context, step plan.Step) error {
	slot := s.receivers[step.Slot]
	switch step.Fault {
	case plan.KillReceiver:
		return s.killReceiver(ctx, slot, func(context.Context) bool { return slot.current().Kill() })
	case plan.KillAfterInsert:
		return s.killReceiver(ctx, slot, slot.cut.wait)
	case plan.TerminateReceiver:
		slot.current().Signal(syscall.SIGTERM)
	case plan.SuspendReceiver:
		p := slot.current()
		p.Signal(syscall.SIGSTOP)
		lasting(ctx, step.Lasts)
		p.Signal(syscall.SIGCONT)
	case plan.InboxReset:
		slot.database.Reset()
	case plan.InboxSwallow:
		slot.database.Swallow()
		lasting(ctx, step.Lasts)
		slot.database.Heal()
	case plan.InboxDelay:
		slot.database.Delay(late)
		lasting(ctx, step.Lasts)
		slot.database.Heal()
	case plan.PublicReset:
		s.bed.Public.Reset()
	case plan.PublicCut:
		s.bed.Public.Cut(step.Bytes)
	case plan.PublicSwallow:
		s.bed.Public.Swallow()
		lasting(ctx, step.Lasts)
		s.bed.Public.Heal()
	default: // the other faults concern no receiver
	}
	return nil
}

// lasting waits for the end of a fault.
func lasting(ctx context.Context, fault time.Duration) {
	timer := time.NewTimer(fault)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// killReceiver kills the process in a slot. It tries until it has killed one: it may have ended by
// itself, or be starting.
func (s *chaos) killReceiver(ctx context.Context, slot *slot, kill func(context.Context) bool) error {
	waiting, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	if !watch.Until(waiting, func() bool { return slot.current().Receives() != "" && kill(waiting) }) {
		return fmt.Errorf("nothing to kill in slot %d of the receivers: %w", slot.number, waiting.Err())
	}
	return nil
}

// cut kills the receiver of a slot between the insert of a callback and the answer: when the server
// has committed it, and before the receiver learns that.
type cut struct {
	kill func() bool

	mu    sync.Mutex
	lines map[int]*frontend.Stream
	// killed is closed at the kill; nil if none is wanted.
	killed chan struct{}
	// taking is the connection on which a callback is stored while a kill is wanted; 0 for none.
	taking int
}

// taken is in the statement that stores a callback.
const taken = "take_callback"

// tap sees the bytes between the receiver and the server.
func (c *cut) tap(connection int, fromClient bool, data []byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !fromClient {
		if c.killed == nil || c.taking != connection {
			return len(data)
		}
		if c.kill() {
			close(c.killed)
			c.killed = nil
		}
		c.taking = 0
		return 0
	}
	if c.lines == nil {
		c.lines = make(map[int]*frontend.Stream)
	}
	if c.lines[connection] == nil {
		c.lines[connection] = new(frontend.Stream)
	}
	for _, statement := range c.lines[connection].Read(data) {
		if c.killed != nil && strings.Contains(statement.SQL, taken) {
			c.taking = connection
		}
	}
	return len(data)
}

// wait wants a kill, and reports whether it happened before the context ended.
func (c *cut) wait(ctx context.Context) bool {
	killed := make(chan struct{})
	c.mu.Lock()
	c.killed = killed
	c.mu.Unlock()
	select {
	case <-killed:
		return true
	case <-ctx.Done():
		c.mu.Lock()
		defer c.mu.Unlock()
		c.killed, c.taking = nil, 0
		return false
	}
}
