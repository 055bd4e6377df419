package upstream_test

import (
	"net/http"
	"strings"
	"testing"

	"sluice/pipeline"
	"sluice/pipeline/check"
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
		Details: &schema.Details{Marker: "warehouses", Batch: &schema.Batch{Path: "/itemdetails", Key: "items", Param: "item_ids", Size: 3}},
		Cursor:  schema.FullScan{},
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
			r := newFixture(t, answer(tc.status, jsonType, tc.answer))
			page, err := r.client.Details(t.Context(), detailsOf(bills), []string{"90000000079426"})
			const want = "/inventory/v1/bills/90000000079426?organization_id=60012345678"
			check.Same(t, "asked for", want, r.seen()[0].RequestURI)
			call := r.gate.entered[0]
			check.ErrorIf(t, call.Resource != "bills" || call.Class != pipeline.ClassDetails || call.Run != 44 || call.Page != 0, "call %+v", call)
			if tc.kind != 0 {
				r.mustFail(t, err, tc.kind)
				return
			}
			check.Must(t, err)
			check.Same(t, "", tc.want, texts(page.Records))
			// The 404 page of a gateway does not say that upstream has no such record.
			unknown := tc.answer == `{"code":5}` || tc.answer == `{"code":1002}`
			check.ErrorIf(t, page.Unknown != unknown || page.Call == 0, "call %d, unknown %v, want %v", page.Call, page.Unknown, unknown)
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
		"more than asked for":   {200, `{"code":0,"items":[{},{},{}]}`, nil, pipeline.Unexpected},
		"more follow":           {200, `{"code":0,"items":[],"page_context":{"page":1,"has_more_page":true}}`, nil, pipeline.Unexpected},
		"no list":               {200, `{"code":0}`, nil, pipeline.Unexpected},
		// The answer does not say which of them is missing, or whether the path is wrong.
		"not found": {404, `{"code":5}`, nil, pipeline.Unexpected},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, answer(tc.status, jsonType, tc.answer))
			page, err := r.client.Details(t.Context(), detailsOf(items), []string{"1", "2"})
			const want = "/inventory/v1/itemdetails?item_ids=1%2C2&organization_id=60012345678"
			check.Same(t, "asked for", want, r.seen()[0].RequestURI)
			if tc.kind != 0 {
				r.mustFail(t, err, tc.kind)
				return
			}
			check.Must(t, err)
			check.Same(t, "", tc.want, texts(page.Records))
		})
	}
}

func TestDetailsThatAreNotDeclaredAreNotAskedFor(t *testing.T) {
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
	page, err := r.client.Details(t.Context(), detailsOf(bills), nil)
	check.ErrorIf(t, err != nil || len(page.Records) != 0, "nothing asked for: %+v, %v", page, err)
	check.Same(t, "calls were made", 0, len(r.seen()))
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
			r := newFixture(t, answer(200, jsonType, `{"code":0,"`+tc.resource.Key+`":[`+manyOf(`{"a":"b"}`, tc.count)+end))
			question := of(accounting, tc.resource)
			question.PerPage = tc.perPage
			if tc.resource == customers {
				question.Parent = "77"
			}
			page, err := r.client.Page(t.Context(), question)
			if !tc.fits {
				r.mustFail(t, err, pipeline.Unexpected)
				check.ErrorIf(t, !strings.Contains(err.Error(), "more than"), "it does not say why: %v", err)
				return
			}
			check.ErrorIf(t, err != nil || len(page.Records) != tc.count, "%d records, %v", len(page.Records), err)
		})
	}
}

// The CRM, and its lists in the ways of paging. Source: docs/upstream.md U350 to U354.
var (
	crm   = &schema.Service{Name: "crm", Host: schema.HostAPI, Root: "/crm", Envelope: schema.EnvelopeInfo}
	deals = &schema.Resource{
		Name: "deals", Path: "/v8/Deals", Key: "data", ID: "id", Params: map[string]string{"fields": "Deal_Name"},
		Cursor: schema.NewestFirst{Column: "Modified_Time", Sort: "Modified_Time"},
	}
)

const twoDeals = `{"data":[{"id":"1"},{"id":"2"}],"info":{"per_page":200,"count":2,"page":1,"sort_by":"Modified_Time","sort_order":"desc",` +
	`"more_records":true,"next_page_token":"a+b/c=="}}`

