package cli

import (
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestWithoutSecrets removes the vendor's secrets from the environment: commands without a call
// work, the others name what is missing.
func TestWithoutSecrets(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 82, Records: 10}).narrow()
	s.sync(codeFine)
	account := one[string](s, `SELECT min(account_id) FROM accounting.chart_of_accounts`)
	calls := s.calls()
	secrets := []string{"SANDBOX_CLIENT_SECRET", "SANDBOX_REFRESH_TOKEN", "SLUICE_ENCRYPTION_KEY"}
	for _, name := range secrets {
		delete(s.environment, name)
	}
	for _, command := range []string{
		"status", "status --why", "runs", "budget", "plan", "drift", "resources", "organizations", "read", "migrate",
		"explain accounting.chart_of_accounts " + account, "quarantine list", "tombstones", "rebuild", "verify --local", "verify --calls 0",
		"verify list", "backfill accounting.vendor_payments --dry-run",
		"backfill accounting.vendor_payments --detach", "backfill list", "notifications", "notifications inbox",
	} {
		s.prints(codeFine, "", strings.Fields(command)...)
	}
	for _, command := range []string{
		"sync", "serve --listen 127.0.0.1:0", "verify", "backfill resume", "organizations retry sandbox", "organizations accept sandbox",
		"read accounting.base_currency_adjustment_accounts", "check",
	} {
		o := s.run(strings.Fields(command)...)
		if o.code != codeUsage {
			t.Errorf("%s: exit code %d, want %d\n%s%s", command, o.code, codeUsage, o.stdout, o.stderr)
		}
		for _, name := range secrets {
			// The key is requested once the configuration is valid; check checks both.
			if needed := name != "SLUICE_ENCRYPTION_KEY" || command == "check"; needed && !strings.Contains(o.stdout+o.stderr, name) {
				t.Errorf("%s does not name %s:\n%s%s", command, name, o.stdout, o.stderr)
			}
		}
	}
	if now := s.calls(); now != calls {
		t.Errorf("%d calls, %d before: without secrets there is none", now, calls)
	}
}
