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

// Outlet is where the words of a command leave the program, standard output or standard error.
// Whatever is written to it leaves line by line, without the secrets in force (invariant 10), and
// with a sign for what would command a terminal or hide: no command has to think of it. Only this
// package writes around it, to rewrite a line of progress.
type Outlet struct {
	scrub *outside.Scrubber

	mu sync.Mutex
	to io.Writer
	// rest is the line that has not ended yet.
	rest []byte
}

// NewOutlet makes an outlet in front of a writer.
func NewOutlet(to io.Writer, scrub *outside.Scrubber) *Outlet { return &Outlet{to: to, scrub: scrub} }

// Write implements io.Writer. An error may be about a line that began with an earlier one.
func (o *Outlet) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	// Only what is new is looked through: a line may come in thousands of pieces.
	end := bytes.LastIndexByte(p, '\n') + 1
	if end == 0 {
		o.rest = append(o.rest, p...)
		return len(p), nil
	}
	lines := string(append(o.rest, p[:end]...))
	o.rest = append([]byte(nil), p[end:]...)
	return len(p), o.say(lines)
}

// Flush writes what no end of a line came behind.
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

// rewrite writes a command to the terminal, and behind it words, which command nothing.
func (o *Outlet) rewrite(command, words string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, _ = io.WriteString(o.to, command+outside.Visible(o.scrub.Scrub(words))) // progress is not a result
}

// Beneath is the writer that an outlet is in front of, for what cleans its words itself; another
// writer is given back.
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
