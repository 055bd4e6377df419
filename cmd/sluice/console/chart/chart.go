// Package chart draws the console's figures as SVG: a day's budget, minutes, the days of a stream. A
// chart is a plain value with the method SVG. The package reads no clock and no database, and knows
// no resource; colours are classes of chart.css, since the console forbids styles in a page.
//
// Start reading at canvas.go, which every chart writes through: it escapes all texts and lets no
// number through that is none.
package chart

import (
	_ "embed"
	"html/template"
	"time"
)

// CSS is the part of the console's style sheet that the charts need. It has light and dark colours.
//
//go:embed chart.css
var CSS string

// Layout is the room that a chart has.
type Layout int

// A wide chart is made for windows, a narrow one for telephones: it has the same data, fewer ticks,
// and letters of the same size.
const (
	Wide Layout = iota
	Narrow
)

// The widths of the layouts, in units of the drawing: about pixels.
const (
	wideWidth   = 1040
	narrowWidth = 344
)

// width returns the width of a drawing.
func (l Layout) width() float64 {
	if l == Narrow {
		return narrowWidth
	}
	return wideWidth
}

// choose returns the value of the layout.
func choose[T any](l Layout, wide, narrow T) T {
	if l == Narrow {
		return narrow
	}
	return wide
}

// Drawing is a chart that has both layouts.
type Drawing interface {
	SVG(layout Layout) template.HTML
}

// Both returns a chart in both layouts. The style sheet shows the one that fits the window.
func Both(d Drawing) template.HTML { return d.SVG(Wide) + d.SVG(Narrow) }

// colours is how many classes of colours there are, c1 and so on. A further thing takes the first
// again.
const colours = 6

// colour returns the class of the colour of the i-th thing.
func colour(i int) string { return "c" + string(rune('1'+i%colours)) }

// zoned returns the zone, UTC for none.
func zoned(zone *time.Location) *time.Location {
	if zone == nil {
		return time.UTC
	}
	return zone
}
