package upstream_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/schema"
)

// Source of paths and keys: docs/upstream.md U216, U217 and U220; of single records U88.
var (
	inventory = &schema.Service{
		Name: "inventory", Host: schema.HostAPI, Root: "/inventory/v1",
		Organization: schema.OrganizationPlacement{Query: "organization_id"},
	}
	bills = &schema.Resource{
		Name: "bills", Path: "/bills", Key: "bills", ID: "bill_id", Params: map[string]string{"filter_by": "Status.All"},
		Single: &schema.Single{Path: "/bills/{id}", Key: "bill"}, Details: &schema.Details{Marker: "line_items"},
		Cursor: schema.FullScan{},
	}
	items = &schema.Resource{
		Name: "items", Path: "/items", Key: "items", ID: "item_id",
		Details: &schema.Details{
			Marker: "warehouses", Batch: &schema.Batch{Path: "/itemdetails", Key: "items", Param: "item_ids", Size: 3},
		},
		Cursor: schema.FullScan{},
	}
)

func detailsOf(resource *schema.Resource) pipeline.Request {
	question := of(inventory, resource)
	question.Stream.Work, question.Class = pipeline.WorkDetails, pipeline.ClassDetails
	return question
}

func TestSingleRecords(t *testing.T) {
	t.Parallel()
	const bill = `{"bill_id":"90000000079426","line_items":[]}`
	for name, tc := range map[string]struct {
		status int
		answer string
		want   []string
		kind   pipeline.Kind
	}{
		"a record":              {200, `{"code":0,"bill":` + bill + `}`, []string{bill}, 0},
		"in an array of one":    {200, `{"code":0,"bill":[` + bill + `]}`, []string{bill}, 0},
		"its number as one":     {200, `{"code":0,"bill":{"bill_id":90000000079426}}`, []string{`{"bill_id":90000000079426}`}, 0},
		"without identifier":    {200, `{"code":0,"bill":{"total":1}}`, []string{`{"total":1}`}, 0},
		"not there, code 5":     {404, `{"code":5}`, []string{}, 0},
		"not there, code 1002":  {404, `{"code":1002}`, []string{}, 0},
		"not there, a page":     {404, `<html>`, []string{}, 0},
		"another record":        {200, `{"code":0,"bill":{"bill_id":"1"}}`, nil, pipeline.Unexpected},
		"no record":             {200, `{"code":0}`, nil, pipeline.Unexpected},
		"an empty record":       {200, `{"code":0,"bill":{}}`, nil, pipeline.Unexpected},
		"two records":           {200, `{"code":0,"bill":[` + bill + `,` + bill + `]}`, nil, pipeline.Unexpected},
		"a failure with 200":    {200, `{"code":1002}`, nil, pipeline.Unexpected},
		"no permission":         {403, `{"code":1038}`, nil, pipeline.Denied},
		"the day is spent":      {429, `{"code":45}`, nil, pipeline.Exhausted},
		"the server failed":     {500, `{"code":1000}`, nil, pipeline.Unavailable},
		"405 is no missing one": {405, `{"code":5}`, nil, pipeline.Unexpected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newFixture(t, answer(tc.status, jsonType, tc.answer))
			page, err := r.client.Details(t.Context(), detailsOf(bills), []string{"90000000079426"})
			const want = "/inventory/v1/bills/90000000079426?organization_id=60012345678"
			if got := r.seen()[0].RequestURI; got != want {
				t.Errorf("asked for %s, want %s", got, want)
			}
			call := r.gate.entered[0]
			if call.Resource != "bills" || call.Class != pipeline.ClassDetails || call.Run != 44 || call.Page != 0 {
				t.Errorf("call %+v", call)
			}
			if tc.kind != 0 {
				r.mustFail(t, err, tc.kind)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, texts(page.Records)); diff != "" {
				t.Error(diff)
			}
			// The 404 page of a gateway does not say that upstream has no such record.
			if unknown := tc.answer == `{"code":5}` || tc.answer == `{"code":1002}`; page.Unknown != unknown || page.Call == 0 {
				t.Errorf("call %d, unknown %v, want %v", page.Call, page.Unknown, unknown)
			}
			if left := r.gate.left[0]; left.Status != tc.status || left.Kind != 0 || left.Records != len(tc.want) {
				t.Errorf("the call log has %+v: it is no failure that a record is not there", left)
			}
		})
	}
}

