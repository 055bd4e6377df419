package cli

import (
	"testing"

	"sluice/sandbox"
)

// TestSandboxVendor: a vendor of another name is one to sluice as well: scheme, scopes and the
// header that names the organization contain it.
func TestSandboxVendor(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 20, Vendor: "Acme", Limits: sandbox.Limits{Off: true}})
	for _, args := range [][]string{{"check"}, {"sync", "invoicing.currencies", "inventory.taxes"}} {
		if o := s.run(args...); o.code != codeFine {
			t.Fatalf("%v: %d\n%s\n%s", args, o.code, o.stdout, o.stderr)
		}
	}
	if n := one[int](s, `SELECT count(*) FROM invoicing.currencies`); n != 6 { // the sandbox's business has six.
		t.Errorf("%d currencies, want 6", n)
	}
}

// TestAgainstAStrictSandbox: sluice itself sends nothing that the sandbox accepts beyond the
// documents: where it names the organization, what chat requires, which scheme.
func TestAgainstAStrictSandbox(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 84, Records: 20, Strict: true, Limits: sandbox.Limits{Off: true}})
	s.runs(codeFine, "check")
	s.sync(codeFine, "invoicing.currencies", "inventory.taxes", "billing", "chat", "accounting.chart_of_accounts")
}
