package upstream

import (
	"sluice/pipeline/upstream/token"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

// These are names of the inner packages, for the code that builds a client.
type (
	// Vendor names the company that runs upstream, and its addresses.
	Vendor = wire.Vendor
	// Transport are the settings of the connections.
	Transport = wire.Transport
	// Gate counts calls and says when one may leave.
	Gate = wire.Gate
	// Secret is a value that never prints.
	Secret = wire.Secret
	// Credential is used to ask for access tokens.
	Credential = token.Credential
	// Consent is what a person is asked for.
	Consent = token.Consent
	// Granted is the result of a consent.
	Granted = token.Granted
	// Tokens gives access tokens and renews them.
	Tokens = token.Tokens
	// TokenOptions are what Tokens need.
	TokenOptions = token.Options
	// TokenStore keeps the access token of a credential for all processes.
	TokenStore = token.Store
)

// NewSecret wraps a value.
func NewSecret(value string) Secret { return wire.NewSecret(value) }

// NewTokens makes Tokens; see token.New.
func NewTokens(o TokenOptions) (*Tokens, error) {
	return token.New(o)
}

// Address gives the address of a data center; see wire.Address.
func Address(base string, host schema.Host, dataCenter string) (string, error) {
	return wire.Address(base, host, dataCenter)
}
