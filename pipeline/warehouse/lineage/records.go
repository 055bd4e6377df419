package lineage

import (
	"context"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/erasures"
	"sluice/pipeline/warehouse/raw"
	"sluice/pipeline/warehouse/tombstones"
)

// Records returns the raw record of each version, nil where it is not kept any more.
func (t *Tracer) Records(ctx context.Context, versions []Version) ([][]byte, error) {
	places := make([]raw.Ref, len(versions))
	for i := range versions {
		places[i] = raw.Ref{Call: versions[i].Call.ID, Position: int32(versions[i].Position)} //nolint:gosec // it was read from such a column
	}
	found, err := raw.Read(ctx, t.pool, places)
	if err != nil {
		return nil, err
	}
	records := make([][]byte, len(versions))
	for i, place := range places {
		records[i] = found[place]
	}
	return records, nil
}

func (t *Tracer) erasure(ctx context.Context, stream pipeline.Stream, h *History) error {
	var err error
	h.Erasure, err = erasures.Earlier(ctx, t.pool, stream.ListKey(), h.Record)
	return err
}

func (t *Tracer) tombstone(ctx context.Context, stream pipeline.Stream, h *History) error {
	var err error
	h.Tombstone, err = tombstones.New(t.pool).Of(ctx, stream.Organization, stream.Service.Name, stream.Resource.Name, h.Record)
	return err
}
