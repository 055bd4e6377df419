package bench

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/cmd/sluice/cli/view"
)

// line is one line of the table: a goal and its measurements.
type line struct {
	name, figure string
	// want is the least value of the goal, or the most if most is set; none says that there is no
	// goal.
	want       float64
	most, none bool
	// worst makes the worst value count instead of the median.
	worst bool
	// digits are those after the point of a value.
	digits int
	// ratio makes want a multiple of the calls of a clairvoyant.
	ratio bool
	got   []float64
}

// lines returns the lines of the table, without measurements and without those of calls.
func lines() []line {
	const copied, used = "times as fast as raw COPY, archive too", "% of the minute's limit used"
	return []line{
		{name: "loader fresh items", figure: copied, want: 0.85, digits: 2},
		{name: "loader fresh bills", figure: copied, want: 0.85, digits: 2},
		{name: "loader unchanged items", figure: copied, none: true, digits: 1},
		{name: "loader unchanged bills", figure: copied, none: true, digits: 1},
		{name: "loader unchanged WAL", figure: "bytes a record", want: 10, most: true, digits: 1},
		{name: "loader changed items", figure: copied, none: true, digits: 2},
		{name: "loader changed bills", figure: copied, none: true, digits: 2},
		{name: "memory", figure: "MB at most", want: 120, most: true, worst: true},
		{name: "details", figure: "times the value of newest first, after a tenth of the calls", want: 1.5, digits: 2},
		{name: "limit 0.1 s", figure: used, want: 98, worst: true, digits: 1},
		{name: "limit 1 s", figure: used, want: 97, worst: true, digits: 1},
		{name: "limit 3 s", figure: used, want: 94, worst: true, digits: 1},
		{name: "limit 429", figure: "answers of status 429", most: true, worst: true},
	}
}

// table holds the measurements, and their machine.
type table struct {
	machine string
	lines   []line
}

// add notes a value of a line.
func (t *table) add(name string, value float64) {
	l := &t.lines[slices.IndexFunc(t.lines, func(l line) bool { return l.name == name })]
	l.got = append(l.got, value)
}

// result is the verdict about a measured line.
type result struct {
	goal             string
	min, median, max float64
	// result is met, missed or – for a line without a goal.
	result string
}

// result judges the measurements; of two middle values the worse one is the median.
func (l *line) result() result {
	sorted := slices.Sorted(slices.Values(l.got))
	r := result{goal: "–", result: "–", min: sorted[0], median: sorted[(len(sorted)-1)/2], max: sorted[len(sorted)-1]}
	if l.most {
		r.median = sorted[len(sorted)/2]
	}
	if l.none {
		return r
	}
	judged := r.median
	switch {
	case l.worst && l.most:
		judged = r.max
	case l.worst:
		judged = r.min
	}
	sign, met := "≥", judged >= l.want
	if l.most {
		sign, met = "≤", judged <= l.want
	}
	if r.goal = fmt.Sprintf("%s %v", sign, l.want); l.most && l.want == 0 {
		r.goal = "0"
	}
	if r.result = "missed"; met {
		r.result = "met"
	}
	return r
}

func (t *table) print(w io.Writer) error {
	var rows []view.Row
	for i := range t.lines {
		l := &t.lines[i]
		if len(l.got) == 0 {
			continue
		}
		r := l.result()
		value := func(v float64) string { return strconv.FormatFloat(v, 'f', l.digits, 64) }
		rows = append(rows, view.Row{l.name, l.figure, r.goal, value(r.min), value(r.median), value(r.max), r.result})
	}
	return view.Printer{Out: w}.Print(view.Line("%s", t.machine),
		view.TableOf("LINE  MEASURED  GOAL  MIN  MEDIAN  MAX  RESULT", rows))
}

// machine describes the machine in one line.
func (s *stage) machine(ctx context.Context, p *plan) (string, error) {
	text := fmt.Sprintf("%s, %d cores, %s", time.Now().Format(time.DateOnly), runtime.NumCPU(), runtime.Version())
	if p.quick {
		text += "; quick: shows that it works, measures nothing"
	}
	err := s.postgres.Do(ctx, "", func(conn *pgx.Conn) error {
		text += ", PostgreSQL " + conn.PgConn().ParameterStatus("server_version")
		return nil
	})
	return text, err
}
