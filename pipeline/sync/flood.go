package sync

import (
	"context"
	"errors"

	"sluice/pipeline"
)

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
