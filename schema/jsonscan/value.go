package jsonscan

// Value reads the value of any kind that begins at data[at], and returns the index behind it. depth
// is the number of values around it.
func Value(data []byte, at, depth int) (int, bool) { return value(data, at, depth, nil) }

// Once is Value for callers that do not read the names in it: it refuses a value in which a name
// repeats within an object. It compares bytes, so it also refuses escaped names, and more than 64
// names in the objects open at one time. Open belongs to this call alone meanwhile; it may be
// reused.
func Once(data []byte, at, depth int, open *Names) (int, bool) {
	open.count = 0
	return value(data, at, depth, open)
}

func value(data []byte, at, depth int, open *Names) (int, bool) {
	if at >= len(data) {
		return at, false
	}
	switch data[at] {
	case '"':
		end, _, ok := String(data, at)
		return end, ok
	case '{':
		return object(data, at, depth+1, open)
	case '[':
		return array(data, at, depth+1, open, nil)
	case 't', 'f', 'n':
		return Literal(data, at)
	default:
		return Number(data, at)
	}
}

// span is the position of a literal.
type span struct{ from, to int }

// Names are the names of the open objects, the outermost's first.
type Names struct {
	spans [64]span
	count int
}

// add notes a name of the object whose names begin at first, and reports whether it is plain and
// new in that object.
func (n *Names) add(data []byte, first int, name span, plain bool) bool {
	if !plain || n.count == len(n.spans) {
		return false
	}
	for _, before := range n.spans[first:n.count] {
		if string(data[before.from:before.to]) == string(data[name.from:name.to]) {
			return false
		}
	}
	n.spans[n.count] = name
	n.count++
	return true
}

// Elements reads the array that begins at data[at], passes each element to each, and returns the
// index behind it. The elements have no spare capacity, so that appending to one never writes into
// the next.
func Elements(data []byte, at, depth int, each func(element []byte)) (int, bool) {
	if at >= len(data) || data[at] != '[' {
		return at, false
	}
	return array(data, at, depth+1, nil, each)
}

func object(data []byte, at, depth int, open *Names) (int, bool) {
	if depth > MaxDepth {
		return at, false
	}
	at = Space(data, at+1)
	if at < len(data) && data[at] == '}' {
		return at + 1, true
	}
	first := 0
	if open != nil {
		first = open.count
	}
	for {
		end, plain, ok := String(data, at)
		if !ok || open != nil && !open.add(data, first, span{at, end}, plain) {
			return end, false
		}
		if at, ok = Colon(data, end); !ok {
			return at, false
		}
		if at, ok = value(data, at, depth, open); !ok {
			return at, false
		}
		at = Space(data, at)
		if at >= len(data) {
			return at, false
		}
		switch data[at] {
		case ',':
			at = Space(data, at+1)
		case '}':
			if open != nil {
				open.count = first
			}
			return at + 1, true
		default:
			return at, false
		}
	}
}

// Colon reads the colon behind a name, and returns the index of the value.
func Colon(data []byte, at int) (int, bool) {
	if at = Space(data, at); at >= len(data) || data[at] != ':' {
		return at, false
	}
	return Space(data, at+1), true
}

func array(data []byte, at, depth int, open *Names, each func([]byte)) (int, bool) {
	if depth > MaxDepth {
		return at, false
	}
	at = Space(data, at+1)
	if at < len(data) && data[at] == ']' {
		return at + 1, true
	}
	for {
		end, ok := value(data, at, depth, open)
		if !ok {
			return end, false
		}
		if each != nil {
			each(data[at:end:end])
		}
		at = Space(data, end)
		if at >= len(data) {
			return at, false
		}
		switch data[at] {
		case ',':
			at = Space(data, at+1)
		case ']':
			return at + 1, true
		default:
			return at, false
		}
	}
}
