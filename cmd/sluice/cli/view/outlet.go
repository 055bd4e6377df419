package view

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"sluice/pipeline/outside"
)

// Outlet is where the output of a command leaves the program, to standard output or standard error.
// It writes line by line, without the secrets in force (invariant 10), and replaces characters that
// control a terminal or are invisible. So commands need not care. Only this package writes around
// it, to rewrite a line of progress.
type Outlet struct {
	scrub *outside.Scrubber

	mu sync.Mutex
	to io.Writer
	// rest is the line that has not ended yet.
	rest []byte
}

// NewOutlet makes an outlet in front of a writer.
func NewOutlet(to io.Writer, scrub *outside.Scrubber) *Outlet { return &Outlet{to: to, scrub: scrub} }

// Write implements io.Writer. An error may concern a line that an earlier write began.
func (o *Outlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	// Only the new bytes are searched: a line may arrive in thousands of pieces.
	end := bytes.LastIndexByte(p, '\n') + 1
	if end == 0 {
		o.rest = append(o.rest, p...)
		return len(p), nil
	}
	lines := string(append(o.rest, p[:end]...))
	o.rest = append([]byte(nil), p[end:]...)
	return len(p), o.say(lines)
}

// Flush writes the last line, if it has no line end.
func (o *Outlet) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	rest := string(o.rest)
	o.rest = nil
	if rest == "" {
		return nil
	}
	return o.say(rest)
}

func (o *Outlet) say(text string) error {
	if _, err := io.WriteString(o.to, outside.VisibleLines(o.scrub.Scrub(text))); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// rewrite writes a control sequence to the terminal, and behind it words that are cleaned.
func (o *Outlet) rewrite(command, words string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = io.WriteString(o.to, command+outside.Visible(o.scrub.Scrub(words))) // progress is not a result
}

// Beneath is the writer behind an outlet, for code that cleans its own words; any other writer is
// returned as it is.
func Beneath(w io.Writer) io.Writer {
	if o, ok := w.(*Outlet); ok {
		return o.to
	}
	return w
}

// IsTerminal says whether a writer is a terminal, or an outlet in front of one.
func IsTerminal(w io.Writer) bool {
	f, ok := Beneath(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
