package chart

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
)

// Burn is the budget of one day: what each class spent, what others spent, and what is to come.
type Burn struct {
	// ID is unique in the page. Title is the name of the chart.
	ID, Title string
	// Zone is the zone of the texts, UTC for nil.
	Zone *time.Location
	// Start and End are the turns of the day. Now parts what was from the forecast.
	Start, End, Now time.Time
	// Limit are the calls of a day, 0 for no limit.
	Limit int
	// Classes are the names of the classes, the lowest area first.
	Classes []string
	// Spent are counts since the start of the day, in any order.
	Spent []Spent
	// Kept is what is still kept for classes at Now.
	Kept []Kept
	// Forecast are all calls of the day as expected, at instants after Now.
	Forecast []Expected
	// Exhausted is when upstream is expected to answer with code 45, zero for not on this day.
	Exhausted time.Time
}

// Spent are the calls from the start of the day up to an instant: by class, in the order of
// Burn.Classes, and those that others spent from the same allowance.
type Spent struct {
	At      time.Time
	ByClass []int
	Others  int
}

// Kept are calls that only one class may spend.
type Kept struct {
	Class string
	Calls int
}

// Expected are all calls of the day up to an instant.
type Expected struct {
	At    time.Time
	Calls int
}

// burn is a chart of a day with its measures.
type burn struct {
	*Burn
	*canvas

	axis                     *timeAxis
	spent                    []Spent
	left, right, top, bottom float64
	highest                  float64
}

// SVG draws the day.
func (in *Burn) SVG(layout Layout) template.HTML {
	b := &burn{Burn: in, top: 34, bottom: choose(layout, 312.0, 228.0), right: layout.width() - choose(layout, 16.0, 8.0)}
	b.measure(layout)
	b.axis = newTimeAxis(in.Start, in.End, b.left, b.right, in.Zone)
	b.thin(choose(layout, 4.0, 5.0))
	entries, height := place(b.keys(), b.left, b.bottom+28, b.right-b.left)
	b.canvas = newCanvas(&frame{
		id: in.ID + choose(layout, "", " narrow"), title: word(in.Title), sentence: b.sentence(),
		class: choose(layout, "full wide", "full narrow"), width: layout.width(), height: b.bottom + 30 + height,
	})
	b.grid(layout)
	b.areas()
	b.lines()
	b.columns()
	b.marks()
	b.legend(entries)
	return b.svg()
}

// measure sets the height of the scale, and the room for its numbers.
func (b *burn) measure(layout Layout) {
	b.highest = float64(max(1, b.Limit))
	for i := range b.Spent {
		b.highest = max(b.highest, float64(total(&b.Spent[i])))
	}
	for _, e := range b.Forecast {
		b.highest = max(b.highest, float64(e.Calls))
	}
	b.highest *= 1.04
	b.left = 24
	for _, t := range countTicks(b.highest, choose(layout, 6, 5)) {
		b.left = max(b.left, lengthOf(t.text)+10)
	}
}

// total are all calls of a point.
func total(s *Spent) int { return add(add(s.ByClass...), s.Others) }

// thin puts the points of the day in order, and leaves the last one of each few units of width.
func (b *burn) thin(units float64) {
	last := -1.0
	sorted := slices.Clone(b.Spent)
	slices.SortStableFunc(sorted, func(x, y Spent) int { return x.At.Compare(y.At) })
	for i := range sorted {
		if !b.axis.has(sorted[i].At) {
			continue
		}
		if slot := float64(int(b.axis.x(sorted[i].At) / units)); slot == last {
			b.spent[len(b.spent)-1] = sorted[i]
		} else {
			b.spent, last = append(b.spent, sorted[i]), slot
		}
	}
}

// y returns the height of a count.
func (b *burn) y(calls float64) float64 {
	return b.bottom - max(0, min(1, calls/b.highest))*(b.bottom-b.top)
}

// now is the instant up to which there are counts, within the day.
func (b *burn) now() time.Time {
	switch {
	case b.Now.Before(b.axis.from):
		return b.axis.from
	case b.Now.After(b.axis.to):
		return b.axis.to
	}
	return b.Now
}

// at returns the last counts up to an instant.
func (b *burn) at(instant time.Time) *Spent {
	found, _ := slices.BinarySearchFunc(b.spent, instant, func(s Spent, t time.Time) int {
		return cmp.Or(s.At.Compare(t), -1) // one at the very instant counts
	})
	if found == 0 {
		return &Spent{At: b.axis.from}
	}
	return &b.spent[found-1]
}

