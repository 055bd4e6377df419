// Package faults makes calls go wrong on demand: the kinds of faults, the calls that each strikes,
// and its effect on an answer, its records or its transport.
//
// It never strikes by itself and counts no limits. Package endpoints applies faults that change the
// choice of a page; package deform makes the wrong answers. Start reading with Kinds, then Book and
// Misbehave.
package faults

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"sluice/sandbox/faults/deform"
)

// Fault makes some calls go wrong.
type Fault struct {
	// Path is the prefix of the paths concerned, such as /inventory/v1/bills; with the prefix of
	// the data center, if there is one.
	Path  string `json:"path"`
	Kind  string `json:"kind"`  // one of Kinds
	Count int    `json:"count"` // number of calls; 0: until the faults are set anew
	After int    `json:"after"` // number of matching calls that pass first
	// Organization is the id of the organization concerned; "" for all.
	Organization string `json:"organization,omitempty"`
	// Method is the method of the calls concerned; "" for all.
	Method string `json:"method,omitempty"`
	// Rate is the probability of a strike on a matching call, above 0 up to 1; 0 means always. Seed
	// makes the choice repeatable.
	Rate float64 `json:"rate,omitempty"`
	Seed uint64  `json:"seed,omitempty"`
	// Milliseconds is the pause of the kinds slow, between two pieces, and stall; 0 means 50.
	Milliseconds int `json:"milliseconds,omitempty"`
	// Byte is the number of bytes of a body that the kinds cut, cut_silent and reset_body send; 0
	// means half of them.
	Byte int `json:"byte,omitempty"`
	// Seconds is the wait that the kinds retry_after and retry_date ask for; 0 means 30.
	Seconds int `json:"seconds,omitempty"`
	// Code is that of the kind error_in_200; 0 means 9.
	Code int `json:"code,omitempty"`
	// Location is the target of the kind redirect; "" means a host that does not exist.
	Location string `json:"location,omitempty"`

	// The rest is set at a strike: the world's clock, the number of strikes, this one included, and
	// the answers that the kind stale repeats.
	At     time.Time     `json:"-"`
	Strike deform.Strike `json:"-"`
	Cache  *Cache        `json:"-"`
}

// Is compares the kind; a nil fault is of no kind.
func (f *Fault) Is(kind string) bool { return f != nil && f.Kind == kind }

// Kind describes one kind of fault in a sentence.
type Kind struct {
	Kind     string `json:"kind"`
	Sentence string `json:"sentence"`
}

// Kinds returns all kinds of faults.
func Kinds() []Kind { return append(CommonKinds(), RareKinds()...) }

// CommonKinds returns the kinds that every client meets sooner or later; RareKinds returns the
// others. Kinds for lists and pages do not affect single records, the export or the token endpoint,
// where they make no sense.
func CommonKinds() []Kind {
	return []Kind{
		{"html", "Answers 200 with an HTML page, as a login or maintenance page does."},
		{"cut", "Breaks the connection in the middle of a body whose length was announced."},
		{"cut_silent", "Ends the body in the middle, with nothing that announced its length."},
		{"error_in_200", "Answers 200 with code 9 in the envelope."},
		{"wrong_page", "Claims the next page's number in page_context."},
		{"repeat_page", "Answers every page with the records of page 1."},
		{"ignore_filter", "Ignores last_modified_time in silence."},
		{"empty_more", "Answers an empty page that says there are more."},
		{"missing_context", "Leaves page_context out."},
		{"unavailable", "Answers 503 with HTML."},
		{"throttle", "Answers 429 with code 44: too many calls in a minute."},
		{"crowded", "Answers 429 with code 1070: too many calls at once."},
		{"exhausted", "Answers 429 with code 45: the day's allowance is gone."},
		{"unauthorized", "Answers 401 with code 57 although the token is good."},
		{"forbidden", "Answers 403."},
		{"poison", "Gives the page's first record a text where a number or date belongs, and its second record no id."},
		{"nul", "Puts U+0000 into a text of the page's first record."},
		{"unsorted", "Answers the page's records in the reverse of the order asked for."},
		{"reset", "Resets the connection before any answer."},
		{"slow", "Sends the body in sixteen pieces with a pause before each."},
		{"redirect", "Answers 302 to another host."},
		{"duplicate", "Shows the page's first record twice."},
		{"delete_between", "Deletes a record of page 1 for good before a later page is answered."},
		{"extra_keys", "Adds keys to each record that no document names."},
	}
}

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
