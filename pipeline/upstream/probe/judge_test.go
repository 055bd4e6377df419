package probe

import (
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// at makes records from words: "b5" is the record b, modified five seconds after noon; "b-" has no
// time.
func at(words string) []sample {
	var records []sample
	for word := range strings.FieldsSeq(words) {
		r := sample{id: word[:1]}
		if word[1:] != "-" {
			seconds, err := time.ParseDuration(word[1:] + "s")
			if err != nil {
				panic(err)
			}
			r.modified = noon.Add(seconds)
		}
		records = append(records, r)
	}
	return records
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		order, said, records string
		want                 pipeline.Answer
	}{
		"descending":                  {"D", "changed D", "a3 b2 c2 d1", pipeline.AnswerYes},
		"ascending":                   {"A", "changed A", "a1 b2 c2 d3", pipeline.AnswerYes},
		"out of order":                {"D", "changed D", "a3 b1 c2", pipeline.AnswerNo},
		"the other order":             {"A", "changed A", "a3 b2", pipeline.AnswerNo},
		"sorted by chance":            {"D", "created D", "a3 b2 c1", pipeline.AnswerNo},
		"in the other order, it says": {"D", "changed A", "a3 b2 c1", pipeline.AnswerNo},
		"one time has no order":       {"D", "changed D", "a1 b1 c1", pipeline.AnswerUnknown},
		"one record":                  {"D", "changed D", "a1", pipeline.AnswerUnknown},
		"none":                        {"D", "changed D", "", pipeline.AnswerUnknown},
	} {
		said := strings.Fields(test.said)
		request := pipeline.Request{Sort: "changed", Order: test.order}
		got := order(pipeline.CapabilityDescending, request, pipeline.Page{Sort: said[0], Order: said[1]}, at(test.records))
		check.ErrorIf(t, got.Answer != test.want, "%s: %+v, want %s", name, got, test.want)
	}
}

func TestFilterAndInclusive(t *testing.T) {
	t.Parallel()
	const yes, no, unknown = pipeline.AnswerYes, pipeline.AnswerNo, pipeline.AnswerUnknown
	for name, test := range map[string]struct {
		known, came       string
		more              bool
		filter, inclusive pipeline.Answer
	}{
		// The filter asks from the third of these times, 3 s.
		"as it should":             {"a1 b2 c3 d4 e5", "c3 d4 e5", false, yes, yes},
		"ignored":                  {"a1 b2 c3 d4 e5", "a1 b2 c3 d4 e5", false, no, yes},
		"the instant alone":        {"a1 b2 c3 d4 e5", "c3", false, no, yes},
		"nothing at all":           {"a1 b2 c3 d4 e5", "", false, no, no},
		"only what is later":       {"a1 b2 c3 d4 e5", "d4 e5", false, yes, no},
		"edited between the calls": {"a1 b2 c3 d4 e5", "d4 e5 c9", false, yes, unknown},
		"new between the calls":    {"a1 b2 c3 d4 e5", "c3 d4 e5 f9", false, yes, yes},
		"a page of the instant":    {"a1 b2 c3 d4 e5", "c3", true, unknown, yes},
		"a page that begins late":  {"a1 b2 c3 d4 e5", "d4", true, yes, unknown},
		"two times":                {"a1 b2", "b2", false, yes, yes},
		"one time, none behind it": {"a1 b1", "", false, yes, unknown},
		"one time, and it comes":   {"a1 b1", "a1 b1", false, no, unknown},
		"records without a time":   {"a1 b2 c3 d4 e5 f-", "c3 d4 e5 f-", false, yes, yes},
	} {
		known := at(test.known)
		request := pipeline.Request{Since: between(known)}
		page := pipeline.Page{More: test.more}
		got := filter(request, page, known, at(test.came))
		check.ErrorIf(t, got.Answer != test.filter, "%s: filter %+v, want %s", name, got, test.filter)
		if got := inclusive(request, page, known, at(test.came)); got.Answer != test.inclusive {
			t.Errorf("%s: inclusive %+v, want %s", name, got, test.inclusive)
		}
	}
	check.ErrorIf(t, !between(at("a-")).IsZero() || !between(nil).IsZero(), "an instant is asked for although no time is known")
}

func TestTurnedAndSize(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		second string
		want   pipeline.Answer
	}{
		"another page":            {"c1 d1", pipeline.AnswerYes},
		"one moved over":          {"b1 c1", pipeline.AnswerYes},
		"the same page":           {"a1 b1", pipeline.AnswerNo},
		"the same, the other way": {"b1 a1", pipeline.AnswerNo},
		"empty":                   {"", pipeline.AnswerUnknown},
	} {
		got := turned(at("a1 b1"), at(test.second))
		check.ErrorIf(t, got.Answer != test.want, "%s: %+v, want %s", name, got, test.want)
	}
	for name, test := range map[string]struct {
		came, said int
		more       bool
		want       string
	}{
		"granted":                   {20, 20, true, "yes 20"},
		"granted, the last page":    {3, 20, false, "yes 20"},
		"fewer, it says":            {10, 10, true, "no 10"},
		"more than asked for":       {50, 0, false, "no 50"},
		"more, it says":             {20, 200, true, "no 200"},
		"full, and more to follow":  {20, 0, true, "yes 20"},
		"fewer, and more to follow": {10, 0, true, "no 10"},
		"short, and says nothing":   {3, 0, false, "unknown "},
	} {
		page := pipeline.Page{PerPage: test.said, More: test.more, Records: make([][]byte, test.came)}
		got := sizeOf(20, page)
		check.ErrorIf(t, string(got.Answer)+" "+got.Value != test.want, "%s: %+v, want %s", name, got, test.want)
	}
}
