package chart

import "slices"

// diagram is the layout of tables: a family, which is a table with its children, takes adjacent
// columns of the page, and families fill the page from the top, each where it comes to stand
// highest. Lines run in the gutters between the columns.
type diagram struct {
	boxes   []*box
	lines   []connection
	height  float64
	omitted int

	layout  Layout
	columns int
	gutter  float64
	// taken are the stretches of each column that families have.
	taken  [][]stretch
	byName map[string]*box
	// lanes are the lanes of each gutter that are given away, by what runs in them.
	lanes []map[string]int
}

// connection is a line between two boxes.
type connection struct {
	child       bool
	class, says string
	points      []point
}

type point struct{ x, y float64 }

type stretch struct{ top, bottom float64 }

// The gutter of a layout, and how far a child is set in where it stands below its parent.
const (
	wideColumns  = 4
	wideGutter   = 60
	narrowGutter = 40
	inset        = 16
)

func newDiagram(in *ERD, layout Layout) *diagram {
	d := &diagram{
		layout: layout, columns: choose(layout, wideColumns, 1), gutter: choose(layout, float64(wideGutter), narrowGutter),
		omitted: max(0, len(in.Tables)-mostTables), byName: map[string]*box{},
	}
	d.taken = make([][]stretch, d.columns)
	for range d.columns {
		d.lanes = append(d.lanes, map[string]int{})
	}
	for i := range in.Tables[:len(in.Tables)-d.omitted] {
		b := &box{Table: &in.Tables[i], index: i, rows: rowsOf(&in.Tables[i], in.Most)}
		b.height = float64(boxHead + len(b.rows)*boxRow + boxFoot)
		if len(b.rows) < len(b.Columns) {
			b.height += boxRow
		}
		d.boxes = append(d.boxes, b)
		if d.byName[b.Name] == nil {
			d.byName[b.Name] = b
		}
	}
	d.adopt()
	for _, b := range d.boxes {
		if b.parent == nil {
			d.locate(b)
		}
	}
	d.height = 48
	for _, b := range d.boxes {
		d.height = max(d.height, b.y+b.height+1)
	}
	d.connect()
	return d
}

// rowsOf returns the columns that are drawn: as many as asked, keys and references first, in the
// order of the table.
func rowsOf(t *Table, most int) []Column {
	if most <= 0 {
		most = usualColumns
	}
	if len(t.Columns) <= most {
		return t.Columns
	}
	chosen := map[int]bool{}
	for _, important := range []bool{true, false} {
		for i := range t.Columns {
			refers := slices.ContainsFunc(t.References, func(r Reference) bool { return r.Column == t.Columns[i].Name })
			if (t.Columns[i].Key || refers) == important && len(chosen) < most {
				chosen[i] = true
			}
		}
	}
	rows := make([]Column, 0, most)
	for i := range t.Columns {
		if chosen[i] {
			rows = append(rows, t.Columns[i])
		}
	}
	return rows
}

// adopt gives each child its first parent; a table is never its own ancestor.
func (d *diagram) adopt() {
	for _, b := range d.boxes {
		for _, child := range b.Children {
			kid := d.byName[child]
			if kid == nil || kid.parent != nil || kid == b {
				continue
			}
			ancestor := b
			for ancestor != nil && ancestor != kid {
				ancestor = ancestor.parent
			}
			if ancestor == nil {
				kid.parent = b
				b.kids = append(b.kids, kid)
			}
		}
	}
}

// locate gives a family its place.
func (d *diagram) locate(b *box) {
	var family []*box
	bottoms := make([]float64, d.columns)
	var arrange func(b *box, depth int)
	arrange = func(b *box, depth int) {
		b.depth, b.column = depth, min(depth, d.columns-1)
		b.y = bottoms[b.column]
		if b.parent != nil && b.column != b.parent.column {
			b.y = max(b.y, b.parent.y)
		}
		bottoms[b.column] = b.y + b.height + boxGap
		family = append(family, b)
		for _, kid := range b.kids {
			arrange(kid, depth+1)
		}
	}
	arrange(b, 0)
	wide := 0
	for _, member := range family {
		wide = max(wide, member.column+1)
	}
	at, top := d.room(bottoms[:wide])
	pitch := (d.layout.width() - 2) / float64(d.columns)
	for _, member := range family {
		member.column += at
		member.y += top + 1
		member.x, member.width = 1+float64(member.column)*pitch, pitch-d.gutter
		if d.columns == 1 {
			in := float64(min(member.depth, 3) * inset)
			member.x, member.width = member.x+in, member.width-in
		}
	}
	for i := range wide {
		d.taken[at+i] = append(d.taken[at+i], stretch{top, top + bottoms[i]})
	}
}

