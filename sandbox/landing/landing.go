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
	"strings"

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
	Endpoints    []Endpoint
	// Organizations are the others that are played; Networks and Modules the names
	// that stand in paths.
	Organizations     []Organization
	Networks, Modules []string
}

// Endpoint is one call that is answered.
type Endpoint struct {
	Name         string // the resource, as the controls call it, such as bills; "" for none
	Service      string
	Method, Path string
	Note         string // what a caller has to know
	Assumed      string // what no document shows
}

// Organization is one that is played beside the sandbox's own.
type Organization struct{ ID, Prefix, TimeZone, Plan, RefreshToken string }

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

// VendorLower is the vendor's name as headers have it.
func (p Page) VendorLower() string { return strings.ToLower(p.Vendor) }

// Sample is a path to try.
func (Page) Sample() string { return services.InventoryRoot + "/bills" }

// ControlRoot is where the paths of the controls begin.
func (Page) ControlRoot() string { return services.ControlRoot }

// Faults lists the kinds of faults.
func (Page) Faults() []faults.Kind { return faults.Kinds() }

// Controls lists the calls below ControlRoot.
func (Page) Controls() []row {
	const get, post = "GET " + services.ControlRoot, "POST " + services.ControlRoot
	return []row{
		{Call: get + "organizations", Meaning: "The organizations that are played, with their refresh tokens."},
		{Call: get + "endpoints", Meaning: "What can be called, the scope it needs, and what of it no document shows."},
		{Call: get + "stats", Meaning: "What was called, and how it was answered."},
		{Call: post + "reset_stats", Meaning: "Counts anew."},
		{Call: get + "truth/{service}/{resource}", Meaning: "Every live record in one piece, one JSON object a line: what a copy must equal."},
		{
			Call:    post + `change {"seed":1,"inserts":2,"edits":3,"deletes":1,"resources":["bills"]}`,
			Meaning: "Changes records and answers their ids; no resources named means all.",
		},
		{Call: post + `advance {"seconds":3600}`, Meaning: "Moves the clock on: record times, tokens and the day, not the minute."},
		{
			Call:    get + "truth/inventory/bills?organization={id}&dc={data center}",
			Meaning: "The same of another organization; stats and change take the two as well.",
		},
		{Call: post + "expire_tokens", Meaning: "Makes every access token invalid."},
		{Call: get + "faults", Meaning: "The faults that are set, and those there are."},
		{
			Call:    post + `faults [{"path":"` + services.InventoryRoot + `/bills","kind":"html","count":2,"after":1}]`,
			Meaning: "Sets faults in place of those before; [] sets everything right again.",
		},
	}
}
