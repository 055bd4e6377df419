package upstream_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/sync"
	"sluice/schema"
	"sluice/schema/redact"
)

// The lists of the ways of paging. Source of the paths: docs/upstream.md U162, U200, U250 and U257.
var (
	channels = &schema.Resource{
		Name: "channels", Path: "/api/v2/channels", Key: "channels", ID: "channel_id", Paging: schema.PagingToken, Cursor: schema.FullScan{},
	}
	networkChannels = &schema.Resource{
		Name: "network_channels", Path: "/network/{parent}/api/v2/channels", Key: "channels", ID: "channel_id",
		Paging: schema.PagingToken, Cursor: schema.PerParent{Column: "network", List: schema.FullScan{}},
	}
	customers = &schema.Resource{
		Name: "contact_persons", Path: "/customers/{parent}/contactpersons", Key: "contact_persons", ID: "contactperson_id",
		Paging: schema.PagingWhole, Cursor: schema.PerParent{Column: "customer_id", List: schema.FullScan{}},
	}
	openingBalances = &schema.Resource{
		Name: "opening_balances", Path: "/settings/openingbalances", Key: "opening_balance", ID: "opening_balance_id",
		Paging: schema.PagingWhole, Cursor: schema.Snapshot{},
	}
)

// of asks for the first page of a resource of organization 60012345678.
func of(service *schema.Service, resource *schema.Resource) pipeline.Request {
	return pipeline.Request{
		Stream: pipeline.Stream{Organization: home.Key, Org: home, Service: service, Resource: resource},
		Class:  pipeline.ClassSweep, Run: 44, Page: 1, PerPage: 200,
	}
}

func texts(records [][]byte) []string {
	out := []string{}
	for _, record := range records {
		out = append(out, string(record))
	}
	return out
}

//nolint:gochecknoglobals // a declaration, and constant
var counted = &schema.Resource{Name: "items", Path: "/items", Key: "items", ID: "item_id", Cursor: schema.FullScan{}, Params: map[string]string{"filter_by": "Status.All"}}

// TestACountIsAskedFor with the parameters of the reading. What a service answers that does not know
// the question is the page; nonsense is no number. Source: docs/upstream.md U91.
func TestACountIsAskedFor(t *testing.T) {
	t.Parallel()
	const page = `"page_context":{"page":1,"per_page":200,"has_more_page":false`
	for name, c := range map[string]struct {
		answer  string
		counted bool
		total   int
		records int
		kind    pipeline.Kind
	}{
		"no records":          {`{"code":0,` + page + `,"total":41207,"total_pages":207}}`, true, 41207, 0, 0},
		"digits in a text":    {`{"code":0,"items":[],` + page + `,"total":"12"}}`, true, 12, 0, 0},
		"records beside it":   {`{"code":0,"items":[{"item_id":"1"}],` + page + `,"total":7}}`, true, 7, 0, 0},
		"the page":            {`{"code":0,"items":[{"item_id":"1"}],` + page + `}}`, false, 0, 1, 0},
		"a negative number":   {`{"code":0,"items":[{"item_id":"1"}],` + page + `,"total":-3}}`, false, 0, 1, 0},
		"more than there are": {`{"code":0,"items":[{"item_id":"1"}],` + page + `,"total":1e30}}`, false, 0, 1, 0},
		"a text":              {`{"code":0,"items":[{"item_id":"1"}],` + page + `,"total":"many"}}`, false, 0, 1, 0},
		"neither":             {`{"code":0,` + page + `}}`, false, 0, 0, pipeline.Unexpected},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, answer(200, jsonType, c.answer))
			question := of(inventory, counted)
			question.Counts = true
			got, err := r.client.Page(t.Context(), question)
			check.Same(t, "asked for", "filter_by=Status.All&organization_id=60012345678&page=1&per_page=200&response_option=2", r.seen()[0].URL.RawQuery)
			if c.kind != 0 {
				r.mustFail(t, err, c.kind)
				return
			}
			check.Must(t, err)
			check.ErrorIf(t, got.Counted != c.counted || got.Tally.Records != c.total || len(got.Records) != c.records,
				"counted %t: %d, %d records", got.Counted, got.Tally.Records, len(got.Records))
			check.ErrorIf(t, c.counted && got.Date.IsZero(), "a count without upstream's clock proves nothing")
		})
	}
}

