package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
// Records that one call brought are loaded in one transaction.
func (a *App) Retry(ctx context.Context, ids ...int64) ([]Retried, error) {
	if err := a.noteLeftOut(ctx); err != nil {
		return nil, err
	}
	results := make([]Retried, len(ids))
	var batches []retrying
	for i, id := range ids {
		results[i].ID = id
		fits, why, err := a.fitting(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case why != "":
			results[i].Why = why
			continue
		}
		fits.at = []int{i}
		// A batch has each record once: of two versions each is loaded by itself.
		last := len(batches) - 1
		if last >= 0 && batches[last].takes(&fits) {
			batches[last].at = append(batches[last].at, i)
			batches[last].batch.Records = append(batches[last].batch.Records, fits.batch.Records...)
		} else {
			batches = append(batches, fits)
		}
	}
	for i := range batches {
		if err := a.retry(ctx, &batches[i], results); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// retrying are entries whose records are loaded together, and where their results stand.
type retrying struct {
	stream pipeline.Stream
	batch  pipeline.Batch
	at     []int
}

// takes says that a record can be loaded together with the others.
func (r *retrying) takes(other *retrying) bool {
	return r.stream.Key() == other.stream.Key() && r.batch.Call == other.batch.Call && r.batch.Details == other.batch.Details &&
		!slices.ContainsFunc(r.batch.Records, func(one record.Record) bool { return one.ID == other.batch.Records[0].ID })
}

// fitting is the batch of one entry, or why its record still does not fit.
func (a *App) fitting(ctx context.Context, id int64) (retrying, string, error) {
	entry, err := a.DB.QuarantineShow(ctx, id)
	if err != nil {
		return retrying{}, "", fmt.Errorf("read entry %d: %w", id, err)
	}
	key := Key{Organization: entry.Organization, Service: entry.Service, Resource: entry.Resource}
	stream, ok := a.Stream(key)
	if !ok {
		return retrying{}, "", fmt.Errorf("%w: %s is not configured", ErrUsage, key)
	}
	normalize, err := a.normalize(stream)
	if err != nil {
		return retrying{}, "", err
	}
	rec, misfit := normalize(entry.Raw, parentOf(stream.Resource, entry.Record))
	if misfit != nil {
		return retrying{}, misfit.Error(), nil //nolint:nilerr // that it still does not fit is a result
	}
	return retrying{stream: stream, batch: pipeline.Batch{Call: entry.Call, Records: []record.Record{rec}, Details: entry.Details}}, "", nil
}

// retry loads a batch, and notes what came of each entry.
func (a *App) retry(ctx context.Context, of *retrying, results []Retried) error {
	note := "retry of quarantine entry " + outside.Number(results[of.at[0]].ID)
	if more := len(of.at) - 1; more > 0 {
		note += " and " + outside.Number(int64(more)) + " more"
	}
	loaded, err := a.reload(ctx, of.stream, of.batch, note)
	if errors.Is(err, ErrBusy) && len(results) > 1 {
		for _, i := range of.at {
			results[i].Why = err.Error() // the other entries go on
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("retry entry %d: %w", results[of.at[0]].ID, err)
	}
	for _, i := range of.at {
		result := &results[i]
		if result.Loaded = loaded.Rejected == 0; result.Loaded {
			continue
		}
		entry, err := a.DB.QuarantineShow(ctx, result.ID)
		if err != nil {
			return fmt.Errorf("read entry %d: %w", result.ID, err)
		}
		if result.Loaded = entry.State != "open"; !result.Loaded {
			result.Why = "the database refuses it: sluice quarantine show " + strconv.FormatInt(result.ID, 10)
		}
	}
	return nil
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
