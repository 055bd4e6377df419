package wire

import (
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/upstream/body"
)

// Note puts what the head of an answer says into the call's result.
func Note(result *pipeline.CallResult, answer *Reply, now time.Time) {
	result.Status = answer.Status
	result.DayLimit, result.DayRemaining, result.DayReset = DayHeaders(answer.Header)
	result.RetryAfter = RetryAfter(answer.Header, now)
	result.Arrived = answer.arrival.before(now, answer.margin)
}

// DayHeaders reads the headers of the daily allowance; zeros if they are not
// there in full: the limit, what remains, and the time until it starts anew. Source: upstream facts, "Limits, errors, tokens".
func DayHeaders(header http.Header) (int, int, time.Duration) {
	limit, limitErr := strconv.Atoi(header.Get("X-Rate-Limit-Limit"))
	remaining, remainingErr := strconv.Atoi(header.Get("X-Rate-Limit-Remaining"))
	seconds, resetErr := strconv.Atoi(header.Get("X-Rate-Limit-Reset"))
	const twoDays = 2 * 86_400
	if limitErr != nil || remainingErr != nil || resetErr != nil || limit <= 0 || remaining < 0 || seconds < 0 || seconds > twoDays {
		return 0, 0, 0
	}
	return limit, remaining, time.Duration(seconds) * time.Second
}

// RetryAfter reads Retry-After, in seconds or as a date; zero unless it lies
// between a second and a day.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	var wait time.Duration
	if seconds, err := strconv.Atoi(text); err == nil && seconds <= 86_400 {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		if date := DateOf(header); !date.IsZero() {
			now = date
		}
		wait = at.Sub(now)
	}
	if wait < time.Second || wait > 24*time.Hour {
		return 0
	}
	return wait
}

// DateOf is upstream's clock when it answered; zero if it did not say.
func DateOf(header http.Header) time.Time {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return date
}

// MediaType says whether the answer calls itself JSON (or nothing at all), and
// its charset.
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

// RedirectHost names the host that a redirect points at, and nothing more of it.
func RedirectHost(header http.Header) string {
	target, err := url.Parse(header.Get("Location"))
	if err != nil || target.Hostname() == "" {
		return "(none)"
	}
	return body.Clean(target.Hostname(), 128) //nolint:mnd // a host name
}

// OrWait gives wait, or the other one where wait is not given.
func OrWait(wait, otherwise time.Duration) time.Duration {
	if wait > 0 {
		return wait
	}
	return otherwise
}
