package sandbox_test

import (
	"encoding/csv"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox"
)

// contacts returns the vendors and customers that bills, payments and credit notes name.
func contacts(t *testing.T, u *upstream) ([]string, []string) {
	t.Helper()
	billed := texts(t, u.truths(t, "inventory", "bills"), "vendor_id")
	paid := texts(t, u.truths(t, "accounting", "vendor_payments"), "vendor_id")
	return keysOf(set(append(billed, paid...))), keysOf(set(texts(t, u.truths(t, "inventory", "credit_notes"), "customer_id")))
}

// Every contact of a record has a list of none to three persons. The lists together are the truth.
func TestContactPersonsOfEveryContact(t *testing.T) {
	t.Parallel()
	u := start(t, wide())
	vendors, customers := contacts(t, u)
	n := len(vendors) + len(customers)
	errorIf(t, n > 24 || len(vendors) < 2 || len(customers) < 2, "%d vendors and %d customers", len(vendors), len(customers))
	both := slices.Concat(vendors, customers)
	for _, c := range []struct {
		service, path, id, parent string
		contacts                  []string
	}{
		{"accounting", "/books/v3/contacts/", "contact_person_id", "contact_id", both},
		{"invoicing", "/invoice/v3/contacts/", "contact_person_id", "contact_id", both},
		{"billing", "/billing/v1/customers/", "contactperson_id", "customer_id", customers},
	} {
		truth, listed, sizes := map[string]string{}, map[string]string{}, map[int]bool{}
		for fields := range u.truths(t, c.service, "contact_persons") {
			truth[text(t, fields[c.id])] = canonical(t, fields)
		}
		for _, contact := range c.contacts {
			p := readPage(t, u.as(t, c.service, c.path+contact+"/contactpersons"), "contact_persons")
			equal(t, p.Context == nil, c.service == "billing", c.service, p.Context)
			sizes[len(p.Records)] = true
			for _, record := range p.Records {
				equal(t, text(t, record[c.parent]), contact, c.service, record[c.parent])
				listed[text(t, record[c.id])] = canonical(t, record)
			}
		}
		diff := cmp.Diff(truth, listed)
		errorIf(t, diff != "" || len(truth) == 0, "%s (-truth +listed):\n%.500s", c.service, diff)
		errorIf(t, !sizes[0] || !sizes[1] || slices.Max(slices.Collect(maps.Keys(sizes))) > 3, "%s: contacts of %v persons", c.service, sizes)
		equal(t, u.as(t, c.service, c.path+"460000000000000999/contactpersons").Code, http.StatusNotFound, c.service)
	}
}

func TestOneContactPerson(t *testing.T) {
	t.Parallel()
	u := start(t, wide())
	contact := u.first(t, "accounting", "contact_persons", "contact_id")
	person := u.first(t, "accounting", "contact_persons", "contact_person_id")
	path := "/books/v3/contacts/" + contact + "/contactpersons/"
	var body struct {
		Person object `json:"contact_person"`
	}
	decode(t, u.get(t, path+person), &body)
	equal(t, text(t, body.Person["contact_person_id"]), person, body.Person["contact_person_id"])
	_, customers := contacts(t, u)
	equal(t, u.get(t, "/books/v3/contacts/"+customers[0]+"/contactpersons/"+person).Code, http.StatusNotFound, "under another contact")
}

func TestCustomModulesKeepApart(t *testing.T) {
	t.Parallel()
	u := start(t, wide())
	seen := map[string]bool{}
	for _, module := range []string{"cm_projects", "cm_assets"} {
		for _, record := range readPage(t, u.get(t, "/books/v3/"+module), "module_record").Records {
			errorIf(t, text(t, record["module_api_name"]) != module || record["module_name"] != nil,
				"%s: %s, module_name %s", module, record["module_api_name"], record["module_name"])
			seen[text(t, record["module_record_id"])] = true
		}
	}
	equal(t, len(seen), 40, "records in two modules")
	equal(t, u.get(t, "/books/v3/cm_unknown").Code, http.StatusNotFound, "unknown module")
}

