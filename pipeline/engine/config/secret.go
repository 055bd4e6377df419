package config

import "sluice/pipeline/upstream"

// Secret is a value that no verb and no encoding prints (invariant 10). It is the client's own
// type, so a secret never becomes plain text between the configuration and the client.
type Secret = upstream.Secret
