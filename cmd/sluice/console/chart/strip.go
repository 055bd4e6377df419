package chart

import (
	"fmt"
	"html/template"
	"strings"
)

// State is how a day is judged.
type State int

// The states. Each has a height of its own beside its colour.
const (
	// None means that there was nothing.
	None State = iota
	Good
	Warning
	Bad
)

// looks are the class, the height and the word of each state.
var looks = [...]struct {
	class string
	tall  int
	word  string
}{{"none", 2, "without any"}, {"good", 10, "good"}, {"warning", 14, "partly failed"}, {"bad", 20, "failed"}}

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

// SVG draws the strip in its own size.
func (s *Strip) SVG() template.HTML {
	const step, wide, high = 8, 6, 20
	var counts [len(looks)]int
	for _, cell := range s.Cells {
		counts[cell.State]++
	}
	var parts []string
	for state, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, looks[state].word))
		}
	}
	d := begin(s.ID, "small", s.Title, strings.Join(parts, ", ")+".", float64(len(s.Cells)*step), high)
	for i, cell := range s.Cells {
		look := looks[cell.State]
		d.element("rect", "<title>"+escape(cell.Text)+"</title>",
			"class", look.class, "x", i*step+1, "y", high-look.tall, "width", wide, "height", look.tall)
	}
	return d.end()
}
