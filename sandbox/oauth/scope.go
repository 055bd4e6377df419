package oauth

import (
	"net/http"
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

// Verdict says how far a token reaches.
type Verdict int

// Verdicts, from the best to the one that is checked first.
const (
	Granted      Verdict = iota
	MissingScope         // the token is valid, but not for this scope
	DeadToken            // unknown, expired, revoked or pushed out by newer ones
	MissingToken         // no Authorization header of the vendor's scheme
)

// Authorize returns the verdict on a request that needs one of some scopes (without the vendor's
// name), and the access of its token. It reads the token from the header alone (docs/upstream.md
// U20). Without scopes every live token passes.
func (s *Server) Authorize(r *http.Request, scopes ...string) (Access, Verdict) {
	text, found := strings.CutPrefix(r.Header.Get("Authorization"), s.options.Vendor+"-oauthtoken ")
	if !found {
		return Access{}, MissingToken
	}
	return s.Check(text, scopes...)
}

// Check is Authorize for the bare text of a token. For a dead token that was issued here it returns
// the former access.
func (s *Server) Check(token string, scopes ...string) (Access, Verdict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if token == "" {
		return Access{}, MissingToken
	}
	live, found := s.book.token(token, s.options.Now())
	if !found {
		return s.book.was(token), DeadToken
	}
	opens := func(scope string) bool { return covers(live.Scopes, s.options.Vendor+scope) }
	if len(scopes) > 0 && !slices.ContainsFunc(scopes, opens) {
		return live.Access, MissingScope
	}
	return live.Access, Granted
}

// Holder returns the access behind a request to the token endpoint, by its refresh token or its
// code. It returns false if the request names no valid one.
func (s *Server) Holder(r *http.Request) (Access, bool) {
	r.Body = http.MaxBytesReader(nil, r.Body, mostBody)
	if err := r.ParseForm(); err != nil {
		r.Form, r.PostForm = nil, nil // the endpoint reports the mistake again.
		return Access{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if given, found := s.book.grant(r.Form.Get("refresh_token")); found {
		return given.Access, true
	}
	agreed, found := s.book.consent(r.Form.Get("code"), s.options.Now())
	return agreed.Access, found
}
