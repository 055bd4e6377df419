package chart

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"

	"sluice/pipeline/outside"
)

// canvas writes one SVG document.
type canvas struct {
	b strings.Builder
}

// frame is what the root of a drawing says.
type frame struct {
	id, title, sentence string
	// class is full for a drawing as wide as its place, small for one of its own size, and says the
	// layout.
	class         string
	width, height float64
}

// newCanvas begins a drawing.
func newCanvas(f *frame) *canvas {
	c := new(canvas)
	id := identifier(f.id)
	box := "0 0 " + number(f.width) + " " + number(f.height)
	c.b.WriteString("<svg")
	c.attributes([]any{
		"xmlns", "http://www.w3.org/2000/svg", "class", "chart " + f.class, "viewBox", box, "width", f.width, "height", f.height,
		"direction", "ltr", "role", "img", "aria-labelledby", id + "-t " + id + "-d",
	})
	c.b.WriteByte('>')
	c.element("title", f.title, "id", id+"-t")
	c.element("desc", f.sentence, "id", id+"-d")
	return c
}

// svg ends the drawing.
func (c *canvas) svg() template.HTML {
	c.b.WriteString("</svg>")
	return template.HTML(c.b.String()) //nolint:gosec // element and attributes escape all that is written
}

// element writes an element with a text; attributes are names and values in turn.
func (c *canvas) element(name, text string, attributes ...any) {
	c.open(name, attributes...)
	c.b.WriteString(escape(text))
	c.end(name)
}

// mark writes a shape that says its title when it is pointed at.
func (c *canvas) mark(shape, title string, attributes ...any) {
	c.open(shape, attributes...)
	c.element("title", title)
	c.end(shape)
}

// shape writes a shape that says nothing: an axis, a grid, a key of the legend.
func (c *canvas) shape(name string, attributes ...any) {
	c.b.WriteByte('<')
	c.b.WriteString(name)
	c.attributes(attributes)
	c.b.WriteString("/>")
}

// open begins an element.
func (c *canvas) open(name string, attributes ...any) {
	c.b.WriteByte('<')
	c.b.WriteString(name)
	c.attributes(attributes)
	c.b.WriteByte('>')
}

// end ends an element.
func (c *canvas) end(name string) {
	c.b.WriteString("</")
	c.b.WriteString(name)
	c.b.WriteByte('>')
}

// anchor says which end of a text is at its place.
type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

// text writes a text with its base line at y.
func (c *canvas) text(x, y float64, at anchor, class, text string) {
	attributes := []any{"x", x, "y", y}
	if at != start {
		attributes = append(attributes, "text-anchor", string(at))
	}
	if class != "" {
		attributes = append(attributes, "class", class)
	}
	c.element("text", isolated(text), attributes...)
}

// line writes a line of an axis or a grid.
func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	c.shape("line", "class", class, "x1", x1, "y1", y1, "x2", x2, "y2", y2)
}

// attributes writes names and values in turn.
func (c *canvas) attributes(pairs []any) {
	for i := 0; i+1 < len(pairs); i += 2 {
		fmt.Fprintf(&c.b, ` %s="`, pairs[i])
		switch value := pairs[i+1].(type) {
		case float64:
			c.b.WriteString(number(value))
		case string:
			c.b.WriteString(escape(value))
		default:
			c.b.WriteString(escape(fmt.Sprint(value)))
		}
		c.b.WriteByte('"')
	}
}

// number writes a coordinate to a tenth; what is no number is 0.
func number(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "0"
	}
	x = math.Round(x*10) / 10
	if x == 0 {
		return "0" // and not -0
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// path collects the points of a line.
type path struct{ b strings.Builder }

// to goes on to a point; the first one begins the line.
func (p *path) to(x, y float64) *path {
	if p.b.Len() == 0 {
		p.b.WriteByte('M')
	} else {
		p.b.WriteByte('L')
	}
	p.b.WriteString(number(x))
	p.b.WriteByte(' ')
	p.b.WriteString(number(y))
	return p
}

// close leads back to the first point.
func (p *path) close() *path {
	p.b.WriteByte('Z')
	return p
}

func (p *path) String() string { return p.b.String() }

// escape makes a text safe between tags and in attributes, for HTML and for XML. The signs that
// isolate a text stay: word has removed those of others.
func escape(text string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if (outside.Hidden(r) && r != '\n' && r != isolate && r != isolateEnd) || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd")))
}

// identifier makes an identifier of any text; different texts give different ones.
func identifier(text string) string {
	var b strings.Builder
	b.WriteString("chart-")
	for _, char := range []byte(text) {
		switch {
		case char >= 'a' && char <= 'z', char >= 'A' && char <= 'Z', char >= '0' && char <= '9', char == '-', char == '.':
			b.WriteByte(char)
		default:
			fmt.Fprintf(&b, "_%02x", char)
		}
	}
	return b.String()
}
