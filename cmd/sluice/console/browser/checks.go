package browser

import (
	_ "embed"
	"fmt"
	"math"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var (
	//go:embed overflow.js
	overflowScript string
	//go:embed contrast.js
	contrastScript string
	//go:embed focus.js
	focusScript string
	//go:embed clock.js
	clockScript string
)

// maxTabs is how many elements a page may have that take the focus.
const maxTabs = 500

// NoOverflow fails the test if the page is wider than its window, so that it scrolls sideways or is
// cut off. It names the elements that stick out.
func (p *Page) NoOverflow() {
	p.tb.Helper()
	found := ask(p, "measure the width", chromedp.Evaluate[struct {
		Window   int      `json:"window"`
		Page     int      `json:"page"`
		Elements []string `json:"elements"`
	}](overflowScript))
	if found.Page > found.Window || len(found.Elements) > 0 {
		p.tb.Errorf("%s: the page is %d pixels wide in a window of %d: %s", p.URL(), found.Page, found.Window, strings.Join(found.Elements, ", "))
	}
}

// Contrast fails the test for each text whose contrast to its background is below 4.5, or below 3
// for large text (24 pixels, or 18.66 in bold), as WCAG 2 computes it, and if there is no text.
//
// The background is that of the elements around the text; in an SVG, of the shapes under it. It
// cannot judge text on a picture or a gradient, and says so by failing. It does not see an element
// that lies beside the text in the document and under it on the screen. Texts of disabled controls
// are exempt, as in WCAG.
func (p *Page) Contrast() {
	p.tb.Helper()
	found := ask(p, "compute the contrasts", chromedp.Evaluate[struct {
		Texts int `json:"texts"`
		Faint []struct {
			Element string  `json:"element"`
			Text    string  `json:"text"`
			Ink     string  `json:"ink"`
			Ground  string  `json:"ground"`
			Ratio   float64 `json:"ratio"`
			Need    float64 `json:"need"`
			Problem string  `json:"problem"`
		} `json:"faint"`
	}](contrastScript))
	if found.Texts == 0 {
		p.tb.Errorf("%s: the page has no text", p.URL())
	}
	for _, f := range found.Faint {
		if f.Problem != "" {
			p.tb.Errorf("%s: contrast of %q in %s: %s", p.URL(), f.Text, f.Element, f.Problem)
		} else {
			// Rounded down, so that what is too faint never reads as enough.
			p.tb.Errorf("%s: contrast of %q in %s is %.2f, at least %.1f is needed (%s on %s)",
				p.URL(), f.Text, f.Element, math.Floor(100*f.Ratio)/100, f.Need, f.Ink, f.Ground)
		}
	}
}

// Focusable returns how many elements can be seen that take the focus.
func (p *Page) Focusable() int {
	p.tb.Helper()
	return ask(p, "count what takes the focus", chromedp.Evaluate[int](
		"[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')]"+
			".filter((e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility({visibilityProperty: true})).length"))
}

// Tab presses the tabulator until the focus has been everywhere, and returns the elements in this
// order: "#id" where there is one, else the name of the element with its text, as `a "Streams"`. It
// begins where the focus is; on a page just opened that is the top.
//
// It fails the test if the focus is caught, or cannot be seen (no outline and no shadow).
func (p *Page) Tab() []string {
	p.tb.Helper()
	type focus struct {
		Name    string `json:"name"`
		None    bool   `json:"none"`
		First   bool   `json:"first"`
		Again   bool   `json:"again"`
		Visible bool   `json:"visible"`
	}
	at := func(begin bool) focus {
		p.tb.Helper()
		return ask(p, "look for the focus", chromedp.Evaluate[focus](fmt.Sprintf("(%s)(%t)", strings.TrimSpace(focusScript), begin)))
	}
	var order []string
	for range maxTabs {
		p.do("press the tabulator", chromedp.KeyEvent(kb.Tab))
		now := at(len(order) == 0)
		switch {
		case now.None || now.First:
			return order
		case now.Again:
			p.tb.Errorf("%s: the focus is caught at %s, after %s", p.URL(), now.Name, strings.Join(order, ", "))
			return order
		case !now.Visible:
			p.tb.Errorf("%s: the focus on %s cannot be seen", p.URL(), now.Name)
		}
		order = append(order, now.Name)
	}
	p.tb.Errorf("%s: more than %d elements take the focus", p.URL(), maxTabs)
	return order
}
