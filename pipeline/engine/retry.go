package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/schema"
	"sluice/schema/record"
)

// Retried is the result for one entry of the quarantine.
type Retried struct {
	ID     int64  `json:"id"`
	Loaded bool   `json:"loaded"`
	Why    string `json:"why,omitempty"`
}

// ErrBusy says that a stream is being copied right now.
var ErrBusy = errors.New("the stream is being copied right now: try again when its run has ended")

// Retry loads the bytes of entries as the versions that they were when they arrived, so newer rows
// stay. It makes no call. Results are in the order of the identifiers, and nil with an error.
func (a *App) Retry(ctx context.Context, ids ...int64) ([]Retried, error) {
	if err := a.noteLeftOut(ctx); err != nil {
		return nil, err
	}
	results := make([]Retried, len(ids))
	for i, id := range ids {
		var err error
		results[i], err = a.retry(ctx, id)
		if errors.Is(err, ErrBusy) && len(ids) > 1 {
			results[i], err = Retried{ID: id, Why: err.Error()}, nil // the other entries go on
		}
		if err != nil {
			return nil, fmt.Errorf("retry entry %d: %w", id, err)
		}
	}
	return results, nil
}

// retry loads the bytes of one entry.
func (a *App) retry(ctx context.Context, id int64) (Retried, error) {
	result := Retried{ID: id}
	entry, err := a.DB.QuarantineShow(ctx, id)
	if err != nil {
		return result, err
	}
	key := Key{Organization: entry.Organization, Service: entry.Service, Resource: entry.Resource}
	stream, ok := a.Stream(key)
	if !ok {
		return result, fmt.Errorf("%w: %s is not configured", ErrUsage, key)
	}
	normalize, err := a.normalize(stream)
	if err != nil {
		return result, err
	}
	rec, misfit := normalize(entry.Raw, parentOf(stream.Resource, entry.Record))
	if misfit != nil {
		result.Why = misfit.Error()
		return result, nil //nolint:nilerr // that it still does not fit is a result
	}
	batch := pipeline.Batch{Call: entry.Call, Records: []record.Record{rec}, Details: entry.Details}
	loaded, err := a.reload(ctx, stream, batch, "retry of quarantine entry "+outside.Number(id))
	if err != nil {
		return result, err
	}
	if result.Loaded = loaded.Rejected == 0; !result.Loaded {
		result.Why = "the database refuses it: sluice quarantine show " + strconv.FormatInt(id, 10)
	}
	return result, nil
}

// parentOf returns the parent of a record whose key is the parent and the identifier with a slash
// between them; "" for other keys.
func parentOf(resource *schema.Resource, key string) string {
	cursor, ok := resource.Cursor.(schema.PerParent)
	at := strings.LastIndex(key, "/")
	if !ok || cursor.Identifier == "" || at < 0 {
		return ""
	}
	return key[:at]
}

// reload loads a batch under a claim of its own. An open run keeps its position.
func (a *App) reload(ctx context.Context, stream pipeline.Stream, batch pipeline.Batch, note outside.Text) (pipeline.Loaded, error) {
	if err := a.notRunning(ctx, stream); err != nil {
		return pipeline.Loaded{}, err
	}
	claim, err := a.DB.Claim(ctx, stream, pipeline.ClassProbe)
	if err != nil {
		return pipeline.Loaded{}, fmt.Errorf("claim %s: %w", stream, err)
	}
	batch.Claim, batch.Received, batch.Position = claim, len(batch.Records)+len(batch.Rejected), claim.Position
	if claim.Opened {
		batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Note: note}
	}
	loaded, err := a.DB.Load(ctx, batch)
	if err != nil {
		return loaded, fmt.Errorf("load into %s: %w", stream, err)
	}
	if !claim.Opened { // the open run goes on with its next job, unless a worker has it already
		err := a.DB.Settle(ctx, claim, pipeline.Settlement{State: pipeline.StateQueued})
		if err != nil && !errors.Is(err, pipeline.ErrLostClaim) {
			return loaded, fmt.Errorf("give the run of %s back: %w", stream, err)
		}
	}
	return loaded, nil
}
