package record

import "slices"

// Bounds of what the quick way keeps in mind of one object.
const (
	maxDeclared = 256
	maxUnknown  = 32
	wordBits    = 64
)

// met are the names that one object has had so far, where the tokens do not notice
// those that come twice: declared ones by number, others in scratch.names from
// unknown on.
type met struct {
	declared [maxDeclared / wordBits]uint64
	unknown  int
}

// find gives the field of a name, nil if none is declared, and remembers what it followed.
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
