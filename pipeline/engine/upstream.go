package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sluice/pipeline/budget"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/upstream"
	"sluice/pipeline/upstream/token"
	"sluice/pipeline/upstream/wire"
)

// Client makes the client of upstream, with the gate that counts calls, the tokens that all
// processes share, and the configured addresses.
func (a *App) Client() (*upstream.Client, error) {
	if a.hashKey != nil {
		return nil, fmt.Errorf("%w: %w", ErrUsage, a.hashKey)
	}
	gate, tokens, err := a.tokens()
	if err != nil {
		return nil, err
	}
	client, err := upstream.New(upstream.Options{
		Vendor: a.vendor(), Gate: gate, Tokens: tokens, Now: a.options.Now, UserAgent: userAgent, Transport: a.transport(), Scrub: a.options.Scrub,
		LeavesOut: a.leavesOut,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the client: %w", err)
	}
	return client, nil
}

// tokens makes the gate and the source of tokens, whose calls pass the same gate.
func (a *App) tokens() (wire.Gate, *token.Tokens, error) {
	if !a.options.Purpose.Calls() {
		return nil, nil, errOffline
	}
	keys, err := secrets.Source{Getenv: a.options.LookupEnv}.EncryptionKeys()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	a.secrets.seal(keys)
	counting, err := budget.New(budget.Options{Ledger: a.DB, Now: a.options.Now, Minute: a.options.Minute})
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the budget gate: %w", err)
	}
	gate := a.traces.Gate(&wire.Timed{Gate: counting, Now: a.options.Now, Observer: a.Calls})
	tokens, err := token.New(token.Options{
		Vendor: a.vendor(), Store: a.DB, Key: keys[0], OldKeys: keys[1:], Credentials: a.credentials(), Gate: gate, Now: a.options.Now,
		UserAgent: userAgent, Transport: a.transport(), Log: a.Log, Scrub: a.options.Scrub, Refused: a.secrets.refuse,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the tokens: %w", err)
	}
	a.secrets.uses(func(keys [][]byte) error { return tokens.Replace(keys, a.credentials()) })
	return gate, tokens, nil
}

// errOffline says that a command that was started offline wants to call upstream; its secrets may
// be missing.
var errOffline = errors.New("this command was started offline: its call was not made")

func (a *App) vendor() wire.Vendor {
	return wire.Vendor{
		Name: a.Config.Vendor.Name, API: a.Config.Vendor.APIURL, Chat: a.Config.Vendor.ChatURL, Auth: a.Config.Vendor.AuthURL,
	}
}

// transport returns the time limits of a call, scaled like the lease of the call log.
func (a *App) transport() wire.Transport {
	if a.options.Minute <= 0 {
		return wire.Transport{}
	}
	minute := a.options.Minute
	return wire.Transport{Total: minute * 3 / 2, Fresh: minute / 3} //nolint:mnd // as a minute has them
}

const userAgent = "sluice"

// credentials returns the credentials of the organizations, by key.
func (a *App) credentials() map[string]token.Credential {
	all := make(map[string]token.Credential)
	for i := range a.Config.Organizations {
		o := &a.Config.Organizations[i]
		all[o.Key] = token.Credential{
			ClientID:     o.Credentials.ClientID,
			ClientSecret: a.secrets.of(o).Credentials.ClientSecret,
			RefreshToken: a.secrets.of(o).Credentials.RefreshToken,
			DataCenter:   o.DataCenter,
		}
	}
	return all
}

// Consents asks for the consent of one organization. Its calls pass the gate.
type Consents struct {
	app          *App
	organization *config.Organization
	tokens       *token.Tokens
}

// Consents prepares the consent of an organization. It fails if the client secret or the sealing
// key is missing.
func (a *App) Consents(o *config.Organization) (*Consents, error) {
	if o.Credentials.ClientSecret.Reveal() == "" {
		return nil, fmt.Errorf("%w: organization %s has no client secret yet: set what credentials.client_secret names in the configuration",
			ErrUsage, o.Name)
	}
	_, tokens, err := a.tokens()
	if err != nil {
		return nil, err
	}
	return &Consents{app: a, organization: o, tokens: tokens}, nil
}

// Address gives the address of the page on which a person consents.
func (c *Consents) Address(consent token.Consent) (string, error) {
	return c.tokens.ConsentAddress(c.app.organizations[c.organization.Key], consent)
}

// Exchange gets the refresh token for a code, with one counted call. From here on no text shows the
// code.
func (c *Consents) Exchange(ctx context.Context, consent token.Consent, code string) (token.Granted, error) {
	return c.tokens.Exchange(ctx, c.app.organizations[c.organization.Key], consent, wire.NewSecret(code))
}

// Scopes returns the scopes that upstream named with the organization's last access token, without
// a call; none if it named none.
func (a *App) Scopes(ctx context.Context, o *config.Organization) ([]string, error) {
	_, tokens, err := a.tokens()
	if err != nil {
		return nil, err
	}
	scopes, err := tokens.Scopes(ctx, a.organizations[o.Key])
	if err != nil {
		return nil, fmt.Errorf("read what was granted: %w", err)
	}
	return scopes, nil
}

// Authorized reports whether an organization has a refresh token that this process can read. A file
// is read again, because authorize may have written it meanwhile.
func (a *App) Authorized(o *config.Organization) bool {
	if a.secrets.of(o).Credentials.RefreshToken.Reveal() != "" {
		return true
	}
	from := o.Credentials.RefreshTokenFrom
	if !strings.HasPrefix(from, "file:") {
		return false
	}
	token, err := secrets.Source{Getenv: a.options.LookupEnv}.Secret(from)
	a.options.Scrub.Know(token.Reveal())
	return err == nil && token.Reveal() != ""
}
