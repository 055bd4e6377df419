package config

import "sluice/pipeline/upstream"

// Secret is a value that never prints, with whatever verb or encoding (invariant 10). There is one
// such type in the program: secrets go from here to the client that sends them without ever being
// plain text in between.
type Secret = upstream.Secret