// TestAListSaysItsSums: those that are plain numbers come as they are, and no others.
func TestAListSaysItsSums(t *testing.T) {
	for sums, want := range map[string]pipeline.Sums{
		`{"total":-120450.5,"balance":"17.00"}`:                         {"total": "-120450.5", "balance": "17.00"},
		`{"total":1.2e5,"balance":"1,200.00","x":null,"y":{},"z":0}`:    {"z": "0"},
		`{"total":1000000000000000000000000000000,"balance":0.0000001}`: {},
		`[]`: {}, `"many"`: {}, `null`: {},
	} {
		t.Run(sums, func(t *testing.T) {
			r := newFixture(t, answer(200, jsonType, `{"code":0,"items":[{"item_id":"1"}],`+
				`"page_context":{"page":1,"per_page":1,"has_more_page":true,"total":7,"sum_columns":`+sums+`}}`))
			question := of(inventory, counted)
			question.Counts, question.Sums = true, true
			got := check.Sure(r.client.Page(t.Context(), question))(t)
			check.Same(t, "asked for", "filter_by=Status.All&organization_id=60012345678&page=1&per_page=1&response_option=3", r.seen()[0].URL.RawQuery)
			check.Same(t, "the tally", pipeline.Tally{Records: 7, Sums: want}, got.Tally)
		})
	}
}

func TestListsThatComeWhole(t *testing.T) {
	t.Parallel()
	const persons = `{"code":0,"contact_persons":[{"contactperson_id":"1"},{"contactperson_id":"2"}]`
	for name, tc := range map[string]struct {
		page   int
		answer string
		query  string
		more   bool
		kind   pipeline.Kind
	}{
		"no context":              {1, persons + `}`, "organization_id=60012345678", false, 0},
		"an empty context":        {1, persons + `,"page_context":""}`, "organization_id=60012345678", false, 0},
		"a context that ends":     {1, persons + `,"page_context":{"page":1,"has_more_page":false}}`, "organization_id=60012345678", false, 0},
		"a context that goes on":  {1, persons + `,"page_context":{"page":1,"per_page":2,"has_more_page":true}}`, "organization_id=60012345678", true, 0},
		"the page behind it":      {2, persons + `,"page_context":{"page":2,"has_more_page":false}}`, "organization_id=60012345678&page=2&per_page=200", false, 0},
		"the same page once more": {2, persons + `}`, "organization_id=60012345678&page=2&per_page=200", false, pipeline.Unexpected},
		"no list":                 {1, `{"code":0}`, "organization_id=60012345678", false, pipeline.Unexpected},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, answer(200, jsonType, tc.answer))
			question := of(accounting, customers)
			question.Page, question.Parent = tc.page, "77"
			page, err := r.client.Page(t.Context(), question)
			got := r.seen()[0].URL
			check.ErrorIf(t, got.RawQuery != tc.query || got.Path != "/books/v3/customers/77/contactpersons", "asked for %s", got)
			if tc.kind != 0 {
				r.mustFail(t, err, tc.kind)
				return
			}
			check.ErrorIf(t, err != nil || len(page.Records) != 2 || page.More != tc.more, "page %+v, %v", page, err)
		})
	}
}

