package engine

import (
	"context"
	"fmt"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/lineage"
)

// Explain returns the history of a record of an organization, and the list that brings it. Record
// is its key in the warehouse, name a name of its resource. Archives bounds how many archives of
// raw records are searched.
func (a *App) Explain(ctx context.Context, name, record, organization string, archives int) (lineage.History, pipeline.Stream, error) {
	streams, err := a.Declared(name)
	if err != nil {
		return lineage.History{}, pipeline.Stream{}, err
	}
	for _, stream := range streams {
		if stream.Organization != organization {
			continue
		}
		history, err := lineage.New(a.DB.Pool()).Record(ctx, stream, record, archives)
		if err != nil {
			return history, stream, fmt.Errorf("explain: %w", err)
		}
		return history, stream, nil
	}
	return lineage.History{}, pipeline.Stream{}, fmt.Errorf("%w: organization %s has no %s in the configuration", ErrUsage, organization, name)
}

// RawRecords returns the raw record of each version of a record, nil where it is not kept any more.
func (a *App) RawRecords(ctx context.Context, versions []lineage.Version) ([][]byte, error) {
	records, err := lineage.New(a.DB.Pool()).Records(ctx, versions)
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	return records, nil
}
