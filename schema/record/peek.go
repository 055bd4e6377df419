package record

import (
	"sluice/schema"
	"sluice/schema/jsonscan"
)

// Peek reads only what is needed if the row was made of the same bytes: key, payload hash, the
// times that decide about versions and passes, the day of list filters, and which arrays are
// present, except prefixes. Other values are absent. It returns false if in doubt; the caller then
// normalizes the record. It does not check whether the record fits: bytes that have a row did.
func (n *Normalizer) Peek(raw []byte, parent string) (Record, bool) {
	if n.salt == 0 {
		return Record{}, false
	}
	s, _ := n.scratch.Get().(*scratch)
	defer s.release()
	s.reset()
	s.start(raw)
	if !s.peek() || s.adopt(parent) != nil || s.own(0).State != Set {
		return Record{}, false
	}
	record := s.rowsOf(raw)
	record.PayloadHash = n.payloadHash(raw, parent, false)
	return record, true
}

func (s *scratch) peek() bool {
	o := s.n.root
	if s.kind() != '{' {
		return false
	}
	values := s.newRow(o.table)
	if s.bracket('{') != nil {
		return false
	}
	for last := o.head; ; {
		known, _, more, err := s.key(o, last)
		if err != nil {
			return false
		}
		switch {
		case !more:
			return s.bracket('}') == nil && s.end()
		case known != nil && known.column != nil && s.n.peeked[known.column.at]:
			if s.leaf(known.column, &values[known.column.at]) != nil {
				return false
			}
		default:
			if known != nil && known.child != nil {
				s.markCarried(known.child.table)
			}
			end, ok := jsonscan.Value(s.data, s.at, s.depth)
			if !ok || s.behind {
				return false
			}
			s.at, s.behind = end, true
		}
		if known != nil {
			last = known.id
		}
	}
}

// peekedAt marks the columns of the record that a peek reads.
func (n *Normalizer) peekedAt(resource *schema.Resource) []bool {
	peeked := make([]bool, len(resource.Columns))
	peeked[0], peeked[n.identifier] = true, true
	if n.parent >= 0 {
		peeked[n.parent] = true
	}
	for i, c := range resource.Columns {
		day := resource.Window != nil && resource.Window.Column == c.Wire
		if c.Wire == resource.Modified() || c.Wire == resource.Created() || day {
			peeked[i] = true
		}
	}
	return peeked
}
