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

// renderer turns pages into HTML.
type renderer struct{ all *template.Template }

func newRenderer() (*renderer, error) {
	r := &renderer{}
	all, err := template.New("").Funcs(template.FuncMap{
		"part":   r.part,
		"seen":   outside.VisibleLines,
		"marked": func(lines map[int]bool, i int) bool { return lines[i+1] },
	}).ParseFS(templates, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("read the templates: %w", err)
	}
	r.all = all
	return r, nil
}

// part is the HTML of one part. The template escapes its texts.
func (r *renderer) part(p Part) (template.HTML, error) {
	var text bytes.Buffer
	if err := r.all.ExecuteTemplate(&text, p.template(), p); err != nil {
		return "", fmt.Errorf("show a %s: %w", p.template(), err)
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

func (r *renderer) main(page Page, user access.User) (template.HTML, string, error) {
	if !user.Operator {
		page.Parts = withoutForms(page.Parts)
	}
	var text bytes.Buffer
	if err := r.all.ExecuteTemplate(&text, "main", page); err != nil {
		return "", "", fmt.Errorf("show %s: %w", page.Title, err)
	}
	sum := sha256.Sum256(text.Bytes())
	return template.HTML(text.String()), hex.EncodeToString(sum[:8]), nil //nolint:gosec // the template escaped it
}

// withoutForms leaves out what a viewer may not do.
func withoutForms(parts []Part) []Part {
	var left []Part
	for _, part := range parts {
		switch p := part.(type) {
		case Form:
			continue
		case Table:
			left = append(left, p.withoutForms())
		case Figure:
			p.Table = p.Table.withoutForms()
			left = append(left, p)
		default:
			left = append(left, part)
		}
	}
	return left
}

func (t Table) withoutForms() Table {
	rows := make([][]Cell, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = make([]Cell, len(row))
		for j, cell := range row {
			cell.Forms = nil
			rows[i][j] = cell
		}
	}
	t.Rows = rows
	return t
}

// send writes a page, or only its middle to those who watch it.
func (c *Console) send(w http.ResponseWriter, r *http.Request, status int, page Page) {
	user := c.user(r.Context())
	main, hash, err := c.pages.main(page, user)
	if err != nil {
		c.options.Log.ErrorContext(r.Context(), "a page of the console cannot be shown", "path", r.URL.Path, "error", err)
		http.Error(w, "This page cannot be shown.", http.StatusInternalServerError)
		return
	}
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
	var text bytes.Buffer
	if err := c.pages.all.ExecuteTemplate(&text, "layout", shown); err != nil {
		c.options.Log.ErrorContext(r.Context(), "a page of the console cannot be shown", "path", r.URL.Path, "error", err)
		http.Error(w, "This page cannot be shown.", http.StatusInternalServerError)
		return
	}
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes()) // a failure means that the browser has left
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
