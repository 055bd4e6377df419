package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/schema"
	"sluice/schema/normalize"
)

// Runner copies streams. It holds no state between chunks: where a stream stands
// is in the claim and goes back through the Store.
type Runner struct {
	Source Source
	Store  Store
	// Backlog says what runs over details and parents read next; it may be nil
	// where there are none.
	Backlog Backlog
	// Allowance is how many calls one run over details or parents may spend before it
	// begins no further one; nil, or zero calls, means that only the budget bounds it.
	Allowance func(Stream) int
	// Now is the process's clock. It bounds chunks and never decides about marks
	// alone.
	Now func() time.Time
	// Zone gives the time zone of an organization, for times without an offset.
	Zone func(organization string) *time.Location
	// Rules are the figures of reading.
	Rules Rules
	// Stopping, when closed, ends a chunk at the next page.
	Stopping <-chan struct{}
}

// Rules are the figures by which lists are read.
type Rules struct {
	// PerPage is the page size asked for. Source: upstream facts, "Paging".
	PerPage int
	// Lag is how long a write may take upstream until readers see it: a new mark
	// stays this far behind upstream's clock.
	Lag time.Duration
	// Overlap is what is read again below the mark; times upstream have one second
	// of resolution.
	Overlap time.Duration
	// MaxPasses is after how many passes a list that keeps shifting is given up
	// for this run.
	MaxPasses int
	// ChunkPages and ChunkTime bound one chunk.
	ChunkPages int
	ChunkTime  time.Duration
}

// DefaultRules are the figures that the measured procedures of
// docs/decisions/0007 were measured with.
func DefaultRules() Rules {
	return Rules{
		PerPage:    200,
		Lag:        5 * time.Minute,
		Overlap:    2 * time.Second,
		MaxPasses:  4,
		ChunkPages: 20,
		ChunkTime:  time.Minute,
	}
}

// Settle is called inside the last transaction of a chunk. More says that the
// run goes on in another chunk.
type Settle func(ctx context.Context, tx pgx.Tx, more bool) error

// Chunk reads on from where the claim stands, at most as far as the rules allow,
// and settles the job in its last transaction. Its errors are those of the
// source (*Error), of the store, or of the context; whatever was loaded before
// an error stays loaded, and the position says so.
func (r *Runner) Chunk(ctx context.Context, claim Claim, settle Settle) error {
	normalizer, err := normalize.New(claim.Stream.Resource, r.Zone(claim.Stream.Organization))
	if err != nil {
		return fmt.Errorf("prepare %s: %w", claim.Stream, err)
	}
	chunk := &chunk{
		runner:     r,
		claim:      claim,
		position:   claim.Position,
		normalizer: normalizer,
		order:      orderOf(claim.Stream.Resource),
		settle:     settle,
		begun:      r.Now(),
	}
	if chunk.position.Scan == nil {
		chunk.position.Scan = plan(claim.Stream, chunk.position.Mark, r.Rules)
	}
	reader, err := chunk.reader()
	if err != nil {
		return err
	}
	return chunk.read(ctx, reader)
}

// chunk is one execution of Chunk.
type chunk struct {
	runner     *Runner
	claim      Claim
	position   Position
	normalizer *normalize.Normalizer
	order      order
	settle     Settle
	begun      time.Time
	pages      int
}

// read takes steps until the run ends or the chunk is full.
func (c *chunk) read(ctx context.Context, reader reader) error {
	for {
		scan := *c.position.Scan
		unit, err := reader.step(ctx, &scan)
		if err != nil {
			return err
		}
		over, err := c.load(ctx, unit, scan)
		if over || err != nil {
			return err
		}
	}
}

// load writes a unit with the position behind it and says whether the chunk is over.
func (c *chunk) load(ctx context.Context, unit Unit, scan Scan) (bool, error) {
	c.pages++
	over := unit.End != nil || c.full()
	c.position = c.after(unit.End, scan)
	unit.Position = c.position
	if over {
		more := unit.End == nil
		unit.Complete = func(ctx context.Context, tx pgx.Tx) error { return c.settle(ctx, tx, more) }
	}
	_, err := c.runner.Store.Load(ctx, unit)
	return over, err
}

// after gives the position behind a unit. Promise 1: the mark moves only with
// the last unit of a clean run over all there is, never beyond upstream's clock at
// the start of the run minus the lag, and never because of a value in a record.
func (c *chunk) after(end *End, scan Scan) Position {
	position := Position{Mark: c.position.Mark}
	if end == nil {
		position.Scan = &scan
		return position
	}
	if end.Outcome != OutcomeDone || scan.Partial || scan.Started.IsZero() {
		return position
	}
	if mark := scan.Started.Add(-c.runner.Rules.Lag); mark.After(position.Mark) {
		position.Mark = mark
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

// spent says that the run made as many calls as it may.
func (c *chunk) spent(scan *Scan) bool {
	if c.runner.Allowance == nil {
		return false
	}
	allowed := c.runner.Allowance(c.claim.Stream)
	return allowed > 0 && scan.Spent >= allowed
}

func (c *chunk) ask(scan *Scan) Ask {
	ask := Ask{
		Stream:  c.claim.Stream,
		Class:   ClassOf(c.claim.Stream),
		Run:     c.claim.Run,
		Page:    scan.Page,
		PerPage: scan.PerPage,
		Token:   scan.Token,
		Parent:  scan.Parent,
	}
	switch cursor := listCursor(c.claim.Stream.Resource).(type) {
	case schema.Since:
		if scan.Mode == ModeSince {
			ask.Since = scan.Bound
		}
	case schema.NewestFirst:
		if scan.Mode == ModeNewest {
			ask.Sort, ask.Order = cursor.Sort, "D"
		}
	case schema.FullScan:
		if cursor.Sort != "" {
			ask.Sort, ask.Order = cursor.Sort, "A"
		}
	}
	return ask
}

// ClassOf is the class of work that a stream's scheduled runs are.
func ClassOf(stream Stream) Class {
	if stream.Work == WorkDetails {
		return ClassDetails
	}
	switch stream.Resource.Cursor.(type) {
	case schema.FullScan, schema.PerParent:
		return ClassSweep
	default:
		return ClassIncremental
	}
}