// channelPages follows next_token to the end of a list of channels.
func (u *upstream) channelPages(t *testing.T, path string, query url.Values) [][]string {
	t.Helper()
	var pages [][]string
	query = maps.Clone(query)
	for {
		var body struct {
			Channels []object
			Next     string `json:"next_token"`
		}
		answer := u.serve(t, http.MethodGet, path+"?"+query.Encode(), http.Header{"Content-Type": {"application/json"}})
		fatalIf(t, answer.Code != http.StatusOK, "%s: status %d %s", path, answer.Code, answer.Body)
		decode(t, answer, &body)
		pages = append(pages, texts(t, slices.Values(body.Channels), "channel_id"))
		if body.Next == "" {
			return pages
		}
		query.Set("next_token", body.Next)
	}
}

func TestChannelsGoOnByToken(t *testing.T) {
	t.Parallel()
	u := start(t, wide())
	var want []string
	joined := 0
	for fields := range u.truths(t, "chat", "channels") {
		want = append(want, text(t, fields["channel_id"]))
		if string(fields["joined"]) == "true" {
			joined++
		}
	}
	const path = "/api/v2/channels"
	pages := u.channelPages(t, path, url.Values{"limit": {"7"}})
	if got := slices.Concat(pages...); !slices.Equal(got, want) || len(pages) != 5 || len(pages[0]) != 7 { // thirty channels
		t.Errorf("%d pages, %d of %d channels", len(pages), len(got), len(want))
	}
	whole := u.channelPages(t, path, url.Values{})
	errorIf(t, len(whole) != 1 || len(whole[0]) != len(want), "without limit: %d pages", len(whole))
	yes, no := u.channelPages(t, path, url.Values{"joined": {"true"}}), u.channelPages(t, path, url.Values{"joined": {"false"}})
	errorIf(t, len(yes[0]) != joined || len(yes[0])+len(no[0]) != len(want) || len(no[0]) == 0,
		"%d joined, %d not, %d in all", len(yes[0]), len(no[0]), len(want))
	for _, query := range []string{"limit=101", "limit=0", "limit=x", "next_token=%21", "joined=maybe"} {
		answer := u.serve(t, http.MethodGet, path+"?"+query, http.Header{"Content-Type": {"application/json"}})
		errorIf(t, answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), "param_invalid"),
			"%s: status %d %s", query, answer.Code, answer.Body)
	}
}

// Networks have channels and an export of their own, and count their identifiers from the start.
func TestNetworksKeepApart(t *testing.T) {
	t.Parallel()
	u := start(t, wide())
	truth := map[string][]string{}
	for fields := range u.truths(t, "chat", "network_channels") {
		network := text(t, fields["network"])
		truth[network] = append(truth[network], text(t, fields["channel_id"]))
	}
	errorIf(t, len(truth) != 2 || !slices.Equal(truth["partners"], truth["agencies"]), "channels by network: %v", truth)
	chats := 0
	for _, network := range []string{"partners", "agencies"} {
		got := u.channelPages(t, "/network/"+network+"/api/v2/channels", url.Values{"limit": {"4"}})
		equal(t, slices.Concat(got...), truth[network], network, got)
		answer := u.serve(t, http.MethodGet, "/network/"+network+"/maintenanceapi/v2/chats?fields=chat_id,title", csvHeader())
		rows, err := csv.NewReader(answer.Body).ReadAll()
		fatalIf(t, err != nil || len(rows) < 2, "%s: %d rows, %v", network, len(rows), err)
		chats += len(rows) - 1
	}
	for range u.Truth("chat", "network_conversations") {
		chats--
	}
	equal(t, chats, 0, "the networks export")
	for _, path := range []string{"/network/strangers/api/v2/channels", "/network/partners/books/v3/expenses"} {
		equal(t, u.serve(t, http.MethodGet, path, http.Header{"Content-Type": {"application/json"}}).Code, http.StatusNotFound, path)
	}
}

