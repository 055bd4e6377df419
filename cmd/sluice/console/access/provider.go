package access

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"sluice/pipeline/engine/config"
)

const (
	// providerTime bounds one request to the provider.
	providerTime = 10 * time.Second
	// maxAnswer is more than a provider has to say, in bytes.
	maxAnswer = 1 << 20
	// maxBrief is how much of an error goes into the log.
	maxBrief = 300
)

// provider is the provider of OpenID Connect. What it publishes about itself is read at the first
// sign-in, so that the console starts without it.
type provider struct {
	settings config.ConsoleOIDC
	callback string
	secret   func() config.Secret
	now      func() time.Time
	client   *http.Client

	mu    sync.Mutex
	known *oidc.Provider
	// config has the secret that was in force when it was made.
	config *oauth2.Config
}

// refusalError says why the console does not believe a sign-in. Its reason has no word of others.
type refusalError struct{ reason string }

// Error implements error.
func (r *refusalError) Error() string { return r.reason }

func newProvider(settings config.ConsoleOIDC, callback string, secret func() config.Secret, now func() time.Time) *provider {
	return &provider{
		settings: settings, callback: callback, secret: secret, now: now,
		client: &http.Client{
			Timeout:   providerTime,
			Transport: bounded{&http.Transport{Proxy: http.ProxyFromEnvironment, IdleConnTimeout: time.Minute}},
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return errors.New("the provider redirects to another address")
			},
		},
	}
}

// bounded cuts answers that are too long.
type bounded struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	got, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err // the caller names the address
	}
	got.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(got.Body, maxAnswer), got.Body}
	return got, nil
}

// ready returns what the provider published about itself, and the client that asks it.
func (p *provider) ready(ctx context.Context) (*oidc.Provider, *oauth2.Config, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		known, err := oidc.NewProvider(ctx, p.settings.Issuer)
		if err != nil {
			return nil, nil, fmt.Errorf("read what the provider publishes: %w", err)
		}
		p.known = known
	}
	if secret := p.secret().Reveal(); p.config == nil || p.config.ClientSecret != secret {
		p.config = &oauth2.Config{
			ClientID: p.settings.ClientID, ClientSecret: secret, Endpoint: endpoint(p.known), RedirectURL: p.callback, Scopes: p.settings.Scopes,
		}
	}
	return p.known, p.config, nil
}

// endpoint says how the provider takes the client's secret. The library would try both ways, and
// show the error of the second.
func endpoint(known *oidc.Provider) oauth2.Endpoint {
	var published struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	at := known.Endpoint()
	at.AuthStyle = oauth2.AuthStyleInHeader // the default of the specification
	err := known.Claims(&published)
	if err == nil && slices.Contains(published.Methods, "client_secret_post") && !slices.Contains(published.Methods, "client_secret_basic") {
		at.AuthStyle = oauth2.AuthStyleInParams
	}
	return at
}

// address returns the address at the provider where a sign-in begins.
func (p *provider) address(ctx context.Context, begun login) (string, error) {
	_, client, err := p.ready(oidc.ClientContext(ctx, p.client))
	if err != nil {
		return "", err
	}
	return client.AuthCodeURL(begun.State, oidc.Nonce(begun.Nonce), oauth2.S256ChallengeOption(begun.Verifier)), nil
}

// person exchanges a code for what the provider says about the person. A *refusalError says why
// that is not believed; another error, that the provider cannot be asked.
func (p *provider) person(ctx context.Context, begun login, code string) (person, error) {
	ctx = oidc.ClientContext(ctx, p.client)
	known, client, err := p.ready(ctx)
	if err != nil {
		return person{}, err
	}
	tokens, err := client.Exchange(ctx, code, oauth2.VerifierOption(begun.Verifier))
	if refused, isAnswer := errors.AsType[*oauth2.RetrieveError](err); isAnswer {
		if refused.ErrorCode == "invalid_grant" {
			return person{}, &refusalError{"the provider does not accept the code: it was used before, or is too old"}
		}
		// Its text may repeat what was sent.
		return person{}, fmt.Errorf("exchange the code: the provider answered %q, status %d", refused.ErrorCode, refused.Response.StatusCode)
	}
	if err != nil {
		return person{}, fmt.Errorf("exchange the code: %w", err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := known.VerifierContext(ctx, &oidc.Config{ClientID: p.settings.ClientID, Now: p.now}).Verify(ctx, raw)
	if err != nil {
		return person{}, &refusalError{"the provider's token is not valid for this console: its signature, issuer, audience or time is wrong"}
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(begun.Nonce)) != 1 {
		return person{}, &refusalError{"the provider's token belongs to another sign-in"}
	}
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return person{}, &refusalError{"the provider's token cannot be read"}
	}
	return p.named(claims)
}

// named reads name and groups out of the claims of a token.
func (p *provider) named(claims map[string]any) (person, error) {
	if party, has := claims["azp"]; has && party != p.settings.ClientID {
		return person{}, &refusalError{"the provider's token was issued to another client"}
	}
	if verified := claims["email_verified"]; p.settings.UserClaim == "email" && (verified == false || verified == "false") {
		return person{}, &refusalError{"the provider has not verified the person's email address"}
	}
	name, _ := claims[p.settings.UserClaim].(string)
	if !named(name) {
		return person{}, &refusalError{"the provider's token has no name in the claim that console.oidc.user_claim names"}
	}
	who := person{Name: name}
	switch groups := claims[p.settings.GroupsClaim].(type) {
	case string:
		who.Groups = []string{groups}
	case []any:
		for _, group := range groups {
			if text, isText := group.(string); isText {
				who.Groups = append(who.Groups, text)
			}
		}
	}
	return who, nil
}
