package endpoints

import (
	"fmt"
	"math/big"
	"net/http"
	"time"

	"sluice/sandbox/answer"
	"sluice/sandbox/faults"
	"sluice/sandbox/world"
	"sluice/sandbox/world/words"
)

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
