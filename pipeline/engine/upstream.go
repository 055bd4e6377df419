package engine

import (
	"errors"
	"fmt"

	"sluice/pipeline/budget"
	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/upstream"
	"sluice/pipeline/upstream/wire"
)

// Client wires the door to upstream: the gate that counts calls, the tokens that
// all processes share, and the addresses of the configuration.
func (a *App) Client() (*upstream.Client, error) {
	gate, tokens, err := a.tokens()
	if err != nil {
		return nil, err
	}
	client, err := upstream.New(upstream.Options{
		Vendor: a.vendor(), VendorOf: a.addresses, OrganizationID: a.upstreamID, Gate: gate, Tokens: tokens, Now: a.options.Now, Zone: a.Zone,
		BaseURL: a.baseURL, DataCenter: a.dataCenter, UserAgent: userAgent, Transport: a.transport(), Scrub: a.options.Scrub,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the client: %w", err)
	}
	return client, nil
}

// tokens makes the gate and the keeper of tokens behind it.
func (a *App) tokens() (*budget.Gate, *upstream.Tokens, error) {
	if a.options.Offline {
		return nil, nil, errOffline
	}
	keys, err := secrets.Source{Getenv: a.options.LookupEnv}.EncryptionKeys()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	ledger := budget.Ledger(a.DB)
	if a.options.Ledger != nil {
		ledger = a.options.Ledger(ledger)
	}
	gate, err := budget.New(budget.Options{Ledger: ledger, Limits: a.Limits, Now: a.options.Now, Zone: a.Zone, Minute: a.options.Minute})
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the budget gate: %w", err)
	}
	tokens, err := upstream.NewTokens(upstream.TokenOptions{
		Vendor: a.vendor(), VendorOf: a.addresses, Store: a.DB, Key: keys[0], OldKeys: keys[1:], Credentials: a.credential, Gate: gate, Now: a.options.Now,
		UserAgent: userAgent, Transport: a.transport(), Log: a.Log, Scrub: a.options.Scrub,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the tokens: %w", err)
	}
	return gate, tokens, nil
}

// errOffline says that a command asks upstream without having said so, and that its secrets may be missing.
var errOffline = errors.New("this command was started as one that asks upstream nothing: its call was not made")

// vendor is the vendor of the configuration.
func (a *App) vendor() upstream.Vendor {
	return upstream.Vendor{
		Name: a.Config.Vendor.Name, API: a.Config.Vendor.APIURL, Chat: a.Config.Vendor.ChatURL, Auth: a.Config.Vendor.AuthURL,
	}
}

// transport are the bounds of a call, in step with the lease of the call log.
func (a *App) transport() wire.Transport {
	if a.options.Minute <= 0 {
		return wire.Transport{}
	}
	minute := a.options.Minute
	return wire.Transport{Total: minute * 3 / 2, Fresh: minute / 3, Margin: minute / 120} //nolint:mnd // as a minute has them
}

const userAgent = "sluice"

func (a *App) credential(organization string) (upstream.Credential, error) {
	o := a.organization(organization)
	if o == nil {
		return upstream.Credential{}, fmt.Errorf("%w: no organization %s is configured", ErrUsage, organization)
	}
	return upstream.Credential{
		ClientID:     o.Credentials.ClientID,
		ClientSecret: upstream.NewSecret(o.Credentials.ClientSecret.Reveal()),
		RefreshToken: upstream.NewSecret(o.Credentials.RefreshToken.Reveal()),
		DataCenter:   o.DataCenter,
	}, nil
}

// addresses are those of the organization's own; empty ones are the vendor's.
func (a *App) addresses(organization string) upstream.Vendor {
	o := a.organization(organization)
	if o == nil {
		return upstream.Vendor{}
	}
	return upstream.Vendor{API: o.Addresses.APIURL, Chat: o.Addresses.ChatURL, Auth: o.Addresses.AuthURL}
}

// upstreamID is the identifier by which upstream knows an organization.
func (a *App) upstreamID(organization string) string {
	if o := a.organization(organization); o != nil {
		return o.ID
	}
	return organization
}

func (a *App) baseURL(organization, service string) string {
	if o := a.organization(organization); o != nil {
		return o.Services[service].BaseURL
	}
	return ""
}

func (a *App) dataCenter(organization string) string {
	if o := a.organization(organization); o != nil {
		return o.DataCenter
	}
	return ""
}
