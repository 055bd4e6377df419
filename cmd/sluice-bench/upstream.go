package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sluice/cmd/sluice-bench/server"
)

// sandbox is the upstream of a measurement.
type sandbox struct{ *server.Sandbox }

// upstream starts a company of so many records, over all resources.
func (s *stage) upstream(ctx context.Context, records int) (*sandbox, error) {
	running, err := server.Start(ctx, s.program, s.log, "--no-limits", "--records", strconv.Itoa(records))
	return &sandbox{running}, err
}

// lists are the paths of the streams that can be measured.
//
//nolint:gochecknoglobals // constants
var lists = map[string]struct{ path, sort string }{
	"inventory.items": {path: "/inventory/v1/items"},
	"inventory.bills": {path: "/inventory/v1/bills", sort: "last_modified_time"},
}

// readAlone reads a list as often as sluice does, a connection a call, and throws
// it away: what HTTP and the sandbox take of the time, whoever reads.
func (u *sandbox) readAlone(ctx context.Context, stream string, passes int) (time.Duration, error) {
	// As sluice sets it up: a connection a call.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}, Timeout: time.Minute}
	token, err := u.token(ctx, client)
	if err != nil {
		return 0, err
	}
	query := url.Values{"organization_id": {u.Organization}, "per_page": {"200"}}
	if sort := lists[stream].sort; sort != "" {
		query.Set("sort_column", sort)
		query.Set("sort_order", "D")
	}
	began := time.Now()
	for range passes {
		for page, more := 1, true; more; page++ {
			query.Set("page", strconv.Itoa(page))
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.URL+lists[stream].path+"?"+query.Encode(), http.NoBody)
			if err != nil {
				return 0, fmt.Errorf("ask for a page: %w", err)
			}
			request.Header.Set("Authorization", "Svc-oauthtoken "+token)
			text, err := answer(client, request)
			if err != nil {
				return 0, err
			}
			// The page context is at the end; the records are of no interest.
			more = strings.Contains(text[max(0, len(text)-300):], `"has_more_page":true`)
		}
	}
	return time.Since(began), nil
}

func (u *sandbox) token(ctx context.Context, client *http.Client) (string, error) {
	// The parameters go into the query: docs/upstream.md U24.
	query := url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {u.RefreshToken}, "client_id": {u.ClientID}, "client_secret": {u.ClientSecret},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.URL+"/oauth/v2/token?"+query.Encode(), http.NoBody)
	if err != nil {
		return "", fmt.Errorf("ask for a token: %w", err)
	}
	text, err := answer(client, request)
	if err != nil {
		return "", err
	}
	var granted struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(text), &granted); err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	if granted.Token == "" {
		return "", errors.New("the sandbox gave no token")
	}
	return granted.Token, nil
}

func answer(client *http.Client, request *http.Request) (_ string, err error) {
	response, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("call the sandbox: %w", err)
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return "", fmt.Errorf("read the sandbox's answer: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the sandbox answered %s to %s", response.Status, request.URL.Path)
	}
	return string(text), nil
}
