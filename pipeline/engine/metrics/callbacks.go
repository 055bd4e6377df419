package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Callbacks counts the callbacks of change notifications that this process received. It is a
// prometheus.Collector.
type Callbacks struct {
	total   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

// NewCallbacks makes the metrics, with a zero for each organization, dialect and one verdict: a
// rate then begins with the first callback.
func NewCallbacks(organizations, dialects []string, verdict string) *Callbacks {
	total := declared(callbacksTotal)
	c := &Callbacks{
		total:   prometheus.NewCounterVec(prometheus.CounterOpts{Name: total.Name, Help: total.Help}, total.Labels),
		seconds: histogram(callbackSeconds, []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5}),
	}
	c.seconds.WithLabelValues()
	for _, organization := range organizations {
		for _, dialect := range dialects {
			c.total.WithLabelValues(organization, dialect, verdict)
		}
	}
	return c
}

// Observe counts one callback. The labels have to be bounded: organization is "" for one that is
// not configured.
func (c *Callbacks) Observe(organization, dialect, verdict string, took time.Duration) {
	c.total.WithLabelValues(organization, dialect, verdict).Inc()
	c.seconds.WithLabelValues().Observe(took.Seconds())
}

// Describe implements prometheus.Collector.
func (c *Callbacks) Describe(out chan<- *prometheus.Desc) {
	c.total.Describe(out)
	c.seconds.Describe(out)
}

// Collect implements prometheus.Collector.
func (c *Callbacks) Collect(out chan<- prometheus.Metric) {
	c.total.Collect(out)
	c.seconds.Collect(out)
}

// ReceiverRegistry returns the metrics of a process that only receives callbacks: it may not read
// the control tables.
func ReceiverRegistry(build Build, callbacks *Callbacks) *prometheus.Registry {
	registry := processRegistry(build)
	registry.MustRegister(callbacks)
	return registry
}
