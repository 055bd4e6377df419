// Package sync is one run of one stream: the loop, in the ways in which a stream can be read. It
// says how any resource is copied and knows no resource by name.
//
// It never talks HTTP and never writes SQL: bytes come from a Source, rows and progress go to a
// Store.
//
// Start reading at Runner.Chunk, then at reader: the ways of reading. Package scan decides how the
// pages of a list make a whole.
package sync

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/sync/prefetch"
	"sluice/pipeline/sync/scan"
	"sluice/pipeline/sync/unchanged"
	"sluice/pipeline/sync/writebehind"
	"sluice/schema"
	"sluice/schema/record"
)

// Runner copies streams. It holds no state between chunks: the position of a stream is in the claim
// and goes back through the Store.
type Runner struct {
	Source Source
	Store  Store
	// Backlog says what runs over details and parents read next; it may be nil where there are
	// none.
	Backlog Backlog
	// Ranks says where rows have to stand in their list; it may be nil where there are no looks.
	Ranks Ranks
	// Allowance is how many calls one run over details or parents may spend before it begins no
	// further one. Nil, or zero calls, leaves the bound to the budget.
	Allowance func(pipeline.Stream) int
	// CountEvery is the least time between two counts of a list that is not read whole; nil, or zero,
	// counts none.
	CountEvery func(pipeline.Stream) time.Duration
	// Now is the process's clock. It bounds chunks and never decides about watermarks alone.
	Now func() time.Time
	// Normalizer gives what makes rows of the records of a resource; nil means record.New. A caller
	// that reads many small lists gives the same one again.
	Normalizer func(*schema.Resource, *time.Location) (*record.Normalizer, error)
	// Unchanged says which records of a list need not be normalized; may be nil.
	Unchanged UnchangedFinder
	// Rules are the figures of reading.
	Rules pipeline.Rules
	// Prefetch gives Rules.Prefetch for a stream, where streams differ; may be nil.
	Prefetch func(pipeline.Stream) int
	// Stopping, when closed, ends a chunk at the next page, or behind the pages that are already
	// under way.
	Stopping <-chan struct{}
}

// Chunk reads on from the claim's position, at most as far as the rules allow, and settles the job
// in its last transaction. Its errors are those of the source (*pipeline.Error), of the store, or
// of the context. Whatever was loaded before an error stays loaded, and the position says so.
func (r *Runner) Chunk(ctx context.Context, claim pipeline.Claim, settle pipeline.Settle) error {
	if claim.Position.WatermarkAhead(r.Now()) { // invariant 1: nothing is read from it
		return &pipeline.Error{Kind: pipeline.Denied, Detail: outside.Plainf("the watermark, %s, is later than a run left it: "+
			"what changed until then would be passed over; sluice sync %s.%s --reset-watermark reads from the last proven one",
			claim.Position.Watermark.Format(time.RFC3339), claim.Stream.Service.Name, claim.Stream.Key().Resource)}
	}
	compile := record.New
	if r.Normalizer != nil {
		compile = r.Normalizer
	}
	normalizer, err := compile(claim.Stream.Resource, claim.Stream.Org.Zone())
	if err != nil {
		return fmt.Errorf("prepare %s: %w", claim.Stream, err)
	}
	chunk := &chunk{
		runner:      r,
		claim:       claim,
		position:    claim.Position,
		records:     &unchanged.Reader{Normalizer: normalizer},
		settle:      settle,
		begun:       r.Now(),
		writeBehind: writebehind.New(r.Store),
	}
	chunk.prefetched = &prefetch.Pages{Source: r.Source, Behind: chunk.writeBehind}
	// Single records are requested because the rows lack them, so none is unchanged.
	if work := claim.Stream.Work; r.Unchanged != nil && work != pipeline.WorkDetails && work != pipeline.WorkHinted {
		chunk.records.Request = func(ctx context.Context, records []record.Record) error {
			return r.Unchanged.Unchanged(ctx, claim.Stream, records)
		}
	}
	defer func() { chunk.turn.End() }()
	defer chunk.prefetched.Drop()
	defer chunk.writeBehind.Wait()
	if chunk.position.Scan == nil {
		if r.CountEvery != nil && r.Ranks != nil {
			claim.CountEvery, claim.WholeAge = r.CountEvery(claim.Stream), r.Now().Sub(claim.Position.ScannedUntil)
		}
		chunk.position.Scan = scan.Plan(&claim, r.Rules)
	}
	if planned := chunk.position.Scan; planned.Spent == 0 { // also that of a backfill, from when it was asked for
		planned.Summing = planned.Counting && claim.Capabilities.Shows(pipeline.CapabilityTotal) && scan.Sums(&claim)
	}
	reader, err := chunk.reader()
	if err != nil {
		return err
	}
	return chunk.read(ctx, reader)
}

