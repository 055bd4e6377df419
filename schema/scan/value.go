package scan

// Value reads the value that begins at data[at], whatever it holds, and gives the
// index behind it. The value stands within depth others already.
func Value(data []byte, at, depth int) (int, bool) {
	if at >= len(data) {
		return at, false
	}
	switch data[at] {
	case '"':
		end, _, ok := String(data, at)
		return end, ok
	case '{':
		return object(data, at, depth+1)
	case '[':
		return array(data, at, depth+1, nil)
	case 't', 'f', 'n':
		return Literal(data, at)
	default:
		return Number(data, at)
	}
}

// Elements reads the array that begins at data[at], gives each of its elements to
// each, and the index behind it. The elements have no room behind them, so that
// appending to one never writes into the next.
func Elements(data []byte, at, depth int, each func(element []byte)) (int, bool) {
	if at >= len(data) || data[at] != '[' {
		return at, false
	}
	return array(data, at, depth+1, each)
}

func object(data []byte, at, depth int) (int, bool) {
	if depth > MaxDepth {
		return at, false
	}
	at = Space(data, at+1)
	if at < len(data) && data[at] == '}' {
		return at + 1, true
	}
	for {
		var ok bool
		if at, ok = Name(data, at); !ok {
			return at, false
		}
		if at, ok = Value(data, at, depth); !ok {
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
			return at + 1, true
		default:
			return at, false
		}
	}
}

// Name reads a name and the colon behind it, and gives the index where the value
// begins.
func Name(data []byte, at int) (int, bool) {
	end, _, ok := String(data, at)
	if !ok {
		return end, false
	}
	return Colon(data, end)
}

// Colon reads the colon behind a name, and gives the index where the value begins.
func Colon(data []byte, at int) (int, bool) {
	if at = Space(data, at); at >= len(data) || data[at] != ':' {
		return at, false
	}
	return Space(data, at+1), true
}

func array(data []byte, at, depth int, each func([]byte)) (int, bool) {
	if depth > MaxDepth {
		return at, false
	}
	at = Space(data, at+1)
	if at < len(data) && data[at] == ']' {
		return at + 1, true
	}
	for {
		end, ok := Value(data, at, depth)
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
