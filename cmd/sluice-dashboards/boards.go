package main

import (
	"fmt"
	"strings"
)

// Labels that figures have beside job.
const (
	byStream  = "organization, service, resource"
	byService = "organization, service"
	onStream  = "on (job, " + byStream + ")"
	onService = "on (job, " + byService + ")"
)

// scope is what a dashboard shows: selectors of labels, and how its lines are called.
type scope struct {
	// all is the part of a selector that each query has.
	all string
	// stream and service name a line.
	stream, service string
	// most bounds the lines of lists.
	most int
}

func fleetScope() scope {
	return scope{
		all: `job=~"$job"`, stream: "{{organization}} {{service}}.{{resource}}", service: "{{organization}} {{service}}", most: 30,
	}
}

func organizationScope() scope {
	return scope{
		all: `job=~"$job", organization="$organization"`, stream: "{{service}}.{{resource}}", service: "{{service}}", most: 100,
	}
}

// of is a metric within the scope, with further matchers if there are any.
func (s scope) of(metric string, more ...string) string {
	return fmt.Sprintf("sluice_%s{%s}", metric, strings.Join(append([]string{s.all}, more...), ", "))
}

func (s scope) stream1(metric string, more ...string) string {
	return one(s.of(metric, more...), byStream)
}

// enabled leaves out disabled streams, which have no bound.
func (s scope) enabled(expr string) string {
	return expr + " and " + onStream + " " + s.of("stream_bound_seconds")
}

func (s scope) age() string   { return "time() - " + s.stream1("stream_watermark_timestamp_seconds") }
func (s scope) bound() string { return s.stream1("stream_bound_seconds") }
func (s scope) parts() string { return "(" + s.age() + ") / " + onStream + " " + s.bound() }
func (s scope) worst() string { return s.top(s.parts()) }

func (s scope) top(expr string) string { return fmt.Sprintf("topk(%d, %s)", s.most, expr) }

// quantile is that of a histogram in the time of a window, over all processes.
func (s scope) quantile(q, by, buckets, window string) string {
	return fmt.Sprintf("histogram_quantile(%s, sum by (le%s) (rate(%s[%s])))", q, comma(by), s.of(buckets), window)
}

// lateness lists streams with age and bound, worst first.
func (s scope) lateness() panel {
	of := func(expr string) string { return "(" + expr + ") and " + onStream + " " + s.worst() }
	return table("Lateness, worst first",
		"Age of the watermark beside its bound. Above 1 the stream is late (SluiceStreamLate). A stream that was never complete is not here.",
		query{s.worst(), "age / bound"}, query{of(s.age()), "age"}, query{of(s.bound()), "bound"},
		query{of(s.stream1("stream_interval_seconds")), "interval"},
	).in("age", seconds).in("bound", seconds).in("interval", seconds).by("age / bound")
}

func (s scope) never() panel {
	return table("Never complete", "Enabled streams without a watermark: the first run has not ended clean.",
		query{s.stream1("stream_bound_seconds", `resource!~".*[.](details|hinted|look|sweep)"`) + " unless " + onStream + " " +
			s.of("stream_watermark_timestamp_seconds"), "bound"}).in("bound", seconds)
}

func (s scope) states() panel {
	return lines("Streams by state", "Enabled streams. denied and failed need the operator.", number,
		query{"count by (state) (" + s.enabled(one(s.of("stream_state"), byStream+", state")) + ")", "{{state}}"}).stacked()
}

func (s scope) failing() panel {
	return table("Failures in a row", "They end with the next run that ends well.",
		query{s.top(s.enabled("(" + s.stream1("stream_failures") + " > 0)")), "failures"}).by("failures")
}

func (s scope) quarantine() panel {
	return bars("Quarantine: open records", "sluice quarantine list shows them.", number, 100, 1000,
		query{"sort_desc(" + s.top(s.stream1("stream_quarantined_records")+" > 0") + ")", s.stream})
}

// share is how much of the day is spent, external calls included.
func (s scope) share() panel {
	spent := "sum by (job, " + byService + ") (" + one(s.of("budget_spent_calls"), byService+", class") + ")"
	return bars("Calls of the day: share that is spent", "Calls of sluice, of the limit of the day.", ratio, 0.8, 0.95,
		query{"sort_desc(" + s.top(spent+" / "+onService+" "+one(s.of("budget_limit_calls"), byService)) + ")", s.service})
}

// classes stacks what the classes spent beneath the limit.
func (s scope) classes() panel {
	const external, limit = "other programs", "limit"
	return lines("Calls of the day by class, and the limit", "What is between the stack and the dashed line is left.", number,
		query{"sum by (class) (" + one(s.of("budget_spent_calls"), byService+", class") + ")", "{{class}}"},
		query{"sum(" + one(s.of("budget_external_calls"), byService) + ")", external},
		query{"sum(" + one(s.of("budget_limit_calls"), byService) + ")", limit},
	).stacked().above(limit)
}

