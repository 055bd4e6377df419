package app

import (
	"fmt"

	"sluice/cmd/sluice/config"
	"sluice/pipeline/budget"
	"sluice/pipeline/upstream"
)

// Client wires the door to upstream: the gate that counts calls, the tokens that
// all processes share, and the addresses of the configuration.
func (a *App) Client() (*upstream.Client, error) {
	key, err := config.EncryptionKey(a.options.LookupEnv)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	gate, err := budget.New(budget.Options{Ledger: a.DB, Limits: a.Limits, Now: a.options.Now, Zone: a.Zone})
	if err != nil {
		return nil, fmt.Errorf("prepare the budget gate: %w", err)
	}
	vendor := upstream.Vendor{
		Name: a.Config.Vendor.Name, API: a.Config.Vendor.APIURL, Chat: a.Config.Vendor.ChatURL, Auth: a.Config.Vendor.AuthURL,
	}
	tokens, err := upstream.NewTokens(upstream.TokenOptions{
		Vendor: vendor, VendorOf: a.addresses, Store: a.DB, Key: key, Credentials: a.credential, Gate: gate, Now: a.options.Now, UserAgent: userAgent,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the tokens: %w", err)
	}
	client, err := upstream.New(upstream.Options{
		Vendor: vendor, VendorOf: a.addresses, OrganizationID: a.upstreamID, Gate: gate, Tokens: tokens, Now: a.options.Now, Zone: a.Zone,
		BaseURL: a.baseURL, DataCenter: a.dataCenter, UserAgent: userAgent,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare the client: %w", err)
	}
	return client, nil
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
