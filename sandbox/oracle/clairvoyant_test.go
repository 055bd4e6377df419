package oracle_test

import (
	"testing"

	"sluice/sandbox/oracle"
)

func TestCalls(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ records, atOnce, want int }{
		{0, 200, 1}, {1, 200, 1}, {200, 200, 1}, {201, 200, 2}, {50_400, 200, 252}, {100, 100, 1}, {101, 100, 2}, {7, 1, 7},
	} {
		if got := oracle.Calls(test.records, test.atOnce); got != test.want {
			t.Errorf("%d records, %d at once, need %d calls, want %d", test.records, test.atOnce, got, test.want)
		}
	}
}

// TestCallsForGone has records one by one, so that pages count, and by batches.
func TestCallsForGone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ranks          []int
		singly, batchy int
	}{
		"nothing":                            {nil, 1, 1},
		"one":                                {[]int{777}, 1, 1},
		"neighbours leave one gap":           {[]int{300, 301, 302, 303}, 1, 1},
		"more neighbours than a page has":    {upTo(1000, 1300), 1, 1},
		"within one page":                    {[]int{500, 699}, 1, 1},
		"one page apart, less the first one": {[]int{500, 700}, 1, 1},
		"just too far apart":                 {[]int{500, 701}, 2, 1},
		"ranks in any order":                 {[]int{701, 500}, 2, 1},
		"three pages, five records":          {[]int{0, 10, 1000, 1001, 5000}, 3, 1},
		"single records beat pages of one":   {[]int{0, 1000, 2000}, 3, 1},
		"pages beat single records":          {[]int{0, 1, 1000, 1001}, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := oracle.CallsForGone(test.ranks, 1); got != test.singly {
				t.Errorf("one by one it takes %d calls, want %d", got, test.singly)
			}
			if got := oracle.CallsForGone(test.ranks, oracle.Batch); got != test.batchy {
				t.Errorf("by batches it takes %d calls, want %d", got, test.batchy)
			}
		})
	}
	far := make([]int, 150)
	for n := range far {
		far[n] = 1000 * n
	}
	if got := oracle.CallsForGone(far, oracle.Batch); got != 2 {
		t.Errorf("150 records by batches of 100 take %d calls, want 2", got)
	}
}

// upTo returns the numbers from one to another, the last one excluded.
func upTo(from, to int) []int {
	var numbers []int
	for n := from; n < to; n++ {
		numbers = append(numbers, n)
	}
	return numbers
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