// chunk is one execution of Chunk.
type chunk struct {
	runner   *Runner
	claim    pipeline.Claim
	position pipeline.Position
	records  *unchanged.Reader
	settle   pipeline.Settle
	begun    time.Time
	pages    int
	// turn is the turn of the answer read last; if that answer was not loaded, the turn ends with
	// the chunk.
	turn *pipeline.Turn
	// prefetched are the pages under way beside the one that is being read; writeBehind are the
	// batches that are not loaded yet.
	prefetched  *prefetch.Pages
	writeBehind *writebehind.Batches
}

// read takes steps until the run ends or the chunk is full.
func (c *chunk) read(ctx context.Context, reader reader) error {
	for {
		scan := *c.position.Scan
		if scan.Count != nil { // the caller still holds the position before this step
			scan.Count = new(*scan.Count)
		}
		batch, err := reader.step(ctx, &scan)
		if err != nil {
			// The pages read before the error were paid for: load them.
			return cmp.Or(c.writeBehind.Flush(), err)
		}
		over, err := c.load(ctx, reader, batch, scan)
		if over || err != nil {
			return err
		}
	}
}

// load hands over a batch to be written with the position behind it, and says whether the chunk is
// over.
func (c *chunk) load(ctx context.Context, reader reader, batch pipeline.Batch, scan pipeline.Scan) (bool, error) {
	c.pages++
	if batch.End == nil && len(batch.Rejected) > 0 {
		var err error
		if batch.End, err = c.flooded(ctx); err != nil {
			return true, err
		}
		if batch.End != nil && scan.Parent != "" { // the next run begins with the other parents
			batch.Parent = leave(&scan, batch.End.Note)
		}
	}
	// Pages under way were paid for: a full chunk takes them, and requests no more.
	over := batch.End != nil || c.full() && !c.prefetched.Holds(c.request(&scan))
	entire(&scan, c.claim.Stream, batch.End)
	c.position = c.after(batch.End, scan)
	batch.Position = c.position
	if over {
		batch.Complete = c.settle.Completion(batch.End == nil)
	}
	most := 0
	if _, list := reader.(pages); list && !over {
		most = c.mostWriteBehind(&scan)
	}
	return over, c.writeBehind.Add(ctx, batch, most)
}

// after gives the position behind a batch. Invariant 1: the watermark moves only with the last
// batch of a clean run over all there is. It never passes upstream's clock at the start of the run
// minus the lag, and no value in a record moves it.
func (c *chunk) after(end *pipeline.End, scan pipeline.Scan) pipeline.Position {
	position := pipeline.Position{Watermark: c.position.Watermark, ScannedUntil: c.position.ScannedUntil}
	if end == nil {
		position.Scan = &scan
		return position
	}
	if end.Outcome != pipeline.OutcomeDone || scan.Partial || scan.Started.IsZero() {
		return position
	}
	if watermark := scan.Started.Add(-c.runner.Rules.LagFor(c.claim.Late)); watermark.After(position.Watermark) {
		position.Watermark = watermark
	}
	if scan.Started.After(position.ScannedUntil) {
		position.ScannedUntil = scan.Started
	}
	return position
}

func (c *chunk) full() bool {
	select {
	case <-c.runner.Stopping:
		return true
	default:
	}
	rules := c.runner.Rules
	return c.pages >= rules.ChunkPages || c.runner.Now().Sub(c.begun) >= rules.ChunkTime
}

// mostPrefetched is how many pages may be under way behind the one that is being read.
func (c *chunk) mostPrefetched() int {
	if c.runner.Prefetch != nil {
		return c.runner.Prefetch(c.claim.Stream)
	}
	return c.runner.Rules.Prefetch
}

// mostWriteBehind is how many batches may wait to be loaded while the scan goes on. Where pages are
// read in order it is one, because a kill repeats what is not loaded. Where pages are prefetched it
// is as many as may be under way, and batches count against these (invariant 6).
func (c *chunk) mostWriteBehind(unfinished *pipeline.Scan) int {
	most := c.mostPrefetched()
	return min(most, max(scan.Prefetching(unfinished, c.claim.Stream.Resource.Paging, most), 1))
}

// room is how many pages the chunk can still load behind the next one.
func (c *chunk) room() int {
	if c.full() {
		return 0
	}
	return c.runner.Rules.ChunkPages - c.pages - 1
}

// spent says that the run has made as many calls as it may.
func (c *chunk) spent(scan *pipeline.Scan) bool {
	if c.runner.Allowance == nil {
		return false
	}
	allowed := c.runner.Allowance(c.claim.Stream)
	return allowed > 0 && scan.Spent >= allowed
}

// class is the class of the run's calls. A list that does not filter or sort is read whole again
// and again. Its calls must not spend the share of the day kept for incremental runs of other
// lists.
func (c *chunk) class(unfinished *pipeline.Scan) pipeline.Class {
	again := c.claim.Stream.Work == pipeline.WorkList && c.claim.Stream.Resource.Swept() && !c.position.Watermark.IsZero()
	if again && unfinished.Mode == pipeline.ModeFull && scan.FallsBack(c.claim.Stream, c.claim.Capabilities) {
		return pipeline.ClassSweep
	}
	return pipeline.ClassOf(c.claim.Stream)
}

