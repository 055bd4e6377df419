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
