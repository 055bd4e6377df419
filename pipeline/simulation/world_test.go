package simulation_test

import (
	"math/rand/v2"
	"time"

	"sluice/pipeline"
	"sluice/schema"
)

// swarm is what a seed draws before its schedule: which kinds of actions and faults it has, and how
// often. A few kinds at a time find more bugs than all at once.
type swarm struct {
	cursor string
	// anchored says that the list is known to filter and to sort, so that it is read by keyset
	// paging.
	anchored bool
	headers  bool
	// long says that pages and lists are long enough for pages to overlap.
	long bool
	// wobbles says that each answer breaks ties anew. named says that the list is in the order of
	// names, which edits change, unless another order is requested.
	wobbles, named bool
	// batch is how many single records one call brings, by the declaration; zero means one by one.
	batch int
	// complete says that the list shows every record, so that absence from it is evidence. sweep
	// says that the list also has sweeps, backfill that it also has backfills.
	complete, sweep, backfill bool
	// look is how many more records a list has in which looks search for deletions; zero without
	// looks. backdates says that some records are created under an earlier time.
	look      int
	backdates bool
	perPage   int
	// fixed says that upstream ignores the requested page size.
	fixed bool
	// warm says that every stream has run once before the schedule begins.
	warm    bool
	workers int
	steps   int
	// faults and database are the faults in a thousand calls and in a thousand transactions.
	faults   [faultCount]uint64
	database uint64
	// crashes, zombies, suspends and writes are the weights of these actions.
	crashes, zombies, suspends, writes int
	kinds                              []kind
	// skew is the error of this process's clock, databaseSkew that of the database's clock; jumps
	// is the weight of jumping clocks.
	skew, databaseSkew time.Duration
	jumps              int
	// maxGone is the brake: TombstoneRules.MaxRows.
	maxGone int
	// forgets makes the store lose the records of one thing: a deliberate bug, to see that the
	// simulation finds it.
	forgets string
	// channel says how upstream tells of changes; mistake makes the store mistreat hints.
	channel channel
	mistake string
}

func draw(rng *rand.Rand) swarm {
	s := swarm{
		cursor:   []string{"since", "newest", "full"}[rng.IntN(3)],
		headers:  rng.IntN(2) == 0,
		complete: rng.IntN(3) > 0,
		backfill: rng.IntN(3) == 0,
		perPage:  1 + rng.IntN(5),
		fixed:    rng.IntN(4) == 0,
		warm:     rng.IntN(3) > 0,
		workers:  1 + rng.IntN(4),
		steps:    20 + rng.IntN(130),
		writes:   rng.IntN(5),
		maxGone:  rng.IntN(5),
	}
	s.sweep = s.complete && s.cursor != "full" && rng.IntN(2) == 0
	for f := faultRefused; f < faultGarbage; f++ {
		if rng.IntN(6) == 0 {
			s.faults[f] = uint64(1 + rng.IntN(300))
		}
	}
	if rng.IntN(4) == 0 {
		s.database = uint64(1 + rng.IntN(200))
	}
	for _, weight := range []*int{&s.crashes, &s.zombies, &s.suspends} {
		if rng.IntN(3) == 0 {
			*weight = 1 + rng.IntN(3)
		}
	}
	for k := kindInsert; k <= kindNameless; k++ {
		if rng.IntN(2) == 0 {
			s.kinds = append(s.kinds, k)
		}
	}
	if rng.IntN(4) == 0 {
		s.databaseSkew = time.Duration(rng.IntN(7200)-3600) * time.Second
	}
	// The program cannot detect two clocks that are wrong at the same time.
	if rng.IntN(4) == 0 && s.faults[faultClockAhead] == 0 {
		s.skew = time.Duration(rng.IntN(3600)-1800) * time.Second
		s.jumps = rng.IntN(3)
	}
	return s
}

// leastLong is the least page size of a long list, leastWobbly that of one that breaks ties anew in
// each answer.
const leastLong, leastWobbly = 5, 20

// mostBatch is larger than any batch.
const mostBatch = 6

