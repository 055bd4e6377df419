// Package services says where the services that the sandbox plays live: their
// names and the roots of their paths, as documents 1, 2 and 3 spell them.
//
// It only names; it answers no call and knows no record. Start reading with Of.
package services

import "strings"

// Names of the services that are played.
const (
	Accounting = "accounting"
	Inventory  = "inventory"
	Chat       = "chat"
)

// Paths: the roots of the services, the token endpoint (document 1, A1), and
// the sandbox's own controls, which are no part of the upstream.
const (
	BooksRoot     = "/books/v3"
	InventoryRoot = "/inventory/v1"
	ChatRoot      = "/maintenanceapi/v2"
	TokenPath     = "/oauth/v2/token"
	ControlRoot   = "/_sandbox/"
)

// Of names the service of a path; "" for no service.
func Of(path string) string {
	switch {
	case strings.HasPrefix(path, BooksRoot+"/"):
		return Accounting
	case strings.HasPrefix(path, InventoryRoot+"/"):
		return Inventory
	case strings.HasPrefix(path, ChatRoot+"/"):
		return Chat
	default:
		return ""
	}
}
