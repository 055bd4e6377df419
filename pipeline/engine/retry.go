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

// Retry loads the bytes of one entry as the version that they were when they arrived, so a newer
// row stays. It makes no call.
func (a *App) Retry(ctx context.Context, id int64) (Retried, error) {
	result := Retried{ID: id}
	entry, err := a.DB.QuarantineShow(ctx, id)
	if err != nil {
		return result, fmt.Errorf("read the entry: %w", err)
	}
	key := Key{Organization: entry.Organization, Service: entry.Service, Resource: entry.Resource}
	stream, ok := a.Stream(key)
	if !ok {
		return result, fmt.Errorf("%w: %s is not configured", ErrUsage, key)
	}
	normalizer, err := record.New(stream.Resource, stream.Org.Zone())
	if err != nil {
		return result, fmt.Errorf("prepare %s: %w", key, err)
	}
	rec, misfit := normalizer.RecordUnder(entry.Raw, parentOf(stream.Resource, entry.Record))
	if misfit != nil {
		result.Why = misfit.Error()
		return result, nil //nolint:nilerr // that it still does not fit is a result
	}
	loaded, err := a.reload(ctx, stream, pipeline.Batch{Call: entry.Call, Records: []record.Record{rec}, Details: entry.Details},
		"retry of quarantine entry "+outside.Number(id))
	if err != nil {
		return result, err
	}
	if loaded.Rejected > 0 {
		result.Why = "the database refuses it: sluice quarantine show " + strconv.FormatInt(id, 10)
		return result, nil
	}
	result.Loaded = true
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
	batch.Claim, batch.Received, batch.Position = claim, len(batch.Records), claim.Position
	if claim.Opened {
		batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone, Note: note}
	}
	loaded, err := a.DB.Load(ctx, batch)
	if err != nil {
		return loaded, fmt.Errorf("load into %s: %w", stream, err)
	}
	return loaded, nil
}