func TestListsThatGoOnByToken(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer, token string
		kind          pipeline.Kind
	}{
		"text":        {`{"channels":[{"channel_id":"1"}],"next_token":"a+b/c=="}`, "a+b/c==", 0},
		"a number":    {`{"channels":[{"channel_id":"1"}],"next_token":12345678901234567890}`, "12345678901234567890", 0},
		"none":        {`{"channels":[{"channel_id":"1"}]}`, "", 0},
		"null":        {`{"channels":[{"channel_id":"1"}],"next_token":null}`, "", 0},
		"empty":       {`{"channels":[{"channel_id":"1"}],"next_token":""}`, "", 0},
		"an object":   {`{"channels":[{"channel_id":"1"}],"next_token":{"a":1}}`, "", pipeline.Unexpected},
		"a long one":  {`{"channels":[],"next_token":"` + strings.Repeat("t", 5_000) + `"}`, "", pipeline.Unexpected},
		"no channels": {`{"next_token":"a"}`, "", pipeline.Unexpected},
	} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t, answer(200, jsonType, tc.answer))
			question := of(chat, channels)
			page, err := r.client.Page(t.Context(), question)
			check.Same(t, "first query", "limit=100", r.seen()[0].URL.RawQuery)
			if tc.kind != 0 {
				r.mustFail(t, err, tc.kind)
				return
			}
			check.ErrorIf(t, err != nil || page.Token != tc.token || page.More != (tc.token != "") || len(page.Records) != 1,
				"page %+v, %v", page, err)
			if tc.token == "" {
				return
			}
			question.Page, question.PerPage, question.Token = 2, 30, page.Token
			r.page(t, question)
			second := r.seen()[1].URL.Query()
			check.ErrorIf(t, second.Get("next_token") != tc.token || second.Get("limit") != "30", "second query %v", second)
		})
	}
}

func TestOneObjectOrNone(t *testing.T) {
	t.Parallel()
	const object = `{"opening_balance_id":"9","accounts":[]}`
	for text, want := range map[string][]string{
		`{"code":0,"opening_balance":` + object + `}`:   {object},
		`{"code":0,"opening_balance":[` + object + `]}`: {object},
		`{"code":0}`:                                            {},
		`{"code":0,"opening_balance":{ }}`:                      {},
		`{"code":0,"opening_balance":[{}]}`:                     {},
		`{"code":0,"opening_balance":[]}`:                       {},
		`{"code":0,"opening_balance":""}`:                       {},
		`{"code":0,"opening_balance":" "}`:                      {},
		`{"code":0,"opening_balance":null}`:                     {},
		`{"code":0,"opening_balance":7}`:                        nil,
		`{"code":0,"opening_balance":"9"}`:                      nil,
		`{"code":0,"opening_balance":[7]}`:                      nil,
		`{"code":0,"opening_balance":[` + object + `,{"a":1}]}`: nil,
	} {
		r := makeFixture(t, answer(200, jsonType, text))
		page, err := r.client.Page(t.Context(), of(accounting, openingBalances))
		if want == nil {
			r.mustFail(t, err, pipeline.Unexpected)
			continue
		}
		check.ErrorIf(t, err != nil, "%s: %v", text, err)
		diff := cmp.Diff(want, texts(page.Records))
		check.ErrorIf(t, diff != "" || page.More, "%s: %s", text, diff)
		check.Same(t, "query", "organization_id=60012345678", r.seen()[0].URL.RawQuery)
	}
}

// TestParentsAreOneSegment: a parent is one segment of the path, whatever its characters.
func TestParentsAreOneSegment(t *testing.T) {
	r := newFixture(t, answer(200, jsonType, `{"channels":[]}`))
	for parent, want := range map[string]string{
		"acme":       "/network/acme/api/v2/channels?limit=100",
		"a/b?c#d e%": "/network/a%2Fb%3Fc%23d%20e%25/api/v2/channels?limit=100",
		"büro":       "/network/b%C3%BCro/api/v2/channels?limit=100",
		"{parent}":   "/network/%7Bparent%7D/api/v2/channels?limit=100",
	} {
		question := of(chat, networkChannels)
		question.Parent = parent
		r.page(t, question)
		requests := r.seen()
		check.Same(t, parent+": asked for", want, requests[len(requests)-1].RequestURI)
	}
	before := len(r.seen())
	for _, parent := range []string{"", ".", ".."} {
		question := of(chat, networkChannels)
		question.Parent = parent
		r.refused(t, question, pipeline.Unexpected)
	}
	got := len(r.seen())
	check.ErrorIf(t, got != before, "%d calls were made for parents that name another path", got-before)
}

