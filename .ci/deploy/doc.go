// Package deploy tries what deploy/ has for clusters: it renders the chart as Helm does, builds the
// plain manifests as kustomize does, and decodes every document strictly into the types of the API.
// No cluster is needed.
//
// It is a module of its own, so that the program does not need Helm's libraries. Start reading at
// profiles in render_test.go.
package deploy
