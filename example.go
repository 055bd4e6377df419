// Package sluice holds texts that are a part of the program and stand where people look for them:
// the example of the configuration, and the questions of analysts. It holds nothing else. Start
// reading at cmd/sluice.
package sluice

import _ "embed" // for the texts

// ExampleConfig is config.example.yaml: sluice init fills it in.
//
//go:embed config.example.yaml
var ExampleConfig string

// Questions is docs/analysts/questions.md: the console asks them.
//
//go:embed docs/analysts/questions.md
var Questions string
