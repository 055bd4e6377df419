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
	// timeFormat is how last_modified_time is sent: offset without a colon, in the
	// organization's zone. Source: docs/upstream.md U110 and U120.
	timeFormat = "2006-01-02T15:04:05-0700"
	// holeParent is where a path takes the parent's identifier, holeID the record's.
	holeParent = "{parent}"
	holeID     = "{id}"
	// A page has a few more records than were asked for, where upstream rounds; one of many times as many is no page.
	morePages, fewest = 10, 2000
)

// Page reads one page of a list, or a list or an object that comes in one answer.
// Its errors are *pipeline.Error with a kind; a page that is given is whole, is
// the page that was asked for, and has its call in the call log. Source:
// docs/upstream.md U80 and U81; for lists without page_context
// and those that go on by token, U82 and U86.
func (c *Client) Page(ctx context.Context, ask pipeline.Ask) (pipeline.Page, error) {
	query, err := c.listQuery(ask, ask.Stream.Org.Zone())
	if err != nil {
		return pipeline.Page{}, err
	}
	target := targetOf(ask)
	target.path, target.fill, target.query = ask.Stream.Resource.Path, parentIn(ask), query
	var page pipeline.Page
	err = c.fetch(ctx, target, func(op wire.Call, number int64, answer *wire.Reply, envelope *body.Envelope) (int, error) {
		list, err := readList(envelope, ask)
		if err != nil {
			return 0, c.failure(op, pipeline.Unexpected, answer, envelope.Code, "", err)
		}
		if most := mostRecords(ask); len(list.Records) > most {
			return 0, c.failure(op, pipeline.Unexpected, answer, envelope.Code,
				c.scrub.Textf("a page of %d records where %d were asked for: more than %d are not read", len(list.Records), ask.PerPage, most), nil)
		}
		if list.Number != ask.Page {
			return 0, c.failure(op, pipeline.Unexpected, answer, envelope.Code, "the answer is page "+outside.Number(list.Number), nil)
		}
		page = pipeline.Page{
			Call: number, Date: wire.DateOf(answer.Header), Records: list.Records, More: list.More, PerPage: list.PerPage,
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

// readList reads the answer as the resource's declaration says that it comes.
func readList(envelope *body.Envelope, ask pipeline.Ask) (body.Page, error) {
	resource := ask.Stream.Resource
	if _, single := resource.Cursor.(schema.Snapshot); single {
		object, err := envelope.Object(resource.Key)
		if err != nil || object == nil {
			return body.Page{Number: ask.Page}, err
		}
		return body.Page{Number: ask.Page, Records: [][]byte{object}}, nil
	}
	switch resource.Paging {
	case schema.PagingWhole:
		return envelope.Whole(resource.Key)
	case schema.PagingToken:
		list, err := envelope.Linked(resource.Key)
		list.Number = ask.Page
		return list, err
	case schema.PagingNumber:
		return envelope.Page(resource.Key)
	default:
		return body.Page{}, fmt.Errorf("the declaration names a way of paging, %d, that is not one", resource.Paging)
	}
}

// mostRecords is how many records the answer may hold: of a list that comes whole, as many as a body may.
func mostRecords(ask pipeline.Ask) int {
	if ask.Stream.Resource.Paging == schema.PagingWhole {
		return body.MaxElements
	}
	return max(fewest, morePages*ask.PerPage)
}

// listQuery are the parameters of a list. Source: docs/upstream.md U80, U86
// and U100 to U110.
func (c *Client) listQuery(ask pipeline.Ask, zone *time.Location) (url.Values, error) {
	query := valuesOf(ask.Stream.Resource.Params)
	setPage(query, ask)
	if ask.Sort != "" {
		query.Set("sort_column", ask.Sort)
	}
	if ask.Order != "" {
		query.Set("sort_order", ask.Order)
	}
	if !ask.Since.IsZero() {
		since, ok := ask.Stream.Resource.Cursor.(schema.Since)
		if !ok || since.Param == "" {
			return nil, &pipeline.Error{
				Kind: pipeline.Unexpected, Op: c.about("list", ask),
				Detail: "it was to be filtered by time, and its declaration names no such filter",
			}
		}
		query.Set(since.Param, ask.Since.In(zone).Format(timeFormat))
	}
	return query, c.setWindow(query, ask)
}

// setWindow asks for the days of a window. Source:
// docs/upstream.md U174.
func (c *Client) setWindow(query url.Values, ask pipeline.Ask) error {
	if ask.From.IsZero() && ask.To.IsZero() {
		return nil
	}
	window := ask.Stream.Resource.Window
	if window == nil {
		return &pipeline.Error{
			Kind: pipeline.Unexpected, Op: c.about("list", ask),
			Detail: "it was to be filtered by day, and its declaration names no such filter",
		}
	}
	if !ask.From.IsZero() {
		query.Set(window.From, ask.From.Format(time.DateOnly))
	}
	if !ask.To.IsZero() {
		query.Set(window.To, ask.To.Format(time.DateOnly))
	}
	return nil
}

// setPage asks for the page. A list that is said to come whole is asked for without
// any; where its answer has a page_context that says that more follows, the next
// pages are asked for by number all the same.
func setPage(query url.Values, ask pipeline.Ask) {
	switch paging := ask.Stream.Resource.Paging; {
	case paging == schema.PagingToken:
		if ask.PerPage > 0 {
			query.Set("limit", strconv.Itoa(min(ask.PerPage, schema.TokenPage)))
		}
		if ask.Token != "" {
			query.Set("next_token", ask.Token)
		}
	case paging == schema.PagingWhole && ask.Page == 1:
	default:
		query.Set("page", strconv.Itoa(ask.Page))
		if ask.PerPage > 0 {
			query.Set("per_page", strconv.Itoa(ask.PerPage))
		}
	}
}

// targetOf is the part of a target that the question says by itself.
func targetOf(ask pipeline.Ask) target {
	return target{
		organization: ask.Stream.Org, service: ask.Stream.Service, resource: ask.Stream.Resource.Name,
		class: ask.Class, run: ask.Run, page: ask.Page,
	}
}

func parentIn(ask pipeline.Ask) []string {
	if _, perParent := ask.Stream.Resource.Cursor.(schema.PerParent); !perParent {
		return nil
	}
	return []string{holeParent, ask.Parent}
}
