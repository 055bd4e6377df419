package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sluice/pipeline"
)

// Calls counts the time of the calls of this process. It is a wire.Observer.
type Calls struct {
	seconds *prometheus.HistogramVec
}

// NewCalls makes the counts of a process, with a zero for each service: a rate then begins with the
// first call.
func NewCalls(services ...string) *Calls {
	c := &Calls{seconds: histogram(callDuration, []float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 600})}
	for _, service := range services {
		c.seconds.WithLabelValues(service, callFine)
	}
	return c
}

// callFine is the kind of a call that went well.
const callFine = "ok"

// Called implements wire.Observer.
func (c *Calls) Called(service string, kind pipeline.Kind, took time.Duration) {
	label := callFine
	if kind != 0 {
		label = kind.String()
	}
	c.seconds.WithLabelValues(service, label).Observe(took.Seconds())
}
