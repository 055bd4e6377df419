package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream/body"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

// Details reads single records by their identifiers: one a call, or as many as the declaration's
// batch takes. The page leaves out identifiers that upstream does not know (docs/upstream.md U65:
// 404 code 5 or 1002). A record that was not asked for, or that the answer repeats, is an error of
// kind Unexpected. Source: docs/upstream.md U65 (codes), U88, U169, U182 and U217, the rows of
// single records.
func (c *Client) Details(ctx context.Context, request pipeline.Request, ids []string) (pipeline.Page, error) {
	target, key, err := c.detailsTarget(request, ids)
	if err != nil || len(ids) == 0 {
		return pipeline.Page{}, err
	}
	// A 404 does not say which of several records is missing, or whether the path is.
	target.mayMiss = len(ids) == 1
	var page pipeline.Page
	target.missed = func(number int64, answer *wire.Reply, code string) {
		page = pipeline.Page{Call: number, Date: wire.DateOf(answer.Header), Unknown: noSuchRecord(code)}
	}
	err = c.fetch(ctx, target, func(op wire.Call, number int64, answer *wire.Reply, envelope *body.Envelope) (int, error) {
		if envelope.Nothing { // no words of upstream's own: it proves nothing
			page = pipeline.Page{Call: number, Date: wire.DateOf(answer.Header)}
			return 0, nil
		}
		records, err := readSingles(envelope, key, batchOf(request.Stream.Resource) != nil)
		if err == nil {
			err = hold(records, request.Stream.Resource.ID, ids)
		}
		if err != nil {
			return 0, c.failure(op, pipeline.Unexpected, answer, envelope.Code, "", err)
		}
		page = pipeline.Page{Call: number, Date: wire.DateOf(answer.Header), Records: records, Turn: answer.KeepTurn()}
		return len(records), nil
	})
	if err != nil {
		page.Turn.End()
		return pipeline.Page{}, err
	}
	return page, nil
}

// detailsTarget gives the target from which these records are read, and the key of their answer.
func (c *Client) detailsTarget(request pipeline.Request, ids []string) (target, string, error) {
	resource := request.Stream.Resource
	batch := batchOf(resource)
	t := targetOf(request)
	t.page = 0
	switch {
	case batch != nil && len(ids) <= batch.Size:
		t.path, t.query = batch.Path, url.Values{batch.Param: {strings.Join(ids, ",")}}
		return t, batch.Key, nil
	case batch == nil && resource.Single != nil && len(ids) <= 1:
		t.path, t.query = resource.Single.Path, url.Values{}
		if len(ids) == 1 {
			t.fill = []string{holeID, ids[0]}
		}
		return t, resource.Single.Key, nil
	default:
		return target{}, "", &pipeline.Error{
			Kind: pipeline.Unexpected, Op: c.about("details", request),
			Detail: "its declaration has no call for " + outside.Number(len(ids)) + " single records at once",
		}
	}
}

// batchOf is the call that reads several single records at once; nil if the declaration has none.
func batchOf(resource *schema.Resource) *schema.Batch {
	if resource.Details == nil {
		return nil
	}
	return resource.Details.Batch
}

func readSingles(envelope *body.Envelope, key string, many bool) ([][]byte, error) {
	if many {
		list, err := envelope.Whole(key)
		if err == nil && list.More {
			err = fmt.Errorf("%w: the answer says that more records follow", body.ErrShape)
		}
		return list.Records, err
	}
	if _, err := envelope.Value(key); err != nil {
		return nil, err
	}
	object, err := envelope.Object(key)
	if err == nil && object == nil {
		err = fmt.Errorf("%w: the key %s carries no record", body.ErrShape, key)
	}
	return [][]byte{object}, err
}

// hold compares the answer with the request, so that no record is taken for another one. A record
// whose identifier cannot be read is given as it is: whether it fits is not decided here (invariant
// 4).
func hold(records [][]byte, key string, ids []string) error {
	if len(records) > len(ids) {
		return fmt.Errorf("%w: more records than were asked for", body.ErrShape)
	}
	seen := make(map[string]bool, len(records))
	for _, record := range records {
		id := body.Member(record, key)
		switch {
		case id == "":
		case !slices.Contains(ids, id):
			return fmt.Errorf("%w: a record that was not asked for", body.ErrShape)
		case seen[id]:
			return fmt.Errorf("%w: a record comes twice", body.ErrShape)
		}
		seen[id] = true
	}
	return nil
}

// noSuchRecord says whether the code of a 404 means that upstream has no such record; other codes
// may be those of a wrong path or a gateway. Source: docs/upstream.md U65.
func noSuchRecord(code string) bool { return code == "5" || code == "1002" }

// miss tells the caller of a 404.
func (t target) miss(number int64, answer *wire.Reply, err error) {
	failure, ok := errors.AsType[*pipeline.Error](err)
	if t.missed != nil && ok {
		t.missed(number, answer, string(failure.Code))
	}
}
