//go:build e2e

package browser_test

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/cmd/sluice/console/browser"
)

// judged is a test that collects its failures instead of failing.
type judged struct {
	testing.TB

	mu       sync.Mutex
	failures []string
	cleanups []func()
}

func (j *judged) Helper() {}

func (j *judged) Error(args ...any) { j.note(fmt.Sprint(args...)) }

func (j *judged) Errorf(format string, args ...any) { j.note(fmt.Sprintf(format, args...)) }

func (j *judged) Fatal(args ...any) {
	j.note(fmt.Sprint(args...))
	runtime.Goexit()
}

func (j *judged) Fatalf(format string, args ...any) {
	j.note(fmt.Sprintf(format, args...))
	runtime.Goexit()
}

func (j *judged) Cleanup(do func()) { j.cleanups = append(j.cleanups, do) }

func (j *judged) note(failure string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failures = append(j.failures, failure)
}

// failuresOf returns with what a test fails that does this to a page.
func failuresOf(t *testing.T, b *browser.Browser, width int, dark bool, do func(p *browser.Page)) []string {
	t.Helper()
	j := &judged{TB: t}
	var group sync.WaitGroup
	group.Go(func() {
		defer func() {
			for _, cleanup := range slices.Backward(j.cleanups) {
				cleanup()
			}
		}()
		do(b.Page(j, width, 600, dark))
	})
	group.Wait()
	return j.failures
}

