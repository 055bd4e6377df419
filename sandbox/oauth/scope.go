package oauth

import (
	"slices"
	"strings"
)

// Parts of a scope that stand for several others. ALL is documented (docs/upstream.md U36 and U37);
// clients of this family ask for fullaccess.all.
const (
	everyOperation = ".ALL"
	everyArea      = ".fullaccess.all"
)

// areas returns the areas that the documents name, by product.
func areas() map[string][]string {
	return map[string][]string{
		"Books": {
			"accountants", "contacts", "custommodules", "expenses", "settings", "vendorpayments", "bills", "creditnotes",
		},
		"Invoice":       {"contacts", "settings"},
		"Subscriptions": {"customers"},
		"Inventory":     {"bills", "compositeitems", "creditnotes", "items", "settings"},
		"Chat":          {"Channels", "Messages", "OrganizationChats"},
		"CRM":           {"notifications"},
	}
}

// DocumentedScopes returns the scopes of the three documents, without the vendor's name: every
// operation of every area that they name (docs/upstream.md U34 to U37), and fullaccess.all per
// product.
func DocumentedScopes() []string {
	var scopes []string
	for product, names := range areas() {
		scopes = append(scopes, product+everyArea)
		for _, area := range names {
			for _, operation := range []string{".CREATE", ".READ", ".UPDATE", ".DELETE", everyOperation} {
				scopes = append(scopes, product+"."+area+operation)
			}
		}
	}
	scopes = append(scopes, "CRM.notifications.WRITE")
	slices.Sort(scopes)
	return scopes
}

// split splits a list of scopes. The document separates them by commas, the token answer by blanks:
// both are accepted.
func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

// covers reports whether the held scopes include the needed one.
func covers(held []string, needed string) bool {
	product, _, _ := strings.Cut(needed, ".")
	area := needed
	if at := strings.LastIndexByte(needed, '.'); at >= 0 {
		area = needed[:at]
	}
	return slices.ContainsFunc(held, func(scope string) bool {
		return scope == needed || scope == area+everyOperation || scope == product+everyArea
	})
}
