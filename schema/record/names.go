package record

import "slices"

// Bounds of the quick way's memory of one object.
const (
	maxDeclared = 256
	maxUnknown  = 32
	wordBits    = 64
)

// met are the names seen in one object, for finding repeated ones where the tokens do not: declared
// ones by number, others in scratch.names from unknown on.
type met struct {
	declared [maxDeclared / wordBits]uint64
	unknown  int
}

// find returns the field of a name, nil if none is declared, and remembers its predecessor.
func (s *scratch) find(o *object, last int, name []byte) *field {
	known := o.fields[string(name)]
	if known != nil {
		s.next[last] = known
	}
	return known
}

// again reports whether a name may have come before in the object.
func (s *scratch) again(names *met, known *field, name []byte) bool {
	if known != nil {
		if known.at >= maxDeclared {
			return true
		}
		word, bit := known.at/wordBits, uint64(1)<<(known.at%wordBits)
		twice := names.declared[word]&bit != 0
		names.declared[word] |= bit
		return twice
	}
	before := s.names[names.unknown:]
	if len(before) >= maxUnknown {
		return true
	}
	if slices.Contains(before, string(name)) {
		return true
	}
	s.names = append(s.names, string(name))
	return false
}
