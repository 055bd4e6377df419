package engine

import (
	"errors"
	"fmt"

	"sluice/pipeline/budget"
	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/upstream"
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
func (a *App) tokens() (wire.Gate, *upstream.Tokens, error) {
	if a.options.Offline {
		return nil, nil, errOffline
	}
	keys, err := secrets.Source{Getenv: a.options.LookupEnv}.EncryptionKeys()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	a.secrets.seal(keys)
	ledger := budget.Ledger(a.DB)
	if a.options.Ledger != nil {
		ledger = a.options.Ledger(ledger)
	}
	counting, err := budget.New(budget.Options{Ledger: ledger, Now: a.options.Now, Minute: a.options.Minute})
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the budget gate: %w", err)
	}
	gate := a.traces.Gate(&wire.Timed{Gate: counting, Now: a.options.Now, Observer: a.Calls})
	tokens, err := upstream.NewTokens(upstream.TokenOptions{
		Vendor: a.vendor(), Store: a.DB, Key: keys[0], OldKeys: keys[1:], Credentials: a.credentials(), Gate: gate, Now: a.options.Now,
		UserAgent: userAgent, Transport: a.transport(), Log: a.Log, Scrub: a.options.Scrub, Refused: a.secrets.refuse,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("prepare the tokens: %w", err)
	}
	a.secrets.uses(func() error { return tokens.Replace(a.secrets.keysInForce(), a.credentials()) })
	return gate, tokens, nil
}

// errOffline says that a command that was started offline wants to call upstream; its secrets may
// be missing.
var errOffline = errors.New("this command was started offline: its call was not made")

// vendor is the vendor of the configuration.
func (a *App) vendor() upstream.Vendor {
	return upstream.Vendor{
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
func (a *App) credentials() map[string]upstream.Credential {
	all := make(map[string]upstream.Credential)
	for i := range a.Config.Organizations {
		o := &a.Config.Organizations[i]
		all[o.Key] = upstream.Credential{
			ClientID:     o.Credentials.ClientID,
			ClientSecret: a.secrets.of(o).credentials.ClientSecret,
			RefreshToken: a.secrets.of(o).credentials.RefreshToken,
			DataCenter:   o.DataCenter,
		}
	}
	return all
}
