package chart

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/planning"
)

var day = time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)

// quarter is a day of 1,000 calls of which two classes and others spent some by 06:00.
func quarter() *Burn {
	counted := func(hour int, incremental, sweep, others int64) planning.Counted {
		return planning.Counted{At: day.Add(time.Duration(hour) * time.Hour), Others: others, ByClass: map[pipeline.Class]int64{
			pipeline.ClassIncremental: incremental, pipeline.ClassSweep: sweep,
		}}
	}
	return &Burn{ID: "b", Title: "<b> & c", Limit: 1000, Zone: time.UTC, Course: &planning.Course{
		From: day, To: day.Add(24 * time.Hour), RunsOutAt: new(day.Add(18 * time.Hour)),
		Past:  []planning.Counted{counted(0, 0, 0, 0), counted(3, 100, 0, 1), counted(6, 200, 100, 50)},
		Ahead: []planning.Counted{counted(12, 600, 100, 0), counted(24, 1300, 100, 0)},
	}}
}

// texts reads a drawing as XML, and returns its texts and attributes. A drawing that is not well
// formed, or has an element or attribute that runs code, fails the test.
func texts(t *testing.T, drawing template.HTML) ([]string, map[string][]string) {
	t.Helper()
	var inside []string
	attributes := map[string][]string{}
	decoder := xml.NewDecoder(strings.NewReader(string(drawing)))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return inside, attributes
		}
		if err != nil {
			t.Fatalf("not well formed: %v\n%s", err, drawing)
		}
		switch token := token.(type) {
		case xml.CharData:
			inside = append(inside, string(token))
		case xml.StartElement:
			errorIf(t, !slices.Contains(strings.Fields("svg title desc rect line path text"), token.Name.Local),
				"has an element %q", token.Name.Local)
			for _, a := range token.Attr {
				attributes[a.Name.Local] = append(attributes[a.Name.Local], a.Value)
				errorIf(t, a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on"), "has an attribute %s=%q", a.Name.Local, a.Value)
			}
		}
	}
}

// has demands texts or attributes that stand in a drawing by themselves.
func has(t *testing.T, found []string, want ...string) {
	t.Helper()
	for _, w := range want {
		errorIf(t, !slices.Contains(found, w), "%q is not in %q", w, found)
	}
}

// TestBurnFigures: the words and heights of a day, computed by hand. The scale ends at 1,400 × 1.04
// = 1,456 calls and is 278 units high, from 34 down to 312; 960 units are 24 hours.
func TestBurnFigures(t *testing.T) {
	t.Parallel()
	inside, attributes := texts(t, quarter().SVG())
	has(t, inside, "<b> & c",
		"At 06:00: 350 calls (incremental 200, details 0, sweep 100, backfill 0, probe 0, hinted 0, others 50) of 1,000."+
			" The forecast is 1,400 at 00:00. Code 45 is expected at 18:00.",
		"incremental 200", "others 50", "limit 1,000", "now 06:00", "code 45 at 18:00", "500", "00:00", "21:00")
	y := func(calls float64) string { return fmt.Sprintf("%.1f", 312-278*calls/1456) }
	has(t, attributes["y1"], y(1000)) // the limit
	for what, want := range map[string]string{
		"others, above both classes": "L304.0 " + y(350) + "L", "sweep above incremental": "L304.0 " + y(300) + "L",
		"incremental": "L304.0 " + y(200) + "L", "the forecast": "L544.0 " + y(700) + "L1024.0 " + y(1400),
	} {
		errorIf(t, !slices.ContainsFunc(attributes["d"], func(d string) bool { return strings.Contains(d, want) }),
			"no path has %q for %s: %q", want, what, attributes["d"])
	}
	has(t, attributes["id"], strings.Fields(attributes["aria-labelledby"][0])...)
}

// TestEdges: a day without a limit and without calls.
func TestEdges(t *testing.T) {
	t.Parallel()
	inside, _ := texts(t, (&Burn{Zone: time.UTC, Course: &planning.Course{
		From: day, To: day.Add(24 * time.Hour), Past: []planning.Counted{{At: day}},
	}}).SVG())
	has(t, inside, "0", "1", "now 00:00")
}

