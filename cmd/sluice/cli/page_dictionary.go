package cli

import "net/url"

// addressOfTable is the address of the page about a table of a service.
func addressOfTable(service, table string) string {
	return "/dictionary/" + url.PathEscape(service) + "/" + url.PathEscape(table)
}
