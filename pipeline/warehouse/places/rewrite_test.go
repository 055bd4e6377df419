package places_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sluice/pipeline/warehouse/places"
)

func TestRewriteTakesTheTextOut(t *testing.T) {
	t.Parallel()
	needle, err := places.NewNeedle("anna@example.com")
	if err != nil {
		t.Fatal(err)
	}
	number, err := places.NewNeedle("49123")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, raw, want string
		needle          *places.Needle
		hits            int
	}{
		{"a value", `{"email": "anna@example.com","n":1}`, `{"email": "[erased]","n":1}`, needle, 1},
		{"within a note, other letters", `{"a":["write to ANNA@Example.com"]}`, `{"a":["[erased]"]}`, needle, 1},
		{"escaped", `{"a":"\u0061nna@example\u002ecom"}`, `{"a":"[erased]"}`, needle, 1},
		{"JSON in a string", `{"a":"{\"b\":\"\\u0061nna@example.com\"}"}`, `{"a":"[erased]"}`, needle, 1},
		{"two keys", `{"anna@example.com":1,"x anna@example.com" :2}`, `{"[erased 1]":1,"[erased 2]" :2}`, needle, 2},
		{"nothing", `{"email":"anne@example.com","é":"\n"}`, `{"email":"anne@example.com","é":"\n"}`, needle, 0},
		{"a number that is the text", `{"phone":49123,"total":149123.50}`, `{"phone":null,"total":149123.50}`, number, 1},
		{"no JSON", `{"email":"anna@example.com"`, `{"email":"anna@example.com"`, needle, 0},
	} {
		got, hits := places.Rewrite([]byte(c.raw), c.needle.Erases)
		if string(got) != c.want || hits != c.hits {
			t.Errorf("%s: %s with %d hits, want %s with %d", c.name, got, hits, c.want, c.hits)
		}
	}
}

// Whatever the JSON is, it stays JSON, and nothing of the text is left.
func TestNothingIsLeftAfterARewrite(t *testing.T) {
	t.Parallel()
	needle, err := places.NewNeedle("Anna")
	if err != nil {
		t.Fatal(err)
	}
	text := rapid.SampledFrom([]string{"Anna", "x anna y", "ANNA", "Ann", `a\"nna`, "\n", "日", `{"a":"Anna"}`, ""})
	value := rapid.Deferred(func() *rapid.Generator[any] {
		return rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Int(), func(n int) any { return n }),
			rapid.Just[any](nil), rapid.Map(rapid.SliceOfN(text, 0, 3), func(s []string) any { return s }),
			rapid.Map(rapid.MapOf(text, text), func(m map[string]string) any { return m }))
	})
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(rapid.MapOf(text, value).Draw(t, "record"))
		if err != nil {
			t.Fatal(err)
		}
		spelled := []byte(strings.ReplaceAll(string(raw), "nn", rapid.SampledFrom([]string{"nn", `\u006e\u006E`}).Draw(t, "spelling")))
		got, _ := places.Rewrite(spelled, needle.Erases)
		if !json.Valid(got) || needle.InJSON(got) {
			t.Fatalf("%s became %s", spelled, got)
		}
	})
}
