package lists

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sluice/sandbox/world"
)

const (
	pageSize       = 200  // default and maximum (upstream facts)
	accountsAtOnce = 5000 // without per_page (upstream facts)
)

// Request is what a list was asked for, after defaults.
type Request struct {
	Query     world.Query
	Form      world.Form
	Page, Per int    // the page, from 1, and how many records one has
	Filter    string // for applied_filter
	Echoed    int    // the page that page_context claims
}

// Read never fails: what it does not understand it ignores, as the
// services do. A raw + in a time arrives as a blank and makes it unreadable.
// With headersOnly wide resources give headers.
func Read(values url.Values, e Resource, headersOnly bool) Request {
	list := Request{
		Query:  world.Query{Kind: e.Kind, Sort: "created_time", Ascending: values.Get("sort_order") == "A"},
		Page:   positive(values.Get("page"), 1),
		Per:    min(positive(values.Get("per_page"), pageSize), pageSize),
		Filter: e.Filter,
	}
	if headersOnly && e.Wide {
		list.Form = world.Headers
	}
	if name := values.Get("sort_column"); name != "" && world.Sortable(e.Kind, name) {
		list.Query.Sort = name
	} else if name != "" {
		list.Query.Ascending = false
	}
	if since, ok := readTime(values.Get("last_modified_time")); ok && e.SinceHonoured {
		list.Query.Since = since.Unix()
	}
	if e.Kind == world.Accounts {
		list.accounts(values)
	}
	list.Echoed = list.Page
	return list
}

// accounts reads what only GET /chartofaccounts knows. Balances come unless
// they are declined, so that the default shows every key.
func (l *Request) accounts(values url.Values) {
	if values.Get("per_page") == "" {
		l.Per = accountsAtOnce
	}
	if values.Get("showbalance") == "false" {
		l.Form = world.WithoutBalance
	}
	for name := range strings.FieldsSeq("All Active Inactive Asset Liability Equity Income Expense") {
		if values.Get("filter_by") == "AccountType."+name {
			l.Filter = "AccountType." + name
		}
	}
	l.Query.AccountsBy = strings.TrimPrefix(l.Filter, "AccountType.")
}

// AppendContext appends page_context, with a comma before it.
func (l *Request) AppendContext(body []byte, e Resource, more bool) []byte {
	direction := "D"
	if l.Query.Ascending {
		direction = "A"
	}
	return fmt.Appendf(body,
		`,"page_context":{"page":%d,"per_page":%d,"has_more_page":%t,"report_name":%q,"applied_filter":%q,"sort_column":%q,"sort_order":%q}`,
		l.Echoed, l.Per, more, e.Report, l.Filter, l.Query.Sort, direction)
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
