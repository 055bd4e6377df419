package sync

import (
	"context"
	"errors"

	"sluice/pipeline"
)

// errFlooded ends the reading of an answer.
var errFlooded = errors.New("too many records did not fit")

// flooded gives the end of a run of which so much was refused that it is not worth reading on, or
// nil. What the run loaded stays, its watermark waits (invariant 1), and what it refused is known
// to the next one.
func (c *chunk) flooded(ctx context.Context) (*pipeline.End, error) {
	met, err := c.runner.Store.Refusals(ctx, c.claim)
	if err != nil || !met.Flood(c.runner.Rules) {
		return nil, err
	}
	return &pipeline.End{Outcome: pipeline.OutcomeProvisional, Note: "too many records did not fit: the rest was not read"}, nil
}
