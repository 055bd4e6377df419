// Package landing is the page that somebody sees who opens the sandbox's address
// in a browser: what this is and is not, what can be called, with which
// credentials, and how to change the played company.
//
// It reads no record and counts nothing; what it shows is given to it. It loads
// nothing from elsewhere. Start reading with Page, then landing.html.
package landing

import (
	_ "embed" // for the page's text
	"fmt"
	"html/template"
	"io"

	"sluice/sandbox/faults"
	"sluice/sandbox/limits"
	"sluice/sandbox/services"
)

//go:embed landing.html
var text string

var page = template.Must(template.New("landing").Parse(text))

// Page is what the page shows.
type Page struct {
	// Base is the address that the page was asked for at, without a slash at the
	// end, such as http://127.0.0.1:8086.
	Base         string
	Organization string // its id
	TimeZone     string
	Vendor       string // the prefix of the Authorization scheme
	Plan         string
	Records      int
	Limits       limits.Limits
	ClientID     string
	ClientSecret string
	RefreshToken string
	Resources    []Resource
}

// Resource is one resource that can be read.
type Resource struct {
	Name    string // as the controls call it, such as bills
	Service string
	List    string // path of the list
	One     string // path of a single record, "" where there is none
	Note    string // what a reader of the list has to know
}

// row is a call with its meaning.
type row struct {
	Call    string // method, path, and body if any
	Meaning string
}

// Write writes the page as HTML.
func (p Page) Write(w io.Writer) error {
	if err := page.Execute(w, p); err != nil {
		return fmt.Errorf("sandbox: write the landing page: %w", err)
	}
	return nil
}

// TokenPath is the path of the token endpoint.
func (Page) TokenPath() string { return services.TokenPath }

// ControlRoot is where the paths of the controls begin.
func (Page) ControlRoot() string { return services.ControlRoot }

// Faults lists the kinds of faults.
func (Page) Faults() []faults.Kind { return faults.Kinds() }

// Others lists what can be called beside the resources.
func (Page) Others() []row {
	return []row{
		{Call: "GET " + services.BooksRoot + "/organizations", Meaning: "The organization; also below " + services.InventoryRoot + "."},
		{Call: "GET " + services.InventoryRoot + "/itemdetails?item_ids=1,2", Meaning: "Up to a hundred items by id."},
		{Call: "POST " + services.TokenPath, Meaning: "An access token; the parameters go into the query."},
	}
}

// Controls lists the calls below ControlRoot.
func (Page) Controls() []row {
	const get, post = "GET " + services.ControlRoot, "POST " + services.ControlRoot
	return []row{
		{Call: get + "stats", Meaning: "What was called, and how it was answered."},
		{Call: post + "reset_stats", Meaning: "Counts anew."},
		{Call: get + "truth/{service}/{resource}", Meaning: "Every live record, one JSON object a line: what a copy must equal."},
		{
			Call:    post + `change {"seed":1,"inserts":2,"edits":3,"deletes":1,"resources":["bills"]}`,
			Meaning: "Changes records and answers their ids; no resources named means all.",
		},
		{Call: post + `advance {"seconds":3600}`, Meaning: "Moves the clock on: record times, tokens and the day, not the minute."},
		{Call: post + "expire_tokens", Meaning: "Makes every access token invalid."},
		{Call: get + "faults", Meaning: "The faults that are set, and those there are."},
		{
			Call:    post + `faults [{"path":"` + services.InventoryRoot + `/bills","kind":"html","count":2,"after":1}]`,
			Meaning: "Sets faults in place of those before; [] sets everything right again.",
		},
	}
}
