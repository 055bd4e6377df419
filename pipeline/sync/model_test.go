package sync_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	gosync "sync"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
	"sluice/pipeline/sync"
	"sluice/schema"
	"sluice/schema/record"
)

// world is a small upstream on virtual time: one list with a resolution of one second, which
// changes between two pages.
type world struct {
	now     time.Time
	records []*thing
	nextID  int
	// perPage is the page size with which upstream answers; ignoreFilter and ignoreSort are what
	// live services were seen to do.
	perPage      int
	ignoreFilter bool
	ignoreSort   bool
	// totals adds the value to the records as their total.
	totals bool
	// exclusive makes the filter leave out its own instant, alone all others. timeless leaves the
	// first record without a modification time. lies says that the list is sorted as asked although
	// it is not.
	exclusive, alone, timeless, lies bool
	// sortsPages sorts each page as asked, and not the list.
	sortsPages bool
	// byToken makes the list go on by token: an offset, which shifts as pages do.
	byToken bool
	// most is how many records the list shows; zero shows all.
	most int
	// between is called before each page is answered.
	between func()
	asked   []pipeline.Request
	calls   int64
}

// unasked is the part of an upstream, a backlog and a store that a test does not ask; it rejects too
// little for a flood.
type unasked struct{}

func (unasked) Page(context.Context, pipeline.Request) (pipeline.Page, error) { panic("unasked") }

func (unasked) Export(context.Context, pipeline.Request, func(pipeline.Page) error) error {
	panic("unasked")
}

func (unasked) Details(context.Context, pipeline.Request, []string) (pipeline.Page, error) {
	panic("unasked")
}

func (unasked) Pending(context.Context, pipeline.Stream, int, int) ([]string, int, error) {
	panic("unasked")
}

func (unasked) Control(context.Context, pipeline.Stream, []string) (string, error) { panic("unasked") }

func (unasked) Seen(context.Context, pipeline.Claim, pipeline.Count) (pipeline.Seen, error) {
	panic("unasked")
}

// Between implements sync.Ranks.
//
//nolint:nonamedreturns // the names say which is which
func (unasked) Between(context.Context, pipeline.Stream, time.Time, time.Time) (before int, ids []string, err error) {
	panic("unasked")
}

// Known implements sync.Ranks.
func (unasked) Known(context.Context, pipeline.Claim, pipeline.Count) (pipeline.Seen, error) {
	panic("unasked")
}

// Halve implements sync.Ranks.
func (unasked) Halve(context.Context, pipeline.Stream, pipeline.Axis, pipeline.Part) (time.Time, pipeline.Tally, error) {
	panic("unasked")
}

func (unasked) NextParent(context.Context, pipeline.Claim) (string, int, error) { panic("unasked") }

func (unasked) Refusals(context.Context, pipeline.Claim) (pipeline.Refusals, error) {
	return pipeline.Refusals{}, nil
}

type thing struct {
	ID       string
	Value    int
	Created  time.Time
	Modified time.Time
}

const wireTime = "2006-01-02T15:04:05-0700"

func newWorld(n int) *world {
	w := &world{now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), perPage: 3}
	for range n {
		w.insert()
		w.now = w.now.Add(time.Second)
	}
	w.now = w.now.Add(time.Hour)
	return w
}

func (w *world) insert() {
	w.nextID++
	w.records = append(w.records, &thing{ID: fmt.Sprintf("%04d", w.nextID), Created: w.now, Modified: w.now})
}

func (w *world) edit(i int) {
	if len(w.records) > 0 {
		r := w.records[i%len(w.records)]
		r.Value++
		r.Modified = w.now
	}
}

func (w *world) remove(i int) {
	if len(w.records) > 0 {
		i %= len(w.records)
		w.records = slices.Delete(w.records, i, i+1)
	}
}

// Details implements sync.Source.
func (*world) Details(context.Context, pipeline.Request, []string) (pipeline.Page, error) {
	return pipeline.Page{}, errors.ErrUnsupported
}

// Page implements sync.Source.
func (w *world) Page(_ context.Context, request pipeline.Request) (pipeline.Page, error) {
	if w.between != nil {
		w.between()
	}
	w.asked = append(w.asked, request)
	w.calls++
	list := w.list(request)
	from := (request.Page - 1) * w.perPage
	if w.byToken && request.Token != "" {
		var err error
		if from, err = strconv.Atoi(request.Token); err != nil {
			return pipeline.Page{}, fmt.Errorf("token: %w", err)
		}
	}
	from = min(from, len(list))
	to := min(from+w.perPage, len(list))
	page := pipeline.Page{Call: w.calls, Date: w.now, More: to < len(list), PerPage: w.perPage, Sort: "created_time", Order: "D"}
	if w.byToken {
		if page.PerPage = 0; page.More {
			page.Token = strconv.Itoa(to)
		}
	}
	if request.Sort != "" && (!w.ignoreSort || w.lies) {
		page.Sort, page.Order = request.Sort, request.Order
	}
	if w.sortsPages && request.Sort != "" {
		sort.SliceStable(list[from:to], func(i, j int) bool { return list[from+i].Modified.Before(list[from+j].Modified) })
	}
	for _, r := range list[from:to] {
		wire := map[string]any{
			"thing_id": r.ID, "value": r.Value,
			"created_time": r.Created.Format(wireTime), "last_modified_time": r.Modified.Format(wireTime),
		}
		if w.totals {
			wire["total"] = r.Value
		}
		if w.timeless && r == w.records[0] {
			delete(wire, "last_modified_time")
		}
		raw, err := json.Marshal(wire)
		if err != nil {
			return pipeline.Page{}, fmt.Errorf("encode: %w", err)
		}
		page.Records = append(page.Records, raw)
	}
	return page, nil
}

