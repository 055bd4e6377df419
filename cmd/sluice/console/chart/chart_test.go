package chart

import (
	"encoding/xml"
	"errors"
	"flag"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files")

// texts reads a drawing as XML, and returns its texts and attributes. A drawing that is not well
// formed, has an element or attribute that runs code, or a number that is none, fails the test.
func texts(t *testing.T, drawing template.HTML) ([]string, map[string][]string) {
	t.Helper()
	var inside []string
	allowed := strings.Fields("svg title desc rect line path text")
	numbers := strings.Fields("x y x1 x2 y1 y2 width height")
	attributes := map[string][]string{}
	decoder := xml.NewDecoder(strings.NewReader(string(drawing)))
	depth := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well formed: %v\n%s", err, drawing)
		}
		switch token := token.(type) {
		case xml.CharData:
			inside = append(inside, string(token))
		case xml.EndElement:
			depth--
		case xml.StartElement:
			if depth++; depth == 1 && token.Name.Local != "svg" {
				t.Errorf("begins with %s", token.Name.Local)
			}
			if !slices.Contains(allowed, token.Name.Local) {
				t.Errorf("has an element %q", token.Name.Local)
			}
			for _, a := range token.Attr {
				attributes[a.Name.Local] = append(attributes[a.Name.Local], a.Value)
				switch {
				case a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on"):
					t.Errorf("has an attribute %s=%q", a.Name.Local, a.Value)
				case slices.Contains(numbers, a.Name.Local):
					if v, err := strconv.ParseFloat(a.Value, 64); err != nil || v < -1 || v > 1e6 {
						t.Errorf("%s %s=%q", token.Name.Local, a.Name.Local, a.Value)
					}
				}
			}
		}
	}
	for _, outline := range attributes["d"] {
		if !regexp.MustCompile(`^(M-?[\d.]+ -?[\d.]+|L-?[\d.]+ -?[\d.]+|Z)+$`).MatchString(outline) {
			t.Errorf("path %q", outline)
		}
	}
	return inside, attributes
}

// has demands texts that stand in a drawing by themselves.
func has(t *testing.T, drawing template.HTML, want ...string) {
	t.Helper()
	inside, _ := texts(t, drawing)
	for _, w := range want {
		if !slices.Contains(inside, w) {
			t.Errorf("%q is not in %q", w, inside)
		}
	}
}

// TestSamples: the largest charts are well formed and stay within their frame.
func TestSamples(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			_, attributes := texts(t, s.draw())
			box := strings.Fields(attributes["viewBox"][0])
			wide, tall := float(t, box[2]), float(t, box[3])
			for attribute, most := range map[string]float64{"x": wide, "x1": wide, "x2": wide, "y": tall, "y1": tall, "y2": tall} {
				for _, value := range attributes[attribute] {
					if v := float(t, value); v < 0 || v > most {
						t.Errorf("%s=%s is outside of %v", attribute, value, box)
					}
				}
			}
			for _, outline := range attributes["d"] {
				for _, p := range strings.FieldsFunc(outline, func(r rune) bool { return strings.ContainsRune("MLZ", r) }) {
					x, y, _ := strings.Cut(p, " ")
					if float(t, x) < 0 || float(t, x) > wide || float(t, y) < 0 || float(t, y) > tall {
						t.Errorf("the point %s is outside of %v", p, box)
					}
				}
			}
			ids := attributes["id"]
			if len(ids) != 2 || attributes["aria-labelledby"][0] != ids[0]+" "+ids[1] {
				t.Errorf("labelled by %q, has %q", attributes["aria-labelledby"], ids)
			}
		})
	}
}