func dealsBy(paging schema.Paging) pipeline.Request {
	resource := *deals
	resource.Paging = paging
	return of(crm, &resource)
}

func TestListsWithInfo(t *testing.T) {
	t.Parallel()
	without := func(part string) string { return strings.Replace(twoDeals, part, "", 1) }
	last := strings.Replace(twoDeals, "true", "false", 1)
	for name, tc := range map[string]struct {
		paging  schema.Paging
		handler http.HandlerFunc
		records int
		more    bool
		token   string
		kind    pipeline.Kind
	}{
		"by number":           {schema.PagingNumber, answer(200, jsonType, twoDeals), 2, true, "", 0},
		"the last one":        {schema.PagingNumber, answer(200, jsonType, last), 2, false, "", 0},
		"no record":           {schema.PagingNumber, answer(204, "", ""), 0, false, "", 0},
		"another page":        {schema.PagingNumber, answer(200, jsonType, strings.Replace(twoDeals, `"page":1`, `"page":2`, 1)), 0, false, "", pipeline.Unexpected},
		"no page":             {schema.PagingNumber, answer(200, jsonType, without(`"page":1,`)), 0, false, "", pipeline.Unexpected},
		"no more_records":     {schema.PagingNumber, answer(200, jsonType, without(`"more_records":true,`)), 0, false, "", pipeline.Unexpected},
		"by token":            {schema.PagingToken, answer(200, jsonType, twoDeals), 2, true, "a+b/c==", 0},
		"by token, no page":   {schema.PagingToken, answer(200, jsonType, without(`"page":1,`)), 2, true, "a+b/c==", 0},
		"by token, the last":  {schema.PagingToken, answer(200, jsonType, last), 2, false, "", 0},
		"by token, no token":  {schema.PagingToken, answer(200, jsonType, without(`,"next_page_token":"a+b/c=="`)), 0, false, "", pipeline.Unexpected},
		"by token, no record": {schema.PagingToken, answer(204, "", ""), 0, false, "", 0},
		"whole":               {schema.PagingWhole, answer(200, jsonType, last), 2, false, "", 0},
		"whole, no info":      {schema.PagingWhole, answer(200, jsonType, `{"data":[{"id":"1"}]}`), 1, false, "", 0},
		"an error in a 200":   {schema.PagingNumber, answer(200, jsonType, `{"code":"INVALID_MODULE","status":"error"}`), 0, false, "", pipeline.Unexpected},
		"an error":            {schema.PagingNumber, answer(400, jsonType, `{"code":"REQUIRED_PARAM_MISSING"}`), 0, false, "", pipeline.Unexpected},
		"no right":            {schema.PagingNumber, answer(403, jsonType, `{"code":"NO_PERMISSION"}`), 0, false, "", pipeline.Denied},
		"too many":            {schema.PagingNumber, answer(429, jsonType, `{"code":"TOO_MANY_REQUESTS"}`), 0, false, "", pipeline.Throttled},
		"an old copy":         {schema.PagingNumber, answer(204, "", "", "Age", "61"), 0, false, "", pipeline.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, tc.handler)
			page, err := r.client.Page(t.Context(), dealsBy(tc.paging))
			if tc.kind != 0 {
				r.mustFail(t, err, tc.kind)
				return
			}
			check.ErrorIf(t, err != nil || len(page.Records) != tc.records || page.More != tc.more || page.Token != tc.token,
				"page %+v, %v", page, err)
		})
	}
}

// TestTheRequestOfAListWithInfo: paging and order in the words of the CRM, and the order of the
// answer in those of the program.
func TestTheRequestOfAListWithInfo(t *testing.T) {
	r := newFixture(t, answer(200, jsonType, twoDeals))
	sorted := dealsBy(schema.PagingNumber)
	sorted.Sort, sorted.Order = "Modified_Time", "D"
	page, err := r.client.Page(t.Context(), sorted)
	check.ErrorIf(t, err != nil || page.Sort != "Modified_Time" || page.Order != "D", "page %+v, %v", page, err)
	next := dealsBy(schema.PagingToken)
	next.Page, next.Token, next.Order = 2, "a+b/c==", "A"
	r.page(t, next)
	for i, want := range []string{
		"fields=Deal_Name&page=1&per_page=200&sort_by=Modified_Time&sort_order=desc",
		"fields=Deal_Name&page_token=a%2Bb%2Fc%3D%3D&per_page=200&sort_order=asc",
	} {
		got := r.seen()[i]
		check.ErrorIf(t, got.URL.RawQuery != want || got.URL.Path != "/crm/v8/Deals" || got.Header.Get("Accept") != jsonType,
			"asked for %s, want /crm/v8/Deals?%s", got.URL, want)
	}
}

