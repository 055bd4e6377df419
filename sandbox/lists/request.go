package lists

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/sandbox/world"
	"sluice/sandbox/world/terms"
)

const (
	lastPage       = 1 << 31 // more pages than any list has, and few enough to reckon with
	pageSize       = 200     // default and maximum (docs/upstream.md U80)
	accountsAtOnce = 5000    // without per_page (docs/upstream.md U83)
)

// Request is a request of a list, with defaults filled in.
type Request struct {
	Query     world.Query
	Form      world.Form
	Page, Per int    // the page, from 1, and how many records one has
	Filter    string // for applied_filter
	Echoed    int    // the page that page_context claims
	Response  int    // response_option: 1 also says the total, 2 says it alone, 3 adds sums; 0 says none
	Assumed   bool   // no document shows what is asked for
}

// Asked is the input of a request.
type Asked struct {
	Values url.Values
	// Under is the parent in the path; "" for lists without parents.
	Under string
	// Today is the organization's day, the base of filters by date.
	Today time.Time

	Habits
}

// Habits are ways of lists that the documents leave open.
type Habits struct {
	// HeadersOnly makes wide resources return headers.
	HeadersOnly bool
	// SortsModified makes lists that filter by modification time sort by it as well.
	SortsModified bool
	// AccountsByType makes accounts come by account_type unless a sort is asked for.
	AccountsByType bool
	// AsLive makes every list return what lists of live services do, in their order.
	AsLive bool
}

// Read never fails: it ignores what it cannot read, as the services do. A raw + in a time arrives
// as a blank and makes it unreadable.
func Read(asked Asked, e Resource) Request {
	values := asked.Values
	list := Request{
		Query: Unsorted(e.Kind, asked.Habits),
		Page:  min(positive(values.Get("page"), 1), lastPage),
		Per:   min(positive(values.Get("per_page"), pageSize), pageSize),
	}
	if asked.HeadersOnly && e.Wide || e.Narrow || asked.AsLive {
		list.Form = world.Headers
	}
	list.Query.Under = asked.Under
	byTime := asked.sortsModified(e) && values.Get("sort_column") == world.ModifiedTime
	switch name, order := values.Get("sort_column"), values.Get("sort_order"); {
	case name != "" && (byTime || world.Sortable(e.Kind, name)):
		list.Query.Sort, list.Query.Ascending = name, order == "A"
	case name == "" && order != "":
		list.Query.Ascending = order == "A"
	}
	if since, ok := readTime(values.Get("last_modified_time")); ok && e.SinceHonoured {
		list.Query.Since = since.Unix()
	}
	list.filter(values.Get("filter_by"), e, asked.Today)
	list.Query.Terms = terms.Read(e.Kind, values, asked.AsLive)
	if e.Kind == world.Accounts {
		list.accounts(values)
	}
	list.Echoed = list.Page
	if asked.AsLive && e.Paging == ByNumber {
		if form, err := strconv.Atoi(values.Get("response_option")); err == nil && form >= WithTotal && form <= WithSums {
			list.Response = form
		}
		list.Assumed = list.Response != 0 || list.Query.Terms != terms.Read(e.Kind, values, false)
	}
	return list
}

// The forms of an answer (docs/upstream.md U91 to U93): a list ignores others.
const (
	WithTotal = 1
	TotalOnly = 2
	WithSums  = 3
)

// sortsModified reports whether a list can be sorted by modification time beyond the documents.
// Live services sort items by it (docs/upstream.md U112).
func (h Habits) sortsModified(e Resource) bool {
	return h.SortsModified && e.SinceHonoured || h.AsLive && e.Kind == world.Items
}

// Unsorted returns the query of a whole list in the order in which it comes unless a sort is asked
// for: newest created first, or as live services do (docs/upstream.md U101).
func Unsorted(kind world.Kind, habits Habits) world.Query {
	query := world.Query{Kind: kind, Sort: "created_time"}
	switch {
	case kind == world.Accounts && (habits.AccountsByType || habits.AsLive):
		query.Sort, query.Ascending = "account_type", true
	case !habits.AsLive:
	case kind == world.Items:
		query.Sort, query.Ascending = "name", true
	case kind == world.Taxes:
		query.Sort, query.Ascending = "tax_name", true
	case kind == world.Payments:
		query.Sort = "date"
	}
	return query
}

// filter reads filter_by: one of the list's values, or its default.
func (l *Request) filter(value string, e Resource, today time.Time) {
	if len(e.Filters) == 0 {
		return
	}
	l.Filter = e.Filters[0]
	if slices.Contains(e.Filters, value) {
		l.Filter = value
	}
	l.Query.Filter = l.Filter[strings.LastIndexByte(l.Filter, '.')+1:]
	if e.Kind == world.Adjustments {
		l.Query.From = firstDay(l.Query.Filter, today)
	}
}

// firstDay returns the first day that a filter by date passes; "" for all days. A week begins on
// Sunday.
func firstDay(filter string, today time.Time) string {
	year, month, day := today.Date()
	switch filter {
	case "Today":
	case "ThisWeek":
		day -= int(today.Weekday())
	case "ThisMonth":
		day = 1
	case "ThisQuarter":
		month, day = month-(month-1)%3, 1 // three months a quarter.
	case "ThisYear":
		month, day = time.January, 1
	default:
		return ""
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// accounts reads the parameters of GET /chartofaccounts alone. Balances are included unless
// declined, so that the default shows every key.
func (l *Request) accounts(values url.Values) {
	if values.Get("per_page") == "" {
		l.Per = accountsAtOnce
	}
	if values.Get("showbalance") == "false" {
		l.Form = world.WithoutBalance
	}
}

// Extent is how large a list is, on all pages.
type Extent struct {
	Records int
	Sums    []byte // an object: the sums of its columns; nil unless they are asked for
}

// AppendContext appends page_context, with a comma before it; only some lists have applied_filter
// and report_name.
func (l *Request) AppendContext(body []byte, e Resource, more bool, extent Extent) []byte {
	direction := "D"
	if l.Query.Ascending {
		direction = "A"
	}
	body = fmt.Appendf(body, `,"page_context":{"page":%d,"per_page":%d,"has_more_page":%t,"report_name":%q`, l.Echoed, l.Per, more, e.Report)
	if l.Filter != "" {
		body = fmt.Appendf(body, `,"applied_filter":%q`, l.Filter)
	}
	if l.Response != 0 {
		body = fmt.Appendf(body, `,"response_option":%d,"total":%d,"total_pages":%d`, l.Response, extent.Records, (extent.Records+l.Per-1)/l.Per)
	}
	if extent.Sums != nil {
		body = fmt.Appendf(body, `,"sum_columns":%s`, extent.Sums)
	}
	return fmt.Appendf(body, `,"sort_column":%q,"sort_order":%q}`, l.Query.Sort, direction)
}

func positive(text string, preset int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return preset
}

// readTime accepts the offsets of docs/upstream.md U120 (+hhmm), with a colon, and Z.
func readTime(text string) (time.Time, bool) {
	for _, layout := range [...]string{"2006-01-02T15:04:05-0700", time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
