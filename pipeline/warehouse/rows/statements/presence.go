package statements

import "sluice/schema/record"

// Presence gives the presence masks of a record for the staging table, in the order of carries.
func (s *Set) Presence(rec *record.Record) []int64 {
	masks := make([]int64, s.masks)
	set := func(bit int) { masks[bit/maskBits] |= 1 << (bit % maskBits) }
	for i, value := range rec.Tables[0][0].Values {
		if value.State != record.Absent {
			set(i)
		}
	}
	for i, carried := range rec.Carries[1:] {
		if carried {
			set(len(s.Columns) + i)
		}
	}
	return masks
}