// room returns the highest place that is free for a family, which needs so much of each of its
// columns: its first column and its top.
func (d *diagram) room(needs []float64) (int, float64) {
	tops := []float64{0}
	for _, stretches := range d.taken {
		for _, s := range stretches {
			tops = append(tops, s.bottom)
		}
	}
	slices.Sort(tops)
	for _, top := range slices.Compact(tops) {
		for column := 0; column+len(needs) <= d.columns; column++ {
			if d.free(column, top, needs) {
				return column, top
			}
		}
	}
	return 0, tops[len(tops)-1] // below all
}

// free tells whether no family has what is needed from a top down.
func (d *diagram) free(column int, top float64, needs []float64) bool {
	for i, need := range needs {
		for _, s := range d.taken[column+i] {
			if s.top < top+need && top < s.bottom {
				return false
			}
		}
	}
	return true
}

// connect makes the lines.
func (d *diagram) connect() {
	for _, b := range d.boxes {
		for _, kid := range b.kids {
			says := name(b.Name) + " has " + name(kid.Name)
			from, to := point{b.x + b.width, b.y + boxHead/2}, point{kid.x, kid.y + boxHead/2}
			if kid.column > b.column {
				x := d.lane(b.column, "child "+b.Name)
				d.add(connection{child: true, says: says}, from, point{x, from.y}, point{x, to.y}, to)
				continue
			}
			// The child stands below its parent, set in: the line runs at the left.
			x := min(b.x+inset/2, kid.x)
			d.add(connection{child: true, says: says}, point{x, b.y + b.height}, point{x, to.y}, to)
		}
		for _, r := range b.References {
			if to := d.byName[r.Table]; to != nil {
				d.refer(b, to, r.Column)
			}
		}
	}
}

// refer makes the line of one reference.
func (d *diagram) refer(b, to *box, column string) {
	from := b.y + b.height - boxFoot - boxRow/2 // where the rest of the columns is
	for i := range b.rows {
		if b.rows[i].Name == column {
			from = b.y + boxHead + float64(i)*boxRow + boxRow/2
		}
	}
	head := to.y + boxHead/2 + 5
	line := connection{class: colour(to.index), says: name(b.Name) + "." + name(column) + " refers to " + name(to.Name)}
	switch {
	case to.column > b.column:
		x := d.lane(b.column, to.Name)
		d.add(line, point{b.x + b.width, from}, point{x, from}, point{x, head}, point{to.x, head})
	case to.column < b.column:
		x := d.lane(b.column-1, to.Name)
		d.add(line, point{b.x, from}, point{x, from}, point{x, head}, point{to.x + to.width, head})
	default:
		x := d.lane(b.column, to.Name)
		d.add(line, point{b.x + b.width, from}, point{x, from}, point{x, head}, point{to.x + to.width, head})
	}
}

func (d *diagram) add(line connection, points ...point) {
	line.points = points
	d.lines = append(d.lines, line)
}

// lane returns the place in a gutter of all lines that lead to one table. When all are given away,
// the first ones are shared.
func (d *diagram) lane(gutter int, purpose string) float64 {
	const step = 5
	lanes := d.lanes[gutter]
	n, known := lanes[purpose]
	if !known {
		n = len(lanes)
		lanes[purpose] = n
	}
	room := int(d.gutter-20) / step
	pitch := (d.layout.width() - 2) / float64(d.columns)
	left := 1 + float64(gutter+1)*pitch - d.gutter
	return left + 10 + float64(n%(room+1)*step)
}