// site serves pages by path, with the policy that the console has.
func site(t *testing.T, pages map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		switch filepath.Ext(r.URL.Path) {
		case ".css":
			w.Header().Set("Content-Type", "text/css")
		case ".js":
			w.Header().Set("Content-Type", "text/javascript")
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'")
			page = "<!doctype html><html lang=en><title>t</title><body>" + page
		}
		_, _ = fmt.Fprint(w, page)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestGoodPage: nothing fails on a good page, and each action does what it says.
func TestGoodPage(t *testing.T) {
	t.Parallel()
	url := site(t, map[string]string{
		"/": `<link rel=stylesheet href=/a.css><h1>Streams</h1><a id=next href=/two>Next</a>
			<form action=/two><input id=name name=name aria-label=Name><button>Send</button></form><p class=wide>All is well.</p>
			<button id=more type=button>More</button><p id=out></p><script src=/a.js></script>
			<a hidden href="/two#part">Again</a><a hidden href="/three?x=1">Third</a>`,
		"/two":   `<h1>Second</h1><noscript><p id=plain>Plain</p></noscript>`,
		"/a.css": `.wide { max-width: 100% } @media (prefers-color-scheme: dark) { body { background: #111; color: #eee } a, a:visited { color: #9cf } h1::after { content: " at night" } }`,
		"/a.js":  `document.getElementById('more').addEventListener('click', () => { document.getElementById('out').textContent = confirm('Really?') ? 'yes' : 'no' })`,
	})
	b := browser.Start(t)
	for _, width := range []int{360, 1280} {
		for _, dark := range []bool{false, true} {
			p := b.Page(t, width, 600, dark)
			p.Open(url)
			p.NoOverflow()
			p.Contrast()
			got, want := p.Tab(), []string{"#next", "#name", `button "Send"`, "#more"}
			errorIf(t, !slices.Equal(got, want), "the focus goes to %q, want %q", got, want)
			errorIf(t, p.Focusable() != 4, "%d elements take the focus, want 4", p.Focusable())
			p.Expect("dialog: Really?")
			p.Click("#more")
			p.Wait("#out")
			errorIf(t, p.Text("#out") != "yes", "after the dialog the page says %q", p.Text("#out"))
			path := filepath.Join(t.TempDir(), "page.png")
			p.Screenshot(path)
			picture, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			config, err := png.DecodeConfig(bytes.NewReader(picture))
			errorIf(t, err != nil || config.Width != width, "the picture is %d pixels wide, want %d (error %v)", config.Width, width, err)
			got, want = p.Links(), []string{url + "/two", url + "/three?x=1"}
			errorIf(t, !slices.Equal(got, want), "the links lead to %q, want %q", got, want)
			if config, err := png.DecodeConfig(bytes.NewReader(p.Picture())); err != nil || config.Width != width || config.Height != 600 {
				t.Errorf("the window is %d by %d pixels (error %v)", config.Width, config.Height, err)
			}
			p.Type("#name", "Ada")
			p.Press(" & co")
			p.Enter()
			errorIf(t, p.URL() != url+"/two?name=Ada+%26+co", "the form leads to %s", p.URL())
			p.Open(url)
			p.Follow("#next")
			title := p.Text("h1")
			errorIf(t, title != "Second" || p.URL() != url+"/two" || p.Count("h1") != 1, "the link leads to %q at %s", title, p.URL())
			errorIf(t, p.Count("#plain") != 0, "the page has what is for pages without scripts")
			p.WithoutScript()
			p.Open(url + "/two")
			errorIf(t, p.Text("#plain") != "Plain", "without scripts the page says %q", p.Text("#plain"))
			p.Contrast()
		}
	}
}

// TestWalk: a walk clicks what has a text, fills the field of a label, and counts both.
func TestWalk(t *testing.T) {
	t.Parallel()
	url := site(t, map[string]string{
		"/": `<main><a href=/two>Next day</a> <a href=/three>Next</a> <details><summary>Ask…</summary>
			<form action=/two><label>Name <input name=other></label><label>Why <input name=why></label><button>Ask</button></form></details></main>`,
		"/two":   `<p>Second</p>`,
		"/three": `<p>Third</p><a href=/>Back</a>`,
	})
	var seen []string
	w := browser.Start(t).Page(t, 1280, 600, false).Walk(url+"/", func(p *browser.Page) { seen = append(seen, strings.TrimPrefix(p.URL(), url)) })
	w.To("Next")
	w.To("Back")
	w.Unfold("Ask…")
	w.Fill("Why", "so")
	w.To("Ask")
	want := []string{"/", "/three", "/", "/", "/two?other=&why=so"}
	errorIf(t, !slices.Equal(seen, want), "the walk sees %q, want %q", seen, want)
	if want := []string{"Next", "Back", "Ask…", "Why", "Ask"}; w.Clicks != 4 || w.Fields != 1 || !slices.Equal(w.Way, want) || w.Took <= 0 {
		t.Errorf("%d clicks, %d fields, %q in %s", w.Clicks, w.Fields, w.Way, w.Took)
	}
}

// TestClock: a page whose clock is wrong by a day shows tomorrow, and other instants as they are.
func TestClock(t *testing.T) {
	t.Parallel()
	url := site(t, map[string]string{
		"/": `<p id=now></p><p id=then></p><script src=/clock.js></script>`,
		"/clock.js": `const show = (id, date) => { document.getElementById(id).textContent = date.toISOString() };
			show('then', new Date(0)); setTimeout(() => show('now', new Date()), 100)`,
	})
	p := browser.Start(t).Page(t, 360, 600, false)
	for _, ahead := range []time.Duration{0, 24 * time.Hour} {
		p.Clock(ahead)
		p.Open(url)
		p.Says("#now", "Z")
		if now, err := time.Parse(time.RFC3339, p.Text("#now")); err != nil || time.Until(now.Add(-ahead)).Abs() > time.Minute {
			t.Errorf("with a clock that is wrong by %s it is %s (error %v)", ahead, now, err)
		}
		then := p.Text("#then")
		errorIf(t, then != "1970-01-01T00:00:00.000Z", "the epoch is %s", then)
	}
}

// TestBadPages: each bad thing fails the test, with words that lead to it. The contrasts are those
// of WCAG's formula, computed by hand: on white #777777 has 4.478, #959595 2.995, #949494 3.033.
func TestBadPages(t *testing.T) {
	t.Parallel()
	scripts := map[string]string{
		"log":     `console.log('left over', 7)`,
		"throw":   `throw new Error('broken')`,
		"later":   `document.addEventListener('click', () => { throw new Error('clicked') })`,
		"promise": `Promise.reject(new Error('refused'))`,
		"fetch":   `fetch('/missing.json').then(() => { document.querySelector('p').textContent = 'answered' })`,
		"alert":   `alert('injected')`,
	}
	pages := map[string]string{
		"/inline":   `<p>text</p><script>document.title = 'x'</script>`,
		"/style":    `<p style="color: red">text</p>`,
		"/foreign":  `<p>text</p><img src="http://other.invalid/a.png" alt="">`,
		"/wide":     `<link rel=stylesheet href=/a.css><p class=wide>text</p>`,
		"/cut":      `<link rel=stylesheet href=/a.css><div class=clip><p class=wide>text</p></div><div class=scroll><p class=wide>text</p></div>`,
		"/clip":     `<link rel=stylesheet href=/clip.css><p class=wide>text</p>`,
		"/faint":    `<link rel=stylesheet href=/a.css><p class=g777>fine</p><p class=g767>ok</p><p class=g787>too faint</p>`,
		"/large":    `<link rel=stylesheet href=/a.css><p class="g949 large">large</p><p class="g959 large">also large</p><p class="g949 bold">bold</p><p class="g949 small">small</p>`,
		"/through":  `<link rel=stylesheet href=/a.css><div class=dark><p class=half>half</p><p class=glass>glass</p></div>`,
		"/before":   `<link rel=stylesheet href=/a.css><p class=before>text</p>`,
		"/input":    `<link rel=stylesheet href=/a.css><input class=g787 value=value aria-label=a><input class=hint placeholder=hint aria-label=b><input class=g787 disabled value=off aria-label=c><select class=g787 aria-label=d><option>choice</select>`,
		"/picture":  `<link rel=stylesheet href=/a.css><p class=gradient>text</p>`,
		"/drawn":    `<link rel=stylesheet href=/a.css><svg width=200 height=100><rect width=100 height=50 fill="#000" /><text x=10 y=30 fill="#222">lost</text><text x=10 y=80 fill="#222">found</text></svg>`,
		"/modern":   `<link rel=stylesheet href=/a.css><p class=modern>modern</p>`,
		"/empty":    `<img alt="">`,
		"/dark":     `<link rel=stylesheet href=/dark.css><p>text</p>`,
		"/hidden":   `<link rel=stylesheet href=/a.css><a href=/a id=seen>a</a> <a href=/b id=unseen class=unseen>b</a>`,
		"/trap":     `<a href=/a id=one>a</a> <a href=/b id=two>b</a> <a href=/c id=three>c</a><script src=/trap.js></script>`,
		"/gone":     `<p>text</p>`,
		"/trap.js":  `document.getElementById('two').addEventListener('keydown', (e) => e.preventDefault())`,
		"/clip.css": `html { overflow-x: clip } .wide { width: 500px }`,
		"/dark.css": `:root { color-scheme: light dark } p { color: #777 }`,
		"/a.css": `.wide { width: 500px } .clip { overflow: hidden } .scroll { overflow-x: auto } .unseen:focus { outline: none }
			.g777 { color: #757575 } .g767 { color: #767676 } .g787 { color: #777777 } .g949 { color: #949494 } .g959 { color: #959595 }
			.large { font-size: 24px; font-weight: 400 } .bold { font-size: 18.66px; font-weight: 700 } .small { font-size: 18.66px; font-weight: 400 }
			.dark { background: #000; color: #fff } .half { opacity: .4 } .glass { background: rgba(255, 255, 255, 0.9) }
			.before::before { content: "ghost"; color: #eee } .hint::placeholder { color: #aaa } input, select { background: #fff; color: #000; border: 1px solid }
			.gradient { background: linear-gradient(#fff, #000) } .modern { color: oklch(0.95 0 0) }`,
	}
	for name, script := range scripts {
		pages["/"+name], pages["/"+name+".js"] = "<p>text</p><script src=/"+name+".js></script>", script
	}
	url := site(t, pages)
	open := func(path string) func(*browser.Page) { return func(p *browser.Page) { p.Open(url + path) } }
	overflow := func(path string) func(*browser.Page) {
		return func(p *browser.Page) { p.Open(url + path); p.NoOverflow() }
	}
	contrast := func(path string) func(*browser.Page) {
		return func(p *browser.Page) { p.Open(url + path); p.Contrast() }
	}
	tab := func(path string) func(*browser.Page) { return func(p *browser.Page) { p.Open(url + path); p.Tab() } }
	b := browser.Start(t)
	for name, test := range map[string]struct {
		do func(*browser.Page)
		// want are parts of the failures, in this order.
		want []string
	}{
		"a call of console.log":      {open("/log"), []string{"the page says: log: left over 7"}},
		"an error":                   {open("/throw"), []string{"the page says: exception: Uncaught Error: broken"}},
		"an error at the end":        {func(p *browser.Page) { p.Open(url + "/later"); p.Click("p") }, []string{"Uncaught Error: clicked"}},
		"a promise refused":          {open("/promise"), []string{"Error: refused"}},
		"an answer 404 to a script":  {func(p *browser.Page) { p.Open(url + "/fetch"); p.Says("p", "answered") }, []string{"404"}},
		"a dialog":                   {open("/alert"), []string{"dialog: injected"}},
		"a script in the page":       {open("/inline"), []string{"Content Security Policy"}},
		"a style in the page":        {open("/style"), []string{"Content Security Policy"}},
		"a picture from elsewhere":   {open("/foreign"), []string{"Content Security Policy"}},
		"the page missing":           {open("/nothing"), []string{"404"}},
		"a message that is expected": {func(p *browser.Page) { p.Expect("left over"); p.Open(url + "/log") }, nil},
		"an expected one that fails to come": {func(p *browser.Page) { p.Expect("left over"); p.Open(url + "/gone") },
			[]string{`the page did not say "left over"`}},
		"a server that does not answer": {func(p *browser.Page) { p.Open("http://127.0.0.1:1/") }, []string{"ERR_"}},

		"a wide element":                   {overflow("/wide"), []string{"508 pixels wide in a window of 360: p.wide"}},
		"wide elements that are held":      {overflow("/cut"), nil},
		"a wide element that is cut off":   {overflow("/clip"), []string{"p.wide"}},
		"gray on white":                    {contrast("/faint"), []string{`"too faint" in p.g787 is 4.47, at least 4.5`}},
		"large text":                       {contrast("/large"), []string{`"also large" in p.g959.large is 2.99, at least 3.0`, `"small" in p.g949.small is 3.03, at least 4.5`}},
		"light through half and glass":     {contrast("/through"), []string{`"half"`, `"glass"`}},
		"text before an element":           {contrast("/before"), []string{`"ghost"`}},
		"fields":                           {contrast("/input"), []string{`"value"`, `"hint"`, `"choice"`}},
		"text on a gradient":               {contrast("/picture"), []string{"cannot be judged"}},
		"text on a shape":                  {contrast("/drawn"), []string{`"lost"`}},
		"a color in a modern spelling":     {contrast("/modern"), []string{`"modern"`}},
		"no text":                          {contrast("/empty"), []string{"has no text"}},
		"gray on the browser's own ground": {contrast("/dark"), []string{`"text" in p is`}},
		"a focus that cannot be seen":      {tab("/hidden"), []string{"the focus on #unseen cannot be seen"}},
		"a focus that is caught":           {tab("/trap"), []string{"the focus is caught at #two, after #one, #two"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failures := failuresOf(t, b, 360, false, test.do)
			if len(failures) != len(test.want) {
				t.Fatalf("failures %q, want %q", failures, test.want)
			}
			for i, want := range test.want {
				errorIf(t, !strings.Contains(failures[i], want), "failure %q, want %q", failures[i], want)
			}
		})
	}
}

// TestDarkPages: a page without a background is judged on the one that the browser gives it.
func TestDarkPages(t *testing.T) {
	t.Parallel()
	url := site(t, map[string]string{
		"/":      `<link rel=stylesheet href=/a.css><p>text</p>`,
		"/a.css": `:root { color-scheme: light dark } p { color: #666 }`,
	})
	b := browser.Start(t)
	for dark, want := range map[bool]int{false: 0, true: 1} {
		got := failuresOf(t, b, 360, dark, func(p *browser.Page) { p.Open(url); p.Contrast() })
		errorIf(t, len(got) != want, "dark %t: failures %q, want %d", dark, got, want)
	}
}

// TestNoBrowser: without a browser the test fails, and says what to do.
func TestNoBrowser(t *testing.T) {
	t.Setenv("SLUICE_TEST_BROWSER", "no-such-browser")
	j := &judged{TB: t}
	var group sync.WaitGroup
	group.Go(func() { browser.Start(j) })
	group.Wait()
	errorIf(t, len(j.failures) != 1 || !strings.Contains(j.failures[0], ".ci/setup browser"), "failures %q", j.failures)
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
