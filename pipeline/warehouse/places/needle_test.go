package places_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/places"
	"sluice/pipeline/warehouse/warehousetest"
)

func needle(tb testing.TB, text string) *places.Needle {
	tb.Helper()
	return check.Sure(places.NewNeedle(text))(tb)
}

func TestTextsContain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		needle, text string
		want         bool
	}{
		{"müller", "Frau Müller", true},
		{"müller", "FRAU MÜLLER", true},
		{"MÜLLER", "frau müller", true},
		{"Müller", "Mu\u0308ller", true}, // the accent is a character of its own
		{"Mu\u0308ller", "müller", true},
		{"müller", "muller", false},
		{"müller", "Mülle", false},
		{"a.b@example.com", "Mail: A.B@Example.COM.", true},
		{"a.b@example.com", "aXb@example.com", false},
		{"50%_", "only 50%_ of it", true},
		{"50%_", "only 500 of it", false},
		{`a\b`, `x a\b y`, true},
		{"山田", "山田太郎", true},
		{"name", "", false},
	} {
		check.Same(t, fmt.Sprintf("%q in %.40q", c.needle, c.text), c.want, needle(t, c.needle).In([]byte(c.text)))
	}
}

// Escapes of JSON are decoded, and only what a value or a key says is searched.
func TestJSONContains(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		needle, raw string
		want        bool
	}{
		{"anna", `{"name":"Anna"}`, true},
		{"anna", `{"name":"\u0041nn\u0061"}`, true},
		{"anna", `{"by":{"\u0061nna":[1]}}`, true}, // a key
		{"müller", `["M\u00FCLLER"]`, true},
		{"éàx", `["\u00c9\u00e0x"]`, true},
		{"müller", `["M\u00DCLLER"]`, true},
		{"müller", `["m\u00fcller"]`, true},
		{"😀 ok", `["\ud83d\ude00 OK"]`, true},
		{"x", `["\ud83d"]`, false},
		{"https://a.example/p", `{"u":"https:\/\/a.example\/p"}`, true},
		{`say "hi"`, `{"u":"they say \"hi\""}`, true},
		{"two\nlines", `{"u":"two\nlines"}`, true},
		{`a\b`, `{"u":"a\\b"}`, true},
		{"4711", `{"n":1.4711e3}`, true},
		{"true", `{"a":true,"b":null}`, false},
		{`a","b`, `["a","b"]`, false},
		{`"name":`, `{"name":"x"}`, false},
		{"anna", `{"payload":"{\"name\":\"\\u0041nna\"}"}`, true}, // JSON within a string
		{"anna", `<html>Anna</html>`, true},
		{"anna", `{"name":"Anna`, true},                  // cut off
		{"anna", `{"a":"C:\users","name":"Anna"}`, true}, // no JSON
		{"anna", `{"name":"Ann","a":"na"}`, false},
		{"anna", `"\`, false},
	} {
		check.Same(t, fmt.Sprintf("%q in %s", c.needle, c.raw), c.want, needle(t, c.needle).InJSON([]byte(c.raw)))
	}
}

func TestTextsThatCannotBeSearched(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "secret\xff", "secret\x00", strings.Repeat("secret", 200)} {
		_, err := places.NewNeedle(text)
		check.ErrorIf(t, !errors.Is(err, places.ErrText) || strings.Contains(err.Error(), "secret"), "%.20q: %v", text, err)
	}
}

// No verb and no log shows the text.
func TestNeedlesDoNotShow(t *testing.T) {
	t.Parallel()
	n := needle(t, "Confidential")
	var said bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&said, verb, n)
	}
	slog.New(slog.NewTextHandler(&said, nil)).Error("failed", "needle", n)
	slog.New(slog.NewJSONHandler(&said, nil)).Error("failed", "needle", n)
	shown := strings.ToLower(said.String())
	check.ErrorIf(t, strings.Contains(shown, "confidential") || strings.Contains(shown, "636f6e66"), "the text is shown: %s", shown)
}

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }
