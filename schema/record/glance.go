package record

import (
	"sluice/schema"
	"sluice/schema/jsonscan"
)

// Glance reads no more of a record than what is needed where its row turns out to be made of the same bytes: key, fingerprint, the times
// that decide about versions and passes, the day that lists filter by, and which arrays it carries, those of prefixes left out. Other
// values are absent. It says false where it is not sure; the record is to be normalized then. Whether all of the record fits it does not
// ask: bytes that have a row did.
func (n *Normalizer) Glance(raw []byte, parent string) (Record, bool) {
	if n.salt == 0 {
		return Record{}, false
	}
	s, _ := n.scratch.Get().(*scratch)
	defer s.release()
	s.reset()
	s.start(raw)
	if !s.glance() || s.adopt(parent) != nil || s.own(0).State != Set {
		return Record{}, false
	}
	record := s.rowsOf(raw)
	record.Fingerprint = n.fingerprint(raw, parent, false)
	return record, true
}

func (s *scratch) glance() bool {
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
		case known != nil && known.column != nil && s.n.glanced[known.column.at]:
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

// glancedAt says of each column of the record whether a glance reads it.
func (n *Normalizer) glancedAt(resource *schema.Resource) []bool {
	glanced := make([]bool, len(resource.Columns))
	glanced[0], glanced[n.identifier] = true, true
	if n.parent >= 0 {
		glanced[n.parent] = true
	}
	for i, c := range resource.Columns {
		day := resource.Window != nil && resource.Window.Column == c.Wire
		if c.Wire == resource.Modified() || c.Wire == resource.Created() || day {
			glanced[i] = true
		}
	}
	return glanced
}
