package chart

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"

	"sluice/cmd/sluice/cli/view"
)

// ERD are the tables of one service: their columns, their children, and what they refer to.
type ERD struct {
	ID, Title string
	// Base is the address below which each table has its page, such as /dictionary/accounting/.
	Base string
	// Tables are drawn in their order, each with its children beside it.
	Tables []Table
	// Most is how many columns of a table are drawn, 0 for eight. Keys and references come first.
	Most int
}

// Table is one box.
type Table struct {
	Name       string
	Columns    []Column
	Children   []string
	References []Reference
}

// Column is one line of a box. Key says that it is a part of the primary key.
type Column struct {
	Name, Type string
	Key        bool
}

// Reference is a column with the key of another table.
type Reference struct{ Column, Table string }

// mostTables is how many tables are drawn, usualColumns how many columns of each.
const (
	mostTables   = 60
	usualColumns = 8
)

// The sizes of a diagram.
const (
	boxHead = 24
	boxRow  = 17
	boxFoot = 6
	boxGap  = 18
)

// box is a table with its place.
type box struct {
	*Table

	index, depth, column int
	x, y, width, height  float64
	// rows are the columns that are drawn.
	rows []Column
	kids []*box
	// parent is nil for a table that stands for itself.
	parent *box
}

// SVG draws the diagram.
func (in *ERD) SVG(layout Layout) template.HTML {
	d := newDiagram(in, layout)
	linked := local(in.Base) != ""
	c := newCanvas(&frame{
		id: in.ID + choose(layout, "", " narrow"), title: word(in.Title), sentence: d.sentence(), links: linked && len(d.boxes) > 0,
		class: choose(layout, "full wide", "full narrow"), width: layout.width(), height: d.height,
	})
	if len(d.boxes) == 0 {
		c.text(layout.width()/2, 30, middle, "dim", "no tables")
	}
	for i := range d.lines {
		c.connection(&d.lines[i])
	}
	for _, b := range d.boxes {
		address := ""
		if linked {
			address = in.Base + url.PathEscape(b.Name)
		}
		c.table(b, address)
	}
	return c.svg()
}

// table writes a box.
func (c *canvas) table(b *box, address string) {
	c.shape("rect", "class", "box", "x", b.x, "y", b.y, "width", b.width, "height", b.height)
	leave := c.link(address)
	c.open("g")
	c.element("title", name(b.Name)+": "+view.Plural(len(b.Columns), "column"))
	c.shape("rect", "class", "head", "x", b.x, "y", b.y, "width", b.width, "height", float64(boxHead))
	c.text(b.x+8, b.y+16, start, "strong", b.heading((b.width-16)*0.93)) // bold is wider
	c.end("g")
	leave()
	y := b.y + boxHead
	for i := range b.rows {
		c.row(b, &b.rows[i], y+14)
		y += boxRow
	}
	if more := len(b.Columns) - len(b.rows); more > 0 {
		c.text(b.x+8, y+14, start, "dim", view.Count(more)+" more")
	}
}

// row writes one column of a table. It has a title if that says more than the row.
func (c *canvas) row(b *box, row *Column, y float64) {
	class, says := "", ""
	if row.Key {
		class, says = "strong", ", key"
	}
	for _, r := range b.References {
		if r.Column == row.Name {
			says += ", refers to " + name(r.Table) //nolint:perfsprint // hardly ever more than one
		}
	}
	kind := fit(shortType(word(row.Type)), b.width*0.4)
	shown := fit(word(row.Name), b.width-lengthOf(kind)-28)
	titled := says != "" || shown != word(row.Name) || kind != shortType(word(row.Type))
	if titled {
		c.open("g")
		c.element("title", name(row.Name)+" "+name(row.Type)+says)
	}
	c.text(b.x+8, y, start, class, shown)
	c.text(b.x+b.width-8, y, end, "dim", kind)
	if titled {
		c.end("g")
	}
}

// heading returns the name, of a child without its parent's if it is too long.
func (b *box) heading(room float64) string {
	shown := word(b.Name)
	if b.parent != nil && lengthOf(shown) > room {
		if own, found := strings.CutPrefix(shown, word(b.parent.Name)+"_"); found {
			shown = "…" + own
		}
	}
	return fit(shown, room)
}

// shortType returns the shorter of the two names that Postgres has for a type.
func shortType(kind string) string {
	switch kind {
	case "timestamp with time zone":
		return "timestamptz"
	case "double precision":
		return "float8"
	default:
		return kind
	}
}

// connection writes a line between two boxes, with a foot of three toes at the children, or an
// arrow at the table that is referred to.
func (c *canvas) connection(l *connection) {
	outline := new(path)
	for _, p := range l.points {
		outline.to(p.x, p.y)
	}
	last, before := l.points[len(l.points)-1], l.points[len(l.points)-2]
	back := 7.0
	if before.x < last.x {
		back = -back
	}
	if l.child {
		c.mark("path", l.says, "class", "relation", "d", outline.String()+
			new(path).to(last.x, last.y-4).to(last.x+back, last.y).to(last.x, last.y+4).String())
		return
	}
	c.open("g", "class", l.class)
	c.element("title", l.says)
	c.shape("path", "class", "reference", "d", outline.String())
	c.shape("path", "class", "arrow", "d", new(path).to(last.x, last.y).to(last.x+back, last.y-4).to(last.x+back, last.y+4).close().String())
	c.end("g")
}

// sentence says in words how much the diagram shows.
func (d *diagram) sentence() string {
	children, references := 0, 0
	for i := range d.lines {
		if d.lines[i].child {
			children++
		} else {
			references++
		}
	}
	says := fmt.Sprintf("%s, %s from parent to child, %s.",
		view.Plural(len(d.boxes), "table"), view.Plural(children, "line"), view.Plural(references, "reference"))
	if d.omitted > 0 {
		says += " Not drawn: " + view.Plural(d.omitted, "further table") + "."
	}
	return says
}
