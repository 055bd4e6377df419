package canonical_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"sluice/pipeline/check"
	"sluice/schema"
	"sluice/schema/record/canonical"
)

// The canonical text of a value, by kind: text, "null", or the code of the misfit. The expected
// texts are those that Postgres prints for the type.
func TestAppend(t *testing.T) {
	t.Parallel()
	zone := check.Sure(time.LoadLocation("Asia/Kolkata"))(t)
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
		check.ErrorIf(t, got != c.want || string(text[:len(before)]) != string(before),
			"%d of %s: want %q, got %q in %q", c.kind, c.raw, c.want, got, text)
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
		check.ErrorIf(t, got != c.want, "%d of %s (quoted: %t): %q, want %q", c.kind, c.literal, c.quoted, got, c.want)
	}
}

func TestNoDetailHoldsTheValue(t *testing.T) {
	t.Parallel()
	reader := canonical.NewReader(time.UTC)
	for kind := schema.KindID; kind <= schema.KindJSON; kind++ {
		for _, raw := range []string{`"4711e"`, `4711.5`, `[4711]`, `{"a":4711,"a":1}`} {
			_, _, bad := reader.Append(nil, kind, jsontext.Value(raw))
			check.ErrorIf(t, strings.Contains(bad.Detail, "4711"), "%d of %s: %s", kind, raw, bad.Detail)
		}
	}
}

const seconds = 24 * 60 * 60

// Every day of the years 1 to 9999, with what package time has for it.
func TestDaysAreThoseOfPackageTime(t *testing.T) {
	t.Parallel()
	const first = -719_162 // 0001-01-01
	const last = 2_932_896 // 9999-12-31
	if from, to := time.Unix(first*seconds, 0).UTC(), time.Unix(last*seconds, 0).UTC(); from.Format(time.DateOnly) != "0001-01-01" || to.Format(time.DateOnly) != "9999-12-31" {
		t.Fatalf("%s to %s are not all days", from, to)
	}
	var text []byte
	for days := first; days <= last; days++ {
		day := time.Unix(int64(days)*seconds, 0).UTC()
		text = day.AppendFormat(text[:0], time.DateOnly)
		got, ok := canonical.Day(text)
		check.FatalIf(t, !ok || got != days, "%s is %d, %t, want %d", text, got, ok, days)
	}
}

func TestOnlyDaysThatExistAreRead(t *testing.T) {
	t.Parallel()
	for year := range 10_000 {
		for month := range 14 {
			for _, day := range []int{0, 1, 28, 29, 30, 31, 32} {
				text := fmt.Sprintf("%04d-%02d-%02d", year, month, day)
				at, err := time.Parse(time.DateOnly, text)
				want := err == nil && year > 0
				days, ok := canonical.Day(text)
				check.FatalIf(t, ok != want || ok && int64(days)*seconds != at.Unix(), "%s is %d, %t, want %t", text, days, ok, want)
			}
		}
	}
	for _, text := range []string{"", "2026-01-0", "2026/01/01", "2026-01.01", "202x-01-01", "2026-0x-01", "2026-01-0x", "-026-01-01", "+026-01-01"} {
		_, ok := canonical.Day([]byte(text))
		check.ErrorIf(t, ok, "%q is a day", text)
	}
	days, ok := canonical.Day("1970-01-02T03:04:05Z")
	check.ErrorIf(t, !ok || days != 1, "with something behind it a day is %d, %t", days, ok)
}

// The canonical spelling of any number is the same number, and equals that of its shortest
// spelling.
func TestDecimalsKeepTheirValueAndHaveOneSpelling(t *testing.T) {
	t.Parallel()
	reader := canonical.NewReader(time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		literal := rapid.StringMatching(`-?[0-9]{1,6}(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "literal")
		got, null, bad := reader.Append(nil, schema.KindDecimal, jsontext.Value(`"`+literal+`"`))
		if null || bad.Code != "" {
			if bad.Code != canonical.OutOfRange {
				t.Fatalf("%s: null %t, %+v", literal, null, bad)
			}
			return
		}
		want, _ := new(big.Rat).SetString(literal)
		is, ok := new(big.Rat).SetString(string(got))
		if !ok || is.Cmp(want) != 0 {
			t.Fatalf("%s became %s", literal, got)
		}
		spelling := want.FloatString(200)
		spelling = strings.TrimRight(strings.TrimRight(spelling, "0"), ".")
		if spelling == "-0" || spelling == "" {
			spelling = "0"
		}
		if string(got) != spelling {
			t.Fatalf("%s is spelled %s, want %s", literal, got, spelling)
		}
	})
}

func TestInstantsAreSpelledAsPostgresDoes(t *testing.T) {
	t.Parallel()
	reader := canonical.NewReader(time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMicro(rapid.Int64Range(-62_135_596_800_000_000, 253_402_300_799_999_999).Draw(t, "microseconds")).UTC()
		got, _, bad := reader.Append(nil, schema.KindTime, jsontext.Value(at.Format(`"2006-01-02T15:04:05.000000Z"`)))
		if want := at.Format("2006-01-02 15:04:05.999999") + "+00"; string(got) != want || bad.Code != "" {
			t.Fatalf("%s is spelled %s (%+v)", want, got, bad)
		}
	})
}
