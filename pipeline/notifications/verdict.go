package notifications

import (
	"cmp"
	"io"
	"net/http"
	"strconv"
)

// Verdict is how a request ended: a label of metrics. The answer has less in it.
type Verdict string

// The verdicts. All that begin with wrong, and slow and cut, have the same answer.
const (
	taken             Verdict = "taken"
	repeated          Verdict = "repeated"
	busy              Verdict = "busy"
	unavailable       Verdict = "unavailable"
	noPath            Verdict = "path"
	noPost            Verdict = "method"
	slow              Verdict = "slow"
	cut               Verdict = "cut"
	wrongSender       Verdict = "sender"
	wrongSize         Verdict = "size"
	wrongQuery        Verdict = "query"
	wrongEncoding     Verdict = "encoding"
	wrongFormat       Verdict = "format"
	wrongOrganization Verdict = "organization"
	wrongChannel      Verdict = "channel"
	wrongResource     Verdict = "resource"
	wrongToken        Verdict = "token"
	wrongSignature    Verdict = "signature"
)

// Taken is the verdict of a callback whose content is new.
const Taken = taken

// retryAfter is when a sender may try again, in seconds.
const retryAfter = 5

func (v Verdict) status() int {
	others := map[Verdict]int{
		taken: http.StatusOK, repeated: http.StatusOK, noPath: http.StatusNotFound, noPost: http.StatusMethodNotAllowed,
		busy: http.StatusServiceUnavailable, unavailable: http.StatusServiceUnavailable,
	}
	return cmp.Or(others[v], http.StatusUnauthorized)
}

// body returns the body of an answer, which tells it from that of a proxy in front of the receiver.
func body(status int) string {
	bodies := map[int]string{
		http.StatusOK: "taken\n", http.StatusServiceUnavailable: "later\n", http.StatusUnauthorized: "refused\n",
	}
	return cmp.Or(bodies[status], "nothing is received here\n")
}

func (v Verdict) answer(w http.ResponseWriter) {
	status := v.status()
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	switch status {
	case http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", http.MethodPost)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body(status)) // a failure means that the sender has hung up
}

// OurAnswer reports whether an answer is a receiver's, and not that of a proxy in front of it.
func OurAnswer(status int, said string) bool { return said == body(status) }
