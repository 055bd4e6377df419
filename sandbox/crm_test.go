package sandbox_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"sluice/sandbox"
)

// product is a record of the module Products.
type product struct {
	ID       string `json:"id"`
	Name     string `json:"Product_Name"`
	Modified string `json:"Modified_Time"`
}

// products is an answer of the CRM (docs/upstream.md U351).
type products struct {
	Data []product `json:"data"`
	Info struct {
		Count int     `json:"count"`
		Page  int     `json:"page"`
		Per   int     `json:"per_page"`
		By    string  `json:"sort_by"`
		Order string  `json:"sort_order"`
		More  *bool   `json:"more_records"`
		Next  *string `json:"next_page_token"`
	} `json:"info"`
}

// The CRM lists the items as products: by number up to 2,000 records, by token beyond
// (docs/upstream.md U352).
func TestProducts(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Seed: 3, Records: 8000, Limits: off()})
	want := map[string]string{}
	for record := range u.Truth("inventory", "items") {
		var item struct {
			ID   string `json:"item_id"`
			Name string `json:"name"`
		}
		unmarshal(t, record, &item)
		want[item.ID] = item.Name
	}
	fatalIf(t, len(want) <= 2000, "%d items are too few for this test", len(want))
	got, query := map[string]string{}, url.Values{"fields": {"Product_Name,Modified_Time"}, "sort_by": {"Modified_Time"}}
	last := ""
	for calls := 1; ; calls++ {
		answer := u.serve(t, http.MethodGet, "/crm/v8/Products?"+query.Encode(), nil)
		assumed := answer.Header().Get("X-Sandbox-Assumed")
		errorIf(t, assumed == "", "the answer does not say that no document shows it")
		var page products
		decode(t, answer, &page)
		fatalIf(t, page.Info.More == nil || page.Info.Count != len(page.Data) || page.Info.By != "Modified_Time" || page.Info.Order != "desc",
			"info %+v beside %d records", page.Info, len(page.Data))
		for _, p := range page.Data {
			errorIf(t, last != "" && p.Modified > last, "%s is behind %s in the order newest first", p.Modified, last)
			got[p.ID], last = p.Name, p.Modified
		}
		if !*page.Info.More {
			if page.Info.Next != nil {
				t.Errorf("the last page has the token %s", *page.Info.Next)
			}
			break
		}
		query.Set("page_token", *page.Info.Next)
	}
	equal(t, len(got), len(want), "products of")
	for id, name := range want {
		equal(t, got[id], name, id)
	}
}

func TestAnswersOfTheCRM(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Seed: 3, Records: 100, Limits: off()})
	for _, c := range []struct {
		target string
		status int
		parts  []string
	}{
		{"/crm/v8/Products?fields=Product_Name&page=2&per_page=3", http.StatusOK, []string{`"page":2`, `"per_page":3`, `"count":3`, `"more_records":true`}},
		{"/crm/v2/Products?per_page=1", http.StatusOK, []string{`"Owner":{`, `"Description":`, `"sort_by":"id"`}},
		{"/crm/v8/Deals?fields=Amount", http.StatusNoContent, nil},
		{"/crm/v8/Products?fields=Product_Name&page=9", http.StatusNoContent, nil},
		{"/crm/v8/Products?fields=Product_Name&page=11", http.StatusBadRequest, []string{`"DISCRETE_PAGINATION_LIMIT_EXCEEDED"`}},
		{"/crm/v8/Products?fields=Product_Name&page=1&page_token=MQ==", http.StatusBadRequest, []string{`"AMBIGUITY_DURING_PROCESSING"`}},
		{"/crm/v8/Products?fields=Product_Name&page_token=x", http.StatusBadRequest, []string{`"INVALID_DATA"`}},
		{"/crm/v8/Products", http.StatusBadRequest, []string{`"REQUIRED_PARAM_MISSING"`, `"param_name":"fields"`}},
		{"/crm/v8/Unicorns?fields=Name", http.StatusBadRequest, []string{`"INVALID_MODULE"`}},
	} {
		answer := u.serve(t, http.MethodGet, c.target, nil)
		text := answer.Body.String()
		errorIf(t, answer.Code != c.status || slices.ContainsFunc(c.parts, func(part string) bool { return !strings.Contains(text, part) }),
			"%s: %d %.300s, want %d with %v", c.target, answer.Code, text, c.status, c.parts)
		errorIf(t, c.parts == nil && text != "", "%s: an empty list has the body %q", c.target, text)
	}
	equal(t, u.serve(t, http.MethodPost, "/crm/v8/Products", nil).Code, http.StatusMethodNotAllowed, "POST")
	poor := u.consented(t, "", "SvcInventory.items.READ")
	answer := u.serve(t, http.MethodGet, "/crm/v8/Products?fields=Product_Name", bearer(poor))
	errorIf(t, answer.Code != http.StatusUnauthorized || !strings.Contains(answer.Body.String(), `"INVALID_TOKEN"`),
		"without the scope: %d %.200s", answer.Code, answer.Body)
}
