package wire_test

import (
	"net/http"
	"testing"
	"time"

	"sluice/pipeline/upstream/wire"
)

// TestFiguresOfHeadersAreBelievable: figures that no plan has are ignored. Each goes into a column
// of the call log, and a figure that did not fit there stopped every call.
func TestFiguresOfHeadersAreBelievable(t *testing.T) {
	t.Parallel()
	const fine = "1000"
	unbelievable := []string{
		"", " ", "-1", "1000000001", "2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "1e3", "1e30", "NaN", "Inf", "0x10",
		"1,000", "10.5", "99999999999999999999999999999999999999999999", "unlimited",
	}
	headers := func(limit, remaining, reset string) http.Header {
		header := http.Header{}
		header.Set("X-Rate-Limit-Limit", limit)
		header.Set("X-Rate-Limit-Remaining", remaining)
		header.Set("X-Rate-Limit-Reset", reset)
		return header
	}
	for _, text := range unbelievable {
		for _, header := range []http.Header{headers(text, fine, fine), headers(fine, text, fine), headers(fine, fine, text)} {
			if limit, remaining, reset := wire.DayHeaders(header); limit != 0 || remaining != 0 || reset != 0 {
				t.Errorf("%v gives %d, %d, %v; want no figures", header, limit, remaining, reset)
			}
		}
	}
	if limit, remaining, reset := wire.DayHeaders(headers("1000000000", "0", "172800")); limit != 1_000_000_000 || remaining != 0 || reset != 48*time.Hour {
		t.Errorf("the largest figures give %d, %d, %v", limit, remaining, reset)
	}
}

// TestRetryAfterIsBelievedForAnHour: one answer delays calls for at most an hour.
func TestRetryAfterIsBelievedForAnHour(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"1": time.Second, "3600": time.Hour, "3601": time.Hour, "86400": time.Hour, "86401": 0, "0": 0, "-1": 0, "": 0, "1e3": 0, "NaN": 0,
		"999999999": 0, "2147483648": 0, "9223372036854775808": 0, "Sat, 17 Jan 2026 12:00:30 GMT": 30 * time.Second,
		"Sat, 17 Jan 2026 18:00:00 GMT": time.Hour, "Fri, 31 Dec 9999 23:59:59 GMT": 0, "Sat, 17 Jan 2026 11:00:00 GMT": 0,
	} {
		if got := wire.RetryAfter(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("%q asks for %v, want %v", text, got, want)
		}
	}
}

func TestAnAgeBeyondNumbersIsOld(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "0": false, "60": false, "61": true, "2147483648": true, "99999999999999999999": true, "-1": false, "-99999999999999999999": false,
		"soon": false,
	} {
		if got := wire.Older(http.Header{"Age": {text}}, 60); got != want {
			t.Errorf("an age of %q is old: %t, want %t", text, got, want)
		}
	}
}
