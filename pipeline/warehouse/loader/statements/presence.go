package statements

import "sluice/schema/normalize"

// Presence gives the presence masks of a record for the staging table, in the order of carries.
func (s *Set) Presence(record *normalize.Record) []int64 {
	masks := make([]int64, s.masks)
	set := func(bit int) { masks[bit/maskBits] |= 1 << (bit % maskBits) }
	for i, value := range record.Tables[0][0].Values {
		if value.State != normalize.Absent {
			set(i)
		}
	}
	for i, carried := range record.Carries[1:] {
		if carried {
			set(s.columns + i)
		}
	}
	return masks
}
