package main

import (
	"sync"

	"sluice/cmd/sluice/storm/frontend"
)

// moment says when a process is killed at a point.
type moment string

// The moments: what is asked for does not happen, or it happens and nobody hears of it.
const (
	before moment = "before"
	after  moment = "after"
)

// edge is the line on which points are counted.
type edge string

// The edges.
const (
	toPostgres edge = "statement"
	toUpstream edge = "call"
)

// point is one place at which a process is killed: the nth thing on an edge.
type point struct {
	Edge   edge   `json:"edge"`
	Moment moment `json:"moment"`
	Number int    `json:"number"`
}

// cutter counts what passes the edges of one process, and kills the process at a point. It is safe for concurrent use.
type cutter struct {
	at   point
	kill func()

	mu         sync.Mutex
	streams    map[int]*frontend.Stream
	statements int
	calls      int
	// armed is the connection whose next answer is the end.
	armed int
	// hit is what the point turned out to be; "" until it was reached.
	hit string
	// distinct are the statements that passed, and how often.
	distinct map[string]int
}

func newCutter(at point, kill func()) *cutter {
	return &cutter{at: at, kill: kill, streams: make(map[int]*frontend.Stream), distinct: make(map[string]int)}
}

// postgres is the tap between the process and Postgres.
func (c *cutter) postgres(connection int, fromClient bool, data []byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !fromClient {
		if c.armed == connection {
			c.kill()
			return 0
		}
		return len(data)
	}
	stream := c.streams[connection]
	if stream == nil {
		stream = new(frontend.Stream)
		c.streams[connection] = stream
	}
	for _, s := range stream.Read(data) {
		if frontend.Reads(s.SQL) {
			continue
		}
		c.statements++
		c.distinct[s.SQL]++
		if c.at.Edge != toPostgres || c.statements != c.at.Number {
			continue
		}
		c.hit = s.SQL
		if c.at.Moment == before {
			c.kill()
			return s.Start
		}
		c.armed = connection
	}
	return len(data)
}

// upstream is the tap before and after a call; it says whether the call is answered.
func (c *cutter) upstream(arrives bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if arrives {
		c.calls++
	}
	if c.at.Edge != toUpstream || c.calls != c.at.Number || c.hit != "" || arrives != (c.at.Moment == before) {
		return true
	}
	c.hit = "call"
	c.kill()
	return false
}

// passage is how much passed.
type passage struct {
	statements, calls int
	// distinct are the statements, and how often each passed.
	distinct map[string]int
	// hit is what the process was killed at; "" if it had ended before.
	hit string
}

func (c *cutter) seen() passage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return passage{c.statements, c.calls, c.distinct, c.hit}
}
