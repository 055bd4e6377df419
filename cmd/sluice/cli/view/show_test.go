package view_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/outside"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 20000: "20,000"} {
		if got := view.Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestAge(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 42 * time.Second: "42 s", 7 * time.Minute: "7 min", 3 * time.Hour: "3 h", 72 * time.Hour: "3 d",
	} {
		if got := view.Age(d); got != want {
			t.Errorf("Age(%v) = %q, want %q", d, got, want)
		}
	}
}

// one is a thing to show.
type one struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
	Open  bool   `json:"open"`
	note  string
}

// TestShow: one description gives an aligned table as text, and the things themselves as JSON.
func TestShow(t *testing.T) {
	t.Parallel()
	row := func(o *one) view.Row {
		if o.note == "hidden" {
			return nil
		}
		return view.Row{o.Name, o.Count, o.Open, o.note}
	}
	three := []one{{"long cell", 1234, true, ""}, {"secret", 1, true, "hidden"}, {"北京", 3, false, "why"}}
	for name, c := range map[string]struct {
		json   bool
		things []one
		want   string
	}{
		"text":          {false, three, "NAME       HOW MANY  OPEN  NOTE\nlong cell  1,234     yes\n北京       3         no    why\nThat is all.\n"},
		"nothing":       {false, nil, "There is none.\nThat is all.\n"},
		"only hidden":   {false, three[1:2], "There is none.\nThat is all.\n"},
		"JSON":          {true, three[:1], "[\n  {\n    \"name\": \"long cell\",\n    \"count\": 1234,\n    \"open\": true\n  }\n]\n"},
		"empty as JSON": {true, []one{}, "[]\n"},
	} {
		var out bytes.Buffer
		p := view.Printer{Out: &out, JSON: c.json}
		err := p.Show(c.things, view.Table(c.things, "NAME  HOW MANY  OPEN  NOTE", row).Or("There is none."), view.Line("That is %s.", "all"))
		if err != nil || out.String() != c.want {
			t.Errorf("%s: %v\n%s\nwant:\n%s", name, err, out.String(), c.want)
		}
	}
	var out bytes.Buffer
	err := view.Printer{Out: &out}.Print(view.Table([]one{}, "NAME  COUNT", row), view.Text(func(p *view.Page) {
		field := p.Fields(6)
		field("name", "%s", "a\nb")
		field("", "%d of %d", 1, 2)
	}))
	if want := "NAME  COUNT\nname   a\u2400b\n       1 of 2\n"; err != nil || out.String() != want {
		t.Errorf("%v, %q, want %q", err, out.String(), want)
	}
}

func TestProgressKeepsPlainLinesElsewhere(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := view.NewProgress(&out)
	p.Show("half")
	p.Keep("whole")
	p.Clear()
	if out.String() != "whole\n" {
		t.Errorf("progress wrote %q, want only the kept line", out.String())
	}
}

func TestALongLineInPieces(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	outlet, piece := view.NewOutlet(&out, nil), bytes.Repeat([]byte("x"), 512)
	for range 2048 {
		if _, err := outlet.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := outlet.Write([]byte("\nrest")); err != nil || out.Len() != 2048*len(piece)+1 {
		t.Errorf("%d bytes came out, %v", out.Len(), err)
	}
	if err := outlet.Flush(); err != nil || !bytes.HasSuffix(out.Bytes(), []byte("x\nrest")) {
		t.Errorf("at its end stands %q, %v", out.Bytes()[out.Len()-8:], err)
	}
}

// TestOutlet: output is written line by line, without secrets and control sequences, whatever the
// pieces of the writes.
func TestOutlet(t *testing.T) {
	t.Parallel()
	const secret = "1000.canary-of-the-outlet"
	scrub := outside.NewScrubber()
	var out bytes.Buffer
	outlet := view.NewOutlet(&out, scrub)
	scrub.Keep(secret) // learned after the outlet was made
	text := "a\x1b[2J " + secret + " é\u009b\n\tnext\r\n" + "\u202elast " + secret
	for i := range len(text) {
		if n, err := outlet.Write([]byte{text[i]}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if got, want := out.String(), "a\u2400[2J [redacted] é\u2400\n\tnext\u2400\n"; got != want {
		t.Errorf("before its end %+q, want %+q", got, want)
	}
	if err := outlet.Flush(); err != nil || !strings.HasSuffix(out.String(), "\n\u2400last [redacted]") {
		t.Errorf("at its end %+q, %v", out.String(), err)
	}
	printer := view.Printer{Out: outlet}
	out.Reset()
	if err := printer.Print(view.TableOf("NAME  WHY", []view.Row{{"a\nb\x07", strings.Repeat("x", 5000)}})); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(out.String(), "\n"); len(lines) != 3 || !strings.HasPrefix(lines[1], "a\u2400b\u2400  xxx") || len(lines[1]) > 2100 {
		t.Errorf("the table is %+q", out.String()[:100])
	}
	out.Reset()
	if err := printer.Document(map[string]string{"name": "\x1b\u009b\u202e\U000e0041é\n"}); err != nil || out.String() != "{\n  \"name\": \"\\u001b\\u009b\\u202e\\udb40\\udc41é\\n\"\n}\n" {
		t.Errorf("the document is %+q, %v", out.String(), err)
	}
	broken := view.NewOutlet(full{}, nil)
	if _, err := broken.Write([]byte("line\n")); err == nil {
		t.Error("a full device is not noticed")
	}
}

// full is a device without free space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }
