// Package token keeps the access tokens. One refresh serves all processes; tokens are sealed in the
// store, and in memory for as long as they live.
//
// It never asks for a token more often than once a minute, and never prints one (invariant 10). It
// never replaces a living token that it cannot open, unless Forget drops it.
//
// Start reading at Tokens.Token, then settle.
package token

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream/wire"
)

const (
	// margin is how long before its expiry a token is replaced.
	margin = 5 * time.Minute
	// spacing is the least time between two refreshes of one credential: upstream issues 10 tokens
	// in 10 minutes (docs/upstream.md U31).
	spacing = time.Minute
	// refreshers bounds the concurrent refreshes of this process: each holds one connection to the
	// database and needs a second one to count its call.
	refreshers = 2
)

// Store keeps the access token of a credential for all processes.
type Store interface {
	// WithToken calls fn with the credential's row locked against all processes. If fn returns
	// true, the token that it returns is stored. Its version grows if it is another token, and the
	// attempt is noted unless it is Forgotten.
	WithToken(ctx context.Context, credential string, fn func(ctx context.Context, token pipeline.Token) (pipeline.Token, bool, error)) error
}

// Credential is used to ask for access tokens. Source: docs/upstream.md U24, POST
// {auth_url}/oauth/v2/token with grant_type=refresh_token.
type Credential struct {
	ClientID     string
	ClientSecret wire.Secret
	RefreshToken wire.Secret
	// RedirectURI and Scope are sent if they are not empty.
	RedirectURI, Scope string
	// DataCenter is where the credential was made; "" means com.
	DataCenter string
}

