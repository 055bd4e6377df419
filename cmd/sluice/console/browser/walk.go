package browser

import (
	"fmt"
	"time"

	"github.com/chromedp/chromedp"
)

// Walk is a task that is done as a person does it: by clicking what can be seen, found by its text,
// and by typing into fields, found by their labels. It counts both, and measures how long the pages
// take.
type Walk struct {
	*Page

	// Clicks counts links, buttons and what was unfolded; Fields those that were filled in.
	Clicks, Fields int
	// Took is the time from each click until its page was loaded, together.
	Took time.Duration
	// Way are the texts in order.
	Way []string
	// seen is called after each step.
	seen func(*Page)
}

// Walk begins a task at an address. Seen looks at each page that is reached.
func (p *Page) Walk(url string, seen func(*Page)) *Walk {
	p.tb.Helper()
	began := time.Now()
	p.do("open "+url, chromedp.Navigate(url))
	w := &Walk{Page: p, Took: time.Since(began), seen: seen}
	p.Quiet()
	w.seen(p)
	return w
}

// clickable is what has this text and can be clicked: a link, a button, or what unfolds.
func clickable(text string) chromedp.Search {
	return chromedp.Search(fmt.Sprintf(`//*[self::a or self::button or self::summary][normalize-space(.)="%s"]`, text))
}

// To clicks what has a text, and waits until the page is loaded to which it leads.
func (w *Walk) To(text string) {
	w.tb.Helper()
	began := time.Now()
	w.leads("click "+text, chromedp.Click(clickable(text)))
	w.clicked(text, began)
}

// Unfold clicks what has a text and leads to no other page.
func (w *Walk) Unfold(text string) {
	w.tb.Helper()
	began := time.Now()
	w.do("click "+text, chromedp.Click(clickable(text)))
	w.clicked(text, began)
}

func (w *Walk) clicked(text string, began time.Time) {
	w.tb.Helper()
	w.Took += time.Since(began)
	w.Clicks++
	w.Way = append(w.Way, text)
	w.seen(w.Page)
}

// Fill types a text into the field of a label.
func (w *Walk) Fill(label, text string) {
	w.tb.Helper()
	field := chromedp.Search(fmt.Sprintf(`//main//label[starts-with(normalize-space(.), "%s")]/input`, label))
	w.do("type into "+label, chromedp.SendKeys(field, text))
	w.Fields++
	w.Way = append(w.Way, label)
}
