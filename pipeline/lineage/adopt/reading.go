package adopt

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/adoptions/foreign"
	"sluice/schema"
	"sluice/schema/record"
)

// reading reads the records of an origin, version by version, and makes batches of the newest ones.
type reading struct {
	match      Match
	resource   *schema.Resource
	shape      *shape
	normalizer *record.Normalizer
	// marker is the index of the array that complete records carry; 0 where lists are complete.
	marker int
	// now stands for the time of extraction where that is unknown.
	now time.Time

	batch warehouse.AdoptedBatch
	// places are where the records of the batch are, by identifier.
	places map[string]place
}

// place is where a record of the batch is.
type place struct {
	single bool
	index  int
}

// all gives the batches behind a key to load, until one fails.
func (r *reading) all(ctx context.Context, after string, load func(warehouse.AdoptedBatch) error) error {
	flush := func() error {
		if r.batch.Last == "" {
			return nil
		}
		batch := r.batch
		r.batch, r.places = warehouse.AdoptedBatch{}, nil
		return load(batch)
	}
	for {
		rows, err := r.match.Origin.Page(ctx, r.resource, after, pageRows)
		if err != nil {
			return err
		}
		versions := grouped(rows, len(rows) == pageRows)
		for _, of := range versions {
			r.add(of)
			after = of[0].Key
			if r.batch.Counts.Records+r.batch.Counts.Deleted >= batchRecords {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if len(rows) < pageRows {
			return flush()
		}
	}
}

// grouped puts the versions of each key together. Where the page is full, the last key may have
// further versions: it is left to the next page, unless it fills the page by itself.
func grouped(rows []foreign.Row, full bool) [][]foreign.Row {
	var groups [][]foreign.Row
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && rows[to].Key == rows[from].Key {
			to++
		}
		groups = append(groups, rows[from:to])
		from = to
	}
	if full && len(groups) > 1 {
		groups = groups[:len(groups)-1]
	}
	return groups
}

// add takes the newest of the versions of one key into the batch: the one that was read last, and
// of those that were read at the same instant the one that was modified last.
func (r *reading) add(versions []foreign.Row) {
	r.batch.Last = versions[0].Key
	r.batch.Counts.Older += int64(len(versions) - 1)
	newest := slices.DeleteFunc(slices.Clone(versions), func(row foreign.Row) bool {
		return row.Deleted || !row.Extracted.Equal(versions[0].Extracted)
	})
	if len(newest) == 0 {
		r.batch.Counts.Deleted++
		return
	}
	var best record.Record
	var misfit error
	found := false
	for i := range newest {
		raw := r.match.Stream.LeaveOut.Record(r.shape.of(newest[i].Data))
		one, err := r.normalizer.Record(raw)
		if err == nil && (!found || one.Modified.After(best.Modified)) {
			best, found = one, true
		}
		if i == 0 && err != nil {
			misfit = err
			newest[i].Data = raw
		}
	}
	extracted := newest[0].Extracted
	if extracted.IsZero() {
		extracted = r.now
	}
	r.batch.Span.See(extracted)
	r.batch.Counts.Records++
	if !found {
		r.batch.Rejected = append(r.batch.Rejected, rejected(newest[0].Data, misfit))
		return
	}
	if best.Modified.After(r.batch.Modified) && !best.Modified.After(extracted) { // a later one is impossible, and would carry the watermark away
		r.batch.Modified = best.Modified
	}
	r.put(&best)
}

// put puts a record into the batch. Two keys can be spellings of one identifier: then the record
// that was modified last counts.
func (r *reading) put(one *record.Record) {
	single := r.marker > 0 && one.Carries[r.marker]
	if at, twice := r.places[one.ID]; twice {
		r.batch.Counts.Records--
		r.batch.Counts.Older++
		if other := &r.records(at.single)[at.index]; at.single == single && one.Modified.After(other.Modified) {
			*other = *one
		}
		return
	}
	if r.places == nil {
		r.places = map[string]place{}
	}
	if single {
		r.batch.Counts.Whole++
		r.batch.Singles = append(r.batch.Singles, *one)
	} else {
		r.batch.Lists = append(r.batch.Lists, *one)
	}
	r.places[one.ID] = place{single: single, index: len(r.records(single)) - 1}
}

func (r *reading) records(single bool) []record.Record {
	if single {
		return r.batch.Singles
	}
	return r.batch.Lists
}

// rejected keeps a record whole, with the reason (invariant 4).
func rejected(raw []byte, err error) pipeline.RejectedRecord {
	if misfit, ok := errors.AsType[*record.RejectedError](err); ok {
		return pipeline.RejectedRecord{
			Raw: raw, ID: strings.TrimSpace(misfit.ID), Code: string(misfit.Code), Path: misfit.Path, Detail: outside.Plain(misfit.Detail),
		}
	}
	return pipeline.RejectedRecord{Raw: raw, Code: string(record.CodeBadJSON), Detail: outside.Plain(err.Error())}
}
