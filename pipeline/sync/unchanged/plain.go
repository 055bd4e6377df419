package unchanged

import (
	"context"

	"sluice/schema/record"
)

// Pages makes records of the pages of one list, one after the other.
type Pages interface {
	// Page calls each with the records of a page in their order, or with the reason why one does
	// not fit. It stops with the error of each or of the context: a page may take seconds.
	Page(ctx context.Context, raws [][]byte, parent string, each func(raw []byte, record record.Record, misfit error) error) error
}

// Plain normalizes every record.
type Plain struct{ Normalizer *record.Normalizer }

// Page implements Pages.
func (p Plain) Page(
	ctx context.Context, raws [][]byte, parent string, each func(raw []byte, record record.Record, misfit error) error,
) error {
	for _, raw := range raws {
		if err := ctx.Err(); err != nil {
			return err
		}
		record, misfit := p.Normalizer.RecordUnder(raw, parent)
		if err := each(raw, record, misfit); err != nil {
			return err
		}
	}
	return nil
}
