package endpoints

import (
	"slices"
	"sync"

	"sluice/sandbox/world"
)

// sheets holds the bodies of sent answers for reuse: a page of a wide list takes most of a
// megabyte.
var sheets = sync.Pool{New: func() any { return new([]byte) }}

// onSheet lends an empty body for one answer. The answer must be sent before write returns, since
// the body is then reused.
func onSheet(write func([]byte) []byte) {
	sheet, _ := sheets.Get().(*[]byte)
	*sheet = write((*sheet)[:0])
	sheets.Put(sheet)
}

// sheaf is a sequence of written records with commas between them.
type sheaf struct {
	all  []byte
	ends []int // of the records in all
	from int   // where the first one begins
}

func (s *sheaf) write(w *world.World, kind world.Kind, indices []int32, form world.Form) {
	s.from = len(s.all)
	s.ends = make([]int, 0, len(indices))
	for n, i := range indices {
		if n > 0 {
			s.all = append(s.all, ',')
		}
		s.all = w.AppendRecord(s.all, kind, int(i), form)
		s.ends = append(s.ends, len(s.all))
	}
}

// cut returns the records one by one, in memory of their own: appending to one never reaches the
// next.
func (s *sheaf) cut() [][]byte {
	if len(s.ends) == 0 {
		return nil
	}
	all := slices.Clone(s.all[s.from:])
	records := make([][]byte, 0, len(s.ends))
	from := 0
	for _, end := range s.ends {
		end -= s.from
		records = append(records, all[from:end:end])
		from = end + 1 // behind the comma.
	}
	return records
}

// appendAll appends records with commas between them.
func appendAll(body []byte, records [][]byte) []byte {
	for n, record := range records {
		if n > 0 {
			body = append(body, ',')
		}
		body = append(body, record...)
	}
	return body
}
