package upstream

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream/body"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

const (
	// timeFormat is how last_modified_time is sent: offset without a colon, in the organization's
	// zone. Source: docs/upstream.md U110 and U120.
	timeFormat = "2006-01-02T15:04:05-0700"
	// holeParent is where a path takes the parent's identifier, holeID the record's.
	holeParent = "{parent}"
	holeID     = "{id}"
	// Upstream rounds, so a page may have a few more records than were asked for. More than ten
	// times as many, or more than 2000 if that is larger, is no page.
	morePages, fewest = 10, 2000
)

// Page reads one page of a list, or a list or an object that is one answer. Its errors are
// *pipeline.Error with a kind. A page that it gives is whole, is the page that was asked for, and
// has its call in the call log. Source: docs/upstream.md U80 and U81; for lists without
// page_context and those that go on by token, U82 and U86; for EnvelopeInfo, U351 to U354.
func (c *Client) Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
	query, err := c.listQuery(request, request.Stream.Org.Zone())
	if err != nil {
		return pipeline.Page{}, err
	}
	target := targetOf(request)
	target.path, target.fill, target.query = request.Stream.Resource.Path, parentIn(request), query
	if request.Stream.LeaveOut != nil {
		target.own = body.Own{Key: request.Stream.Resource.Key, Elements: request.Stream.LeaveOut.Elements}
	}
	var page pipeline.Page
	err = c.fetch(ctx, target, func(op wire.Call, number int64, answer *wire.Reply, envelope *body.Envelope) (int, error) {
		if total, counted := envelope.Total(); counted && request.Counts {
			page = pipeline.Page{
				Call: number, Date: wire.DateOf(answer.Header), Counted: true, Tally: pipeline.Tally{Records: total, Sums: envelope.Sums()},
				Took: c.now().Sub(op.Granted), Turn: answer.KeepTurn(),
			}
			return 0, nil
		}
		list, err := readList(envelope, request)
		if err != nil {
			return 0, c.failure(op, pipeline.Unexpected, answer, envelope.Code, "", err)
		}
		if most := mostRecords(request); len(list.Records) > most {
			return 0, c.failure(op, pipeline.Unexpected, answer, envelope.Code,
				c.scrub.Textf("a page of %d records where %d were asked for: more than %d are not read", len(list.Records), request.PerPage, most), nil)
		}
		if list.Number != request.Page {
			return 0, c.failure(op, pipeline.Unexpected, answer, envelope.Code, "the answer is page "+outside.Number(list.Number), nil)
		}
		page = pipeline.Page{
			Call: number, Date: wire.DateOf(answer.Header), Records: list.Records, LeftOut: list.Rewritten, More: list.More, PerPage: list.PerPage,
			Token: list.Token, Sort: list.Sort, Order: list.Order, Turn: answer.KeepTurn(),
		}
		return len(list.Records), nil
	})
	if err != nil {
		page.Turn.End()
		return pipeline.Page{}, err
	}
	return page, nil
}

// readList reads the answer in the way of paging that the declaration names.
func readList(envelope *body.Envelope, request pipeline.Request) (body.Page, error) {
	resource := request.Stream.Resource
	if envelope.Nothing {
		return body.Page{Number: request.Page}, nil
	}
	if _, single := resource.Cursor.(schema.Snapshot); single {
		object, err := envelope.Object(resource.Key)
		if err != nil || object == nil {
			return body.Page{Number: request.Page}, err
		}
		return body.Page{Number: request.Page, Records: [][]byte{object}}, nil
	}
	switch resource.Paging {
	case schema.PagingWhole:
		return envelope.Whole(resource.Key)
	case schema.PagingToken:
		list, err := envelope.Linked(resource.Key)
		list.Number = request.Page
		return list, err
	case schema.PagingNumber:
		return envelope.Page(resource.Key)
	default:
		return body.Page{}, fmt.Errorf("the declaration names a way of paging, %d, that is not one", resource.Paging)
	}
}

