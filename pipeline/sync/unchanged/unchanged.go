// Package unchanged makes records of the bytes of a page, and reads no further in those whose rows
// were made of the same bytes (docs/decisions/0022-payload-and-content-hashes).
//
// It decides about time alone: Reader and Plain come to the same rows, positions and counts. A list
// that is read again and has not changed takes a third longer by Plain, with items (0.33 of raw
// COPY for 0.45), and a tenth with bills; the goal is 1.
//
// Start reading at Pages, then Reader.Page.
package unchanged

import (
	"context"

	"sluice/schema/record"
)

const (
	// least is how many records a page has at least for the store to be asked about them: fewer are
	// normalized as fast.
	least = 16
	// sample is how many records, from the middle of a page, are asked about first where nothing
	// says yet that rows know the list: to ask in vain about all of a page costs an eighth of what
	// normalizing it does.
	sample = 12
	// rest is for how many pages the store is not asked after one of which less than half was
	// known.
	rest = 8
)

// Reader is Pages where rows know what they were made of. It is not safe for concurrent use.
type Reader struct {
	Normalizer *record.Normalizer
	// Request sets Known of those records whose rows have their fingerprints, and Seen of all that
	// it looked for. Records without a key are none.
	Request func(ctx context.Context, records []record.Record) error

	// sure says that at least half of the page that was asked about last was known.
	sure  bool
	pause int
}

// Page implements Pages: known records are as a glance shows them, all others normalized. Its error
// may be that of Ask.
func (r *Reader) Page(
	ctx context.Context, raws [][]byte, parent string, each func(raw []byte, record record.Record, misfit error) error,
) error {
	glances, err := r.peek(ctx, raws, parent)
	if err != nil {
		return err
	}
	for i, raw := range raws {
		if err := ctx.Err(); err != nil {
			return err
		}
		var record record.Record
		var misfit error
		if glances != nil && glances[i].Unchanged {
			record = glances[i]
		} else {
			record, misfit = r.Normalizer.RecordUnder(raw, parent)
			if glances != nil && glances[i].ID == record.ID {
				record.Seen = glances[i].Seen
			}
		}
		if err := each(raw, record, misfit); err != nil {
			return err
		}
	}
	return nil
}

// peek gives what is seen of each record at a glance, and which are known; nil if the store was not
// asked.
func (r *Reader) peek(ctx context.Context, raws [][]byte, parent string) ([]record.Record, error) {
	if len(raws) < least {
		return nil, nil
	}
	if r.pause > 0 {
		r.pause--
		return nil, nil
	}
	glances := make([]record.Record, len(raws))
	if !r.sure {
		from := (len(raws) - sample) / 2
		if err := r.request(ctx, raws[from:from+sample], parent, glances[from:]); err != nil || !r.sure {
			return glances, err
		}
	}
	return glances, r.request(ctx, raws, parent, glances)
}

// request sets the glances of some records, and whether they say that rows know the list.
func (r *Reader) request(ctx context.Context, raws [][]byte, parent string, glances []record.Record) error {
	glances = glances[:len(raws)]
	for i, raw := range raws {
		glances[i], _ = r.Normalizer.Peek(raw, parent)
	}
	if err := r.Request(ctx, glances); err != nil {
		return err
	}
	known := 0
	for i := range glances {
		if glances[i].Unchanged {
			known++
		}
	}
	if r.sure = known >= len(raws)/2; !r.sure {
		r.pause = rest
	}
	return nil
}
