package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"sluice/pipeline"
	"sluice/pipeline/notifications"
	"sluice/pipeline/warehouse"
)

// Hints counts what became of change notifications in the runs of this process. It is a
// warehouse.Observer. A sum of the control tables would fall when old runs are deleted, and a
// counter must not.
type Hints struct {
	seconds *prometheus.HistogramVec

	mu          sync.Mutex
	unannounced map[pipeline.Key]int
}

// NewHints makes the counts of a process, all zero.
func NewHints() *Hints {
	h := &Hints{
		unannounced: make(map[pipeline.Key]int),
		seconds:     histogram(hintToRow, []float64{1, 2.5, 5, 10, 20, 40, 60, 120, 300, 900, 3600, 21600}),
	}
	h.seconds.WithLabelValues()
	return h
}

// Answered implements warehouse.Observer.
func (h *Hints) Answered(took time.Duration) { h.seconds.WithLabelValues().Observe(took.Seconds()) }

// Unannounced implements warehouse.Observer.
func (h *Hints) Unannounced(list pipeline.Key, changes int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unannounced[list] += changes
}

// each calls fn with the counts of all lists.
func (h *Hints) each(fn func(list pipeline.Key, missed int)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for list, missed := range h.unannounced {
		fn(list, missed)
	}
}

func (h *Hints) missed(list pipeline.Key) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unannounced[list]
}

// telling makes the metrics of how change notifications arrive. The gap of all channels has no
// module.
func (c *collector) telling(out chan<- prometheus.Metric, is *warehouse.Telling) {
	for i := range is.Channels {
		if channel := &is.Channels[i]; channel.ExpiresAt != nil {
			c.send(out, channelExpires, seconds(*channel.ExpiresAt), channel.Organization, channel.Module)
		}
	}
	for i := range is.Gaps {
		c.send(out, channelGap, is.Gaps[i].Seconds, is.Gaps[i].Organization, is.Gaps[i].Channel)
	}
	for i := range is.Callbacks {
		switch told := &is.Callbacks[i]; told.Dialect {
		case notifications.Watch:
			c.send(out, channelLastTold, seconds(told.LastAt), told.Organization, told.Module)
		case notifications.Test:
			c.send(out, selfTest, seconds(told.LastAt), told.Organization)
		}
	}
	for i := range is.Shares {
		s := &is.Shares[i]
		missed := c.options.Hints.missed(pipeline.Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource})
		c.send(out, streamMissed, float64(missed), s.Organization, s.Service, s.Resource)
		if s.Changes > 0 {
			c.send(out, streamTold, 1-float64(s.Unannounced)/float64(s.Changes), s.Organization, s.Service, s.Resource)
		}
	}
}

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

// Callbacks counts the callbacks of change notifications that this process received.
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

// ReceiverRegistry returns the metrics of a process that only receives callbacks: it may not read
// the control tables.
func ReceiverRegistry(build Build, callbacks *Callbacks) *prometheus.Registry {
	registry := processRegistry(build)
	registry.MustRegister(callbacks.total, callbacks.seconds)
	return registry
}
