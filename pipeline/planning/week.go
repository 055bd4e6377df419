package planning

import "slices"

// Week is the mean and the 90th percentile of the calls of the last days, at most a week of them.
type Week struct {
	Days int     `json:"days"`
	Mean float64 `json:"mean"`
	// P90 is the smallest count that nine tenths of the days did not exceed.
	P90 int64 `json:"p90"`
}

// WeekOf returns the week of these days, one count each; nil if there is none.
func WeekOf(days []int64) *Week {
	if len(days) == 0 {
		return nil
	}
	sum := int64(0)
	for _, calls := range days {
		sum += calls
	}
	const tenths, of = 9, 10
	rank := (len(days)*tenths + of - 1) / of
	return &Week{Days: len(days), Mean: float64(sum) / float64(len(days)), P90: slices.Sorted(slices.Values(days))[rank-1]}
}
