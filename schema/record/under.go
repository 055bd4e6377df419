package record

import (
	"strings"

	"sluice/schema"
	"sluice/schema/record/canonical"
)

// separator is between parent and identifier in a qualified key. No identifier may hold it, so the
// last one in a key always separates the two.
const separator = "/"

// place locates the identifying columns of a resource's records, by index.
type place struct {
	// identifier is the column of the record's own identifier: the key column, or another one if
	// the key is qualified by the parent. Wire is its name.
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

// adopt fills in what a record under a parent may lack: the parent's identifier if the record omits
// it, and the qualified key. Without a parent, a qualified key stays empty.
func (s *scratch) adopt(parent string) *RejectedError {
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
