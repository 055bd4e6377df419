// Package adopt takes over the records that another program has read upstream: from the tables that
// Airbyte, Fivetran or a Singer target filled, or from files. It makes no call. The records become
// rows and raw records as if a call had brought them, and what does not fit is in quarantine.
//
// It never replaces a row that is not older, and concludes nothing from what is missing: the sweep
// that follows finds holes and deletions. Package foreign of warehouse/adoptions reads the tables,
// package warehouse writes.
//
// Start reading at Find, then Run.
package adopt

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/adoptions"
	"sluice/pipeline/warehouse/adoptions/foreign"
	"sluice/schema"
	"sluice/schema/record"
)

const (
	// pageRows is how many versions are read at once, batchRecords how many records one transaction
	// writes.
	pageRows     = 3000
	batchRecords = 500
	// margin is how far the watermark stays below what the other program can have read. It covers
	// clocks, writes that became visible late, and edits while its last sync was reading.
	margin = 24 * time.Hour
	// fewRejected is how many records may be rejected before their share is looked at.
	fewRejected = 1000
)

// ErrFlood says that most records do not fit: the table is not what it is taken for.
var ErrFlood = errors.New("too many records do not fit: the rest was left alone (sluice quarantine list)")

// Origin is a table or a file with the records of one stream of another program.
type Origin interface {
	// String names it in messages, Stream is the other program's name for the records.
	String() string
	Stream() string
	// Unusable says why its records cannot be adopted; "" if they can.
	Unusable() string
	// Losses say what of the records is lost already.
	Losses() []string
	// Typed says that absent keys cannot be told from null.
	Typed() bool
	// Figures says what is known of the whole.
	Figures(ctx context.Context, resource *schema.Resource) (foreign.Figures, error)
	// Page returns the next versions behind a key, in the order of keys, and of one key the version
	// first that was read last.
	Page(ctx context.Context, resource *schema.Resource, after string, limit int) ([]foreign.Row, error)
}

// Match is an origin with the stream that its records are adopted into.
type Match struct {
	Origin Origin
	Stream pipeline.Stream
	// Figures are those of the origin.
	Figures foreign.Figures
}

// Result is the result for one stream.
type Result struct {
	adoptions.Counts

	// Watermark is the one that the stream got, Withheld why it got none although records say up to
	// when they go.
	Watermark time.Time
	Withheld  outside.Text
	// Resumed says that an earlier adoption went on.
	Resumed bool
	// Saved is how many calls for single records are not needed.
	Saved int64
}

// Options say how an adoption is made.
type Options struct {
	// Source is the name of the other program, or jsonl.
	Source string
	// Again adopts into a stream that has a position.
	Again bool
	// Dry writes nothing.
	Dry bool
	// Now is the clock of the process. It stands for the time of extraction where that is unknown.
	Now func() time.Time
	// Rules say how many records may be rejected.
	Rules pipeline.Rules
	// Progress, if not nil, gets the number of records so far.
	Progress func(n int64)
}

// Run adopts the records of a match. After a kill the same call goes on behind the last batch
// (invariant 6). It returns warehouse.ErrAtWork if a run of the stream is open,
// warehouse.ErrPosition if the stream was copied or adopted before, and ErrFlood if most records do
// not fit.
func Run(ctx context.Context, db *warehouse.DB, match Match, options Options) (Result, error) {
	resource := match.Stream.Resource
	normalizer, err := record.New(resource, match.Stream.Org.Zone())
	if err != nil {
		return Result{}, fmt.Errorf("prepare %s: %w", match.Stream, err)
	}
	reading := &reading{
		match: match, resource: resource, shape: newShape(resource, match.Origin.Typed()), normalizer: normalizer, marker: markerOf(resource),
		now: options.Now(),
	}
	if options.Dry {
		return plan(ctx, reading, options)
	}
	work, err := db.BeginAdoption(ctx, match.Stream, options.Source, match.Origin.String(), options.Again)
	if err != nil {
		return Result{}, err
	}
	result := func() Result {
		return Result{Counts: work.Counts(), Resumed: work.Resumed, Saved: saved(resource, work.Counts().Whole)}
	}
	err = reading.all(ctx, work.After(), func(batch warehouse.AdoptedBatch) error {
		if err := work.Load(ctx, batch); err != nil {
			return err
		}
		counts := work.Counts()
		if options.Progress != nil {
			options.Progress(counts.Records)
		}
		if counts.Rejected > fewRejected && options.Rules.TooManyRejected(counts.Rejected, counts.Records) {
			return ErrFlood
		}
		return nil
	})
	if err != nil {
		return result(), err
	}
	ended, err := work.End(ctx, watermark(match, work.ModifiedUntil(), work.ExtractedUntil()), work.ExtractedUntil(), note(match, options.Source))
	all := result()
	all.Watermark, all.Withheld = ended.Watermark, ended.Withheld
	return all, err
}

// plan is a dry run: records are read and normalized, and nothing is written. It cannot know which
// of them the rows already have.
func plan(ctx context.Context, reading *reading, options Options) (Result, error) {
	var result Result
	var modified time.Time
	var span adoptions.Span
	err := reading.all(ctx, "", func(batch warehouse.AdoptedBatch) error {
		batch.Counts.Rejected = int64(len(batch.Rejected))
		result.Add(batch.Counts)
		if batch.Modified.After(modified) {
			modified = batch.Modified
		}
		span.See(batch.Span.Until)
		if options.Progress != nil {
			options.Progress(result.Records)
		}
		return nil
	})
	result.Saved = saved(reading.resource, result.Whole)
	result.Watermark = watermark(reading.match, modified, span.Until)
	return result, err
}

// note is what the run says about itself.
func note(match Match, source string) outside.Text {
	return outside.Plain(fmt.Sprintf("adopted from %s, %s, without a call; a sweep is due, which finds what is missing", source, match.Origin))
}

// watermark is the instant up to which the stream can be taken for complete, as far as a watermark
// can tell: the least of the latest modification time and the beginning of the other program's last
// sync, less a margin. What was modified later is read again. A list that is read whole by each run
// gets none.
func watermark(match Match, modified, extracted time.Time) time.Time {
	if !match.Stream.Resource.Swept() || modified.IsZero() {
		return time.Time{}
	}
	least := modified
	for _, other := range []time.Time{extracted, match.Figures.LastBegan} {
		if !other.IsZero() && other.Before(least) {
			least = other
		}
	}
	return least.Add(-margin).UTC().Truncate(time.Second)
}

// saved is how many calls for single records are not needed.
func saved(resource *schema.Resource, whole int64) int64 {
	if resource.Details == nil {
		return 0
	}
	atOnce := int64(max(resource.SinglesAtOnce(), 1))
	return (whole + atOnce - 1) / atOnce
}

// markerOf is the index of the array that complete records carry; 0 where lists are complete.
func markerOf(resource *schema.Resource) int {
	if resource.Details == nil {
		return 0
	}
	tables := resource.Tables()
	for i := range tables {
		if tables[i].Depth() == 1 && tables[i].Path[0] == resource.Details.Marker {
			return i
		}
	}
	return 0
}
