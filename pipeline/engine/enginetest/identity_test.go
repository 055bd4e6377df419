package enginetest_test

import (
	"strings"
	"testing"

	"sluice/sandbox"
)

// TestIdentity: an organization is checked once in six hours, by any process. Another business
// under its id stops its streams until a person decides.
func TestIdentity(t *testing.T) {
	t.Parallel()
	const items, taxes = "inventory.items", "inventory.taxes"
	f := newFixture(t, sandbox.Options{Seed: 92, Records: 100}, []string{items, taxes}, "", single())
	looks := func() int {
		t.Helper()
		return one[int](f, `SELECT count(*) FROM sluice.calls WHERE class = 'probe' AND resource = 'organizations'`)
	}
	const forget = `UPDATE sluice.organizations SET checked_at = checked_at - interval '7 hours'`
	f.copies(items, taxes)
	f.close()
	f.open()
	f.copies(items)
	name := one[string](f, `SELECT name FROM sluice.organizations WHERE organization_id = $1`, single().key)
	if n := looks(); n != 1 || name == "" {
		t.Fatalf("%d looks and the name %q, want one look at the first sync and a name", n, name)
	}
	f.exec(forget)
	f.copies(items)
	if n := looks(); n != 2 {
		t.Errorf("%d looks, want another one after six hours", n)
	}

	f.exec(`UPDATE sluice.organizations SET name = 'Somebody Else'`)
	f.exec(forget)
	for _, r := range f.failing(items) {
		if r.run.Kind != "denied" || !strings.Contains(r.Reason, "sluice organizations accept") || !strings.Contains(r.Reason, name) {
			t.Errorf("another name: %+v, want denied with the name and what to do", r)
		}
	}
	o, err := f.app.ChooseOrganization("number 0")
	must(t, err)
	client, err := f.app.Client()
	must(t, err)
	if seen, err := f.app.Identities(client).Accept(t.Context(), o); err != nil || seen.Name != name {
		t.Fatalf("accepted is %q (error %v), want %q", seen.Name, err, name)
	}
	f.copies(items)
}

// failing syncs streams, each of which has to fail without a record.
func (f *fixture) failing(names ...string) map[string]synced {
	f.t.Helper()
	results := f.sync("", names...)
	for name, r := range results {
		if r.run.Outcome != "failed" || r.run.Received != 0 {
			f.t.Errorf("%s: %+v, want failed without a record", name, r)
		}
	}
	if len(results) == 0 {
		f.t.Error("no stream was synced")
	}
	return results
}

// TestIdentityOfAnotherID: credentials of another business are detected before a single record is
// read.
func TestIdentityOfAnotherID(t *testing.T) {
	t.Parallel()
	const items = "inventory.items"
	f := newFixture(t, sandbox.Options{Seed: 93, Records: 100}, []string{items}, "", single())
	f.config = strings.ReplaceAll(f.config, single().id, "999")
	f.close()
	f.open()
	f.failing(items)
	if known, err := f.app.DB.Organizations(t.Context()); err != nil || len(known) != 0 {
		t.Errorf("organizations that were met: %+v (error %v), want none", known, err)
	}
}
