package record_test

import "testing"

// The precision of a currency says how amounts are shown: no amount is scaled or cut to it (faults
// V15).
func TestThePrecisionOfACurrencyScalesNothing(t *testing.T) {
	t.Parallel()
	n := normalizer(t)
	for _, amount := range []struct{ wire, want string }{
		{"1200", "1200"}, {"12.00", "12"}, {"12.005", "12.005"}, {"0.0005", "0.0005"}, {`"12.3456789"`, "12.3456789"},
	} {
		for _, precision := range []string{"0", "2", "3", `""`} {
			// The precision is before the amount, as in the documents.
			if got := one(t, n, `price_precision":`+precision+`,"total`, amount.wire); got != amount.want {
				t.Errorf("under precision %s %s became %s, want %s", precision, amount.wire, got, amount.want)
			}
		}
	}
}
