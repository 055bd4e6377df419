package sandbox

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"sluice/sandbox/answer"
	"sluice/sandbox/faults"
	"sluice/sandbox/lists"
	"sluice/sandbox/services"
	"sluice/sandbox/world"
)

const itemDetailsLimit = 100

// list answers one page.
func (s *Server) list(w http.ResponseWriter, r *http.Request, e lists.Resource, fault *faults.Fault) {
	request := lists.Read(r.URL.Query(), e, s.options.HeadersOnly)
	offset := (request.Page - 1) * request.Per
	switch {
	case fault.Is("ignore_filter"):
		request.Query.Since = 0
	case fault.Is("wrong_page"):
		request.Echoed++
	case fault.Is("repeat_page"):
		offset = 0
	}
	s.mu.Lock()
	if fault.Is("delete_between") && offset > 0 {
		s.deleteServed(request.Query)
	}
	order := s.world.Order(request.Query)
	from := min(offset, len(order))
	to := min(from+request.Per, len(order))
	records := make([][]byte, 0, to-from+1)
	for _, i := range order[from:to] {
		records = append(records, s.world.AppendRecord(nil, e.Kind, int(i), request.Form))
	}
	s.mu.Unlock()
	more := request.Page*request.Per < len(order)
	if fault.Is("empty_more") {
		records, more = nil, true
	}
	records = faults.Spoil(fault, e.Target, records)
	body := fmt.Appendf(nil, `{"code":0,"message":"success","%s":[`, e.Key)
	body = append(body, bytes.Join(records, []byte(","))...)
	body = append(body, ']')
	if !fault.Is("missing_context") {
		body = request.AppendContext(body, e, more)
	}
	answer.Body(w, http.StatusOK, answer.JSONType, append(body, '}'))
}

// deleteServed removes one record that page 1 has already shown.
func (s *Server) deleteServed(query world.Query) {
	if order := s.world.Order(query); len(order) > 0 {
		s.world.Delete(query.Kind, int(order[0]))
	}
}

// single answers one record under its own key.
func (s *Server) single(w http.ResponseWriter, e lists.Resource, id string, fault *faults.Fault) {
	s.mu.Lock()
	i, found := s.world.Index(e.Kind, id)
	var record []byte
	if found {
		record = s.world.AppendRecord(nil, e.Kind, i, world.Single)
	}
	s.mu.Unlock()
	if !found {
		answer.Error(w, http.StatusNotFound, answer.NoSuchRecord, "Resource does not exist.")
		return
	}
	record = faults.Spoil(fault, e.Target, [][]byte{record})[0]
	answer.Body(w, http.StatusOK, answer.JSONType, fmt.Appendf(nil, `{"code":0,"message":"success","%s":%s}`, e.OneKey, record))
}

// itemDetails answers the items asked for by id, those that exist.
func (s *Server) itemDetails(w http.ResponseWriter, r *http.Request, fault *faults.Fault) {
	items, _ := s.resource(services.Inventory, "items")
	ids := strings.Split(r.URL.Query().Get("item_ids"), ",")
	if len(ids) > itemDetailsLimit {
		answer.Error(w, http.StatusBadRequest, answer.InvalidValue, "Invalid value passed for item_ids")
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
	body := append([]byte(`{"code":0,"message":"success","items":[`), bytes.Join(faults.Spoil(fault, items.Target, records), []byte(","))...)
	answer.Body(w, http.StatusOK, answer.JSONType, append(body, ']', '}'))
}

// organizations answers the one organization (document 2, Shared conventions).
func (s *Server) organizations(w http.ResponseWriter) {
	body := fmt.Sprintf(`{"code":0,"message":"success","organizations":[{"organization_id":%q,"name":"Meridian Tools Pvt Ltd",`+
		`"contact_name":"Asha Rao","email":"asha.rao@meridian.example","is_default_org":true,"language_code":"en",`+
		`"fiscal_year_start_month":4,"account_created_date":"2022-12-01","time_zone":%q,"is_org_active":true,`+
		`"currency_id":%q,"currency_code":"INR","currency_symbol":"₹","currency_format":"1,234,567.89","price_precision":2}]}`,
		s.options.OrganizationID, s.options.TimeZone, s.world.BaseCurrencyID())
	answer.Body(w, http.StatusOK, answer.JSONType, []byte(body))
}

// resource finds an endpoint by service and resource name.
func (s *Server) resource(service, name string) (lists.Resource, bool) {
	n := slices.IndexFunc(s.endpoints, func(e lists.Resource) bool { return e.Service == service && e.Name == name })
	if n < 0 {
		return lists.Resource{}, false
	}
	return s.endpoints[n], true
}
