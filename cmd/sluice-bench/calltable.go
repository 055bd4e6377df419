package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sluice/cmd/sluice/cli/view"
)

// callLine is one line of the oracle of calls: what sluice spent, and what a clairvoyant would
// have.
type callLine struct {
	name string
	// part is the part of measureCalls that measures the line.
	part string
	// goal is the most calls, or with ratio the most calls for one of the clairvoyant; zero means
	// that the line has no goal.
	goal  float64
	ratio bool

	measured bool
	// spent and fewest are calls, or seconds in the part partLimit. reason says how fewest is
	// computed.
	spent, fewest float64
	reason        string
}

// The parts of measureCalls.
const (
	partLarge    = "large"
	partUnsorted = "unsorted"
	partByType   = "by type"
	partSmall    = "small"
	partDetails  = "details"
	partLimit    = "limit"
)

// Names of lines about calls, each followed by the name of a list.
const (
	lineFirst      = "calls first "
	lineSmall      = "calls small "
	lineNone       = "calls none "
	lineAgain      = "calls again "
	lineLook       = "calls look "
	lineScattered  = "calls scattered "
	lineNeighbours = "calls neighbours "
	lineDetails    = "calls details "
	lineRows       = "calls limit rows"
	lineProven     = "calls limit proven"
)

// lineChanges returns the beginnings of the names of lines about changes. The numbers are those of
// a full measurement; with -quick they are smaller.
func lineChanges() []string { return []string{"calls 1 ", "calls 50 ", "calls 1000 "} }

// callLines returns the lines of the oracle of calls, without measurements.
func callLines() []callLine {
	const (
		firstLarge, firstSmall, thousand = 1.05, 1.3, 1.4
		again, look, gone                = 2, 3, 40
	)
	var all []callLine
	byCalls := func(part, name string, goal float64) { all = append(all, callLine{name: name, part: part, goal: goal}) }
	byRatio := func(part, name string, goal float64) {
		all = append(all, callLine{name: name, part: part, goal: goal, ratio: true})
	}
	changes := lineChanges()
	for _, l := range slices.Concat(moving(), []list{accountsByType, unsortedItems}) {
		part := partLarge
		switch l {
		case accountsByType:
			part = partByType
		case unsortedItems:
			part = partUnsorted
		}
		byRatio(part, lineFirst+l.name, firstLarge)
		byCalls(part, changes[0]+l.name, 0)
		byCalls(part, changes[1]+l.name, 0)
		byRatio(part, changes[2]+l.name, thousand)
		byCalls(part, lineAgain+l.name, again)
		if part == partUnsorted {
			continue
		}
		byCalls(part, lineNone+l.name, 0)
		byCalls(part, lineLook+l.name, look)
		byCalls(part, lineScattered+l.name, gone)
		byCalls(part, lineNeighbours+l.name, gone)
	}
	byRatio(partLarge, lineFirst+notes.name, firstLarge)
	byCalls(partLarge, lineNone+notes.name, 0)
	for _, l := range moving() {
		byRatio(partSmall, lineSmall+l.name, firstSmall)
	}
	byCalls(partDetails, lineDetails+items.name, 0)
	byCalls(partDetails, lineDetails+bills.name, 0)
	byCalls(partLimit, lineRows, 0)
	byCalls(partLimit, lineProven, 0)
	return all
}

// count notes the measurement of a line about calls.
func (t *table) count(name string, spent, fewest float64, reason string) {
	at := slices.IndexFunc(t.calls, func(l callLine) bool { return l.name == name })
	l := &t.calls[at]
	l.measured, l.spent, l.fewest, l.reason = true, spent, fewest, reason
}

// callResult is a measured line about calls in its printed form.
type callResult struct {
	Line string `json:"line"`
	// Calls and Clairvoyant are seconds in the lines of the limit.
	Calls       float64 `json:"calls"`
	Clairvoyant float64 `json:"clairvoyant"`
	// Ratio is nil where the clairvoyant needs no time.
	Ratio *float64 `json:"ratio,omitempty"`
	Goal  string   `json:"goal,omitempty"`
	// Met is nil for a line without a goal.
	Met      *bool  `json:"met,omitempty"`
	Computed string `json:"computed"`
}

func (l *callLine) result() callResult {
	r := callResult{Line: l.name, Calls: l.spent, Clairvoyant: l.fewest, Computed: l.reason}
	if l.fewest > 0 {
		r.Ratio = new(l.spent / l.fewest)
	}
	switch {
	case l.goal == 0:
	case l.ratio:
		r.Goal, r.Met = fmt.Sprintf("≤ %v", l.goal), new(l.spent <= l.goal*l.fewest)
	default:
		r.Goal, r.Met = fmt.Sprintf("≤ %v calls", l.goal), new(l.spent <= l.goal)
	}
	return r
}

// counted returns the measured lines about calls that are asked for.
func (t *table) counted(p *plan) []callResult {
	var results []callResult
	for i := range t.calls {
		if l := &t.calls[i]; l.measured && p.wants(l.name) {
			results = append(results, l.result())
		}
	}
	return results
}

// cells returns the figures of a result as text; "–" for what it has not.
//
//nolint:nonamedreturns // the names say which is which
func (r *callResult) cells() (calls, clairvoyant, ratio, goal string) {
	ratio, goal = "–", "–"
	if r.Ratio != nil {
		ratio = strconv.FormatFloat(*r.Ratio, 'f', 2, 64)
	}
	if r.Goal != "" {
		goal = r.Goal
	}
	whole := func(v float64) string { return view.Count(int64(v + 0.5)) }
	return whole(r.Calls), whole(r.Clairvoyant), ratio, goal
}

func tableOfCalls(results []callResult) view.Part {
	return view.Table(results, "LINE  CALLS  CLAIRVOYANT  RATIO  GOAL  RESULT  COMPUTED", func(r *callResult) view.Row {
		calls, clairvoyant, ratio, goal := r.cells()
		met := "–"
		if r.Met != nil && *r.Met {
			met = "met"
		} else if r.Met != nil {
			met = "missed"
		}
		return view.Row{r.Line, calls, clairvoyant, ratio, goal, met, r.Computed}
	})
}

// printMarkdown prints the lines as docs/performance.md has them, with missed figures in bold.
func printMarkdown(out io.Writer, results []callResult) error {
	var text strings.Builder
	text.WriteString("| Line | Calls | Clairvoyant | Ratio | Goal | Computed |\n|---|---|---|---|---|---|\n")
	for i := range results {
		r := &results[i]
		calls, clairvoyant, ratio, goal := r.cells()
		if r.Met != nil && !*r.Met {
			calls = "**" + calls + "**"
		}
		fmt.Fprintf(&text, "| `%s` | %s | %s | %s | %s | %s |\n", r.Line, calls, clairvoyant, ratio, goal, r.Computed)
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("print the oracle of calls: %w", err)
	}
	return nil
}
