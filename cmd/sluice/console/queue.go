package console

import (
	"context"
	"net/http"

	"sluice/cmd/sluice/console/access"
	"sluice/pipeline/outside"
)

// QueuePath is where the pages of the queue are.
const QueuePath = "/river"

// queue serves River's own pages to operators, and records what they do there.
func (c *Console) queue(w http.ResponseWriter, r *http.Request) {
	user := access.UserOf(r.Context())
	if !user.Operator {
		c.fail(w, r, http.StatusForbidden, "Operators only.")
		return
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		c.options.Queue.ServeHTTP(w, r)
		return
	}
	answer := &noted{ResponseWriter: w, status: http.StatusOK}
	c.options.Queue.ServeHTTP(answer, r)
	deed := Deed{Who: user.Name, What: "queue " + r.Method, Target: r.URL.Path}
	if answer.status >= http.StatusBadRequest {
		deed.Failed = "the queue's pages answered " + outside.Number(answer.status)
	}
	if _, err := c.options.Record(context.WithoutCancel(r.Context()), deed); err != nil {
		c.options.Log.ErrorContext(r.Context(), "what an operator did could not be recorded", "path", r.URL.Path, "error", c.options.Scrub(err))
	}
}

// noted is an answer whose status is noted.
type noted struct {
	http.ResponseWriter

	status int
}

// WriteHeader implements http.ResponseWriter.
func (n *noted) WriteHeader(status int) {
	n.status = status
	n.ResponseWriter.WriteHeader(status)
}
