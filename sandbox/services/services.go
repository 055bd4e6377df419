// Package services locates the simulated services: their names, the roots of their paths and the
// parts of a path (docs/upstream.md U2 to U8).
//
// It only names; it answers no call and knows no record. Start reading with Parse.
package services

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

// Names of the simulated services.
const (
	Accounting = "accounting"
	Invoicing  = "invoicing"
	Billing    = "billing"
	Inventory  = "inventory"
	Chat       = "chat"
	// Notifications are those of the business-records service (docs/upstream.md U1), CRM has its
	// records (U351).
	Notifications = "notifications"
	CRM           = "crm"
)

// Paths: the roots of the services, the authorization server (docs/upstream.md U21), the prefixes
// of networks (U4) and of data centers, and the sandbox's own controls. Live services have a host
// for each data center, and no controls.
const (
	BooksRoot       = "/books/v3"
	InvoiceRoot     = "/invoice/v3"
	BillingRoot     = "/billing/v1"
	InventoryRoot   = "/inventory/v1"
	ChatRoot        = "/api/v2"
	MaintenanceRoot = "/maintenanceapi/v2"
	NetworkRoot     = "/network/"
	CRMRoot         = "/crm/"
	DataCenterRoot  = "/dc/"
	OAuthRoot       = "/oauth/v2/"
	TokenPath       = OAuthRoot + "token"
	ControlRoot     = "/_sandbox/"
)

// Address is a path in its parts.
type Address struct {
	DataCenter string // "" for the one without a prefix
	Path       string // the rest, as a documented endpoint has it
	Service    string // "" for no service
}

// Prefix returns the part before every path of a data center.
func Prefix(dataCenter string) string {
	if dataCenter == "" {
		return ""
	}
	return DataCenterRoot + dataCenter
}

// Parse splits a path.
func Parse(path string) Address {
	a := Address{Path: path}
	if rest, found := strings.CutPrefix(path, DataCenterRoot); found {
		name, below, _ := strings.Cut(rest, "/")
		a.DataCenter, a.Path = name, "/"+below
	}
	a.Service = of(a.Path)
	return a
}

// Tidy removes doubled slashes and one at the end, which live services tolerate (docs/upstream.md
// U17).
func Tidy(path string) string {
	parts := slices.DeleteFunc(strings.Split(path, "/"), func(part string) bool { return part == "" })
	return "/" + strings.Join(parts, "/")
}

// Of returns the service of a path; "" for no service.
func Of(path string) string { return Parse(path).Service }

func of(path string) string {
	if rest, found := strings.CutPrefix(path, NetworkRoot); found { // only chat has networks.
		_, below, _ := strings.Cut(rest, "/")
		path = "/" + below
		if !strings.HasPrefix(path, ChatRoot+"/") && !strings.HasPrefix(path, MaintenanceRoot+"/") {
			return ""
		}
	}
	for _, s := range [...]struct{ root, name string }{
		{BooksRoot, Accounting}, {InvoiceRoot, Invoicing}, {BillingRoot, Billing}, {InventoryRoot, Inventory},
		{ChatRoot, Chat}, {MaintenanceRoot, Chat},
	} {
		if strings.HasPrefix(path, s.root+"/") {
			return s.name
		}
	}
	switch {
	case !strings.HasPrefix(path, CRMRoot):
		return ""
	case strings.Contains(path, "/actions/"):
		return Notifications
	default:
		return CRM
	}
}

// Organization returns the organization that a call names: in a header for invoicing and billing,
// in the query for accounting and inventory, nowhere for chat, notifications and the CRM
// (docs/upstream.md U11 to U13).
//
// Unless strict, invoicing and billing accept it in the query, too (docs/upstream.md U17).
func Organization(service, vendor string, strict bool, r *http.Request) string {
	query := r.URL.Query().Get("organization_id")
	var header string
	switch service {
	case Invoicing:
		header = r.Header.Get("X-com-" + vendor + "-invoice-organizationid")
	case Billing:
		header = r.Header.Get("X-com-" + vendor + "-subscriptions-organizationid")
	case Chat, Notifications, CRM:
		return ""
	default:
		return query
	}
	if strict {
		return header
	}
	return cmp.Or(header, query)
}
