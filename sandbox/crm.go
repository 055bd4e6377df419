package sandbox

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sluice/sandbox/answer"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/faults"
	"sluice/sandbox/services"
	"sluice/sandbox/watch/channel"
	"sluice/sandbox/world"
)

// crmPath is the endpoint of lists of the business-records service, the CRM, one for each module
// (docs/upstream.md U350 to U355). No API document shows such a list, so each answer says so in a
// header. The module Products has the items of inventory, under the names that notifications have for
// them. The other modules of the documents exist and are empty.
const crmPath = services.CRMRoot + "{version}/{module}"

// Figures of docs/upstream.md U352.
const (
	mostProducts = 200  // records on a page
	mostNumbered = 2000 // records that pages by number reach
)

// crmRows returns the rows of the CRM.
func crmRows() []endpoints.Endpoint {
	return []endpoints.Endpoint{{
		Method: http.MethodGet, Path: crmPath, Scope: "CRM.modules.READ", Assumed: "the list of a module",
		Note: "Products are the items; other modules are empty. Version v2 needs no fields.", Serve: listProducts,
	}}
}

// crmRequest is what a call asks for.
type crmRequest struct {
	fields    []string // nil for all
	page, per int
	offset    int
	sort      string // by its name in the answer
	ascending bool
}

// listProducts answers one page of a module.
func listProducts(c *endpoints.Call) {
	if _, known := channel.Modules().Find(c.Values["module"]); !known {
		failCRM(c, "INVALID_MODULE", "the module name given seems to be invalid", "{}")
		return
	}
	asked, ok := readCRM(c)
	if !ok {
		return
	}
	records, more := products(c, asked)
	records = faults.Spoil(c.Fault, faults.Target{ID: "id", Number: "Unit_Price", Text: "Product_Name"}, records)
	if len(records) == 0 && !c.Fault.Is("empty_more") {
		c.WriteHeader(http.StatusNoContent)
		return
	}
	body := []byte(`{"data":[`)
	for n, record := range records {
		if n > 0 {
			body = append(body, ',')
		}
		body = append(body, record...)
	}
	body = append(body, ']')
	if !c.Fault.Is("missing_context") {
		body = fmt.Appendf(body, `,"info":%s`, asked.info(len(records), more))
	}
	answer.Body(c, http.StatusOK, answer.JSONType, append(body, '}'))
}

// readCRM reads the parameters; it answers a call itself that it refuses.
func readCRM(c *endpoints.Call) (crmRequest, bool) {
	query := c.Request.URL.Query()
	asked := crmRequest{page: positive(query, "page", 1), per: min(positive(query, "per_page", mostProducts), mostProducts)}
	asked.sort, asked.ascending = "id", query.Get("sort_order") == "asc"
	if by := query.Get("sort_by"); by == "Created_Time" || by == "Modified_Time" {
		asked.sort = by
	}
	if fields := query.Get("fields"); fields != "" {
		asked.fields = append(strings.Split(fields, ","), "id")
	} else if c.Values["version"] != "v2" {
		failCRM(c, "REQUIRED_PARAM_MISSING", "One of the expected parameter is missing", `{"param_name":"fields"}`)
		return crmRequest{}, false
	}
	asked.offset = (asked.page - 1) * asked.per
	switch {
	case query.Has("page_token") && query.Has("page"):
		failCRM(c, "AMBIGUITY_DURING_PROCESSING", "You cannot use both page and page_token", "{}")
		return crmRequest{}, false
	case query.Has("page_token"):
		if asked.offset = offsetOf(query.Get("page_token")); asked.offset < 0 {
			failCRM(c, "INVALID_DATA", "the page_token is not valid", `{"param_name":"page_token"}`)
			return crmRequest{}, false
		}
	case asked.page*asked.per > mostNumbered:
		failCRM(c, "DISCRETE_PAGINATION_LIMIT_EXCEEDED", "You can only get the first 2000 records without using page_token param", `{"limit":2000}`)
		return crmRequest{}, false
	}
	return asked, true
}

