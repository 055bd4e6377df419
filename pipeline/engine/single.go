package engine

import (
	"context"
	"fmt"
	"slices"

	"sluice/pipeline"
	"sluice/pipeline/lineage/compare"
	"sluice/pipeline/sync"
)

// Reread is a closed set: what became of a record that was read by its identifier.
type Reread string

// The results.
const (
	RereadNew       Reread = "new"
	RereadChanged   Reread = "changed"
	RereadUnchanged Reread = "unchanged"
	// RereadOlder: the row has a later version than upstream's answer.
	RereadOlder Reread = "older"
	// RereadAbsent: upstream answered that it does not know the record. RereadNone: its answer has
	// no record, and does not say why.
	RereadAbsent Reread = "absent"
	RereadNone   Reread = "no record"
	// RereadRejected: the record does not fit the table and is in quarantine.
	RereadRejected Reread = "rejected"
	// RereadErased: the record was erased, so it is not loaded.
	RereadErased Reread = "erased"
)

// Failed reports whether the record could not be read or loaded.
func (r Reread) Failed() bool {
	return r == RereadNone || r == RereadRejected || r == RereadErased
}

// SingleRecord is a record that was read by its identifier.
type SingleRecord struct {
	Organization string `json:"organization"`
	Resource     string `json:"resource"`
	Record       string `json:"record"`
	Result       Reread `json:"result"`
	Call         int64  `json:"call"`
}

// ReadRecords reads single records of an organization's resource, one call of class details each,
// and loads them. No schedule and no watermark changes. If a call fails, it returns the records read
// before and the error of the call.
func (a *App) ReadRecords(ctx context.Context, name, organization string, ids []string) ([]SingleRecord, error) {
	stream, err := a.list(name, organization)
	if err != nil {
		return nil, err
	}
	switch {
	case !a.Enabled(stream):
		return nil, fmt.Errorf("%w: %s is not copied: the configuration disables it", ErrUsage, name)
	case stream.Resource.SinglesAtOnce() == 0:
		return nil, fmt.Errorf("%w: %s has no API call for a single record: run sluice sync %s", ErrUsage, name, name)
	case stream.Resource.Details != nil:
		stream.Work = pipeline.WorkDetails
	}
	client, err := a.Client()
	if err != nil {
		return nil, err
	}
	if err := a.noteLeftOut(ctx); err != nil {
		return nil, err
	}
	if err := a.zoned(a.Identities(client).Ready)(ctx, stream); err != nil {
		return nil, err
	}
	source := sync.LeavingOut(client)
	normalize, err := a.normalize(stream)
	if err != nil {
		return nil, err
	}
	read := make([]SingleRecord, 0, len(ids))
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		one, err := a.readRecord(ctx, source, normalize, stream, id)
		if err != nil {
			return read, fmt.Errorf("read %s %s: %w", resourceName(stream), id, err)
		}
		read = append(read, one)
	}
	return read, nil
}

func (a *App) readRecord(
	ctx context.Context, source sync.Source, normalize compare.Normalize, stream pipeline.Stream, id string,
) (SingleRecord, error) {
	one := SingleRecord{Organization: stream.Organization, Resource: resourceName(stream), Record: id}
	if err := a.notRunning(ctx, stream); err != nil { // before the call is spent
		return one, err
	}
	page, err := source.Details(ctx, pipeline.Request{Stream: stream, Class: pipeline.ClassDetails}, []string{id})
	if err != nil {
		return one, err
	}
	defer page.Turn.End()
	one.Call = page.Call
	batch := pipeline.Batch{Call: page.Call, Details: stream.Resource.Details != nil, Unknown: page.Unknown}
	for _, raw := range page.Records {
		record, misfit := normalize(raw, "")
		if misfit == nil {
			batch.Records = append(batch.Records, record)
			continue
		}
		rejected := sync.RejectedRecord(raw, misfit)
		rejected.ID = id
		batch.Rejected = append(batch.Rejected, rejected)
	}
	if len(page.Records) == 0 {
		batch.Missing = []string{id}
	}
	loaded, err := a.reload(ctx, stream, batch, "single records that sluice sync --id read")
	switch {
	case err != nil:
		return one, err
	case len(page.Records) == 0 && page.Unknown:
		one.Result = RereadAbsent
	case len(page.Records) == 0:
		one.Result = RereadNone
	case len(batch.Rejected)+loaded.Rejected > 0:
		one.Result = RereadRejected
	case loaded.Inserted > 0:
		one.Result = RereadNew
	case loaded.Updated > 0:
		one.Result = RereadChanged
	case loaded.Unchanged > 0:
		one.Result = RereadUnchanged
	case loaded.Superseded > 0:
		one.Result = RereadOlder
	default:
		one.Result = RereadErased
	}
	return one, nil
}
