package upstream

import (
	"context"

	"sluice/pipeline"
)

// Details reads single records by their identifiers.
func (c *Client) Details(_ context.Context, ask pipeline.Ask, _ []string) (pipeline.Page, error) {
	return pipeline.Page{}, &pipeline.Error{Kind: pipeline.Unexpected, Op: "details of " + ask.Stream.String(), Detail: "not there yet"}
}
