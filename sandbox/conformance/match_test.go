package conformance

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// forms are the formats of values that the documents name. Date and date-time combine
// docs/upstream.md U120 (offset hhmm) and U121 (chat).
var forms = map[string]*regexp.Regexp{ //nolint:gochecknoglobals // a constant that Go cannot spell
	"$id":       regexp.MustCompile(`^[0-9A-Za-z_.-]+$`),
	"$text":     regexp.MustCompile(`(?s)^.*\S.*$`),
	"$date":     regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`),
	"$datetime": regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}([+-]\d{2}:?\d{2}|Z)$`),
	"$digits":   regexp.MustCompile(`^\d+$`),
}

// match compares an answer with a pattern and returns the differences, by path.
//
// A pattern is JSON. An object requires its keys and ignores others. An array of one element
// requires at least one element, each like it; an array of several requires exactly these; an empty
// array is an empty array. A text that begins with $ requires a kind: $string, $number, $integer,
// $boolean, $object, $array, $any, $absent, or a form of text ($id, $text, $date, $datetime,
// $digits). $like:Cash accepts cash, too, since the documents do not show how a record spells the
// value of a filter. A ? behind a kind or a key accepts "" and null for an absent value, as
// docs/upstream.md U133 says. Behind a key it also accepts an empty array and a missing key. Every
// other value matches itself.
func match(path string, want, got any) []string {
	switch want := want.(type) {
	case map[string]any:
		return matchObject(path, want, got)
	case []any:
		return matchArray(path, want, got)
	case string:
		if strings.HasPrefix(want, "$") {
			return matchKind(path, want, got)
		}
	}
	if fmt.Sprint(want) != fmt.Sprint(got) || fmt.Sprintf("%T", want) != fmt.Sprintf("%T", got) {
		return []string{fmt.Sprintf("%s is %s, want %s", path, brief(got), brief(want))}
	}
	return nil
}

func matchObject(path string, want map[string]any, got any) []string {
	fields, is := got.(map[string]any)
	if !is {
		return []string{fmt.Sprintf("%s is %s, want an object", path, brief(got))}
	}
	var diffs []string
	for key, pattern := range want {
		name, maybe := strings.CutSuffix(key, "?")
		value, present := fields[name]
		switch {
		case maybe && absent(value):
		case pattern == "$absent" && present:
			diffs = append(diffs, fmt.Sprintf("%s.%s is %s, want none", path, name, brief(value)))
		case pattern == "$absent":
		case !present:
			diffs = append(diffs, fmt.Sprintf("%s.%s is missing", path, name))
		default:
			diffs = append(diffs, match(path+"."+name, pattern, value)...)
		}
	}
	slices.Sort(diffs)
	return diffs
}

// absent reports whether a value counts as absent (docs/upstream.md U133).
func absent(value any) bool {
	array, is := value.([]any)
	return value == nil || value == "" || is && len(array) == 0
}

func matchArray(path string, want []any, got any) []string {
	elements, is := got.([]any)
	switch {
	case !is:
		return []string{fmt.Sprintf("%s is %s, want an array", path, brief(got))}
	case len(want) == 1 && len(elements) == 0:
		return []string{path + " is an empty array, want elements"}
	case len(want) != 1 && len(want) != len(elements):
		return []string{fmt.Sprintf("%s has %d elements, want %d", path, len(elements), len(want))}
	}
	var diffs []string
	for n, element := range elements {
		diffs = append(diffs, match(fmt.Sprintf("%s.%d", path, n), want[min(n, len(want)-1)], element)...)
	}
	return diffs
}

func matchKind(path, want string, got any) []string {
	if like, is := strings.CutPrefix(want, "$like:"); is {
		if text, is := got.(string); !is || !strings.EqualFold(strings.NewReplacer(" ", "", "_", "").Replace(text), like) {
			return []string{fmt.Sprintf("%s is %s, want something like %s", path, brief(got), like)}
		}
		return nil
	}
	kind, maybe := strings.CutSuffix(want, "?")
	if maybe && (got == nil || got == "") {
		return nil
	}
	var is bool
	switch kind {
	case "$any":
		is = true
	case "$string":
		_, is = got.(string)
	case "$boolean":
		_, is = got.(bool)
	case "$object":
		_, is = got.(map[string]any)
	case "$array":
		_, is = got.([]any)
	case "$number":
		_, is = got.(json.Number)
	case "$integer":
		var n json.Number
		n, is = got.(json.Number)
		is = is && !strings.ContainsAny(n.String(), ".eE")
	default:
		form, known := forms[kind]
		if !known {
			return []string{fmt.Sprintf("%s: pattern %q is unknown", path, want)}
		}
		var text string
		text, is = got.(string)
		is = is && form.MatchString(text)
	}
	if !is {
		return []string{fmt.Sprintf("%s is %s, want %s", path, brief(got), want)}
	}
	return nil
}

// brief returns a value shortened for a message.
func brief(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	const enough = 160
	if len(data) > enough {
		return string(data[:enough]) + "…"
	}
	return string(data)
}

// decodeAny decodes JSON and keeps the spelling of numbers.
func decodeAny(data []byte) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("decode JSON: %w", err)
	}
	return value, nil
}

// Each pattern accepts what it means and refuses all else.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pattern, takes, refuses string }{
		{`1`, `1`, `2`},
		{`1`, `1`, `"1"`},
		{`"a"`, `"a"`, `"b"`},
		{`{"a":1}`, `{"a":1,"b":2}`, `{"b":1}`},
		{`{"a?":{"b":1}}`, `{"a":""}`, `{"a":{"b":2}}`},
		{`{"a?":[1]}`, `{}`, `{"a":[2]}`},
		{`"$like:BankTransfer"`, `"Bank transfer"`, `"Bank"`},
		{`{"a":"$absent"}`, `{"b":1}`, `{"a":null}`},
		{`[{"a":1}]`, `[{"a":1},{"a":1}]`, `[{"a":1},{"a":2}]`},
		{`[1]`, `[1]`, `[]`},
		{`[]`, `[]`, `[1]`},
		{`[1,2]`, `[1,2]`, `[1,2,2]`},
		{`"$array"`, `[]`, `{}`},
		{`"$object"`, `{}`, `[]`},
		{`"$integer"`, `12345678901234567890`, `1.0`},
		{`"$number"`, `1.50`, `"1.50"`},
		{`"$number?"`, `""`, `"x"`},
		{`"$boolean"`, `false`, `0`},
		{`"$string"`, `""`, `null`},
		{`"$text"`, `"x"`, `" "`},
		{`"$id"`, `"90300000000012345"`, `90300000000012345`},
		{`"$date"`, `"2026-03-10"`, `"10.03.2026"`},
		{`"$datetime"`, `"2026-03-10T11:30:00+0530"`, `"2026-03-10 11:30:00"`},
		{`"$any"`, `null`, ``},
		{`"$nonsense"`, ``, `1`},
		{`null`, `null`, `""`},
	} {
		want := mustDecode(t, c.pattern)
		if c.takes != "" {
			if diffs := match("answer", want, mustDecode(t, c.takes)); diffs != nil {
				t.Errorf("%s refuses %s: %v", c.pattern, c.takes, diffs)
			}
		}
		if c.refuses != "" {
			if diffs := match("answer", want, mustDecode(t, c.refuses)); diffs == nil {
				t.Errorf("%s takes %s", c.pattern, c.refuses)
			}
		}
	}
}

func mustDecode(t *testing.T, text string) any {
	t.Helper()
	value, err := decodeAny([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return value
}