func float(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// hostile are texts that try to leave their place.
var hostile = []string{
	`<script>alert(1)</script>`, `"><svg onload=alert(1)>`, `</title></svg><b>`, `' onmouseover='x`, `&lt;b&gt;`, "]]>", "\x00\x1b[31m\ufffe\xff", "line\nbreak", "\u202egnp.exe", "שלום", "",
}

// everywhere makes every chart with a text in all places that take one.
func everywhere(text string, count int, at time.Time) []template.HTML {
	var all []template.HTML
	for _, d := range []Drawing{
		&Burn{
			ID: text, Title: text, Start: at, End: at.Add(24 * time.Hour), Now: at.Add(time.Hour), Limit: count, Classes: []string{text},
			Spent: []Spent{{At: at, ByClass: []int{count}, Others: count}, {At: at.Add(time.Minute)}}, Kept: []Kept{{text, count}},
			Forecast: []Expected{{at.Add(9 * time.Hour), count}}, Exhausted: at.Add(8 * time.Hour),
		},
		&Bars{ID: text, Title: text, From: at, Each: time.Duration(count), Counts: []int{count, 1, -count}, Limit: count, Thing: text},
	} {
		all = append(all, d.SVG(Wide), d.SVG(Narrow))
	}
	return append(all, (&Strip{ID: text, Title: text, Cells: []Cell{{text, Bad}, {text, State(count)}}}).SVG())
}

// TestHostileTexts: a text of others stays a text, wherever it stands.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, text := range hostile {
		for _, drawing := range everywhere(text, 7, noon) {
			inside, _ := texts(t, drawing)
			for _, s := range inside {
				if strings.ContainsAny(s, "\x00\x1b\u202e") {
					t.Errorf("%q came through: %q", text, s)
				}
			}
		}
	}
	has(t, (&Strip{ID: "s", Title: "a <b> & c", Cells: []Cell{{"<script>", Good}}}).SVG(), "a <b> & c", "<script>")
	has(t, (&Strip{ID: "s", Cells: []Cell{{"שלום 12", Good}}}).SVG(), "\u2068שלום 12\u2069")
}

// TestEdges: no data, one point, the largest and the smallest numbers, a time that goes backwards.
func TestEdges(t *testing.T) {
	t.Parallel()
	for _, count := range []int{0, 1, -1, 1 << 40, 1<<63 - 1, -1 << 63} {
		for _, at := range []time.Time{{}, noon, time.Unix(1<<40, 0)} {
			for _, drawing := range everywhere("a", count, at) {
				texts(t, drawing)
			}
		}
	}
	for _, d := range []Drawing{new(Burn), new(Bars)} {
		for _, layout := range []Layout{Wide, Narrow} {
			texts(t, d.SVG(layout))
		}
	}
	has(t, new(Strip).SVG(), "Nothing yet.")
	has(t, new(Burn).SVG(Wide), "no calls are counted on this day")
}

// FuzzWellFormed: whatever is given, the drawings are well-formed XML.
func FuzzWellFormed(f *testing.F) {
	for i, text := range hostile {
		f.Add(text, i*i*i, int64(i)*1e9)
	}
	f.Fuzz(func(t *testing.T, text string, count int, at int64) {
		for _, drawing := range everywhere(text, count, time.Unix(at, 0)) {
			texts(t, drawing)
		}
	})
}

// TestIdentifiers: different texts have different ones.
func TestIdentifiers(t *testing.T) {
	t.Parallel()
	if a, b := identifier("a b"), identifier("a_20b"); a == b {
		t.Errorf("two texts have the identifier %s", a)
	}
}

// TestGolden compares small drawings with files that were looked at.
func TestGolden(t *testing.T) {
	t.Parallel()
	for file, drawing := range map[string]template.HTML{
		"strip.svg": (&Strip{ID: "s", Title: "Runs of bills", Cells: []Cell{{"1 Mar: 2 runs", Good}, {"2 Mar: none", None}, {"3 Mar: 1 failed", Bad}}}).SVG(),
	} {
		path, got := filepath.Join("testdata", file), strings.ReplaceAll(string(drawing), "><", ">\n<")+"\n"
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s has\n%s\nthe drawing is\n%s", file, want, got)
		}
	}
}

// BenchmarkSVG: each at its largest takes at most five milliseconds.
func BenchmarkSVG(b *testing.B) {
	for _, s := range samples() {
		b.Run(s.name, func(b *testing.B) {
			for b.Loop() {
				s.draw()
			}
		})
	}
}
