package coverage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"sluice/schema/docs/endpoints"
)

// Player is a simulated upstream with the parameters of its calls.
type Player struct {
	// Handler answers calls; it enforces no limits.
	Handler http.Handler
	// Roots are the paths of the services by their words.
	Roots map[string]string
	// Scheme is the word before the access token; Client is the query of a token request.
	Scheme string
	Client url.Values
	// Organization is sent as query parameter and in the headers named here.
	Organization string
	Headers      []string
	// Names replace placeholders: <module_name>.
	Names map[string]string

	token string
}

// Probe makes one call for a row and reports whether it is served. A refusal, such as for an
// unknown record, counts as served; an unknown path or method does not.
func (p *Player) Probe(ctx context.Context, row *endpoints.Row) (bool, error) {
	if row.Service == "authorization" {
		query := p.grant(row.Variant)
		query.Del("refresh_token") // a probe must not revoke it.
		status, body, err := p.call(ctx, row.Method, p.fill(row.Path), query)
		known := status != http.StatusNotFound && status != http.StatusMethodNotAllowed
		return known && !bytes.Contains(body, []byte(unknownGrant)), err
	}
	if err := p.authorize(ctx); err != nil {
		return false, err
	}
	status, body, err := p.call(ctx, row.Method, p.Roots[row.Service]+p.fill(row.Path), nil)
	return status != http.StatusMethodNotAllowed && !unknownPath(status, body), err
}

// unknownGrant is the error for an unknown grant type (RFC 6749, section 5.2).
const unknownGrant = "unsupported_grant_type"

// Codes that distinguish an unknown path from an unknown record. Source: docs/upstream.md U69
// (statuses of chat) and U65 (codes of the accounting family).
const (
	noSuchURL     = "5"
	noSuchChatURL = "url_not_found"
)

func unknownPath(status int, body []byte) bool {
	var envelope struct {
		Code json.RawMessage `json:"code"`
	}
	if status != http.StatusNotFound {
		return false
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return true
	}
	code := strings.Trim(string(envelope.Code), `"`)
	return code == noSuchURL || code == noSuchChatURL
}

// fill replaces the placeholders of a path by names; a record has the identifier 1.
func (p *Player) fill(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if !strings.HasPrefix(segment, "<") && !strings.HasPrefix(segment, "{") {
			continue
		}
		segments[i] = "1"
		if name, ok := p.Names[segment]; ok {
			segments[i] = name
		}
	}
	return strings.Join(segments, "/")
}

// grant returns the query of a call to the authorization server.
func (p *Player) grant(variant string) url.Values {
	query := url.Values{"grant_type": {variant}, "code": {"1"}}
	maps.Copy(query, p.Client)
	return query
}

// authorize gets the access token that the other calls carry.
func (p *Player) authorize(ctx context.Context) error {
	if p.token != "" {
		return nil
	}
	_, body, err := p.call(ctx, http.MethodPost, "/oauth/v2/token", p.grant("refresh_token"))
	if err != nil {
		return err
	}
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("the played upstream's answer to a call for a token: %w", err)
	}
	if answer.Token == "" {
		return errors.New("the played upstream gave no access token")
	}
	p.token = answer.Token
	return nil
}

func (p *Player) call(ctx context.Context, method, path string, query url.Values) (int, []byte, error) {
	if query == nil {
		query = url.Values{"organization_id": {p.Organization}, "fields": {"chat_id"}}
	}
	request, err := http.NewRequestWithContext(ctx, method, path+"?"+query.Encode(), http.NoBody)
	if err != nil {
		return 0, nil, fmt.Errorf("probe %s %s: %w", method, path, err)
	}
	request.Header.Set("Authorization", p.Scheme+" "+p.token)
	request.Header.Set("Content-Type", "application/json")
	for _, header := range p.Headers {
		request.Header.Set(header, p.Organization)
	}
	answer := &answerWriter{header: make(http.Header), status: http.StatusOK}
	p.Handler.ServeHTTP(answer, request)
	return answer.status, answer.body.Bytes(), nil
}

// answerWriter stores an answer.
type answerWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *answerWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *answerWriter) WriteHeader(status int) { w.status = status }

// Write implements http.ResponseWriter.
func (w *answerWriter) Write(data []byte) (int, error) {
	return w.body.Write(data)
}
