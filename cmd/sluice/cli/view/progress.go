package view

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"sluice/pipeline/outside"
)

// Progress is one line that is rewritten on a terminal. Elsewhere only lines written with Keep are
// printed, so that logs hold no half lines.
type Progress struct {
	out   io.Writer
	live  bool
	width int
}

// NewProgress makes a Progress on a writer.
func NewProgress(out io.Writer) *Progress {
	p := &Progress{out: out, live: IsTerminal(out), width: 100}
	if f, ok := Beneath(out).(*os.File); ok && p.live {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 20 {
			p.width = width
		}
	}
	return p
}

// Show replaces the line. It ignores write errors: progress is not a result.
func (p *Progress) Show(line string) {
	if !p.live {
		return
	}
	if runes := []rune(line); len(runes) > p.width-1 {
		line = string(runes[:p.width-2]) + "…"
	}
	p.rewrite(line)
}

// Keep prints a line that stays, above the rewritten one.
func (p *Progress) Keep(line string) {
	p.Clear()
	_, _ = fmt.Fprintln(p.out, line)
}

// Clear removes the rewritten line.
func (p *Progress) Clear() {
	if p.live {
		p.rewrite("")
	}
}

// rewrite goes back to the beginning of the line, clears it and writes another.
func (p *Progress) rewrite(line string) {
	const begin = "\r\x1b[K"
	if o, ok := p.out.(*Outlet); ok {
		o.rewrite(begin, line)
		return
	}
	_, _ = fmt.Fprint(p.out, begin+outside.Visible(line))
}
