package metrics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
)

// Type is a closed set: the type of a metric, in the words of Prometheus.
type Type string

// The types.
const (
	Gauge     Type = "gauge"
	Counter   Type = "counter"
	Histogram Type = "histogram"
)

// Where is a closed set: who counts a metric.
type Where string

// The places.
const (
	// Database: it is read from the control tables, so every process gives the same value.
	Database Where = "database"
	// Process: each process counts its own, since it started.
	Process Where = "process"
)

// Metric is one metric: what the registry exports, and what the reference says of it.
type Metric struct {
	Name string `json:"name"`
	Type Type   `json:"type"`
	// In is what its value is measured in: seconds, "instant" for seconds since 1970, "flag" for 0
	// or 1.
	In     string   `json:"unit"`
	Labels []string `json:"labels"`
	// Help says what the value is. Look says when to look at it.
	Help  string `json:"help"`
	Look  string `json:"look"`
	Where Where  `json:"where"`
}

// The names of the metrics.
const (
	buildInfo           = "sluice_build_info"
	databaseUp          = "sluice_database_up"
	lastTick            = "sluice_last_tick_timestamp_seconds"
	oldestJob           = "sluice_oldest_job_timestamp_seconds"
	streamState         = "sluice_stream_state"
	streamWatermark     = "sluice_stream_watermark_timestamp_seconds"
	streamBound         = "sluice_stream_bound_seconds"
	streamInterval      = "sluice_stream_interval_seconds"
	streamLastDone      = "sluice_stream_last_done_timestamp_seconds"
	streamFailures      = "sluice_stream_failures"
	streamQuarantined   = "sluice_stream_quarantined_records"
	streamAlarm         = "sluice_stream_quarantine_alarm"
	upstreamRecords     = "sluice_upstream_records"
	recordsMissing      = "sluice_records_missing"
	countAgreed         = "sluice_count_agreed_timestamp_seconds"
	backfillProgress    = "sluice_backfill_progress_ratio"
	backfillFailed      = "sluice_backfill_failed"
	tombstonesHeld      = "sluice_tombstones_held"
	tombstonesHeldSince = "sluice_tombstones_held_since_timestamp_seconds"
	verifyFindings      = "sluice_verify_findings"
	closedChanges       = "sluice_closed_period_changes"
	budgetLimit         = "sluice_budget_limit_calls"
	budgetSpent         = "sluice_budget_spent_calls"
	budgetExternal      = "sluice_budget_external_calls"
	budgetKept          = "sluice_budget_kept_calls"
	budgetExhausted     = "sluice_budget_exhausted_timestamp_seconds"
	calls24h            = "sluice_calls_24h"
	refusals24h         = "sluice_refusals_24h"
	callDuration        = "sluice_call_duration_seconds"
	tokensDiedYoung     = "sluice_tokens_died_young" //nolint:gosec // the name of a metric
	channelExpires      = "sluice_channel_expires_timestamp_seconds"
	channelLastTold     = "sluice_channel_last_told_timestamp_seconds"
	channelGap          = "sluice_channel_gap_seconds_total"
	selfTest            = "sluice_notifications_self_test_timestamp_seconds"
	callbacksTotal      = "sluice_callbacks_total"
	callbackSeconds     = "sluice_callback_seconds"
	hintsWaiting        = "sluice_hints_waiting"
	hintToRow           = "sluice_hint_to_row_seconds"
	streamTold          = "sluice_stream_told_ratio"
	streamMissed        = "sluice_stream_missed_total"
	eventsLag           = "sluice_events_lag_seconds"
	eventsDisabled      = "sluice_events_disabled"
	eventsDelivered     = "sluice_events_delivered_total"
	eventsFailed        = "sluice_events_failed_total"
	lakeLag             = "sluice_lake_lag_seconds"
)

// Declared returns all metrics, in the order of the reference. It is the only declaration of them.
func Declared() []Metric {
	return slices.Concat(processMetrics(), streamMetrics(), callMetrics(), toldMetrics(), eventMetrics())
}

