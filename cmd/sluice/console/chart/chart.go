// Package chart draws the console's figures as SVG: the budget of a day, and the days of a stream.
// A chart is a plain value with the method SVG. The package reads no clock and no database; colours
// are classes of chart.css, since the console forbids styles in a page.
package chart

import (
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"

	"sluice/pipeline/outside"
)

// CSS is the part of the console's style sheet that the charts need. It has light and dark colours.
//
//go:embed chart.css
var CSS string

// drawing collects the elements of one SVG document.
type drawing struct{ strings.Builder }

// begin begins a drawing. Those who hear it get its title, and a sentence that says what it shows.
func begin(id, class, title, sentence string, width, height float64) *drawing {
	d := new(drawing)
	fmt.Fprintf(d, `<svg xmlns="http://www.w3.org/2000/svg" class="chart %s" viewBox="0 0 %[2]v %[3]v" width="%[2]v" height="%[3]v" `,
		class, width, height)
	fmt.Fprintf(d, `direction="ltr" role="img" aria-labelledby="chart-%[1]s-t chart-%[1]s-d">`, id)
	d.element("title", escape(title), "id", "chart-"+id+"-t")
	d.element("desc", escape(sentence), "id", "chart-"+id+"-d")
	return d
}

func (d *drawing) end() template.HTML {
	return template.HTML(d.String() + "</svg>") //nolint:gosec // the texts are escaped
}

// element writes an element around markup; attributes are names and values in turn.
func (d *drawing) element(name, inside string, attributes ...any) {
	d.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		value := attributes[i+1]
		if number, is := value.(float64); is {
			value = math.Round(number*10) / 10
		}
		fmt.Fprintf(d, ` %s="%v"`, attributes[i], value)
	}
	d.WriteString(">" + inside + "</" + name + ">")
}

// text writes a text with its base line at y. The anchor says which end of it is at x.
func (d *drawing) text(x, y float64, anchor, class, text string) {
	d.element("text", escape(text), "x", x, "y", y, "text-anchor", anchor, "class", class)
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	d.element("line", "", "class", class, "x1", x1, "y1", y1, "x2", x2, "y2", y2)
}

// escape makes a text safe between tags, also one of others.
func escape(text string) string { return html.EscapeString(outside.Visible(text)) }
