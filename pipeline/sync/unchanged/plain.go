package unchanged

import (
	"context"

	"sluice/schema/record"
)

// Pages makes records of the pages of one list, one after the other.
type Pages interface {
	// Page gives to each the records of a page in their order, or why they do not fit. Its error is
	// that of each, which ends it, or of the context: a page may take seconds.
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