// The units that are no measure.
const (
	instant = "instant"
	flag    = "flag"
)

func gauge(name, in, help, look string, labels ...string) Metric {
	return Metric{Name: name, Type: Gauge, In: in, Labels: append([]string{}, labels...), Help: help, Look: look, Where: Database}
}

func counted(kind Type, name, in, help, look string, labels ...string) Metric {
	return Metric{Name: name, Type: kind, In: in, Labels: append([]string{}, labels...), Help: help, Look: look, Where: Process}
}

// The labels of several metrics.
const (
	organization = "organization"
	service      = "service"
	resource     = "resource"
	class        = "class"
	module       = "module"
	kind         = "kind"
)

func processMetrics() []Metric {
	return []Metric{
		counted(Gauge, buildInfo, flag, "1, with the version of this process in the labels",
			"processes of several versions share a database for longer than an upgrade takes", "version", "revision", "go_version"),
		counted(Gauge, databaseUp, flag, "1 if this process could read the control tables; if not, only what it counts itself is there", "it is 0"),
		gauge(lastTick, instant, "when a process last looked for due streams; absent before the first time",
			"`time() - …` is above 120: no process schedules"),
		gauge(oldestJob, instant, "since when the job that waits longest could run; absent if none waits",
			"`time() - …` is above 600: too few workers, or none"),
	}
}

func streamMetrics() []Metric {
	stream := []string{organization, service, resource}
	return []Metric{
		gauge(streamWatermark, instant, "the watermark; absent before the first clean run",
			"`time() - …` is above `"+streamBound+"`", stream...),
		gauge(streamBound, "seconds", "age of the watermark above which the stream is late: three intervals, a tick, and what its records come late by, "+
			"and a day where its count stands for reading it; absent for disabled streams and for backfills", "alerts compare with it", stream...),
		gauge(streamInterval, "seconds", "time between two scheduled runs, in force now; absent for disabled streams and for backfills",
			"data is older than you expect: the interval may be `notified.every`", stream...),
		gauge(streamLastDone, instant, "when a run last ended as done", "`time() - …` is above three times the interval: "+
			"runs fail, or end and prove nothing", stream...),
		gauge(streamState, flag, "1 for the state that the stream is in", "`denied` or `failed` is 1", organization, service, resource, "state"),
		gauge(streamFailures, "failures", "failures in a row", "it grows", stream...),
		gauge(streamQuarantined, "records", "open records in quarantine", "it grows", stream...),
		gauge(streamAlarm, flag, "1 if more of the stream is in quarantine than `quarantine.max_share` (of the last run, or still of one that made "+
			"a watermark wait) or `max_open` (in all) let pass, 0 if not", "it is 1", stream...),
		gauge(upstreamRecords, "records", "records of the list by upstream's own last count; absent where it was never counted",
			"it falls by many at once", stream...),
		gauge(recordsMissing, "records", "how many of them are not here; negative if more are here; absent where that is uncertain",
			"it is not 0 for a day: `sluice verify --totals` compares anew", stream...),
		gauge(countAgreed, instant, "when upstream last counted as many records as were here; absent if it never did",
			"`time() - …` is above a day", stream...),
		gauge(backfillProgress, "ratio", "share of the windows of the newest backfill that are done, 0 to 1; absent without a backfill",
			"it stands still: `sluice backfill list` says why", stream...),
		gauge(backfillFailed, flag, "1 if the newest backfill ended as failed; absent without a backfill", "it is 1", stream...),
		gauge(tombstonesHeld, "records", "deletions that wait for the operator, because too many were found at once",
			"it is above 0: `sluice tombstones review` decides", stream...),
		gauge(tombstonesHeldSince, instant, "since when the first of them waits; absent if none does", "`time() - …` is above a day", stream...),
		gauge(verifyFindings, "findings", "violations that the last verification of the list found; absent if there was none",
			"it is above 0", stream...),
		gauge(closedChanges, "records", "records that changed a closed period since it was closed, as they were noticed last",
			"it grows: `analytics.after_close` lists them", organization, "period"),
	}
}

