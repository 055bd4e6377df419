package canonical_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/schema"
	"sluice/schema/record/canonical"
)

// The canonical text of a value, by kind: text, "null", or the code of the misfit. The expected
// texts are those that Postgres prints for the type.
func TestAppend(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	reader := canonical.NewReader(zone)
	for _, c := range []struct {
		kind      schema.Kind
		raw, want string
	}{
		{schema.KindID, `"007"`, "007"},
		{schema.KindID, `90071992547409931234`, "90071992547409931234"},
		{schema.KindID, `-0`, "0"},
		{schema.KindID, `" "`, "null"},
		{schema.KindID, `1e3`, "bad_number"},
		{schema.KindID, `true`, "wrong_type"},
		{schema.KindText, `""`, ""},
		{schema.KindText, `" a\u0000"`, " a␀"},
		{schema.KindText, `null`, "null"},
		{schema.KindText, `5`, "wrong_type"},
		{schema.KindBool, `"true"`, "true"},
		{schema.KindBool, `false`, "false"},
		{schema.KindBool, `"no"`, "wrong_type"},
		{schema.KindInt, `"-12"`, "-12"},
		{schema.KindInt, `-0`, "0"},
		{schema.KindInt, `999999999999999999`, "999999999999999999"},
		{schema.KindInt, `-9223372036854775808`, "-9223372036854775808"},
		{schema.KindInt, `1.0`, "bad_number"},
		{schema.KindInt, `9223372036854775808`, "out_of_range"},
		{schema.KindDecimal, `1000.00`, "1000"},
		{schema.KindDecimal, `"-0.00"`, "0"},
		{schema.KindDecimal, `12.50e-3`, "0.0125"},
		{schema.KindDecimal, `1e131071`, "out_of_range"},
		{schema.KindDecimal, `"1,5"`, "bad_number"},
		{schema.KindDate, `"2026-02-28"`, "2026-02-28"},
		{schema.KindDate, `"2026-02-29"`, "bad_time"},
		{schema.KindDate, `20260228`, "wrong_type"},
		{schema.KindTime, `"2026-01-17T15:27:23"`, "2026-01-17 09:57:23+00"},
		{schema.KindTime, `1768643843000`, "2026-01-17 09:57:23+00"},
		{schema.KindTime, `"0001-01-01T00:00:00Z"`, "0001-01-01 00:00:00+00"},
		{schema.KindTime, `"0001-01-01T00:00:00+0001"`, "out_of_range"},
		{schema.KindTime, `"9999-12-31T23:29:59.9999999-00:30"`, "9999-12-31 23:59:59.999999+00"},
		{schema.KindTime, `"9999-12-31T23:30:00-00:30"`, "out_of_range"},
		{schema.KindTime, `"soon"`, "bad_time"},
		{schema.KindTime, `""`, "null"},
		{schema.KindJSON, `{ "b": 1.50, "a": "\u0000" }`, `{"a":"␀","b":1.5}`},
		{schema.KindJSON, `{"a":1,"a":2}`, "duplicate_key"},
		{schema.KindJSON, `[1e131071]`, "out_of_range"},
	} {
		before := []byte("before|")
		text, null, bad := reader.Append(before, c.kind, jsontext.Value(c.raw))
		got := string(bad.Code)
		switch {
		case bad.Code != "":
		case null:
			got = "null"
		default:
			got = string(text[len(before):])
		}
		if got != c.want || string(text[:len(before)]) != string(before) {
			t.Errorf("%d of %s: want %q, got %q in %q", c.kind, c.raw, c.want, got, text)
		}
		literal, quoted := strings.CutPrefix(c.raw, `"`)
		literal = strings.TrimSuffix(literal, `"`)
		if strings.Contains(c.raw, `\`) {
			continue
		}
		if size, ok := canonical.Spelled(c.kind, []byte(literal), quoted); ok && literal[:size] != c.want {
			t.Errorf("%d of %s: %q is said to be its spelling, want %q", c.kind, c.raw, literal[:size], c.want)
		}
	}
}

func TestMostOfWhatUpstreamWritesIsSpelledAsItIsKept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind    schema.Kind
		literal string
		quoted  bool
		want    string // "-" means no expectation
	}{
		{schema.KindText, "any text", true, "any text"},
		{schema.KindText, "", true, ""},
		{schema.KindText, "7", false, "-"},
		{schema.KindID, "460000000038085", true, "460000000038085"},
		{schema.KindID, "460000000038085", false, "460000000038085"},
		{schema.KindID, " ", true, "-"},
		{schema.KindID, "7.0", false, "-"},
		{schema.KindID, "null", false, "-"},
		{schema.KindDecimal, "1234.50", false, "1234.5"},
		{schema.KindDecimal, "-1234.00", true, "-1234"},
		{schema.KindDecimal, "0", false, "0"},
		{schema.KindDecimal, "-0", false, "-"},
		{schema.KindDecimal, "1e3", false, "-"},
		{schema.KindDecimal, "", true, "-"},
		{schema.KindInt, "-12", false, "-12"},
		{schema.KindInt, "0", true, "0"},
		{schema.KindInt, "-0", false, "-"},
		{schema.KindInt, "-", true, "-"},
		{schema.KindInt, "007", true, "-"},
		{schema.KindInt, "999999999999999999", false, "999999999999999999"},
		{schema.KindInt, "-999999999999999999", false, "-999999999999999999"},
		{schema.KindInt, "9999999999999999999", false, "-"},
		{schema.KindBool, "true", false, "true"},
		{schema.KindBool, "false", true, "false"},
		{schema.KindBool, "null", false, "-"},
		{schema.KindBool, "yes", true, "-"},
		{schema.KindDate, "2026-01-17", true, "2026-01-17"},
		{schema.KindDate, "2026-02-29", true, "-"},
		{schema.KindDate, "2026-01-17T00:00:00", true, "-"},
		{schema.KindTime, "2026-01-17T15:27:23Z", true, "-"},
		{schema.KindJSON, "{}", false, "-"},
	} {
		got := "-"
		if size, ok := canonical.Spelled(c.kind, []byte(c.literal), c.quoted); ok {
			got = c.literal[:size]
		}
		if got != c.want {
			t.Errorf("%d of %s (quoted: %t): %q, want %q", c.kind, c.literal, c.quoted, got, c.want)
		}
	}
}

func TestNoDetailHoldsTheValue(t *testing.T) {
	t.Parallel()
	reader := canonical.NewReader(time.UTC)
	for kind := schema.KindID; kind <= schema.KindJSON; kind++ {
		for _, raw := range []string{`"4711e"`, `4711.5`, `[4711]`, `{"a":4711,"a":1}`} {
			_, _, bad := reader.Append(nil, kind, jsontext.Value(raw))
			if strings.Contains(bad.Detail, "4711") {
				t.Errorf("%d of %s: %s", kind, raw, bad.Detail)
			}
		}
	}
}