func (s scope) exhausted() panel {
	return table("When the calls will be used up", "By the forecast; a service whose calls last for the day is not here.",
		query{one(s.of("budget_exhausted_timestamp_seconds"), byService) + " * 1000", "used up"}).in("used up", instant)
}

func (s scope) refusals() panel {
	return lines("Refused calls of 24 hours, by kind", "exhausted is code 45: upstream says that the day's calls are used up.", number,
		query{"sum by (kind) (" + one(s.of("refusals_24h"), byService+", kind") + ")", "{{kind}}"}).stacked()
}

func (s scope) backfills() panel {
	return bars("Backfills: progress", "", ratio, 2, 2, query{"sort_desc(" + s.top(s.stream1("backfill_progress_ratio")) + ")", s.stream})
}

func (s scope) failedBackfills() panel {
	return table("Backfills that failed", "sluice backfill list says why.", query{s.stream1("backfill_failed") + " == 1", "failed"})
}

func (s scope) deletions() panel {
	return table("Deletions that wait for the operator", "sluice tombstones review decides.",
		query{s.stream1("tombstones_held") + " > 0", "rows"},
		query{"time() - min by (job, " + byStream + ") (" + s.of("tombstones_held_since_timestamp_seconds") + ")", "waiting"},
	).in("waiting", seconds).by("waiting")
}

func (s scope) findings() panel {
	return table("Findings of the last verification", "sluice verify list and sluice verify show have them.",
		query{s.stream1("verify_findings") + " > 0", "findings"}).by("findings")
}

func (s scope) closings() panel {
	return table("Records that changed a closed period", "analytics.after_close lists them, with before, after and effect.",
		query{one(s.of("closed_period_changes"), "organization, period") + " > 0", "records"}).by("records")
}

// fleet is the dashboard of all organizations.
func fleet() dashboard {
	s := fleetScope()
	late := "count(" + s.parts() + " > 1) or vector(0)"
	state := func(name string) string {
		return "count(" + s.enabled(s.stream1("stream_state", `state="`+name+`"`)) + ") or vector(0)"
	}
	tick := "time() - " + one(s.of("last_tick_timestamp_seconds"), "")
	waits := "time() - min by (job) (" + s.of("oldest_job_timestamp_seconds") + ")"
	return board("fleet", "fleet", "All organizations of a deployment: what is late, and why.", nil,
		row{"Now", 4, []panel{
			figure("Processes without a database", "", number, 1, 1, query{"count(" + s.of("database_up") + " == 0) or vector(0)", ""}),
			figure("Last tick", "Each serve looks for due streams every 15 seconds.", seconds, 60, 120, query{tick, "{{job}}"}),
			figure("Oldest job", "How long the job waits that could run and waits longest; empty if none waits.", seconds, 300, 600, query{waits, "{{job}}"}),
			figure("Late streams", "", number, 1, 10, query{late, ""}),
			figure("Denied", "", number, 1, 1, query{state("denied"), ""}),
			figure("Failed", "", number, 1, 1, query{state("failed"), ""}),
			figure("Quarantine alarms", "", number, 1, 1, query{"sum(" + s.stream1("stream_quarantine_alarm") + ") or vector(0)", ""}),
			figure("Tokens that died young", "In a row, of the credential with most of them.", number, 2, 3,
				query{one(s.of("tokens_died_young"), ""), "{{job}}"}),
		}},
		row{"Alerts", 7, []panel{
			table("Alerts that fire", "Each has a page in docs/operations/runbooks.", query{`ALERTS{alertname=~"Sluice.*", alertstate="firing"}`, "firing"}),
			table("Versions", "", query{"count by (job, version, revision, go_version) (" + s.of("build_info") + ")", "processes"}),
		}},
		row{"Streams", 11, []panel{s.lateness(), s.states()}},
		row{"Streams that do not go on", 8, []panel{s.never(), s.failing(), s.quarantine()}},
		row{"Calls of the day", 9, []panel{s.share(), s.classes(), s.exhausted()}},
		row{"Upstream", 9, []panel{
			s.refusals(),
			lines("Calls a second, by kind of answer", "", rate,
				query{"sum by (kind) (rate(" + s.of("call_duration_seconds_count") + "[$__rate_interval]))", "{{kind}}"}).stacked(),
			lines("Duration of calls", "Counted by the processes, in all organizations.", seconds,
				query{s.quantile("0.5", "service", "call_duration_seconds_bucket", "$__rate_interval"), "{{service}} median"},
				query{s.quantile("0.99", "service", "call_duration_seconds_bucket", "$__rate_interval"), "{{service}} 99 %"}),
			lines("Calls of 24 hours, by class", "", number,
				query{"sum by (class) (" + one(s.of("calls_24h"), "service, resource, class") + ")", "{{class}}"}).stacked(),
		}},
		row{"Work", 8, []panel{
			lines("Oldest job", "", seconds, query{waits, "{{job}}"}),
			lines("Last tick", "", seconds, query{tick, "{{job}}"}),
			s.backfills(), s.failedBackfills(),
		}},
		row{"Trust", 8, []panel{s.deletions(), s.findings(), s.closings()}},
		row{"Events", 8, []panel{
			lines("Receivers that wait", "Age of the oldest change that a receiver was not told; sluice events says why.", seconds,
				query{one(s.of("events_lag_seconds"), "receiver"), "{{receiver}}"},
				query{"(" + one(s.of("events_disabled"), "receiver") + " == 1) * 0", "{{receiver}} is disabled"}),
			lines("Messages a second, and failed attempts", "", rate,
				query{"max by (receiver) (rate(" + s.of("events_delivered_total") + "[$__rate_interval]))", "{{receiver}}"},
				query{"max by (receiver) (rate(" + s.of("events_failed_total") + "[$__rate_interval]))", "{{receiver}} failed"}),
		}},
		row{"Lake", 8, []panel{
			lines("Changes that are not published to the lake", "Age of the oldest one; without a lake there is nothing.", seconds,
				query{"max by (job) (" + s.of("lake_lag_seconds") + ")", "lake of {{job}}"}),
		}},
	)
}

