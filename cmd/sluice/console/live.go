package console

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"sluice/cmd/sluice/console/access"
)

// hashHeader is the header by which a page tells its hash to those who watch it.
const hashHeader = "X-Hash"

// watched is a page that is watched. Viewers and operators see different ones; nothing else about a
// person makes a difference.
type watched struct {
	page     string
	operator bool
}

type watchedKey struct{}

// watchedOf gives what a request is made for if those who watch a page want its middle.
func watchedOf(ctx context.Context) (watched, bool) {
	w, ok := ctx.Value(watchedKey{}).(watched)
	return w, ok
}

// user is who asks.
func (c *Console) user(ctx context.Context) access.User {
	if w, ok := watchedOf(ctx); ok {
		return access.User{Operator: w.operator}
	}
	return access.UserOf(ctx)
}

// fragment is the middle of a page at one instant.
type fragment struct {
	html, hash string
}

// hub makes each page that is watched again and again, once for all who watch it, and sends it to
// them when it has changed.
type hub struct {
	get   func(ctx context.Context, w watched) fragment
	every time.Duration
	ctx   context.Context //nolint:containedctx // it ends what is under way for all, not for one caller
	end   context.CancelFunc

	mu       sync.Mutex
	watchers map[watched]map[chan fragment]bool
	making   sync.WaitGroup
}

func newHub(get func(context.Context, watched) fragment, every time.Duration) *hub {
	ctx, end := context.WithCancel(context.Background())
	return &hub{get: get, every: every, ctx: ctx, end: end, watchers: map[watched]map[chan fragment]bool{}}
}

func (h *hub) close() {
	h.end()
	h.making.Wait()
}

// join gives a channel with the newest fragment of a page, and a function that leaves.
func (h *hub) join(w watched) (<-chan fragment, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	news := make(chan fragment, 1)
	if h.watchers[w] == nil {
		h.watchers[w] = map[chan fragment]bool{}
		h.making.Go(func() { h.make(w) })
	}
	h.watchers[w][news] = true
	return news, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers[w], news)
	}
}

// make makes a page again and again, until no browser watches it.
func (h *hub) make(w watched) {
	ticker := time.NewTicker(h.every)
	defer ticker.Stop()
	for {
		select {
		case <-h.ctx.Done():
			return
		case <-ticker.C:
		}
		ctx, cancel := context.WithTimeout(h.ctx, 10*h.every)
		newest := h.get(ctx, w)
		cancel()
		if !h.tell(w, newest) {
			return
		}
	}
}

// tell gives a fragment to all who watch, and reports whether there are any. A slow one misses
// those in between.
func (h *hub) tell(w watched, newest fragment) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.watchers[w]) == 0 {
		delete(h.watchers, w)
		return false
	}
	if newest.hash == "" {
		return true // it is no page: the next turn tries again
	}
	for news := range h.watchers[w] {
		select {
		case <-news:
		default:
		}
		news <- newest
	}
	return true
}

// fragment makes the middle of a page, as the page itself does. A page that panics ends like one
// that fails: the server sees to that where a browser asks, and here this function.
func (c *Console) fragment(ctx context.Context, w watched) (made fragment) { //nolint:nonamedreturns // what is deferred decides about it
	defer func() {
		if value := recover(); value != nil {
			c.options.Log.ErrorContext(ctx, "a page of the console panicked", "path", w.page, "panic", value, "stack", string(debug.Stack()))
			made = fragment{}
		}
	}()
	request, err := http.NewRequestWithContext(context.WithValue(ctx, watchedKey{}, w), http.MethodGet, w.page, nil)
	if err != nil {
		return fragment{}
	}
	memory := &memory{header: http.Header{}}
	c.mux.ServeHTTP(memory, request)
	return fragment{html: memory.body.String(), hash: memory.header.Get(hashHeader)}
}

// memory keeps an answer.
type memory struct {
	header http.Header
	body   bytes.Buffer
}

func (m *memory) Header() http.Header            { return m.header }
func (m *memory) WriteHeader(int)                {}
func (m *memory) Write(text []byte) (int, error) { return m.body.Write(text) }

// beatEvery keeps proxies from closing a connection on which nothing happens.
const beatEvery = 20 * time.Second

// watch sends the middle of a page whenever it has changed, as server-sent events.
func (c *Console) watch(w http.ResponseWriter, r *http.Request) {
	page, err := url.ParseRequestURI(r.URL.Query().Get("page"))
	if err != nil || page.Host != "" || !local(page.Path) || page.Path == "/live" || page.Query().Has("format") {
		http.Error(w, "page is not an address of the console", http.StatusBadRequest)
		return
	}
	control := http.NewResponseController(w)
	if err := control.SetWriteDeadline(time.Time{}); err != nil {
		http.Error(w, "this connection cannot be watched on", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	_ = control.Flush() // a failure shows at the next write
	//nolint:contextcheck // a page is made for all who watch it: this one may leave
	news, leave := c.live.join(watched{page: page.RequestURI(), operator: c.user(r.Context()).Operator})
	defer leave()
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	seen := r.URL.Query().Get("hash")
	for {
		var text string
		select {
		case <-r.Context().Done():
			return
		case <-c.live.ctx.Done():
			return
		case <-beat.C:
			text = ": still here\n\n"
		case newest := <-news:
			if newest.hash == seen {
				continue
			}
			seen = newest.hash
			text = fmt.Sprintf("event: main\ndata: %s\n\n", strings.ReplaceAll(newest.html, "\n", "\ndata: "))
		}
		_ = control.SetWriteDeadline(time.Now().Add(beatEvery)) // as above
		if _, err := w.Write([]byte(text)); err != nil {
			return
		}
		if err := control.Flush(); err != nil {
			return
		}
	}
}
