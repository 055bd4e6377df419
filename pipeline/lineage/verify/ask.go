package verify

import (
	"context"
	"math"

	"sluice/pipeline"
	"sluice/pipeline/lineage/compare"
	"sluice/pipeline/warehouse/contents"
	"sluice/pipeline/warehouse/verifications"
	"sluice/schema"
)

// subject is one resource of one organization under verification.
type subject struct {
	run       *run
	stream    pipeline.Stream
	table     *compare.Comparer
	normalize func(raw []byte, parent string) (upstreamRecord, error)
	verified  verifications.Verified
	// looked are the rows that were compared with their raw records, edited those of them that
	// differ.
	looked, edited map[string]bool
	// told are the records of upstream with a finding.
	told map[string]bool
	// clashing are the identifiers that several records of one answer have.
	clashing map[string]bool
	// requested are the single records that were requested, pages the pages of the list.
	requested map[string]bool
	pages     map[int]bool
	// over says that no further call is made for the subject.
	over bool
}

// maxShown is how many violations, and how many notices, are stored for a resource; all are
// counted.
const maxShown = 50

func (s *subject) found(f verifications.Finding) {
	shown := &s.verified.Violations
	if f.Severity == verifications.Notice {
		shown = &s.verified.Notices
	}
	if *shown++; *shown <= maxShown {
		s.run.result.Findings = append(s.run.result.Findings, f)
	}
}

// localBatch is how many rows are compared with their raw records in one transaction.
const localBatch = 500

// request makes the subject's call of a round and reports whether it made one. The first round
// reads the newest page of the list, or the whole export. Later rounds alternate between random
// single records and further pages.
func (s *subject) request(ctx context.Context, round int) (bool, error) {
	if s.over {
		return false, nil
	}
	var standing contents.Standing
	var rows int64
	err := s.run.Store.Look(ctx, func(view contents.View) error {
		var err error
		if standing, err = s.table.Standing(ctx, view); err == nil && round > 0 {
			rows, err = s.table.Count(ctx, view)
		}
		return err
	})
	if err != nil {
		return false, err
	}
	_, perParent := s.stream.Resource.Cursor.(schema.PerParent)
	switch {
	case standing.Watermark.IsZero():
		s.verified.Note, s.over = "never read to its end: nothing is due to be equal yet", true
		return false, nil
	case perParent:
		standing.Watermark = standing.Watermark.Add(-s.run.Rules.Lag)
		if round > 0 {
			s.over = true
			return false, nil
		}
	}
	switch {
	case round == 0 && s.stream.Resource.Exported():
		return true, s.export(ctx, standing)
	case round == 0:
		return true, s.page(ctx, standing, 1)
	case round%2 == 1:
		return s.singles(ctx, standing)
	default:
		return s.further(ctx, standing, rows)
	}
}

func (s *subject) question(page int, parent string) pipeline.Request {
	request := pipeline.Request{Stream: s.stream, Class: pipeline.ClassProbe, Page: page, PerPage: s.run.Rules.PerPage, Parent: parent}
	switch cursor := s.stream.Resource.ListCursor().(type) {
	case schema.NewestFirst:
		request.Sort, request.Order = cursor.Sort, "D"
	case schema.FullScan:
		if cursor.Sort != "" {
			request.Sort, request.Order = cursor.Sort, "D"
		}
	}
	return request
}

// page compares one page of the list. If the list has one page only, it also finds the rows that
// are not on it.
func (s *subject) page(ctx context.Context, standing contents.Standing, number int) error {
	s.pages[number] = true
	page, err := s.run.Source.Page(ctx, s.question(number, standing.Parent))
	if err != nil {
		return s.called(ctx, err)
	}
	defer page.Turn.End()
	s.counted()
	ids, err := s.hold(ctx, page, standing, false)
	if err != nil || number > 1 || page.More {
		return err
	}
	s.pages = nil
	return s.whole(ctx, page.Call, standing, ids)
}

