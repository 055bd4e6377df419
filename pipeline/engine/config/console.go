package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/engine/config/strict"
)

// Console says where the console is and who may see it.
type Console struct {
	// Listen is the address of the listener; "" means that serve offers no console.
	Listen string `yaml:"listen"`
	// PublicURL is the address at which browsers reach the console, without a slash at the end.
	PublicURL string `yaml:"public_url"`
	// Auth is how a person proves a name: none, header or oidc.
	Auth string `yaml:"auth"`
	// Operators and Viewers are names, or groups with GroupPrefix in front. Without Viewers, each
	// person with a proven name who is no operator is a viewer.
	Operators []string `yaml:"operators"`
	Viewers   []string `yaml:"viewers"`
	// TrustedProxies are the networks of the proxies whose headers are believed: X-Forwarded-For,
	// and for header the two of Header.
	TrustedProxies []netip.Prefix `yaml:"trusted_proxies"`
	Header         ConsoleHeader  `yaml:"header"`
	OIDC           ConsoleOIDC    `yaml:"oidc"`
	// ShowValues says that viewers see values of records, too.
	ShowValues bool `yaml:"show_values"`
}

// ConsoleHeader are the headers by which a proxy names the person, and the person's groups.
type ConsoleHeader struct {
	User   string `yaml:"user"`
	Groups string `yaml:"groups"`
}

// ConsoleOIDC is the provider of OpenID Connect that proves names.
type ConsoleOIDC struct {
	// Issuer is the provider's identifier, exactly as its tokens have it.
	Issuer       string `yaml:"issuer"`
	ClientID     string `yaml:"client_id"`
	ClientSecret Secret `yaml:"client_secret"`
	// Scopes are asked for; openid is always among them.
	Scopes []string `yaml:"scopes"`
	// UserClaim and GroupsClaim are the claims of the ID token with the name and the groups.
	// Without GroupsClaim a person has no groups.
	UserClaim   string `yaml:"user_claim"`
	GroupsClaim string `yaml:"groups_claim"`
}

// Kinds of proving a name.
const (
	AuthNone   = "none"
	AuthHeader = "header"
	AuthOIDC   = "oidc"
)

// GroupPrefix distinguishes a group from a name in the lists of operators and viewers: a person
// might choose the name that a group has.
const GroupPrefix = "group:"

// consoleSecret is where the secret of the console is in the file.
const consoleSecret = "console.oidc.client_secret" //nolint:gosec // a path in the file

// authKinds are all kinds.
var authKinds = []string{AuthNone, AuthHeader, AuthOIDC} //nolint:gochecknoglobals // a constant

// Permits refuses a listen address at which other machines could do what Auth does not protect.
func (c *Console) Permits(listen string) error {
	if c.Auth == AuthNone && Reachable(listen) {
		return errors.New("is an address that other machines reach, and console.auth is none, so each of them would be an operator: " +
			"listen at 127.0.0.1, or choose header or oidc for console.auth")
	}
	return nil
}

// Reachable reports whether other machines may reach a listen address.
func Reachable(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	return err == nil && !loopback(host)
}

// console checks where the console is and who may see it.
func (c *checker) console(doc *document) {
	of := &doc.Console
	c.consoleAddresses(doc)
	if !slices.Contains(authKinds, of.Auth) {
		c.failf("console.auth", "there is no kind %q; %s", c.Raw("console.auth"), strict.Hint(of.Auth, authKinds))
		return
	}
	if of.Listen != "" && !c.Spoilt("console.auth") && !c.Spoilt("console.public_url") {
		if err := of.Permits(of.Listen); err != nil {
			c.failf("console.listen", "%s", err)
		}
	}
	c.consolePeople(of)
	switch of.Auth {
	case AuthNone:
		c.consoleOpen(of)
	case AuthHeader:
		if len(of.TrustedProxies) == 0 && !c.Spoilt("console.trusted_proxies") {
			c.failf("console.trusted_proxies", "is missing: name the networks of the proxies that send the person's name, such as 127.0.0.1")
		}
		for key, name := range map[string]string{"user": of.Header.User, "groups": of.Header.Groups} {
			c.wantf(headerName.MatchString(name), "console.header."+key, "wants the name of a header, not %q")
		}
		if strings.EqualFold(of.Header.User, of.Header.Groups) {
			c.failf("console.header.groups", "is also the header with the name: they have to be two")
		}
	case AuthOIDC:
		c.consoleOIDC(of)
	}
	for i, network := range of.TrustedProxies {
		if network.Bits() == 0 {
			c.failf(fmt.Sprintf("console.trusted_proxies[%d]", i), "is every address, so any sender could name itself: name the network of the proxies")
		}
	}
}

