package jsonscan_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"sluice/pipeline/check"
	"sluice/schema/jsonscan"
)

func TestValueEndsWhereTheValueDoes(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		`{}`, `[]`, `{ }`, "[\n]", `""`, `"a"`, `"a long text of more than eight bytes"`, `"\"\\\/\b\f\n\r\t\u00e9"`, `"Zürich 東京"`,
		`0`, `-0`, `10`, `-1.50`, `1e3`, `1E+30`, `0.5e-7`, `true`, `false`, `null`,
		`{"a":1,"b":[1,2,{"c":null}],"d":{"e":"}"}}`, `[ 1 , "]" , [ ] ]`, "{\t\"a\" :\r\n1 }", `"eight..8"`, `"eight..8\\"`,
	} {
		for _, tail := range []string{"", ",", " ", "}", "]", "x"} {
			data := []byte("__" + value + tail)
			if tail == "x" && value[len(value)-1] >= '0' && value[len(value)-1] <= '9' {
				continue // would still be the end: a reader that goes on refuses it
			}
			end, ok := jsonscan.Value(data, 2, 0)
			check.ErrorIf(t, !ok || end != 2+len(value), "%q with %q behind it ends at %d, %t", value, tail, end, ok)
		}
	}
}

func TestValueSaysNoToWhatIsNoJSON(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		``, ` `, `{`, `[`, `"`, `"abc`, `"a\`, `"a\x"`, `"\u12g4"`, `"\u12`, "\"a\nb\"", "\"\x7f\xff\"", "\"12345678\x00\"",
		`{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{,}`, `{"a" 1}`, `[1,]`, `[,]`, `[1 2]`, `[1}`, `{"a":1]`,
		`01`, `-`, `.5`, `1.`, `1e`, `+1`, `nul`, `True`, `NaN`, strings.Repeat("[", 65) + strings.Repeat("]", 65),
		`{"a":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + `}`,
	} {
		end, ok := jsonscan.Value([]byte(value), 0, 0)
		check.ErrorIf(t, ok, "%q was taken, to %d", value, end)
	}
	_, ok := jsonscan.Value([]byte("[]"), 0, jsonscan.MaxDepth)
	check.ErrorIf(t, ok, "a value within 64 others was taken")
}

func TestElementsAreThoseOfTheArrayAndHaveNoRoomBehind(t *testing.T) {
	t.Parallel()
	data := []byte(` [ {"a":[1]} ,2,"x" ] `)
	var got []string
	end, ok := jsonscan.Elements(data, 1, 0, func(element []byte) {
		got = append(got, string(element))
		if cap(element) != len(element) {
			t.Errorf("%q has room for %d bytes more", element, cap(element)-len(element))
		}
	})
	check.ErrorIf(t, !ok || end != len(data)-1 || strings.Join(got, "|") != `{"a":[1]}|2|"x"`, "elements are %q, end %d, %t", got, end, ok)
	_, ok = jsonscan.Elements([]byte(`{}`), 0, 0, nil)
	check.ErrorIf(t, ok, "an object has elements")
}

func TestOnceSaysNoToNamesThatMayComeTwice(t *testing.T) {
	t.Parallel()
	many := func(count int) string {
		var names []string
		for i := range count {
			names = append(names, fmt.Sprintf(`"n%d":1`, i))
		}
		return "{" + strings.Join(names, ",") + "}"
	}
	var open jsonscan.Names
	for value, want := range map[string]bool{
		`"a"`: true, `{}`: true, `[{"a":1},{"a":2}]`: true, `{"a":{"a":1},"b":{"a":1}}`: true, `{"a":[{"b":1}],"b":1}`: true, `{"a":1,"A":2}`: true,
		`{"a":1,"a":1}`: false, `[1,{"b":{"a":1,"c":2,"a":3}}]`: false, `{"a":{"b":1},"c":2,"a":{}}`: false, `{"":1,"":1}`: false,
		`{"\u0061":1}`: false, many(64): true, many(65): false,
		"[" + many(64) + "," + many(64) + "]": true,
	} {
		end, ok := jsonscan.Once([]byte(value), 0, 0, &open)
		check.ErrorIf(t, ok != want || ok && end != len(value), "%.60s: %t, to %d", value, ok, end)
		_, ok = jsonscan.Value([]byte(value), 0, 0)
		check.ErrorIf(t, !ok, "%.60s was not taken by Value", value)
	}
}

// A strict decoder accepts every value that the scan accepts, with the same end. The scan refuses a
// valid text only for its depth.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"b",null]}`, `"\ud800"`, "\"\xff\"", `[[1e5]]`, `{"a":1,"a":2}`, `1 2`, ` null `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		from := jsonscan.Space(data, 0)
		end, ok := jsonscan.Value(data, from, 0)
		whole := ok && jsonscan.Space(data, end) == len(data)
		want := jsontext.Value(data).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		check.FatalIf(t, whole && (!want || !utf8.Valid(data)), "%q was taken", data)
		if !whole && want && utf8.Valid(data) && strings.Count(string(data), "[")+strings.Count(string(data), "{") <= jsonscan.MaxDepth {
			t.Fatalf("%q was not taken", data)
		}
		once, ok := jsonscan.Once(data, from, 0, new(jsonscan.Names))
		check.FatalIf(t, ok && (once != end || !jsontext.Value(data[from:once]).IsValid(jsontext.AllowInvalidUTF8(true))),
			"%q was taken by Once, to %d", data, once)
	})
}
