package archive_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/raw/archive"
)

func TestArraysAreJSONWithALineForEachRecord(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		records    []string
	}{
		{"one", "[\n{}\n]", []string{`{}`}},
		{"several", "[\n{\"a\":\"}, {\"},\nnull,\n[1,2]\n]", []string{`{"a":"}, {"}`, `null`, `[1,2]`}},
		{"an escaped line feed", "[\n{\"a\":\"b\\nc\"},\n{}\n]", []string{`{"a":"b\nc"}`, `{}`}},
		{"a line feed between tokens", "[{},{\n\"a\": 1}]", []string{`{}`, "{\n\"a\": 1}"}},
		{"a carriage return", "[\n{\r\"a\": 1}\n]", []string{"{\r\"a\": 1}"}},
	} {
		records := bytesOf(c.records)
		form := archive.FormOf(records)
		got := string(form.Append([]byte("before "), records))
		if got != "before "+c.want || form.Size(records) != len(c.want) {
			t.Errorf("%s: %q of %d bytes, want %q", c.name, got, form.Size(records), c.want)
		}
		back, err := archive.Split([]byte(c.want))
		diff := cmp.Diff(c.records, texts(back))
		check.ErrorIf(t, diff != "" || err != nil, "%s: %v (-want +got):\n%s", c.name, err, diff)
	}
}

// Stored records come back byte for byte, in either form, and encoding/json finds the same records
// in the array.
func TestWhatIsKeptComesBack(t *testing.T) {
	t.Parallel()
	value := rapid.Deferred(func() *rapid.Generator[any] {
		return rapid.OneOf(
			rapid.Map(rapid.StringMatching("[a\"\\\\\n{}\\[\\],:日 ]*"), func(s string) any { return s }),
			rapid.Map(rapid.Int(), func(n int) any { return n }), rapid.Just[any](nil), rapid.Just[any](true),
			rapid.Just[any](map[string]any{"a": []any{map[string]any{}, "},\n{", 1.5}}), rapid.Just[any]([]any{}))
	})
	rapid.Check(t, func(t *rapid.T) {
		spread := rapid.Bool().Draw(t, "spread")
		records := rapid.SliceOfN(rapid.Map(rapid.MapOf(rapid.String(), value), func(object map[string]any) string {
			text, err := json.Marshal(object)
			if spread {
				text, err = json.MarshalIndent(object, "", " ")
			}
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}), 1, 10).Draw(t, "records")
		kept := bytesOf(records)
		text := archive.FormOf(kept).Append(nil, kept)
		got, err := archive.Split(text)
		if diff := cmp.Diff(records, texts(got)); diff != "" || err != nil {
			t.Fatalf("%v (-kept +got):\n%s", err, diff)
		}
		var usual []json.RawMessage
		if err := json.Unmarshal(text, &usual); err != nil || len(usual) != len(records) {
			t.Fatalf("%q has %d records, want %d: %v", text, len(usual), len(records), err)
		}
		for i := range usual {
			if string(usual[i]) != records[i] {
				t.Fatalf("record %d is %s, want %s", i, usual[i], records[i])
			}
		}
		for _, record := range got {
			if cap(record) != len(record) {
				t.Fatal("there is room behind a record: appending to it writes into the next")
			}
		}
	})
}

// Arrays that only look like the form with lines are read correctly, and texts that are no arrays
// are refused.
func TestSplitOfWhatWasNotKeptSo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`[{"a":1},{"a":2}]`: {`{"a":1}`, `{"a":2}`}, " [ 1 , 2 ] ": {"1", "2"}, "[\n1,\n2]": {"1", "2"}, "[\n1, 2\n,3\n]": {"1", "2", "3"},
		"[\n1\n,\n2\n]": {"1", "2"}, "[\n{\"a\":1,\n\"b\":2},\n3\n ]": {"{\"a\":1,\n\"b\":2}", "3"},
	} {
		got, err := archive.Split([]byte(text))
		diff := cmp.Diff(want, texts(got))
		check.ErrorIf(t, diff != "" || err != nil, "%q: %v (-want +got):\n%s", text, err, diff)
	}
	for _, text := range []string{"", "[", "[\n", "[\n]", "[\n\n]", "[\n,\n]", "[\n1,\n]", "{}", "[1,]", "[1]2"} {
		got, err := archive.Split([]byte(text))
		check.ErrorIf(t, err == nil && len(got) > 0, "%q is an array of %q", text, got)
	}
}

func bytesOf(texts []string) [][]byte {
	all := make([][]byte, len(texts))
	for i := range texts {
		all[i] = []byte(texts[i])
	}
	return all
}

func texts(all [][]byte) []string {
	var texts []string
	for _, one := range all {
		texts = append(texts, string(one))
	}
	return texts
}