// organization is the dashboard of one organization.
func organization() dashboard {
	s, all := organizationScope(), fleetScope()
	spent := "sum by (job, " + byService + ") (" + one(s.of("budget_spent_calls"), byService+", class") + ")"
	external := one(s.of("budget_external_calls"), byService) // absent where upstream said nothing of it
	left := one(s.of("budget_limit_calls"), byService) + " - " + onService + " (" + spent + " + " + onService + " " + external + " or " + spent + ")"
	return board("organization", "organization", "One organization: how old its streams are, and what its calls were spent on.",
		[]variable{choice("organization", "Organization", `label_values(sluice_stream_state{job=~"$job"}, organization)`, false)},
		row{"Streams", 11, []panel{
			s.lateness(),
			lines("Age of the watermarks, in parts of the bound", "Above 1 the stream is late.", number, query{s.parts(), s.stream}),
		}},
		row{"Age of the watermarks", 9, []panel{
			lines("Age of the watermarks", "", seconds, query{s.age(), s.stream}),
			lines("Time since the last run that was done", "", seconds, query{"time() - " + s.stream1("stream_last_done_timestamp_seconds"), s.stream}),
		}},
		row{"Streams that do not go on", 8, []panel{s.states(), s.never(), s.failing(), s.quarantine()}},
		row{"Calls of the day", 9, []panel{
			lines("Calls that are left", "Down to 0 it burns; the day begins again at the top.", number, query{left, s.service}),
			s.classes(), s.share(),
		}},
		row{"What is kept, and refused", 8, []panel{
			lines("Calls that are kept for a class", "What other classes may not spend.", number,
				query{"sum by (service, class) (" + one(s.of("budget_kept_calls"), byService+", class") + ")", "{{service}} {{class}}"}),
			s.exhausted(), s.refusals(),
		}},
		row{"Backfills", 7, []panel{s.backfills(), s.failedBackfills()}},
		row{"Trust", 8, []panel{s.deletions(), s.findings(), s.closings()}},
		row{"Change notifications: the way", 8, []panel{
			figure("Last test callback", "Red after three times notifications.self_test of 15 minutes.", seconds, 1800, 2700,
				query{"time() - " + one(s.of("notifications_self_test_timestamp_seconds"), "organization"), ""}),
			table("Channels", "",
				query{one(s.of("channel_expires_timestamp_seconds"), "organization, module") + " - time()", "expires in"},
				query{"time() - " + one(s.of("channel_last_told_timestamp_seconds"), "organization, module"), "last told"},
			).in("expires in", seconds).in("last told", seconds),
			lines("Callbacks a second, by verdict", "", rate,
				query{"sum by (verdict) (rate(" + s.of("callbacks_total") + "[$__rate_interval]))", "{{verdict}}"}),
			lines("Gaps: seconds in a day", "Time in which nothing could tell of a change; without a module, of all.", seconds,
				query{"max by (module) (increase(" + s.of("channel_gap_seconds_total") + "[1d]))", "{{module}}"}),
		}},
		row{"Change notifications: what they bring", 8, []panel{
			lines("Hints that wait", "", number, query{s.stream1("hints_waiting"), s.stream}),
			lines("Share of the changes that were told", "", ratio, query{s.stream1("stream_told_ratio"), s.stream}),
			lines("Changes that nothing told, in a day", "", number,
				query{"sum by (service, resource) (increase(" + s.of("stream_missed_total") + "[1d]))", s.stream}),
			lines("From callback to row, and to answer", "Of all organizations: the 99th percentile of the last hour.", seconds,
				query{all.quantile("0.99", "", "hint_to_row_seconds_bucket", "1h"), "row"},
				query{all.quantile("0.99", "", "callback_seconds_bucket", "1h"), "answer"}),
		}},
	)
}
