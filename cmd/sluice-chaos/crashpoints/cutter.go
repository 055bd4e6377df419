package main

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sluice/cmd/sluice-chaos/frontend"
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

// The edges. A statement inside a transaction leaves nothing by itself: the commit does.
const (
	toPostgres edge = "statement"
	inside     edge = "part of a transaction"
	toUpstream edge = "call"
)

// class is a kind of thing that passes an edge: a statement by its text, a commit by the statement before it, a call by its address.
type class struct {
	Edge edge   `json:"edge"`
	What string `json:"what"`
}

// point is one place at which a process is killed: the nth thing of a class. Counting within a class makes little of
// what processes do now and then beside their work.
type point struct {
	class

	Moment moment `json:"moment"`
	Number int    `json:"number"`
}

// passage is how much passed, and whether the process was killed at its point.
type passage struct {
	count map[class]int
	hit   bool
}

// cutter counts what passes the edges of one process, and kills the process at a point. It is safe for concurrent use.
type cutter struct {
	at   point
	kill func()

	mu    sync.Mutex
	lines map[int]*line
	seen  passage
}

// line is one connection to Postgres: the last statement that it executed, whether that was inside a transaction, and whether
// its next answer is the end.
type line struct {
	stream frontend.Stream
	last   string
	inside bool
	armed  bool
}

func newCutter(at point, kill func()) *cutter {
	return &cutter{at: at, kill: kill, lines: make(map[int]*line), seen: passage{count: make(map[class]int)}}
}

// postgres returns the tap between the process and Postgres.
func (c *cutter) postgres(connection int, fromClient bool, data []byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.lines[connection]
	if l == nil {
		l = new(line)
		c.lines[connection] = l
	}
	if !fromClient {
		if l.armed {
			c.kill()
			return 0
		}
		return len(data)
	}
	for _, s := range l.stream.Read(data) {
		if frontend.Reads(s.SQL) || !c.count(l.classify(s.SQL)) {
			continue
		}
		if c.at.Moment == before {
			c.kill()
			return s.Start
		}
		l.armed = true
	}
	return len(data)
}

// classify gives the class of a statement that writes, and notes whether those behind it are inside a transaction.
func (l *line) classify(sql string) class {
	last := l.last
	l.last = sql
	switch strings.ToLower(sql) {
	case "begin":
		l.inside = true
	case "commit":
		l.inside = false
		return class{toPostgres, "commit of " + last}
	case "rollback":
		l.inside = false
		return class{inside, sql}
	}
	if l.inside {
		return class{inside, sql}
	}
	return class{toPostgres, sql}
}

// count counts one of a class, and says whether it is the point.
func (c *cutter) count(what class) bool {
	c.seen.count[what]++
	if what != c.at.class || c.seen.count[what] != c.at.Number {
		return false
	}
	c.seen.hit = true
	return true
}

var digits = regexp.MustCompile(`\d{3,}`)

// kindOf returns the class of a call: what varies between calls of a kind is left out.
func kindOf(r *http.Request) class {
	keys := slices.Sorted(maps.Keys(r.URL.Query()))
	return class{toUpstream, r.Method + " " + digits.ReplaceAllString(r.URL.Path, "N") + " " + strings.Join(keys, ",")}
}

// upstream is the tap before and after a call.
func (c *cutter) upstream(r *http.Request) (bool, func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	here := c.count(kindOf(r))
	if here && c.at.Moment == before {
		c.kill()
		return false, nil
	}
	return true, func() bool {
		if here {
			c.kill()
		}
		return !here
	}
}

// passed returns what has passed up to now.
func (c *cutter) passed() passage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return passage{maps.Clone(c.seen.count), c.seen.hit}
}
