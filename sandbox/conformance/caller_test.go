package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
	"sluice/sandbox/watch/channel"
)

// Networks and custom modules that every sandbox of a case has.
const (
	network = "partners"
	module  = "cm_projects"
	records = 3000
)

// caller makes the calls of one case over HTTP, as a client does.
type caller struct {
	server *sandbox.Server
	base   string
	client *http.Client
	token  string
	kept   map[string]string
}

// newCaller starts the sandbox of a case and authorizes.
func newCaller(tb testing.TB, w world, scope string) *caller {
	tb.Helper()
	return newCallerOf(tb, w.options(), scope)
}

func (w world) options() sandbox.Options {
	return sandbox.Options{
		Seed: 4, Records: records, Demo: true, Plan: w.Plan, Limits: sandbox.Limits{Off: !w.Limits}, Strict: w.Strict,
		Networks: []string{network}, CustomModules: []string{module},
	}
}

// newCallerOf starts a sandbox with its clock at a Tuesday in March.
func newCallerOf(tb testing.TB, options sandbox.Options, scope string) *caller {
	tb.Helper()
	noon := time.Date(2026, 3, 10, 6, 30, 0, 0, time.UTC)
	options.Now = func() time.Time { return noon }
	server, err := sandbox.New(options)
	if err != nil {
		tb.Fatal(err)
	}
	listening := httptest.NewServer(server)
	tb.Cleanup(listening.Close)
	client := listening.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c := &caller{server: server, base: listening.URL, client: client, kept: map[string]string{
		"organization": sandbox.DefaultOrganizationID, "network": network, "module": module, "base": listening.URL,
		"client_id": sandbox.ClientID, "client_secret": sandbox.ClientSecret, "refresh_token": sandbox.RefreshToken,
	}}
	c.learnModule(tb)
	if c.token, err = c.authorize(tb.Context(), scope); err != nil {
		tb.Fatal(err)
	}
	return c
}

// learnModule notes the ids of the module Deals and of two of its fields. A client knows them from
// its organization's settings; no document shows that call.
func (c *caller) learnModule(tb testing.TB) {
	tb.Helper()
	deals, found := channel.Modules().Find("Deals")
	if !found || len(deals.Fields) < 2 { // as many as the cases name.
		tb.Fatalf("module Deals: %+v", deals)
	}
	c.kept["deals"] = deals.ID
	for n, name := range []string{"one", "two"} {
		c.kept["field_"+name], c.kept["field_"+name+"_id"] = deals.Fields[n].Name, deals.Fields[n].ID
	}
}

// authorize asks for an access token as docs/upstream.md U24 describes: POST
// {auth_url}/oauth/v2/token with refresh_token, client_id, client_secret, grant_type and scope in
// the query.
func (c *caller) authorize(ctx context.Context, scope string) (string, error) {
	query := url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {c.kept["refresh_token"]},
		"client_id": {c.kept["client_id"]}, "client_secret": {c.kept["client_secret"]},
	}
	if scope != "" {
		query.Set("scope", scope)
	}
	got, err := c.do(ctx, step{Send: "POST /oauth/v2/token?" + query.Encode(), Without: []string{"token"}})
	if err != nil {
		return "", err
	}
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(got.body, &answer); err != nil || answer.Token == "" {
		return "", fmt.Errorf("authorize with scope %q: no access token in %d %.300s", scope, got.status, got.body)
	}
	return answer.Token, nil
}

// answered is an answer with its body read.
type answered struct {
	status int
	header http.Header
	body   []byte
}

// do makes one call.
func (c *caller) do(ctx context.Context, s step) (answered, error) {
	request, err := c.request(ctx, s)
	if err != nil {
		return answered{}, err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return answered{}, fmt.Errorf("call %s: %w", s.Send, err)
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return answered{}, fmt.Errorf("read the answer to %s: %w", s.Send, err)
	}
	return answered{status: response.StatusCode, header: response.Header, body: body}, nil
}

// request builds a call from the step, the token, and the organization in its place for the service
// (docs/upstream.md U11 and U12).
func (c *caller) request(ctx context.Context, s step) (*http.Request, error) {
	method, target, _ := strings.Cut(c.fill(s.Send), " ")
	body, contentType, err := c.body(s)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+target, body)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", s.Send, err)
	}
	query := request.URL.Query()
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	if !slices.Contains(s.Without, "organization") {
		c.organization(request, query)
	}
	for name, value := range s.Query {
		query.Set(name, c.fill(value))
	}
	request.URL.RawQuery = query.Encode()
	if !slices.Contains(s.Without, "token") && !strings.HasPrefix(target, "/oauth/") && !strings.HasPrefix(target, "/_sandbox/") {
		request.Header.Set("Authorization", "Svc-oauthtoken "+c.token)
	}
	for name, value := range s.Header {
		request.Header.Set(name, c.fill(value))
	}
	return request, nil
}

func (c *caller) organization(request *http.Request, query url.Values) {
	id := c.kept["organization"]
	switch path := request.URL.Path; {
	case strings.HasSuffix(path, "/organizations"): // clients learn the id there.
	case strings.HasPrefix(path, "/books/"), strings.HasPrefix(path, "/inventory/"):
		query.Set("organization_id", id)
	case strings.HasPrefix(path, "/invoice/"):
		request.Header.Set("X-Com-Svc-Invoice-Organizationid", id)
	case strings.HasPrefix(path, "/billing/"):
		request.Header.Set("X-Com-Svc-Subscriptions-Organizationid", id)
	}
}

// body returns the body of a step: JSON, or a form with a file. The chat service needs a
// Content-Type on calls without a body, too (docs/upstream.md U14).
func (c *caller) body(s step) (io.Reader, string, error) {
	if s.Form != nil {
		form := url.Values{}
		for name, value := range s.Form {
			form.Set(name, c.fill(value))
		}
		return strings.NewReader(form.Encode()), "application/x-www-form-urlencoded", nil
	}
	if s.File == nil {
		contentType := "application/json"
		if s.Body == nil && strings.HasPrefix(s.Send, "POST /oauth/") {
			contentType = ""
		}
		return strings.NewReader(c.fill(string(s.Body))), contentType, nil
	}
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	part, err := form.CreateFormFile(s.File.Part, s.File.Name)
	if err != nil {
		return nil, "", fmt.Errorf("build the form: %w", err)
	}
	_, err = io.WriteString(part, s.File.Content)
	if s.Body != nil {
		err = errors.Join(err, form.WriteField("JSONString", c.fill(string(s.Body))))
	}
	if err := errors.Join(err, form.Close()); err != nil {
		return nil, "", fmt.Errorf("build the form: %w", err)
	}
	return &buffer, form.FormDataContentType(), nil
}

// fill replaces ${name} by the value that an earlier step kept.
func (c *caller) fill(text string) string {
	for name, value := range c.kept {
		text = strings.ReplaceAll(text, "${"+name+"}", value)
	}
	return text
}
