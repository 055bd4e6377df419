package sandbox

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

// landing says what this is, to somebody who opened the address in a browser.
func (s *Server) landing(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		writeError(w, http.StatusMethodNotAllowed, codeNoSuchURL, "method not supported by the resource")
		return
	}
	var page strings.Builder
	page.WriteString("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>sandbox</title></head><body>\n" +
		"<h1>Simulated upstream</h1>\n" +
		"<p>This plays the accounting, inventory and chat services of one organization, with their limits, for tests and demos.</p>\n" +
		"<p>It is not the real service: every record is invented, nothing is kept when it stops, " +
		"and its credentials open nothing else.</p>\n<h2>Services</h2>\n<ul>\n")
	lines := []string{
		"GET " + booksRoot + "/organizations", "GET " + inventoryRoot + "/organizations", "GET " + inventoryRoot + "/itemdetails?item_ids=...",
	}
	for _, e := range s.endpoints {
		if e.service == serviceChat {
			lines = append(lines, "GET "+e.path+"?fields=title,chat_id with Content-Type: text/csv")
			continue
		}
		lines = append(lines, "GET "+e.path+" and "+e.path+"/<id>")
	}
	lines = append(lines, "POST "+tokenPath+"?grant_type=refresh_token&refresh_token=...&client_id=...&client_secret=...")
	writeItems(&page, lines)
	page.WriteString("<h2>Credentials</h2>\n<ul>\n")
	writeItems(&page, []string{
		"organization_id " + s.options.OrganizationID, "client_id " + ClientID, "client_secret " + ClientSecret, "refresh_token " + RefreshToken,
		"Authorization: " + s.options.Vendor + "-oauthtoken <access token>", "plan " + s.options.Plan,
	})
	page.WriteString("<h2>Control</h2>\n<ul>\n")
	writeItems(&page, []string{
		"GET " + controlRoot + "truth/<service>/<resource>", "GET " + controlRoot + "stats", "POST " + controlRoot + "reset_stats",
		"GET " + controlRoot + "faults", "POST " + controlRoot + `faults [{"path":"` + inventoryRoot + `/bills","kind":"html","count":2,"after":1}]`,
		"POST " + controlRoot + `change {"seed":1,"inserts":2,"edits":3,"deletes":1,"resources":["bills"]}`,
		"POST " + controlRoot + `advance {"seconds":3600}`, "POST " + controlRoot + "expire_tokens",
	})
	page.WriteString("</body></html>\n")
	writeBody(w, http.StatusOK, htmlType, []byte(page.String()))
}

func writeItems(page *strings.Builder, lines []string) {
	for _, line := range lines {
		fmt.Fprintf(page, "<li><code>%s</code></li>\n", html.EscapeString(line))
	}
	page.WriteString("</ul>\n")
}
