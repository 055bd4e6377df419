package scan

import (
	"slices"
	"time"

	"sluice/pipeline"
)

// maxTied is how many records may tie over page edges before a pass proves nothing.
const maxTied = 5000

// tie notes a record of a pass with its time in the order of the list. A list can break ties anew
// in each answer. It then shows one record on two pages and another one on none, and two passes can
// see the same of both. So a pass in which a record comes twice among its ties equals no other
// pass.
func (s *progress) tie(e entry, at time.Time) {
	if at.IsZero() {
		return
	}
	if !at.Equal(s.Tied.At) {
		s.Tied = pipeline.Tied{At: at}
	}
	if slices.Contains(s.Tied.Records, e.identity) || len(s.Tied.Records) >= maxTied {
		s.Suspect = true
		return
	}
	s.Tied.Records = append(s.Tied.Records, e.identity)
}