// list is what upstream would answer, in its order.
func (w *world) list(request pipeline.Request) []*thing {
	var list []*thing
	for _, r := range w.records {
		since := request.Since.Truncate(time.Second)
		if !w.ignoreFilter && (r.Created.Before(request.From) || !request.To.IsZero() && !r.Created.Before(request.To.AddDate(0, 0, 1))) {
			continue
		}
		if w.ignoreFilter || request.Since.IsZero() || !w.alone && r.Modified.After(since) || !w.exclusive && r.Modified.Equal(since) {
			list = append(list, r)
		}
	}
	key := func(r *thing) time.Time { return r.Created }
	if request.Sort == "last_modified_time" && !w.ignoreSort {
		key = func(r *thing) time.Time { return r.Modified }
	}
	sort.SliceStable(list, func(i, j int) bool {
		if request.Order == "A" && !w.ignoreSort {
			return key(list[i]).Before(key(list[j]))
		}
		return key(list[i]).After(key(list[j]))
	})
	if w.most > 0 {
		list = list[:min(w.most, len(list))]
	}
	return list
}

// Export implements sync.Source.
func (w *world) Export(ctx context.Context, request pipeline.Request, each func(pipeline.Page) error) error {
	for request.Page = 1; ; request.Page++ {
		page, err := w.Page(ctx, request)
		if err != nil {
			return err
		}
		if err := each(page); err != nil || !page.More {
			return err
		}
	}
}

// memory is a warehouse in memory, with the one rule that matters here: an older version never
// overwrites a newer one.
type memory struct {
	mu       gosync.Mutex
	rows     map[string]record.Record
	position pipeline.Position
	ends     []pipeline.End
	units    int
	rejects  []pipeline.RejectedRecord
	// received counts the records of each run. refused has, for each record that did not fit, the
	// run that met it first.
	received map[int64]int64
	refused  map[string]int64
	// shown is the last call that showed a record; counts are upstream's counts at the ends of runs.
	shown  map[string]int64
	counts []*pipeline.Count
	// observed are the verdicts that answers showed.
	observed []pipeline.Verdict
	// read is the run in which a parent was read or skipped, order is the order of these, failed is
	// why a parent was skipped.
	read   map[string]int64
	order  []string
	failed map[string]string
	// failAfter makes the n-th load from now fail as in a killed process: the batch is not written.
	failAfter int
	// known counts the records found unchanged.
	known int
	// lasts is how long a transaction takes; together is the largest number of batches that one
	// transaction had.
	lasts    time.Duration
	together int
}

