// Package browser drives a real browser in tests: it opens pages, clicks, reads, and judges what a
// person would see.
//
// A page fails its test by itself if it writes to the console, throws, breaks its policy for
// content or cannot load something, unless the test allows it (Page.Allow). Further checks are
// called: NoOverflow, Contrast, Tab.
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
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// actionLimit bounds one action, on a machine that is busy with other tests.
const actionLimit = 2 * time.Minute

// Browser is a browser that runs until its test ends.
type Browser struct {
	ctx context.Context //nolint:containedctx // the library keeps the browser in it
}

// Start starts a browser, which ends with the test.
func Start(tb testing.TB) *Browser {
	tb.Helper()
	program, err := find()
	if err != nil {
		tb.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // its sandbox refuses to work for root
	}
	allocator, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	late := time.AfterFunc(actionLimit, cancel)
	defer late.Stop()
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		tb.Fatalf("start %s: %v", program, err)
	}
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(ctx, actionLimit)
		defer cancel()
		if err := chromedp.Cancel(ctx); err != nil {
			tb.Errorf("end the browser: %v", err)
		}
	})
	return &Browser{ctx: ctx}
}

// find returns the program of the browser.
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

// call makes an action of a command of the protocol.
func call[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}

// Page opens an empty page of a size in pixels, for a person who prefers dark colors or light ones.
// It shares no cookies with other pages. It is closed when the test ends.
func (b *Browser) Page(tb testing.TB, width, height int, dark bool) *Page {
	tb.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	p := &Page{tb: tb, ctx: ctx}
	tb.Cleanup(func() {
		defer cancel()
		p.Quiet()
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
