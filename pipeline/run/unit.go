package run

import (
	"context"
	"errors"
	"fmt"

	"sluice/pipeline"
	"sluice/schema/normalize"
)

// unit normalizes a page. What does not fit is kept whole (promise 4); of several
// versions of one record the newest stays, for a list can show a record twice.
func (c *chunk) unit(ctx context.Context, page pipeline.Page, parent string) (pipeline.Unit, error) {
	unit := pipeline.Unit{Claim: c.claim, Call: page.Call, Received: len(page.Records)}
	at := make(map[string]int, len(page.Records))
	err := c.records.Page(ctx, page.Records, parent, func(raw []byte, record normalize.Record, misfit error) {
		if misfit != nil {
			unit.Rejects = append(unit.Rejects, reject(raw, misfit))
			return
		}
		if i, twice := at[record.ID]; twice {
			unit.Duplicates++
			if !record.Modified.Before(unit.Records[i].Modified) {
				unit.Records[i] = record
			}
			return
		}
		at[record.ID] = len(unit.Records)
		unit.Records = append(unit.Records, record)
	})
	if err != nil {
		return unit, fmt.Errorf("what is known of %s: %w", c.claim.Stream, err)
	}
	return unit, nil
}

func reject(raw []byte, err error) pipeline.Reject {
	if misfit, ok := errors.AsType[*normalize.ValueError](err); ok {
		return pipeline.Reject{Raw: raw, ID: misfit.ID, Code: string(misfit.Code), Path: misfit.Path, Detail: misfit.Detail}
	}
	return pipeline.Reject{Raw: raw, Code: string(normalize.CodeBadJSON), Detail: err.Error()}
}
