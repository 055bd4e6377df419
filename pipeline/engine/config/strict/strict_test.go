package strict_test

import (
	"errors"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/check"
	"sluice/pipeline/engine/config/strict"
)

type common struct {
	Name string `yaml:"name"`
}

type hidden struct{ Text string }

type shape struct {
	Common
	Count  int               `yaml:"count"`
	Share  float64           `yaml:"share"`
	On     *bool             `yaml:"on"`
	Wait   time.Duration     `yaml:"wait"`
	Pin    hidden            `yaml:"pin"`
	List   []string          `yaml:"list"`
	Byname map[string]common `yaml:"by_name"`
}

// Common is embedded: its keys belong to the struct around it.
type Common struct {
	Place string `yaml:"place"`
}

func decode(text string) (shape, *strict.Document) {
	var got shape
	return got, strict.Decode([]byte(text), &got, options())
}

func options() strict.Options {
	return strict.Options{
		Expand: func(_, raw string) (string, error) {
			if strings.Contains(raw, "$") {
				return "", errors.New("no references here")
			}
			return raw, nil
		},
		Special: map[reflect.Type]func(path, raw string) (any, error){
			reflect.TypeFor[hidden](): func(path, raw string) (any, error) { return hidden{Text: path + "=" + raw}, nil },
		},
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	text := "place: here\ncount: 3\nshare: 0.5\non: false\nwait: 90s\npin: 1234\nlist: [a, 'b']\nby_name:\n  x: {name: y}\n"
	var got shape
	check.Must(t, strict.Decode([]byte(text), &got, options()).Err("f"))
	off := false
	want := shape{
		Common: Common{Place: "here"}, Count: 3, Share: 0.5, On: &off, Wait: 90 * time.Second, Pin: hidden{Text: "pin=1234"},
		List: []string{"a", "b"}, Byname: map[string]common{"x": {Name: "y"}},
	}
	check.Same(t, "decoded", want, got)
}

// TestOneOrMore: a single value is a list of one; its place is the key itself.
func TestOneOrMore(t *testing.T) {
	t.Parallel()
	type lists struct {
		Counts strict.OneOrMore[int]    `yaml:"counts"`
		Pins   strict.OneOrMore[hidden] `yaml:"pins"`
	}
	for text, want := range map[string]lists{
		"counts: 3\npins: x\n":             {Counts: strict.OneOrMore[int]{3}, Pins: strict.OneOrMore[hidden]{{Text: "pins=x"}}},
		"counts: [3, 4]\npins: [x, 'y']\n": {Counts: strict.OneOrMore[int]{3, 4}, Pins: strict.OneOrMore[hidden]{{Text: "pins[0]=x"}, {Text: "pins[1]=y"}}},
		"counts: []\npins:\n":              {Counts: strict.OneOrMore[int]{}},
	} {
		var got lists
		if err := strict.Decode([]byte(text), &got, options()).Err("f"); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	var got lists
	err := strict.Decode([]byte("counts: {a: 1}\npins: 1\n"), &got, options()).Err("f")
	check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), "1:1 counts: wants a list"), "got %v", err)
	if err := strict.Decode([]byte("counts: x\n"), &got, options()).Err("f"); err == nil || !strings.Contains(err.Error(), `1:1 counts: wants a whole number, not "x"`) {
		t.Errorf("got %v", err)
	}
}