// anchors draws from the seed alone, so that earlier schedules stay the same.
func (s *swarm) anchors(seed uint64) {
	s.anchored = s.cursor == "since" && mix(seed, "anchored", 0)%3 > 0
	if n := int(mix(seed, "batch", 0) % 8); s.headers && n > 1 && n < mostBatch {
		s.batch = n
	}
	if n := mix(seed, "look", 0); s.sweep && s.cursor == "since" && n%4 > 0 {
		s.look, s.backdates, s.perPage = 8+int(n/4%24), n/96%2 == 0, 3+int(n/192%4)
		s.maxGone, s.writes, s.kinds = s.maxGone+2, max(s.writes, 1), append(s.kinds, kindRemove)
	} else if mix(seed, "long", 0)%2 == 0 {
		s.long, s.perPage = true, leastLong+int(mix(seed, "pages", 0)%8)
		if s.wobbles = mix(seed, "wobbles", 0)%3 == 0; s.wobbles {
			// A list that breaks ties anew in each answer is at rest only if a page can hold all
			// records of a second. Otherwise the watermark waits.
			s.perPage, s.fixed = s.perPage+leastWobbly, false
		}
		s.named = mix(seed, "named", 0)%6 == 0
	}
	for k := kindRestore; k <= kindBackdated; k++ {
		if mix(seed, k.String(), 0)%3 == 0 {
			s.kinds = append(s.kinds, k)
		}
	}
	for f := faultGarbage; f < faultCount; f++ {
		if n := mix(seed, f.String(), 0); n%4 == 0 {
			s.faults[f] = 1 + n/4%300
		}
	}
}

// world is one schedule under way.
type world struct {
	seed    uint64
	swarm   swarm
	store   *store
	streams []*stream
	workers []*worker
	calls   int64
	commits uint64
	// skew is the present error of the clocks of processes.
	skew time.Duration
	// hints are what upstream told of; nil where it tells nothing.
	hints *hints
	// points counts the points that workers passed, faults the faults.
	points [pointCount]int
	faults [faultCount]int
	healed bool
	hash   uint64
	trace  func(format string, args ...any)
}

func newWorld(seed uint64, s swarm) *world {
	w := &world{
		seed: seed, swarm: s, skew: s.skew,
		store: &store{
			seen: map[string]int{}, rules: pipeline.DefaultRules(), absence: pipeline.DefaultTombstoneRules(), skew: s.databaseSkew,
		},
	}
	rules := &w.store.rules
	rules.PerPage, rules.Lag, rules.ChunkPages = s.perPage, lag, 1+int(seed%5)
	rules.Prefetch = 0 // package sync tests concurrent pages, on a clock of their own
	w.store.absence.MaxRows, w.store.forgets, w.store.mistake = s.maxGone, s.forgets, s.mistake
	w.inhabit(s)
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

// inhabit makes upstream with its first records, and the streams that read it.
func (w *world) inhabit(s swarm) {
	up := &upstream{
		now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), headers: s.headers, perPage: s.perPage, fixed: s.fixed, batched: s.batch > 0,
		asked: map[int64]time.Time{}, wobbles: s.wobbles, named: s.named,
	}
	first := w.seed / 7 % 9
	if s.long {
		first = 20 + w.seed/7%40
	}
	if s.wobbles {
		first += 40
	}
	for n := range first {
		up.insert(edition{lines: int(w.seed % 3)})
		if w.seed%5 > 0 || n%3 > 0 { // records tie in some worlds
			up.now = up.now.Add(time.Second)
		}
	}
	for n := range s.look {
		up.insert(edition{lines: n % 3})
		up.now = up.now.Add(time.Duration(n%4) * 500 * time.Millisecond) // some share a second
	}
	up.backdates = s.backdates
	up.now = up.now.Add(time.Hour)
	rows := &table{
		rows: map[string]*row{}, entries: map[string]*entry{}, swept: s.sweep, most: s.maxGone, evidence: map[string]*evidence{}, known: pipeline.Capabilities{}, deaf: w.seed%2 == 0,
	}
	if s.anchored {
		for _, c := range []pipeline.Capability{pipeline.CapabilityFilter, pipeline.CapabilityInclusive, pipeline.CapabilityAscending} {
			rows.known[c] = pipeline.Verdict{Capability: c, Answer: pipeline.AnswerYes, Source: pipeline.SourceProbed}
		}
	}
	read := func(work pipeline.Work) {
		of := pipeline.Stream{Organization: "1", Service: service, Resource: s.resource(), Work: work}
		w.streams = append(w.streams, &stream{Stream: of, table: rows, upstream: up, hidden: map[string]bool{}})
	}
	read(pipeline.WorkList)
	if s.backfill {
		read(pipeline.WorkBackfill)
	}
	if s.sweep {
		read(pipeline.WorkSweep)
		rows.sweep = w.streams[len(w.streams)-1]
	}
	if s.look > 0 {
		read(pipeline.WorkLook)
	}
	if s.channel.on {
		read(pipeline.WorkHinted)
		w.subscribe()
	}
	if s.headers { // last, because each of the others can set rows to pending
		read(pipeline.WorkDetails)
	}
}