// Load implements sync.Store.
func (m *memory) Load(ctx context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error) {
	if m.lasts > 0 {
		<-time.After(m.lasts) // of virtual time
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.failAfter > 0 {
		m.failAfter--
		if m.failAfter == 0 {
			return pipeline.Loaded{}, errKilled
		}
	}
	m.together = max(m.together, len(batches))
	for _, batch := range batches {
		if err := m.take(ctx, batch); err != nil {
			return pipeline.Loaded{}, err
		}
	}
	return pipeline.Loaded{}, nil
}

// Refusals implements sync.Store.
func (m *memory) Refusals(_ context.Context, claim pipeline.Claim) (pipeline.Refusals, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	met := pipeline.Refusals{Received: m.received[claim.Run]}
	for _, run := range m.refused {
		if run == claim.Run {
			met.Refused++
		}
	}
	return met, nil
}

func (m *memory) take(ctx context.Context, batch pipeline.Batch) error {
	m.received[batch.Claim.Run] += int64(batch.Received)
	for _, reject := range batch.Rejected {
		if _, known := m.refused[string(reject.Raw)]; !known {
			m.refused[string(reject.Raw)] = batch.Claim.Run
		}
	}
	if batch.Complete != nil {
		if err := batch.Complete(ctx, nil); err != nil {
			return err
		}
	}
	m.units++
	for _, record := range batch.Records {
		if record.Unchanged {
			continue // its row stays as it is
		}
		if old, known := m.rows[record.ID]; !known || !record.Modified.Before(old.Modified) {
			m.rows[record.ID] = record
		}
	}
	for i := range batch.Records {
		m.shown[batch.Records[i].ID] = batch.Call
	}
	if batch.Count != nil {
		m.counts = append(m.counts, batch.Count)
	}
	m.rejects = append(m.rejects, batch.Rejected...)
	m.observed = append(m.observed, batch.Observed...)
	if batch.Parent != nil {
		m.read[batch.Parent.ID] = batch.Claim.Run
		m.failed[batch.Parent.ID] = string(batch.Parent.Failed)
		m.order = append(m.order, batch.Parent.ID)
	}
	m.position = deepCopy(batch.Position)
	if batch.End != nil {
		m.ends = append(m.ends, *batch.End)
	}
	return nil
}

// deepCopy sends a position through JSON, as the table that holds it does.
func deepCopy(p pipeline.Position) pipeline.Position {
	raw, err := json.Marshal(p) //nolint:musttag // only the scan is stored as JSON, and it has its tags
	if err != nil {
		panic(err)
	}
	var out pipeline.Position
	if err := json.Unmarshal(raw, &out); err != nil { //nolint:musttag // as above
		panic(err)
	}
	return out
}

type killed struct{}

func (killed) Error() string { return "killed" }

var errKilled = killed{}

func resource(cursor schema.Cursor) *schema.Resource {
	return &schema.Resource{
		Name: "things", Doc: "A thing.", Path: "/things", Key: "things", ID: "thing_id", Cursor: cursor, Every: "1h",
		Columns: []schema.Column{
			schema.ID("thing_id", "The thing."),
			schema.Int("value", "What it is worth."),
			schema.Time("created_time", "When it came."),
			schema.Time("last_modified_time", "When it changed."),
		},
	}
}

func cursors() map[string]schema.Cursor {
	return map[string]schema.Cursor{
		"since":  schema.Since{Column: "last_modified_time", Param: "last_modified_time", Created: "created_time"},
		"newest": schema.NewestFirst{Column: "last_modified_time", Sort: "last_modified_time"},
		"full":   schema.FullScan{Modified: "last_modified_time", Created: "created_time", Sort: "created_time"},
	}
}

// fixture is a runner over a world and a memory.
type fixture struct {
	world  *world
	memory *memory
	runner *sync.Runner
	stream pipeline.Stream
	// chunks counts the chunks begun, mores those that ended with more to read.
	chunks, mores int
	// number is that of the run.
	number int64
	// known and late are the claim's Capabilities and Late.
	known pipeline.Capabilities
	late  time.Duration
	// age is the claim's CountAge.
	age time.Duration
}

func newFixture(w *world, cursor schema.Cursor) *fixture {
	return newRigOf(w, resource(cursor))
}

func newRigOf(w *world, resource *schema.Resource) *fixture {
	rules := pipeline.DefaultRules()
	rules.PerPage = w.perPage
	rules.Lag = 5 * time.Second
	rules.Prefetch = 0 // a world answers one request at a time; prefetch_test.go has one for several
	r := &fixture{world: w, memory: &memory{
		rows: map[string]record.Record{}, read: map[string]int64{}, failed: map[string]string{},
		received: map[int64]int64{}, refused: map[string]int64{}, shown: map[string]int64{},
	}}
	r.stream = pipeline.Stream{Organization: "1", Service: &schema.Service{Name: "test", Root: "/v1"}, Resource: resource}
	r.runner = &sync.Runner{
		Source: w, Store: r.memory, Rules: rules,
		Now: func() time.Time { return w.now },
	}
	return r
}

// run works chunks until the run ends; a kill is followed by a new claim.
func (r *fixture) run(ctx context.Context) error {
	r.number++
	for {
		ends := len(r.memory.ends)
		r.chunks++
		claim := pipeline.Claim{Stream: r.stream, Run: r.number, Position: deepCopy(r.memory.position), Capabilities: r.known, Late: r.late, CountAge: r.age}
		err := r.runner.Chunk(ctx, claim, func(_ context.Context, _ pgx.Tx, more bool) error {
			if more {
				r.mores++
			}
			return nil
		})
		switch {
		case err == errKilled: //nolint:errorlint // a value of our own
			continue
		case err != nil:
			return err
		case len(r.memory.ends) > ends:
			return nil
		}
	}
}

// passed lists live things that the watermark passed and that the memory does not hold in the
// version that they had then (invariant 1). Keys begin with prefix.
func (r *fixture) passed(w *world, prefix string) []string {
	var out []string
	for _, t := range w.records {
		row, ok := r.memory.rows[prefix+t.ID]
		if !t.Modified.After(r.memory.position.Watermark) && (!ok || row.Modified.Before(t.Modified)) {
			out = append(out, prefix+t.ID)
		}
	}
	return out
}

// missing lists live things that the memory does not hold in their last version.
func (r *fixture) missing() []string {
	var out []string
	for _, t := range r.world.records {
		row, ok := r.memory.rows[t.ID]
		if !ok || row.Tables[0][0].Values[1].Text != fmt.Sprint(t.Value) {
			out = append(out, t.ID)
		}
	}
	return out
}
