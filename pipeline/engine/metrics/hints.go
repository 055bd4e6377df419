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
	seconds prometheus.Histogram

	mu          sync.Mutex
	unannounced map[pipeline.Key]int
}

// NewHints makes the counts of a process, all zero.
func NewHints() *Hints {
	return &Hints{unannounced: make(map[pipeline.Key]int), seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "sluice_hint_to_row_seconds", Help: "Time from the first callback about a change to the commit of what was read because of it.",
		Buckets: []float64{1, 2.5, 5, 10, 20, 40, 60, 120, 300, 900, 3600, 21600},
	})}
}

// Answered implements warehouse.Observer.
func (h *Hints) Answered(took time.Duration) { h.seconds.Observe(took.Seconds()) }

// Unannounced implements warehouse.Observer.
func (h *Hints) Unannounced(list pipeline.Key, changes int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.unannounced[list] += changes
}

func (h *Hints) missed(list pipeline.Key) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unannounced[list]
}

// telling makes metrics of how change notifications arrive.
type telling struct {
	expires *prometheus.Desc
	told    *prometheus.Desc
	gaps    *prometheus.Desc
	tested  *prometheus.Desc
	waiting *prometheus.Desc
	share   *prometheus.Desc
	missed  *prometheus.Desc
}

func newTelling(desc func(name, help string, labels ...string) *prometheus.Desc, stream []string) telling {
	channel := []string{"organization", "module"}
	return telling{
		expires: desc("channel_expires_timestamp_seconds", "Until when upstream granted the channel.", channel...),
		told:    desc("channel_last_told_timestamp_seconds", "When the last callback of the channel arrived.", channel...),
		gaps:    desc("channel_gap_seconds_total", "Time in which nothing could have told of a change.", channel...),
		tested:  desc("notifications_self_test_timestamp_seconds", "When the last test callback arrived.", "organization"),
		waiting: desc("hints_waiting", "Hints that were not read yet.", stream...),
		share:   desc("stream_told_ratio", "Share of the changes of the last day that notifications announced.", stream...),
		missed:  desc("stream_missed_total", "Changes that nothing announced, found by runs of this process.", stream...),
	}
}

func (t *telling) describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{t.expires, t.told, t.gaps, t.tested, t.waiting, t.share, t.missed} {
		out <- d
	}
}

// collect makes the metrics of what the database has. The gap of all channels has no module.
func (t *telling) collect(out chan<- prometheus.Metric, is *warehouse.Telling, hints *Hints) {
	send := func(desc *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(desc, kind, value, labels...)
	}
	for i := range is.Channels {
		if c := &is.Channels[i]; c.ExpiresAt != nil {
			send(t.expires, prometheus.GaugeValue, float64(c.ExpiresAt.Unix()), c.Organization, c.Module)
		}
	}
	for i := range is.Gaps {
		send(t.gaps, prometheus.CounterValue, is.Gaps[i].Seconds, is.Gaps[i].Organization, is.Gaps[i].Channel)
	}
	for i := range is.Callbacks {
		switch c := &is.Callbacks[i]; c.Dialect {
		case notifications.Watch:
			send(t.told, prometheus.GaugeValue, float64(c.LastAt.Unix()), c.Organization, c.Module)
		case notifications.Test:
			send(t.tested, prometheus.GaugeValue, float64(c.LastAt.Unix()), c.Organization)
		}
	}
	for i := range is.Shares {
		s := &is.Shares[i]
		missed := hints.missed(pipeline.Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource})
		send(t.missed, prometheus.CounterValue, float64(missed), s.Organization, s.Service, s.Resource)
		if s.Changes > 0 {
			send(t.share, prometheus.GaugeValue, 1-float64(s.Unannounced)/float64(s.Changes), s.Organization, s.Service, s.Resource)
		}
	}
}