func TestExportUnderAParent(t *testing.T) {
	resource := *conversations
	resource.Path = "/network/{parent}/maintenanceapi/v2/chats"
	resource.Cursor = schema.PerParent{Column: "network", Identifier: "chat_id", List: schema.Export{FieldsParam: "fields"}}
	resource.Columns = append([]schema.Column{schema.ID("key", "").Give(), schema.Text("network", "").Give()}, resource.Columns...)
	r := newFixture(t, answer(200, csvType, "a,1,1\n"))
	question := of(chat, &resource)
	question.Parent = "our net"
	var got []string
	check.Must(t, r.client.Export(t.Context(), question, func(page pipeline.Page) error {
		got = append(got, texts(page.Records)...)
		return nil
	}))
	check.Same(t, "", []string{`{"title":"a","chat_id":"1","participant_count":"1"}`}, got)
	const want = "/network/our%20net/maintenanceapi/v2/chats?fields=title%2Cchat_id%2Cparticipant_count"
	check.Same(t, "asked for", want, r.seen()[0].RequestURI)
}

// TestOrganizationsHaveTheirOwnAddresses has two businesses with the same identifier, in two data
// centers. Their keys, under which rows are kept, differ here; the identifier is sent upstream.
func TestOrganizationsHaveTheirOwnAddresses(t *testing.T) {
	r := newFixture(t, answer(200, jsonType, `{"code":0,"contact_persons":[],"channels":[]}`))
	there := &pipeline.Organization{
		Key: "60012345678-eu", ID: home.ID, DataCenter: "eu",
		Addresses: pipeline.Addresses{API: r.server.URL + "/dc/eu/", Chat: r.server.URL + "/dc/eu-chat"},
	}
	for service, want := range map[*schema.Service]string{
		accounting: "/dc/eu/books/v3/customers/77/contactpersons?organization_id=60012345678",
		invoicing:  "/dc/eu/invoice/v3/customers/77/contactpersons",
		chat:       "/dc/eu-chat/customers/77/contactpersons",
	} {
		question := of(service, customers)
		question.Stream.Organization, question.Stream.Org, question.Parent = there.Key, there, "77"
		r.page(t, question)
		requests := r.seen()
		got := requests[len(requests)-1]
		check.ErrorIf(t, got.RequestURI != want || got.Header.Get("Authorization") != "Svc-oauthtoken "+canaryToken,
			"asked for %s with %q, want %s", got.RequestURI, got.Header.Get("Authorization"), want)
		header := got.Header.Get("X-Com-Svc-Invoice-Organizationid")
		check.ErrorIf(t, service == invoicing && header != "60012345678", "header %q, want the identifier", header)
		call := r.gate.entered[len(r.gate.entered)-1]
		check.ErrorIf(t, call.Organization != "60012345678-eu", "the call is on the account of %s", call.Organization)
	}
	// An organization without addresses of its own has the vendor's; a loopback address is valid
	// for .com alone.
	question := of(accounting, customers)
	question.Stream.Org, question.Parent = &pipeline.Organization{Key: home.Key, ID: home.ID, DataCenter: "eu"}, "77"
	before := len(r.seen())
	r.refused(t, question, pipeline.Denied)
	check.ErrorIf(t, len(r.seen()) != before, "a call was made to a guessed address")
}

func TestTokensComeFromTheOrganizationsOwnAddress(t *testing.T) {
	r := newTokenFixture(t, func(w http.ResponseWriter, q *http.Request) {
		text := `{"access_token":"1000.here","expires_in":3600}`
		if strings.HasPrefix(q.URL.Path, "/dc/eu/") {
			text = `{"access_token":"1000.there","expires_in":3600}`
		}
		answer(200, jsonType, text)(w, q)
	})
	there := &pipeline.Organization{Key: "eu", Addresses: pipeline.Addresses{Auth: r.server.URL + "/dc/eu"}}
	tokens := r.process(t)
	for organization, want := range map[*pipeline.Organization]string{home: "1000.here", there: "1000.there"} {
		token, _, err := tokens.Token(t.Context(), organization)
		check.ErrorIf(t, err != nil || token.Reveal() != want, "%s: token %q, %v, want %q", organization.Key, token.Reveal(), err, want)
	}
	check.Same(t, "rows, want 2: the same credential at two servers has two tokens", 2, len(r.store.rows))
	for _, q := range r.seen() {
		check.ErrorIf(t, q.URL.Path != "/oauth/v2/token" && q.URL.Path != "/dc/eu/oauth/v2/token", "asked for %s", q.URL.Path)
	}
}