// grid writes the axes.
func (b *burn) grid(layout Layout) {
	for _, t := range countTicks(b.highest, choose(layout, 6, 5)) {
		b.line("grid", b.left, b.y(t.at), b.right, b.y(t.at))
		b.text(b.left-6, b.y(t.at)+4, end, "dim", t.text)
	}
	for _, t := range b.axis.ticks(choose(layout, 9, 5)) {
		b.line("grid", t.at, b.bottom, t.at, b.bottom+4)
		at := middle
		if t.at > b.right-14 {
			at = end
		}
		b.text(min(t.at, b.right), b.bottom+17, at, "dim", t.text)
	}
	if len(b.spent) == 0 {
		b.text((b.left+b.right)/2, (b.top+b.bottom)/2, middle, "dim", "no calls are counted on this day")
	}
}

// areas writes one area for others and each class, each down to the ground, the highest first: the
// ones below cover its lower part.
func (b *burn) areas() {
	if len(b.spent) == 0 {
		return
	}
	latest := b.at(b.now())
	for layer := len(b.Classes); layer >= 0; layer-- {
		upTo := func(s *Spent) float64 {
			sum := 0
			for i := range min(layer+1, len(s.ByClass), len(b.Classes)) {
				sum = add(sum, s.ByClass[i])
			}
			if layer == len(b.Classes) {
				sum = total(s)
			}
			return b.y(float64(sum))
		}
		title, class := "others: "+view.Plural(max(0, latest.Others), "call"), "co"
		if layer < len(b.Classes) {
			title, class = name(b.Classes[layer])+": "+view.Plural(spentBy(latest, layer), "call"), colour(layer)
		}
		outline := new(path).to(b.left, b.bottom)
		for i := range b.spent {
			outline.to(b.axis.x(b.spent[i].At), upTo(&b.spent[i]))
		}
		last := &b.spent[len(b.spent)-1]
		until := max(b.axis.x(b.now()), b.axis.x(last.At))
		outline.to(until, upTo(last)).to(until, b.bottom).close()
		b.mark("path", title, "class", "area "+class, "d", outline.String())
	}
}

// spentBy are the calls of a class.
func spentBy(s *Spent, class int) int {
	if class >= len(s.ByClass) {
		return 0
	}
	return max(0, s.ByClass[class])
}

// lines writes the limit, what is kept, and the forecast.
func (b *burn) lines() {
	if b.Limit > 0 {
		y := b.y(float64(b.Limit))
		b.mark("line", "limit: "+view.Plural(b.Limit, "call"), "class", "limit", "x1", b.left, "y1", y, "x2", b.right, "y2", y)
		b.text(b.left+4, y-5, start, "", "limit "+view.Count(b.Limit))
		kept := 0
		for i, k := range b.Kept {
			kept = add(kept, k.Calls)
			y := b.y(float64(b.Limit) - float64(kept))
			b.mark("line", keptWords(k), "class", "kept "+b.classColour(k.Class, i),
				"x1", b.axis.x(b.now()), "y1", y, "x2", b.right, "y2", y)
		}
	}
	ahead := b.ahead()
	if len(ahead) == 0 {
		return
	}
	outline := new(path).to(b.axis.x(b.now()), b.y(float64(total(b.at(b.now())))))
	for _, e := range ahead {
		outline.to(b.axis.x(e.At), b.y(float64(e.Calls)))
	}
	b.mark("path", b.forecastWords(), "class", "forecast", "d", outline.String())
}

// classColour returns the colour of a class by its name.
func (b *burn) classColour(class string, otherwise int) string {
	if i := slices.Index(b.Classes, class); i >= 0 {
		return colour(i)
	}
	return colour(otherwise)
}

// ahead is the forecast that the chart has room for, in order.
func (b *burn) ahead() []Expected {
	var ahead []Expected
	for _, e := range b.Forecast {
		if b.axis.has(e.At) && !e.At.Before(b.now()) {
			ahead = append(ahead, e)
		}
	}
	slices.SortStableFunc(ahead, func(x, y Expected) int { return x.At.Compare(y.At) })
	return ahead
}

