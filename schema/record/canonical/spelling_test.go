package canonical_test

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"sluice/schema"
	"sluice/schema/record/canonical"
)

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
