package chart

import (
	"fmt"
	"html/template"
	"slices"
	"time"

	"sluice/cmd/sluice/cli/view"
)

// Gantt are runs over time, a lane for each stream or organization.
type Gantt struct {
	ID, Title string
	// Zone is the zone of the texts, UTC for nil.
	Zone *time.Location
	// From and To are the span of time, Now ends the bars that still run.
	From, To, Now time.Time
	// Bars are drawn in the lane of their name. Lanes stand in the order of their first bars.
	Bars []Bar
}

// Bar is one run or one wait.
type Bar struct {
	// Lane is the name of the stream or organization.
	Lane string
	// From and To are the beginning and the end, zero To for what still runs.
	From, To time.Time
	Kind     Kind
	// Text says more: the reason of a failure, or of a wait. Waits of one reason have one colour.
	Text string
	// Address is a page of the console, "" for none.
	Address string
}

// Kind is what became of a run.
type Kind int

// The kinds of bars.
const (
	Done Kind = iota
	Failed
	Running
	Waiting
)

// word names the kind.
func (k Kind) word() string {
	switch k {
	case Failed:
		return "failed"
	case Running:
		return "running"
	case Waiting:
		return "waiting"
	default:
		return "done"
	}
}

// class returns the class of the kind's colour; waits have the one of their reason.
func (k Kind) class() string {
	switch k {
	case Failed:
		return "bad"
	case Running:
		return "running"
	default:
		return "good"
	}
}

// mostBars is how many bars are drawn: the latest ones.
const mostBars = 200

// The sizes of a timeline.
const (
	laneBar  = 14
	laneRow  = 17
	laneGap  = 7
	laneName = 15
)

// gantt is a timeline with its measures.
type gantt struct {
	*Gantt

	axis    *timeAxis
	lanes   []lane
	reasons []string
	// left out are earlier bars.
	omitted int
}

// lane is one row of the drawing, with as many rows of bars as overlap.
type lane struct {
	name string
	rows [][]*Bar
}

// SVG draws the timeline.
func (in *Gantt) SVG(layout Layout) template.HTML {
	g := &gantt{Gantt: in}
	left := choose(layout, 200.0, 8.0)
	right := layout.width() - 12
	g.axis = newTimeAxis(in.From, in.To, left, right, in.Zone)
	g.assign()
	above := choose(layout, 0.0, laneName) // a narrow chart has the name above its bars
	bottom := 24.0
	for i := range g.lanes {
		bottom += above + float64(len(g.lanes[i].rows)*laneRow) + laneGap
	}
	bottom = max(bottom, 60)
	entries, height := place(g.keys(), 8, bottom+6, right-8)
	c := newCanvas(&frame{
		id: in.ID + choose(layout, "", " narrow"), title: word(in.Title), sentence: g.sentence(), links: g.linked(),
		class: choose(layout, "full wide", "full narrow"), width: layout.width(), height: bottom + 8 + height,
	})
	for _, t := range g.axis.ticks(choose(layout, 9, 4)) {
		c.line("grid", t.at, 20, t.at, bottom)
		half := lengthOf(t.text) / 2
		c.text(max(half, min(layout.width()-half, t.at)), 13, middle, "dim", t.text)
	}
	if len(g.lanes) == 0 {
		c.text((left+right)/2, 44, middle, "dim", "no runs in this time")
	}
	y := 24.0
	for i := range g.lanes {
		y = g.lane(c, &g.lanes[i], layout, y)
	}
	if in.Now.After(g.axis.from) && in.Now.Before(g.axis.to) {
		x := g.axis.x(in.Now)
		c.mark("line", "now: "+g.axis.clock(in.Now), "class", "now", "x1", x, "y1", 20.0, "x2", x, "y2", bottom)
	}
	c.legend(entries)
	return c.svg()
}

// until returns the end of a bar.
func (g *gantt) until(b *Bar) time.Time {
	at := b.To
	if at.IsZero() {
		at = g.Now
	}
	if at.Before(b.From) {
		return b.From
	}
	return at
}