// consoleAddresses checks the address of the listener and the one of browsers.
func (c *checker) consoleAddresses(doc *document) {
	of := &doc.Console
	c.clearOr("console.public_url", &of.PublicURL, false, "sends passwords and sessions in clear: write https (plain http is for this machine only)")
	if u, err := url.Parse(of.PublicURL); err == nil && u.Path != "" {
		c.failf("console.public_url", "has a path: the console is at the root of its host, so end the address behind the host")
	}
	if of.Listen == "" {
		return
	}
	switch port := c.hostPort("console.listen", of.Listen, "127.0.0.1:9467"); {
	case port == "":
	case of.Listen == doc.Listen && port != "0":
		c.failf("console.listen", "is also the address of the status pages (listen): choose another port")
	case of.Listen == doc.Notifications.Listen && port != "0":
		c.failf("console.listen", "is also the address of callbacks (notifications.listen): upstream must not reach the console")
	}
}

func (c *checker) consolePeople(of *Console) {
	for key, people := range map[string][]string{"operators": of.Operators, "viewers": of.Viewers} {
		for i, who := range people {
			path := fmt.Sprintf("console.%s[%d]", key, i)
			group, isGroup := strings.CutPrefix(who, GroupPrefix)
			switch {
			case who == "" || isGroup && group == "":
				c.failf(path, "is empty: write a name, or %sNAME", GroupPrefix)
			case isGroup && of.Auth == AuthOIDC && of.OIDC.GroupsClaim == "":
				c.failf(path, "is a group, and no claim has groups: add console.oidc.groups_claim")
			case slices.Index(people, who) < i:
				c.failf(path, "is there twice: remove one of the two")
			case key == "viewers" && slices.Contains(of.Operators, who):
				c.failf(path, "is an operator, who sees everything: remove it here")
			}
		}
	}
}

// consoleOIDC checks what sign-ins by a provider need.
func (c *checker) consoleOIDC(of *Console) {
	const at = "console.oidc."
	if c.need(at+"issuer", of.OIDC.Issuer, "write the provider's identifier, such as https://login.example.com/realms/main") {
		same := of.OIDC.Issuer // tokens have it with the slash at its end, if it has one
		c.clearOr(at+"issuer", &same, false, "sends the client's secret in clear: write https (plain http is for this machine only)")
	}
	c.need(at+"client_id", of.OIDC.ClientID, "write the identifier that the provider gave to the console")
	c.needSecret(consoleSecret, of.OIDC.ClientSecret, secrets.Forms)
	c.need(at+"user_claim", of.OIDC.UserClaim, "name the claim that has the person's name, such as email")
	c.need("console.public_url", of.PublicURL, "the provider sends browsers back to it, at /callback")
	for i, scope := range of.OIDC.Scopes {
		if scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			c.failf(fmt.Sprintf("%sscopes[%d]", at, i), "is no scope: write one word for each element")
		}
	}
	if !slices.Contains(of.OIDC.Scopes, "openid") {
		of.OIDC.Scopes = append([]string{"openid"}, of.OIDC.Scopes...)
	}
}

// consoleOpen refuses keys that protect nothing because auth is none: the person who wrote them
// believes that they do.
func (c *checker) consoleOpen(of *Console) {
	for _, path := range []string{"console.operators", "console.viewers", "console.header", "console.oidc"} {
		if c.Written(path) {
			c.failf(path, "has no effect with console.auth none, where everyone is an operator: write header or oidc for console.auth, or remove it")
		}
	}
	if u, err := url.Parse(of.PublicURL); err == nil && of.PublicURL != "" && !loopback(u.Hostname()) {
		c.failf("console.public_url", "is another host's, and console.auth is none, so everyone there would be an operator: "+
			"write header or oidc for console.auth, or remove the address")
	}
}
