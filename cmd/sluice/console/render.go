package console

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console/access"
	"sluice/pipeline/outside"
)

//go:embed templates
var templates embed.FS

// templatesFor reads the templates. Those for viewers show no form: they leave out what a viewer may
// not do.
func templatesFor(operator bool) *template.Template {
	var all *template.Template
	all = template.Must(template.New("").Funcs(template.FuncMap{
		"part":     func(p Part) (template.HTML, error) { return execute(all, p.template(), "a "+p.template(), p) },
		"operator": func() bool { return operator },
		"seen":     outside.VisibleLines,
		"marked":   func(lines map[int]bool, i int) bool { return lines[i+1] },
	}).ParseFS(templates, "templates/*.html"))
	return all
}

// execute is the HTML that a template makes of what it shows. The template escapes its texts.
func execute(all *template.Template, name, shown string, data any) (template.HTML, error) {
	var text bytes.Buffer
	if err := all.ExecuteTemplate(&text, name, data); err != nil {
		return "", fmt.Errorf("show %s: %w", shown, err)
	}
	return template.HTML(text.String()), nil //nolint:gosec // the template escaped it
}

// whole is what the layout shows around a page.
type whole struct {
	Page

	Nav     []Link
	Path    string
	Self    string
	User    access.User
	Main    template.HTML
	Hash    string
	Done    *Deed
	SignOut string
	Version string
	Now     string
}

// send writes a page, or only its middle to those who watch it.
func (c *Console) send(w http.ResponseWriter, r *http.Request, status int, page Page) {
	user := c.user(r.Context())
	main, err := execute(c.templates[user.Operator], "main", page.Title, page)
	if err != nil {
		c.options.Log.ErrorContext(r.Context(), "a page of the console cannot be shown", "path", r.URL.Path, "error", err)
		http.Error(w, "This page cannot be shown.", http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256([]byte(main))
	hash := hex.EncodeToString(sum[:8])
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if _, fragment := watchedOf(r.Context()); fragment {
		w.Header().Set(hashHeader, hash)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(main)) // into memory
		return
	}
	self := *r.URL
	query := self.Query()
	query.Del("done")
	self.RawQuery = query.Encode()
	shown := whole{
		Page: page, Nav: c.nav, Path: r.URL.Path, Self: self.RequestURI(), User: user, Main: main, Hash: hash,
		SignOut: c.options.SignOut, Version: c.options.Version, Now: c.options.Now().UTC().Format("2006-01-02 15:04:05 UTC"),
	}
	if id, err := strconv.ParseInt(r.URL.Query().Get("done"), 10, 64); err == nil {
		if deed, err := c.options.Recorded(r.Context(), id); err == nil && deed.Who == user.Name {
			shown.Done = &deed
		}
	}
	text, err := execute(c.templates[user.Operator], "layout", page.Title, shown)
	if err != nil {
		c.options.Log.ErrorContext(r.Context(), "a page of the console cannot be shown", "path", r.URL.Path, "error", err)
		http.Error(w, "This page cannot be shown.", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // a failure means that the browser has left
}

// document writes what the command prints with --json.
func (c *Console) document(w http.ResponseWriter, r *http.Request, page Page) {
	var text bytes.Buffer
	if err := (view.Printer{Out: &text, JSON: true}).Document(page.Document); err != nil {
		c.options.Log.ErrorContext(r.Context(), "a document of the console cannot be shown", "path", r.URL.Path, "error", err)
		http.Error(w, "This document cannot be shown.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text.Bytes()) // a failure means that the browser has left
}

// Live is where a browser watches the page.
func (w whole) Live() string { return "/live?page=" + url.QueryEscape(w.Self) }
