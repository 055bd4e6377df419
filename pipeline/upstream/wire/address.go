package wire

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"sluice/schema"
)

// Vendor names the company that runs upstream. The documents write the name as Svc and do not name
// the hosts (docs/upstream.md U5), so both are configuration.
type Vendor struct {
	// Name is the word in the Authorization scheme, "Svc".
	Name string
	// API, Chat and Auth are the addresses of the .com data center.
	API, Chat, Auth string
}

// HostAuth is the authorization server; no service is served by it.
const HostAuth schema.Host = 0

// Address gives the address of a data center: base with the .com suffix of its host replaced. It
// knows only the suffixes that the documents spell: a token must not go to a guessed host. A
// loopback, an IP or a host with another suffix is valid only for the data center that it already
// names ("com" for loopbacks and IPs). Source: docs/upstream.md U6 to U8.
func Address(base string, host schema.Host, dataCenter string) (string, error) {
	u, err := ParseBase(base)
	if err != nil {
		return "", err
	}
	suffix, known := suffixOf(host, dataCenter)
	if !known {
		return "", fmt.Errorf("data center %q is not one of com, eu, in, com.au, jp, ca, com.cn, cn, sa, uk", dataCenter)
	}
	name := strings.ToLower(u.Hostname())
	switch {
	case suffix == "com" && (strings.HasSuffix(name, ".com") || !isName(name)):
		return join(u), nil
	case isName(name) && strings.HasSuffix(name, "."+cmp.Or(suffix, dataCenter)):
		return join(u), nil
	case suffix == "":
		return "", fmt.Errorf("the documents do not spell the suffix of this address in data center %q: write that address out in full", dataCenter)
	case !isName(name) || !strings.HasSuffix(name, ".com"):
		return "", fmt.Errorf(
			"host %s does not end in .com, so its variant in data center %q is unknown: write that address out in full", name, dataCenter)
	}
	port := u.Port()
	u.Host = strings.TrimSuffix(name, "com") + suffix
	if port != "" {
		u.Host = net.JoinHostPort(u.Host, port)
	}
	return join(u), nil
}

// suffixOf is the closed set of suffixes (docs/upstream.md U7, U8). Eight are common to the
// accounting family. Chat has nine, of which the Canadian one is described but not spelled. The
// token flow uses the variant of the data center. "" means that the documents do not spell it.
func suffixOf(host schema.Host, dataCenter string) (string, bool) {
	switch dataCenter {
	case "com", "eu", "in", "com.au", "jp", "sa":
		return dataCenter, true
	case "ca":
		if host == schema.HostAPI {
			return "ca", true
		}
		return "", true
	case "com.cn":
		if host == schema.HostChat {
			return "cn", true
		}
		return "com.cn", true
	case "cn", "uk":
		if host == schema.HostAPI {
			return "", true
		}
		return dataCenter, true
	default:
		return "", false
	}
}

// ParseBase parses an address for calls: https, or plain http to this machine (docs/upstream.md U9:
// requests over plain HTTP fail).
func ParseBase(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil {
		// The parser's error quotes the address, which may hold a password.
		return nil, errors.New("an upstream address is not a URL")
	}
	name := u.Hostname()
	switch {
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "":
		return nil, errors.New("an upstream address must hold a scheme, a host and a path only")
	case name == "" || strings.HasSuffix(name, "."):
		return nil, errors.New("an upstream address needs a host without a final dot")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(name):
		return u, nil
	default:
		return nil, fmt.Errorf("upstream address of host %s must begin with https:// (http:// only for this machine)", name)
	}
}

func join(u *url.URL) string { return strings.TrimRight(u.String(), "/") }

func isLoopback(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

// isName tells a host name in the domain system from an IP or a bare word.
func isName(name string) bool {
	_, err := netip.ParseAddr(name)
	return err != nil && strings.Contains(name, ".")
}
