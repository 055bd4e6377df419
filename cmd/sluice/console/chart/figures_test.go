package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// quarter is a day of 1,000 calls of which two classes and others spent some by 06:00.
func quarter() *Burn {
	day := noon.Add(-12 * time.Hour)
	return &Burn{
		ID: "b", Title: "acme", Start: day, End: day.Add(24 * time.Hour), Now: day.Add(6 * time.Hour), Limit: 1000, Classes: []string{"incremental", "sweep"},
		Spent: []Spent{
			{At: day.Add(6 * time.Hour), ByClass: []int{200, 100}, Others: 50}, // not in order
			{At: day, ByClass: []int{0, 0}},
			{At: day.Add(3 * time.Hour), ByClass: []int{100, 0}, Others: 1},
		},
		Kept:      []Kept{{"incremental", 300}, {"probe", 20}},
		Forecast:  []Expected{{day.Add(24 * time.Hour), 1400}, {day.Add(12 * time.Hour), 700}, {day.Add(time.Hour), 5}},
		Exhausted: day.Add(18 * time.Hour),
	}
}

// TestBurnFigures: the words and heights of a day, computed by hand. The scale ends at 1,400 × 1.04
// = 1,456 calls and is 278 units high, from 34 down to 312; the day is as wide as 24 hours.
func TestBurnFigures(t *testing.T) {
	t.Parallel()
	drawing := quarter().SVG(Wide)
	has(t, drawing,
		"At 06:00: 350 calls (incremental 200, sweep 100, others 50) of 1,000."+
			" Of the rest are kept: incremental 300, probe 20."+
			" The forecast 1,400 at 00:00. Code 45 is expected at 18:00.",
		"03:00: 101 calls (incremental 100, sweep 0, others 1)", "04:00: 101 calls (incremental 100, sweep 0, others 1)",
		"incremental: 200 calls", "others: 50 calls", "limit: 1,000 calls", "kept for incremental: 300 calls", "kept for probe 20",
		"now: 06:00", "code 45 is expected at 18:00", "1,000", "00:00", "21:00")
	_, attributes := texts(t, drawing)
	y := func(calls float64) string { return fmt.Sprint(math.Round((312-278*calls/1456)*10) / 10) }
	for what, want := range map[string]string{"the limit": y(1000), "kept for incremental": y(700), "kept for probe": y(680)} {
		if !slices.Contains(attributes["y1"], want) {
			t.Errorf("no line at %s for %s: %q", want, what, attributes["y1"])
		}
	}
	for what, want := range map[string]string{
		"others, above both classes": y(350) + "L", "sweep above incremental": " " + y(300) + "L", "incremental": " " + y(200) + "L", "the forecast": y(700) + "L",
	} {
		if !slices.ContainsFunc(attributes["d"], func(d string) bool { return strings.Contains(d, want) }) {
			t.Errorf("no path has %q for %s: %q", want, what, attributes["d"])
		}
	}
	if columns := slices.DeleteFunc(slices.Clone(attributes["class"]), func(c string) bool { return c != "hit" }); len(columns) != 6 {
		t.Errorf("%d columns for six hours", len(columns))
	}
}

