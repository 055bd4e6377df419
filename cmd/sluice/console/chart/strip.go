package chart

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
)

// State is how a day or a minute is judged.
type State int

// The states. Each has a shape of its own beside its colour.
const (
	// None means that there was nothing.
	None State = iota
	Good
	Warning
	Bad
)

// class returns the class of the state's colour.
func (s State) class() string {
	switch s {
	case Good:
		return "good"
	case Warning:
		return "warning"
	case Bad:
		return "bad"
	default:
		return "none"
	}
}

// Strip is a row of cells, such as the days of a stream.
type Strip struct {
	ID, Title string
	Cells     []Cell
}

// Cell is one day of a strip: Text is what it says when it is pointed at.
type Cell struct {
	Text  string
	State State
}

// The sizes of a strip.
const (
	stripStep   = 8
	stripMark   = 6
	stripHeight = 20
)

// SVG draws the strip in its own size.
func (in *Strip) SVG() template.HTML {
	c := newCanvas(&frame{
		id: in.ID, title: word(in.Title), sentence: in.sentence(),
		class: "small", width: float64(max(1, len(in.Cells)) * stripStep), height: stripHeight,
	})
	for i := range in.Cells {
		cell := &in.Cells[i]
		tall := map[State]float64{None: 2, Good: 10, Warning: 14, Bad: 20}[cell.State]
		c.mark("rect", name(cell.Text), "class", cell.State.class(),
			"x", float64(i*stripStep+1), "y", stripHeight-tall, "width", float64(stripMark), "height", tall)
	}
	return c.svg()
}

func (in *Strip) sentence() string {
	counts := map[State]int{}
	for i := range in.Cells {
		counts[in.Cells[i].State]++
	}
	parts := make([]string, 0, len(counts))
	for state, word := range []string{None: "without any", Good: "good", Warning: "partly failed", Bad: "failed"} {
		if n := counts[State(state)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	if len(parts) == 0 {
		return "Nothing yet."
	}
	return strings.Join(parts, ", ") + "."
}

// Bars are counts of equal spans of time, such as calls in each minute, with a limit.
type Bars struct {
	ID, Title string
	// Zone is the zone of the texts, UTC for nil.
	Zone *time.Location
	// From is the beginning of the first span, Each the length of every one.
	From time.Time
	Each time.Duration
	// Counts has one number for each span. A chart draws the last ones, as many as it has room for.
	Counts []int
	// Limit is what no count may pass, 0 for none.
	Limit int
	// Thing is what is counted, in the singular: call.
	Thing string
}

// barWidth is the least width of a bar and the gap beside it.
const barWidth = 4

// SVG draws the bars.
func (in *Bars) SVG(layout Layout) template.HTML {
	const top, bottom, height = 20.0, 84.0, 104.0
	highest := float64(max(1, in.Limit))
	for _, n := range in.Counts {
		highest = max(highest, float64(n))
	}
	left, right := 24.0, layout.width()-8
	ticks := countTicks(highest, 2)
	for _, t := range ticks {
		left = max(left, lengthOf(t.text)+10)
	}
	first := max(0, len(in.Counts)-int((right-left)/barWidth))
	shown := in.Counts[first:]
	each := max(in.Each, time.Second)
	from := in.From.Add(time.Duration(first) * each)
	axis := newTimeAxis(from, from.Add(time.Duration(len(shown))*each), left, right, in.Zone)
	c := newCanvas(&frame{
		id: in.ID + choose(layout, "", " narrow"), title: word(in.Title), sentence: in.sentence(axis, shown),
		class: choose(layout, "full wide", "full narrow"), width: layout.width(), height: height,
	})
	y := func(n float64) float64 { return bottom - max(0, n)/highest*(bottom-top) }
	for _, t := range ticks {
		c.line("grid", left, y(t.at), right, y(t.at))
		c.text(left-6, y(t.at)+4, end, "dim", t.text)
	}
	for _, t := range axis.ticks(choose(layout, 12, 5)) {
		at := middle
		if t.at > right-16 {
			at = end
		}
		c.text(t.at, bottom+16, at, "dim", t.text)
	}
	step := (right - left) / float64(max(1, len(shown)))
	for i, n := range shown {
		tall := max(1, bottom-y(float64(n)))
		c.mark("rect", axis.clock(from.Add(time.Duration(i)*each))+": "+view.Plural(max(0, n), word(in.Thing)), "class", in.state(n).class(),
			"x", left+float64(i)*step, "y", bottom-tall, "width", min(step-1, 40), "height", tall)
	}
	if in.Limit > 0 {
		at := y(float64(in.Limit))
		c.mark("line", "limit: "+view.Plural(in.Limit, word(in.Thing)), "class", "limit", "x1", left, "y1", at, "x2", right, "y2", at)
		c.text(right, at-5, end, "halo", "limit "+view.Count(in.Limit))
	}
	return c.svg()
}

// state judges a count: bad above the limit, a warning in the last tenth before it.
func (in *Bars) state(n int) State {
	switch {
	case n <= 0:
		return None
	case in.Limit > 0 && n > in.Limit:
		return Bad
	case in.Limit > 0 && float64(n) >= 0.9*float64(in.Limit):
		return Warning
	default:
		return Good
	}
}

func (in *Bars) sentence(axis *timeAxis, shown []int) string {
	if len(shown) == 0 {
		return "Nothing yet."
	}
	most, above := 0, 0
	for _, n := range shown {
		most = max(most, n)
		if in.state(n) == Bad {
			above++
		}
	}
	says := fmt.Sprintf("From %s to %s, every %s: at most %s",
		axis.clock(axis.from), axis.clock(axis.to), span(max(in.Each, time.Second)), view.Plural(most, word(in.Thing)))
	if in.Limit > 0 {
		says += fmt.Sprintf(" of %s; %s above the limit", view.Count(in.Limit), view.Count(above))
	}
	return says + "."
}
