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
)

// maxValues bounds the values of all rows of one answer: absent ones take memory, too.
const maxValues = 2_000_000

// unit normalizes a page. What does not fit is kept whole (promise 4), as is what clashes:
// one answer is one state of the list, in which an identifier belongs to one record.
func (c *chunk) unit(ctx context.Context, page pipeline.Page, parent string) (pipeline.Unit, error) {
	unit := pipeline.Unit{Claim: c.claim, Call: page.Call, Received: len(page.Records), Turn: page.Turn}
	if page.Turn != nil { // at most one is not ended: the one before was, when this one began
		c.turn = page.Turn
	}
	at := make(map[string]int, len(page.Records))
	values := 0
	var others []record.Record
	err := c.records.Page(ctx, page.Records, parent, func(raw []byte, record record.Record, misfit error) error {
		if misfit != nil {
			unit.Rejects = append(unit.Rejects, reject(raw, misfit))
			return nil
		}
		i, twice := at[record.ID]
		switch {
		case !twice:
			at[record.ID] = len(unit.Records)
			unit.Records = append(unit.Records, record)
		case bytes.Equal(unit.Records[i].Raw, record.Raw):
			unit.Duplicates++ // a list can show a record twice
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
	setApart(&unit, at, others)
	if err != nil {
		return unit, fmt.Errorf("read the records of %s: %w", c.claim.Stream, err)
	}
	return unit, nil
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

// setApart takes all records out of the unit whose identifiers others have, too, be it one that does
// not fit: the answer does not say which of them an identifier belongs to. At has the identifiers of the unit.
func setApart(unit *pipeline.Unit, at map[string]int, others []record.Record) {
	clashing, kept := make(map[string]bool, len(others)), make(map[[sha256.Size]byte]bool, len(others))
	for i := range others {
		clashing[others[i].ID] = true
	}
	for i := range unit.Rejects {
		if _, twice := at[unit.Rejects[i].ID]; twice {
			clashing[unit.Rejects[i].ID] = true
		}
	}
	if len(clashing) == 0 {
		return
	}
	keep := func(record *record.Record) {
		hash := sha256.Sum256(record.Raw)
		if kept[hash] {
			unit.Duplicates++
			return
		}
		kept[hash] = true
		unit.Rejects = append(unit.Rejects, pipeline.Reject{
			Raw: record.Raw, ID: record.ID, Code: pipeline.CodeClash, Path: unit.Claim.Stream.Resource.ID,
			Detail: "another record of the same answer has the same identifier",
		})
	}
	unit.Records = slices.DeleteFunc(unit.Records, func(record record.Record) bool {
		if clashing[record.ID] {
			keep(&record)
		}
		return clashing[record.ID]
	})
	for i := range others {
		keep(&others[i])
	}
}

func reject(raw []byte, err error) pipeline.Reject {
	if misfit, ok := errors.AsType[*record.ValueError](err); ok {
		return pipeline.Reject{Raw: raw, ID: misfit.ID, Code: string(misfit.Code), Path: misfit.Path, Detail: outside.Plain(misfit.Detail)}
	}
	return pipeline.Reject{Raw: raw, Code: string(record.CodeBadJSON), Detail: outside.Plain(err.Error())}
}