// TestTicks: round numbers and round times, by hand.
func TestTicks(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	kolkata, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	count := func(top float64, about int) []string {
		var all []string
		for _, c := range countTicks(top, about) {
			all = append(all, c.text)
		}
		return all
	}
	clock := func(from time.Time, length time.Duration, zone *time.Location, most int) []string {
		var all []string
		for _, c := range newTimeAxis(from, from.Add(length), 0, 100, zone).ticks(most) {
			all = append(all, c.text)
		}
		return all
	}
	spring := time.Date(2026, 3, 29, 0, 0, 0, 0, berlin)  // 02:00 does not exist
	autumn := time.Date(2026, 10, 25, 0, 0, 0, 0, berlin) // 02:00 comes twice
	for name, test := range map[string]struct{ got, want []string }{
		"ten thousand":   {count(10400, 6), []string{"0", "2,000", "4,000", "6,000", "8,000", "10,000"}},
		"one":            {count(1, 6), []string{"0", "1"}},
		"billions":       {count(5e12, 5), []string{"0", "1×10¹²", "2×10¹²", "3×10¹²", "4×10¹²", "5×10¹²"}},
		"nothing":        {count(0, 5), []string{"0"}},
		"no number":      {count(math.NaN(), 5), []string{"0"}},
		"a day":          {clock(noon.Add(-12*time.Hour), 24*time.Hour, nil, 5), []string{"00:00", "06:00", "12:00", "18:00", "00:00"}},
		"a short day":    {clock(spring, 23*time.Hour, berlin, 9), []string{"00:00", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00", "00:00"}},
		"a long day":     {clock(autumn, 25*time.Hour, berlin, 9), []string{"00:00", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00", "00:00"}},
		"half an hour":   {clock(noon, 6*time.Hour, kolkata, 4), []string{"18:00", "20:00", "22:00"}},
		"from a quarter": {clock(noon.Add(7*time.Minute), 30*time.Minute, nil, 4), []string{"12:10", "12:20", "12:30"}},
		"a week":         {clock(noon, 7*24*time.Hour, nil, 8), []string{"11 Mar", "12 Mar", "13 Mar", "14 Mar", "15 Mar", "16 Mar", "17 Mar"}},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("%s: %q, want %q", name, test.got, test.want)
		}
	}
}

// TestWords: durations, cut texts, and sums.
func TestWords(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 59 * time.Second: "59 s", 90 * time.Second: "1 min 30 s", 41*time.Minute + 7*time.Second: "41 min", time.Hour: "1 h",
		95 * time.Minute: "1 h 35 min", 51 * time.Hour: "2 d 3 h", 1500 * 24 * time.Hour: "1,500 d",
	} {
		if got := span(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	if got := fit("organization_id", 60); !strings.HasPrefix(got, "organ") || !strings.HasSuffix(got, "…") || lengthOf(got) > 62 {
		t.Errorf("cut to %q", got)
	}
	if got := fit("id", 60); got != "id" {
		t.Errorf("cut to %q", got)
	}
	for x, want := range map[float64]string{1.25: "1.3", -0.01: "0", 1040: "1040", math.Inf(1): "0", math.Inf(-1): "0"} {
		if got := number(x); got != want {
			t.Errorf("%v is written %s, want %s", x, got, want)
		}
	}
	if got := number(math.NaN()); got != "0" {
		t.Errorf("what is no number is written %s", got)
	}
	if add(math.MaxInt, 5) != math.MaxInt || add(2, -7, 3) != 5 {
		t.Errorf("the sums are %d and %d", add(math.MaxInt, 5), add(2, -7, 3))
	}
}

// TestBarsFigures: the narrow chart draws the last bars that it has room for, and the
// limit judges each.
func TestBarsFigures(t *testing.T) {
	t.Parallel()
	in := &Bars{ID: "m", Title: "Calls a minute", From: noon, Each: time.Minute, Counts: []int{50, 0, 90, 100, 101, 1}, Limit: 100, Thing: "call"}
	drawing := in.SVG(Wide)
	has(t, drawing, "From 12:00:00 to 12:06:00, every 1 min: at most 101 calls of 100; 1 above the limit.", "12:00:00: 50 calls", "12:05:00: 1 call", "limit: 100 calls")
	_, attributes := texts(t, drawing)
	var states []string
	for _, class := range attributes["class"] {
		if slices.Contains([]string{"good", "none", "warning", "bad"}, class) {
			states = append(states, class)
		}
	}
	if want := []string{"good", "none", "warning", "warning", "bad", "good"}; !slices.Equal(states, want) {
		t.Errorf("%q, want %q", states, want)
	}
	in.Counts = make([]int, 300)
	in.Counts[0], in.Counts[299] = 77, 3
	inside, _ := texts(t, in.SVG(Narrow))
	if slices.Contains(inside, "12:00: 77 calls") || !slices.Contains(inside, "16:59: 3 calls") {
		t.Errorf("the last bars are not those that are drawn: %q", inside)
	}
}
