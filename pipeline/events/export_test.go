package events

import "time"

// Signature signs as messages are signed.
func Signature(keys [][]byte, id string, at time.Time, body []byte) string {
	return signature(keys, id, at, body)
}

// RetryAfter reads a header Retry-After.
func RetryAfter(header string, now time.Time) time.Duration { return retryAfter(header, now) }