// further compares another page, if the number of rows lets expect one. Lists that go on by token
// have no such page.
func (s *subject) further(ctx context.Context, standing contents.Standing, rows int64) (bool, error) {
	if s.pages == nil || s.stream.Resource.Paging != schema.PagingNumber || s.stream.Resource.Exported() {
		return false, nil
	}
	pages := int(math.Ceil(float64(rows) / float64(s.run.Rules.PerPage)))
	if len(s.pages) >= pages {
		return false, nil
	}
	// Long steps lead to pages far from each other. A step that leads back to page 1 is made
	// longer; at the latest a step of one page more than there are reaches every page.
	number := 1
	for step := max(pages*5/8, 1); s.pages[number]; {
		number = (number-1+step)%pages + 1
		if number == 1 {
			step++
		}
	}
	return true, s.page(ctx, standing, number)
}

func (s *subject) export(ctx context.Context, standing contents.Standing) error {
	var ids []string
	call := int64(0)
	s.pages = nil
	err := s.run.Source.Export(ctx, s.question(1, standing.Parent), func(page pipeline.Page) error {
		call = page.Call
		held, err := s.hold(ctx, page, standing, false)
		ids = append(ids, held...)
		return err
	})
	if err != nil {
		return s.called(ctx, err)
	}
	s.counted()
	return s.whole(ctx, call, standing, ids)
}

// singlesWanted is how many single records one call requests where it can take several.
const singlesWanted = 50

// singles compares random single records, of rows whose single record is loaded.
func (s *subject) singles(ctx context.Context, standing contents.Standing) (bool, error) {
	details := s.stream.Resource.Details
	if details == nil {
		return false, nil
	}
	wanted := 1
	if details.Batch != nil {
		wanted = min(details.Batch.Size, singlesWanted)
	}
	var ids []string
	err := s.run.Store.Look(ctx, func(view contents.View) error {
		keys, err := s.table.Sample(ctx, view, wanted+len(s.requested), true)
		for _, key := range keys {
			if !s.requested[key] && len(ids) < wanted {
				ids = append(ids, key)
			}
		}
		return err
	})
	if err != nil || len(ids) == 0 {
		return false, err
	}
	for _, id := range ids {
		s.requested[id] = true
	}
	request := s.question(0, "")
	request.Sort, request.Order = "", ""
	page, err := s.run.Source.Details(ctx, request, ids)
	if err != nil {
		return true, s.called(ctx, err)
	}
	defer page.Turn.End()
	s.counted()
	held, err := s.hold(ctx, page, standing, true)
	if err != nil {
		return true, err
	}
	s.unknown(page.Call, ids, held)
	return true, nil
}

func (s *subject) counted() {
	s.verified.Calls++
	s.run.result.Verification.Calls++
}

// called handles the error of a call. If the error concerns only this resource or the calls of its
// service, the verification goes on without them.
func (s *subject) called(ctx context.Context, err error) error {
	kind := pipeline.KindOf(err)
	if ctx.Err() != nil || kind == 0 {
		return err
	}
	s.verified.Note, s.over = err.Error(), true
	switch kind {
	case pipeline.Exhausted, pipeline.Throttled, pipeline.Crowded:
		s.run.refused = true
		s.run.close(s.stream.Organization, s.stream.Service.Name)
	case pipeline.Unavailable:
		s.counted()
		s.run.unreachable = true
	case pipeline.Expired, pipeline.Denied, pipeline.Unexpected:
		s.counted()
		s.run.failed = true
	}
	return nil
}

// close ends the calls of all subjects of a service after its budget refused one.
func (r *run) close(organization, service string) {
	for _, s := range r.subjects {
		if s.stream.Organization == organization && s.stream.Service.Name == service && !s.over {
			s.verified.Note, s.over = "calls of the service were refused", true
		}
	}
}