// TestTicks: round numbers and round times, by hand.
func TestTicks(t *testing.T) {
	t.Parallel()
	for highest, want := range map[float64]int64{1: 1, 12: 2, 10400: 2000, 31000: 10000, 5e12: 1e12} {
		got := countStep(highest)
		errorIf(t, got != want, "up to %v numbers stand every %d, want %d", highest, got, want)
	}
	const everyThird = "00:00 03:00 06:00 09:00 12:00 15:00 18:00 21:00 00:00"
	for name, test := range map[string]struct {
		zone   string
		from   time.Time
		length time.Duration
		want   string
	}{
		"a day":        {"UTC", day, 24 * time.Hour, everyThird},
		"a short day":  {"Europe/Berlin", time.Date(2026, 3, 28, 23, 0, 0, 0, time.UTC), 23 * time.Hour, everyThird},
		"a long day":   {"Europe/Berlin", time.Date(2026, 10, 24, 22, 0, 0, 0, time.UTC), 25 * time.Hour, everyThird},
		"half an hour": {"Asia/Kolkata", day.Add(12*time.Hour + 7*time.Minute), 6 * time.Hour, "18:00 21:00"},
	} {
		zone, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, at := range hours(test.from, test.from.Add(test.length), zone) {
			got = append(got, at.In(zone).Format("15:04"))
		}
		errorIf(t, strings.Join(got, " ") != test.want, "%s: %q, want %q", name, got, test.want)
	}
}

// days is a strip with a text that tries to leave its place.
func days() *Strip {
	return &Strip{ID: "s", Title: "Runs of bills", Cells: []Cell{
		{"1 Mar: 2 runs", Good}, {"</title><script>\u202e", None}, {"3 Mar: 1 failed", Bad}, {"4 Mar", Warning},
	}}
}

func TestStrip(t *testing.T) {
	t.Parallel()
	inside, attributes := texts(t, days().SVG())
	has(t, inside, "Runs of bills", "1 without any, 1 good, 1 partly failed, 1 failed.", "1 Mar: 2 runs", "</title><script>\u2400")
	for attribute, want := range map[string][]string{"height": {"20", "10", "2", "20", "14"}, "x": {"1", "9", "17", "25"}} {
		errorIf(t, !slices.Equal(attributes[attribute], want), "%s is %q, want %q", attribute, attributes[attribute], want)
	}
}

// TestClasses: the style sheet has a rule for each class that a drawing uses.
func TestClasses(t *testing.T) {
	t.Parallel()
	for _, drawing := range []template.HTML{quarter().SVG(), days().SVG()} {
		_, attributes := texts(t, drawing)
		for class := range strings.FieldsSeq(strings.Join(attributes["class"], " ")) {
			errorIf(t, class != "small" && !regexp.MustCompile(`\.`+class+`\b`).MatchString(CSS), "no rule for the class %s", class)
		}
	}
}

// luminance is the relative luminance of WCAG 2 of a colour, #rgb or #rrggbb.
func luminance(t *testing.T, colour string) float64 {
	t.Helper()
	hex := strings.TrimPrefix(colour, "#")
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// TestContrast: texts have a contrast of 4.5, marks one of 3, in light and in dark colours.
func TestContrast(t *testing.T) {
	t.Parallel()
	if c := contrast(t, "#fff", "#767676"); c < 4.54 || c > 4.55 {
		t.Fatalf("the contrast of white and #767676 is 4.54, not %f", c)
	}
	palettes := regexp.MustCompile(`\.chart\{(--bg[^}]*)\}`).FindAllStringSubmatch(CSS, -1)
	if len(palettes) != 2 {
		t.Fatalf("%d palettes", len(palettes))
	}
	for _, palette := range palettes {
		colours := map[string]string{}
		for _, m := range regexp.MustCompile(`--(\w+):(#[0-9a-f]+)`).FindAllStringSubmatch(palette[1], -1) {
			colours[m[1]] = m[2]
		}
		errorIf(t, len(colours) != 14, "%d colours", len(colours))
		least := map[string]float64{"fg": 4.5, "dim": 4.5, "bg": 0, "grid": 0}
		for name, colour := range colours {
			want, text := least[name]
			if !text {
				want = 3
			}
			got := contrast(t, colour, colours["bg"])
			errorIf(t, got < want, "--%s %s on %s has a contrast of %.2f, want %.1f", name, colour, colours["bg"], got, want)
		}
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