// products returns the records of a page, and whether others follow.
func products(c *endpoints.Call, asked crmRequest) ([][]byte, bool) {
	if c.Values["module"] != "Products" || c.Fault.Is("empty_more") {
		return nil, c.Fault.Is("empty_more")
	}
	query := world.Query{Kind: world.Items, Sort: "created_time", Ascending: asked.ascending}
	if asked.sort == "Modified_Time" {
		query.Sort = world.ModifiedTime
	}
	var records [][]byte
	more := false
	c.Company.With(func(w *world.World) {
		order := w.Order(query)
		from, to := min(asked.offset, len(order)), min(asked.offset+asked.per, len(order))
		for _, i := range order[from:to] {
			records = append(records, product(w.AppendRecord(nil, world.Items, int(i), world.Full), asked.fields))
		}
		more = to < len(order)
	})
	return records, more
}

// product makes a product of an item. Live records have identifiers as text, times with a colon in
// their offset, and null for what is absent.
func product(item []byte, fields []string) []byte {
	var from struct {
		ID          string      `json:"item_id"`
		Name        string      `json:"name"`
		Code        string      `json:"sku"`
		Description string      `json:"description"`
		Price       json.Number `json:"rate"`
		Created     string      `json:"created_time"`
		Modified    string      `json:"last_modified_time"`
	}
	if err := json.Unmarshal(item, &from); err != nil {
		return []byte(`{}`) // the world writes valid records only
	}
	made := map[string]any{
		"id": from.ID, "Product_Name": from.Name, "Product_Code": from.Code, "Unit_Price": from.Price, "Description": nil,
		"Created_Time": withColon(from.Created), "Modified_Time": withColon(from.Modified),
		"Owner": map[string]string{"name": "Sandbox user", "id": "554023000000000001", "email": "user@sandbox.invalid"},
	}
	if from.Description != "" {
		made["Description"] = from.Description
	}
	for name := range made {
		if fields != nil && !slices.Contains(fields, name) {
			delete(made, name)
		}
	}
	text, err := json.Marshal(made)
	if err != nil {
		return []byte(`{}`)
	}
	return text
}

// withColon writes the offset of a time as +hh:mm.
func withColon(at string) string {
	const minutes = 2
	if len(at) < minutes {
		return at
	}
	return at[:len(at)-minutes] + ":" + at[len(at)-minutes:]
}

// info returns what stands beside the records (docs/upstream.md U351 and U352).
func (r crmRequest) info(count int, more bool) []byte {
	next, order := "null", "desc"
	if more {
		next = strconv.Quote(tokenOf(r.offset + r.per))
	}
	if r.ascending {
		order = "asc"
	}
	return fmt.Appendf(nil, `{"per_page":%d,"count":%d,"page":%d,"sort_by":%q,"sort_order":%q,"more_records":%t,"next_page_token":%s}`,
		r.per, count, r.page, r.sort, order, more, next)
}

func failCRM(c *endpoints.Call, code, message, details string) {
	answer.Body(c, http.StatusBadRequest, answer.JSONType,
		fmt.Appendf(nil, `{"code":%q,"details":%s,"message":%q,"status":"error"}`, code, details, message))
}

func positive(query url.Values, name string, preset int) int {
	const largest = 1 << 31
	if n, err := strconv.Atoi(query.Get(name)); err == nil && n > 0 {
		return min(n, largest)
	}
	return preset
}

// tokenOf returns the token of a place in the list, offsetOf the place; -1 for no token.
func tokenOf(offset int) string {
	return base64.StdEncoding.EncodeToString([]byte(strconv.Itoa(offset)))
}

func offsetOf(token string) int {
	place, err := base64.StdEncoding.DecodeString(token)
	if err != nil {
		return -1
	}
	offset, err := strconv.Atoi(string(place))
	if err != nil {
		return -1
	}
	return offset
}
