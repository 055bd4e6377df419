package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"sluice/sandbox"
)

// rewrite changes the configuration.
func (s *fixture) rewrite(old, replacement string) {
	s.t.Helper()
	text, err := os.ReadFile(s.config)
	must(s.t, err)
	if !strings.Contains(string(text), old) {
		s.t.Fatalf("the configuration lacks %q", old)
	}
	must(s.t, os.WriteFile(s.config, []byte(strings.ReplaceAll(string(text), old, replacement)), 0o600))
}

// forget makes the last check of the organizations too old to count.
func (s *fixture) forget() {
	s.t.Helper()
	s.exec(`UPDATE sluice.organizations SET checked_at = checked_at - interval '7 hours'`)
}

// looks counts the calls that checked which business the organization is.
func (s *fixture) looks() int {
	s.t.Helper()
	return one[int](s, `SELECT count(*) FROM sluice.calls WHERE class = 'probe' AND resource = 'organizations'`)
}

// TestIdentity: an organization is checked once in six hours, by any process. Another business
// under its id stops its streams until a person decides.
func TestIdentity(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 92, Records: 100})
	s.sync(codeFine, "items", "taxes")
	s.sync(codeFine, "items")
	name := one[string](s, `SELECT name FROM sluice.organizations WHERE organization_id = $1`, sandbox.DefaultOrganizationID)
	if looks := s.looks(); looks != 1 || name == "" {
		t.Fatalf("%d looks and the name %q, want one look at the first sync and a name", looks, name)
	}
	s.forget()
	s.sync(codeFine, "items")
	if looks := s.looks(); looks != 2 {
		t.Errorf("%d looks, want another one after six hours", looks)
	}

	s.exec(`UPDATE sluice.organizations SET name = 'Somebody Else'`)
	s.forget()
	result := s.sync(codeFailed, "items")
	for _, r := range result.Streams {
		if r.Kind != "denied" || r.Received != 0 || !strings.Contains(r.Reason, "sluice organizations accept") || !strings.Contains(r.Reason, name) {
			t.Errorf("another name: %+v, want denied with the name and what to do", r)
		}
	}
	if o := s.run("check"); o.code != codeFailed || !strings.Contains(o.stdout, "Somebody Else") {
		t.Errorf("check: exit code %d\n%s", o.code, o.stdout)
	}
	if o := s.run("organizations", "accept", "Sandbox Trading"); o.code != codeFine || !strings.Contains(o.stdout, name) {
		t.Fatalf("accept: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	s.sync(codeFine, "items")
}

// TestIdentityOfAnotherID: credentials of another business are detected before a single record is
// read.
func TestIdentityOfAnotherID(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 93, Records: 100})
	s.rewrite(sandbox.DefaultOrganizationID, "999")
	for _, r := range s.sync(codeFailed, "items").Streams {
		if r.Outcome != "failed" || r.Received != 0 {
			t.Errorf("%+v, want failed without a record", r)
		}
	}
	if o := s.run("organizations"); o.code != codeFine || !strings.Contains(o.stdout, "not met yet") {
		t.Errorf("organizations: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// TestOrganizationsCommand: the zone of an organization is upstream's if the configuration has
// none, and its rows are stored under its key.
func TestOrganizationsCommand(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 94, Records: 100})
	s.rewrite("    time_zone: Asia/Kolkata\n", "    key: trading\n")
	s.sync(codeFine, "items")
	var views []organizationView
	s.document(&views, "organizations")
	if len(views) != 1 || views[0].Key != "trading" || views[0].ID != sandbox.DefaultOrganizationID || views[0].TimeZone != "Asia/Kolkata" ||
		views[0].Pinned == nil || !views[0].Pinned.Active || views[0].DataCenter != "com" || !slices.Contains(views[0].Services, "inventory") {
		t.Errorf("organizations shows %+v", views)
	}
	if n, all := one[int](s, `SELECT count(*) FROM inventory.items WHERE organization_id = 'trading'`), one[int](s, `SELECT count(*) FROM inventory.items`); n == 0 || n != all {
		t.Errorf("%d of %d rows are kept under the key", n, all)
	}
	for _, org := range []string{"trading", "Sandbox Trading", sandbox.DefaultOrganizationID} {
		s.sync(codeFine, "items", "--org", org)
	}
	s.rewrite("    key: trading\n", "    key: trading\n    time_zone: Europe/Rome\n")
	if o := s.run("check"); o.code != codeFine || !strings.Contains(o.stdout, "time_zone Europe/Rome and upstream says Asia/Kolkata") {
		t.Errorf("check: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if o := s.run("organizations", "accept", "nobody"); o.code != codeUsage {
		t.Errorf("accept of nobody: exit code %d\n%s", o.code, o.stderr)
	}
}
