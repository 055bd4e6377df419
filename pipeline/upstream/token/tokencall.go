package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream/body"
	"sluice/pipeline/upstream/wire"
)

const (
	tokenPath    = "/oauth/v2/token" //nolint:gosec // a path
	tokenTimeout = 30 * time.Second
	// tokenBody is the largest answer of a token request, in bytes.
	tokenBody = 64 << 10
	// lockedOut is how long the authorization server refuses after too many requests
	// (docs/upstream.md U31: 10 tokens in 10 minutes).
	lockedOut = 10 * time.Minute
)

// given is the result of a token request.
type given struct {
	access wire.Secret
	// refresh is the refresh token in the answer, if there was one.
	refresh wire.Secret
	life    time.Duration
	// scopes are the granted scopes, if the answer names them.
	scopes []string
	// refused is what an answer without a token says about the credential.
	refused refusal
}

// refresh asks once for a new access token, and says whether it made a call at all.
func (t *Tokens) refresh(ctx context.Context, a asked) (given, bool, error) {
	return t.request(ctx, a, a.credential.query())
}

// request makes one call of the token endpoint, and says whether it left at all.
func (t *Tokens) request(ctx context.Context, a asked, query url.Values) (given, bool, error) {
	u, err := t.address(a, tokenPath)
	if err != nil {
		return given{}, false, t.tokenError(pipeline.Denied, "the address of the authorization server is not usable", err)
	}
	op := wire.NewCall(pipeline.Call{
		Organization: a.organization.Key, Org: a.organization, Service: "auth", Resource: "token", Class: pipeline.ClassProbe,
		Method: http.MethodPost, Path: t.scrub.Text(u.Path, outside.MaxText), Endpoint: tokenPath,
	}, t.scrub)
	u.RawQuery = query.Encode()
	var (
		got    given
		called bool
	)
	err = wire.Counted(ctx, t.gate, op, func(_ int64, result *pipeline.CallResult) error {
		called, op.Granted = true, t.now()
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), http.NoBody)
		if err != nil {
			return t.tokenError(pipeline.Denied, "the address of the authorization server is not a URL", nil)
		}
		request.Header.Set("Accept", "application/json")
		return t.door.Open(ctx, op, min(tokenTimeout, t.door.Settings().Total), request, func(answer *wire.Reply) error {
			wire.Note(result, answer, t.now())
			data, err := wire.ReadAll(op, answer, tokenBody)
			result.Bytes = answer.Bytes()
			if err != nil {
				return err
			}
			got, err = t.judgeToken(op, answer, data, result)
			return err
		})
	})
	return got, called, err
}

// address is the address of a path of the authorization server: the organization's own, or the
// vendor's in the credential's data center.
func (t *Tokens) address(a asked, path string) (*url.URL, error) {
	base := a.organization.Addresses.Auth
	if base == "" {
		var err error
		if base, err = wire.Address(t.vendor.Auth, wire.HostAuth, a.credential.DataCenter); err != nil {
			return nil, fmt.Errorf("data center of organization %s: %w", a.organization.Key, err)
		}
	}
	u, err := wire.ParseBase(base)
	if err != nil {
		return nil, fmt.Errorf("authorization server of organization %s: %w", a.organization.Key, err)
	}
	u.Path = strings.TrimRight(u.Path, "/") + path
	return u, nil
}

// query are the parameters of the refresh, exactly those of docs/upstream.md U24.
func (c Credential) query() url.Values {
	query := url.Values{
		"refresh_token": {c.RefreshToken.Reveal()},
		"client_id":     {c.ClientID},
		"client_secret": {c.ClientSecret.Reveal()},
		"grant_type":    {"refresh_token"},
	}
	if c.RedirectURI != "" {
		query.Set("redirect_uri", c.RedirectURI)
	}
	if c.Scope != "" {
		query.Set("scope", c.Scope)
	}
	return query
}