func TestManyRecordsAtOnce(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		answer string
		want   []string
		kind   pipeline.Kind
	}{
		"all, in another order": {200, `{"code":0,"items":[{"item_id":"2"},{"item_id":1}]}`, []string{`{"item_id":"2"}`, `{"item_id":1}`}, 0},
		"one is not known":      {200, `{"code":0,"items":[{"item_id":"2"}]}`, []string{`{"item_id":"2"}`}, 0},
		"none is known":         {200, `{"code":0,"items":[]}`, []string{}, 0},
		"one is no record":      {200, `{"code":0,"items":[7,{"item_id":"2"}]}`, []string{`7`, `{"item_id":"2"}`}, 0},
		"one comes twice":       {200, `{"code":0,"items":[{"item_id":"2"},{"item_id":2}]}`, nil, pipeline.Unexpected},
		"one was not asked for": {200, `{"code":0,"items":[{"item_id":"3"}]}`, nil, pipeline.Unexpected},
		"more follow":           {200, `{"code":0,"items":[],"page_context":{"page":1,"has_more_page":true}}`, nil, pipeline.Unexpected},
		"no list":               {200, `{"code":0}`, nil, pipeline.Unexpected},
		// The answer does not say which of them is missing, or whether the path is wrong.
		"not found": {404, `{"code":5}`, nil, pipeline.Unexpected},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newFixture(t, answer(tc.status, jsonType, tc.answer))
			page, err := r.client.Details(t.Context(), detailsOf(items), []string{"1", "2"})
			const want = "/inventory/v1/itemdetails?item_ids=1%2C2&organization_id=60012345678"
			if got := r.seen()[0].RequestURI; got != want {
				t.Errorf("asked for %s, want %s", got, want)
			}
			if tc.kind != 0 {
				r.mustFail(t, err, tc.kind)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, texts(page.Records)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDetailsThatAreNotDeclaredAreNotAskedFor(t *testing.T) {
	t.Parallel()
	r := newFixture(t, answer(200, jsonType, `{"code":0}`))
	for _, tc := range []struct {
		resource *schema.Resource
		ids      []string
	}{
		{channels, []string{"1"}},
		{bills, []string{"1", "2"}},
		{items, []string{"1", "2", "3", "4"}},
		{bills, []string{".."}},
	} {
		_, err := r.client.Details(t.Context(), detailsOf(tc.resource), tc.ids)
		r.mustFail(t, err, pipeline.Unexpected)
	}
	if page, err := r.client.Details(t.Context(), detailsOf(bills), nil); err != nil || len(page.Records) != 0 {
		t.Errorf("nothing asked for: %+v, %v", page, err)
	}
	if got := len(r.seen()); got != 0 {
		t.Errorf("%d calls were made, want none", got)
	}
}

// manyOf repeats an element of a list.
func manyOf(element string, count int) string {
	return strings.TrimSuffix(strings.Repeat(element+",", count), ",")
}

func TestAPageHasNotManyTimesAsManyRecordsAsWereAskedFor(t *testing.T) {
	t.Parallel()
	const end = `],"page_context":{"page":1,"per_page":200,"has_more_page":false}}`
	for name, tc := range map[string]struct {
		resource       *schema.Resource
		count, perPage int
		fits           bool
	}{
		"ten times as many":     {accounts, 2_000, 200, true},
		"one more":              {accounts, 2_001, 200, false},
		"a small page":          {accounts, 2_000, 10, true},
		"a large page":          {accounts, 5_000, 500, true},
		"one more than that":    {accounts, 5_001, 500, false},
		"a list that is whole":  {customers, 10_000, 200, true},
		"one of too many":       {customers, 10_001, 200, false},
		"a list by token":       {channels, 2_001, 100, false},
		"far too many, by page": {accounts, 700_000, 200, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newFixture(t, answer(200, jsonType, `{"code":0,"`+tc.resource.Key+`":[`+manyOf(`{"a":"b"}`, tc.count)+end))
			question := of(accounting, tc.resource)
			question.PerPage = tc.perPage
			if tc.resource == customers {
				question.Parent = "77"
			}
			page, err := r.client.Page(t.Context(), question)
			if !tc.fits {
				r.mustFail(t, err, pipeline.Unexpected)
				if !strings.Contains(err.Error(), "more than") {
					t.Errorf("it does not say why: %v", err)
				}
				return
			}
			if err != nil || len(page.Records) != tc.count {
				t.Errorf("%d records, %v", len(page.Records), err)
			}
		})
	}
}

func TestSinglesAreNotMoreThanWereAskedFor(t *testing.T) {
	t.Parallel()
	r := newFixture(t, answer(200, jsonType, fmt.Sprintf(`{"code":0,"items":[%s]}`, manyOf(`{}`, 3))))
	_, err := r.client.Details(t.Context(), detailsOf(items), []string{"1", "2"})
	r.mustFail(t, err, pipeline.Unexpected)
}

func TestATokenIsShort(t *testing.T) {
	t.Parallel()
	r := newFixture(t, answer(200, jsonType, `{"channels":[],"next_token":"`+strings.Repeat("t", 5_000)+`"}`))
	_, err := r.client.Page(t.Context(), of(chat, channels))
	r.mustFail(t, err, pipeline.Unexpected)
}
