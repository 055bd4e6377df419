// Package sluice holds the example of the configuration, which stands at the root because operators
// look for it there. It holds nothing else. Start reading at cmd/sluice.
package sluice

import _ "embed" // for the example

// ExampleConfig is config.example.yaml: sluice init fills it in.
//
//go:embed config.example.yaml
var ExampleConfig string
