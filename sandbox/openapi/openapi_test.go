package openapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox/endpoints"
	"sluice/sandbox/openapi"
	"sluice/sandbox/writes"
)

// object is any JSON object.
type object = map[string]any

func rows() []endpoints.Endpoint {
	return append(slices.Concat(endpoints.Table(), writes.Table()), []endpoints.Endpoint{
		{Method: http.MethodPost, Path: "/crm/{version}/actions/watch", Scope: "CRM.notifications.CREATE"},
		{Method: http.MethodPatch, Path: "/crm/{version}/actions/watch", Scope: "CRM.notifications.UPDATE"},
		{Method: http.MethodGet, Path: "/crm/{version}/actions/watch", Scope: "CRM.notifications.READ"},
		{Method: http.MethodGet, Path: "/oauth/v2/auth"},
		{Method: http.MethodPost, Path: "/oauth/v2/token"},
		{Method: http.MethodPost, Path: "/oauth/v2/token/revoke"},
	}...)
}

func described(t *testing.T) object {
	t.Helper()
	text, err := openapi.Describe(rows(), openapi.Options{Vendor: "Acme", Base: "http://127.0.0.1:1", DataCenters: []string{"eu"}})
	if err != nil {
		t.Fatal(err)
	}
	var d object
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// at follows keys into a value; nil if one is absent.
func at(value any, keys ...string) any {
	for _, key := range keys {
		o, _ := value.(object)
		value = o[key]
	}
	return value
}

// names returns the names of an operation's parameters in a place.
func names(operation any, in string) []string {
	var all []string
	list, _ := at(operation, "parameters").([]any)
	for _, p := range list {
		if at(p, "in") == in {
			name, _ := at(p, "name").(string)
			all = append(all, name)
		}
	}
	return all
}

// The description meets the demands of version 3.1 in every row (OpenAPI Specification 3.1.1,
// sections 4.8.1 to 4.8.27).
func TestDescriptionIsValid(t *testing.T) {
	t.Parallel()
	d := described(t)
	errorIf(t, at(d, "openapi") != "3.1.1" || at(d, "info", "title") == nil || at(d, "info", "version") == nil,
		"openapi %v, info %v", at(d, "openapi"), at(d, "info"))
	templated := regexp.MustCompile(`\{([^}]+)\}`)
	identifiers := map[any]bool{}
	paths, _ := d["paths"].(object)
	tags := map[any]bool{}
	for _, tag := range d["tags"].([]any) {
		tags[at(tag, "name")] = true
	}
	for path, item := range paths {
		errorIf(t, !strings.HasPrefix(path, "/"), "path %s does not begin with a slash", path)
		for method, operation := range item.(object) {
			where := method + " " + path
			errorIf(t, !slices.Contains([]string{"get", "post", "put", "patch", "delete"}, method), "%s: no such method", where)
			id := at(operation, "operationId")
			errorIf(t, id == nil || identifiers[id], "%s: operationId %v is missing or not its own", where, id)
			identifiers[id] = true
			var want []string
			for _, match := range templated.FindAllStringSubmatch(path, -1) {
				want = append(want, match[1])
			}
			diff := cmp.Diff(want, names(operation, "path"))
			errorIf(t, diff != "", "%s: names in the path (-want +got):\n%s", where, diff)
			checkParameters(t, where, operation)
			checkResponses(t, where, d, operation)
			for _, tag := range at(operation, "tags").([]any) {
				errorIf(t, !tags[tag], "%s: tag %v is not declared", where, tag)
			}
			security, given := at(operation, "security").([]any)
			errorIf(t, !given || (len(security) == 0) != strings.HasPrefix(path, "/oauth/"), "%s: security %v", where, security)
		}
	}
	checkSchemas(t, "", d)
}

func checkParameters(t *testing.T, where string, operation any) {
	t.Helper()
	list, _ := at(operation, "parameters").([]any)
	seen := map[[2]any]bool{}
	for _, p := range list {
		key := [2]any{at(p, "name"), at(p, "in")}
		errorIf(t, seen[key] || !slices.Contains([]any{"path", "query", "header"}, key[1]) || at(p, "schema") == nil,
			"%s: parameter %v is there twice, nowhere or without a schema", where, key)
		seen[key] = true
		errorIf(t, key[1] == "path" && at(p, "required") != true, "%s: parameter %v of the path is not required", where, key[0])
		errorIf(t, key[0] == "Authorization" || key[0] == "Content-Type" || key[0] == "Accept", "%s: %v is no parameter", where, key[0])
	}
}

// checkResponses requires a description of each response, or a reference that leads to one.
func checkResponses(t *testing.T, where string, d object, operation any) {
	t.Helper()
	responses, _ := at(operation, "responses").(object)
	good := 0
	for status, response := range responses {
		errorIf(t, !regexp.MustCompile(`^[1-5]\d\d$`).MatchString(status), "%s: status %s", where, status)
		if status < "400" {
			good++
		}
		if reference, _ := at(response, "$ref").(string); reference != "" {
			response = at(d, strings.Split(strings.TrimPrefix(reference, "#/"), "/")...)
		}
		text, _ := at(response, "description").(string)
		errorIf(t, text == "", "%s: answer %s has no description", where, status)
	}
	errorIf(t, good == 0, "%s: nothing goes well", where)
}

// checkSchemas checks every schema: known types, items of every array, and required properties that
// exist.
func checkSchemas(t *testing.T, path string, value any) {
	t.Helper()
	switch value := value.(type) {
	case []any:
		for _, inner := range value {
			checkSchemas(t, path, inner)
		}
	case object:
		for key, inner := range value {
			if key == "schema" || key == "items" {
				checkSchema(t, path+"."+key, inner)
			}
			checkSchemas(t, path+"."+key, inner)
		}
	}
}

func checkSchema(t *testing.T, path string, schema any) {
	t.Helper()
	kind := at(schema, "type")
	errorIf(t, kind != nil && !slices.Contains([]any{"string", "integer", "boolean", "array", "object"}, kind), "%s: type %v", path, kind)
	errorIf(t, (kind == "array") != (at(schema, "items") != nil), "%s: type %v with items %v", path, kind, at(schema, "items"))
	required, _ := at(schema, "required").([]any)
	for _, name := range required {
		errorIf(t, at(schema, "properties", name.(string)) == nil, "%s: %v is required and not there", path, name)
	}
}

// Some rows, compared with the documents by hand.
func TestRowsAgainstTheDocuments(t *testing.T) {
	t.Parallel()
	d := described(t)
	get := func(method, path string) any { return at(d, "paths", path, method) }
	security := func(operation any) string {
		text, err := json.Marshal(at(operation, "security"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	accounts := get("get", "/books/v3/chartofaccounts")
	if got := names(accounts, "query"); !slices.Equal(got, []string{"organization_id", "showbalance", "page", "per_page", "sort_column", "sort_order", "filter_by", "last_modified_time"}) {
		t.Errorf("query of the chart of accounts: %v", got)
	}
	got := security(accounts)
	errorIf(t, got != `[{"token":["AcmeBooks.accountants.READ"]}]`, "security of the chart of accounts: %s", got)
	currency := get("post", "/invoice/v3/settings/currencies")
	headers := names(currency, "header")
	errorIf(t, !slices.Equal(headers, []string{"X-com-acme-invoice-organizationid"}), "headers of currencies: %v", headers)
	body := at(currency, "requestBody", "content", "application/json", "schema", "properties")
	for _, field := range []string{"currency_code", "currency_symbol", "price_precision", "currency_format"} { // docs/upstream.md U198
		errorIf(t, at(body, field) == nil, "currencies: the body lacks %s: %v", field, body)
	}
	errorIf(t, at(currency, "responses", "201", "content", "application/json", "schema", "properties", "currency", "type") != "array",
		"a created currency comes as an array")
	payments := get("put", "/books/v3/vendorpayments")
	if got := names(payments, "header"); !slices.Equal(got, []string{"X-Unique-Identifier-Key", "X-Unique-Identifier-Value", "X-Upsert"}) {
		t.Errorf("headers of the update by unique value: %v", got)
	}
	errorIf(t, at(get("get", "/maintenanceapi/v2/chats"), "responses", "200", "content", "text/csv") == nil, "the export is CSV")
	image := at(get("post", "/inventory/v1/compositeitems/{id}/image"), "requestBody", "content", "multipart/form-data", "schema", "properties", "image")
	errorIf(t, image == nil, "an image comes as a part of form-data")
	for method, want := range map[string][]any{"post": {"channel_id", "events", "notify_url"}, "patch": {"channel_id"}} {
		watch := at(get(method, "/crm/{version}/actions/watch"), "requestBody", "content", "application/json", "schema", "properties", "watch", "items", "required")
		diff := cmp.Diff(any(want), watch)
		errorIf(t, diff != "", "%s of a subscription needs (-want +got):\n%s", method, diff)
	}
	listed := get("get", "/crm/{version}/actions/watch")
	errorIf(t, at(listed, "requestBody") != nil || at(listed, "responses", "204") == nil || at(listed, "responses", "207") != nil ||
		!slices.Equal(names(listed, "query"), []string{"page", "per_page", "channel_id", "module"}), "what is subscribed is read by %v", listed)
}

func TestTwiceIsAMistake(t *testing.T) {
	t.Parallel()
	twice := []endpoints.Endpoint{{Method: http.MethodGet, Path: "/oauth/v2/auth"}, {Method: http.MethodGet, Path: "/oauth/v2/auth"}}
	_, err := openapi.Describe(twice, openapi.Options{})
	errorIf(t, err == nil, "a row that is there twice was described")
}

// Unknown accepts exactly the parameters of a row.
func TestUnknown(t *testing.T) {
	t.Parallel()
	for _, e := range rows() {
		query := url.Values{"unheard_of": {"1"}, "a": {""}}
		for _, p := range openapi.Query(e) {
			query.Set(p.Name, "1")
		}
		diff := cmp.Diff([]string{"a", "unheard_of"}, openapi.Unknown(e, query))
		errorIf(t, diff != "", "%s %s (-want +got):\n%s", e.Method, e.Path, diff)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
