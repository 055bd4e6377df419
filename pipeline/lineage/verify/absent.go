package verify

import (
	"context"
	"fmt"

	"sluice/pipeline/warehouse/contents"
	"sluice/pipeline/warehouse/verifications"
	"sluice/schema"
)

// absent decides what a record without a row means.
func (s *subject) absent(ctx context.Context, view contents.View, r *upstreamRecord, h held, call int64, standing contents.Standing) error {
	switch {
	case h.erased[r.ID]:
		s.sayErased(r.ID, call)
		return nil
	case h.quarantined[r.ID]:
		s.say(verifications.Notice, codeQuarantined, r.ID, call, "", "the record is in quarantine: sluice quarantine list")
		return nil
	case r.Modified.After(standing.Watermark):
		s.verified.NotDue++
		return nil
	case !r.Modified.IsZero():
		s.say(verifications.Violation, codeMissing, r.ID, call, "", "upstream has the record since before the watermark, and there is no row")
		return nil
	}
	// A record without a modification time may be newer than the last run, unless an earlier call
	// brought it.
	brought, err := s.table.Archived(ctx, view, own(s.stream.Resource, r))
	if err != nil {
		return err
	}
	if brought == 0 {
		s.verified.NotDue++
		return nil
	}
	s.say(verifications.Violation, codeMissing, r.ID, call, "", fmt.Sprintf("call %d brought the record, and there is no row any more", brought))
	return nil
}

// own returns the record's own identifier, without its parent.
func own(resource *schema.Resource, r *upstreamRecord) string {
	if cursor, ok := resource.Cursor.(schema.PerParent); ok && cursor.Identifier != "" {
		for i, c := range resource.Columns {
			if c.Wire == cursor.Identifier {
				return r.Tables[0][0].Values[i].Text
			}
		}
	}
	return r.ID
}

// whole reports the rows that are not on the list after the whole list was read.
func (s *subject) whole(ctx context.Context, call int64, standing contents.Standing, ids []string) error {
	if standing.Parent != "" {
		return nil // the whole list of one parent only
	}
	s.verified.Complete = true
	listed := make(map[string]bool, len(ids))
	for _, id := range ids {
		listed[id] = true
	}
	return s.each(ctx, func(view contents.View, keys []string) error {
		rows, err := s.table.Rows(ctx, view, keys)
		for i := range rows {
			if row := &rows[i]; !listed[row.Key] && !row.Deleted() && row.LastCall() < call {
				s.say(verifications.Notice, codeNotListed, row.Key, call, "",
					"its record is not on the list, which was read whole: deleted upstream, or hidden there")
			}
		}
		return err
	})
}

// unknown reports the single records that upstream does not know.
func (s *subject) unknown(call int64, asked, answered []string) {
	known := make(map[string]bool, len(answered))
	for _, id := range answered {
		known[id] = true
	}
	for _, id := range asked {
		if !known[id] {
			s.say(verifications.Notice, codeNotFound, id, call, "", "upstream does not know the record: it was deleted, or is hidden")
		}
	}
}
