package oauth

import (
	_ "embed" // for the pages' text
	"html/template"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

//go:embed consent.html
var text string

var pages = template.Must(template.New("consent").Parse(text))

// request is a valid authorization request, before the user and the organization are chosen.
type request struct {
	consent

	client Client
}

// choice is one organization of one user.
type choice struct {
	User         User
	Organization Organization
}

// Value returns how the form names the choice.
func (c choice) Value() string { return c.User.ID + "/" + c.Organization.ID }

// mistake is an error of a request, for the person in front of the browser.
type mistake struct {
	status int
	What   string // what is wrong, with the value concerned
	Do     string // what to do about it
}

// ask answers GET /oauth/v2/auth with the consent page, or with the mistake.
func (s *Server) ask(w http.ResponseWriter, r *http.Request) {
	asked, wrong := s.read(r.URL.RawQuery)
	if wrong != nil {
		s.show(w, *wrong)
		return
	}
	page := struct {
		Client  string
		Scopes  []string
		Choices []choice
		Offline bool
		Host    string
	}{asked.client.Name, asked.Scopes, s.choices(), asked.Offline, host(asked.Redirect)}
	if page.Client == "" {
		page.Client = asked.client.ID
	}
	render(w, http.StatusOK, "ask", page)
}

// decide answers the form of the consent page, posted to the address of that page. It redirects to
// the client with code and state, or with error=access_denied (RFC 6749, section 4.1.2.1).
func (s *Server) decide(w http.ResponseWriter, r *http.Request) {
	if err := s.shield.Check(r); err != nil {
		s.show(w, mistake{http.StatusForbidden, "Another site sent this consent.", "Open the consent page itself and click there."})
		return
	}
	asked, wrong := s.read(r.URL.RawQuery)
	if wrong != nil {
		s.show(w, *wrong)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	if err := r.ParseForm(); err != nil {
		s.show(w, mistake{http.StatusBadRequest, "The form cannot be read.", "Open the consent page again."})
		return
	}
	back, err := url.Parse(asked.Redirect)
	if err != nil {
		s.show(w, mistake{http.StatusBadRequest, "redirect_uri is no address.", "Register another one."})
		return
	}
	query := back.Query()
	if asked.State != "" {
		query.Set("state", asked.State)
	}
	switch r.PostForm.Get("decision") {
	case "accept":
		access, found := s.chosen(r.PostForm.Get("organization"))
		if !found {
			s.show(w, mistake{http.StatusBadRequest, "No organization was chosen.", "Go back and choose whose data may be read."})
			return
		}
		asked.User, asked.Organization = access.User, access.Organization
		query.Set("code", s.give(asked.consent))
	case "deny":
		query.Set("error", "access_denied")
	default:
		s.show(w, mistake{http.StatusBadRequest, "The form says neither accept nor deny.", "Click one of the two buttons."})
		return
	}
	back.RawQuery = query.Encode()
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, back.String(), http.StatusFound)
}

func (s *Server) give(agreed consent) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.book.give(agreed, s.options.Now())
}

// chosen finds the choice that the form names; if there is one choice only, the form may omit it.
func (s *Server) chosen(value string) (Access, bool) {
	choices := s.choices()
	at := slices.IndexFunc(choices, func(c choice) bool { return c.Value() == value })
	if value == "" && len(choices) == 1 {
		at = 0
	}
	if at < 0 {
		return Access{}, false
	}
	return Access{User: choices[at].User.ID, Organization: choices[at].Organization.ID}, true
}

func (s *Server) choices() []choice {
	var choices []choice
	for _, user := range s.options.Users {
		for _, organization := range user.Organizations {
			choices = append(choices, choice{user, organization})
		}
	}
	return choices
}

// read checks the parameters of an authorization request (docs/upstream.md U21). A mistake is shown
// and never sent to redirect_uri, which may be part of it.
func (s *Server) read(raw string) (request, *mistake) {
	bad := func(what, do string) (request, *mistake) {
		return request{}, &mistake{http.StatusBadRequest, what, do}
	}
	query, err := url.ParseQuery(raw)
	if err != nil {
		return bad("The query cannot be read: "+err.Error()+".", "Percent-encode the values.")
	}
	for _, name := range []string{"scope", "client_id", "state", "response_type", "redirect_uri", "access_type"} {
		if query.Get(name) == "" && (name != "state" || s.options.StateNeeded) {
			return bad("The parameter "+name+" is missing.", "Add it to the query.")
		}
	}
	client, found := s.client(query.Get("client_id"))
	asked := request{client: client, consent: consent{
		Access: Access{Client: client.ID}, Scopes: split(query.Get("scope")),
		State: query.Get("state"), Redirect: query.Get("redirect_uri"),
		Offline: query.Get("access_type") == "offline", Again: query.Get("prompt") == "consent",
	}}
	unknown := slices.IndexFunc(asked.Scopes, func(scope string) bool { return !s.known[scope] })
	switch {
	case !found:
		return bad("No client is registered as "+query.Get("client_id")+".",
			"Check client_id, and that this is the data center at which the client was registered.")
	case !client.mayGet(asked.Redirect):
		return bad("The address "+asked.Redirect+" (redirect_uri) is not registered for this client.",
			"Register it, or send the registered one to the letter.")
	case query.Get("response_type") != "code":
		return bad("response_type is "+query.Get("response_type")+".", "Send response_type=code; nothing else is known.")
	case !asked.Offline && query.Get("access_type") != "online":
		return bad("access_type is "+query.Get("access_type")+".", "Send online or offline.")
	case query.Has("prompt") && !asked.Again:
		return bad("prompt is "+query.Get("prompt")+".", "Send prompt=consent, or leave it out.")
	case len(asked.Scopes) == 0:
		return bad("The parameter scope names no scope.", "Separate scopes by commas.")
	case unknown >= 0:
		return bad("The scope "+asked.Scopes[unknown]+" is unknown.",
			"Scopes are written "+s.options.Vendor+"<Product>.<area>.<OPERATION>, as the documents list them.")
	}
	return asked, nil
}

// host returns the part of an address that a person has to recognize.
func host(address string) string {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return address
	}
	return parsed.Host
}

// mayGet reports whether an address may receive a code.
func (c Client) mayGet(address string) bool {
	return c.AnyLoopback && onLoopback(address) || slices.Contains(c.RedirectURIs, address)
}

// onLoopback reports whether an address is one of this machine.
func onLoopback(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return false
	}
	ip, err := netip.ParseAddr(parsed.Hostname())
	return parsed.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}

// show writes the page for a mistake.
func (*Server) show(w http.ResponseWriter, wrong mistake) {
	render(w, wrong.status, "mistake", wrong)
}

// render writes a page that loads nothing, runs nothing, allows no frame and no cache. The referrer
// goes to the same site only: browsers prove with it where a form comes from.
func render(w http.ResponseWriter, status int, name string, page any) {
	var body strings.Builder
	if err := pages.ExecuteTemplate(&body, name, page); err != nil {
		http.Error(w, "oauth: the page "+name+" cannot be written: "+err.Error(), http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html;charset=UTF-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "same-origin")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(body.String())) // a closed browser is no error of the server.
}
