package verify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/contents"
	"sluice/pipeline/warehouse/erasures"
	"sluice/pipeline/warehouse/verifications"
	"sluice/schema"
	"sluice/schema/record"
)

type upstreamRecord = record.Record

// The codes of findings about rows compared with upstream.
const (
	// codeMissing: upstream has the record since before the watermark, and there is no row.
	codeMissing = "missing"
	// codeDiffers: upstream has other values, and had them before the watermark by its own
	// modification time.
	codeDiffers = "differs"
	// codeSilent: upstream has other values under the same modification time.
	codeSilent = "silent"
	// codeUndated: upstream has other values, and the record has no modification time.
	codeUndated = "undated"
	// codeOlder: upstream answers with an older version than the row's.
	codeOlder = "older"
	// codeNotListed: the whole list was read, and the row's record is not on it.
	codeNotListed = "not_listed"
	// codeReturned: upstream shows the record, and the row has a tombstone.
	codeReturned = "returned"
	// codeNotFound: upstream does not know the single record.
	codeNotFound = "not_found"
	// codeQuarantined: the record is in quarantine, and there is no row or only an older version.
	codeQuarantined = "quarantined"
	// codeErased: an operator erased the record, and it is not loaded again.
	codeErased = "erased"
	// codeRejected: the record does not fit the declaration.
	codeRejected = "rejected"
)

// held is what an answer is compared with.
type held struct {
	rows        map[string]*contents.Row
	differences map[string][]contents.Difference
	quarantined map[string]bool
	// erased are those that are refused because an operator erased them.
	erased map[string]bool
}

// hold compares the records of an answer with their rows and returns their keys. Single says that
// they are single records.
func (s *subject) hold(ctx context.Context, page pipeline.Page, standing contents.Standing, single bool) ([]string, error) {
	records, ids, unfit := s.read(page, standing.Parent)
	s.verified.Records += int64(len(records))
	if err := s.release(ctx, page, records, single); err != nil {
		return ids, err
	}
	err := s.run.Store.Look(ctx, func(view contents.View) error {
		h, err := s.against(ctx, view, records, ids, single)
		if err != nil {
			return err
		}
		for _, misfit := range unfit {
			switch {
			case h.erased[misfit.ID]:
				s.sayErased(misfit.ID, page.Call)
			case h.quarantined[misfit.ID] || misfit.ID == "":
				s.say(verifications.Notice, codeQuarantined, misfit.ID, page.Call, "", "the record does not fit the declaration: "+misfit.Error())
			default:
				s.say(verifications.Notice, codeRejected, misfit.ID, page.Call, "",
					"the record does not fit the declaration, and is not in quarantine yet: "+misfit.Error())
			}
		}
		for i := range records {
			if err := s.judge(ctx, view, &records[i], h, page.Call, standing, single); err != nil {
				return err
			}
		}
		return nil
	})
	return ids, err
}

// release loads the records of an answer that have an entry in quarantine, because this version
// fits.
func (s *subject) release(ctx context.Context, page pipeline.Page, records []upstreamRecord, single bool) error {
	if len(records) == 0 {
		return nil
	}
	ids := make([]string, len(records))
	for i := range records {
		ids[i] = records[i].ID
	}
	var quarantined map[string]bool
	err := s.run.Store.Look(ctx, func(view contents.View) error {
		var err error
		quarantined, err = s.table.Quarantined(ctx, view, ids)
		return err
	})
	if err != nil || len(quarantined) == 0 {
		return err
	}
	batch := pipeline.Batch{Call: page.Call, Details: single}
	for i := range records {
		if quarantined[records[i].ID] && !s.clashing[records[i].ID] {
			batch.Records = append(batch.Records, records[i])
		}
	}
	if len(batch.Records) == 0 {
		return nil
	}
	if err := s.run.Load(ctx, s.stream, batch); err != nil {
		return fmt.Errorf("load what was in quarantine: %w", err)
	}
	return nil
}

// read normalizes the records of an answer. Of records with the same identifier it takes the
// newest. As in a run, identifiers also clash if one of their records does not fit.
func (s *subject) read(page pipeline.Page, parent string) ([]upstreamRecord, []string, []*record.RejectedError) {
	var (
		records []upstreamRecord
		ids     []string
		unfit   []*record.RejectedError
	)
	at := map[string]int{}
	for _, raw := range page.Records {
		one, err := s.normalize(raw, parent)
		if misfit, ok := errors.AsType[*record.RejectedError](err); ok {
			unfit = append(unfit, misfit)
			if misfit.ID != "" {
				ids = append(ids, misfit.ID)
			}
			continue
		}
		if i, again := at[one.ID]; again {
			s.clashing[one.ID] = s.clashing[one.ID] || !bytes.Equal(one.Raw, records[i].Raw)
			if one.Modified.After(records[i].Modified) {
				records[i] = one
			}
			continue
		}
		at[one.ID] = len(records)
		records, ids = append(records, one), append(ids, one.ID)
	}
	for _, misfit := range unfit {
		if _, twice := at[misfit.ID]; twice {
			s.clashing[misfit.ID] = true
		}
	}
	return records, ids, unfit
}