// id is the key of the credential's row. It changes with the credential, so that a new one starts
// without the old one's refusals; organizations with the same credential share a row. A hash of two
// random secrets reveals neither.
func (c Credential) id(auth string) string {
	sum := sha256.New()
	for _, part := range []string{"sluice credential", auth, c.DataCenter, c.ClientID, c.ClientSecret.Reveal(), c.RefreshToken.Reveal(), c.Scope} {
		fmt.Fprintf(sum, "%d:%s\x00", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// Options configure Tokens. All but OldKeys, Transport, UserAgent, Scrub, Log and
// Refused are required.
type Options struct {
	Vendor wire.Vendor
	Store  Store
	// Key is SLUICE_ENCRYPTION_KEY: the 32 bytes that seal the stored tokens.
	Key []byte
	// OldKeys are former values of Key: they open what they sealed, and seal nothing.
	OldKeys [][]byte
	// Credentials are the organizations' credentials, by organization key.
	Credentials map[string]Credential
	// Gate counts the calls for tokens, as service "auth", resource "token".
	Gate      wire.Gate
	Now       func() time.Time
	UserAgent string
	Transport wire.Transport
	// Scrub takes secrets out of upstream's texts; nil means a scrubber of their own.
	Scrub *outside.Scrubber
	// Log gets a warning when the other refresh token is used next; nil means no log.
	Log *slog.Logger
	// Refused is called after upstream refused a credential, and while it counts as refused: its
	// secrets may have been replaced. It must not wait. It may be nil.
	Refused func()
}

// Tokens gives access tokens and renews them, one refresh for all processes. It implements
// upstream.TokenSource and is safe for concurrent use.
type Tokens struct {
	vendor wire.Vendor
	store  Store
	gate   wire.Gate
	now    func() time.Time
	log    *slog.Logger
	door   *wire.Door
	slots  chan struct{}
	scrub  *outside.Scrubber
	tell   func()

	mu      sync.Mutex
	secrets inForce
	held    map[string]*held
}

// inForce are the secrets that are used now: the keys, and the credentials by organization key.
type inForce struct {
	sealer      sealer
	credentials map[string]Credential
}

// held is the token of one credential in this process's memory.
type held struct {
	// turn is held by the caller that asks the store, so that one caller asks and the others wait.
	turn chan struct{}

	mu    sync.Mutex
	token grant
}

// grant is a token, and until when it is used without asking the store again.
type grant struct {
	token   wire.Secret
	version int64
	until   time.Time
	// made says that the refresh of this very request gave it.
	made bool
}

// New makes Tokens. It fails if an option is missing or the key does not have 32 bytes.
func New(o Options) (*Tokens, error) {
	if o.Store == nil || o.Credentials == nil || o.Gate == nil || o.Now == nil || o.Vendor.Auth == "" {
		return nil, errors.New("upstream: the options Vendor.Auth, Store, Credentials, Gate and Now are required")
	}
	sealer, err := newSealer(append([][]byte{o.Key}, o.OldKeys...)...)
	if err != nil {
		return nil, err
	}
	if o.Refused == nil {
		o.Refused = func() {}
	}
	if o.Scrub == nil {
		o.Scrub = outside.NewScrubber()
	}
	if o.Transport.Now == nil {
		o.Transport.Now = o.Now
	}
	return &Tokens{
		vendor: o.Vendor, store: o.Store, secrets: inForce{sealer: sealer, credentials: o.Credentials}, gate: o.Gate, now: o.Now, log: o.Log,
		door: wire.NewDoor(o.Transport, o.UserAgent), slots: make(chan struct{}, refreshers), held: make(map[string]*held),
		scrub: o.Scrub, tell: o.Refused,
	}, nil
}

// Replace puts other keys and credentials in force, the first key seals. Calls under way end with
// those that they began with. On an error those before stay.
func (t *Tokens) Replace(keys [][]byte, credentials map[string]Credential) error {
	sealer, err := newSealer(keys...)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.secrets = inForce{sealer: sealer, credentials: credentials}
	t.held = make(map[string]*held) // what was opened with a key that is gone is asked for again
	return nil
}

// inForce returns the secrets that are used now.
func (t *Tokens) inForce() inForce {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.secrets
}

// Token gives the organization's access token and its version. Its errors are *pipeline.Error:
// Denied if the operator has to authorize anew, Unavailable if a later attempt may succeed, or the
// gate's kinds.
func (t *Tokens) Token(ctx context.Context, organization *pipeline.Organization) (wire.Secret, int64, error) {
	g, err := t.get(ctx, organization, 0)
	return g.token, g.version, err
}

// Renew gives a token of another version than the one that upstream refused: one that another
// process fetched meanwhile, or a new one.
func (t *Tokens) Renew(ctx context.Context, organization *pipeline.Organization, refused int64) (wire.Renewed, error) {
	g, err := t.get(ctx, organization, refused)
	return wire.Renewed{Token: g.token, Version: g.version, Made: g.made}, err
}

// Forget drops the stored access token and all refusals, for an operator who knows that the
// credential works again. The refresh token that upstream sent last stays, unless it was stored
// with another key. The next refresh is still spaced.
func (t *Tokens) Forget(ctx context.Context, organization *pipeline.Organization) error {
	credential, err := t.credential(organization)
	if err != nil {
		return err
	}
	id := credential.id(t.auth(organization))
	h := t.holder(id)
	release, err := t.take(ctx, h)
	if err != nil {
		return err
	}
	defer release()
	err = t.store.WithToken(ctx, id, func(_ context.Context, row pipeline.Token) (pipeline.Token, bool, error) {
		next := pipeline.Token{Forgotten: true}
		if _, err := t.inForce().sealer.open(refreshOf(id), row.Refresh); err == nil {
			next.Refresh = row.Refresh
		}
		return next, true, nil
	})
	if err != nil {
		return t.tokenError(pipeline.Unavailable, "the stored token of "+t.of(organization)+" could not be dropped", err)
	}
	h.set(grant{})
	return nil
}

// Scopes returns the scopes that upstream named with the last access token, without a call. It
// returns none if upstream named none, there was no token yet, or the credential is denied.
func (t *Tokens) Scopes(ctx context.Context, organization *pipeline.Organization) ([]string, error) {
	credential, err := t.credential(organization)
	if err != nil {
		return nil, err
	}
	var scopes []string
	err = t.store.WithToken(ctx, credential.id(t.auth(organization)), func(_ context.Context, row pipeline.Token) (pipeline.Token, bool, error) {
		if row.Reason == "" {
			scopes = row.Scopes
		}
		return row, false, nil
	})
	if err != nil {
		return nil, t.tokenError(pipeline.Unavailable, "the scopes of "+t.of(organization)+" could not be read", err)
	}
	return scopes, nil
}

func (t *Tokens) get(ctx context.Context, organization *pipeline.Organization, refused int64) (grant, error) {
	credential, err := t.credential(organization)
	if err != nil {
		return grant{}, err
	}
	id := credential.id(t.auth(organization))
	h := t.holder(id)
	if g, ok := h.get(t.now(), refused); ok {
		return g, nil
	}
	release, err := t.take(ctx, h)
	if err != nil {
		return grant{}, err
	}
	defer release()
	if g, ok := h.get(t.now(), refused); ok {
		return g, nil
	}
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
	case <-ctx.Done():
		return grant{}, t.tokenError(pipeline.Unavailable, "", fmt.Errorf("waiting for a token: %w", ctx.Err()))
	}
	g, err := t.ask(ctx, asked{organization: organization, credential: credential, id: id, refused: refused})
	if err != nil {
		return grant{}, err
	}
	kept := g
	kept.made = false // for those who get it later
	h.set(kept)
	return g, nil
}

func (t *Tokens) credential(organization *pipeline.Organization) (Credential, error) {
	credential, configured := t.inForce().credentials[organization.Key]
	if !configured {
		return Credential{}, t.tokenError(pipeline.Denied, t.of(organization)+" has no usable credentials", nil)
	}
	t.scrub.Keep(credential.ClientSecret.Reveal(), credential.RefreshToken.Reveal())
	if credential.DataCenter == "" {
		credential.DataCenter = "com"
	}
	return credential, nil
}

// auth is the address of the authorization server before the data center is applied.
func (t *Tokens) auth(organization *pipeline.Organization) string {
	return cmp.Or(organization.Addresses.Auth, t.vendor.Auth)
}

func (t *Tokens) holder(id string) *held {
	t.mu.Lock()
	defer t.mu.Unlock()
	h, ok := t.held[id]
	if !ok {
		h = &held{turn: make(chan struct{}, 1)}
		t.held[id] = h
	}
	return h
}

// take waits for this credential's turn and gives the function that ends the turn.
func (t *Tokens) take(ctx context.Context, h *held) (func(), error) {
	select {
	case h.turn <- struct{}{}:
		return func() { <-h.turn }, nil
	case <-ctx.Done():
		return nil, t.tokenError(pipeline.Unavailable, "", fmt.Errorf("waiting for a token: %w", ctx.Err()))
	}
}

func (h *held) get(now time.Time, refused int64) (grant, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.token, h.token.version != 0 && h.token.version != refused && now.Before(h.token.until)
}

func (h *held) set(g grant) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.token = g
}

func (t *Tokens) tokenError(kind pipeline.Kind, detail outside.Text, cause error) *pipeline.Error {
	return &pipeline.Error{Kind: kind, Op: "access token", Detail: detail, Err: t.scrub.Cause(cause)}
}

// secret wraps a token, and makes sure that no text shows it from here on (invariant 10).
func (t *Tokens) secret(value string) wire.Secret {
	t.scrub.Know(value)
	return wire.NewSecret(value)
}

// open opens a stored token.
func (t *Tokens) open(credential string, sealed []byte) (wire.Secret, error) {
	plain, err := t.inForce().sealer.open(credential, sealed)
	if err != nil {
		return wire.Secret{}, err
	}
	return t.secret(plain), nil
}

// of names an organization in errors.
func (t *Tokens) of(organization *pipeline.Organization) outside.Text {
	return t.scrub.Textf("organization %s", organization.Key)
}
