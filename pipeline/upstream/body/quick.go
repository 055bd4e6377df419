package body

import (
	"bytes"

	"sluice/schema/jsonscan"
)

// usualPage is how many records the pages of most lists have.
const usualPage = 200

// quick reads an envelope and the elements of its lists in one pass. It returns false where it is
// not sure: careful then finds the error, or accepts the body. It also leaves keys with escapes to
// careful.
func quick(data []byte, own Own) (*Envelope, bool) {
	at := jsonscan.Space(data, 0)
	if at >= len(data) || data[at] != '{' {
		return nil, false
	}
	e := &Envelope{members: make(map[string][]byte, 4), lists: make(map[string][][]byte, 1), own: own} //nolint:mnd // code, message, list, page_context
	for at = jsonscan.Space(data, at+1); ; {
		from := at
		end, plain, ok := jsonscan.String(data, at)
		if !ok || !plain {
			return nil, false
		}
		name := string(data[from+1 : end-1])
		if at, ok = jsonscan.Colon(data, end); !ok {
			return nil, false
		}
		if end, ok = e.take(data, at, name); !ok {
			return nil, false
		}
		if at = jsonscan.Space(data, end); at >= len(data) {
			return nil, false
		}
		switch data[at] {
		case ',':
			at = jsonscan.Space(data, at+1)
		case '}':
			return e, jsonscan.Space(data, at+1) == len(data)
		default:
			return nil, false
		}
	}
}

// take reads the value of a key, and returns false if the envelope has that key already.
func (e *Envelope) take(data []byte, at int, name string) (int, bool) {
	if _, twice := e.members[name]; twice || len(e.members) == maxMembers {
		return at, false
	}
	var (
		end  int
		ok   bool
		list [][]byte
	)
	if at < len(data) && data[at] == '[' {
		list = make([][]byte, 0, min(usualPage, max(MaxElements-e.read, 0)))
		before, split := e.read, jsonscan.Elements
		if name == e.own.Key && e.own.Elements != nil {
			split = e.own.Elements
		}
		end, ok = split(data, at, 1, func(element []byte) {
			if e.read++; e.read <= MaxElements {
				list = append(list, element)
			}
		})
		if len(list) == e.read-before { // a list that is too long fails when elementsOf reads it
			e.lists[name] = list
		}
	} else {
		end, ok = jsonscan.Value(data, at, 1)
	}
	if ok {
		e.members[name] = data[at:end:end]
	}
	return end, ok
}

// elementsOf gives the elements of a member, which quick may have read already.
func (e *Envelope) elementsOf(key string, raw []byte) ([][]byte, error) {
	if list, known := e.lists[key]; known {
		return list, nil
	}
	if plain, deep := e.plain[key]; deep {
		return elements(plain, raw)
	}
	return elements(raw, raw)
}

// trim drops a byte order mark in front.
func trim(data []byte) []byte { return bytes.TrimPrefix(data, []byte(byteOrderMark)) }
