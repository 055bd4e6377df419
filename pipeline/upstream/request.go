package upstream

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"strings"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream/body"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

// target is what a call asks for, of which service, for which organization and class.
type target struct {
	organization *pipeline.Organization
	service      *schema.Service
	// path is relative to the service's root; fill has, in turn, the words in braces in it and the
	// text that replaces each.
	path     string
	fill     []string
	resource string
	class    pipeline.Class
	run      int64
	page     int
	query    url.Values
	csv      bool
	// method is that of the request, "" for GET; send is its body, in JSON.
	method outside.Text
	send   []byte
	// mayMiss says that a 404 is a valid answer: there is no such record. missed, if not nil, is
	// then called with the code of the envelope.
	mayMiss bool
	missed  func(number int64, answer *wire.Reply, code string)
	// withhold says that columns are left out of the records that are asked for.
	withhold bool
	// own is the list that columns are left out of while it is read.
	own body.Own
}

// operation names a call, and says whether its errors may show something of the answer.
func (c *Client) operation(t target, address *url.URL) wire.Call {
	op := wire.NewCall(pipeline.Call{
		Organization: t.organization.Key, Org: t.organization, Service: t.service.Name, Resource: t.resource, Class: t.class, Run: t.run,
		Method: cmp.Or(t.method, http.MethodGet), Path: c.scrub.Text(address.EscapedPath(), outside.MaxText), Endpoint: t.path, Page: t.page,
	}, c.scrub)
	op.Withhold = t.withhold || t.class == pipeline.ClassProbe && c.leavesOut(t.service.Name)
	return op
}

// address is where a call goes, without its query. A wrong address is an error of kind Denied,
// because only the operator can mend the configuration. An identifier that cannot be part of a path
// is an error of kind Unexpected.
func (c *Client) address(t target) (*url.URL, error) {
	base, err := c.root(t)
	if err != nil {
		return nil, c.misconfigured(t, err)
	}
	u, err := wire.ParseBase(base)
	if err != nil {
		return nil, c.misconfigured(t, err)
	}
	escaped := make([]string, len(t.fill))
	for i, text := range t.fill {
		// An identifier of dots alone would name another path, and an empty one another endpoint.
		if i%2 == 1 && strings.Trim(text, ".") == "" {
			return nil, &pipeline.Error{
				Kind: pipeline.Unexpected, Op: c.scrub.Textf(http.MethodGet+" %s%s", t.service.Root, t.path),
				Detail: c.scrub.Textf("%q cannot stand for %s in a path", text, t.fill[i-1]),
			}
		}
		escaped[i] = text
		if i%2 == 1 {
			escaped[i] = url.PathEscape(text)
		}
	}
	u.RawPath = strings.TrimRight(u.EscapedPath(), "/") + strings.NewReplacer(escaped...).Replace(t.path)
	u.Path = strings.TrimRight(u.Path, "/") + strings.NewReplacer(t.fill...).Replace(t.path)
	return u, nil
}

// root is the address of the service's root for the organization: the configured one, or the
// vendor's in the organization's data center.
func (c *Client) root(t target) (string, error) {
	if base := t.organization.BaseURLs[t.service.Name]; base != "" {
		return base, nil
	}
	own, vendor := t.organization.Addresses.API, c.vendor.API
	if t.service.Host == schema.HostChat {
		own, vendor = t.organization.Addresses.Chat, c.vendor.Chat
	}
	if own != "" {
		return strings.TrimRight(own, "/") + t.service.Root, nil
	}
	host, err := wire.Address(vendor, t.service.Host, cmp.Or(t.organization.DataCenter, "com"))
	if err != nil {
		return "", fmt.Errorf("service %s: %w", t.service.Name, err)
	}
	return host + t.service.Root, nil
}

// about names an operation on a stream, for errors.
func (c *Client) about(what outside.Text, request pipeline.Request) outside.Text {
	return what + " of " + c.scrub.Text(request.Stream.String(), outside.MaxText)
}

func (c *Client) misconfigured(t target, err error) error {
	return &pipeline.Error{
		Kind: pipeline.Denied, Op: c.scrub.Textf(http.MethodGet+" %s%s", t.service.Root, t.path),
		Detail: c.scrub.Textf("the address of service %s for organization %s is not usable", t.service.Name, t.organization.Key), Err: c.scrub.Cause(err),
	}
}

// request builds the request. Source: docs/upstream.md U14 and U20; for the organization, U11 to
// U13.
func (c *Client) request(ctx context.Context, t target, address *url.URL, token string) (*http.Request, error) {
	query := maps.Clone(t.query)
	placement := t.service.Organization
	if placement.Query != "" {
		query.Set(placement.Query, t.organization.ID)
	}
	full := *address
	full.RawQuery = query.Encode() // the + of a time's offset becomes %2B
	request, err := http.NewRequestWithContext(ctx, string(cmp.Or(t.method, http.MethodGet)), full.String(), bytes.NewReader(t.send))
	if err != nil {
		return nil, c.misconfigured(t, fmt.Errorf("host %s: not an address", address.Hostname()))
	}
	request.Header.Set("Authorization", c.vendor.Name+"-oauthtoken "+token)
	if placement.Header != "" {
		name := strings.ReplaceAll(placement.Header, "{vendor}", strings.ToLower(c.vendor.Name))
		request.Header.Set(name, t.organization.ID)
	}
	switch {
	case t.send != nil:
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json")
	case t.csv:
		request.Header.Set("Content-Type", "text/csv")
		request.Header.Set("Accept", "text/csv")
	case t.service.Host == schema.HostChat:
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json")
	default:
		request.Header.Set("Accept", "application/json")
	}
	return request, nil
}

func valuesOf(params map[string]string) url.Values {
	values := url.Values{}
	for name, value := range params {
		values.Set(name, value)
	}
	return values
}

// resourceOf names, in the call log, a call for no declared resource.
func resourceOf(endpoint string) string { return path.Base(endpoint) }
