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

// largestGantt has two hundred bars and more, in two dozen lanes.
func largestGantt() *Gantt {
	g := &Gantt{ID: "runs", Title: "Runs", From: noon.Add(-6 * time.Hour), To: noon.Add(10 * time.Minute), Now: noon}
	for i := range 220 {
		from := noon.Add(-time.Duration(i*i%360) * time.Minute)
		bar := Bar{Lane: fmt.Sprintf("acme inventory.stream_%02d", i%24), From: from, To: from.Add(time.Duration(3+i%17) * time.Minute), Address: fmt.Sprint("/runs/", i)}
		switch {
		case i%11 == 0:
			bar.Kind, bar.Text = Failed, "upstream answered 503"
		case i%7 == 0:
			bar.Kind, bar.Text = Waiting, []string{"the day is spent", "the minute is full", "too many at once"}[i%3]
		case i < 4:
			bar.Kind, bar.To = Running, time.Time{}
		}
		g.Bars = append(g.Bars, bar)
	}
	return g
}

// largestERD has sixty tables.
func largestERD() *ERD {
	in := &ERD{ID: "accounting", Title: "Tables of accounting", Base: "/dictionary/accounting/"}
	for i := range 60 {
		t := Table{Name: fmt.Sprintf("table_%02d", i), Columns: []Column{{"organization_id", "text", true}, {"id", "text", true}}}
		for j := range 3 + i*7%30 {
			t.Columns = append(t.Columns, Column{fmt.Sprintf("column_%d", j), []string{"text", "numeric", "timestamp with time zone"}[j%3], false})
		}
		if i%3 == 0 {
			t.Children = []string{fmt.Sprintf("table_%02d", i+1)}
		}
		if i%6 == 1 {
			t.Children = []string{fmt.Sprintf("table_%02d", i+1)}
		}
		t.References = []Reference{{"column_1", fmt.Sprintf("table_%02d", i*i%12)}}
		in.Tables = append(in.Tables, t)
	}
	return in
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
	for name, d := range map[string]Drawing{"burn": largestBurn(), "bars": minutes(), "gantt": largestGantt(), "erd": largestERD()} {
		all = append(all, sample{name + "/wide", func() template.HTML { return d.SVG(Wide) }}, sample{name + "/narrow", func() template.HTML { return d.SVG(Narrow) }})
	}
	return append(all,
		sample{"strip", days().SVG},
		sample{"gauge", (&Gauge{ID: "gauge", Title: "Age of inventory.bills", Age: 70 * time.Minute, Bound: time.Hour}).SVG},
	)
}
