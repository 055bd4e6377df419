package faults

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"sluice/sandbox/faults/deform"
)

const largestPage = 200 // docs/upstream.md U80

// asked returns an act that changes the query of a call.
func asked(change func(url.Values)) func(*http.Request) {
	return func(r *http.Request) {
		query := r.URL.Query()
		change(query)
		r.URL.RawQuery = query.Encode()
	}
}

// whole adapts a change of a body that needs no request.
func whole(change func([]byte) []byte) func([]byte, *http.Request) []byte {
	return func(body []byte, _ *http.Request) []byte { return change(body) }
}

func pageActs() []act {
	return []act{
		{
			Kind: Kind{"more_early", "Says that there are no more pages, whether there are or not."},
			body: whole(func(page []byte) []byte { return deform.More(page, false) }),
		},
		{
			Kind: Kind{"more_forever", "Says that there are more pages, whether there are or not."},
			body: whole(func(page []byte) []byte { return deform.More(page, true) }),
		},
		{Kind: Kind{"missing_more", "Leaves has_more_page out of page_context."}, body: whole(deform.Unsaid)},
		{Kind: Kind{"context_array", "Writes page_context as an array of one object, with numbers as texts."}, body: whole(deform.Listed)},
		{
			Kind: Kind{"capped_page", "Gives pages of half the size asked for, and says so."},
			ask: asked(func(query url.Values) {
				size, err := strconv.Atoi(query.Get("per_page"))
				if err != nil || size < 1 {
					size = largestPage
				}
				query.Set("per_page", strconv.Itoa(max(1, size/2))) // half of it.
			}),
		},
		{
			Kind: Kind{"ignore_sort", "Ignores sort_column and sort_order in silence."},
			ask: asked(func(query url.Values) {
				query.Del("sort_column")
				query.Del("sort_order")
			}),
		},
		{Kind: Kind{"filter_exact", "Takes last_modified_time for the instant itself, not for one to begin with."}, body: exactly},
		{Kind: Kind{"narrow", "Gives records with their id, one text and the modification time alone."}, spoil: deform.Every(deform.Narrow)},
		{Kind: Kind{"foreign", "Gives records of another organization: with other ids."}, spoil: deform.Every(deform.ForeignID)},
		{Kind: Kind{"insert_between", "Inserts a record before a later page than the first is answered."}},
		{Kind: Kind{"edit_between", "Edits a record of page 1 before a later page is answered."}},
	}
}

// exactly keeps the records that were modified at the requested instant.
func exactly(body []byte, r *http.Request) []byte {
	since, err := time.Parse("2006-01-02T15:04:05-0700", r.URL.Query().Get("last_modified_time"))
	if err != nil {
		return body
	}
	return deform.Kept(body, func(records [][]byte) [][]byte { return deform.Only(since, records) })
}

const skew = 2 * time.Hour // of a clock that is wrong

func timeActs() []act {
	date := func(by time.Duration) func(http.Header, *Fault) {
		return func(h http.Header, f *Fault) { h.Set("Date", f.At.Add(by).UTC().Format(http.TimeFormat)) }
	}
	constant := func(value string) func(string) string { return func(string) string { return value } }
	return []act{
		{Kind: Kind{"clock_ahead", "Says in header Date that it is two hours later."}, head: date(skew)},
		{Kind: Kind{"clock_behind", "Says in header Date that it is two hours earlier."}, head: date(-skew)},
		{
			Kind: Kind{"stale", "Repeats the first answer of each address, as a cache does, with Age and an old Date."},
			head: func(h http.Header, f *Fault) {
				date(-skew)(h, f)
				h.Set("Age", strconv.Itoa(int(skew/time.Second)))
			},
			send: func(w http.ResponseWriter, r *http.Request, f *Fault, now *captured) {
				body := f.Cache.first(r.URL.String(), now.body.Bytes())
				now.body.Reset()
				_, _ = now.body.Write(body)
				send(w, now)
			},
		},
		{
			Kind:  Kind{"future_time", "Gives the page's first record a modification time in the year 2999."},
			spoil: deform.First(deform.Modified(constant("2999-01-01T00:00:00+0000"))),
		},
		{
			Kind:  Kind{"old_time", "Gives all records modification times of twenty years before."},
			spoil: deform.Every(deform.Modified(deform.Earlier)),
		},
		{Kind: Kind{"no_offset", "Writes modification times without an offset."}, spoil: deform.Every(deform.Modified(deform.WithoutOffset))},
		{
			Kind:  Kind{"other_offset", "Writes modification times in UTC with Z and a fraction."},
			spoil: deform.Every(deform.Modified(deform.OtherOffset)),
		},
		{
			Kind:  Kind{"zero_time", "Gives the page's first record the modification time 0000-00-00T00:00:00+0000."},
			spoil: deform.First(deform.Modified(constant("0000-00-00T00:00:00+0000"))),
		},
	}
}

