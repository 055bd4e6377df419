package body

import (
	"bytes"
	"fmt"
)

// maxDepth is how deep a body may nest; documented records nest four deep.
const maxDepth = 64

// nesting finds what lies too deep in a body, before a decoder meets it: by its brackets alone.
type nesting struct {
	// open are the brackets around the place where the walk stands, as far as they say whether that
	// is in a record.
	open  [3]byte
	depth int
	// deep is where the value begins that lies too deep and has not ended yet, -1 if there is none.
	deep int
}

// shallow gives the body as a decoder may read it. What lies too deep in a record is not the
// envelope's matter: one record must not lose the others (invariant 4). In a copy of the body a
// zero and blanks stand in its place, so that what is found there is found at the same place of the
// body. What lies too deep elsewhere is an error.
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

// enter takes an opening bracket, and says whether it may stand there.
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

// leave takes a closing bracket. It gives where the value began that lies too deep and ends here,
// -1 if none does.
func (n *nesting) leave() int {
	n.depth = max(n.depth-1, 0) // one too many is the decoder's matter
	from := n.deep
	if n.depth != maxDepth {
		return -1
	}
	n.deep = -1
	return from
}

// inRecord says that the walk is in an object of the envelope, or in one of a list of it.
func (n *nesting) inRecord() bool {
	return n.open[0] == '{' && (n.open[1] == '{' || n.open[1] == '[' && n.open[2] == '{')
}

// blank writes a number over a value.
func blank(value []byte) {
	for i := range value {
		value[i] = ' '
	}
	value[0] = '0'
}