// References lead to records: from channels to chats, from lines to taxes and sites, from mapped
// items to items.
func TestReferencesAreWhole(t *testing.T) {
	t.Parallel()
	u := start(t, wide())
	ids := func(service, resource, key string) map[string]bool {
		return set(append(texts(t, u.truths(t, service, resource), key), ""))
	}
	exists := map[string]map[string]bool{
		"tax_id": ids("inventory", "taxes", "tax_id"), "location_id": ids("inventory", "locations", "location_id"),
		"currency_id": ids("invoicing", "currencies", "currency_id"), "item_id": ids("inventory", "items", "item_id"),
		"account_id": ids("accounting", "chart_of_accounts", "account_id"), "chat_id": ids("chat", "conversations", "chat_id"),
	}
	followed := map[string]int{}
	var walk func(path string, fields object)
	walk = func(path string, fields object) {
		for name, value := range fields {
			var elements []object
			switch {
			case exists[name] != nil:
				followed[name]++
				errorIf(t, !exists[name][strings.Trim(string(value), `"`)], "%s.%s: %s leads nowhere", path, name, value)
			case strings.HasPrefix(string(value), "[{"):
				unmarshal(t, value, &elements)
				for _, element := range elements {
					walk(path+"."+name, element)
				}
			}
		}
	}
	for _, l := range []struct{ service, resource string }{
		{"inventory", "bills"}, {"inventory", "credit_notes"}, {"inventory", "items"}, {"inventory", "composite_items"},
		{"accounting", "expenses"}, {"accounting", "opening_balances"}, {"accounting", "base_currency_adjustments"},
		{"accounting", "vendor_payments"}, {"chat", "channels"},
	} {
		for fields := range u.truths(t, l.service, l.resource) {
			walk(l.resource, fields)
		}
	}
	for name := range exists {
		errorIf(t, followed[name] == 0, "no reference by %s was followed", name)
	}
}

func TestNewKindsSurviveStorms(t *testing.T) {
	t.Parallel()
	u := start(t, wide())
	changed := u.change(t, sandbox.Change{Seed: 3, Inserts: 2, Edits: 3, Deletes: 50})
	for _, name := range []string{
		"accounting.contact_persons", "billing.contact_persons", "custom_module_records", "expenses", "currencies", "locations",
		"taxes", "composite_items", "base_currency_adjustments", "channels", "network_channels", "network_conversations",
	} {
		if ids := changed[name]; len(ids.Inserted) != 2 || len(ids.Edited) != 3 || len(ids.Deleted) == 0 && name != "currencies" && name != "locations" { // these two are referred to
			t.Errorf("%s: %d inserted, %d edited, %d deleted", name, len(ids.Inserted), len(ids.Edited), len(ids.Deleted))
		}
	}
	equal(t, changed["invoicing.contact_persons"], changed["accounting.contact_persons"], "accounting and invoicing share their persons")
	errorIf(t, len(changed["opening_balances"].Deleted) != 0 || len(changed["opening_balances"].Inserted) != 0,
		"opening balance: %+v", changed["opening_balances"])
	kept := set(texts(t, u.truths(t, "inventory", "taxes"), "tax_name"))
	errorIf(t, !kept["GST18"] || !kept["GST5"] || !kept["GST0"], "taxes %v", keysOf(kept)) // those of lines
	network := changed["network_channels"].Edited[0]
	errorIf(t, !strings.HasPrefix(network, "partners/") && !strings.HasPrefix(network, "agencies/"), "edited channel %q", network)
	u.change(t, sandbox.Change{Edits: 1, Resources: []string{"billing.contact_persons", "inventory.taxes"}})
}
