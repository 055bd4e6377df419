package sandbox_test

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sluice/sandbox"
)

// reply is what came over the wire, and how the transfer ended.
type reply struct {
	status   int
	header   http.Header
	length   int64
	encoding []string
	body     string
	err      error
}

// wired calls a sandbox over a connection, without unpacking anything.
type wired struct {
	*upstream

	address string
	client  *http.Client
}

func wire(t *testing.T, options sandbox.Options) *wired {
	t.Helper()
	u := start(t, options)
	web := httptest.NewServer(u)
	t.Cleanup(web.Close)
	client := &http.Client{
		Transport:     &http.Transport{DisableCompression: true, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return &wired{u, web.URL, client}
}

func (w *wired) call(t *testing.T, method, target string) (*http.Response, error) {
	t.Helper()
	request := sure(http.NewRequestWithContext(t.Context(), method, w.address+target, http.NoBody))(t)
	request.Header.Set("Authorization", "Svc-oauthtoken "+w.token)
	request.Header.Set("Content-Type", "text/csv")
	return w.client.Do(request)
}

func (w *wired) ask(t *testing.T, method, target string) reply {
	t.Helper()
	response, err := w.call(t, method, target)
	if err != nil {
		return reply{err: err}
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header, response.ContentLength, response.TransferEncoding, string(body), err}
}

func (w *wired) set(t *testing.T, fault sandbox.Fault) {
	t.Helper()
	must(t, w.SetFaults([]sandbox.Fault{fault}))
}

// held is an envelope of bills, as far as it can be read.
type held struct {
	Code    int          `json:"code"`
	Bills   []object     `json:"bills"`
	Context *pageContext `json:"page_context"`
}

func (r reply) page() held {
	var p held
	_ = json.Unmarshal([]byte(r.body), &p) // an unreadable body is compared as it is
	return p
}

func (r reply) value(n int, name string) string {
	if bills := r.page().Bills; n < len(bills) {
		return string(bills[n][name])
	}
	return "none"
}

// Each kind beyond the first ones, over a connection: what it does to a page of bills.
func TestMoreFaultsOfPages(t *testing.T) {
	t.Parallel()
	wire(t, sandbox.Options{Records: 200, Limits: off()}).strike(t, pageFaults())
}

// strike compares an answer with and without each fault.
func (w *wired) strike(t *testing.T, faults map[string]expectation) {
	t.Helper()
	for kind, c := range faults {
		url := cmp.Or(c.target, target(billsPath, "per_page", "10", "page", "1"))
		w.set(t, sandbox.Fault{Path: "/nowhere", Kind: "html"})
		clean := w.ask(t, http.MethodGet, url)
		w.set(t, sandbox.Fault{Path: billsPath, Kind: kind, Milliseconds: 1, Seconds: 7})
		struck := w.ask(t, http.MethodGet, url)
		fatalIf(t, clean.err != nil || clean.status != http.StatusOK, "%s: clean answer %d, %v", kind, clean.status, clean.err)
		equal(t, c.check(clean, struck), "", kind, struck.status, struck.header, struck.err, struck.body)
	}
}

// A list of 1,120 bills that ends behind the thousandth, and counts as many.
func TestCappedAlike(t *testing.T) {
	t.Parallel()
	w := wire(t, sandbox.Options{Records: 4000, Limits: off(), AsLive: true})
	shown := func(page string) (int, bool, bool) {
		t.Helper()
		r := w.ask(t, http.MethodGet, target(billsPath, "response_option", "1", "page", page, "per_page", "200"))
		return len(r.page().Bills), r.page().Context.More, strings.Contains(r.body, `"total":1000,`)
	}
	n, more, capped := shown("5")
	errorIf(t, n != 200 || !more || capped, "without the fault: %d bills, more %t, a total of a thousand %t", n, more, capped)
	w.set(t, sandbox.Fault{Path: billsPath, Kind: "capped_alike"})
	n, more, capped = shown("5")
	errorIf(t, n != 200 || more || !capped, "the fifth page: %d bills, more %t, a total of a thousand %t", n, more, capped)
	n, more, capped = shown("6")
	errorIf(t, n != 0 || more || !capped, "behind it: %d bills, more %t, a total of a thousand %t", n, more, capped)
}

// Each kind of wrong total, of a list of 56 bills.
func TestFaultsOfCounts(t *testing.T) {
	t.Parallel()
	w := wire(t, sandbox.Options{Records: 200, Limits: off(), AsLive: true})
	w.strike(t, countFaults())
	counted := target(billsPath, "response_option", "2")
	w.set(t, sandbox.Fault{Path: billsPath, Kind: "count_stale"})
	before := w.ask(t, http.MethodGet, counted)
	errorIf(t, before.header.Get("X-Sandbox-Assumed") == "", "a total that is not marked as assumed")
	w.change(t, sandbox.Change{Resources: []string{"bills"}, Deletes: 3})
	equal(t, w.ask(t, http.MethodGet, counted).body, before.body)
}

// countFaults are the kinds of wrong totals but count_stale, which needs two answers.
func countFaults() map[string]expectation {
	counted := target(billsPath, "response_option", "2")
	total := func(is string) expectation { return expectation{counted, body(`"total":56`, `"total":`+is).check} }
	return map[string]expectation{
		"count_fewer": total("49"), "count_more": total("63"), "count_rounded": total("100"), "count_negative": total("-56"),
		"count_huge": total("1e30"), "count_word": total(`"many"`), "count_text": total(`"56"`),
		"count_missing": {counted, body(`"total":56,`, ``).check},
		"count_refused": {counted, status(http.StatusBadRequest, "application/json", `{"code":2,`).check},
		"count_ignored": {counted, func(_, struck reply) string {
			return unless(len(struck.page().Bills) == 56 && !strings.Contains(struck.body, "total_pages"), "counted")
		}},
		"capped_list": {target(billsPath, "per_page", "10", "page", "3"), func(clean, struck reply) string {
			return unless(len(clean.page().Bills) == 10 && clean.page().Context.More && len(struck.page().Bills) == 0 && !struck.page().Context.More, "not ended")
		}},
		"hidden_record": {target(billsPath, "per_page", "10"), func(clean, struck reply) string {
			return unless(len(struck.page().Bills) == 9 && struck.value(0, "bill_id") == clean.value(1, "bill_id"), "nothing hidden")
		}},
	}
}

type expectation struct {
	target string
	check  func(clean, struck reply) string
}

// unless returns a problem if a condition is false.
func unless(holds bool, problem string) string {
	if holds {
		return ""
	}
	return problem
}

// body expects the clean body with one text replaced by another.
func body(pattern, replacement string) expectation {
	return expectation{check: func(clean, struck reply) string {
		want := regexp.MustCompile(pattern).ReplaceAllString(clean.body, replacement)
		return unless(struck.status == http.StatusOK && struck.body == want && want != clean.body, "another body than expected")
	}}
}

func status(code int, contentType, text string) expectation {
	return expectation{check: func(_, struck reply) string {
		return unless(struck.status == code && strings.HasPrefix(struck.header.Get("Content-Type"), contentType) &&
			strings.Contains(struck.body, text) && (text != "" || struck.body == ""), fmt.Sprintf("want %d %s %s", code, contentType, text))
	}}
}

func first(name string, good func(was, is string) bool) expectation {
	return expectation{check: func(clean, struck reply) string {
		return unless(good(clean.value(0, name), struck.value(0, name)) && clean.value(1, name) == struck.value(1, name), "the first record's "+name)
	}}
}

func every(name string, good func(was, is string) bool) expectation {
	return expectation{check: func(clean, struck reply) string {
		for n := range 10 {
			if !good(clean.value(n, name), struck.value(n, name)) {
				return fmt.Sprintf("record %d: %s is %s", n, name, struck.value(n, name))
			}
		}
		return ""
	}}
}

func is(want string) func(string, string) bool {
	return func(_, got string) bool { return got == want }
}

func pageFaults() map[string]expectation {
	const json200 = "application/json"
	last := target(billsPath, "per_page", "10", "page", "6")
	sorted := target(billsPath, "per_page", "10", "sort_column", "date", "sort_order", "A")
	all := map[string]expectation{
		"more_early":    body(`"has_more_page":true`, `"has_more_page":false`),
		"more_forever":  {last, body(`"has_more_page":false`, `"has_more_page":true`).check},
		"missing_more":  body(`"has_more_page":true,`, ``),
		"context_array": body(`"page_context":\{"page":1,"per_page":10,(.*)\}\}$`, `"page_context":[{"page":"1","per_page":"10",$1}]}`),
		"two_documents": body(`$`, `{"code":0,"message":"success"}`),
		"bom":           body(`^`, "\xef\xbb\xbf"),
		"missing_key":   body(`"bills":\[.*\],"page_context"`, `"page_context"`),
		"object_for_list": {check: func(clean, struck reply) string {
			return unless(strings.Contains(struck.body, `"bills":{"bill_id":`+clean.value(0, "bill_id")), "no object")
		}},
		"capped_page": {check: func(clean, struck reply) string {
			got := struck.page()
			return unless(len(got.Bills) == 5 && got.Context.PerPage == 5 && got.Context.More && struck.value(4, "bill_id") == clean.value(4, "bill_id"), "no half page")
		}},
		"ignore_sort": {sorted, func(clean, struck reply) string {
			return unless(clean.page().Context.Column == "date" && struck.page().Context.Column == "created_time" && struck.value(0, "bill_id") != clean.value(0, "bill_id"), "sorted")
		}},
		"narrow": {check: func(clean, struck reply) string {
			return unless(len(struck.page().Bills[9]) == 3 && struck.value(9, "bill_id") == clean.value(9, "bill_id") && struck.value(9, "last_modified_time") == clean.value(9, "last_modified_time"), "not narrow")
		}},
		"foreign": every("bill_id", func(was, is string) bool { return is == `"9`+was[2:] }),

		"clock_ahead":  clockOff(2 * time.Hour),
		"clock_behind": clockOff(-2 * time.Hour),
		"stale": {check: func(clean, struck reply) string {
			return unless(struck.header.Get("Age") == "7200" && clockOff(-2*time.Hour).check(clean, struck) == "" && struck.body == clean.body, "no old answer")
		}},
		"future_time":  first("last_modified_time", is(`"2999-01-01T00:00:00+0000"`)),
		"zero_time":    first("last_modified_time", is(`"0000-00-00T00:00:00+0000"`)),
		"old_time":     every("last_modified_time", func(was, is string) bool { return is[:3] == `"20` && is[3:5] == fmt.Sprintf("%02d", yearOf(was)-20) }),
		"no_offset":    every("last_modified_time", func(was, is string) bool { return is == was[:20]+`"` }),
		"other_offset": every("last_modified_time", func(was, is string) bool { return sameTime(was, is) && strings.HasSuffix(is, `.000Z"`) }),

		"server_error":       status(500, json200, `{"code":9,`),
		"bad_gateway":        status(502, "text/html", "<html>"),
		"gateway_timeout":    status(504, "text/html", ""),
		"success_in_500":     status(500, json200, `{"code":0,`),
		"no_content":         status(204, "", ""),
		"empty_body":         status(200, json200, ""),
		"bad_request":        status(400, json200, `{"code":2,`),
		"not_found":          status(404, json200, `{"code":1002,`),
		"not_allowed":        status(405, json200, `{"code":5,`),
		"not_acceptable":     status(406, json200, `{"code":2,`),
		"missing_token":      status(401, json200, `{"code":14,`),
		"wrong_organization": status(400, json200, `{"code":6041,`),
		"plain_429":          status(429, "text/plain", "slow down"),
		"retry_after": {check: func(_, struck reply) string {
			return unless(struck.status == 429 && struck.header.Get("Retry-After") == "7" && strings.Contains(struck.body, `"code":44`), "no wait")
		}},
		"retry_date": {check: func(_, struck reply) string {
			at, err := http.ParseTime(struck.header.Get("Retry-After"))
			return unless(err == nil && struck.status == 429 && at.Equal(newClock().now.Add(7*time.Second)), "no date to wait for")
		}},
		"rate_huge":  rated("2147483648", "2147483648", "60"),
		"rate_spent": rated("10000", "0", "90000"),
		"wrong_type": {check: func(clean, struck reply) string {
			return unless(struck.body == clean.body && strings.HasPrefix(struck.header.Get("Content-Type"), "text/html"), "no HTML")
		}},
		"charset": {check: func(clean, struck reply) string {
			return unless(!utf8.ValidString(struck.body) && utf8.RuneCountInString(clean.body) == len(struck.body) && strings.HasSuffix(struck.header.Get("Content-Type"), "ISO-8859-1"), "no Latin")
		}},
		"wrong_charset": {check: func(clean, struck reply) string {
			return unless(!utf8.ValidString(struck.body) && utf8.RuneCountInString(clean.body) == len(struck.body) && strings.HasSuffix(struck.header.Get("Content-Type"), "UTF-8"), "no Latin called UTF-8")
		}},

		"reset_body": broken(), "stall": broken(),
		"gzip_unlabelled": {check: func(clean, struck reply) string {
			return unless(struck.header.Get("Content-Encoding") == "" && unpacked(struck) == clean.body, "not packed")
		}},
		"gzip_mislabelled": {check: func(clean, struck reply) string {
			return unless(struck.header.Get("Content-Encoding") == "gzip" && struck.body == clean.body, "not plain")
		}},
		"gzip_broken": badGzip(), "gzip_cut": badGzip(),

		"surrogate":        {check: raw(`"vendor_name":"half \ud83c"`)},
		"invalid_utf8":     {check: raw("\"vendor_name\":\"M\xfcller\"")},
		"huge_number":      {check: raw(`"date":1e131071,`)},
		"all_huge_numbers": every("date", is("1e131071")),
		"same_id":          every("bill_id", is(`"0"`)),
		"nan":              {check: raw(`"date":NaN,`)},
		"duplicate_key":    {check: raw(`,"vendor_name":"the second value"}`)},
		"case_twin": {check: func(_, struck reply) string {
			return unless(strings.Count(struck.body, `,"VENDOR_NAME":"in capitals"}`) == 10, "no twins")
		}},
		"bare_id": every("bill_id", func(was, is string) bool { return is == strings.Trim(was, `"`) }),
		"nulls":   every("reference_id", func(was, is string) bool { return was == `""` && is == "null" }),
		"flipped": {check: func(clean, struck reply) string {
			return unless(struck.value(0, "balance") == `"`+clean.value(0, "balance")+`"` && struck.value(0, "is_pre_gst") == "0" &&
				struck.value(0, "bill_id") == clean.value(0, "bill_id") && struck.value(0, "line_items")[0] == '{', "not flipped")
		}},
		"drifting": every("release_1_note", is(`"added"`)),
		"renamed_key": {check: func(clean, struck reply) string {
			return unless(struck.value(3, "vendor_name") == "" && struck.value(3, "vendor_name_v2") == clean.value(3, "vendor_name"), "not renamed")
		}},
		"dropped_key": every("vendor_name", is("")),
		"deep":        first("nested", func(_, is string) bool { return is == strings.Repeat("[", 200)+strings.Repeat("]", 200) }),
		"huge_record": first("vendor_name", func(_, is string) bool { return len(is) == 9<<20+2 }),
		"object_text": first("vendor_name", is(`{"value":"x"}`)),

		"many_elements": {check: func(_, struck reply) string {
			return unless(len(struck.body) < 1<<16 && strings.Count(unpacked(struck), "1,1") == 7_500_000, "not so many")
		}},
		"many_keys": {check: raw(`,"key_999999":1}`)},
		"huge_token": {check: func(_, struck reply) string {
			return unless(strings.Contains(struck.body, `"next_token":"tttt`) && len(struck.body) > 8<<20, "no such token")
		}},
		"all_poison": every("date", is(`"not a value"`)),
	}
	return all
}

func raw(want string) func(reply, reply) string {
	return func(clean, struck reply) string {
		return unless(strings.Count(struck.body, want) == 1 && !strings.Contains(clean.body, want), "no "+want)
	}
}

func clockOff(by time.Duration) expectation {
	return expectation{check: func(_, struck reply) string {
		at, err := http.ParseTime(struck.header.Get("Date"))
		return unless(err == nil && at.Equal(newClock().now.Add(by)), "another Date")
	}}
}

// rated expects the clean body under these rate headers.
func rated(limit, remaining, reset string) expectation {
	return expectation{check: func(clean, struck reply) string {
		return unless(struck.body == clean.body && struck.header.Get("X-Rate-Limit-Limit") == limit &&
			struck.header.Get("X-Rate-Limit-Remaining") == remaining && struck.header.Get("X-Rate-Limit-Reset") == reset, "other rate headers")
	}}
}

func broken() expectation {
	return expectation{check: func(clean, struck reply) string {
		return unless(struck.err != nil && struck.length == clean.length && len(struck.body) <= len(clean.body)/2, "not broken")
	}}
}

func badGzip() expectation {
	return expectation{check: func(clean, struck reply) string {
		return unless(struck.err == nil && struck.header.Get("Content-Encoding") == "gzip" && strings.HasPrefix(struck.body, "\x1f\x8b") && unpacked(struck) != clean.body, "good gzip")
	}}
}

// unpacked returns the content of a packed body as far as it can be read.
func unpacked(r reply) string {
	unpack, err := gzip.NewReader(strings.NewReader(r.body))
	if err != nil {
		return err.Error()
	}
	text, err := io.ReadAll(unpack)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

const stampLayout = `"2006-01-02T15:04:05-0700"`

func yearOf(stamp string) int {
	at, _ := time.Parse(stampLayout, stamp)
	return at.Year() % 100
}

func sameTime(was, is string) bool {
	a, err := time.Parse(stampLayout, was)
	b, other := time.Parse(`"`+time.RFC3339+`"`, is)
	return err == nil && other == nil && a.Equal(b)
}
