package chart

import (
	"fmt"
	"html/template"
	"time"
)

// noon is the instant of now in the samples.
var noon = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)

// classNames are the classes of calls.
var classNames = []string{"incremental", "details", "sweep", "backfill", "probe", "hinted"}

// largestBurn is a day with a count each minute until the last one.
func largestBurn() *Burn {
	day := noon.Truncate(24 * time.Hour)
	b := &Burn{
		ID: "day", Title: "acme, accounting", Start: day, End: day.Add(24 * time.Hour), Now: day.Add(13*time.Hour + 25*time.Minute), Limit: 10000,
		Classes: classNames, Exhausted: day.Add(20*time.Hour + 40*time.Minute),
		Kept: []Kept{{"incremental", 1900}, {"hinted", 420}, {"probe", 150}},
	}
	for m := range 13*60 + 25 {
		s := Spent{At: day.Add(time.Duration(m) * time.Minute), Others: m / 9}
		for i, rate := range []int{26, 14, 8, 30, 1, 2} {
			s.ByClass = append(s.ByClass, rate*(m+max(0, m-300)*(i%2))/12)
		}
		b.Spent = append(b.Spent, s)
	}
	last := total(&b.Spent[len(b.Spent)-1])
	for h := 14; h <= 24; h++ {
		b.Forecast = append(b.Forecast, Expected{day.Add(time.Duration(h) * time.Hour), min(10000, last+(h-13)*520)})
	}
	return b
}

// minutes are the calls of two hours.
func minutes() *Bars {
	b := &Bars{ID: "minute", Title: "Calls a minute", From: noon.Add(-4 * time.Hour), Each: time.Minute, Limit: 100, Thing: "call"}
	for i := range 240 {
		b.Counts = append(b.Counts, max(0, i*37%113-i%9*4))
	}
	return b
}

// days is a strip of thirty days.
func days() *Strip {
	s := &Strip{ID: "strip", Title: "Runs of inventory.bills"}
	for i := range 30 {
		s.Cells = append(s.Cells, Cell{fmt.Sprintf("%d Mar: %d runs", i+1, i), []State{Good, Good, Warning, Good, Good, None, Bad}[i*5%7]})
	}
	return s
}

// sample is one drawing in one layout, with its name.
type sample struct {
	name string
	draw func() template.HTML
}

// samples are all charts at their largest.
func samples() []sample {
	var all []sample
	for name, d := range map[string]Drawing{"burn": largestBurn(), "bars": minutes()} {
		all = append(all, sample{name + "/wide", func() template.HTML { return d.SVG(Wide) }}, sample{name + "/narrow", func() template.HTML { return d.SVG(Narrow) }})
	}
	return append(all, sample{"strip", days().SVG})
}