func callMetrics() []Metric {
	account := []string{organization, service}
	return []Metric{
		gauge(budgetLimit, "calls", "calls of a day by the plan; absent without a daily limit", "dashboards compare with it", account...),
		gauge(budgetSpent, "calls", "calls of the day so far, by class of work", "near the limit with old watermarks: the plan is too small",
			organization, service, class),
		gauge(budgetKept, "calls", "calls of a class's floor that it has not spent: they stay for it", "it is 0 early in the day",
			organization, service, class),
		gauge(budgetExternal, "calls", "calls of the day that other programs made, by upstream's last answer; absent if no answer of the day said so",
			"it is large: another program spends from the same plan", account...),
		gauge(budgetExhausted, instant, "forecast: when no call of the day is left at the pace of the last hour; absent if calls return before",
			"it is hours before the day turns", account...),
		gauge(calls24h, "calls", "calls of the last 24 hours",
			"near the plan's limit with old watermarks: the plan is too small", service, resource, class),
		gauge(refusals24h, "calls", "calls of the last 24 hours that upstream refused or did not answer, by kind of error; absent without one",
			"`exhausted` (the day is spent, code 45) or `denied` is above 0", organization, service, kind),
		counted(Histogram, callDuration, "seconds", "time of a call, from leaving until its answer is read; kind is `ok` or the kind of error",
			"the 99th percentile grows: upstream is slow", service, kind),
		gauge(tokensDiedYoung, "tokens", "access tokens in a row that upstream refused before their time, of the credential with most of them",
			"it is 3 or more: another program may use the same refresh token"),
	}
}

func toldMetrics() []Metric {
	stream, channel := []string{organization, service, resource}, []string{organization, module}
	return []Metric{
		counted(Counter, callbacksTotal, "callbacks", "callbacks received, by [verdict](notifications.md#look-at-what-came); "+
			"`organization` is empty if it is not configured", "`unavailable` grows: the database stores none; "+
			"`signature` or `token` grows after a change of a secret or a proxy", organization, "dialect", "verdict"),
		counted(Histogram, callbackSeconds, "seconds", "time from the head of a callback to its answer",
			"the 99th percentile is above 0.25: senders give up after some seconds"),
		gauge(channelExpires, instant, "until when upstream granted the channel; absent before the first time",
			"it is less than `time()`: nothing renews the channel", channel...),
		gauge(channelLastTold, instant, "when the last callback of the channel arrived that the inbox still has",
			"it stands still although records change: a granted channel can be silent", channel...),
		{
			Name: channelGap, Type: Counter, In: "seconds", Labels: channel, Where: Database,
			Help: "time in which nothing could tell of a change: by module, and with an empty module of all channels and webhooks",
			Look: "it grows: the [check](notifications.md#begin) names the broken link",
		},
		gauge(selfTest, instant, "when the last test callback came through the public address",
			"`time() - …` is above three times `notifications.self_test`: the way is broken", organization),
		gauge(hintsWaiting, "hints", "hints of the stream that were not read yet; absent where nothing was ever told",
			"it grows: the share of the class `hinted` is used up, or no process works", stream...),
		counted(Histogram, hintToRow, "seconds", "time from the first callback about a change to the commit of what was read because of it; "+
			"of a list, to the clean end of its run; without deletions", "the 99th percentile is above 60: calls wait for the budget"),
		gauge(streamTold, "ratio", "share of the changes of the last 24 hours that notifications announced, of streams with `notified.every`; "+
			"changes of the last ten minutes before a run count as announced; absent without changes",
			"it falls: callbacks get lost, or the day's webhooks are used up", stream...),
		counted(Counter, streamMissed, "changes", "changes that nothing announced, found by scheduled runs of streams with `notified.every`",
			"it grows", stream...),
	}
}

