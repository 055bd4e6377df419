//go:build e2e

package cli

import (
	"testing"

	"sluice/cmd/sluice/console/browser"
)

func runBills(m *demoCompany) clickedAction { return clickedAction{} }

type clickedAction struct{}

func (m *demoCompany) acts(p *browser.Page, a clickedAction) {}

func everyAction(t *testing.T, m *demoCompany, b *browser.Browser) {}
