package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice-chaos/testbed"
)

// Report is the result of a chaos run.
type Report struct {
	Seed uint64 `json:"seed"`
	// Seconds in all, seconds of the faults, and seconds until every stream was idle again by
	// itself.
	Seconds         float64 `json:"seconds"`
	FaultSeconds    float64 `json:"fault_seconds"`
	RecoverySeconds float64 `json:"recovery_seconds"`
	// Kills of processes, those with a stream at work, and stops of Postgres.
	Kills       int `json:"kills"`
	KillsAtWork int `json:"kills_at_work"`
	Crashes     int `json:"crashes"`
	// ReceiverKills counts the receivers that were killed, AfterInsert those of them that had
	// stored a callback and not answered it.
	ReceiverKills int `json:"receivers_killed"`
	AfterInsert   int `json:"receivers_killed_after_an_insert"`
	// Actions counts all faults by kind, Skipped those that this machine does not permit.
	Actions map[string]int `json:"actions"`
	Skipped []string       `json:"skipped,omitempty"`
	// Starts of processes, those of an older version among them, and the exit codes of processes
	// that ended without a kill.
	Starts int         `json:"starts"`
	Olders int         `json:"starts_of_an_older_version"`
	Exits  map[int]int `json:"exits"`
	// Changes upstream meanwhile.
	Inserted int `json:"inserted"`
	Edited   int `json:"edited"`
	Deleted  int `json:"deleted"`
	// Outage is the longest time in seconds without an answer of the database.
	Outage float64 `json:"longest_without_database"`
	// GoOn is the time until streams of killed processes continued, Leader the time until a leader
	// was replaced.
	GoOn   figures `json:"go_on"`
	Leader figures `json:"leader"`
	// Callbacks are the judge's findings about the inbox.
	Callbacks testbed.Inbox `json:"callbacks"`
	// Verdict is the judge's; Violations are all broken invariants.
	Verdict    testbed.Verdict `json:"verdict"`
	Violations []string        `json:"violations"`
	// Rolling are the figures of a rolling upgrade, if this was one.
	Rolling *rollingFigures `json:"rolling,omitempty"`

	leaders []time.Duration
}

// figures are seconds.
type figures struct {
	Samples int     `json:"samples"`
	P50     float64 `json:"p50"`
	P99     float64 `json:"p99"`
	Max     float64 `json:"max"`
}

func figuresOf(took []time.Duration) figures {
	if len(took) == 0 {
		return figures{}
	}
	sorted := slices.Sorted(slices.Values(took))
	at := func(share float64) float64 { return sorted[int(share*float64(len(sorted)-1)+0.5)].Seconds() }
	return figures{Samples: len(sorted), P50: at(0.5), P99: at(0.99), Max: at(1)}
}

func (r *Report) brokenf(format string, args ...any) {
	r.Violations = append(r.Violations, fmt.Sprintf(format, args...))
}

// enough adds violations to a run with too few faults.
func (r *Report) enough(sc scenario) {
	if r.Kills < sc.Kills || r.Crashes < sc.Crashes {
		r.brokenf("%d kills and %d ends of Postgres, %d and %d were planned", r.Kills, r.Crashes, sc.Kills, sc.Crashes)
	}
	if r.KillsAtWork*4 < sc.Kills {
		r.brokenf("only %d of %d kills hit a stream at work", r.KillsAtWork, r.Kills)
	}
	if r.ReceiverKills < sc.ReceiverKills {
		r.brokenf("%d receivers were killed, %d were planned", r.ReceiverKills, sc.ReceiverKills)
	}
	// What was stored without an answer is sent again, and stored once more.
	if c := r.Callbacks; c.Taken == 0 || c.Read == 0 || r.AfterInsert > 0 && c.Stored <= c.Taken {
		r.brokenf("too few callbacks: %d answered, %d stored, %d hints read, %d receivers killed after an insert", c.Taken, c.Stored, c.Read, r.AfterInsert)
	}
	if sc.Kills >= 100 && r.Olders == 0 {
		r.brokenf("no process was of an older version")
	}
	if sc.Kills >= 100 && (r.Deleted == 0 || r.Inserted == 0 || r.Edited == 0 || r.Verdict.Tombstones == 0) {
		r.brokenf("upstream did not live: %d inserted, %d edited, %d deleted, %d tombstones", r.Inserted, r.Edited, r.Deleted, r.Verdict.Tombstones)
	}
}

// print prints the report for people.
func (r *Report) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "seed %d: %d kills (%d with streams at work), %d ends of Postgres, %.0f s of faults, at rest %.0f s later, %.0f s in all\n",
		r.Seed, r.Kills, r.KillsAtWork, r.Crashes, r.FaultSeconds, r.RecoverySeconds, r.Seconds)
	for _, name := range slices.Sorted(maps.Keys(r.Actions)) {
		fmt.Fprintf(&text, "  %-30s %d\n", name, r.Actions[name])
	}
	for _, skipped := range r.Skipped {
		fmt.Fprintf(&text, "  NOT PLAYED: %s\n", skipped)
	}
	v := r.Verdict
	fmt.Fprintf(&text, "%d starts, %d of an older version, exit codes of those that ended without a kill %v; "+
		"upstream: %d inserted, %d edited, %d deleted\n",
		r.Starts, r.Olders, r.Exits, r.Inserted, r.Edited, r.Deleted)
	fmt.Fprintf(&text, "%d records are equal, %d tombstones; upstream counted %d calls (the log %d), at most %d in a minute and %d at once\n",
		v.Records, v.Tombstones, v.Calls, v.Logged, v.Minute, v.AtOnce)
	fmt.Fprintf(&text, "streams of killed processes went on: %d, p50 %.1f s, p99 %.1f s, at most %.1f s; there was no database for up to %.1f s\n",
		r.GoOn.Samples, r.GoOn.P50, r.GoOn.P99, r.GoOn.Max, r.Outage)
	c := r.Callbacks
	fmt.Fprintf(&text, "callbacks: %d sent, %d taken, %d in the inbox with %d contents; %d receivers killed, %d of them between insert and answer; "+
		"hints: %d, %d read\n", c.Sent, c.Taken, c.Stored, c.Contents, r.ReceiverKills, r.AfterInsert, c.Hints, c.Read)
	fmt.Fprintf(&text, "leaders replaced: %d, p50 %.1f s, at most %.1f s\n", r.Leader.Samples, r.Leader.P50, r.Leader.Max)
	if f := r.Rolling; f != nil {
		fmt.Fprintf(&text, "rolling upgrade %s: %d processes replaced, there and back; migrate killed %d times, done after %.1f s, refused %d times\n",
			f.Versions, f.Replaced, f.MigrateKills, f.MigrateSeconds, f.Refused)
		fmt.Fprintf(&text, "the analyst: %d statements, the slowest %.2f s (before the upgrade %.2f s); the longest wait for locks %.2f s\n",
			f.Statements, f.Slowest, f.SlowestBefore, f.LongestWait)
	}
	for _, violation := range r.Violations {
		fmt.Fprintf(&text, "VIOLATION: %s\n", violation)
	}
	fmt.Fprintf(&text, "%d violations\n", len(r.Violations))
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("print the report: %w", err)
	}
	return nil
}
