package warehouse_test

import (
	"fmt"
	"slices"
	"testing"

	"sluice/pipeline"
	"sluice/schema/record"
)

// page returns a page of things, with or without the key amount.
func (h *fixture) page(name string, things int, amount bool) []record.Record {
	h.Helper()
	records := make([]record.Record, things)
	for i := range records {
		raw := fmt.Sprintf(`{"thing_id":"%d","name":%q,"modified":"2026-01-17T15:27:23+0530"`, i, name)
		if amount {
			raw += `,"amount":null`
		}
		var err error
		records[i], err = h.normalizer.Record([]byte(raw + "}"))
		h.must(err)
	}
	return records
}

// One step is a run of a list: its pages, each with or without the key. A missing key is reported
// once. A run with pages of both kinds proves nothing.
func TestAKeyThatIsGoneIsNoticed(t *testing.T) {
	t.Parallel()
	h := open(t)
	const with, without = true, false
	for n, step := range []struct {
		pages   []bool
		news    []string
		lacking int64 // in the view; 0 if the key is not gone
	}{
		{[]bool{without}, nil, 0}, // the key has never come
		{[]bool{with, with}, nil, 0},
		{[]bool{without, without}, []string{"amount"}, 24},
		{[]bool{without}, nil, 36},
		{[]bool{with}, nil, 0},
		{[]bool{with, without, with}, nil, 0},
		{[]bool{without}, nil, 0}, // so the key comes now and then
		{[]bool{without}, []string{"amount"}, 36},
		{[]bool{with}, nil, 0},
		{[]bool{without, with}, []string{"amount"}, 0}, // reported too early
		{[]bool{without, with}, nil, 0},                // and learned
	} {
		claim := h.claim()
		var news []string
		for at, amount := range step.pages {
			batch := h.unit(claim, h.page(fmt.Sprint("run ", n, " page ", at), 12, amount)...)
			batch.Listed = true
			if at == len(step.pages)-1 {
				batch.End = &pipeline.End{Outcome: pipeline.OutcomeDone}
			}
			news = append(news, h.load(batch).MissingKeys...)
		}
		if got := ask[int64](h, `SELECT coalesce(sum(lacking), 0) FROM sluice.missing_keys`); got != step.lacking || !slices.Equal(news, step.news) {
			t.Fatalf("run %d: gone in %d records, news %q; want %d, %q", n, got, news, step.lacking, step.news)
		}
	}
}
