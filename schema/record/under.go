package record

import (
	"strings"

	"sluice/schema"
	"sluice/schema/record/canonical"
)

// separator stands between parent and identifier in a qualified key. No identifier
// may hold it, so the last one in a key always tells the two apart.
const separator = "/"

// place is where a resource's records carry what they are known by, as indices of
// their columns.
type place struct {
	// identifier is the column of the record's own identifier: the key column, or,
	// where the key is qualified by the parent, another one. Wire is its name.
	identifier int
	wire       string
	// parent is the column of the parent's identifier, -1 if there is none.
	parent int
}

func findPlace(resource *schema.Resource) (place, bool) {
	under, ok := resource.Cursor.(schema.PerParent)
	if !ok {
		return place{parent: -1, wire: resource.ID}, true
	}
	found := place{parent: find(resource.Columns, under.Column), wire: resource.ID}
	if under.Identifier != "" {
		found.wire = under.Identifier
		found.identifier = find(resource.Columns, under.Identifier)
	}
	return found, found.parent >= 0 && found.identifier >= 0
}

func find(columns []schema.Column, wire string) int {
	for i, c := range columns {
		if c.Wire == wire {
			return i
		}
	}
	return -1
}

// adopt fills in what a record cannot say itself because it was listed under a
// parent: the parent's identifier where the record left it out, and the qualified
// key. Without a parent, a qualified key stays empty.
func (s *scratch) adopt(parent string) *ValueError {
	if parent == "" || s.n.parent < 0 {
		return nil
	}
	parent = canonical.CleanText(strings.ToValidUTF8(parent, "\uFFFD"))
	if of := s.own(s.n.parent); of.State != Set || canonical.Blank(of.Text) {
		*of = Value{Text: parent, State: Set}
	}
	if s.n.identifier == 0 || s.own(s.n.identifier).State != Set {
		return nil
	}
	id := s.own(s.n.identifier).Text
	if strings.Contains(id, separator) {
		return s.fault(s.n.wire, CodeWrongType, "the identifier holds a slash, which stands between parent and identifier in the key")
	}
	if len(parent)+len(separator)+len(id) > maxKey {
		return s.fault(s.n.wire, CodeTooLarge, "parent and identifier together have more than %d bytes", maxKey-len(separator))
	}
	*s.own(0) = Value{Text: parent + separator + id, State: Set}
	return nil
}