func recordActs() []act {
	const (
		levels = 200     // that no parser should follow
		huge   = 9 << 20 // bytes, above what a record may reasonably have
	)
	return []act{
		{
			Kind:  Kind{"surrogate", "Puts half of a surrogate pair into a text of the page's first record."},
			spoil: deform.First(deform.Text(`"half \ud83c"`)),
		},
		{
			Kind:  Kind{"invalid_utf8", "Puts a byte that UTF-8 does not have into a text of the page's first record."},
			spoil: deform.First(deform.Latin),
		},
		{
			Kind:  Kind{"huge_number", "Gives the page's first record a number of 131,072 digits, in eight characters."},
			spoil: deform.First(deform.Number("1e131071")),
		},
		{
			Kind:  Kind{"nan", "Gives the page's first record NaN where a number belongs, which is no JSON."},
			spoil: deform.First(deform.Number("NaN")),
		},
		{Kind: Kind{"duplicate_key", "Gives the page's first record one key twice, with two values."}, spoil: deform.First(deform.Twice)},
		{Kind: Kind{"case_twin", "Gives each record a key a second time, in capitals."}, spoil: deform.Every(deform.CaseTwin)},
		{Kind: Kind{"bare_id", "Writes ids as numbers."}, spoil: deform.Every(deform.BareID)},
		{Kind: Kind{"nulls", "Writes null for what is absent, in the place of an empty text."}, spoil: deform.Every(deform.Nulls)},
		{Kind: Kind{"flipped", "Flips types: numbers become texts, flags numbers, arrays objects."}, spoil: deform.Every(deform.Flipped)},
		{Kind: Kind{"drifting", "Gives each record a key whose name is another one on each page."}, spoil: deform.Drifting},
		{Kind: Kind{"renamed_key", "Writes one key's name anew on all records."}, spoil: deform.Every(deform.Renamed)},
		{Kind: Kind{"dropped_key", "Leaves one key out of all records."}, spoil: deform.Every(deform.Unstated)},
		{Kind: Kind{"deep", "Gives the page's first record arrays two hundred deep."}, spoil: deform.First(deform.Deep(levels))},
		{Kind: Kind{"huge_record", "Gives the page's first record a text of nine megabytes."}, spoil: deform.First(deform.Long(huge))},
		{
			Kind:  Kind{"all_huge_numbers", "Gives every record a number of 131,072 digits, in eight characters."},
			spoil: deform.Every(deform.Number("1e131071")),
		},
		{Kind: Kind{"same_id", "Gives all records one id, which none of them has."}, spoil: deform.Every(deform.OneID)},
		{
			Kind:  Kind{"object_text", "Gives the page's first record an object where a text belongs."},
			spoil: deform.First(deform.Text(`{"value":"x"}`)),
		},
	}
}

func exportActs() []act {
	return []act{
		{Kind: Kind{"csv_newlines", "Gives every chat of the export a title with line breaks, commas and quotes."}},
		{Kind: Kind{"csv_empty_id", "Takes the chat_id of the export's first chat."}},
		{Kind: Kind{"csv_no_header", "Leaves out the export's header."}, csv: true, body: whole(deform.Headless)},
		{Kind: Kind{"csv_no_trailer", "Leaves out the token that an answer of the export ends with."}, csv: true, body: whole(deform.Untold)},
		{
			Kind: Kind{"csv_same_token", "Ends an answer of the export with the token that it was asked for with."}, csv: true,
			body: func(export []byte, r *http.Request) []byte {
				return deform.SameToken(export, r.URL.Query().Get("next_token"))
			},
		},
		{
			Kind: Kind{"csv_cut_line", "Ends the export in the middle of its last line, with the length announced."}, csv: true,
			body: whole(deform.CutLine),
		},
		{Kind: Kind{"csv_extra_column", "Gives every line of the export one column more."}, csv: true, body: whole(deform.Wider)},
		{Kind: Kind{"csv_empty", "Answers an export of no bytes."}, csv: true, body: whole(func([]byte) []byte { return nil })},
	}
}

// Target names the keys of a record that a fault may spoil, by wire names.
type Target = deform.Target

// Spoil applies a fault to the records of a page; a nil fault does nothing. It may change the given
// slice.
func Spoil(fault *Fault, target Target, records [][]byte) [][]byte {
	if fault == nil || len(records) == 0 {
		return records
	}
	switch fault.Kind {
	case "poison":
		records[0] = deform.Value(records[0], target.Number, `"not a value"`)
		if len(records) > 1 {
			records[1] = deform.Without(records[1], target.ID)
		}
	case "nul":
		records[0] = deform.Value(records[0], target.Text, `"before\u0000after"`)
	case "unsorted":
		slices.Reverse(records)
	case "duplicate":
		if len(records) > 1 {
			records = slices.Insert(records, 1, slices.Clone(records[0]))
		}
	case "extra_keys":
		for n, record := range records {
			record = bytes.TrimSuffix(record, []byte("}"))
			records[n] = append(record, `,"entity_rank":7,"is_edition_flag":true,"edition_details":{"region":"north","codes":["a","b"]}}`...)
		}
	default:
		if act, found := find(fault.Kind); found && act.spoil != nil {
			return act.spoil(target, records, fault.Strike)
		}
	}
	return records
}

// SpoilChat applies the faults of records to one value of the conversation export; the row counts
// from 0.
func SpoilChat(fault *Fault, row int, name, value string) string {
	switch {
	case name == "creation_time" && (fault.Is("all_poison") || fault.Is("poison") && row == 0):
		return "yesterday"
	case fault.Is("poison") && row == 1 && name == "chat_id":
		return ""
	case fault.Is("nul") && row == 0 && name == "title":
		return value + "\x00"
	case fault.Is("csv_newlines") && name == "title":
		return "first line\r\nsecond \"line\",\nthird"
	case fault.Is("csv_empty_id") && row == 0 && name == "chat_id":
		return ""
	default:
		return value
	}
}
