// Package services says where the services that the sandbox plays live: their
// names, the roots of their paths and how a path is taken apart, as
// docs/upstream.md U2 to U8 have them.
//
// It only names; it answers no call and knows no record. Start reading with Parse.
package services

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

// Names of the services that are played.
const (
	Accounting = "accounting"
	Invoicing  = "invoicing"
	Billing    = "billing"
	Inventory  = "inventory"
	Chat       = "chat"
	// Notifications are those of the business-records service (docs/upstream.md U1).
	Notifications = "notifications"
)

// Paths: the roots of the services, the authorization server (docs/upstream.md U21), the
// prefixes of networks (U4) and of data centers, and the
// sandbox's own controls. Upstream a data center is another host, and controls
// there are none.
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

// Address is a path taken apart.
type Address struct {
	DataCenter string // "" for the one without a prefix
	Path       string // the rest, as a documented endpoint has it
	Service    string // "" for no service
}

// Prefix is what stands before every path of a data center.
func Prefix(dataCenter string) string {
	if dataCenter == "" {
		return ""
	}
	return DataCenterRoot + dataCenter
}

// Parse takes a path apart.
func Parse(path string) Address {
	a := Address{Path: path}
	if rest, found := strings.CutPrefix(path, DataCenterRoot); found {
		name, below, _ := strings.Cut(rest, "/")
		a.DataCenter, a.Path = name, "/"+below
	}
	a.Service = of(a.Path)
	return a
}

// Tidy leaves out doubled slashes, and one at the end, which live services tolerate (docs/upstream.md U17).
func Tidy(path string) string {
	parts := slices.DeleteFunc(strings.Split(path, "/"), func(part string) bool { return part == "" })
	return "/" + strings.Join(parts, "/")
}

// Of names the service of a path; "" for no service.
func Of(path string) string { return Parse(path).Service }

func of(path string) string {
	if rest, found := strings.CutPrefix(path, NetworkRoot); found { // networks exist in chat alone.
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
	if strings.HasPrefix(path, CRMRoot) {
		return Notifications
	}
	return ""
}

// Organization returns the organization that a call names, where its service wants
// it: in a header for invoicing and billing, in the query for accounting and
// inventory, nowhere for chat and notifications (docs/upstream.md U11 to U13).
//
// Not strictly, invoicing and billing take it from the query, too (docs/upstream.md U17).
func Organization(service, vendor string, strict bool, r *http.Request) string {
	query := r.URL.Query().Get("organization_id")
	var header string
	switch service {
	case Invoicing:
		header = r.Header.Get("X-com-" + vendor + "-invoice-organizationid")
	case Billing:
		header = r.Header.Get("X-com-" + vendor + "-subscriptions-organizationid")
	case Chat, Notifications:
		return ""
	default:
		return query
	}
	if strict {
		return header
	}
	return cmp.Or(header, query)
}