// assign chooses the latest bars of the time, and gives each a lane and a row without overlap.
func (g *gantt) assign() {
	var bars []*Bar
	for i := range g.Bars {
		if b := &g.Bars[i]; !b.From.After(g.axis.to) && !g.until(b).Before(g.axis.from) {
			bars = append(bars, b)
		}
	}
	byStart := func(x, y *Bar) int { return x.From.Compare(y.From) }
	if g.omitted = max(0, len(bars)-mostBars); g.omitted > 0 {
		latest := slices.SortedStableFunc(slices.Values(bars), func(x, y *Bar) int { return g.until(y).Compare(g.until(x)) })
		chosen := map[*Bar]bool{}
		for _, b := range latest[:mostBars] {
			chosen[b] = true
		}
		bars = slices.DeleteFunc(bars, func(b *Bar) bool { return !chosen[b] })
	}
	places := map[string]int{}
	for _, b := range bars {
		if _, known := places[b.Lane]; !known {
			places[b.Lane] = len(g.lanes)
			g.lanes = append(g.lanes, lane{name: b.Lane})
		}
		if b.Kind == Waiting && !slices.Contains(g.reasons, b.Text) {
			g.reasons = append(g.reasons, b.Text)
		}
	}
	slices.SortStableFunc(bars, byStart)
	for _, b := range bars {
		l := &g.lanes[places[b.Lane]]
		free := slices.IndexFunc(l.rows, func(row []*Bar) bool { return !g.until(row[len(row)-1]).After(b.From) })
		if free < 0 {
			free = len(l.rows)
			l.rows = append(l.rows, nil)
		}
		l.rows[free] = append(l.rows[free], b)
	}
}

// lane writes one lane and returns where the next one begins.
func (g *gantt) lane(c *canvas, l *lane, layout Layout, y float64) float64 {
	room := choose(layout, g.axis.left-20, g.axis.right-g.axis.left)
	shown := word(l.name)
	c.open("g")
	c.element("title", name(l.name))
	c.text(choose(layout, 8.0, g.axis.left), y+11, start, "halo", fit(shown, room))
	c.end("g")
	if layout == Narrow {
		y += laneName
	}
	for _, row := range l.rows {
		for _, b := range row {
			g.bar(c, b, y)
		}
		y += laneRow
	}
	c.line("grid", choose(layout, 8.0, g.axis.left), y+laneGap/2.0, g.axis.right, y+laneGap/2.0)
	return y + laneGap
}

// bar writes one bar: failures are the thickest, and waits the thinnest.
func (g *gantt) bar(c *canvas, b *Bar, y float64) {
	x := min(g.axis.x(b.From), g.axis.right-2)
	width := max(2, g.axis.x(g.until(b))-x)
	top, tall, class := y, float64(laneBar), b.Kind.class()
	switch b.Kind {
	case Failed:
	case Waiting:
		top, tall, class = y+4, laneBar-8, colour(slices.Index(g.reasons, b.Text))
	default:
		top, tall = y+2, laneBar-4
	}
	end := c.link(b.Address)
	c.mark("rect", g.says(b), "class", class, "x", x, "y", top, "width", width, "height", tall)
	end()
}

// says are the words of a bar.
func (g *gantt) says(b *Bar) string {
	until := g.axis.clock(g.until(b))
	if b.To.IsZero() {
		until = "now"
	}
	says := fmt.Sprintf("%s: %s, %s to %s (%s)", name(b.Lane), b.Kind.word(), g.axis.clock(b.From), until, span(g.until(b).Sub(b.From)))
	if b.Text != "" {
		says += ": " + name(b.Text)
	}
	return says
}

// linked tells whether a bar leads to a page.
func (g *gantt) linked() bool {
	return slices.ContainsFunc(g.Bars, func(b Bar) bool { return local(b.Address) != "" })
}

// counts are the drawn bars by kind.
func (g *gantt) counts() map[Kind]int {
	counts := map[Kind]int{}
	for i := range g.lanes {
		for _, row := range g.lanes[i].rows {
			for _, b := range row {
				counts[b.Kind]++
			}
		}
	}
	return counts
}

// keys are the entries of the legend: the kinds that are drawn, and the reasons of waits.
func (g *gantt) keys() []key {
	var keys []key
	counts := g.counts()
	for kind := range Waiting {
		if counts[kind] > 0 {
			keys = append(keys, key{area, kind.class(), kind.word() + " " + view.Count(counts[kind])})
		}
	}
	for i, reason := range g.reasons {
		says := "waiting"
		if reason != "" {
			says += ": " + word(reason)
		}
		keys = append(keys, key{"wait", colour(i), says})
	}
	return keys
}

// sentence says in words what the chart shows.
func (g *gantt) sentence() string {
	counts := g.counts()
	says := fmt.Sprintf("%s from %s to %s: %d done, %d failed, %d running, %d waiting.", view.Plural(len(g.lanes), "lane"),
		g.axis.clock(g.axis.from), g.axis.clock(g.axis.to), counts[Done], counts[Failed], counts[Running], counts[Waiting])
	if g.omitted > 0 {
		says += " Not drawn: " + view.Count(g.omitted) + " earlier ones."
	}
	return says
}
