package chart

// key is one entry of a legend.
type key struct {
	// shape is area for a filled square, or the class of a line.
	shape, class, text string
}

// area is the shape of a filled square.
const area = "area"

// The sizes of a legend.
const (
	keyHeight = 19
	keySize   = 11
	keyText   = keySize + 6
	keyGap    = 18
)

// placed is an entry with its place.
type placed struct {
	key

	x, y float64
}

// place lays a legend out in lines of a width, and returns the entries and the height.
func place(keys []key, left, top, room float64) ([]placed, float64) {
	var entries []placed
	x, y := left, top
	for _, k := range keys {
		k.text = fit(k.text, room-keyText)
		length := keyText + lengthOf(k.text)
		if x > left && x+length > left+room {
			x, y = left, y+keyHeight
		}
		entries = append(entries, placed{k, x, y})
		x += length + keyGap
	}
	if len(keys) == 0 {
		return nil, 0
	}
	return entries, y - top + keyHeight
}

// legend writes the entries.
func (c *canvas) legend(entries []placed) {
	for i := range entries {
		e := &entries[i]
		if e.shape == area {
			c.shape("rect", "class", e.class, "x", e.x, "y", e.y+3, "width", float64(keySize), "height", float64(keySize))
		} else {
			c.line(e.shape+" "+e.class, e.x, e.y+3+keySize/2.0, e.x+keySize+2, e.y+3+keySize/2.0)
		}
		c.text(e.x+keyText, e.y+keySize+2, start, "", e.text)
	}
}
