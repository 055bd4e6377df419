package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// result is the result of a trial.
type result struct {
	trial

	// Hit says that the process was killed at the point, and had not ended before.
	Hit bool `json:"hit"`
	// Violations are broken invariants.
	Violations []string `json:"violations,omitempty"`
}

// ledger stores the results, optionally in a file, so that a later pass can continue.
type ledger struct {
	file *os.File
	done map[trial]result
}

// openLedger reads the results of a file; "" means no file.
func openLedger(name string) (*ledger, error) {
	l := &ledger{done: make(map[trial]result)}
	if name == "" {
		return l, nil
	}
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the results: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		var r result
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, fmt.Errorf("read the results: %w", err)
		}
		l.done[r.trial] = r
	}
	l.file, err = os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("keep the results: %w", err)
	}
	return l, nil
}

func (l *ledger) add(r result) error {
	l.done[r.trial] = r
	if l.file == nil {
		return nil
	}
	if err := json.NewEncoder(l.file).Encode(r); err != nil {
		return fmt.Errorf("keep the results: %w", err)
	}
	return nil
}

// left returns the trials that are still to do.
func (l *ledger) left(trials []trial) []trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t trial) bool { _, done := l.done[t]; return done })
}

// missed returns the first points of the classes whose trials ended before their point.
func (l *ledger) missed(trials []trial) []trial {
	var again []trial
	for _, t := range trials {
		if r := l.done[t]; !r.Hit && t.Number > 1 {
			t.Number = 1
			again = append(again, t)
		}
	}
	return again
}

func (l *ledger) close() error {
	if l.file == nil {
		return nil
	}
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("keep the results: %w", err)
	}
	return nil
}

// Found sums up one scenario, or all.
type Found struct {
	Scenario string `json:"scenario"`
	// Points of the scenario, by the count of its undisturbed run; Classes of events, and of them
	// Calls.
	Points  int `json:"points"`
	Classes int `json:"classes"`
	Calls   int `json:"kinds_of_calls"`
	// Tried counts the trials, Hit those killed at their point; Before and After count the classes
	// that were hit so.
	Tried  int `json:"tried"`
	Hit    int `json:"hit"`
	Before int `json:"classes_before"`
	After  int `json:"classes_after"`
	// Violations are broken invariants, with the point.
	Violations []string `json:"violations"`
}

// sum sums up the results of a scenario; "" means all.
func sum(scenario string, passed counts, results map[trial]result) Found {
	f := Found{Scenario: scenario, Violations: []string{}}
	if scenario == "" {
		f.Scenario = "all"
	}
	classes := make(map[class]bool)
	for name, count := range passed {
		if scenario != "" && name != scenario {
			continue
		}
		for what, n := range count {
			f.Points += 2 * n
			classes[what] = true
		}
	}
	hit := map[moment]map[class]bool{before: {}, after: {}}
	for _, r := range results {
		if scenario != "" && r.Scenario != scenario {
			continue
		}
		f.Tried++
		if r.Hit {
			f.Hit++
			hit[r.Moment][r.class] = true
		}
		for _, violation := range r.Violations {
			f.Violations = append(f.Violations, r.String()+": "+violation)
		}
	}
	f.Classes, f.Before, f.After = len(classes), len(hit[before]), len(hit[after])
	for what := range classes {
		if what.Edge == toUpstream {
			f.Calls++
		}
	}
	slices.Sort(f.Violations)
	return f
}

func (f *Found) print(out io.Writer, asJSON bool) error {
	if asJSON {
		if err := json.NewEncoder(out).Encode(f); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		return nil
	}
	_, err := fmt.Fprintf(out, "%-9s %d points at %d statements and %d kinds of calls: %d tried, %d hit, at %d before and %d after; %d violations\n",
		f.Scenario, f.Points, f.Classes-f.Calls, f.Calls, f.Tried, f.Hit, f.Before, f.After, len(f.Violations))
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
