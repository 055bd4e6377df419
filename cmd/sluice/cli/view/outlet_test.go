package view_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/outside"
)

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
