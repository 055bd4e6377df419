package chart

import (
	"html/template"
	"time"
)

// Gauge is an age beside the bound that it should keep.
type Gauge struct {
	ID, Title string
	// Age is how old the data is. Unknown means that nothing was copied yet.
	Age     time.Duration
	Unknown bool
	// Bound is the age that is still fine, 0 for none.
	Bound time.Duration
}

// nearBound is the share of the bound above which an age is a warning.
const nearBound = 0.8

// State judges the age: a warning near the bound, bad above it.
func (in *Gauge) State() State {
	switch {
	case in.Unknown:
		return None
	case in.Bound <= 0:
		return Good
	case in.Age > in.Bound:
		return Bad
	case float64(in.Age) > nearBound*float64(in.Bound):
		return Warning
	default:
		return Good
	}
}

// Words says the age and its bound.
func (in *Gauge) Words() string {
	switch {
	case in.Unknown:
		return "never copied"
	case in.Bound > 0:
		return span(in.Age) + " of " + span(in.Bound)
	default:
		return span(in.Age)
	}
}

// SVG draws the gauge in its own size. The bar reaches the line at the bound; one that is over goes
// on behind it, up to half as long again, and ends in an arrow if it is longer.
func (in *Gauge) SVG() template.HTML {
	const bound, full, height, wide = 80.0, 120.0, 20.0, 264.0
	says := in.Words()
	sentence := says + map[State]string{
		None: ".", Good: ": within the bound.", Warning: ": near the bound.", Bad: ": over the bound.",
	}[in.State()]
	if in.Bound <= 0 && !in.Unknown {
		sentence = says + ", without a bound."
	}
	c := newCanvas(&frame{id: in.ID, title: word(in.Title), sentence: sentence, class: "small", width: wide, height: height})
	c.shape("rect", "class", "track", "x", 0.5, "y", 5.5, "width", full-1, "height", 9.0)
	if !in.Unknown && in.Bound > 0 {
		length := max(1, max(0, float64(in.Age))/float64(in.Bound)*bound)
		outline := new(path).to(0, 5).to(min(length, full-6), 5)
		if length > full {
			outline.to(full, 10)
		} else {
			outline = new(path).to(0, 5).to(length, 5).to(length, 15)
		}
		if length > full {
			outline.to(full-6, 15)
		}
		c.mark("path", sentence, "class", in.State().class(), "d", outline.to(0, 15).close().String())
	}
	if in.Bound > 0 {
		c.mark("line", "bound: "+span(in.Bound), "class", "bound", "x1", bound, "y1", 1.0, "x2", bound, "y2", height-1)
	}
	class := in.State().class() + "-text"
	if in.State() == Good {
		class = ""
	}
	c.text(full+8, 14, start, class, fit(says, wide-full-8))
	return c.svg()
}
