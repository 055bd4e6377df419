// Package browser drives a real browser in tests: it opens pages, clicks, reads, and judges what a
// person would see.
//
// A page fails its test by itself if it writes to the console, throws, breaks its policy for
// content, cannot load something or asks by a dialog, unless the test expects it (Page.Expect).
// Further checks are called: NoOverflow, Contrast, Tab.
//
// The browser is Chromium, from PATH or where SLUICE_TEST_BROWSER says; .ci/setup browser installs
// it. Without one a test is not skipped: it fails, and says how to provide one. Tests that use this
// package are end-to-end tests (build tag e2e), so that no other test needs a browser.
//
// Only tests import the package. Start reading at Start, then page.go and checks.go.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// startLimit bounds the start of the browser, and its end.
const startLimit = 2 * time.Minute

// actionLimit bounds one action, on a machine that is busy with other tests.
const actionLimit = 2 * time.Minute

// Browser is the browser of this process.
type Browser struct {
	ctx   context.Context //nolint:containedctx // the library keeps the browser in it
	users int             // tests that use it, guarded by running
}

// shared is the browser that runs, nil if none does.
var (
	running sync.Mutex
	shared  *Browser
)

// Start returns the browser of this process and keeps it until the test ends. Tests that overlap
// share one. It ends with the last of them, so that nothing is left when the process ends.
func Start(tb testing.TB) *Browser {
	tb.Helper()
	running.Lock()
	defer running.Unlock()
	if shared == nil {
		started, err := launch()
		if err != nil {
			tb.Fatal(err)
		}
		shared = started
	}
	b := shared
	b.users++
	tb.Cleanup(func() {
		running.Lock()
		defer running.Unlock()
		if b.users--; b.users > 0 {
			return
		}
		shared = nil
		ctx, cancel := context.WithTimeout(b.ctx, startLimit)
		defer cancel()
		if err := chromedp.Cancel(ctx); err != nil {
			tb.Errorf("end the browser: %v", err)
		}
	})
	return b
}

func launch() (*Browser, error) {
	program, err := find()
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // its sandbox refuses to work for root
	}
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	late := time.AfterFunc(startLimit, cancel)
	defer late.Stop()
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return &Browser{ctx: ctx}, nil
}

func find() (string, error) {
	names := []string{
		"chromium-headless-shell", "headless_shell", "headless-shell", "chromium", "chromium-browser", "google-chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	}
	if given := os.Getenv("SLUICE_TEST_BROWSER"); given != "" {
		names = []string{given}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("the test needs Chromium: run .ci/setup browser, install it, or name its program in SLUICE_TEST_BROWSER")
}

// Page opens an empty page of a size in pixels, for a person who prefers dark colors or light ones.
// It shares no cookies with other pages. It is closed when the test ends.
func (b *Browser) Page(tb testing.TB, width, height int, dark bool) *Page {
	tb.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	p := &Page{tb: tb, ctx: ctx, flushed: make(chan string), ended: make(chan struct{})}
	tb.Cleanup(func() {
		defer cancel()
		p.Quiet()
		p.missing()
	})
	p.listen()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}}
	p.do("prepare the page", chromedp.EmulateViewport(int64(width), int64(height)), call(emulation.SetEmulatedMedia, media))
	return p
}
