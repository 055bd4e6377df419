// Package importer imports raw records that another program has read upstream: lines of JSON, one
// record a line. It makes no API calls. The records become rows and raw records as if a call had
// brought them, and lines that do not fit go to quarantine.
//
// It never replaces a row that is not older, moves no watermark, and concludes nothing from what is
// missing: the next run reads the list from the beginning. Package warehouse writes.
//
// Start reading at Run.
package importer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/sync"
	"sluice/pipeline/warehouse"
	"sluice/schema"
	"sluice/schema/record"
)

const (
	// batchLines and batchBytes are the lines that one transaction loads, and the size from which
	// on it loads fewer.
	batchLines = 500
	batchBytes = 8 << 20
	// fewRejected is the number of rejected lines up to which an import reads on, whatever their
	// share is.
	fewRejected = 1000
)

var (
	// ErrResource says that records of a resource cannot be imported.
	ErrResource = errors.New("records of this resource cannot be imported")
	// ErrNoRecord says that no line of the first batch has the key of the resource. Nothing was
	// written.
	ErrNoRecord = errors.New("no line is a record of the resource")
	// ErrManyRejected says that too many lines were rejected. The other lines that were read are
	// loaded.
	ErrManyRejected = errors.New("too many lines were rejected")
)

// Result counts what became of the lines of an import.
type Result struct {
	// Lines is the number of lines that are not empty.
	Lines int64 `json:"lines"`
	// Inserted, Updated, Unchanged, Superseded and Rejected add up to Lines, without erased
	// records. Superseded lines are not newer than their row or than another line. Rejected lines
	// are in quarantine.
	Inserted   int64 `json:"inserted"`
	Updated    int64 `json:"updated"`
	Unchanged  int64 `json:"unchanged"`
	Superseded int64 `json:"superseded"`
	Rejected   int64 `json:"rejected"`
	// WithDetails is the number of records that carry what only single records have. CallsSaved is
	// the number of calls for single records that are not needed because of them.
	WithDetails int64 `json:"with_details"`
	CallsSaved  int64 `json:"calls_saved"`
}

func (r *Result) add(loaded pipeline.Loaded) {
	r.Inserted += int64(loaded.Inserted)
	r.Updated += int64(loaded.Updated)
	r.Unchanged += int64(loaded.Unchanged)
	r.Superseded += int64(loaded.Superseded)
	r.Rejected += int64(loaded.Rejected)
}

// Options are the options of an import.
type Options struct {
	// Stream is the list that the lines are records of.
	Stream pipeline.Stream
	// File is the name of the file in messages and in explanations.
	File string
	// Dry writes nothing, and counts only lines, rejected lines and details.
	Dry bool
	// Now is the clock of the process.
	Now func() time.Time
	// Rules limit the share of rejected lines.
	Rules pipeline.Rules
	// Progress, if not nil, receives the number of lines so far.
	Progress func(lines int64)
}

// Run imports lines. If it is killed, the batches before are loaded, and the same import finds
// their rows unchanged (invariant 6). It returns ErrResource, ErrNoRecord, ErrManyRejected, or
// warehouse.ErrAtWork if a run of the list is open. The result counts what was loaded before an
// error.
func Run(ctx context.Context, db *warehouse.DB, lines io.Reader, options Options) (Result, error) {
	resource := options.Stream.Resource
	if why := unusable(resource); why != "" {
		return Result{}, fmt.Errorf("%w: %s: %s", ErrResource, options.Stream, why)
	}
	normalizer, err := record.New(resource, options.Stream.Org.Zone())
	if err != nil {
		return Result{}, fmt.Errorf("prepare %s: %w", options.Stream, err)
	}
	r := &reader{options: options, normalizer: normalizer, marker: markerOf(resource)}
	var result Result
	var work *warehouse.Import
	err = r.read(lines, func(b batch) error {
		if result.Lines == 0 && !b.named {
			return fmt.Errorf("%w: none of the first %d lines of %s has the key %s of %s", ErrNoRecord, b.lines, options.File, resource.ID, options.Stream)
		}
		var loaded pipeline.Loaded
		if !options.Dry {
			if work == nil {
				if work, err = db.BeginImport(ctx, options.Stream, options.File); err != nil {
					return err
				}
			}
			if loaded, err = work.Load(ctx, b.split(options.Now())); err != nil {
				return err
			}
		}
		result.Lines += b.lines
		result.Superseded += int64(b.duplicates)
		result.Rejected += int64(len(b.rejected))
		result.WithDetails += b.withDetails()
		result.add(loaded)
		if options.Progress != nil {
			options.Progress(result.Lines)
		}
		if result.Rejected > fewRejected {
			return manyRejected(result, options)
		}
		return ctx.Err()
	})
	result.CallsSaved = saved(resource, result.WithDetails)
	if err == nil && work != nil {
		err = work.End(ctx)
	}
	if err == nil {
		err = manyRejected(result, options)
	}
	return result, err
}

