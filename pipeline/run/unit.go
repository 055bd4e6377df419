package run

import (
	"errors"

	"sluice/pipeline"
	"sluice/schema/normalize"
)

// unit normalizes a page. What does not fit is kept whole (promise 4); of several
// versions of one record the newest stays, for a list can show a record twice.
func (c *chunk) unit(page pipeline.Page, parent string) pipeline.Unit {
	unit := pipeline.Unit{Claim: c.claim, Call: page.Call, Received: len(page.Records)}
	at := make(map[string]int, len(page.Records))
	for _, raw := range page.Records {
		record, err := c.normalizer.RecordUnder(raw, parent)
		if err != nil {
			unit.Rejects = append(unit.Rejects, reject(raw, err))
			continue
		}
		if i, twice := at[record.ID]; twice {
			unit.Duplicates++
			if !record.Modified.Before(unit.Records[i].Modified) {
				unit.Records[i] = record
			}
			continue
		}
		at[record.ID] = len(unit.Records)
		unit.Records = append(unit.Records, record)
	}
	return unit
}

func reject(raw []byte, err error) pipeline.Reject {
	if misfit, ok := errors.AsType[*normalize.ValueError](err); ok {
		return pipeline.Reject{Raw: raw, ID: misfit.ID, Code: string(misfit.Code), Path: misfit.Path, Detail: misfit.Detail}
	}
	return pipeline.Reject{Raw: raw, Code: string(normalize.CodeBadJSON), Detail: err.Error()}
}
