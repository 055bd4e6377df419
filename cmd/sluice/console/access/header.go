package access

import (
	"net/http"
	"strings"
)

// header believes the name that a trusted proxy sends. The address of the connection decides, never
// a header: X-Forwarded-For is a claim of the sender.
type header struct{ *Access }

func (h header) own(http.ResponseWriter, *http.Request) bool { return false }

func (h header) who(w http.ResponseWriter, r *http.Request) (person, bool) {
	users, groups := r.Header.Values(h.settings.Header.User), r.Header.Values(h.settings.Header.Groups)
	var reason string
	status := http.StatusForbidden
	switch {
	case !h.proxied(address(r.RemoteAddr)):
		reason = "the connection does not come from a trusted proxy"
	case len(users) > 1 || len(groups) > 1:
		reason = "the proxy passed a header with the name or the groups on twice, so the sender may have written one"
	case len(users) == 0 || users[0] == "":
		reason, status = "the proxy named no person", http.StatusUnauthorized
	case !named(users[0]) || strings.Contains(users[0], ","): // a proxy that adds to a header writes a comma
		reason = "the name is no single name"
	default:
		who := person{name: users[0]}
		for _, list := range groups {
			for group := range strings.SplitSeq(list, ",") {
				who.groups = append(who.groups, strings.TrimSpace(group))
			}
		}
		h.signed(r, who, false)
		return who, true
	}
	h.refused(r, reason)
	h.show(w, r, status, answer{Title: "Refused", Text: "The console refused the request: " + reason + "."})
	return person{}, false
}
