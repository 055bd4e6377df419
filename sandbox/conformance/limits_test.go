package conformance

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"sluice/sandbox"
)

// limited starts a sandbox whose minute allows more calls than a day.
func limited(t *testing.T, options sandbox.Options) *caller {
	t.Helper()
	options.Records = 60
	return newCallerOf(t, options, "")
}

// docs/upstream.md U42: accounting gives free 1000; standard 2000; professional 5000; premium
// 10000; elite 10000; ultimate 10000. U43: invoicing gives free 1000. U44: inventory gives free
// 1500; standard 2500; professional 5000; premium 7500; enterprise 10000. The headers: U48.
func TestDailyAllowanceOfEachPlan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plan, send string
		daily      int
	}{
		{"free", "GET /books/v3/settings/openingbalances", 1000},
		{"standard", "GET /books/v3/settings/openingbalances", 2000},
		{"professional", "GET /books/v3/settings/openingbalances", 5000},
		{"premium", "GET /books/v3/settings/openingbalances", 10000},
		{"elite", "GET /books/v3/settings/openingbalances", 10000},
		{"ultimate", "GET /books/v3/settings/openingbalances", 10000},
		{"free", "GET /invoice/v3/settings/currencies", 1000},
		{"free", "GET /inventory/v1/locations", 1500},
		{"standard", "GET /inventory/v1/locations", 2500},
		{"professional", "GET /inventory/v1/locations", 5000},
		{"premium", "GET /inventory/v1/locations", 7500},
		{"enterprise", "GET /inventory/v1/locations", 10000},
	} {
		t.Run(c.plan+" "+c.send[4:8], func(t *testing.T) {
			t.Parallel()
			caller := limited(t, sandbox.Options{Plan: c.plan})
			got, err := caller.do(t.Context(), step{Send: c.send})
			if err != nil {
				t.Fatal(err)
			}
			want := step{Status: http.StatusOK, Headers: map[string]string{
				"X-Rate-Limit-Limit": strconv.Itoa(c.daily), "X-Rate-Limit-Remaining": strconv.Itoa(c.daily - 1), "X-Rate-Limit-Reset": "$digits",
			}}
			for _, diff := range want.differences(caller, got) {
				t.Error(diff)
			}
		})
	}
}

// docs/upstream.md U62: code 45, with HTTP 429, says that the daily allowance of the organization's
// plan is spent. A day later calls pass again; another service has an allowance of its own (U42 to
// U44).
func TestCode45(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		send, other string
		daily       int
	}{
		{"GET /books/v3/settings/openingbalances", "GET /inventory/v1/locations", 1000},
		{"GET /inventory/v1/locations", "GET /books/v3/settings/openingbalances", 1500},
	} {
		t.Run(c.send, func(t *testing.T) {
			t.Parallel()
			caller := limited(t, sandbox.Options{Plan: "free", Limits: sandbox.Limits{PerMinute: 10 * c.daily}})
			daily := strconv.Itoa(c.daily)
			caller.play(t, step{Send: c.send, Times: c.daily, Status: 200, Headers: map[string]string{"X-Rate-Limit-Remaining": "0"}})
			caller.play(t, step{Send: c.send, Status: 429, Answer: []byte(`{"code":45,"message":"$text"}`), Headers: map[string]string{
				"X-Rate-Limit-Limit": daily, "X-Rate-Limit-Remaining": "0", "X-Rate-Limit-Reset": "$digits",
			}})
			caller.play(t, step{Send: c.other, Status: 200})
			caller.play(t, step{Send: "POST /_sandbox/advance", Body: []byte(`{"seconds":86401}`), Status: 200})
			var err error
			if caller.token, err = caller.authorize(t.Context(), ""); err != nil { // the token is a day old.
				t.Fatal(err)
			}
			caller.play(t, step{Send: c.send, Status: 200, Headers: map[string]string{"X-Rate-Limit-Remaining": strconv.Itoa(c.daily - 1)}})
		})
	}
}

// docs/upstream.md U41: an organization has 5 calls at once on the free plan and 10, a soft limit,
// on paid ones. U62: code 1070, with HTTP 429, says that more requests than that were active at
// once.
func TestCode1070(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		plan, send string
		atOnce     int
	}{
		{"free", "GET /books/v3/settings/openingbalances", 5},
		{"standard", "GET /books/v3/settings/openingbalances", 10},
		{"free", "GET /inventory/v1/locations", 5},
		{"enterprise", "GET /inventory/v1/locations", 10},
	} {
		t.Run(c.plan+" "+c.send, func(t *testing.T) {
			t.Parallel()
			caller := limited(t, sandbox.Options{Plan: c.plan, PageLatency: time.Hour})
			held, release := context.WithCancel(t.Context())
			codes := make(chan int, c.atOnce+1)
			var calls sync.WaitGroup
			for range c.atOnce + 1 { // exactly one of them exceeds the limit, and is answered.
				calls.Go(func() {
					got, err := caller.do(held, step{Send: c.send})
					if errors.Is(err, context.Canceled) {
						return
					}
					want := step{Status: 429, Answer: []byte(`{"code":1070,"message":"$text"}`)}
					for _, diff := range append(want.differences(caller, got), errorText(err)...) {
						t.Error(diff)
					}
					codes <- got.status
				})
			}
			<-codes
			release()
			calls.Wait()
			if more := len(codes); more != 0 {
				t.Errorf("%d more calls were refused, though the plan allows %d at once", more, c.atOnce)
			}
		})
	}
}

func errorText(err error) []string {
	if err == nil {
		return nil
	}
	return []string{err.Error()}
}
