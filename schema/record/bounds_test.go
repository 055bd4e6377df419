package record_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"sluice/schema/record"
)

// members returns a number of members of an object, each after a comma.
func members(count int, value string) string {
	var b strings.Builder
	for n := range count {
		fmt.Fprintf(&b, `,"k%d":%s`, n, value)
	}
	return b.String()
}

// TestARecordIsBounded runs alone, since other tests would take memory meanwhile. The cost of a
// record at its bounds does not grow with the record.
func TestARecordIsBounded(t *testing.T) { //nolint:paralleltest // see above
	const (
		million = 1_000_000
		most    = 80 << 20 // bytes taken from the heap, given back ones included
	)
	n := normalizer(t)
	for _, c := range []struct {
		name, raw string
		code      record.Code // none: it fits
	}{
		{"2,000 unknown keys", `{"order_id":"7"` + members(2_000, "1") + `}`, ""},
		{"one more", `{"order_id":"7"` + members(2_001, "1") + `}`, record.CodeTooLarge},
		{"a million", `{"order_id":"7"` + members(million, "1") + `}`, record.CodeTooLarge},
		{"a million before the key", `{"x":1` + members(million, "1") + `,"order_id":"7"}`, record.CodeTooLarge},
		{"a million in an object", `{"order_id":"7","x":{"y":1` + members(million, "1") + `}}`, record.CodeTooLarge},
		{"a million in an ignored object", `{"order_id":"7","total_formatted":{"y":1` + members(million, "1") + `}}`, record.CodeTooLarge},
		{"unknown keys of lines", `{"order_id":"7","line_items":[{}` + strings.Repeat(`,{"a":1,"b":2}`, 10_000) + `]}`, ""},
		{"more of them", `{"order_id":"7","line_items":[{}` + strings.Repeat(`,{"a":1,"b":2}`, 10_001) + `]}`, record.CodeTooLarge},
		{"a million lines", `{"order_id":"7","line_items":[{}` + strings.Repeat(",{}", million) + `]}`, record.CodeTooLarge},
		{"a long unknown value", `{"order_id":"7","x":"` + strings.Repeat("x", 20<<20) + `"}`, record.CodeTooLarge},
		{"a long unknown list", `{"order_id":"7","x":[1` + strings.Repeat(",1", 10*million) + `]}`, record.CodeTooLarge},
		{"very deep", `{"order_id":"7","x":` + strings.Repeat("[", million) + strings.Repeat("]", million) + `}`, record.CodeTooLarge},
		{"63 deep", `{"order_id":"7","x":` + strings.Repeat("[", 62) + strings.Repeat("]", 62) + `}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			rec, err := n.Record([]byte(c.raw))
			runtime.ReadMemStats(&after)
			if took := after.TotalAlloc - before.TotalAlloc; took > most {
				t.Errorf("it took %d MiB, and %d are enough", took>>20, most>>20)
			} else {
				t.Logf("it took %d KiB for %d", took>>10, len(c.raw)>>10)
			}
			fault, _ := errors.AsType[*record.RejectedError](err)
			switch {
			case c.code == "" && (err != nil || rec.ID != "7"):
				t.Errorf("record %q, %v", rec.ID, err)
			case c.code != "" && (fault == nil || fault.Code != c.code || fault.ID != "7"):
				t.Errorf("want %s, got %v", c.code, err)
			}
		})
	}
}
