package body

import (
	"bytes"
	"fmt"
)

// maxDepth is how deep a body may nest; documented records nest four deep.
const maxDepth = 64

// nesting finds values that are nested too deep, by their brackets alone, before a decoder reads
// the body.
type nesting struct {
	// open are the outermost brackets around the current byte: as many as say whether it is in a
	// record.
	open  [3]byte
	depth int
	// deep is where the value begins that is nested too deep and has not ended yet; -1 if there is
	// none.
	deep int
}

// shallow gives the body as a decoder may read it. A value nested too deep in a record must not
// lose the other records (invariant 4). So a copy of the body has a zero and blanks in its place,
// and all offsets stay the same. A value nested too deep elsewhere is an error.
func shallow(data []byte) ([]byte, error) {
	n, out := nesting{deep: -1}, data
	inString := false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if !n.enter(c, i) {
				return nil, fmt.Errorf("%w: nested more than %d deep", ErrShape, maxDepth)
			}
		case c == '}' || c == ']':
			if from := n.leave(); from >= 0 {
				if &out[0] == &data[0] {
					out = bytes.Clone(data)
				}
				blank(out[from : i+1])
			}
		}
	}
	return out, nil
}

// enter takes an opening bracket, and says whether it is allowed at this depth.
func (n *nesting) enter(c byte, at int) bool {
	if n.depth < len(n.open) {
		n.open[n.depth] = c
	}
	n.depth++
	if n.depth <= maxDepth || n.deep >= 0 {
		return true
	}
	n.deep = at
	return n.inRecord()
}

// leave takes a closing bracket. If a value that is nested too deep ends here, it gives where that
// value began, otherwise -1.
func (n *nesting) leave() int {
	n.depth = max(n.depth-1, 0) // the decoder reports one too many
	from := n.deep
	if n.depth != maxDepth {
		return -1
	}
	n.deep = -1
	return from
}

// inRecord says that the walk is in an object of the envelope, or in an object of one of its lists.
func (n *nesting) inRecord() bool {
	return n.open[0] == '{' && (n.open[1] == '{' || n.open[1] == '[' && n.open[2] == '{')
}

// blank overwrites a value with the number 0 and blanks.
func blank(value []byte) {
	for i := range value {
		value[i] = ' '
	}
	value[0] = '0'
}
