package rebuild

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"sluice/pipeline/warehouse/raw"
	"sluice/schema/record"
)

// Rows come in the order in which they were read ahead nearly always; whichever come instead, or are gone, each finds what is its own.
func TestWhatWasMadeIsFoundInAnyOrder(t *testing.T) {
	t.Parallel()
	r := &Rows{normalize: func(raw []byte, parent string) (record.Record, error) {
		return record.Record{ID: string(raw) + parent}, nil
	}}
	rapid.Check(t, func(t *rapid.T) {
		place := func(i int) source {
			return source{Place: raw.Place{Call: int64(i / 3), Position: int32(i % 3)}, parent: fmt.Sprint("under ", i%2)}
		}
		var sources []source
		var records [][]byte
		wants := map[source]string{}
		for i := range rapid.IntRange(0, 12).Draw(t, "sources") {
			var raw []byte
			if rapid.IntRange(0, 4).Draw(t, "kept") > 0 {
				raw = fmt.Append(nil, "record ", i, " ")
				wants[place(i)] = string(raw) + place(i).parent
			}
			sources, records = append(sources, place(i)), append(records, raw)
		}
		asked := slices.Clone(sources)
		if rapid.Bool().Draw(t, "others") {
			asked = rapid.Permutation(append(asked, place(20), source{Place: place(0).Place, parent: "elsewhere"})).Draw(t, "asked")
		}
		found := r.make(records, sources)
		for _, at := range asked {
			got := ""
			if one := found.of(at); one != nil {
				got = one.record.ID
			}
			if got != wants[at] {
				t.Fatalf("%+v has %q, want %q", at, got, wants[at])
			}
		}
	})
}