// TestKeysWithoutValue: a key without a value leaves its field unchanged.
func TestKeysWithoutValue(t *testing.T) {
	t.Parallel()
	got := shape{Count: 7}
	err := strict.Decode([]byte("count:\nplace: x\n"), &got, options()).Err("f")
	check.ErrorIf(t, err != nil || got.Count != 7, "count %d, %v", got.Count, err)
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	_, d := decode("cuont: 1\ncount: x\ncount: 2\nplace: $x\npin: [1]\nlist: 5\n")
	var e *strict.Error
	check.FatalIf(t, !errors.As(d.Err("f"), &e), "no mistakes found")
	got := make([]string, 0, len(e.Mistakes))
	for _, m := range e.Mistakes {
		got = append(got, m.String())
	}
	want := []string{
		"1:1 cuont: unknown key; did you mean count?",
		`2:1 count: wants a whole number, not "x"`,
		"3:1 count: the key is there twice, first in line 2: keep one",
		"4:1 place: no references here",
		"5:1 pin: wants a single value, not keys or a list",
		`6:1 list: wants a list: one element a line, each behind "- "`,
	}
	check.ErrorIf(t, !slices.Equal(got, want), "got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
}

// TestStricterThanTheLibrary: the library's decoder cuts 8.7 to 8, reads 010 as eight, reports a
// bad time span without a place and drops a mapping with the key 1.
func TestStricterThanTheLibrary(t *testing.T) {
	t.Parallel()
	var got shape
	d := strict.Decode([]byte("count: 8.7\nplace: 010\nwait: 1d\nby_name:\n  1: {1: x, name: 0x1F}\n  2: {name: 1_0}\n"), &got, options())
	var e *strict.Error
	if !errors.As(d.Err("f"), &e) || len(e.Mistakes) != 3 {
		t.Fatalf("got %v, want 3 mistakes", d.Err("f"))
	}
	for i, want := range []string{
		`1:1 count: wants a whole number, not "8.7"`,
		`3:1 wait: wants a time span such as 15m, 6h or 24h, not "1d"`,
		"5:7 by_name.1.1: unknown key; write one of: name",
	} {
		check.Same(t, "mistake", want, e.Mistakes[i].String())
	}
	check.ErrorIf(t, got.Place != "010" || got.Byname["1"].Name != "0x1F" || got.Byname["2"].Name != "1_0", "got %+v", got)
}

// TestExcerpts: a line is shown if the rest of it is the value in question, and masked otherwise.
func TestExcerpts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"known value":     {"count: many", "     1 | count: many\n         ^"},
		"unknown key":     {"  \ntoken: s3cr-et", "     2 | token: xxxxxxx"},
		"flow":            {"by_name: {x: {nema: s3cret}}", "     1 | by_name: {x: {xxxx: xxxxxx}}"},
		"tab":             {"count:\tmany", "     1 | count: many"},
		"special":         {"pin: [s3cret]", "     1 | pin: [xxxxxx]"},
		"syntax":          {"pin: \"s3cret", "     1 | pin: \"xxxxxx"},
		"element":         {"list: [1.5]", "put 1.5 in quotes"},
		"no word":         {"~: s3cret", "a key has to be a plain word"},
		"not even a line": {"", "configuration f has 1 mistake:\n  the file is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, d := decode(test.text)
			err := d.Err("f")
			check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "s3cr"),
				"got\n%v\nwant\n%s", err, test.want)
		})
	}
}

func TestHint(t *testing.T) {
	t.Parallel()
	allowed := []string{"bills", "items"}
	for word, want := range map[string]string{
		"bilss": "did you mean bills?", "ITEMS": "did you mean items?", "conversations": "write one of: bills, items",
	} {
		check.Same(t, word, want, strict.Hint(word, allowed))
	}
}

// TestDepthIsCountedBeforeParsing runs alone, because the memory of other tests would count, too.
// Without the limit 40 KB took 2.5 GB.
func TestDepthIsCountedBeforeParsing(t *testing.T) { //nolint:paralleltest // see above
	const most = 24 << 20
	for name, c := range map[string]struct{ text, line string }{
		"brackets":         {strings.Repeat("[", 40_000), "1:"},
		"closed again":     {"place: x\nlist: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), "2:"},
		"braces":           {strings.Repeat("{", 1<<20), "1:"},
		"a line each":      {strings.Repeat("[\n", 20_000), "33:"},
		"lists in lists":   {strings.Repeat("- ", 20_000), "1:"},
		"with their tabs":  {"place: x\n  " + strings.Repeat("-\t ", 20_000), "2:"},
		"behind a tag":     {"!a " + strings.Repeat("- ", 20_000), "1:"},
		"below a tagged":   {"place: x\nlist: !a " + strings.Repeat("- ", 20_000), "2:"},
		"each with a tag":  {strings.Repeat("- !t ", 20_000), "1:"},
		"behind a return":  {"# x\r" + strings.Repeat("- ", 20_000), "1:"},
		"behind brackets":  {strings.Repeat("[{", 20_000), "1:"},
		"behind a closing": {strings.Repeat("]", 100) + strings.Repeat("[", 20_000), "1:"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, d := decode(c.text)
		runtime.ReadMemStats(&after)
		err := d.Err("f")
		if err == nil || !strings.Contains(err.Error(), "nests more than 32 deep") || !strings.Contains(err.Error(), "\n  "+c.line) || d.Shaped() {
			t.Errorf("%s: %.200v", name, err)
		}
		took := after.TotalAlloc - before.TotalAlloc
		check.ErrorIf(t, took > most, "%s: %d MiB were taken", name, took>>20)
	}
	for name, text := range map[string]string{
		"as deep as may be":  "list: " + strings.Repeat("[", 32) + strings.Repeat("]", 32),
		"many, none of them": strings.Repeat("- [a]\n- {b: c}\n", 5_000),
		"a line of dashes":   "# " + strings.Repeat("-", 200) + "\nplace: " + strings.Repeat("-", 200),
		"dashes in a text":   "place: a - b - c",
		"negative numbers":   strings.Repeat("- -1\n", 100),
	} {
		_, d := decode(text)
		err := d.Err("f")
		check.ErrorIf(t, err != nil && strings.Contains(err.Error(), "deep"), "%s: %.200v", name, err)
	}
}
