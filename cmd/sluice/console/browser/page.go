package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Page is one page of the browser. Its actions fail the test if they do not work.
type Page struct {
	tb      testing.TB
	ctx     context.Context //nolint:containedctx // the library keeps the page in it
	allowed []string
	flushed int

	mu sync.Mutex
	// said is what the page wrote to its console and nobody has judged yet.
	said []string
}

// endOfMessages begins the words that Quiet writes to the console.
const endOfMessages = "browser: all messages until "

// lookEvery is how often Says and Quiet look.
const lookEvery = 10 * time.Millisecond

// listen collects what the page says from its first moment on.
func (p *Page) listen() {
	messages := chromedp.Console(p.ctx)
	go func() {
		for message, err := range messages {
			if err != nil {
				return
			}
			text := message.Text
			if !strings.HasPrefix(text, endOfMessages) {
				text = fmt.Sprintf("%s: %s (%s:%d)", message.Type, message.Text, message.URL, message.Line+1)
			}
			p.mu.Lock()
			p.said = append(p.said, text)
			p.mu.Unlock()
		}
	}()
}

// do performs actions, and fails the test at once if one does not work.
func (p *Page) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	p.tb.Helper()
	ask(p, what, chromedp.Steps(actions...))
}

// ask performs an action that answers.
func ask[T any](p *Page, what string, action chromedp.Action[T]) T {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, actionLimit)
	defer cancel()
	answer, err := chromedp.Run(ctx, action)
	if err != nil {
		p.tb.Fatalf("%s: %v", what, err)
	}
	return answer
}

// Allow announces a message that the page may write or not, by a part of its text: whether a
// browser reports a request that fails depends on when it fails.
func (p *Page) Allow(text string) { p.allowed = append(p.allowed, text) }

// WithoutScript makes the page a page without JavaScript, from the next Open on.
func (p *Page) WithoutScript() {
	p.tb.Helper()
	p.do("switch scripts off", call(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
}

// Open opens an address and waits until it is loaded.
func (p *Page) Open(url string) {
	p.tb.Helper()
	p.do("open "+url, chromedp.Navigate(url))
	p.Quiet()
}

// Click clicks the first element of a selector when it can be seen. It does not wait for what the
// click does: Wait and Text do, and Follow waits for the next page.
func (p *Page) Click(selector string) {
	p.tb.Helper()
	p.do("click "+selector, chromedp.Click(chromedp.CSS(selector)))
}

// Follow clicks the first element of a selector and waits until the page is loaded to which it
// leads.
func (p *Page) Follow(selector string) {
	p.tb.Helper()
	p.do("follow "+selector, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(selector)))
		return err //nolint:wrapcheck // do says what was being done
	}))
	p.Quiet()
}

// Type types a text into the first element of a selector.
func (p *Page) Type(selector, text string) {
	p.tb.Helper()
	p.do("type into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Wait waits until an element of a selector can be seen.
func (p *Page) Wait(selector string) {
	p.tb.Helper()
	p.do("wait for "+selector, chromedp.WaitVisible(chromedp.CSS(selector)))
}

// Text returns the text that can be seen of the first element of a selector, and waits until there
// is one.
func (p *Page) Text(selector string) string {
	p.tb.Helper()
	return ask(p, "read "+selector, chromedp.Text(chromedp.CSS(selector)))
}

// URL returns the address of the page.
func (p *Page) URL() string {
	p.tb.Helper()
	return ask(p, "read the address", chromedp.Location())
}

// Count returns how many elements of a selector the page has now.
func (p *Page) Count(selector string) int {
	p.tb.Helper()
	return ask(p, "count "+selector, chromedp.Evaluate[int](fmt.Sprintf("document.querySelectorAll(%q).length", selector)))
}

// Links returns the addresses to which links of the page lead, without their fragments, in the
// order of the page, each once.
func (p *Page) Links() []string {
	p.tb.Helper()
	return ask(p, "read the links", chromedp.Evaluate[[]string](
		"[...new Set([...document.querySelectorAll('a[href]')].map((a) => new URL(a.getAttribute('href'), document.baseURI).href.split('#')[0]))]"))
}

// Says waits until the text that can be seen of the first element of a selector contains a text.
func (p *Page) Says(selector, text string) {
	p.tb.Helper()
	seen := fmt.Sprintf("(document.querySelector(%q)?.innerText ?? '').includes(%q)", selector, text)
	if !p.soon(func() bool { return ask(p, "read "+selector, chromedp.Evaluate[bool](seen)) }) {
		p.tb.Fatalf("%s never says %q; it says\n%s", selector, text, p.Text(selector))
	}
}

// soon waits until something is so, and reports whether it came to be.
func (p *Page) soon(is func() bool) bool {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	late := time.After(actionLimit)
	for !is() {
		select {
		case <-tick.C:
		case <-late:
			return false
		}
	}
	return true
}

// Picture returns a picture of what the window shows, as PNG.
func (p *Page) Picture() []byte {
	p.tb.Helper()
	return ask(p, "take a picture", chromedp.CaptureScreenshot())
}

// Quiet fails the test for each message that the page wrote so far and that is not allowed. Open,
// Follow and the end of the test call it.
func (p *Page) Quiet() {
	p.tb.Helper()
	p.flushed++
	words := fmt.Sprintf("%s%d", endOfMessages, p.flushed)
	ask(p, "write to the console", chromedp.Evaluate[string](fmt.Sprintf("console.debug(%q), 'written'", words)))
	var said []string
	if !p.soon(func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		at := slices.Index(p.said, words)
		if at >= 0 {
			said, p.said = p.said[:at], p.said[at+1:]
		}
		return at >= 0
	}) {
		p.tb.Error("the messages of the page do not come")
	}
	for _, message := range said {
		if !slices.ContainsFunc(p.allowed, func(allowed string) bool { return strings.Contains(message, allowed) }) {
			p.tb.Errorf("the page says: %s", message)
		}
	}
}
