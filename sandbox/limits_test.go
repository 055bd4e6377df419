package sandbox_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/sandbox"
)

// code calls a list and returns the status and the error code.
func (u *upstream) code(t *testing.T, path string) (int, int) {
	t.Helper()
	answer := u.get(t, path, "per_page", "1")
	var body struct{ Code int }
	decode(t, answer, &body)
	return answer.Code, body.Code
}

func TestMinuteLimitAndItsArithmetic(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60})
	items, payments := "/inventory/v1/items", "/books/v3/vendorpayments"
	for range 60 { // both services draw on the organization's hundred
		u.code(t, items)
	}
	u.clock.move(30 * time.Second)
	for range 40 {
		status, _ := u.code(t, payments)
		fatalIf(t, status != http.StatusOK, "status %d below the limit", status)
	}
	equal(t, u.Stats().Worst60s, 100, "worst")
	u.clock.move(30*time.Second - time.Nanosecond)
	status, code := u.code(t, items)
	errorIf(t, status != http.StatusTooManyRequests || code != 44, "call 101 within a minute: %d code %d", status, code)
	// The sixty are now exactly a minute old: outside the half-open window.
	u.clock.move(time.Nanosecond)
	status, _ = u.code(t, items)
	errorIf(t, status != http.StatusOK, "status %d, want the first sixty forgotten", status)
	stats := u.Stats()
	errorIf(t, stats.Worst60s != 101 || stats.Refused["44"] != 1 || stats.Calls != 102 || stats.ByStatus["429"] != 1, "stats %+v", stats)
	errorIf(t, stats.ByService["inventory"] != 62 || stats.ByService["accounting"] != 40 || stats.ByPath[items] != 62, "stats %+v", stats)
	u.ResetStats()
	stats = u.Stats()
	errorIf(t, stats.Calls != 0 || stats.Worst60s != 0 || len(stats.Refused) != 0, "after reset: %+v", stats)
}

func TestAdvanceHidesNoBurst(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60})
	for range 100 {
		u.code(t, "/inventory/v1/items")
	}
	u.Advance(30 * time.Minute)
	status, code := u.code(t, "/inventory/v1/items")
	errorIf(t, status != http.StatusTooManyRequests || code != 44, "%d code %d, want the minute to count on the real clock", status, code)
}

func TestDailyLimit(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60, Limits: sandbox.Limits{DailyInventory: 3}})
	remaining := func(path string) (string, string, string) {
		header := u.get(t, path, "per_page", "1").Header()
		return header.Get("X-Rate-Limit-Limit"), header.Get("X-Rate-Limit-Remaining"), header.Get("X-Rate-Limit-Reset")
	}
	for n, want := range []string{"2", "1", "0"} {
		u.clock.move(time.Hour)
		limit, left, reset := remaining("/inventory/v1/items")
		errorIf(t, limit != "3" || left != want || reset != strconv.Itoa(86_400-n*3600),
			"call %d: limit %s, left %s, reset %s", n, limit, left, reset)
		u.login(t)
	}
	status, code := u.code(t, "/inventory/v1/items")
	errorIf(t, status != http.StatusTooManyRequests || code != 45, "fourth call: %d code %d", status, code)
	limit, left, _ := remaining("/books/v3/vendorpayments")
	errorIf(t, limit != "1000" || left != "999", "accounting of the free plan: %s of %s left", left, limit)
	u.Advance(22 * time.Hour) // the day rolls: the first call leaves it
	u.login(t)
	status, _ = u.code(t, "/inventory/v1/items")
	errorIf(t, status != http.StatusOK, "a day later: status %d", status)
	status, code = u.code(t, "/inventory/v1/items")
	errorIf(t, status != http.StatusTooManyRequests || code != 45, "only one call left the day: %d code %d", status, code)
}

func TestConcurrencyLimit(t *testing.T) {
	t.Parallel()
	for plan, atOnce := range map[string]int{"free": 5, "professional": 10} {
		t.Run(plan, func(t *testing.T) {
			t.Parallel()
			// Each call asks the clock once when it arrives, and then takes its time.
			arrived := make(chan struct{}, 100)
			c := newClock()
			u := start(t, sandbox.Options{Records: 60, Plan: plan, PageLatency: time.Hour, Now: func() time.Time {
				arrived <- struct{}{}
				return c.Now()
			}})
			for len(arrived) > 0 {
				<-arrived
			}
			ctx, cancel := context.WithCancel(t.Context())
			var calls sync.WaitGroup
			for range atOnce {
				calls.Go(func() {
					request := httptest.NewRequestWithContext(ctx, http.MethodGet, target("/inventory/v1/items"), nil)
					u.ServeHTTP(httptest.NewRecorder(), request)
				})
				<-arrived
			}
			status, code := u.code(t, "/books/v3/vendorpayments")
			errorIf(t, status != http.StatusTooManyRequests || code != 1070, "one more at once: %d code %d", status, code)
			cancel()
			calls.Wait()
			stats := u.Stats()
			errorIf(t, stats.WorstConcurrent != atOnce+1 || stats.Refused["1070"] != 1 || stats.ByStatus["none"] != atOnce, "stats %+v", stats)
		})
	}
}

func TestChatHasItsOwnMinute(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60})
	export := func() int {
		return u.serve(t, http.MethodGet, "/maintenanceapi/v2/chats?fields=chat_id", csvHeader()).Code
	}
	for range 30 {
		status := export()
		fatalIf(t, status != http.StatusOK, "status %d", status)
	}
	equal(t, export(), http.StatusTooManyRequests, "call 31: status")
	stats := u.Stats()
	errorIf(t, stats.Worst60s != 0 || stats.WorstChat60s != 31 || stats.ByService["chat"] != 31 || stats.Refused["429"] != 1,
		"stats %+v", stats)
	u.clock.move(5*time.Minute - time.Nanosecond) // docs/upstream.md U46: then lock for 5 minutes
	equal(t, export(), http.StatusTooManyRequests, "within five minutes: status")
	u.clock.move(time.Nanosecond)
	equal(t, export(), http.StatusOK, "five minutes later: status")
}

func TestLimitsOffStillCount(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60, Limits: off()})
	for range 150 {
		status, _ := u.code(t, "/inventory/v1/items")
		fatalIf(t, status != http.StatusOK, "status %d", status)
	}
	header := u.get(t, "/inventory/v1/items").Header() // of the free plan, where nothing is spent
	for name, want := range map[string]string{"Limit": "1500", "Remaining": "1500", "Reset": "86400"} {
		equal(t, header.Get("X-Rate-Limit-"+name), want, name)
	}
	stats := u.Stats()
	errorIf(t, stats.Worst60s != 151 || len(stats.Refused) != 0, "stats %+v", stats)
}

func TestVendorName(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Records: 60, Vendor: "Acme"})
	var answer struct {
		Token string `json:"access_token"`
		Scope string `json:"scope"`
	}
	decode(t, u.serve(t, http.MethodPost, tokenURL(nil), nil), &answer)
	errorIf(t, !strings.HasPrefix(answer.Scope, "AcmeBooks.contacts.READ AcmeBooks.accountants.READ "), "scope %q", answer.Scope)
	for scheme, want := range map[string]int{"Acme": http.StatusOK, "Svc": http.StatusUnauthorized} {
		header := http.Header{"Authorization": {scheme + "-oauthtoken " + answer.Token}}
		equal(t, u.serve(t, http.MethodGet, target("/inventory/v1/items"), header).Code, want, scheme)
	}
}
