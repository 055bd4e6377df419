package pipeline

import (
	"math/big"
	"slices"
)

// Tally is how many records a list or a part of it has, and the sums of some of their columns.
type Tally struct {
	Records int  `json:"records"`
	Sums    Sums `json:"sums,omitempty"`
}

// Less is the tally without that of a part.
func (t Tally) Less(part Tally) Tally {
	return Tally{Records: t.Records - part.Records, Sums: t.Sums.Less(part.Sums)}
}

// Sums are sums of columns by their wire names, as text of decimal numbers or of fractions.
type Sums map[string]string

// Less subtracts, column by column, where both have a sum.
func (s Sums) Less(part Sums) Sums {
	left := make(Sums, len(s))
	for column, sum := range s {
		whole, has := new(big.Rat).SetString(sum)
		less, both := new(big.Rat).SetString(part[column])
		if has && both {
			left[column] = whole.Sub(whole, less).RatString()
		}
	}
	return left
}

// Columns are the columns, in order, whose sums are zero or, if zero is false, are not. Sums are those
// of Less.
func (s Sums) Columns(zero bool) []string {
	var columns []string
	for column, sum := range s {
		if (sum == "0") == zero {
			columns = append(columns, column)
		}
	}
	slices.Sort(columns)
	return columns
}
