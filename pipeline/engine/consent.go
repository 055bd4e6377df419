package engine

import (
	"context"
	"fmt"
	"strings"

	"sluice/pipeline/engine/config"
	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/upstream"
)

// Consents asks for the consent of one organization. Its calls pass the gate.
type Consents struct {
	app          *App
	organization *config.Organization
	tokens       *upstream.Tokens
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
func (c *Consents) Address(consent upstream.Consent) (string, error) {
	return c.tokens.ConsentAddress(c.app.organizations[c.organization.Key], consent)
}

// Exchange gets the refresh token for a code, with one counted call. From here on no text shows the
// code.
func (c *Consents) Exchange(ctx context.Context, consent upstream.Consent, code string) (upstream.Granted, error) {
	return c.tokens.Exchange(ctx, c.app.organizations[c.organization.Key], consent, upstream.NewSecret(code))
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
	if a.secrets.of(o).credentials.RefreshToken.Reveal() != "" {
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
