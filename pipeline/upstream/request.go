package upstream

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

// timeFormat is how last_modified_time is sent: offset without a colon, in the
// organization's zone. Source: document 2, "Shared conventions", "Time formats".
const timeFormat = "2006-01-02T15:04:05-0700"

// target is what is asked of whom, and on whose account.
type target struct {
	organization string
	service      *schema.Service
	// path is relative to the service's root.
	path     string
	resource string
	class    pipeline.Class
	run      int64
	page     int
	query    url.Values
	csv      bool
}

func (t target) call(address *url.URL) pipeline.Call {
	return pipeline.Call{
		Organization: t.organization, Service: t.service.Name, Resource: t.resource, Class: t.class, Run: t.run,
		Method: http.MethodGet, Path: address.Path, Page: t.page,
	}
}

// address is where a call goes, without its query. An error is a matter of the
// configuration: kind Denied, for only a person can mend it.
func (c *Client) address(t target) (*url.URL, error) {
	base := c.baseURL(t.organization, t.service.Name)
	if base == "" {
		vendor := c.vendor.API
		if t.service.Host == schema.HostChat {
			vendor = c.vendor.Chat
		}
		host, err := wire.Address(vendor, t.service.Host, c.dataCenter(t.organization))
		if err != nil {
			return nil, misconfigured(t, err)
		}
		base = host + t.service.Root
	}
	u, err := wire.ParseBase(base)
	if err != nil {
		return nil, misconfigured(t, err)
	}
	u.Path = strings.TrimRight(u.Path, "/") + t.path
	u.RawPath = ""
	return u, nil
}

func misconfigured(t target, err error) error {
	return &pipeline.Error{
		Kind: pipeline.Denied, Op: http.MethodGet + " " + t.service.Root + t.path,
		Detail: "the address of service " + t.service.Name + " for organization " + t.organization + " is not usable", Err: err,
	}
}

// request builds the request. Source: documents 1 to 3, "Authentication"; document
// 2, "Organization identification".
func (c *Client) request(ctx context.Context, t target, address *url.URL, token string) (*http.Request, error) {
	query := maps.Clone(t.query)
	placement := t.service.Organization
	if placement.Query != "" {
		query.Set(placement.Query, t.organization)
	}
	full := *address
	full.RawQuery = query.Encode() // the + of an offset becomes %2B
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, full.String(), http.NoBody)
	if err != nil {
		return nil, misconfigured(t, fmt.Errorf("host %s: not an address", address.Hostname()))
	}
	request.Header.Set("Authorization", c.vendor.Name+"-oauthtoken "+token)
	if placement.Header != "" {
		name := strings.ReplaceAll(placement.Header, "{vendor}", strings.ToLower(c.vendor.Name))
		request.Header.Set(name, t.organization)
	}
	switch {
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

// listQuery are the parameters of a list. Source: document 2, "Shared
// conventions"; upstream facts, "Paging, sorting, filtering".
func listQuery(ask pipeline.Ask, zone *time.Location) (url.Values, error) {
	query := valuesOf(ask.Stream.Resource.Params)
	query.Set("page", strconv.Itoa(ask.Page))
	if ask.PerPage > 0 {
		query.Set("per_page", strconv.Itoa(ask.PerPage))
	}
	if ask.Sort != "" {
		query.Set("sort_column", ask.Sort)
	}
	if ask.Order != "" {
		query.Set("sort_order", ask.Order)
	}
	if !ask.Since.IsZero() {
		since, ok := ask.Stream.Resource.Cursor.(schema.Since)
		if !ok || since.Param == "" {
			return nil, &pipeline.Error{
				Kind: pipeline.Unexpected, Op: "list of " + ask.Stream.String(),
				Detail: "it was to be filtered by time, and its declaration names no such filter",
			}
		}
		query.Set(since.Param, ask.Since.In(zone).Format(timeFormat))
	}
	return query, nil
}

func valuesOf(params map[string]string) url.Values {
	values := url.Values{}
	for name, value := range params {
		values.Set(name, value)
	}
	return values
}

// resourceOf names, in the call log, a call that is for no declared resource.
func resourceOf(endpoint string) string { return path.Base(endpoint) }
