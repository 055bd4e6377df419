package wire

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
)

// Note copies what the head of an answer says into the call's result.
func Note(result *pipeline.CallResult, answer *Reply, now time.Time) {
	result.Status = answer.Status
	result.DayLimit, result.DayRemaining, result.DayReset = DayHeaders(answer.Header)
	result.RetryAfter = RetryAfter(answer.Header, now)
}

// mostCalls is the largest daily figure that is accepted. Plans end at some ten thousand calls, and
// a sender that means "unlimited" sends its largest number, which is no count.
const mostCalls = 1_000_000_000

// DayHeaders reads the headers of the daily allowance: the limit, what remains, and the time until
// it starts anew. It gives zeros unless all three are present and valid. Source: docs/upstream.md
// U48.
func DayHeaders(header http.Header) (int, int, time.Duration) {
	const twoDays = 2 * 86_400
	limit, limited := figure(header, "X-Rate-Limit-Limit", mostCalls)
	remaining, remains := figure(header, "X-Rate-Limit-Remaining", mostCalls)
	seconds, resets := figure(header, "X-Rate-Limit-Reset", twoDays)
	if !limited || !remains || !resets || limit == 0 {
		return 0, 0, 0
	}
	return limit, remaining, time.Duration(seconds) * time.Second
}

// figure reads a header that holds a whole number; false unless it is between 0 and most.
func figure(header http.Header, name string, most int) (int, bool) {
	number, err := strconv.Atoi(header.Get(name))
	return number, err == nil && number >= 0 && number <= most
}

// Older says that a cache has kept the answer for more than so many seconds. An age that overflows
// is older, too.
func Older(header http.Header, seconds int) bool {
	age, err := strconv.Atoi(header.Get("Age"))
	return (err == nil || errors.Is(err, strconv.ErrRange)) && age > seconds
}

// mostRetry is the longest wait that one answer may ask for: a longer one is cut to it, and then
// one call asks again.
const mostRetry = time.Hour

// RetryAfter reads Retry-After, in seconds or as a date, cut to an hour; zero unless it is between
// a second and a day.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	var wait time.Duration
	if seconds, ok := figure(header, "Retry-After", 86_400); ok { //nolint:mnd // a day
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(header.Get("Retry-After")); err == nil {
		if date := DateOf(header); !date.IsZero() {
			now = date
		}
		wait = at.Sub(now)
	}
	if wait < time.Second || wait > 24*time.Hour {
		return 0
	}
	return min(wait, mostRetry)
}

// DateOf is upstream's clock when it answered; zero if the answer has no date.
func DateOf(header http.Header) time.Time {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return date
}

// MediaType says whether the answer is labelled JSON (or not labelled), and gives its charset.
func MediaType(header http.Header) (bool, string) {
	text := header.Get("Content-Type")
	if text == "" {
		return true, ""
	}
	kind, params, err := mime.ParseMediaType(text)
	if err != nil {
		return false, ""
	}
	return kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json"), params["charset"]
}

// RedirectHost names the host to which a redirect points, and nothing else of it.
func RedirectHost(header http.Header, scrub *outside.Scrubber) outside.Text {
	target, err := url.Parse(header.Get("Location"))
	if err != nil || target.Hostname() == "" {
		return "(none)"
	}
	return scrub.Text(target.Hostname(), 128) //nolint:mnd // a host name
}
