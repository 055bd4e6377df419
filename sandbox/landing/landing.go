// Package landing is the page at the sandbox's address for a reader with a browser: what the
// sandbox is and is not, its calls, its credentials, and how to change the simulated company.
//
// It reads no record and counts nothing; its callers pass all content. It loads nothing from
// elsewhere. Start reading with Page, then landing.html.
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

// Page is the content of the page.
type Page struct {
	// Base is the address of the page's request, without a slash at the end, such as
	// http://127.0.0.1:8086.
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
	// Organizations are the further organizations; Networks and Modules are the names in paths.
	Organizations     []Organization
	Networks, Modules []string
	Controls          []Control
	Anywhere          bool // the controls answer other machines, too
	Sending           bool // callbacks are sent
}

// Endpoint is one call.
type Endpoint struct {
	Name         string // the resource's name in the controls, such as bills; "" for none
	Service      string
	Method, Path string
	Scope        string // without the vendor's name
	Note         string // what a caller has to know
	Assumed      string // what no document shows
}

// Organization is one beside the sandbox's own.
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

// TokenPath returns the path of the token endpoint.
func (Page) TokenPath() string { return services.TokenPath }

// VendorLower returns the vendor's name as in headers.
func (p Page) VendorLower() string { return strings.ToLower(p.Vendor) }

// Sample returns a path to try.
func (Page) Sample() string { return services.InventoryRoot + "/bills" }

// ControlRoot returns the beginning of the controls' paths.
func (Page) ControlRoot() string { return services.ControlRoot }

// Consent returns a path of the consent page, for the sandbox's own client.
func (p Page) Consent() string {
	return services.OAuthRoot + "auth?" + url.Values{
		"client_id": {p.ClientID}, "response_type": {"code"}, "access_type": {"offline"}, "prompt": {"consent"}, "state": {"try"},
		"scope": {p.Vendor + "Inventory.items.READ," + p.Vendor + "Inventory.bills.READ"}, "redirect_uri": {"http://127.0.0.1:9999/callback"},
	}.Encode()
}

// ChatLock returns the duration of the lock of chat, in words.
func (p Page) ChatLock() string { return fmt.Sprintf("%g minutes", p.Limits.ChatLock.Minutes()) }

// Service is the calls of one service.
type Service struct {
	Name      string
	Endpoints []Endpoint
}

// Services returns the endpoints grouped by service, in their given order.
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