func (s *subject) against(ctx context.Context, view contents.View, records []upstreamRecord, ids []string, single bool) (held, error) {
	h := held{rows: make(map[string]*contents.Row, len(ids))}
	rows, err := s.table.Rows(ctx, view, ids)
	if err != nil {
		return h, err
	}
	for i := range rows {
		h.rows[rows[i].Key] = &rows[i]
	}
	if err := s.lookAt(ctx, view, ids); err != nil {
		return h, err
	}
	if h.quarantined, err = s.table.Quarantined(ctx, view, ids); err != nil {
		return h, err
	}
	if h.erased, err = erasures.Refused(ctx, view, s.stream.ListKey(), ids); err != nil {
		return h, err
	}
	var other []upstreamRecord
	for i := range records {
		if row := h.rows[records[i].ID]; row != nil && !sameHash(row, &records[i], single) {
			other = append(other, records[i])
		}
	}
	h.differences, err = s.table.Differences(ctx, view, other, true)
	return h, err
}

func sameHash(row *contents.Row, r *upstreamRecord, single bool) bool {
	if single {
		return bytes.Equal(row.DetailHash, r.Hash[:])
	}
	return bytes.Equal(row.Hash, r.Hash[:])
}

// judge decides what a difference between a record and its row means.
func (s *subject) judge(
	ctx context.Context, view contents.View, r *upstreamRecord, h held, call int64, standing contents.Standing, single bool,
) error {
	row := h.rows[r.ID]
	if row == nil {
		return s.absent(ctx, view, r, h, call, standing)
	}
	if row.Deleted() && row.LastCall() < call {
		s.say(verifications.Notice, codeReturned, r.ID, call, "",
			"upstream shows the record, and its row has a tombstone: the next scan that sees it takes that away")
		return nil
	}
	differences := h.differences[r.ID]
	// A row that was written after the answer cannot be compared with it. An edited row was found
	// already.
	if len(differences) == 0 || row.LastCall() > call || s.edited[r.ID] {
		return nil
	}
	newer := r.Modified.After(standing.Watermark)
	outdated := single && row.DetailState != "current"
	dated := !r.Modified.IsZero()
	same := dated && r.Modified.Truncate(time.Microsecond).Equal(row.Modified)
	severity, code, text := verifications.Violation, codeDiffers, "upstream has had other values since before the watermark: "
	switch {
	case h.quarantined[r.ID]:
		severity, code, text = verifications.Notice, codeQuarantined, "a version of the record is in quarantine, and the row is older: "
	case newer, outdated, !single && (!dated || same) && s.readsAll():
		s.verified.NotDue++
		return nil
	case !dated:
		severity, code, text = verifications.Notice, codeUndated, "upstream has other values, and the record does not say since when: "
	case same:
		code, text = codeSilent, "upstream has other values under the same modification time: "
	case r.Modified.Before(row.Modified):
		severity, code, text = verifications.Notice, codeOlder, "upstream answers with an older version: "
	}
	s.say(severity, code, r.ID, call, differences[0].Path, text+contents.Sentence(differences))
	return nil
}

// readsAll reports whether every run reads the whole list, so that the next run brings undated
// changes.
func (s *subject) readsAll() bool {
	switch s.stream.Resource.ListCursor().(type) {
	case schema.Since, schema.NewestFirst:
		return false
	default:
		return true
	}
}

// say reports a finding about a record once, because the list and the single record may both show
// it.
func (s *subject) say(severity verifications.Severity, code, id string, call int64, path, detail string) {
	if s.told[id] {
		return
	}
	s.told[id] = id != ""
	s.found(verifications.Finding{
		Severity: severity, Source: verifications.SourceUpstream, Code: code, Organization: s.stream.Organization, Service: s.stream.Service.Name,
		Resource: s.stream.Resource.Name, Record: id, Path: path, Detail: detail, Call: call,
	})
}

// sayErased says that upstream still shows an erased record, and not which one: what is stored of a
// verification names no record that was erased.
func (s *subject) sayErased(id string, call int64) {
	if s.told[id] {
		return
	}
	s.told[id] = true
	s.say(verifications.Notice, codeErased, "", call, "", "upstream shows a record that was erased here, and is not loaded again")
}
