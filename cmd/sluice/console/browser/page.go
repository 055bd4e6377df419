package browser

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Page is one page of the browser. Its actions fail the test if they do not work.
type Page struct {
	tb  testing.TB
	ctx context.Context //nolint:containedctx // the library keeps the page in it

	mu       sync.Mutex
	messages []string // not yet judged
	expected []expectation
	asked    int

	// flushed receives the words by which Quiet knows that it has seen all messages before them.
	flushed chan string
	// ended is closed when no message can come any more.
	ended chan struct{}
}

type expectation struct {
	text string
	met  bool
}

// endOfMessages begins the words that Quiet writes to the console.
const endOfMessages = "browser: all messages until "

// lookEvery is how often Says looks.
const lookEvery = 50 * time.Millisecond

// call makes an action of a command of the protocol.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

// listen opens the page and collects what it says from its first moment on.
func (p *Page) listen() {
	messages := chromedp.Console(p.ctx)
	dialogs := chromedp.Events(p.ctx, page.JavascriptDialogOpening)
	go func() {
		defer close(p.ended)
		for message, err := range messages {
			switch {
			case err != nil:
				return
			case strings.HasPrefix(message.Text, endOfMessages):
				select {
				case p.flushed <- message.Text:
				case <-p.ctx.Done():
				}
			default:
				p.note(fmt.Sprintf("%s: %s (%s:%d)", message.Type, message.Text, message.URL, message.Line+1))
			}
		}
	}()
	go func() {
		for dialog, err := range dialogs {
			if err != nil {
				return
			}
			p.note("dialog: " + dialog.Message)
			// It fails if the page is gone, and then there is nothing to answer.
			_ = chromedp.Do(p.ctx, call(page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}))
		}
	}()
}

func (p *Page) note(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = append(p.messages, message)
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
		p.mu.Lock()
		said := strings.Join(p.messages, "\n")
		p.mu.Unlock()
		p.tb.Fatalf("%s: %v\n%s", what, err, said)
	}
	return answer
}

// Expect announces a message that the page must write, or a dialog that it must open, by a part of
// its text. Dialogs are accepted. The test fails if it does not come.
func (p *Page) Expect(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = append(p.expected, expectation{text: text})
}

// Allow announces a message that the page may write or not, by a part of its text: whether a
// browser reports a request that fails depends on when it fails.
func (p *Page) Allow(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expected = append(p.expected, expectation{text: text, met: true})
}

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
	p.leads("follow "+selector, chromedp.Click(chromedp.CSS(selector)))
}

// Enter presses the key where the focus is, and waits until the page is loaded to which it leads.
func (p *Page) Enter() {
	p.tb.Helper()
	p.leads("press enter", chromedp.KeyEvent(kb.Enter))
}

// leads performs an action that leads to another page, and waits until that is loaded.
func (p *Page) leads(what string, action chromedp.Action[chromedp.Void]) {
	p.tb.Helper()
	p.do(what, chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.RunResponse(ctx, action)
		return err //nolint:wrapcheck // do says what was being done
	}))
	p.Quiet()
}

// Type types a text into the first element of a selector.
func (p *Page) Type(selector, text string) {
	p.tb.Helper()
	p.do("type into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Press presses keys where the focus is. Enter presses the one that leads to another page.
func (p *Page) Press(keys string) {
	p.tb.Helper()
	p.do(fmt.Sprintf("press %q", keys), chromedp.KeyEvent(keys))
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

// Clock makes the page's clock wrong by so much, from the next Open on.
func (p *Page) Clock(ahead time.Duration) {
	p.tb.Helper()
	source := fmt.Sprintf("(%s)(%d)", strings.TrimSpace(clockScript), ahead.Milliseconds())
	p.do("set the clock", call(page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: source}))
}

// Says waits until the text that can be seen of the first element of a selector contains a text.
func (p *Page) Says(selector, text string) {
	p.tb.Helper()
	seen := fmt.Sprintf("(document.querySelector(%q)?.innerText ?? '').includes(%q)", selector, text)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	late := time.After(actionLimit)
	for !ask(p, "read "+selector, chromedp.Evaluate[bool](seen)) {
		select {
		case <-tick.C:
		case <-late:
			p.tb.Fatalf("%s never says %q; it says\n%s", selector, text, p.Text(selector))
		}
	}
}

// Picture returns a picture of what the window shows, as PNG.
func (p *Page) Picture() []byte {
	p.tb.Helper()
	return ask(p, "take a picture", chromedp.CaptureScreenshot())
}

// Screenshot writes a picture of the whole page as PNG.
func (p *Page) Screenshot(path string) {
	p.tb.Helper()
	picture := ask(p, "take a picture", chromedp.FullScreenshot(100))
	if err := os.WriteFile(path, picture, 0o600); err != nil {
		p.tb.Fatal(err)
	}
}

// Quiet fails the test for each message that the page wrote so far and that is not expected. Open,
// Follow and the end of the test call it.
func (p *Page) Quiet() {
	p.tb.Helper()
	p.mu.Lock()
	p.asked++
	words := fmt.Sprintf("%s%d", endOfMessages, p.asked)
	p.mu.Unlock()
	ctx, cancel := context.WithTimeout(p.ctx, actionLimit)
	defer cancel()
	// The undefined result of the call becomes the text that is returned.
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[string](fmt.Sprintf("console.debug(%q), 'written'", words))); err != nil {
		p.tb.Errorf("the page does not answer: %v", err)
	} else {
		p.awaits(ctx, words)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, message := range p.messages {
		if !p.met(message) {
			p.tb.Errorf("the page says: %s", message)
		}
	}
	p.messages = nil
}

// awaits waits until the words have arrived, and all messages before them.
func (p *Page) awaits(ctx context.Context, words string) {
	p.tb.Helper()
	for {
		select {
		case got := <-p.flushed:
			if got == words {
				return
			}
		case <-p.ended:
			p.tb.Error("the page ended before its messages were read")
			return
		case <-ctx.Done():
			p.tb.Error("the messages of the page do not come")
			return
		}
	}
}

// met reports whether a message is expected, and notes that it came.
func (p *Page) met(message string) bool {
	for i := range p.expected {
		if strings.Contains(message, p.expected[i].text) {
			p.expected[i].met = true
			return true
		}
	}
	return false
}

// missing fails the test for each expected message that did not come.
func (p *Page) missing() {
	p.tb.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, expected := range p.expected {
		if !expected.met {
			p.tb.Errorf("the page did not say %q", expected.text)
		}
	}
}
