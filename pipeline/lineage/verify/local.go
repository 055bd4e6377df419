package verify

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sluice/pipeline"
	"sluice/pipeline/lineage/compare"
	"sluice/pipeline/warehouse/contents"
	"sluice/pipeline/warehouse/verifications"
)

// The codes of findings about rows compared with their raw records.
const (
	// CodeEdited: the row differs from what its raw records make of it.
	CodeEdited = "edited"
	// CodeHash: the values are right, but the content hash differs. The declaration has changed
	// since the record was loaded, or the hash was edited.
	CodeHash = "hash"
	// CodeNoRaw: the raw record is not stored or was pruned.
	CodeNoRaw = "no_raw"
	// CodeRejected: the raw record no longer fits the declaration.
	CodeRejected = "rejected"
)

// local compares rows with their raw records: a sample, or all.
func (s *subject) local(ctx context.Context) error {
	if n := s.run.Sample; n > 0 {
		return s.run.Store.Look(ctx, func(view contents.View) error {
			keys, err := s.table.Sample(ctx, view, n, false)
			if err == nil {
				err = s.lookAt(ctx, view, keys)
			}
			return err
		})
	}
	return s.each(ctx, func(view contents.View, keys []string) error { return s.lookAt(ctx, view, keys) })
}

// each calls work with the keys of all rows in order, one batch in each transaction.
func (s *subject) each(ctx context.Context, work func(contents.View, []string) error) error {
	for after := ""; ; {
		over := false
		err := s.run.Store.Look(ctx, func(view contents.View) error {
			keys, err := s.table.After(ctx, view, after, localBatch)
			if err != nil || len(keys) == 0 {
				over = true
				return err
			}
			after = keys[len(keys)-1]
			return work(view, keys)
		})
		if err != nil || over {
			return err
		}
	}
}

// lookAt compares rows with their raw records, unless that was done before.
func (s *subject) lookAt(ctx context.Context, view contents.View, keys []string) error {
	for batch := range slices.Chunk(keys, localBatch) {
		var fresh []string
		for _, key := range batch {
			if !s.looked[key] {
				s.looked[key] = true
				fresh = append(fresh, key)
			}
		}
		if len(fresh) == 0 {
			continue
		}
		findings, rows, err := Local(ctx, view, s.stream, s.table, fresh)
		if err != nil {
			return err
		}
		s.verified.Rows += int64(rows)
		for i := range findings {
			s.edited[findings[i].Record] = findings[i].Code == CodeEdited || findings[i].Code == CodeHash
			s.found(findings[i])
		}
	}
	return nil
}

// Local compares the rows of keys with their raw records, without a call. It returns the findings
// and the number of rows compared.
func Local(
	ctx context.Context, view contents.View, stream pipeline.Stream, table *compare.Comparer, keys []string,
) ([]verifications.Finding, int, error) {
	rows, err := table.Rows(ctx, view, keys)
	if err != nil {
		return nil, 0, err
	}
	answers, err := table.Read(ctx, view, rows)
	if err == nil {
		err = table.Values(ctx, view, answers, true, func(*compare.Answer) bool { return true })
	}
	if err != nil {
		return nil, 0, err
	}
	var unread, findings []verifications.Finding
	for i := range answers {
		f := verifications.Finding{
			Source: verifications.SourceRow, Organization: stream.Organization, Service: stream.Service.Name, Resource: stream.Resource.Name,
			Record: answers[i].Row.Key,
		}
		switch {
		case answers[i].Err != nil:
			unread = append(unread, told(f, &answers[i]))
		case len(answers[i].Differences) > 0 || answers[i].OtherHash():
			findings = append(findings, edited(f, &answers[i]))
		}
	}
	return append(unread, findings...), len(rows), nil
}

// told returns the finding for a row that could not be compared with its raw record.
func told(f verifications.Finding, a *compare.Answer) verifications.Finding {
	f.Severity, f.Call = verifications.Notice, a.Of.Call
	switch {
	case errors.Is(a.Err, compare.ErrNoRaw):
		f.Code = CodeNoRaw
		f.Detail = fmt.Sprintf("its raw record of call %d is not kept: whether the row was edited is unknown", f.Call)
	case errors.Is(a.Err, compare.ErrOther):
		f.Severity, f.Code = verifications.Violation, CodeEdited
		f.Detail = fmt.Sprintf("the raw record that the row leads to, of call %d, is of another record", f.Call)
	default:
		f.Code, f.Detail = CodeRejected, "its raw record does not fit the declaration any more: "+a.Err.Error()
	}
	return f
}

// edited returns the finding for a row that differs from what its raw records make of it.
func edited(f verifications.Finding, a *compare.Answer) verifications.Finding {
	f.Severity, f.Code, f.Call = verifications.Violation, CodeHash, a.Row.LastCall()
	f.Detail = "the content hash is not that of its raw record: the row was edited, or the declaration changed (sluice rebuild writes the rows anew)"
	if len(a.Differences) > 0 {
		f.Code, f.Path = CodeEdited, a.Differences[0].Path
		f.Detail = "the row is not what its raw record makes of it: " + contents.Sentence(a.Differences)
		if a.OtherHash() {
			f.Detail += "; the content hash is another one, too: if the declaration changed, sluice rebuild writes the rows anew"
		}
	}
	if a.Repaired() {
		f.Severity = verifications.Notice
		f.Detail += " (the raw record holds signs for bytes that could not be kept, which may be the reason)"
	}
	return f
}