var service = &schema.Service{Name: "test", Root: "/v1"}

// resources are the resources by their batch and their cursor; complete are the same with lists
// that show every record. Entire and completeEntire are those without details, whose lists show
// each record whole.
var (
	resources, complete    = things("", true), things("It shows all.", true)
	entire, completeEntire = things("", false), things("It shows all.", false)
)

// resource is what the streams of a swarm read.
func (s *swarm) resource() *schema.Resource {
	of, all := resources, complete
	if s.channel.on && !s.headers {
		of, all = entire, completeEntire
	}
	if s.complete {
		of = all
	}
	return of[s.batch][s.cursor]
}

func things(shows string, details bool) [mostBatch]map[string]*schema.Resource {
	var by [mostBatch]map[string]*schema.Resource
	for batch := range by {
		by[batch] = map[string]*schema.Resource{
			"since":  thingsBy(shows, schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "created_time"}),
			"newest": thingsBy(shows, schema.NewestFirst{Column: "last_modified_time", Sort: "last_modified_time", Created: "created_time"}),
			"full":   thingsBy(shows, schema.FullScan{Modified: "last_modified_time", Created: "created_time", Sort: "created_time"}),
		}
		for _, resource := range by[batch] {
			if !details {
				resource.Details = nil
			} else if batch > 0 {
				resource.Details.Batch = &schema.Batch{Path: "/thingdetails", Key: "things", Param: "thing_ids", Size: batch}
			}
		}
	}
	return by
}

func thingsBy(shows string, cursor schema.Cursor) *schema.Resource {
	return &schema.Resource{
		Name: "things", Doc: "A thing.", Path: "/things", Key: "things", ID: "thing_id", Cursor: cursor, Every: "1h", Complete: shows,
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

// mix is FNV-1a, without allocating memory.
func mix(h uint64, of string, n uint64) uint64 {
	const prime = 1099511628211
	for i := range len(of) {
		h = (h ^ uint64(of[i])) * prime
	}
	h = (h ^ n) * prime
	return h ^ h>>29
}

// chance returns a number that depends only on the seed and on its purpose. Earlier events do not
// affect it, so leaving out an action does not change the others.
func (w *world) chance(of string, n uint64) uint64 {
	h := mix(mix(w.seed^14695981039346656037, of, n), "", n>>32)
	h = (h ^ h>>32) * 0xd6e8feb86659fd93
	return h ^ h>>32
}

func (w *world) reserve() int64 {
	w.calls++
	return w.calls
}

// spell is how many seconds a lasting fault lasts.
const spell = 150

// faultOf returns the fault of a call.
func (w *world) faultOf(call int64) fault {
	if w.healed {
		return faultNone
	}
	for f := faultRefused; f < faultCount; f++ {
		when := uint64(call)
		if f >= faultGarbage { // these faults last for a spell
			when = uint64(w.streams[0].upstream.now.Unix() / spell)
		}
		if w.swarm.faults[f] > 0 && w.chance(f.String(), when)%1000 < w.swarm.faults[f] {
			w.faults[f]++
			w.note(f.String(), uint64(call))
			return f
		}
	}
	return faultNone
}

// databaseFault returns the error of a transaction; nil for none.
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

// bound returns the lower bound of a backfill; zero reads all.
func (w *world) bound(of *stream) time.Time {
	n := w.chance("bound", uint64(of.ends))
	if n%2 == 0 {
		return time.Time{}
	}
	return of.upstream.now.Add(-time.Duration(n/2%3600) * time.Second)
}

// passedPoint records that a worker passed a point, and lets some time pass.
func (w *world) passedPoint(p point) {
	w.points[p]++
	w.note(p.String(), uint64(w.calls))
	up := w.streams[0].upstream
	up.now = up.now.Add(time.Duration(w.chance("time", uint64(w.calls))%900) * time.Millisecond)
	w.listen()
}

// note adds to the trace and to its hash.
func (w *world) note(what string, n uint64) {
	w.hash = mix(w.hash, what, n)
	if w.trace != nil {
		w.trace("%s %d", what, n)
	}
}
