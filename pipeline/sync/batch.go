package sync

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/schema/record"
	"sluice/schema/redact"
)

// maxValues bounds the values of all rows of one answer. Absent values count, because they take
// memory, too.
const maxValues = 2_000_000

// batch normalizes a page. Records that do not fit are kept whole (invariant 4), as are records
// that clash. One answer is one state of the list, in which an identifier belongs to one record.
func (c *chunk) batch(ctx context.Context, page pipeline.Page, parent string) (pipeline.Batch, error) {
	batch := pipeline.Batch{Claim: c.claim, Call: page.Call, Received: len(page.Records), Turn: page.Turn}
	if page.Turn != nil { // one turn at most is open: upstream gives a turn when the one before it ended
		c.turn = page.Turn
	}
	at := make(map[string]int, len(page.Records))
	values := 0
	var others []record.Record
	err := c.records.Page(ctx, page.Records, parent, func(raw []byte, record record.Record, misfit error) error {
		if misfit != nil {
			batch.Rejected = append(batch.Rejected, RejectedRecord(raw, misfit))
			return nil
		}
		i, twice := at[record.ID]
		switch {
		case !twice:
			at[record.ID] = len(batch.Records)
			batch.Records = append(batch.Records, record)
		case bytes.Equal(batch.Records[i].Raw, record.Raw):
			batch.Duplicates++ // a list can show a record twice
		default:
			others = append(others, record)
		}
		if values += valuesOf(&record); values > maxValues {
			return &pipeline.Error{
				Kind: pipeline.Unexpected, Op: outside.Plain("rows of " + c.claim.Stream.String()),
				Detail: outside.Plainf("the records of one answer have more than %d values", maxValues),
			}
		}
		return nil
	})
	setApart(&batch, at, others)
	if err != nil {
		return batch, fmt.Errorf("read the records of %s: %w", c.claim.Stream, err)
	}
	return batch, nil
}

// valuesOf counts the values of all rows of a record.
func valuesOf(record *record.Record) int {
	values := 0
	for _, rows := range record.Tables {
		if len(rows) > 0 {
			values += len(rows) * len(rows[0].Values)
		}
	}
	return values
}

// setApart rejects all records of the batch that share an identifier with another record of it,
// also with a rejected one. The answer does not say to which of them the identifier belongs. Of
// different rejected records with one identifier, all but the first get the code of a clash: it
// tells that the answer is no evidence of absence. The map at has the identifiers of the batch.
func setApart(batch *pipeline.Batch, at map[string]int, others []record.Record) {
	clashing, kept := make(map[string]bool, len(others)), make(map[[sha256.Size]byte]bool, len(others))
	for i := range others {
		clashing[others[i].ID] = true
	}
	rejected := make(map[string][]byte, len(batch.Rejected))
	for i := range batch.Rejected {
		reject := &batch.Rejected[i]
		if _, twice := at[reject.ID]; twice {
			clashing[reject.ID] = true
		}
		if first, twice := rejected[reject.ID]; twice && reject.ID != "" && !bytes.Equal(first, reject.Raw) {
			*reject = clash(batch, reject.Raw, reject.ID)
		} else {
			rejected[reject.ID] = reject.Raw
		}
	}
	if len(clashing) == 0 {
		return
	}
	keep := func(record *record.Record) {
		hash := sha256.Sum256(record.Raw)
		if kept[hash] {
			batch.Duplicates++
			return
		}
		kept[hash] = true
		batch.Rejected = append(batch.Rejected, clash(batch, record.Raw, record.ID))
	}
	batch.Records = slices.DeleteFunc(batch.Records, func(record record.Record) bool {
		if clashing[record.ID] {
			keep(&record)
		}
		return clashing[record.ID]
	})
	for i := range others {
		keep(&others[i])
	}
}

// clash is the rejection of a record because of its identifier.
func clash(batch *pipeline.Batch, raw []byte, id string) pipeline.RejectedRecord {
	return pipeline.RejectedRecord{
		Raw: raw, ID: id, Code: pipeline.CodeClash, Path: batch.Claim.Stream.Resource.ID,
		Detail: "another record of the same answer has the same identifier",
	}
}

// RejectedRecord is what goes to quarantine of a record that does not fit: its bytes and the reason.
func RejectedRecord(raw []byte, err error) pipeline.RejectedRecord {
	if redact.Withheld(raw) {
		return pipeline.RejectedRecord{Raw: raw, Code: pipeline.CodeWithheld, Detail: "it is no JSON object, so that the columns that " +
			"the configuration leaves out could not be told from the others: nothing of it is kept"}
	}
	if misfit, ok := errors.AsType[*record.RejectedError](err); ok {
		return pipeline.RejectedRecord{Raw: raw, ID: misfit.ID, Code: string(misfit.Code), Path: misfit.Path, Detail: outside.Plain(misfit.Detail)}
	}
	return pipeline.RejectedRecord{Raw: raw, Code: string(record.CodeBadJSON), Detail: outside.Plain(err.Error())}
}

// errFlooded stops the reading of an answer.
var errFlooded = errors.New("too many records did not fit")

// flooded gives the end of a run in which too many records were rejected to read on, or nil. What
// the run loaded stays, its watermark does not move (invariant 1), and the next run knows what was
// rejected.
func (c *chunk) flooded(ctx context.Context) (*pipeline.End, error) {
	met, err := c.runner.Store.Refusals(ctx, c.claim)
	if err != nil || !met.Flood(c.runner.Rules) {
		return nil, err
	}
	return &pipeline.End{Outcome: pipeline.OutcomeProvisional, Note: "too many records did not fit: the rest was not read"}, nil
}
