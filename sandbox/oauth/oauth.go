// Package oauth is the simulated authorization server of one data center: the consent page,
// authorization codes, access and refresh tokens and their revocation (docs/upstream.md U20 to
// U28). Other sources add limits on issuing, errors with HTTP 200, api_domain and scope in the
// answer (U29 to U33).
//
// It protects nothing: its tokens are reproducible by seed, and the person at the consent page is
// the user. It serves no data; the servers of data ask Authorize. Several data centers are several
// servers, and each knows only what it issued.
//
// Start reading with Options, then consent.go (the browser's side) and token.go (the client's
// side); grants.go holds what was issued.
package oauth

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Paths of the server, relative to {auth_url}.
const (
	AuthPath   = "/oauth/v2/auth"
	TokenPath  = "/oauth/v2/token"
	RevokePath = "/oauth/v2/token/revoke"
)

// AssumedHeader names the fact of docs/upstream.md behind an answer where the API document is
// silent.
const AssumedHeader = "X-Sandbox-Assumed"

const defaultVendor = "Svc"

// Options describe the server's clients, users and rules.
type Options struct {
	// Now is the clock; it is required.
	Now func() time.Time
	// Seed and DataCenter fix the texts of codes and tokens, in the order of their issue. Two data
	// centers never issue the same text.
	Seed       int64
	DataCenter string
	// Vendor is the prefix of scopes and of the Authorization scheme; it defaults to Svc.
	Vendor string
	// Prefix is the part before every path of the data center, such as /dc/eu: api_domain in token
	// answers is the address of the request followed by it.
	Prefix string
	// Scopes are the scopes that exist, without the vendor's name: Books.accountants.READ. None
	// means DocumentedScopes.
	Scopes []string
	// Clients are the registered applications, Users the people who may consent. At least one user
	// must have an organization.
	Clients []Client
	Users   []User
	// Grants are consents given before the server started.
	Grants []Grant
	// Minute is the length of a minute for the limit on access tokens; 0 means 60 seconds.
	Minute time.Duration
	// StateNeeded refuses an authorization request without state. docs/upstream.md U21 lists it,
	// but live services accept its absence (U39).
	StateNeeded bool
}

// Client is an application registered in the developer console.
type Client struct {
	ID, Secret string
	Name       string // shown on the consent page; "" shows the id
	// RedirectURIs are the addresses that may receive a code, compared byte by byte.
	RedirectURIs []string
	// AnyLoopback lets every address on 127.0.0.1, [::1] or localhost receive the code.
	AnyLoopback bool
}

// User is a person who may consent, for one of the organizations.
type User struct {
	ID, Name      string
	Organizations []Organization
}

// Organization is a business that records belong to.
type Organization struct{ ID, Name string }

// Grant is a consent with its refresh token.
type Grant struct {
	Access

	RefreshToken string
	Scopes       []string // without the vendor's name
}

// Server is one authorization server. It is safe for concurrent use.
type Server struct {
	options Options
	known   map[string]bool // scopes, with the vendor's name
	mux     *http.ServeMux
	shield  *http.CrossOriginProtection

	mu   sync.Mutex // guards book
	book *book
}

// New builds a server. It fails on a missing clock, on clients without id or secret, on users
// without any organization, and on grants with unknown names.
func New(options Options) (*Server, error) {
	if options.Now == nil {
		return nil, errors.New("oauth: option Now is missing: pass the clock")
	}
	if options.Vendor == "" {
		options.Vendor = defaultVendor
	}
	if options.Minute <= 0 {
		options.Minute = time.Minute
	}
	if len(options.Scopes) == 0 {
		options.Scopes = DocumentedScopes()
	}
	s := &Server{
		options: options, known: make(map[string]bool), mux: http.NewServeMux(),
		shield: http.NewCrossOriginProtection(), book: newBook(options.Seed, options.DataCenter),
	}
	for _, scope := range options.Scopes {
		s.known[options.Vendor+scope] = true
	}
	for _, client := range options.Clients {
		if client.ID == "" || client.Secret == "" {
			return nil, fmt.Errorf("oauth: client %q needs an id and a secret", client.Name)
		}
	}
	if len(s.choices()) == 0 {
		return nil, errors.New("oauth: no user has an organization, so no consent is possible")
	}
	for _, grant := range options.Grants {
		if err := s.preset(grant); err != nil {
			return nil, err
		}
	}
	s.mux.HandleFunc("GET "+AuthPath, s.ask)
	s.mux.HandleFunc("POST "+AuthPath, s.decide)
	s.mux.HandleFunc("POST "+TokenPath, s.token)
	s.mux.HandleFunc("POST "+RevokePath, s.revoke)
	return s, nil
}

// preset enters a consent that was given before the start into the book.
func (s *Server) preset(grant Grant) error {
	if grant.RefreshToken == "" {
		return fmt.Errorf("oauth: the grant of client %q has no refresh token", grant.Client)
	}
	if _, found := s.client(grant.Client); !found {
		return fmt.Errorf("oauth: a grant names client %q, which is not registered", grant.Client)
	}
	known := slices.ContainsFunc(s.choices(), func(c choice) bool {
		return c.User.ID == grant.User && c.Organization.ID == grant.Organization
	})
	if !known {
		return fmt.Errorf("oauth: a grant names user %q of organization %q, which no user is", grant.User, grant.Organization)
	}
	scopes := make([]string, len(grant.Scopes))
	for n, scope := range grant.Scopes {
		scopes[n] = s.options.Vendor + scope
		if !s.known[scopes[n]] {
			return fmt.Errorf("oauth: the grant of client %q names the unknown scope %q", grant.Client, scope)
		}
	}
	s.book.keep(grant.RefreshToken, grant.Access, scopes)
	return nil
}

// ServeHTTP answers the consent page, the token endpoint and the revocation.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// ExpireAll makes every access token invalid at once; refresh tokens stay.
func (s *Server) ExpireAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.book.expireAll()
}

func (s *Server) client(id string) (Client, bool) {
	at := slices.IndexFunc(s.options.Clients, func(c Client) bool { return c.ID == id })
	if at < 0 {
		return Client{}, false
	}
	return s.options.Clients[at], true
}