func (c *chunk) request(scan *pipeline.Scan) pipeline.Request {
	request := pipeline.Request{
		Stream:  c.claim.Stream,
		Class:   c.class(scan),
		Run:     c.claim.Run,
		Page:    scan.Page,
		PerPage: scan.PerPage,
		Token:   scan.Token,
		Parent:  scan.Parent,
		Counts:  scan.Counting,
		Sums:    scan.Summing,
	}
	request.From, request.To = scan.Windows.Bounds()
	switch cursor := c.claim.Stream.Resource.ListCursor().(type) {
	case schema.Since:
		switch {
		case scan.Counting && !scan.Bound.IsZero(): // all records are counted
		case scan.Mode == pipeline.ModeSince:
			request.Since = scan.Bound
		case scan.Mode == pipeline.ModeKeyset:
			request.Since, request.Sort, request.Order = scan.Keyset.From, cursor.Column, "A"
			if scan.Overlap.Size > 0 { // the pass of overlapping pages is at another one
				request.Page, request.PerPage = 1, scan.Overlap.Size
			}
		case scan.ByModification:
			request.Sort, request.Order = cursor.Column, "A"
		}
	case schema.NewestFirst:
		if scan.Mode == pipeline.ModeNewest {
			request.Sort, request.Order = cursor.Sort, "D"
		}
	case schema.FullScan:
		if cursor.Sort != "" {
			request.Sort, request.Order = cursor.Sort, "A"
		}
	}
	if scan.ByCreation && request.Sort == "" {
		request.Sort, request.Order = c.claim.Stream.Resource.Created(), "A"
	}
	return request
}

// Source is where records come from.
type Source interface {
	// Page reads one page of a list. Its errors are *pipeline.Error with a kind.
	Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error)
	// Export streams a list that comes as one body, in groups of records.
	Export(ctx context.Context, request pipeline.Request, each func(pipeline.Page) error) error
	// Details reads single records by their identifiers, as many at once as the resource's
	// declaration says. The page leaves out what upstream does not know: that is an answer, not an
	// error.
	Details(ctx context.Context, request pipeline.Request, ids []string) (pipeline.Page, error)
}

// Backlog says what a run that has no list of its own reads next.
type Backlog interface {
	// Pending gives at most limit identifiers of rows that need their single record, or of records
	// of which change notifications told, in the order in which they are read, and how many there
	// are in all. Place is that of the first of them: rows
	// that have waited long have places of their own. An identifier that was asked for is not given
	// again for a while, whatever the answer was.
	Pending(ctx context.Context, stream pipeline.Stream, place, limit int) (ids []string, total int, err error)
	// NextParent gives the parent whose list was read longest ago; "" if none is left. Parents that
	// were read or failed since the run began do not count. left is how many are left, with this
	// one.
	NextParent(ctx context.Context, claim pipeline.Claim) (parent string, left int, err error)
	// Control gives an identifier that upstream should know and that is not among ids, if a scan
	// missed one of ids; "" if it missed none of them, or if there is no such identifier.
	Control(ctx context.Context, stream pipeline.Stream, ids []string) (string, error)
}

// Ranks says where the live rows of a list stand in the order of their creation. Rows that a scan
// missed, and rows without a time of creation, do not count.
type Ranks interface {
	// Extent gives the number of rows, and how many of them a look may miss.
	Extent(ctx context.Context, stream pipeline.Stream) (rows, most int, err error)
	// Between gives how many rows were created before an instant, and the identifiers of those that
	// were created then or later, and before another instant. A zero instant is no bound.
	Between(ctx context.Context, stream pipeline.Stream, from, to time.Time) (before int, ids []string, err error)
	// Seen counts the records that the run of a claim was shown since upstream's count, Known those
	// that are known to exist.
	Seen(ctx context.Context, claim pipeline.Claim, count pipeline.Count) (pipeline.Seen, error)
	Known(ctx context.Context, claim pipeline.Claim, count pipeline.Count) (pipeline.Seen, error)
	// Halve gives the instant that cuts a part of a search in two, zero if it has only one, and the
	// tally of the rows from that on.
	Halve(ctx context.Context, stream pipeline.Stream, axis pipeline.Axis, part pipeline.Part) (time.Time, pipeline.Tally, error)
}

// Store is where rows and progress go.
type Store interface {
	// Load writes batches of one claim, in their order, in one transaction or, if the server
	// refuses that, in one each. The claim fences them. It returns pipeline.ErrLostClaim if another
	// worker claimed the stream, and writes nothing then. After another error some batches may be
	// loaded, each with all batches before it.
	Load(ctx context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error)
	// Refusals gives how many records the run of a claim received so far, and how many of them went
	// to quarantine as new ones.
	Refusals(ctx context.Context, claim pipeline.Claim) (pipeline.Refusals, error)
}

// UnchangedFinder finds records whose rows hold the same bytes already.
type UnchangedFinder interface {
	// Unchanged sets record.Record.Unchanged of those records of a list whose rows have their
	// payload hashes, and may set Seen of any. Records without a key are skipped.
	Unchanged(ctx context.Context, stream pipeline.Stream, records []record.Record) error
}
