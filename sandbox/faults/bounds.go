package faults

import (
	"bytes"
	"fmt"
	"strings"

	"sluice/sandbox/faults/deform"
)

const (
	manyElements = 15_000_000
	manyKeys     = 1_000_000
	hugeToken    = 8 << 20 // bytes
)

// boundActs returns the kinds that exceed a client's limits: small on the wire, or few bytes each.
func boundActs() []act {
	plain := func(body []byte) []byte { return body }
	return []act{
		{
			Kind: Kind{"many_elements", "Gives a page of fifteen million numbers in place of its records, packed: some kilobytes."},
			spoil: func(Target, [][]byte, deform.Strike) [][]byte {
				return [][]byte{bytes.TrimSuffix(bytes.Repeat([]byte("1,"), manyElements), []byte(","))}
			},
			send: zipped(true, plain),
		},
		{
			Kind:  Kind{"many_keys", "Gives the page's first record a million keys that no document names."},
			spoil: deform.First(crowded),
		},
		{
			Kind: Kind{"huge_token", "Says that a list goes on with a next_token of eight megabytes."},
			body: whole(func(page []byte) []byte {
				return deform.With(deform.Without(page, "next_token"), `"next_token":"`+strings.Repeat("t", hugeToken)+`"`)
			}),
		},
		{
			Kind:  Kind{"all_poison", "Gives every record, and every chat of the export, a text where a number or date belongs."},
			spoil: deform.Every(deform.Number(`"not a value"`)),
		},
	}
}

// crowded gives a record a million keys.
func crowded(_ Target, record []byte) []byte {
	var keys bytes.Buffer
	for n := range manyKeys {
		if n > 0 {
			keys.WriteByte(',')
		}
		fmt.Fprintf(&keys, `"key_%d":1`, n)
	}
	return deform.With(record, keys.String())
}
