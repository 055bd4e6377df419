// Package metrics exports the state of the program to Prometheus. It reads the control tables at
// each scrape, so every process reports the same values and stores nothing. Only what a process
// does itself is counted by that process: its calls, callbacks, and what became of them.
//
// Each metric is declared once, in Declared: the registry and the reference are made from it.
// Labels are organization, service, resource and other names that the configuration or the program
// bounds; no label ever holds a value of a record. Start reading at Declared, then Registry.
package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"sluice/pipeline"
	"sluice/pipeline/planning"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/closings"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/streams/backfills"
	"sluice/pipeline/warehouse/tombstones"
	"sluice/pipeline/warehouse/verifications"
)

// readLimit bounds the time of one scrape.
const readLimit = 5 * time.Second

// Stream is what is exported of a stream.
type Stream struct {
	streams.Figures

	// Late is the age of the watermark above which the stream is late; zero for streams that have
	// no schedule.
	Late time.Duration
	// Holds says that the operator decides about deletions in the stream, which only lists have.
	Holds bool
	// Alarm says that the stream's quarantine alarms.
	Alarm bool
}

// Day is the day of a service.
type Day struct {
	Organization, Service string

	calls.Day
	planning.DayLeft
}

// Receiver is what is exported of a receiver of events.
type Receiver struct {
	Name      string
	Lag       time.Duration
	Disabled  bool
	Delivered int64
	Failed    int64
}

// Figures are what is exported of the control tables, at one instant.
type Figures struct {
	Streams   []Stream
	Days      []Day
	Calls     calls.Counts
	Backfills []backfills.Progress
	Held      []tombstones.Held
	Found     []verifications.Found
	Closings  []closings.Count
	Telling   warehouse.Telling
	Receivers []Receiver
	// LakeLag is nil without a lake.
	LakeLag *time.Duration
	// DiedYoung counts tokens.
	DiedYoung int
	// LastTick and OldestJob are nil if there is none.
	LastTick, OldestJob *time.Time
}

// Build says which program this is.
type Build struct{ Version, Revision, Go string }

// Options are what the metrics of a process are made of.
type Options struct {
	Build Build
	// Read reads the control tables.
	Read  func(context.Context) (*Figures, error)
	Hints *Hints
	Calls *Calls
	// Callbacks are nil in a process that receives none.
	Callbacks *Callbacks
}

// Registry returns the metrics of one process.
func Registry(options Options) *prometheus.Registry {
	registry := processRegistry(options.Build)
	registry.MustRegister(newCollector(options), options.Hints.seconds, options.Calls.seconds)
	if options.Callbacks != nil {
		registry.MustRegister(options.Callbacks.total, options.Callbacks.seconds)
	}
	return registry
}

func processRegistry(build Build) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	m := declared(buildInfo)
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: m.Name, Help: m.Help}, m.Labels)
	info.WithLabelValues(build.Version, build.Revision, build.Go).Set(1)
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), info)
	return registry
}

// collector makes metrics of the control tables.
type collector struct {
	exporter

	options Options
}

func newCollector(options Options) *collector {
	names := []string{databaseUp, streamMissed} // the only counts of a process that are shown with those of the database
	for _, m := range Declared() {
		if m.Where == Database {
			names = append(names, m.Name)
		}
	}
	return &collector{exporter: newExporter(names...), options: options}
}