// columns writes one unseen column an hour, which says the counts of its end.
func (b *burn) columns() {
	if len(b.spent) == 0 {
		return
	}
	until := b.now()
	for from := b.axis.from; from.Before(until); from = from.Add(time.Hour) {
		to := from.Add(time.Hour)
		if to.After(until) {
			to = until
		}
		b.mark("rect", b.axis.clock(to)+": "+b.breakdown(b.at(to)), "class", "hit",
			"x", b.axis.x(from), "y", b.top, "width", b.axis.x(to)-b.axis.x(from), "height", b.bottom-b.top)
	}
}

// marks writes the line of now and the place at which code 45 is expected.
func (b *burn) marks() {
	if b.axis.has(b.Now) {
		x := b.axis.x(b.Now)
		b.mark("line", "now: "+b.axis.clock(b.Now), "class", "now", "x1", x, "y1", 15.0, "x2", x, "y2", b.bottom)
		b.beside(x, 11, "now "+b.axis.clock(b.Now))
	}
	if !b.Exhausted.IsZero() && b.axis.has(b.Exhausted) {
		x, y := b.axis.x(b.Exhausted), b.y(float64(max(b.Limit, 1)))
		b.mark("path", exhaustedWords(b), "class", "code45",
			"d", new(path).to(x, y-7).to(x+7, y).to(x, y+7).to(x-7, y).close().String())
		b.beside(x, y+22, "code 45 at "+b.axis.clock(b.Exhausted))
	}
}

// beside writes a text centred at x, moved so that it stays in the chart.
func (b *burn) beside(x, y float64, text string) {
	half := lengthOf(text) / 2
	b.text(max(b.left+half, min(b.right-half, x)), y, middle, "halo", text)
}

// keys are the entries of the legend.
func (b *burn) keys() []key {
	latest := b.at(b.now())
	var keys []key
	for i, class := range b.Classes {
		keys = append(keys, key{area, colour(i), word(class) + " " + view.Count(spentBy(latest, i))})
	}
	keys = append(keys, key{area, "co", "others " + view.Count(max(0, latest.Others))})
	if b.Limit > 0 {
		for i, k := range b.Kept {
			keys = append(keys, key{"kept", b.classColour(k.Class, i), "kept for " + word(k.Class) + " " + view.Count(max(0, k.Calls))})
		}
	}
	if len(b.ahead()) > 0 {
		keys = append(keys, key{"forecast", "", b.forecastWords()})
	}
	return keys
}

func keptWords(k Kept) string {
	return "kept for " + name(k.Class) + ": " + view.Plural(max(0, k.Calls), "call")
}

func exhaustedWords(b *burn) string { return "code 45 is expected at " + b.axis.clock(b.Exhausted) }

// forecastWords says where the forecast ends.
func (b *burn) forecastWords() string {
	ahead := b.ahead()
	last := ahead[len(ahead)-1]
	return "forecast " + view.Count(max(0, last.Calls)) + " at " + b.axis.clock(last.At)
}

// breakdown says the calls of a point by class.
func (b *burn) breakdown(s *Spent) string {
	parts := make([]string, 0, len(b.Classes)+1)
	for i, class := range b.Classes {
		parts = append(parts, name(class)+" "+view.Count(spentBy(s, i)))
	}
	parts = append(parts, "others "+view.Count(max(0, s.Others)))
	return view.Plural(total(s), "call") + " (" + strings.Join(parts, ", ") + ")"
}

// sentence says in words what the chart shows.
func (b *burn) sentence() string {
	if len(b.spent) == 0 {
		return "No calls are counted on this day."
	}
	kept := make([]string, len(b.Kept))
	says := fmt.Sprintf("At %s: %s", b.axis.clock(b.now()), b.breakdown(b.at(b.now())))
	if b.Limit > 0 {
		says += " of " + view.Count(b.Limit)
	}
	says += "."
	for i, k := range b.Kept {
		kept[i] = name(k.Class) + " " + view.Count(max(0, k.Calls))
	}
	if len(kept) > 0 {
		says += " Of the rest are kept: " + strings.Join(kept, ", ") + "."
	}
	if len(b.ahead()) > 0 {
		says += " The " + b.forecastWords() + "."
	}
	if !b.Exhausted.IsZero() && b.axis.has(b.Exhausted) {
		says += " C" + exhaustedWords(b)[1:] + "."
	}
	return says
}