func manyRejected(result Result, options Options) error {
	if !options.Rules.TooManyRejected(result.Rejected, result.Lines) {
		return nil
	}
	return fmt.Errorf("%w: %d of the first %d of %s", ErrManyRejected, result.Rejected, result.Lines, options.File)
}

// unusable says why records of a resource cannot be imported; "" if they can.
func unusable(resource *schema.Resource) string {
	if cursor, under := resource.Cursor.(schema.PerParent); under && (cursor.Identifier != "" || resource.ToldByParent() == "") {
		return "they do not name their parent; sluice sync reads them"
	}
	if resource.Exported() {
		return "sluice sync reads all of them with one API call"
	}
	if _, snapshot := resource.Cursor.(schema.Snapshot); snapshot {
		return "sluice sync reads the only one with one API call"
	}
	return ""
}

// saved is the number of calls for single records that are not needed.
func saved(resource *schema.Resource, withDetails int64) int64 {
	if resource.Details == nil {
		return 0
	}
	atOnce := int64(max(resource.SinglesAtOnce(), 1))
	return (withDetails + atOnce - 1) / atOnce
}

// markerOf is the index of the array that complete records carry; 0 where lists are complete.
func markerOf(resource *schema.Resource) int {
	if resource.Details == nil {
		return 0
	}
	marker := slices.IndexFunc(resource.Tables(), func(t schema.Table) bool {
		return t.Depth() == 1 && t.Path[0] == resource.Details.Marker
	})
	return max(marker, 0)
}

// reader reads lines and makes batches of them.
type reader struct {
	options    Options
	normalizer *record.Normalizer
	// marker is the index of the array that complete records carry; 0 where lists are complete.
	marker int
	batch  batch
}

// batch holds the records of some lines, one for each identifier.
type batch struct {
	records    []entry
	at         map[string]int
	rejected   []pipeline.RejectedRecord
	lines      int64
	size       int
	first      int64
	last       int64
	duplicates int
	// named says that a line has an identifier.
	named bool
}

// entry is the record of a line. Single says that it carries what only single records have.
type entry struct {
	record.Record

	line   int64
	single bool
}

// read calls load for each batch of lines, until it returns an error.
func (r *reader) read(from io.Reader, load func(batch) error) error {
	lines := bufio.NewReader(from)
	for number := int64(1); ; number++ {
		text, err := lines.ReadBytes('\n')
		if text = bytes.TrimSpace(text); len(text) > 0 {
			r.add(number, text)
		}
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return fmt.Errorf("read %s after line %d: %w", r.options.File, number-1, err)
		}
		if r.batch.lines == batchLines || r.batch.size >= batchBytes || ended && r.batch.lines > 0 {
			b := r.batch
			r.batch = batch{}
			if err := load(b); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
	}
}

// add adds a line to the batch. Of several lines of one record it keeps the one that was modified
// last. Of equal ones it keeps the first, but prefers one with details.
func (r *reader) add(number int64, text []byte) {
	b := &r.batch
	if b.lines == 0 {
		b.first, b.at = number, map[string]int{}
	}
	b.lines, b.size, b.last = b.lines+1, b.size+len(text), number
	raw := r.options.Stream.LeaveOut.Record(text)
	one, err := r.normalizer.Record(raw)
	if err != nil {
		reject := sync.RejectedRecord(raw, err)
		reject.ID = strings.TrimSpace(reject.ID)
		b.named = b.named || reject.ID != ""
		reject.Detail = outside.Plain(warehouse.ImportedLine(r.options.File, number)) + reject.Detail
		b.rejected = append(b.rejected, reject)
		return
	}
	b.named = true
	e := entry{Record: one, line: number, single: r.marker > 0 && one.Carries[r.marker]}
	at, twice := b.at[one.ID]
	if !twice {
		b.at[one.ID] = len(b.records)
		b.records = append(b.records, e)
		return
	}
	b.duplicates++
	if order := one.Modified.Compare(b.records[at].Modified); order > 0 || order == 0 && e.single && !b.records[at].single {
		b.records[at] = e
	}
}

// withDetails is the number of records that carry what only single records have.
func (b *batch) withDetails() int64 {
	n := int64(0)
	for i := range b.records {
		if b.records[i].single {
			n++
		}
	}
	return n
}

// split is the batch as the warehouse loads it.
func (b *batch) split(now time.Time) warehouse.ImportBatch {
	out := warehouse.ImportBatch{
		Rejected: b.rejected, Lines: make(map[string]int64, len(b.records)), First: b.first, Last: b.last, Duplicates: b.duplicates, At: now,
	}
	for i := range b.records {
		e := &b.records[i]
		out.Lines[e.ID] = e.line
		if e.single {
			out.Singles = append(out.Singles, e.Record)
		} else {
			out.Lists = append(out.Lists, e.Record)
		}
	}
	return out
}