// TestWindowsAreAskedFor: the declaration names the parameters of a window. A list whose
// declaration names none gets no such request.
func TestWindowsAreAskedFor(t *testing.T) {
	payments := &schema.Resource{
		Name: "vendor_payments", Path: "/vendorpayments", Key: "vendorpayments", ID: "payment_id", Cursor: schema.FullScan{},
		Window: &schema.Window{Column: "date", From: "date_start", To: "date_end"},
	}
	first, last := time.Date(2025, 2, 1, 0, 0, 0, 0, time.UTC), time.Date(2025, 2, 28, 0, 0, 0, 0, time.UTC)
	r := newFixture(t, answer(200, jsonType, `{"code":0,"vendorpayments":[],"page_context":{"page":1,"per_page":200,"has_more_page":false}}`))
	for i, tc := range []struct {
		from, to time.Time
		want     string
	}{
		{first, last, "date_end=2025-02-28&date_start=2025-02-01&organization_id=60012345678&page=1&per_page=200"},
		{first, time.Time{}, "date_start=2025-02-01&organization_id=60012345678&page=1&per_page=200"},
		{time.Time{}, last, "date_end=2025-02-28&organization_id=60012345678&page=1&per_page=200"},
		{time.Time{}, time.Time{}, "organization_id=60012345678&page=1&per_page=200"},
	} {
		question := of(accounting, payments)
		question.From, question.To = tc.from, tc.to
		r.page(t, question)
		check.Same(t, "asked for", tc.want, r.seen()[i].URL.RawQuery)
	}
	question, before := of(accounting, customers), len(r.seen())
	question.Parent, question.From = "7", first
	r.refused(t, question, pipeline.Unexpected)
	check.ErrorIf(t, len(r.seen()) != before, "a list without a filter by day was asked for a window")
}

// TestColumnsAreLeftOutWhileAListIsRead: the records of a list never leave the client with them. Of
// an answer with a record that is no object they are left out afterwards.
func TestColumnsAreLeftOutWhileAListIsRead(t *testing.T) {
	t.Parallel()
	resource := *accounts
	resource.Columns = []schema.Column{schema.ID("account_id", ""), schema.Text("account_name", "")}
	rules, mistakes := redact.Resolve(&resource, redact.Choice{Omit: []string{"account_name"}}, redact.Choice{}, nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	const whole = `{"account_id":"1","account_name":"Anna"},{"account_id":"2"}`
	for name, c := range map[string]struct {
		records string
		leftOut bool
		want    []string
	}{
		"objects":   {whole, true, []string{`{"account_id":"1"}`, `{"account_id":"2"}`}},
		"one is no": {whole + `,"Anna"`, false, []string{`{"account_id":"1"}`, `{"account_id":"2"}`, `{"_withheld":"not a JSON object","_bytes":6}`}},
	} {
		r := makeFixture(t, answer(200, jsonType, `{"code":0,"chartofaccounts":[`+c.records+`],"page_context":{"page":1,"has_more_page":false}}`))
		request := ask(1)
		request.Stream.LeaveOut = redact.New(&resource, rules, nil)
		page, err := r.client.Page(t.Context(), request)
		if err != nil || page.LeftOut != c.leftOut {
			t.Fatal(page.LeftOut, err)
		}
		if page, err = sync.LeavingOut(r.client).Page(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range page.Records {
			got = append(got, string(one))
		}
		check.ErrorIf(t, !slices.Equal(got, c.want), "%s: the records are %q, want %q", name, got, c.want)
	}
}
