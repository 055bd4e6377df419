// Package console shows the state of sluice in a browser. It has the layout, the components of
// pages, live updates and the way of an action; package access decides who may come in, and package
// chart draws. It reads no database and knows no resource: the commands (cmd/sluice/cli, page_*.go)
// make the pages from the same functions that print their results.
//
// Start reading at New, then page.go.
package console

import (
	"context"
	"embed"
	"errors"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sluice/cmd/sluice/console/access"
	"sluice/cmd/sluice/console/chart"
	"sluice/pipeline/outside"
)

// Route is an address and what it shows.
type Route struct {
	// Pattern is that of http.ServeMux, without a method: /runs/{id}.
	Pattern string
	// Nav is the name in the navigation; empty for a page that others lead to.
	Nav string
	// Operators says that viewers may not see it.
	Operators bool
	Page      func(ctx context.Context, r *Request) (Page, error)
}

// Request is what a page or an action is asked for.
type Request struct {
	// User may be an operator or a viewer. Pages depend on nothing else of a person.
	User access.User
	// Value gives a part of the address by its name in the pattern.
	Value func(name string) string
	// Query has what follows the question mark, or what a form sent.
	Query url.Values
	Now   time.Time
}

// Options configure the console.
type Options struct {
	Routes  []Route
	Actions []Action
	// SignOut is the path to which a form posts to sign out; empty where there is nothing to end.
	SignOut string
	// Record writes what a person did; see Deed.
	Record func(ctx context.Context, d Deed) (int64, error)
	// Recorded reads it again, for the page that follows an action.
	Recorded func(ctx context.Context, id int64) (Deed, error)
	// Unreachable reports whether an error means that the database is away.
	Unreachable func(err error) bool
	// Scrub removes secrets from the text of an error.
	Scrub func(err error) outside.Text
	// Every is how often pages that are watched are made again.
	Every time.Duration
	// Version is shown at the foot.
	Version string
	Log     *slog.Logger
	Now     func() time.Time
}

// ErrNotFound is what a page returns for an address that names nothing. Its text says what.
var ErrNotFound = errors.New("not found")

// Console is the handler of all pages.
type Console struct {
	options Options
	mux     *http.ServeMux
	// guarded is the mux behind what refuses posts from other origins.
	guarded http.Handler
	// templates are those for operators and for viewers.
	templates map[bool]*template.Template
	live      *hub
	nav       []Link
}

var (
	//go:embed static
	static embed.FS
	//go:embed static/console.css
	pagesCSS string
)

// New prepares the console.
func New(options Options) *Console {
	c := &Console{
		options: options, mux: http.NewServeMux(),
		templates: map[bool]*template.Template{true: templatesFor(true), false: templatesFor(false)},
	}
	c.guarded = http.NewCrossOriginProtection().Handler(c.mux)
	c.live = newHub(c.fragment, options.Every)
	for _, route := range options.Routes {
		if route.Nav != "" {
			c.nav = append(c.nav, Link{Text: route.Nav, Href: strings.TrimSuffix(route.Pattern, "{$}")})
		}
		c.mux.HandleFunc("GET "+route.Pattern, func(w http.ResponseWriter, r *http.Request) { c.page(w, r, route) })
	}
	for _, action := range options.Actions {
		c.mux.HandleFunc("POST "+action.Pattern, func(w http.ResponseWriter, r *http.Request) { c.act(w, r, action) })
	}
	c.mux.HandleFunc("GET /live", c.watch)
	c.mux.HandleFunc("GET /static/console.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = io.WriteString(w, pagesCSS+chart.CSS) // a failure means that the browser has left
	})
	c.mux.Handle("GET /static/", http.FileServerFS(static))
	c.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c.fail(w, r, http.StatusNotFound, "There is no such page.")
	})
	return c
}

// ServeHTTP refuses posts from other origins, and sets what a browser may load: nothing that is not
// the console's own.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "+
		"form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin")
	if strings.HasPrefix(r.URL.Path, "/static/") {
		header.Set("Cache-Control", "max-age=3600")
	} else {
		header.Set("Cache-Control", "no-store")
	}
	c.guarded.ServeHTTP(w, r)
}

// Close ends the connections that watch.
func (c *Console) Close() { c.live.close() }

func (c *Console) request(r *http.Request) *Request {
	return &Request{User: c.user(r.Context()), Value: r.PathValue, Query: r.URL.Query(), Now: c.options.Now()}
}

// page makes and sends one page: whole, as its document, or for those who watch it as a fragment.
func (c *Console) page(w http.ResponseWriter, r *http.Request, route Route) {
	request := c.request(r)
	if route.Operators && !request.User.Operator {
		c.fail(w, r, http.StatusForbidden, "Operators only.")
		return
	}
	page, err := route.Page(r.Context(), request)
	if err != nil {
		c.failed(w, r, err)
		return
	}
	if request.Query.Get("format") == "json" {
		c.document(w, r, page)
		return
	}
	c.send(w, r, http.StatusOK, page)
}

// failed sends the page for an error.
func (c *Console) failed(w http.ResponseWriter, r *http.Request, err error) {
	switch {
	case errors.Is(err, ErrNotFound):
		c.fail(w, r, http.StatusNotFound, string(c.options.Scrub(err)))
	case c.options.Unreachable(err), errors.Is(r.Context().Err(), context.DeadlineExceeded):
		page := Page{Title: http.StatusText(http.StatusServiceUnavailable), Mood: Bad}
		page.Sentence = "The database does not answer. This page comes back by itself."
		if c.user(r.Context()).Operator {
			page.Parts = []Part{Note{Text: string(c.options.Scrub(err)), Mood: Muted}}
		}
		c.send(w, r, http.StatusServiceUnavailable, page)
	case r.Context().Err() != nil:
		// the browser has left
	default:
		text := c.options.Scrub(err)
		c.options.Log.WarnContext(r.Context(), "a page of the console failed", "path", r.URL.Path, "error", text)
		if !c.user(r.Context()).Operator {
			text = "This page failed. The log of the process says why." // the text may quote a value
		}
		c.fail(w, r, http.StatusInternalServerError, string(text))
	}
}

// fail sends a page that says what is wrong.
func (c *Console) fail(w http.ResponseWriter, r *http.Request, status int, text string) {
	c.send(w, r, status, Page{Title: http.StatusText(status), Sentence: text, Mood: Bad})
}
