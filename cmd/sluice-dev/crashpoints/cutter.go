package crashpoints

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// The moments of a kill: the call is never made, or it is made and its answer is lost.
const (
	before = "before"
	after  = "after"
)

// The edges: the lines on which points are counted. A statement inside a transaction has no effect by
// itself: the commit has.
const (
	toPostgres = "statement"
	inside     = "part of a transaction"
	toUpstream = "call"
)

// class is a kind of event at an edge: a statement by its text, a commit by the statement before
// it, a call by its address.
type class struct {
	Edge, What string
}

// point is one place for a kill: the nth event of a class. Counting within a class limits the
// influence of events that processes cause at irregular times.
type point struct {
	class

	Moment string
	Number int
}

// cutter counts the events at the edges of one process, and kills the process at a point. It is
// safe for concurrent use.
type cutter struct {
	at   point
	kill func()

	mu    sync.Mutex
	lines map[int]*line
	// seen counts the events that passed, hit says that the process was killed at its point.
	seen map[class]int
	hit  bool
}

// line is the state of one connection to Postgres: the last statement, whether it was inside a
// transaction, and whether the process dies at the next answer.
type line struct {
	stream stream
	last   string
	inside bool
	armed  bool
}

func newCutter(at point, kill func()) *cutter {
	return &cutter{at: at, kill: kill, lines: make(map[int]*line), seen: make(map[class]int)}
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
	for _, s := range l.stream.read(data) {
		if reads(s.sql) || !c.count(l.classify(s.sql)) {
			continue
		}
		if c.at.Moment == before {
			c.kill()
			return s.start
		}
		l.armed = true
	}
	return len(data)
}

// classify returns the class of a statement that writes, and tracks transactions.
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

// count counts one event of a class, and reports whether it is the point.
func (c *cutter) count(what class) bool {
	c.seen[what]++
	if what != c.at.class || c.seen[what] != c.at.Number {
		return false
	}
	c.hit = true
	return true
}

var digits = regexp.MustCompile(`\d{3,}`)

// kindOf returns the class of a call, without the parts that vary between calls of a kind.
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