// TestCheckByAList: a service without a probe is checked by its first list, and one without a list
// says so without a call.
func TestCheckByAList(t *testing.T) {
	r := newFixture(t, answer(204, "", ""))
	service := *crm
	err := r.client.Check(t.Context(), home, &service)
	if r.mustFail(t, err, pipeline.Denied); len(r.seen()) != 0 || !strings.Contains(err.Error(), "declare one under custom") {
		t.Errorf("%d calls, %v", len(r.seen()), err)
	}
	service.Resources = []schema.Resource{*deals}
	if err = r.client.Check(t.Context(), home, &service); err != nil {
		t.Error(err)
	}
	got := r.seen()[0].URL
	check.ErrorIf(t, got.Path != "/crm/v8/Deals" || got.RawQuery != "fields=Deal_Name&page=1&per_page=1", "checked by %s", got)
}

// TestSingleRecordsWithoutABody: 204 is no record, and no proof that it is gone.
func TestSingleRecordsWithoutABody(t *testing.T) {
	r := newFixture(t, answer(204, "", ""))
	request := dealsBy(schema.PagingToken)
	request.Stream.Resource.Single = &schema.Single{Path: "/v8/Deals/{id}", Key: "data"}
	page, err := r.client.Details(t.Context(), request, []string{"1"})
	check.ErrorIf(t, err != nil || len(page.Records) != 0 || page.Unknown || page.Call == 0, "page %+v, %v", page, err)
}

// TestWhatLasts: a whole answer that lacks what the declaration says lasts, and names what to
// correct. Any other answer may be another one next time.
func TestWhatLasts(t *testing.T) {
	t.Parallel()
	const inTime = `"page_context":{"page":1,"per_page":200,"has_more_page":false}`
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		parts   []string // of the error that lasts; none for one that passes
	}{
		"another key":     {answer(200, jsonType, `{"code":0,"accounts":[],`+inTime+`}`), []string{"the key chartofaccounts is missing", "keys accounts, code, page_context", "correct the key of the records"}},
		"no list":         {answer(200, jsonType, `{"code":0,"chartofaccounts":{},`+inTime+`}`), []string{"key chartofaccounts: not an array", "correct the key of the records"}},
		"no page_context": {answer(200, jsonType, `{"code":0,"chartofaccounts":[]}`), []string{"the key page_context is missing", "correct the paging"}},
		"no has_more_page": {
			answer(200, jsonType, `{"code":0,"chartofaccounts":[],"page_context":{"page":1}}`), []string{"the key has_more_page is missing", "correct the paging"},
		},
		"has_more_page is null":  {answer(200, jsonType, `{"code":0,"chartofaccounts":[],"page_context":{"page":1,"has_more_page":null}}`), nil},
		"HTML":                   {answer(200, "text/html", "<html></html>"), nil},
		"HTML that is called so": {answer(200, jsonType, "<html></html>"), nil},
		"no code":                {answer(200, jsonType, `{"accounts":[]}`), nil},
		"a code":                 {answer(200, jsonType, `{"code":9,"message":"no"}`), nil},
		"cut":                    {answer(200, jsonType, `{"code":0,"accounts":[`), nil},
		"500":                    {answer(500, jsonType, `{"code":0,"accounts":[]}`), nil},
		"404":                    {answer(404, jsonType, `{"code":5}`), nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, tc.handler)
			_, err := r.client.Page(t.Context(), ask(1))
			r.mustBeClean(t, err)
			check.ErrorIf(t, pipeline.Lasting(err) != (tc.parts != nil), "lasting %t: %v", pipeline.Lasting(err), err)
			for _, part := range tc.parts {
				check.ErrorIf(t, !strings.Contains(err.Error(), part), "%v\nlacks %q", err, part)
			}
		})
	}
}
