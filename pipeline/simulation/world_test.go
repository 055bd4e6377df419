package simulation_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"sluice/pipeline"
	"sluice/schema"
)

// swarm is what a seed draws before its schedule: which kinds of trouble there are
// at all, and how often. Few at a time find more than all at once.
type swarm struct {
	cursor  string
	headers bool
	// backfill says that the list is read again beside the scheduled runs.
	backfill bool
	perPage  int
	// warm says that all was read once before the schedule begins.
	warm    bool
	workers int
	steps   int
	// faults and database are per thousand calls and transactions.
	faults   [faultCount]uint64
	database uint64
	// crashes, zombies and writes are weights among the actions.
	crashes, zombies, writes int
	kinds                    []kind
	// skew is how far this process's clock is off.
	skew time.Duration
}

func draw(rng *rand.Rand) swarm {
	s := swarm{
		cursor:   []string{"since", "newest", "full"}[rng.IntN(3)],
		headers:  rng.IntN(2) == 0,
		backfill: rng.IntN(3) == 0,
		perPage:  1 + rng.IntN(4),
		warm:     rng.IntN(3) > 0,
		workers:  1 + rng.IntN(4),
		steps:    20 + rng.IntN(130),
		writes:   rng.IntN(5),
	}
	for f := faultRefused; f < faultCount; f++ {
		if rng.IntN(6) == 0 {
			s.faults[f] = uint64(1 + rng.IntN(300))
		}
	}
	if rng.IntN(4) == 0 {
		s.database = uint64(1 + rng.IntN(200))
	}
	if rng.IntN(3) == 0 {
		s.crashes = 1 + rng.IntN(3)
	}
	if rng.IntN(3) == 0 {
		s.zombies = 1 + rng.IntN(3)
	}
	for k := kindInsert; k <= kindPoison; k++ {
		if rng.IntN(2) == 0 {
			s.kinds = append(s.kinds, k)
		}
	}
	if rng.IntN(4) == 0 && s.faults[faultClockAhead] == 0 {
		s.skew = time.Duration(rng.IntN(3600)-1800) * time.Second
	}
	return s
}

// world is one schedule under way.
type world struct {
	seed    uint64
	swarm   swarm
	rules   pipeline.Rules
	store   *store
	streams []*stream
	workers []*worker
	calls   int64
	commits uint64
	healed  bool
	hash    uint64
	trace   func(format string, args ...any)
}

func newWorld(seed uint64, s swarm) *world {
	w := &world{seed: seed, swarm: s, store: &store{seen: map[string]int{}}, rules: pipeline.DefaultRules()}
	w.rules.PerPage, w.rules.Lag, w.rules.ChunkPages = s.perPage, lag, 1+int(seed%5)
	w.rules.Ahead = 0 // pages that overlap are tried on a clock of their own, in package run
	w.store.rules = w.rules
	up := &upstream{now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), headers: s.headers, perPage: s.perPage, asked: map[int64]time.Time{}}
	for range seed / 7 % 9 {
		up.insert(edition{lines: int(seed % 3)})
		up.now = up.now.Add(time.Second)
	}
	up.now = up.now.Add(time.Hour)
	rows := &table{rows: map[string]*row{}, rejects: map[string]bool{}, known: pipeline.Capabilities{}, deaf: seed%2 == 0}
	of := resources[s.cursor]
	list := pipeline.Stream{Organization: "1", Service: service, Resource: of}
	w.streams = append(w.streams, &stream{Stream: list, table: rows, upstream: up})
	if s.headers {
		list.Work = pipeline.WorkDetails
		w.streams = append(w.streams, &stream{Stream: list, table: rows, upstream: up})
	}
	if s.backfill {
		list.Work = pipeline.WorkBackfill
		w.streams = append(w.streams, &stream{Stream: list, table: rows, upstream: up})
	}
	for range s.workers {
		w.workers = append(w.workers, w.newWorker())
	}
	if s.warm {
		w.healed = true
		w.catchUp()
		w.healed = false
	}
	return w
}

var service = &schema.Service{Name: "test", Root: "/v1"}

var resources = map[string]*schema.Resource{
	"since":  things(schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "created_time"}),
	"newest": things(schema.NewestFirst{Column: "last_modified_time", Sort: "last_modified_time"}),
	"full":   things(schema.FullScan{Modified: "last_modified_time", Created: "created_time", Sort: "created_time"}),
}

func things(cursor schema.Cursor) *schema.Resource {
	return &schema.Resource{
		Name: "things", Doc: "A thing.", Path: "/things", Key: "things", ID: "thing_id", Cursor: cursor, Every: "1h",
		Single:  &schema.Single{Path: "/things/{id}", Key: "thing"},
		Details: &schema.Details{Marker: "lines"},
		Columns: []schema.Column{
			schema.ID("thing_id", "The thing."),
			schema.Int("value", "A stamp that no other version has."),
			schema.Time("created_time", "When it came."),
			schema.Time("last_modified_time", "When it changed."),
		},
		Children: []schema.Child{{Name: "lines", Doc: "A line of a thing.", Columns: []schema.Column{
			schema.ID("line_id", "The line."), schema.Int("stamp", "The stamp of its thing."),
		}}},
	}
}

// chance is a number that depends on the seed and on what it is for, and on nothing
// that happened before: leaving out an action does not change the others.
func (w *world) chance(of string, n uint64) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, w.seed, of, n)
	return h.Sum64()
}

func (w *world) reserve() int64 {
	w.calls++
	return w.calls
}

// faultOf is what goes wrong with a call.
func (w *world) faultOf(call int64) fault {
	if w.healed {
		return faultNone
	}
	for f := faultRefused; f < faultCount; f++ {
		if w.swarm.faults[f] > 0 && w.chance(f.String(), uint64(call))%1000 < w.swarm.faults[f] {
			w.store.seen["fault "+f.String()]++
			w.notef("call %d: %s", call, f)
			return f
		}
	}
	return faultNone
}

// databaseFault is what goes wrong with a transaction.
func (w *world) databaseFault() error {
	w.commits++
	n := w.chance("database", w.commits)
	if w.healed || n%1000 >= w.swarm.database {
		return nil
	}
	if n/1000%2 == 0 {
		w.store.seen["database away"]++
		return errDatabase
	}
	w.store.seen["commit ambiguous"]++
	return errAmbiguous
}

// take gives a worker the next ticket.
func (w *world) take() *stream {
	for i := range w.streams {
		of := w.streams[(i+int(w.calls))%len(w.streams)]
		if of.due && !of.held {
			of.due, of.held = false, true
			of.attempt++
			return of
		}
	}
	return nil
}

// fate is what becomes of a ticket whose chunk failed: it is tried again, or the
// run is given up.
func (w *world) fate(of *stream) {
	of.due = true
	if w.chance("fate", w.commits)%3 == 0 {
		of.run, of.position.Scan = 0, nil
		w.store.seen["run given up"]++
	}
}

func (w *world) passedPoint(point string) {
	w.store.seen["at "+point]++
	w.notef("worker %s", point)
	up := w.streams[0].upstream
	up.now = up.now.Add(time.Duration(w.chance("time", uint64(w.calls))%900) * time.Millisecond)
}

// note adds to the trace and to its hash.
func (w *world) notef(format string, args ...any) {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, format, args...)
	w.hash = w.hash*1099511628211 ^ h.Sum64()
	if w.trace != nil {
		w.trace(format, args...)
	}
}
