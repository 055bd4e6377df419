package openapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sluice/sandbox/endpoints"
	"sluice/sandbox/lists"
	"sluice/sandbox/rules"
	"sluice/sandbox/services"
	"sluice/sandbox/world"
)

// Query returns the query parameters of a row: those of the documents, and those that
// docs/upstream.md U80 to U113 add for paging, order and filters.
func Query(e endpoints.Endpoint) []Parameter {
	var all []Parameter
	if s := e.Service(); s == services.Accounting || s == services.Inventory {
		whose := text("The organization; only the list of organizations needs none.")
		all = append(all, inQuery("organization_id", whose, e.Resource.Kind != world.Organizations))
	}
	all = append(all, own(e)...)
	if isList(e) {
		all = append(all, ofList(e.Resource)...)
	}
	if rule, found := rules.Find(e.Method, e.Path); found {
		for _, field := range rule.Query {
			all = append(all, inQuery(field.Name, ofField(field), slices.Contains(rule.Required, field.Name)))
		}
	}
	return all
}

// Unknown returns the parameters of a query that a row does not have, sorted.
func Unknown(e endpoints.Endpoint, query url.Values) []string {
	known := Query(e)
	var unknown []string
	for name := range query {
		if !slices.ContainsFunc(known, func(p Parameter) bool { return p.Name == name }) {
			unknown = append(unknown, name)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// isList reports whether a row answers several records.
func isList(e endpoints.Endpoint) bool {
	single := strings.HasSuffix(e.Path, "}") && e.Resource.Kind != world.ModuleRecords
	return e.Method == http.MethodGet && !single && e.Resource.Key != ""
}

// ofList returns the parameters of lists with pages (docs/upstream.md U80 and U100).
func ofList(r lists.Resource) []Parameter {
	const mostAtOnce = 200
	if r.Paging != lists.ByNumber {
		return nil
	}
	all := []Parameter{
		inQuery("page", Schema{Type: "integer", Minimum: 1, Description: "The page, from 1."}, false),
		inQuery("per_page", Schema{Type: "integer", Minimum: 1, Maximum: mostAtOnce, Description: "Records on a page; the most unless given."}, false),
		inQuery("sort_column", text("The field to sort by; created_time unless given."), false),
		inQuery("sort_order", Schema{Type: "string", Enum: []string{"A", "D"}, Description: "Ascending, or descending unless given."}, false),
	}
	if len(r.Filters) > 0 {
		all = append(all, inQuery("filter_by", Schema{Type: "string", Enum: r.Filters, Description: "The first value holds unless given."}, false))
	}
	if r.SinceHonoured {
		since := text("Only records changed at or after this time: 2026-01-17T15:27:23+0530, with + escaped as %2B.")
		all = append(all, inQuery("last_modified_time", since, false))
	}
	return all
}

// own returns the parameters of this row alone, as its document lists them.
func own(e endpoints.Endpoint) []Parameter {
	if e.Method != http.MethodGet && !strings.HasPrefix(e.Path, services.OAuthRoot) && !strings.HasPrefix(e.Path, services.CRMRoot) {
		return nil
	}
	path := e.Path
	if rest, found := strings.CutPrefix(path, services.NetworkRoot+"{parent}"); found {
		path = rest
	}
	switch e.Method + " " + path {
	case "GET " + services.BooksRoot + "/chartofaccounts":
		return []Parameter{inQuery("showbalance", flag("false leaves the balance out."), false)}
	case "GET " + services.BooksRoot + "/vendorpayments":
		return paymentFilters()
	case "GET " + services.BooksRoot + "/basecurrencyadjustment/accounts":
		return texts("currency_id", "adjustment_date", "exchange_rate", "notes")
	case "GET " + services.InventoryRoot + "/creditnotes":
		const longest = 100
		description := Schema{Type: "string", MaxLength: longest, Description: "Compared with the items' descriptions."}
		return []Parameter{
			inQuery("status", Schema{Type: "string", Enum: []string{"open", "closed", "void"}}, false),
			inQuery("item_description_startswith", description, false), inQuery("item_description_contains", description, false),
		}
	case "GET " + services.InventoryRoot + "/itemdetails":
		return []Parameter{inQuery("item_ids", text("Up to a hundred identifiers, with commas between."), true)}
	case "GET " + services.ChatRoot + "/channels":
		const most = 100
		return []Parameter{
			inQuery("joined", flag("Only channels that the user joined, or did not join."), false),
			inQuery("pinned", flag("Only channels that are pinned, or are not."), false),
			inQuery("limit", Schema{Type: "integer", Minimum: 1, Maximum: most, Description: "How many channels an answer holds."}, false),
			inQuery("next_token", text("Where to go on, from the answer before."), false),
		}
	case "GET " + services.MaintenanceRoot + "/chats":
		return []Parameter{
			inQuery("fields", text("With commas between, in the order wanted: title, chat_id, creation_time, last_modified_time, "+
				"participant_count, total_message_count, creator_id."), true),
			inQuery("next_token", text("Where to go on, from the answer before."), false),
		}
	default:
		return ofDoors(e)
	}
}

// paymentFilters returns the filters of docs/upstream.md U174.
func paymentFilters() []Parameter {
	var names []string
	for _, field := range []string{"vendor_name", "reference_number", "payment_number", "payment_mode", "notes", "description"} {
		names = append(names, field+"_startswith", field+"_contains")
	}
	for _, end := range []string{"start", "end", "before", "after"} {
		names = append(names, "date_"+end)
	}
	for _, comparison := range []string{"less_than", "less_equals", "greater_than", "greater_equals"} {
		names = append(names, "amount_"+comparison)
	}
	return texts(names...)
}

// ofDoors returns the parameters of the authorization server, of notifications and of the CRM
// (docs/upstream.md U21 to U25, U352 to U355; notifications: assumed).
func ofDoors(e endpoints.Endpoint) []Parameter {
	choice := func(name string, required bool, values ...string) Parameter {
		return inQuery(name, Schema{Type: "string", Enum: values}, required)
	}
	required := func(name string) Parameter { return inQuery(name, text(""), true) }
	switch {
	case e.Path == services.OAuthRoot+"auth":
		return []Parameter{
			inQuery("scope", text("The scopes asked for, with commas between."), true), required("client_id"), required("state"),
			choice("response_type", true, "code"), required("redirect_uri"), choice("access_type", true, "online", "offline"),
			choice("prompt", false, "consent"),
		}
	case e.Path == services.TokenPath:
		return append([]Parameter{choice("grant_type", true, "authorization_code", "refresh_token"), required("client_id"), required("client_secret")},
			texts("code", "refresh_token", "redirect_uri", "scope", "state")...)
	case e.Path == services.TokenPath+"/revoke":
		return []Parameter{inQuery("token", text("The refresh token to revoke."), true)}
	case e.Service() == services.CRM:
		const mostAtOnce = 200
		return []Parameter{
			inQuery("fields", text("The fields wanted, with commas between; version v2 alone gives all without it."), false),
			inQuery("page", Schema{Type: "integer", Minimum: 1, Description: "The page, from 1."}, false),
			inQuery("per_page", Schema{Type: "integer", Minimum: 1, Maximum: mostAtOnce, Description: "Records on a page; the most unless given."}, false),
			inQuery("page_token", text("Where to go on, from info.next_page_token of the answer before."), false),
			choice("sort_by", false, "id", "Created_Time", "Modified_Time"), choice("sort_order", false, "asc", "desc"),
		}
	case e.Method == http.MethodGet && strings.HasPrefix(e.Path, services.CRMRoot):
		const mostAtOnce = 200
		return []Parameter{
			inQuery("page", Schema{Type: "integer", Minimum: 1, Description: "The page, from 1."}, false),
			inQuery("per_page", Schema{Type: "integer", Minimum: 1, Maximum: mostAtOnce, Description: "Rows on a page; the most unless given."}, false),
			inQuery("channel_id", text("Only this channel."), false), inQuery("module", text("Only this module, by its API name."), false),
		}
	case e.Method == http.MethodDelete && strings.HasPrefix(e.Path, services.CRMRoot):
		return []Parameter{inQuery("channel_ids", text("The channels to disable, with commas between."), true)}
	default:
		return nil
	}
}

func inQuery(name string, schema Schema, required bool) Parameter {
	return Parameter{Name: name, In: "query", Required: required, Schema: schema}
}

func texts(names ...string) []Parameter {
	all := make([]Parameter, 0, len(names))
	for _, name := range names {
		all = append(all, inQuery(name, text(""), false))
	}
	return all
}

func text(description string) Schema { return Schema{Type: "string", Description: description} }

func flag(description string) Schema { return Schema{Type: "boolean", Description: description} }
