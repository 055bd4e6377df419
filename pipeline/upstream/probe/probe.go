// Package probe measures with a few calls what a list can do. It asks whether the list filters,
// sorts and pages as requested, and whether single records can be read
// (docs/decisions/0008-keyset-paging).
//
// It never loads a record, never stores a verdict and never decides what follows from one. The pure
// functions of judge.go judge the answers. Start reading at List.
package probe

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/schema"
	"sluice/schema/record"
)

// Source makes the calls. Each call passes the budget, as class probe.
type Source interface {
	// Page reads one page of a list.
	Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error)
	// Details reads single records by their identifiers.
	Details(ctx context.Context, request pipeline.Request, ids []string) (pipeline.Page, error)
}

// smallPage is the page size of the first calls. It is not the usual size, so an answer shows
// whether upstream heeds it.
const smallPage = 20

// Result is what a probe found out about one list.
type Result struct {
	// Verdicts are the results. A capability that could not be measured is unknown, with the
	// reason.
	Verdicts []pipeline.Verdict
	// Calls is how many calls were made. They are at most three to the list, four where its newest
	// records share one second, one or two for what it counts, and one for each way of reading single
	// records.
	Calls int
	// Note says why no call was made; "" if one was.
	Note string
}

// List probes the list of a stream; perPage is the page size of runs. Its errors are those of the
// source; what was measured before an error stays in the result.
func List(ctx context.Context, source Source, stream pipeline.Stream, zone *time.Location, perPage int) (Result, error) {
	resource := stream.Resource
	if _, single := resource.Cursor.(schema.Snapshot); single {
		return Result{Note: "one object, and no list"}, nil
	}
	if _, perParent := resource.Cursor.(schema.PerParent); perParent {
		return Result{Note: "a list under each parent: what one of them shows says little about the others"}, nil
	}
	if resource.Exported() {
		return Result{Note: "one CSV body, without filter, order and pages"}, nil
	}
	normalizer, err := record.New(resource, zone)
	if err != nil {
		return Result{}, fmt.Errorf("prepare %s: %w", stream, err)
	}
	p := &prober{source: source, stream: stream, perPage: perPage, normalizer: normalizer}
	err = p.list(ctx)
	if err == nil {
		err = p.details(ctx)
	}
	return p.result, err
}

// prober probes one list.
type prober struct {
	source     Source
	stream     pipeline.Stream
	perPage    int
	normalizer *record.Normalizer
	result     Result
	// known are the records that the first pages showed, in their order.
	known []sample
}

// sample is the part of a record that a probe needs.
type sample struct {
	id       string
	modified time.Time
}

func (p *prober) found(v pipeline.Verdict) {
	v.Source = pipeline.SourceProbed
	p.result.Verdicts = append(p.result.Verdicts, v)
}

// modifiedSort is the value of sort_column: the modification time, by its name on the wire.
func (p *prober) modifiedSort() string {
	if newest, ok := p.stream.Resource.Cursor.(schema.NewestFirst); ok {
		return newest.Sort
	}
	return p.stream.Resource.Modified()
}

func (p *prober) request(page, perPage int) pipeline.Request {
	return pipeline.Request{Stream: p.stream, Class: pipeline.ClassProbe, Page: page, PerPage: perPage}
}

// page makes one call to the list. It leaves out records that do not fit: runs quarantine these.
func (p *prober) page(ctx context.Context, request pipeline.Request) (pipeline.Page, []sample, error) {
	p.result.Calls++
	page, err := p.source.Page(ctx, request)
	if err != nil {
		return page, nil, err
	}
	defer page.Turn.End()
	records := make([]sample, 0, len(page.Records))
	for _, raw := range page.Records {
		if r, misfit := p.normalizer.RecordUnder(raw, ""); misfit == nil {
			records = append(records, sample{id: r.ID, modified: r.Modified})
		}
	}
	return page, records, nil
}

// list makes the calls to the list itself.
func (p *prober) list(ctx context.Context) error {
	if p.stream.Resource.Paging != schema.PagingNumber {
		_, records, err := p.page(ctx, p.request(1, p.perPage))
		p.known = records
		return err
	}
	sorts := p.stream.Resource.Modified() != ""
	request := p.request(1, smallPage)
	if sorts {
		request.Sort, request.Order = p.modifiedSort(), "D"
	}
	page, records, err := p.page(ctx, request)
	if err != nil {
		return err
	}
	p.known = records
	if page.More {
		if err := p.second(ctx, request, records); err != nil {
			return err
		}
	} else {
		p.found(unknown(pipeline.CapabilityPage, "the list has one page of %d", smallPage))
	}
	if sorts {
		p.found(order(pipeline.CapabilityDescending, request, page, p.known))
	}
	if sorts && page.Sort == request.Sort && page.Order == request.Order && page.More && len(times(p.known)) == 1 {
		if err := p.oldest(ctx); err != nil {
			return err
		}
	}
	return p.third(ctx, sorts, sizeOf(smallPage, page))
}