// Collect implements prometheus.Collector. Without a database it says so, and the counts of the
// process are still there.
func (c *collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	defer cancel()
	figures, err := c.options.Read(ctx)
	if err != nil {
		c.send(out, databaseUp, 0)
		c.options.Hints.each(func(list pipeline.Key, missed int) {
			c.send(out, streamMissed, float64(missed), list.Organization, list.Service, list.Resource)
		})
		return
	}
	c.send(out, databaseUp, 1)
	c.send(out, tokensDiedYoung, float64(figures.DiedYoung))
	c.sendInstant(out, lastTick, figures.LastTick)
	c.sendInstant(out, oldestJob, figures.OldestJob)
	for i := range figures.Days {
		c.day(out, &figures.Days[i])
	}
	for use, n := range figures.Calls.Used {
		c.send(out, calls24h, float64(n), use.Service, use.Resource, use.Class)
	}
	for refusal, n := range figures.Calls.Refused {
		c.send(out, refusals24h, float64(n), refusal.Organization, refusal.Service, refusal.Kind)
	}
	for i := range figures.Backfills {
		b := &figures.Backfills[i]
		c.send(out, backfillProgress, b.Done, b.Organization, b.Service, b.Resource)
		c.send(out, backfillFailed, flagOf(b.Failed), b.Organization, b.Service, b.Resource)
	}
	for i := range figures.Found {
		f := &figures.Found[i]
		c.send(out, verifyFindings, float64(f.Violations), f.Organization, f.Service, f.Resource)
	}
	for _, closed := range figures.Closings {
		c.send(out, closedChanges, float64(closed.Records), closed.Organization, closed.Period)
	}
	held := make(map[pipeline.Key]*tombstones.Held, len(figures.Held))
	for i := range figures.Held {
		h := &figures.Held[i]
		held[pipeline.Key{Organization: h.Organization, Service: h.Service, Resource: h.Resource}] = h
	}
	for i := range figures.Streams {
		c.stream(out, &figures.Streams[i], held)
	}
	c.telling(out, &figures.Telling)
	for i := range figures.Receivers {
		r := &figures.Receivers[i]
		c.send(out, eventsLag, r.Lag.Seconds(), r.Name)
		c.send(out, eventsDisabled, flagOf(r.Disabled), r.Name)
		c.send(out, eventsDelivered, float64(r.Delivered), r.Name)
		c.send(out, eventsFailed, float64(r.Failed), r.Name)
	}
	if figures.LakeLag != nil {
		c.send(out, lakeLag, figures.LakeLag.Seconds())
	}
}

func (c *collector) stream(out chan<- prometheus.Metric, s *Stream, held map[pipeline.Key]*tombstones.Held) {
	key := []string{s.Organization, s.Service, s.Resource}
	send := func(name string, value float64) { c.send(out, name, value, key...) }
	c.send(out, streamState, 1, s.Organization, s.Service, s.Resource, s.State)
	send(streamFailures, float64(s.Failures))
	send(streamQuarantined, float64(s.Quarantined))
	send(streamAlarm, flagOf(s.Alarm))
	c.sendInstant(out, streamWatermark, s.Watermark, key...)
	c.sendInstant(out, streamLastDone, s.LastDoneAt, key...)
	if s.Upstream != nil {
		send(upstreamRecords, float64(*s.Upstream))
	}
	if s.Missing != nil {
		send(recordsMissing, float64(*s.Missing))
	}
	c.sendInstant(out, countAgreed, s.AgreedAt, key...)
	if s.Late > 0 {
		send(streamInterval, s.EverySeconds)
		send(streamBound, s.Late.Seconds())
	}
	if s.Waiting != nil {
		send(hintsWaiting, float64(*s.Waiting))
	}
	if !s.Holds {
		return
	}
	waits := held[pipeline.Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource}]
	if waits == nil {
		send(tombstonesHeld, 0)
		return
	}
	send(tombstonesHeld, float64(waits.Records))
	send(tombstonesHeldSince, seconds(waits.Since))
}

func (c *collector) day(out chan<- prometheus.Metric, d *Day) {
	if d.Limit > 0 {
		c.send(out, budgetLimit, float64(d.Limit), d.Organization, d.Service)
	}
	for _, of := range d.Classes {
		c.send(out, budgetSpent, float64(of.Spent), d.Organization, d.Service, string(of.Class))
		c.send(out, budgetKept, float64(of.Reserved), d.Organization, d.Service, string(of.Class))
	}
	if d.External != nil {
		c.send(out, budgetExternal, float64(*d.External), d.Organization, d.Service)
	}
	c.sendInstant(out, budgetExhausted, d.RunsOutAt, d.Organization, d.Service)
}

// sendInstant gives an instant; nothing if there is none.
func (c *collector) sendInstant(out chan<- prometheus.Metric, name string, at *time.Time, labels ...string) {
	if at != nil {
		c.send(out, name, seconds(*at), labels...)
	}
}

// seconds returns an instant in seconds since 1970.
func seconds(at time.Time) float64 {
	return float64(at.UnixMilli()) / float64(time.Second.Milliseconds())
}

func flagOf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
