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
	stream, err := a.list(name, organization)
	if err != nil {
		return lineage.History{}, pipeline.Stream{}, err
	}
	history, err := lineage.New(a.DB.Pool()).Record(ctx, stream, record, archives)
	if err != nil {
		return history, stream, fmt.Errorf("explain: %w", err)
	}
	return history, stream, nil
}

// RawRecords returns the raw record of each version of a record, nil where it is not kept any more.
// What is left out of the stream's records is left out of older ones, too.
func (a *App) RawRecords(ctx context.Context, stream pipeline.Stream, versions []lineage.Version) ([][]byte, error) {
	records, err := lineage.New(a.DB.Pool()).Records(ctx, versions)
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	for i := range records {
		if records[i] != nil {
			records[i] = stream.LeaveOut.Record(records[i])
		}
	}
	return records, nil
}

// Numbered returns records of a list by a number that they carry, such as that of a bill.
func (a *App) Numbered(ctx context.Context, stream pipeline.Stream, number string) ([]lineage.Numbered, error) {
	found, err := lineage.New(a.DB.Pool()).Numbered(ctx, stream, number)
	if err != nil {
		return nil, fmt.Errorf("look for the number: %w", err)
	}
	return found, nil
}