// oldest asks for the other end of the list. It is called if all records known so far were modified
// in one second, as in bulk: a filter by that instant could show nothing.
func (p *prober) oldest(ctx context.Context) error {
	request := p.request(1, smallPage)
	request.Sort, request.Order = p.modifiedSort(), "A"
	_, records, err := p.page(ctx, request)
	p.known = append(p.known, records...)
	return err
}

// second asks for the page behind the first one.
func (p *prober) second(ctx context.Context, request pipeline.Request, first []sample) error {
	request.Page = 2
	_, records, err := p.page(ctx, request)
	if pipeline.KindOf(err) == pipeline.Unexpected {
		// The client refuses a page other than the requested one.
		p.found(no(pipeline.CapabilityPage, "", "page 2 was asked for: %s", err.Error()))
		return nil
	}
	if err != nil {
		return err
	}
	p.found(turned(first, records))
	p.known = append(p.known, records...)
	return nil
}

// third asks for what was modified since an instant between the known ones, in ascending order, in
// pages of the size that runs want. One call answers three questions.
func (p *prober) third(ctx context.Context, sorts bool, small pipeline.Verdict) error {
	request := p.request(1, p.perPage)
	_, filters := p.stream.Resource.Cursor.(schema.Since)
	if sorts {
		request.Sort, request.Order = p.modifiedSort(), "A"
	}
	if filters {
		request.Since = between(p.known)
	}
	page, records, err := p.page(ctx, request)
	if err != nil {
		return err
	}
	size := sizeOf(p.perPage, page)
	if size.Answer != pipeline.AnswerNo && small.Answer == pipeline.AnswerNo {
		size = small
	}
	p.found(size)
	switch {
	case filters && !request.Since.IsZero():
		p.found(filter(request, page, p.known, records))
		p.found(inclusive(request, page, p.known, records))
	case filters:
		p.found(unknown(pipeline.CapabilityFilter, "the list shows no record with a modification time"))
		p.found(unknown(pipeline.CapabilityInclusive, "the list shows no record with a modification time"))
	}
	if sorts {
		ascending := order(pipeline.CapabilityAscending, request, page, records)
		if !request.Since.IsZero() { // keyset paging uses both together (docs/decisions/0008-keyset-paging)
			ascending.Evidence += ", asked for with the filter in one call"
		}
		p.found(ascending)
	}
	return p.count(ctx)
}

// count asks how many records the list has, and what their amounts sum up to. Whether that is true of
// its records, a whole reading shows.
func (p *prober) count(ctx context.Context) error {
	if !p.stream.Countable() {
		return nil
	}
	request := p.request(1, p.perPage)
	request.Counts = true
	page, _, err := p.page(ctx, request)
	refused := pipeline.KindOf(err) == pipeline.Unexpected
	switch {
	case err != nil && !refused:
		return err
	case refused:
		p.found(no(pipeline.CapabilityTotal, "", "asked for the number of records, the list answered with an error: %s", err.Error()))
		return nil
	case !page.Counted:
		p.found(no(pipeline.CapabilityTotal, "", "asked for the number of records, the list gave a page without it"))
		return nil
	}
	p.found(yes(pipeline.CapabilityTotal, "", "asked for the number of records, the list gave it"))
	if !p.stream.Resource.Summed() {
		return nil
	}
	request.Sums = true
	page, _, err = p.page(ctx, request)
	switch columns := strings.Join(slices.Sorted(maps.Keys(page.Tally.Sums)), ", "); {
	case pipeline.KindOf(err) == pipeline.Unexpected:
		p.found(no(pipeline.CapabilitySums, "", "asked for sums, the list answered with an error: %s", err.Error()))
	case err != nil:
		return err
	case columns == "":
		p.found(no(pipeline.CapabilitySums, "", "asked for sums, the list gave none"))
	default:
		p.found(unknown(pipeline.CapabilitySums, "the list gives sums of %s: a counted reading shows whether they are those of its records", columns))
	}
	return nil
}
