package endpoints

import (
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"sluice/sandbox/answer"
	"sluice/sandbox/faults"
	"sluice/sandbox/lists"
	"sluice/sandbox/world"
	"sluice/sandbox/world/terms"
)

const bulkLimit = 100 // ids in one call (docs/upstream.md U218)

// list answers one page; a list without pages has all records on one.
func list(c *Call) {
	under, found := c.under()
	if !found {
		c.noParent()
		return
	}
	e := c.Endpoint.Resource
	if e.Kind == world.CreditNotes && terms.TooLong(c.Request.URL.Query()) {
		c.fail(http.StatusBadRequest, answer.InvalidValue, "Invalid value passed for item_description: at most 100 characters")
		return
	}
	request := lists.Read(lists.Asked{
		Values: c.Request.URL.Query(), Under: under, Today: c.Company.Time(), Habits: c.Manner.Habits,
	}, e)
	records, more, extent := c.page(e, &request)
	if request.Assumed {
		c.Header().Add(AssumedHeader, "totals, sums and days of lists")
	}
	body := []byte(`{"code":0,"message":"success"`)
	if request.Response != lists.TotalOnly {
		body = append(appendAll(fmt.Appendf(body, `,"%s":[`, e.Key), records), ']')
	}
	if e.Paging == lists.ByNumber && !c.Fault.Is("missing_context") {
		body = request.AppendContext(body, e, more, extent)
	}
	answer.Body(c, http.StatusOK, answer.JSONType, append(body, '}'))
}

// under returns the parent in the path as the world knows it; false if it does not exist.
func (c *Call) under() (string, bool) {
	asked, named := c.Values[parent]
	if !named {
		return "", true
	}
	var parents []string
	c.Company.With(func(w *world.World) { parents = w.Parents(c.Endpoint.Resource.Kind) })
	if n, isID := networkNumber(c.Endpoint.Resource.Kind, asked); isID && n < len(parents) {
		asked = parents[n]
	}
	return asked, slices.Contains(parents, asked)
}

// noParent answers for an unknown parent: an unknown record, or for a custom module an unknown
// path.
func (c *Call) noParent() {
	if c.Endpoint.Resource.Kind == world.ModuleRecords {
		c.fail(http.StatusNotFound, answer.NoSuchURL, "Invalid URL Passed")
		return
	}
	c.missing()
}

// page returns the records of a page, whether others follow, and how large all pages are; a fault
// may change the first two.
func (c *Call) page(e lists.Resource, request *lists.Request) ([][]byte, bool, lists.Extent) {
	offset := (request.Page - 1) * request.Per
	switch {
	case e.Paging == lists.Whole:
		offset = 0
	case c.Fault.Is("ignore_filter"):
		request.Query.Since = 0
	case c.Fault.Is("wrong_page"):
		request.Echoed++
	case c.Fault.Is("repeat_page"):
		offset = 0
	}
	var records [][]byte
	var more bool
	var extent lists.Extent
	c.Company.With(func(w *world.World) {
		if c.Fault != nil && offset > 0 {
			changeServed(w, request.Query, c.Fault)
		}
		order := w.Order(request.Query)
		from, to := min(offset, len(order)), min(offset+request.Per, len(order))
		if e.Paging == lists.Whole {
			to = len(order)
		}
		for _, i := range order[from:to] {
			records = append(records, w.AppendRecord(nil, e.Kind, int(i), request.Form))
		}
		more, extent.Records = request.Page*request.Per < len(order), len(order)
		if request.Response == lists.WithSums {
			extent.Sums = w.AppendSums(nil, e.Kind, request.Form, order)
		}
	})
	if c.Fault.Is("empty_more") {
		return nil, true, extent
	}
	return faults.Spoil(c.Fault, e.Target, records), more, extent
}

// changeServed changes records that page 1 has already shown, as a fault demands.
func changeServed(w *world.World, query world.Query, fault *faults.Fault) {
	order := w.Order(query)
	if len(order) == 0 {
		return
	}
	switch {
	case fault.Is("delete_between"):
		w.Delete(query.Kind, int(order[0]))
	case fault.Is("edit_between"):
		w.Edit(query.Kind, int(order[0]), fault.At.Unix())
	case fault.Is("insert_between") && w.Growing(query.Kind):
		w.Insert(query.Kind, fault.At.Unix())
	}
}

// single answers one record under its own key.
func single(c *Call) { c.one(c.Endpoint.Resource.OneKey, "") }

// personUnder returns a handler for one record under a parent.
func personUnder(key string) func(*Call) {
	return func(c *Call) {
		under, found := c.under()
		if !found {
			c.noParent()
			return
		}
		c.one(key, under)
	}
}

func (c *Call) one(key, under string) {
	e := c.Endpoint.Resource
	var body []byte
	c.Company.With(func(w *world.World) {
		if i, found := w.Index(e.Kind, c.Values[record]); found && (under == "" || w.Under(e.Kind, i) == under) {
			body = w.AppendRecord(nil, e.Kind, i, world.Single)
		}
	})
	if body == nil {
		c.missing()
		return
	}
	body = faults.Spoil(c.Fault, e.Target, [][]byte{body})[0]
	if e.OneInArray {
		body = slices.Concat([]byte("["), body, []byte("]"))
	}
	answer.Body(c, http.StatusOK, answer.JSONType, fmt.Appendf(nil, `{"code":0,"message":"success","%s":%s}`, key, body))
}

// bulk answers the requested items, as far as they exist.
func bulk(c *Call) {
	e := c.Endpoint.Resource
	ids := strings.Split(c.Request.URL.Query().Get("item_ids"), ",")
	if len(ids) > bulkLimit {
		c.fail(http.StatusBadRequest, answer.InvalidValue, "Invalid value passed for item_ids")
		return
	}
	var records [][]byte
	c.Company.With(func(w *world.World) {
		for _, id := range ids {
			if i, found := w.Index(e.Kind, strings.TrimSpace(id)); found {
				records = append(records, w.AppendRecord(nil, e.Kind, i, world.Single))
			}
		}
	})
	body := appendAll(fmt.Appendf(nil, `{"code":0,"message":"success","%s":[`, e.Key), faults.Spoil(c.Fault, e.Target, records))
	answer.Body(c, http.StatusOK, answer.JSONType, append(body, ']', '}'))
}

// accepts reports whether the caller accepts a media type: chat answers 406 for a response type
// that it does not have (docs/upstream.md U69). A call without Accept accepts any.
func (c *Call) accepts(wanted string) bool {
	asked := strings.Join(c.Request.Header.Values("Accept"), ",")
	if strings.TrimSpace(asked) == "" {
		return true
	}
	family, _, _ := strings.Cut(wanted, "/")
	for one := range strings.SplitSeq(asked, ",") {
		kind, parameters, err := mime.ParseMediaType(one)
		if err != nil || strings.Trim(parameters["q"], "0.") == "" && parameters["q"] != "" {
			continue // unreadable, or declined by q=0
		}
		if kind == wanted || kind == family+"/*" || kind == "*/*" {
			return true
		}
	}
	return false
}
