package endpoints

import (
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"sync"
	"time"

	"sluice/sandbox/answer"
	"sluice/sandbox/faults"
	"sluice/sandbox/world"
	"sluice/sandbox/world/words"
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

// snapshot answers the one object of its kind, or an empty one if there is none.
func snapshot(c *Call) {
	e := c.Endpoint.Resource
	body := []byte("{}")
	c.Company.With(func(w *world.World) {
		if order := w.Order(world.Query{Kind: e.Kind}); len(order) > 0 {
			body = w.AppendRecord(nil, e.Kind, int(order[0]), world.Full)
		}
	})
	body = faults.Spoil(c.Fault, e.Target, [][]byte{body})[0]
	answer.Body(c, http.StatusOK, answer.JSONType, fmt.Appendf(nil, `{"code":0,"message":"success","%s":%s}`, e.OneKey, body))
}

// preview answers the accounts that a rate would affect. The document shows no answer; here it is
// that of a single adjustment.
func preview(c *Call) {
	query := c.Request.URL.Query()
	rate, isRate := new(big.Rat).SetString(query.Get("exchange_rate"))
	if !isRate || rate.Sign() <= 0 || !rate.Num().IsInt64() {
		c.fail(http.StatusBadRequest, answer.InvalidValue, "Invalid value passed for exchange_rate")
		return
	}
	day := query.Get("adjustment_date")
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		c.fail(http.StatusBadRequest, answer.InvalidValue, "Invalid value passed for adjustment_date")
		return
	}
	rate.Mul(rate, big.NewRat(words.Millionths, 1))
	millionths := new(big.Int).Quo(rate.Num(), rate.Denom())
	var body []byte
	found := false
	c.Company.With(func(w *world.World) {
		body, found = w.AppendPreview(nil, query.Get("currency_id"), day, millionths.Int64(), query.Get("notes"))
	})
	if !found {
		c.fail(http.StatusBadRequest, answer.InvalidValue, "Invalid value passed for currency_id")
		return
	}
	answer.Body(c, http.StatusOK, answer.JSONType, fmt.Appendf(nil, `{"code":0,"message":"success","data":%s}`, body))
}
