// Package metrics exports the state of the streams to Prometheus. It reads the control tables at
// each scrape, so every process reports the same values and stores nothing. Only callbacks, and
// what became of them, are counted by the process that receives or reads.
//
// Labels are organization, service, resource and the module of a channel, which the configuration
// bounds; no label ever holds a value of a record. Start reading at Registry.
package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/streams"
)

// readLimit bounds the time of one scrape.
const readLimit = 5 * time.Second

// Source reads the control tables.
type Source interface {
	Streams(ctx context.Context, organization string) ([]streams.Status, error)
	Spent(ctx context.Context, organization string) ([]calls.Spent, error)
	TokensDiedYoung(ctx context.Context) (int, error)
}

// Options are what the metrics of a process are made of.
type Options struct {
	Source Source
	// Alarm returns why a stream's quarantine alarms; "" if it does not.
	Alarm func(*streams.Status) string
	// Telling reads how change notifications arrive.
	Telling func(context.Context) (warehouse.Telling, error)
	Hints   *Hints
	// Callbacks are nil in a process that receives none.
	Callbacks *Callbacks
}

// Registry returns the metrics of one process.
func Registry(options Options) *prometheus.Registry {
	registry := processRegistry()
	registry.MustRegister(newStreams(options), options.Hints.seconds)
	if options.Callbacks != nil {
		registry.MustRegister(options.Callbacks)
	}
	return registry
}

func processRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}

// collector makes metrics of the control tables.
type collector struct {
	options   Options
	telling   telling
	up        *prometheus.Desc
	state     *prometheus.Desc
	watermark *prometheus.Desc
	done      *prometheus.Desc
	fails     *prometheus.Desc
	quar      *prometheus.Desc
	alarms    *prometheus.Desc
	calls     *prometheus.Desc
	young     *prometheus.Desc
}

func newStreams(options Options) *collector {
	stream := []string{"organization", "service", "resource"}
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("sluice_"+name, help, labels, nil)
	}
	return &collector{
		options:   options,
		telling:   newTelling(desc, stream),
		up:        desc("database_up", "Whether the control tables could be read."),
		state:     desc("stream_state", "1 for the state that the stream is in.", append(stream, "state")...),
		watermark: desc("stream_watermark_timestamp_seconds", "The instant up to which the stream is complete.", stream...),
		done:      desc("stream_last_done_timestamp_seconds", "When a run of the stream was last done.", stream...),
		fails:     desc("stream_failures", "Failures of the stream in a row.", stream...),
		quar:      desc("stream_quarantined_records", "Records of the stream in quarantine.", stream...),
		alarms:    desc("stream_quarantine_alarm", "1 if more of the stream is in quarantine than the configuration lets pass, 0 if not.", stream...),
		calls:     desc("calls_24h", "Calls of the last 24 hours.", "service", "resource", "class"),
		young:     desc("tokens_died_young", "Access tokens in a row that upstream refused before their time, of the credential with most of them."),
	}
}

// Describe implements prometheus.Collector.
func (s *collector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{s.up, s.state, s.watermark, s.done, s.fails, s.quar, s.alarms, s.calls, s.young} {
		out <- d
	}
	s.telling.describe(out)
}

// Collect implements prometheus.Collector.
func (s *collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	defer cancel()
	rows, err := s.options.Source.Streams(ctx, "")
	var spent []calls.Spent
	if err == nil {
		spent, err = s.options.Source.Spent(ctx, "")
	}
	young := 0
	if err == nil {
		young, err = s.options.Source.TokensDiedYoung(ctx)
	}
	var telling warehouse.Telling
	if err == nil {
		telling, err = s.options.Telling(ctx)
	}
	if err != nil {
		out <- prometheus.MustNewConstMetric(s.up, prometheus.GaugeValue, 0)
		return
	}
	out <- prometheus.MustNewConstMetric(s.up, prometheus.GaugeValue, 1)
	out <- prometheus.MustNewConstMetric(s.young, prometheus.GaugeValue, float64(young))
	s.telling.collect(out, &telling, s.options.Hints)
	for i := range rows {
		s.stream(out, &rows[i])
	}
	for i := range spent {
		c := &spent[i]
		out <- prometheus.MustNewConstMetric(s.calls, prometheus.GaugeValue, float64(c.Calls), c.Service, c.Resource, c.Class)
	}
}

func (s *collector) stream(out chan<- prometheus.Metric, row *streams.Status) {
	gauge := func(desc *prometheus.Desc, value float64, more ...string) {
		labels := append([]string{row.Organization, row.Service, row.Resource}, more...)
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	gauge(s.state, 1, row.State)
	gauge(s.fails, float64(row.Failures))
	gauge(s.quar, float64(row.Quarantined))
	alarms := 0.0
	if s.options.Alarm(row) != "" {
		alarms = 1
	}
	gauge(s.alarms, alarms)
	if row.Watermark != nil && !row.WatermarkAhead { // a watermark that something else moved ahead proves nothing
		gauge(s.watermark, float64(row.Watermark.Unix()))
	}
	if row.Notified != nil {
		gauge(s.telling.waiting, float64(row.Notified.Waiting))
	}
	if row.LastDoneAt != nil {
		gauge(s.done, float64(row.LastDoneAt.Unix()))
	}
}
