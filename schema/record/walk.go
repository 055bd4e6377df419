package record

import (
	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema/record/canonical"
)

// Record turns one record into rows. Its error is a *RejectedError: the record as a whole does not
// fit. Record.Raw and most texts of values share the given bytes: do not change them afterwards.
func (n *Normalizer) Record(raw []byte) (Record, error) { return n.RecordUnder(raw, "") }

// RecordUnder is Record for a record listed under a parent. It fills in the parent's identifier if
// the record lacks it, and qualifies the key by it where identifiers are unique under one parent
// only.
func (n *Normalizer) RecordUnder(raw []byte, parent string) (Record, error) {
	s, _ := n.scratch.Get().(*scratch)
	s.reset()
	s.start(raw)
	fault := s.walk(parent)
	if fault != nil {
		// The careful way decides whether there is a fault, and which.
		s.reset()
		s.carefully(raw)
		if fault = s.countParts(raw); fault == nil {
			fault = s.walk(parent)
		}
	}
	if fault != nil {
		fault.ID = n.identify(raw, parent)
		s.release()
		return Record{}, fault
	}
	record := s.record(raw, parent)
	s.release()
	return record, nil
}

func (s *scratch) walk(parent string) *RejectedError {
	switch kind := s.kind(); kind {
	case '{':
	case jsontext.KindInvalid:
		return s.syntax("", s.peekError())
	default:
		return s.fault("", CodeNotAnObject, "a record must be a JSON object, this is a %s", kindName(kind))
	}
	if fault := s.object(s.n.root, s.newRow(0)); fault != nil {
		return fault
	}
	if !s.end() {
		return s.fault("", CodeBadJSON, "more bytes follow the record")
	}
	if fault := s.gather(); fault != nil {
		return fault
	}
	if fault := s.adopt(parent); fault != nil {
		return fault
	}
	if s.own(0).State != Set {
		return s.fault("", CodeNoID, "the record has no key, or an empty one")
	}
	return nil
}

// peekError fetches the error behind an invalid kind.
func (s *scratch) peekError() error {
	_, err := s.value()
	return err
}

// object walks one object of these values; the brace is still unread.
func (s *scratch) object(o *object, values []Value) *RejectedError {
	if err := s.bracket('{'); err != nil {
		return s.syntax("", err)
	}
	names := met{unknown: len(s.names)}
	last := o.head
	for {
		known, name, more, err := s.key(o, last)
		if err != nil {
			return s.syntax("", err)
		}
		if !more {
			break
		}
		if s.quick && s.again(&names, known, name) {
			return s.syntax("", errDoubt)
		}
		var fault *RejectedError
		switch {
		case known == nil:
			fault = s.undeclared(o, string(name))
		case known.column != nil:
			fault = s.leaf(known.column, &values[known.column.at])
		case known.child != nil:
			fault = s.array(known.child)
		default:
			_, fault = s.whole("")
		}
		if fault != nil {
			return fault
		}
		if known != nil {
			last = known.id
		}
	}
	s.names = s.names[:names.unknown]
	if err := s.bracket('}'); err != nil {
		return s.syntax("", err)
	}
	return nil
}

// key reads a name and returns its declared field, or its bytes if there is none. It returns false
// at the end of the object. Records nearly always have their keys in the same order, so it tries
// the last successor first.
func (s *scratch) key(o *object, last int) (*field, []byte, bool, error) {
	guess := s.next[last]
	if guess != nil && s.expect(guess.quoted) {
		return guess, nil, true, nil
	}
	if s.kind() == '}' {
		return nil, nil, false, nil
	}
	quoted, err := s.name()
	if err != nil {
		return nil, nil, false, err
	}
	name := s.values.Unquote(quoted)
	return s.find(o, last, name), name, true, nil
}

// undeclared handles a key without a column or an array.
func (s *scratch) undeclared(o *object, name string) *RejectedError {
	if at := o.claims(name); at >= 0 {
		return s.collect(at, name)
	}
	return s.unknown(name)
}

// array walks a declared array. "" and null mean that it is present and empty.
func (s *scratch) array(a *array) *RejectedError {
	if len(s.path) == 0 {
		s.markCarried(a.table)
	}
	switch kind := s.kind(); {
	case kind == '[':
		return s.elements(a)
	case kind == '{' && a.object:
		return s.single(a)
	default:
		raw, fault := s.whole(a.name)
		if fault != nil {
			return fault
		}
		if kind == 'n' || kind == '"' && canonical.Blank(s.values.Unquote(raw)) {
			return nil
		}
		return s.fault(a.name, CodeWrongType, "an array is declared, the wire has a %s", kindName(kind))
	}
}

// markCarried notes that the record has a top-level array: its rows and those of its descendants
// are replaced.
func (s *scratch) markCarried(top int) {
	for i := range s.n.tables {
		if s.n.tables[i].top == top {
			s.carry[i] = true
		}
	}
}

func (s *scratch) elements(a *array) *RejectedError {
	if err := s.bracket('['); err != nil {
		return s.syntax(a.name, err)
	}
	s.path = append(s.path, step{name: a.name})
	for index := 0; s.kind() != ']'; index++ {
		s.path[len(s.path)-1].index = index
		if fault := s.element(a); fault != nil {
			return fault
		}
	}
	s.path = s.path[:len(s.path)-1]
	if err := s.bracket(']'); err != nil {
		return s.syntax(a.name, err)
	}
	return nil
}

func (s *scratch) element(a *array) *RejectedError {
	if len(s.rows) > maxElements {
		return s.fault("", CodeTooLarge, "the record has more than %d array elements", maxElements)
	}
	if s.cells > maxCells {
		return s.fault("", CodeTooLarge, "the rows of the record have more than %d values", maxCells)
	}
	kind := s.kind()
	switch {
	case kind == jsontext.KindInvalid:
		return s.syntax("", s.peekError())
	case a.scalar:
		return s.leaf(&s.n.tables[a.table].columns[0], &s.newRow(a.table)[0])
	case kind != '{':
		return s.fault("", CodeWrongType, "an element must be an object, the wire has a %s", kindName(kind))
	default:
		return s.object(a.element, s.newRow(a.table))
	}
}

// single walks an object where an array of at most one object is declared.
func (s *scratch) single(a *array) *RejectedError {
	s.path = append(s.path, step{name: a.name, index: -1})
	fault := s.object(a.element, s.newRow(a.table))
	if fault == nil {
		s.path = s.path[:len(s.path)-1]
	}
	return fault
}

// whole reads one whole value and checks its depth.
func (s *scratch) whole(name string) (jsontext.Value, *RejectedError) {
	raw, err := s.value()
	if err != nil {
		return nil, s.syntax(name, err)
	}
	// The quick way accepts nothing deeper.
	if !s.quick && (raw[0] == '{' || raw[0] == '[') && s.dec.StackDepth()+depth(raw) > maxDepth {
		return nil, s.fault(name, CodeTooLarge, "the value nests deeper than %d", maxDepth)
	}
	return raw, nil
}

// countParts refuses a record with more members and elements than a reader should remember.
func (s *scratch) countParts(raw []byte) *RejectedError {
	parts, quoted := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			parts++
		}
	}
	if parts > maxParts {
		return s.fault("", CodeTooLarge, "the record has more than %d members and elements", maxParts)
	}
	return nil
}

// depth returns how deep a valid value nests.
func depth(raw []byte) int {
	deepest, at, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			at++
			deepest = max(deepest, at)
		case c == '}' || c == ']':
			at--
		}
	}
	return deepest
}