// mostRecords is how many records the answer may hold; a list in one answer may hold as many as a
// body.
func mostRecords(request pipeline.Request) int {
	if request.Stream.Resource.Paging == schema.PagingWhole {
		return body.MaxElements
	}
	return max(fewest, morePages*request.PerPage)
}

// listQuery are the parameters of a list. Source: docs/upstream.md U80, U86 and U100 to U110.
func (c *Client) listQuery(request pipeline.Request, zone *time.Location) (url.Values, error) {
	query := valuesOf(request.Stream.Resource.Params)
	setPage(query, request)
	setSort(query, request)
	if request.Counts {
		query.Set("response_option", "2") // no records, and their number: docs/upstream.md U91
	}
	if request.Sums { // with one record, which is not taken: U93
		query.Set("response_option", "3")
		query.Set("per_page", "1")
	}
	if !request.Since.IsZero() {
		since, ok := request.Stream.Resource.Cursor.(schema.Since)
		if !ok || since.Param == "" {
			return nil, &pipeline.Error{
				Kind: pipeline.Unexpected, Op: c.about("list", request),
				Detail: "it was to be filtered by time, and its declaration names no such filter",
			}
		}
		query.Set(since.Param, request.Since.In(zone).Format(timeFormat))
	}
	return query, c.setWindow(query, request)
}

// setWindow sets the days of a window. Source: docs/upstream.md U174.
func (c *Client) setWindow(query url.Values, request pipeline.Request) error {
	if request.From.IsZero() && request.To.IsZero() {
		return nil
	}
	window := request.Stream.Resource.Window
	if window == nil {
		return &pipeline.Error{
			Kind: pipeline.Unexpected, Op: c.about("list", request),
			Detail: "it was to be filtered by day, and its declaration names no such filter",
		}
	}
	if !request.From.IsZero() {
		query.Set(window.From, request.From.Format(time.DateOnly))
	}
	if !request.To.IsZero() {
		query.Set(window.To, request.To.Format(time.DateOnly))
	}
	return nil
}

// setPage sets the page. For a list in one answer the first call names none. If that answer has a
// page_context which says that more follows, the next calls ask for pages by number.
func setPage(query url.Values, request pipeline.Request) {
	form := request.Stream.Service.Envelope
	switch paging := request.Stream.Resource.Paging; {
	case paging == schema.PagingToken:
		limit, token := "limit", "next_token"
		if form == schema.EnvelopeInfo {
			limit, token = "per_page", "page_token"
		}
		if request.PerPage > 0 {
			query.Set(limit, strconv.Itoa(min(request.PerPage, form.TokenPage())))
		}
		if request.Token != "" {
			query.Set(token, request.Token)
		}
	case paging == schema.PagingWhole && request.Page == 1:
	default:
		query.Set("page", strconv.Itoa(request.Page))
		if request.PerPage > 0 && request.PerPage != request.Stream.Resource.Unsized {
			query.Set("per_page", strconv.Itoa(request.PerPage))
		}
	}
}

// setSort sets the order, in the words of the service's envelope.
func setSort(query url.Values, request pipeline.Request) {
	sort, order := "sort_column", request.Order
	if request.Stream.Service.Envelope == schema.EnvelopeInfo {
		sort, order = "sort_by", map[string]string{"A": "asc", "D": "desc"}[request.Order]
	}
	if request.Sort != "" {
		query.Set(sort, request.Sort)
	}
	if order != "" {
		query.Set("sort_order", order)
	}
}

// targetOf fills in the part of a target that the request names by itself.
func targetOf(request pipeline.Request) target {
	return target{
		organization: request.Stream.Org, service: request.Stream.Service, resource: request.Stream.Resource.Name,
		class: request.Class, run: request.Run, page: request.Page, withhold: request.Stream.LeaveOut != nil,
	}
}

func parentIn(request pipeline.Request) []string {
	if _, perParent := request.Stream.Resource.Cursor.(schema.PerParent); !perParent {
		return nil
	}
	return []string{holeParent, request.Parent}
}
