package upstream

import (
	"sluice/pipeline/upstream/token"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

// The names of the rooms inside, for those who put a client together.
type (
	// Vendor is who runs upstream.
	Vendor = wire.Vendor
	// Transport are the settings of the connections.
	Transport = wire.Transport
	// Gate counts calls and says when one may leave.
	Gate = wire.Gate
	// Secret is a value that never prints.
	Secret = wire.Secret
	// Credential is what access tokens are asked for with.
	Credential = token.Credential
	// Tokens gives access tokens and renews them.
	Tokens = token.Tokens
	// TokenOptions are what Tokens need.
	TokenOptions = token.Options
	// TokenStore keeps the access token of a credential for all processes.
	TokenStore = token.Store
)

// NewSecret wraps a value.
func NewSecret(value string) Secret { return wire.NewSecret(value) }

// NewTokens makes the keeper of tokens; see token.New.
func NewTokens(o TokenOptions) (*Tokens, error) {
	return token.New(o)
}

// Address gives the address of a data center; see wire.Address.
func Address(base string, host schema.Host, dataCenter string) (string, error) {
	return wire.Address(base, host, dataCenter)
}
