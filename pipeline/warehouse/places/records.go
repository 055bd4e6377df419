package places

import (
	"cmp"
	"slices"
)

// Record is a record that a place names.
type Record struct {
	Organization string `json:"organization"`
	// Resource is service and resource, as inventory.bills.
	Resource string `json:"resource"`
	ID       string `json:"id"`
	// In are the families of the places that name it.
	In []Family `json:"in"`
}

// MoreRecords says that a resource of an organization has more records than are listed.
type MoreRecords struct {
	Organization string `json:"organization"`
	Resource     string `json:"resource"`
}

// listed are the records of one resource of one organization: those with the smallest identifiers,
// in their order. So the list is the same whatever order rows are read in, and its size is bounded.
type listed struct {
	records []Record
	more    bool
}

// note notes that a place names a record. A record that was dropped does not come back: those with
// smaller identifiers stay.
func (l *listed) note(r Record, family Family, limit int) {
	at, found := slices.BinarySearchFunc(l.records, r.ID, func(known Record, id string) int { return cmp.Compare(known.ID, id) })
	if !found {
		if at == limit {
			l.more = true
			return
		}
		l.records = slices.Insert(l.records, at, r)
		if len(l.records) > limit {
			l.records, l.more = l.records[:limit], true
		}
	}
	if in := &l.records[at].In; !slices.Contains(*in, family) {
		*in = append(*in, family)
	}
}
