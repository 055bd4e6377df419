package jsonscan

// Value reads the value that begins at data[at], whatever it holds, and gives the
// index behind it. The value stands within depth others already.
func Value(data []byte, at, depth int) (int, bool) { return value(data, at, depth, nil) }

// Once is Value for those who do not read the names in it: where one may come twice in an
// object it says no. It compares their bytes, so that an escaped one is a no, too, and so are
// more than 64 in the objects that are open at one time. Open is for nobody else meanwhile; it may have been used before.
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

// span is where a literal stands.
type span struct{ from, to int }

// Names are those of the objects that are open, the outermost's first.
type Names struct {
	spans [64]span
	count int
}

// add notes a name of the object whose names begin at first, and says whether it is plain and its only one of that text.
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

// Elements reads the array that begins at data[at], gives each of its elements to
// each, and the index behind it. The elements have no room behind them, so that
// appending to one never writes into the next.
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

// Colon reads the colon behind a name, and gives the index where the value begins.
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
