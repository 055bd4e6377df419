package sandbox

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sluice/sandbox/world"
)

const (
	pageSize         = 200  // default and maximum (upstream facts)
	accountsAtOnce   = 5000 // without per_page (upstream facts)
	itemDetailsLimit = 100
)

// listRequest is what a list was asked for, after defaults.
type listRequest struct {
	query     world.Query
	form      world.Form
	page, per int
	filter    string // for applied_filter
	echoed    int    // the page that page_context claims
}

// readList never fails: what it does not understand it ignores, as the
// services do. A raw + in a time arrives as a blank and makes it unreadable.
func (s *Server) readList(values url.Values, e endpoint) listRequest {
	list := listRequest{
		query:  world.Query{Kind: e.kind, Sort: "created_time", Ascending: values.Get("sort_order") == "A"},
		page:   positive(values.Get("page"), 1),
		per:    min(positive(values.Get("per_page"), pageSize), pageSize),
		filter: e.filter,
	}
	if s.options.HeadersOnly && e.wide {
		list.form = world.Headers
	}
	if name := values.Get("sort_column"); name != "" && world.Sortable(e.kind, name) {
		list.query.Sort = name
	} else if name != "" {
		list.query.Ascending = false
	}
	if since, ok := readTime(values.Get("last_modified_time")); ok && e.sinceHonoured {
		list.query.Since = since.Unix()
	}
	if e.kind == world.Accounts {
		list.accounts(values)
	}
	list.echoed = list.page
	return list
}

// accounts reads what only GET /chartofaccounts knows. Balances come unless
// they are declined, so that the default shows every key.
func (l *listRequest) accounts(values url.Values) {
	if values.Get("per_page") == "" {
		l.per = accountsAtOnce
	}
	if values.Get("showbalance") == "false" {
		l.form = world.WithoutBalance
	}
	for name := range strings.FieldsSeq("All Active Inactive Asset Liability Equity Income Expense") {
		if values.Get("filter_by") == "AccountType."+name {
			l.filter = "AccountType." + name
		}
	}
	l.query.AccountsBy = strings.TrimPrefix(l.filter, "AccountType.")
}

// list answers one page.
func (s *Server) list(w http.ResponseWriter, r *http.Request, e endpoint, fault *Fault) {
	request := s.readList(r.URL.Query(), e)
	offset := (request.page - 1) * request.per
	switch {
	case fault.is("ignore_filter"):
		request.query.Since = 0
	case fault.is("wrong_page"):
		request.echoed++
	case fault.is("repeat_page"):
		offset = 0
	}
	s.mu.Lock()
	if fault.is("delete_between") && offset > 0 {
		s.deleteServed(request.query)
	}
	order := s.world.Order(request.query)
	from := min(offset, len(order))
	to := min(from+request.per, len(order))
	records := make([][]byte, 0, to-from+1)
	for _, i := range order[from:to] {
		records = append(records, s.world.AppendRecord(nil, e.kind, int(i), request.form))
	}
	s.mu.Unlock()
	more := request.page*request.per < len(order)
	if fault.is("empty_more") {
		records, more = nil, true
	}
	records = spoil(fault, e, records)
	body := fmt.Appendf(nil, `{"code":0,"message":"success","%s":[`, e.key)
	body = append(body, bytes.Join(records, []byte(","))...)
	body = append(body, ']')
	if !fault.is("missing_context") {
		body = request.appendContext(body, e, more)
	}
	writeBody(w, http.StatusOK, jsonType, append(body, '}'))
}

// deleteServed removes one record that page 1 has already shown.
func (s *Server) deleteServed(query world.Query) {
	if order := s.world.Order(query); len(order) > 0 {
		s.world.Delete(query.Kind, int(order[0]))
	}
}

func (l *listRequest) appendContext(body []byte, e endpoint, more bool) []byte {
	direction := "D"
	if l.query.Ascending {
		direction = "A"
	}
	return fmt.Appendf(body,
		`,"page_context":{"page":%d,"per_page":%d,"has_more_page":%t,"report_name":%q,"applied_filter":%q,"sort_column":%q,"sort_order":%q}`,
		l.echoed, l.per, more, e.report, l.filter, l.query.Sort, direction)
}

// single answers one record under its own key.
func (s *Server) single(w http.ResponseWriter, e endpoint, id string, fault *Fault) {
	s.mu.Lock()
	i, found := s.world.Index(e.kind, id)
	var record []byte
	if found {
		record = s.world.AppendRecord(nil, e.kind, i, world.Single)
	}
	s.mu.Unlock()
	if !found {
		writeError(w, http.StatusNotFound, codeNoSuchRecord, "Resource does not exist.")
		return
	}
	record = spoil(fault, e, [][]byte{record})[0]
	writeBody(w, http.StatusOK, jsonType, fmt.Appendf(nil, `{"code":0,"message":"success","%s":%s}`, e.oneKey, record))
}

// itemDetails answers the items asked for by id, those that exist.
func (s *Server) itemDetails(w http.ResponseWriter, r *http.Request, fault *Fault) {
	items, _ := s.resource(serviceInventory, "items")
	ids := strings.Split(r.URL.Query().Get("item_ids"), ",")
	if len(ids) > itemDetailsLimit {
		writeError(w, http.StatusBadRequest, codeInvalidValue, "Invalid value passed for item_ids")
		return
	}
	var records [][]byte
	s.mu.Lock()
	for _, id := range ids {
		if i, found := s.world.Index(world.Items, strings.TrimSpace(id)); found {
			records = append(records, s.world.AppendRecord(nil, world.Items, i, world.Single))
		}
	}
	s.mu.Unlock()
	body := append([]byte(`{"code":0,"message":"success","items":[`), bytes.Join(spoil(fault, items, records), []byte(","))...)
	writeBody(w, http.StatusOK, jsonType, append(body, ']', '}'))
}

// organizations answers the one organization (document 2, Shared conventions).
func (s *Server) organizations(w http.ResponseWriter) {
	body := fmt.Sprintf(`{"code":0,"message":"success","organizations":[{"organization_id":%q,"name":"Meridian Tools Pvt Ltd",`+
		`"contact_name":"Asha Rao","email":"asha.rao@meridian.example","is_default_org":true,"language_code":"en",`+
		`"fiscal_year_start_month":4,"account_created_date":"2022-12-01","time_zone":%q,"is_org_active":true,`+
		`"currency_id":%q,"currency_code":"INR","currency_symbol":"₹","currency_format":"1,234,567.89","price_precision":2}]}`,
		s.options.OrganizationID, s.options.TimeZone, s.world.BaseCurrencyID())
	writeBody(w, http.StatusOK, jsonType, []byte(body))
}

func positive(text string, preset int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return preset
}

// readTime accepts the offsets of document 2 (+hhmm), with a colon, and Z.
func readTime(text string) (time.Time, bool) {
	for _, layout := range [...]string{"2006-01-02T15:04:05-0700", time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