func eventMetrics() []Metric {
	const receiver = "receiver"
	counter := func(name, in, help, look string) Metric {
		return Metric{Name: name, Type: Counter, In: in, Labels: []string{receiver}, Help: help, Look: look, Where: Database}
	}
	return []Metric{
		gauge(eventsLag, "seconds", "age of the oldest change that the receiver of events was not told; 0 if it was told everything",
			"it is above 900: `sluice events` says why", receiver),
		gauge(eventsDisabled, flag, "1 if the receiver answered 410 and gets nothing, 0 if not", "it is 1: `sluice events enable` lets it go on", receiver),
		counter(eventsDelivered, "messages", "messages that the receiver acknowledged", "its rate is 0 while rows change"),
		counter(eventsFailed, "attempts", "attempts that the receiver did not acknowledge", "it grows"),
		gauge(lakeLag, "seconds", "age of the oldest change that is not published to [the lake](operations/lake.md); 0 if all are, absent without a lake",
			"it is above three times `lake.every`: `sluice-lake publish` fails, or does not run"),
	}
}

// declared finds a metric by its name. A name without a declaration is a mistake in this package.
func declared(name string) Metric {
	all := Declared()
	at := slices.IndexFunc(all, func(m Metric) bool { return m.Name == name })
	if at < 0 {
		panic(fmt.Sprintf("metrics: %s is not declared", name))
	}
	return all[at]
}

// histogram makes the histogram of a declaration.
func histogram(name string, buckets []float64) *prometheus.HistogramVec {
	m := declared(name)
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: m.Name, Help: m.Help, Buckets: buckets}, m.Labels)
}

// exporter makes the values of metrics by their declarations.
type exporter map[string]exported

type exported struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
}

// newExporter makes an exporter of the named metrics.
func newExporter(names ...string) exporter {
	e := make(exporter, len(names))
	for _, name := range names {
		m := declared(name)
		kind := prometheus.GaugeValue
		if m.Type == Counter {
			kind = prometheus.CounterValue
		}
		e[name] = exported{prometheus.NewDesc(m.Name, m.Help, m.Labels, nil), kind}
	}
	return e
}

// Describe implements half of prometheus.Collector.
func (e exporter) Describe(out chan<- *prometheus.Desc) {
	for _, m := range e {
		out <- m.desc
	}
}

// send gives a value of a metric.
func (e exporter) send(out chan<- prometheus.Metric, name string, value float64, labels ...string) {
	m := e[name]
	out <- prometheus.MustNewConstMetric(m.desc, m.kind, value, labels...)
}

const head = `# Metrics

Generated by ` + "`sluice metrics`" + `, kept current by ` + "`make check`" + `: do not edit.

` + "`/metrics`" + ` of ` + "`sluice serve`" + ` has these metrics in the Prometheus format. ` + "`organization`" + ` is the
value of ` + "`organization_id`" + `; no label has a name or a value from a record. Where a table says
*database*, each scrape reads the figure from the control tables, so every process gives the same
value. Where it says *process*, each process counts its own since it started: add them up. A process
that only receives callbacks has ` + "`sluice_build_info`" + ` and the two metrics of callbacks.

An *instant* is in seconds since 1970, a *flag* is 0 or 1. If the database does not answer,
` + "`sluice_database_up`" + ` is 0, and the metrics of the database are absent. Those of a day's budget are
there for the organizations that the configuration of the process names.

| Metric | Type | Unit | Labels | Counted by | Means | Look at it when |
|---|---|---|---|---|---|---|
`

// Markdown returns the reference of the metrics.
func Markdown() string {
	var page strings.Builder
	page.WriteString(head)
	for _, m := range Declared() {
		labels := make([]string, len(m.Labels))
		for i, label := range m.Labels {
			labels[i] = "`" + label + "`"
		}
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s | %s | %s | %s |\n",
			m.Name, m.Type, m.In, strings.Join(labels, ", "), m.Where, m.Help, m.Look)
	}
	return page.String()
}
