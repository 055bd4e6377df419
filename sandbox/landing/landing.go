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
	"net/url"
	"slices"
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
	Controls          []Control
	Anywhere          bool // the controls answer other machines, too
	Sending           bool // callbacks are sent
}

// Endpoint is one call that is answered.
type Endpoint struct {
	Name         string // the resource, as the controls call it, such as bills; "" for none
	Service      string
	Method, Path string
	Scope        string // without the vendor's name
	Note         string // what a caller has to know
	Assumed      string // what no document shows
}

// Organization is one that is played beside the sandbox's own.
type Organization struct{ ID, Prefix, TimeZone, Plan, RefreshToken string }

// Control is a call below ControlRoot.
type Control struct {
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

// Consent is a path of the consent page, asked for by the sandbox's own client.
func (p Page) Consent() string {
	return services.OAuthRoot + "auth?" + url.Values{
		"client_id": {p.ClientID}, "response_type": {"code"}, "access_type": {"offline"}, "prompt": {"consent"}, "state": {"try"},
		"scope": {p.Vendor + "Inventory.items.READ," + p.Vendor + "Inventory.bills.READ"}, "redirect_uri": {"http://127.0.0.1:9999/callback"},
	}.Encode()
}

// ChatLock is how long chat is locked, in words.
func (p Page) ChatLock() string { return fmt.Sprintf("%g minutes", p.Limits.ChatLock.Minutes()) }

// Service is the calls of one service.
type Service struct {
	Name      string
	Endpoints []Endpoint
}

// Services are the endpoints by their service, in the order in which they are given.
func (p Page) Services() []Service {
	var all []Service
	for _, e := range p.Endpoints {
		name := e.Service
		if name == "" {
			name = "authorization"
		}
		at := slices.IndexFunc(all, func(s Service) bool { return s.Name == name })
		if at < 0 {
			at = len(all)
			all = append(all, Service{Name: name})
		}
		all[at].Endpoints = append(all[at].Endpoints, e)
	}
	return all
}

// Faults lists the kinds of faults.
func (Page) Faults() []faults.Kind { return faults.Kinds() }
