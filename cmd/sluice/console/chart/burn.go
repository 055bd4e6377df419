package chart

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/planning"
)

// Burn is the budget of one day: what each class spent, what others spent, and what is to come.
type Burn struct {
	// ID is unique in the page. Title is the name of the chart.
	ID, Title string
	// Course has at least one count.
	Course *planning.Course
	// Limit are the calls of a day, 0 for no limit.
	Limit int64
	Zone  *time.Location
}

// The edges of the drawing, in units of about a pixel.
const (
	width, height = 1040.0, 372.0
	left, right   = 64.0, 1024.0
	top, bottom   = 34.0, 312.0
)

// burn is a chart that is being drawn.
type burn struct {
	*Burn
	*drawing

	highest float64
	now     *planning.Counted
}

// SVG draws the day.
func (in *Burn) SVG() template.HTML {
	b := &burn{Burn: in, highest: float64(max(1, in.Limit)), now: &in.Course.Past[len(in.Course.Past)-1]}
	for _, at := range slices.Concat(in.Course.Past, in.Course.Ahead) {
		b.highest = max(b.highest, float64(at.Total()))
	}
	b.highest *= 1.04 // room above the line of the limit
	b.drawing = begin(in.ID, "full", in.Title, b.sentence(), width, height)
	b.grid()
	b.areas()
	b.lines()
	b.legend()
	return b.end()
}

// x returns the place of an instant, at the edge for one outside.
func (b *burn) x(at time.Time) float64 {
	share := float64(at.Sub(b.Course.From)) / float64(b.Course.To.Sub(b.Course.From))
	return left + max(0, min(1, share))*(right-left)
}

// y returns the height of a count.
func (b *burn) y(calls int64) float64 { return bottom - float64(calls)/b.highest*(bottom-top) }

func (b *burn) clock(at time.Time) string { return at.In(b.Zone).Format("15:04") }

// grid writes the axes: round counts, and every third hour of the zone's clock.
func (b *burn) grid() {
	step := countStep(b.highest)
	for calls := int64(0); float64(calls) <= b.highest; calls += step {
		b.line("grid", left, b.y(calls), right, b.y(calls))
		b.text(left-6, b.y(calls)+4, "end", "dim", view.Count(calls))
	}
	for _, at := range hours(b.Course.From, b.Course.To, b.Zone) {
		b.line("grid", b.x(at), bottom, b.x(at), bottom+4)
		b.text(min(b.x(at), right-16), bottom+17, "middle", "dim", b.clock(at))
	}
}

// countStep is the round number by which counts up to the highest stand at the axis.
func countStep(highest float64) int64 {
	for unit := int64(1); ; unit *= 10 {
		for _, step := range []int64{unit, 2 * unit, 5 * unit} {
			if float64(step)*6 >= highest {
				return step
			}
		}
	}
}

// hours are the instants at which the clock of the zone shows every third hour. It goes by quarters
// of hours, since an hour may be lacking or come twice, and zones differ by less than hours.
func hours(from, to time.Time, zone *time.Location) []time.Time {
	const quarter = 15 * time.Minute
	var all []time.Time
	for at := from.Truncate(quarter); !at.After(to); at = at.Add(quarter) {
		if shown := at.In(zone); !at.Before(from) && shown.Minute() == 0 && shown.Hour()%3 == 0 {
			all = append(all, at)
		}
	}
	return all
}

// areas writes one area for others and each class, each down to the ground, the highest first: the
// ones below cover its lower part.
func (b *burn) areas() {
	classes := pipeline.Classes()
	for layer := len(classes); layer >= 0; layer-- {
		class, outline := "co", []string{fmt.Sprintf("M%v %v", left, bottom)}
		if layer < len(classes) {
			class = colour(layer)
		}
		for i := range b.Course.Past {
			at := &b.Course.Past[i]
			sum := at.Total()
			for _, above := range classes[min(layer+1, len(classes)):] {
				sum -= at.ByClass[above]
			}
			if layer < len(classes) {
				sum -= at.Others
			}
			outline = append(outline, b.point(at.At, sum))
		}
		b.element("path", "", "class", "area "+class, "d", strings.Join(outline, "")+b.point(b.now.At, 0)+"Z")
	}
}

// colour is the class of the colour of a class of calls.
func colour(class int) string { return fmt.Sprintf("c%d", class%6+1) }

// point leads a path to a count at an instant.
func (b *burn) point(at time.Time, calls int64) string {
	return fmt.Sprintf("L%.1f %.1f", b.x(at), b.y(calls))
}

// lines writes the limit, the forecast, now, and where code 45 is expected.
func (b *burn) lines() {
	if b.Limit > 0 {
		b.line("limit", left, b.y(b.Limit), right, b.y(b.Limit))
		b.text(left+4, b.y(b.Limit)-5, "start", "", "limit "+view.Count(b.Limit))
	}
	outline := []string{"M" + b.point(b.now.At, b.now.Total())[1:]}
	for i := range b.Course.Ahead {
		outline = append(outline, b.point(b.Course.Ahead[i].At, b.Course.Ahead[i].Total()))
	}
	b.element("path", "", "class", "forecast", "d", strings.Join(outline, ""))
	b.line("now", b.x(b.now.At), 15, b.x(b.now.At), bottom)
	b.beside(b.x(b.now.At), 11, "now "+b.clock(b.now.At))
	if at := b.exhausted(); at != nil {
		x, y := b.x(*at), b.y(b.Limit)
		b.element("path", "", "class", "code45", "d", fmt.Sprintf("M%.1f %.1fl7 7l-7 7l-7 -7Z", x, y-7))
		b.beside(x, y+22, "code 45 at "+b.clock(*at))
	}
}

// exhausted is when upstream is expected to answer with code 45, if that is on this day.
func (b *burn) exhausted() *time.Time {
	if at := b.Course.RunsOutAt; at != nil && !at.After(b.Course.To) {
		return at
	}
	return nil
}

// beside writes a text centred at x, moved so that it stays in the chart.
func (b *burn) beside(x, y float64, text string) {
	const half = 50
	b.text(max(left+half, min(right-half, x)), y, "middle", "halo", text)
}

// legend names the areas and the forecast, in four columns.
func (b *burn) legend() {
	for i, part := range b.parts() {
		x, y := left+240*float64(i%4), bottom+30+19*float64(i/4)
		class := "co"
		if i < len(pipeline.Classes()) {
			class = colour(i)
		}
		b.element("rect", "", "class", class, "x", x, "y", y, "width", 11, "height", 11)
		b.text(x+17, y+10, "start", "", part)
	}
}

// parts are the calls up to now of each class, and of others.
func (b *burn) parts() []string {
	var parts []string
	for _, class := range pipeline.Classes() {
		parts = append(parts, string(class)+" "+view.Count(b.now.ByClass[class]))
	}
	return append(parts, "others "+view.Count(b.now.Others))
}

// sentence says in words what the chart shows.
func (b *burn) sentence() string {
	says := fmt.Sprintf("At %s: %s (%s)", b.clock(b.now.At), view.Plural(b.now.Total(), "call"), strings.Join(b.parts(), ", "))
	if b.Limit > 0 {
		says += " of " + view.Count(b.Limit)
	}
	says += "."
	if ahead := b.Course.Ahead; len(ahead) > 0 {
		last := &ahead[len(ahead)-1]
		says += fmt.Sprintf(" The forecast is %s at %s.", view.Count(last.Total()), b.clock(last.At))
	}
	if at := b.exhausted(); at != nil {
		says += " Code 45 is expected at " + b.clock(*at) + "."
	}
	return says
}
