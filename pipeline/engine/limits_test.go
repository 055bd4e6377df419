package engine_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline"
)

const scoped = `
vendor: {api_url: "https://www.example.com", chat_url: "https://chat.example.com", auth_url: "https://accounts.example.com"}
organizations:
  - name: together
    id: "1"
    time_zone: Asia/Kolkata
    reset: {hour: 0}
    credentials: {client_id: n, client_secret: "${SECRET}", refresh_token: "${SECRET}"}
    services:
      accounting: {plan: free}
      inventory: {plan: premium, reset: {zone: UTC, hour: 7}}
      invoicing: {plan: free, rate_scope: service}
  - name: apart
    id: "2"
    rate_scope: service
    credentials: {client_id: n, client_secret: "${SECRET}", refresh_token: "${SECRET}"}
    services:
      accounting: {plan: free}
      inventory: {plan: premium}
      chat: {plan: free, rate_scope: organization}
budget: {shares: {incremental: {floor: 0.6}}}
`

// TestLimitsOfTheConfiguration: the figures are copied from the documents.
func TestLimitsOfTheConfiguration(t *testing.T) {
	t.Parallel()
	a := load(t, scoped)
	shares := pipeline.Shares{
		"incremental": {Floor: 0.6}, "probe": {Floor: 0.02}, "details": {Ceiling: 0.4}, "sweep": {Ceiling: 0.4}, "backfill": {Ceiling: 0.5},
		"hinted": {Floor: 0.05, Ceiling: 0.3},
	}
	for _, test := range []struct {
		organization, service string
		want                  pipeline.Limits
		with                  []string
	}{
		// The five calls at once of the smaller plan count for both.
		{"1", "accounting", pipeline.Limits{Shared: "suite", PerMinute: 100, Concurrent: 5, Daily: 1000, ResetZone: "Asia/Kolkata"}, []string{"inventory"}},
		{"1", "inventory", pipeline.Limits{Shared: "suite", PerMinute: 100, Concurrent: 5, Daily: 7500, ResetZone: "UTC", ResetHour: 7}, []string{"accounting"}},
		{"1", "invoicing", pipeline.Limits{Shared: "service:invoicing", PerMinute: 100, Concurrent: 5, Daily: 1000, ResetZone: "Asia/Kolkata"}, nil},
		{"2", "accounting", pipeline.Limits{Shared: "service:accounting", PerMinute: 100, Concurrent: 5, Daily: 1000}, nil},
		{"2", "inventory", pipeline.Limits{Shared: "service:inventory", PerMinute: 100, Concurrent: 10, Daily: 7500}, nil},
	} {
		got, err := a.Limits(test.organization, test.service)
		if err != nil {
			t.Fatal(err)
		}
		test.want.Shares = shares
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s of %s (-want +got):\n%s", test.service, test.organization, diff)
		}
		if with := a.SharedWith(test.organization, test.service); !slices.Equal(with, test.with) {
			t.Errorf("%s of %s shares with %v, want %v", test.service, test.organization, with, test.with)
		}
	}
	// Chat has its declared allowance again.
	if got, err := a.Limits("2", "chat"); err != nil || got.Shared != "chat" {
		t.Errorf("chat: %+v, %v", got, err)
	}
}
