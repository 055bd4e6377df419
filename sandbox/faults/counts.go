package faults

import (
	"net/http"
	"net/url"
	"strconv"

	"sluice/sandbox/answer"
	"sluice/sandbox/faults/deform"
)

const (
	wrongBy   = 7   // records more or fewer than there are
	roundedTo = 100 // an approximate total
	capped    = 2   // pages of a list that ends too early
	mostShown = 1000
)

// countActs returns the ways in which a total can be wrong. They strike calls that ask for one; a
// list that ends too early and records that are hidden strike every page.
func countActs() []act {
	return []act{
		{
			Kind: Kind{"count_ignored", "Ignores response_option, so a page comes without a total."},
			ask:  asked(func(query url.Values) { query.Del("response_option") }),
		},
		{
			Kind: Kind{"count_refused", "Answers 400 to a call with response_option."},
			send: func(w http.ResponseWriter, r *http.Request, _ *Fault, now *captured) {
				if r.URL.Query().Has("response_option") {
					answer.Error(w, http.StatusBadRequest, answer.InvalidValue, "Invalid value passed for response_option")
					return
				}
				send(w, now)
			},
		},
		{
			Kind: Kind{"count_missing", "Leaves the total out."},
			body: whole(func(page []byte) []byte {
				return deform.Context(page, func(context []byte) []byte { return deform.Without(context, "total") })
			}),
		},
		{
			Kind: Kind{"count_stale", "Repeats the first total of each path, as a cache does."},
			send: func(w http.ResponseWriter, r *http.Request, f *Fault, now *captured) {
				body := total(func(total string) string { return string(f.Cache.first(r.URL.Path, []byte(total))) })(now.body.Bytes(), r)
				now.body.Reset()
				_, _ = now.body.Write(body)
				send(w, now)
			},
		},
		{Kind: Kind{"count_fewer", "Says a total of seven records fewer."}, body: total(changed(func(n int) int { return n - wrongBy }))},
		{Kind: Kind{"count_more", "Says a total of seven records more."}, body: total(changed(func(n int) int { return n + wrongBy }))},
		{
			Kind: Kind{"count_rounded", "Says a total in hundreds."},
			body: total(changed(func(n int) int { return (n + roundedTo) / roundedTo * roundedTo })),
		},
		{Kind: Kind{"count_negative", "Says a negative total."}, body: total(changed(func(n int) int { return -n }))},
		{Kind: Kind{"count_huge", "Says a total of 1e30."}, body: total(func(string) string { return "1e30" })},
		{Kind: Kind{"count_word", "Says the total in a word."}, body: total(func(string) string { return `"many"` })},
		{Kind: Kind{"count_text", "Says the total as a text of digits."}, body: total(func(total string) string { return `"` + total + `"` })},
		{Kind: Kind{"capped_list", "Ends a list behind its second page, whatever its total is."}, body: ended},
		{Kind: Kind{"capped_alike", "Shows no more than a thousand records of a list, and counts as many."}, body: cappedAlike},
		{
			Kind: Kind{"hidden_record", "Leaves the first record of each page out, and counts it."},
			body: whole(func(page []byte) []byte {
				return deform.Kept(page, func(records [][]byte) [][]byte { return records[min(1, len(records)):] })
			}),
		},
	}
}

// total returns a change of the total in page_context, if there is one.
func total(change func(total string) string) func([]byte, *http.Request) []byte {
	return whole(func(page []byte) []byte {
		return deform.Context(page, func(context []byte) []byte {
			if said := deform.Get(context, "total"); said != nil {
				return deform.Value(context, "total", change(string(said)))
			}
			return context
		})
	})
}

// changed adapts a change of a number.
func changed(change func(int) int) func(string) string {
	return func(total string) string {
		n, _ := strconv.Atoi(total) // what the sandbox wrote
		return strconv.Itoa(change(n))
	}
}

// cappedAlike shows the first thousand records of a list, and counts no more.
func cappedAlike(page []byte, r *http.Request) []byte {
	query := r.URL.Query()
	number, _ := strconv.Atoi(query.Get("page"))
	size, _ := strconv.Atoi(query.Get("per_page"))
	if left := mostShown - (max(number, 1)-1)*size; left <= size {
		page = deform.More(page, false)
		page = deform.Kept(page, func(records [][]byte) [][]byte { return records[:min(max(left, 0), len(records))] })
	}
	return total(changed(func(n int) int { return min(n, mostShown) }))(page, r)
}

// ended ends a list behind its last page.
func ended(page []byte, r *http.Request) []byte {
	number, _ := strconv.Atoi(r.URL.Query().Get("page"))
	if number < capped {
		return page
	}
	if page = deform.More(page, false); number > capped {
		page = deform.Kept(page, func([][]byte) [][]byte { return nil })
	}
	return page
}