// judgeToken accepts an answer only if it has a token and no error: errors can have status 200
// (docs/upstream.md U33). Of the body it shows only the error's word: bodies of this endpoint hold
// tokens.
func (t *Tokens) judgeToken(
	op wire.Call, answer *wire.Reply, data []byte, result *pipeline.CallResult,
) (given, error) {
	fail := func(kind pipeline.Kind, detail outside.Text, cause error) error {
		return &pipeline.Error{Kind: kind, Op: op.Op, Status: answer.Status, Detail: detail, Err: t.scrub.Cause(cause)}
	}
	switch {
	case answer.Status >= http.StatusInternalServerError || answer.Status == http.StatusRequestTimeout:
		return given{}, fail(pipeline.Unavailable, "the authorization server failed", nil)
	case answer.Status >= 300 && answer.Status < 400: //nolint:mnd // the class of redirects
		return given{}, fail(pipeline.Unexpected, "a redirect to host "+wire.RedirectHost(answer.Header, t.scrub)+", not followed", nil)
	}
	envelope, err := body.Parse(data)
	switch {
	case answer.Status == http.StatusTooManyRequests:
		return given{}, t.locked(op, answer, result, wire.RetryAfter(answer.Header, t.now()))
	case errors.Is(err, body.ErrCut):
		return given{}, fail(pipeline.Unavailable, "", err)
	case err != nil:
		return given{}, fail(pipeline.Unexpected, "not a token answer, "+outside.Number(len(data))+" bytes", err)
	case envelope.Has("error"):
		return t.refused(op, answer, envelope, result)
	case answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden:
		return given{refused: refusedUnknown}, fail(pipeline.Unavailable, "the authorization server refuses the credentials, without a word why", nil)
	case answer.Status != http.StatusOK && answer.Status != http.StatusCreated:
		return given{}, fail(pipeline.Unexpected, "an answer that the documents do not describe", nil)
	}
	token, _ := envelope.Text("access_token")
	if !usable(token) {
		return given{}, fail(pipeline.Unexpected, "the answer holds no usable access token", nil)
	}
	text, _ := envelope.Text("expires_in")
	seconds, err := strconv.Atoi(text)
	got := given{access: t.secret(token), life: clampLife(seconds, err == nil)}
	if refresh, _ := envelope.Text("refresh_token"); usable(refresh) {
		got.refresh = t.secret(refresh)
	}
	if scopes, ok := envelope.Text("scope"); ok {
		got.scopes = t.scopes(scopes)
	}
	return got, nil
}

// mostScope bounds the length of a scope, in bytes.
const mostScope = 200

// scopes takes a list of scopes apart; nil if it has none. They are stored in clear, so a text that
// holds a secret is none (invariant 10).
func (t *Tokens) scopes(list string) []string {
	var scopes []string
	for scope := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ' ' || r == ',' }) {
		if usable(scope) && string(t.scrub.Text(scope, mostScope)) == scope {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// usable says that a text can be a token, or a scope.
func usable(token string) bool {
	return token != "" && !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// refused makes the error of an answer that names one. It denies only for words that are known to
// mean it: those of RFC 6749, section 5.2, and of the documents. Source: docs/upstream.md U33
// (invalid_code; Access Denied is too many requests). access_denied is not defined for this
// endpoint and resembles Access Denied, so it counts as unknown.
func (t *Tokens) refused(op wire.Call, answer *wire.Reply, envelope *body.Envelope, result *pipeline.CallResult) (given, error) {
	said, _ := envelope.Text("error")
	word := t.scrub.Text(said, 64) //nolint:mnd // a word or two
	e := &pipeline.Error{Kind: pipeline.Denied, Op: op.Op, Status: answer.Status, Code: word}
	switch strings.ToLower(said) {
	case "access denied", "slow_down", "rate_limit_exceeded", "rate_limited", "too_many_requests", "too many requests", "throttled":
		return given{}, t.locked(op, answer, result, lockedOut)
	case "server_error", "general_error", "internal_error", "internal server error", "temporarily_unavailable", "service_unavailable":
		e.Kind, e.Detail = pipeline.Unavailable, "the authorization server failed"
		return given{}, e
	case "invalid_code", "invalid_grant":
		e.Detail = "the refresh token is not accepted (" + word + "): it was revoked, or belongs to another client or data center"
	case "invalid_client", "invalid_client_secret":
		e.Detail = "the client is not accepted (" + word + "): check client_id, client_secret and data center"
	case "invalid_request", "unauthorized_client", "unsupported_grant_type", "invalid_scope":
		e.Detail = "the authorization server refuses the credentials (" + word + ")"
	default:
		e.Kind, e.Detail = pipeline.Unavailable, "the authorization server refuses the credentials ("+word+")"
		return given{refused: refusedUnknown}, e
	}
	return given{refused: refusedKnown}, e
}

// locked gives the error for too many token requests. The gate is told Throttled, which closes it
// for all callers; the caller is told Unavailable.
func (t *Tokens) locked(op wire.Call, answer *wire.Reply, result *pipeline.CallResult, wait time.Duration) error {
	wait = cmp.Or(wait, lockedOut)
	result.Kind, result.RetryAfter = pipeline.Throttled, wait
	return &pipeline.Error{
		Kind: pipeline.Unavailable, Op: op.Op, Status: answer.Status, Until: t.now().Add(wait),
		Detail: "the authorization server refuses for a while: too many access tokens were asked for",
	}
}
