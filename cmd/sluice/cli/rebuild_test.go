package cli

import (
	"encoding/json"
	"regexp"
	"testing"

	"sluice/pipeline/lineage/rebuild"
	"sluice/sandbox"
)

// rebuilt rebuilds and gives the result for each resource.
func (s *fixture) rebuilt(code int, args ...string) map[string]rebuild.Counts {
	s.t.Helper()
	var views []rebuiltView
	o := s.run(append([]string{"--json", "rebuild"}, args...)...)
	if o.code != code {
		s.t.Fatalf("rebuild %q: exit code %d, want %d\n%s%s", args, o.code, code, o.stdout, o.stderr)
	}
	must(s.t, json.Unmarshal([]byte(o.stdout), &views))
	found := map[string]rebuild.Counts{}
	for _, v := range views {
		if v.Error != "" {
			s.t.Logf("%s: %s", v.Resource, v.Error)
		}
		found[v.Resource] = v.Counts
	}
	return found
}

// TestRebuild: --dry-run and --changed choose what rebuild does, and a row without a record is
// shown and fails it.
func TestRebuild(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 61, Records: small}).narrow()
	s.sync(codeFine, "inventory.items")
	rows := one[int](s, `SELECT count(*) FROM inventory.items`)
	s.exec(`UPDATE inventory.items SET name = 'edited'`)
	for _, c := range []struct {
		args      []string
		rewritten int
	}{{[]string{"--dry-run"}, rows}, {[]string{"--dry-run", "--changed"}, 0}, {[]string{"--changed"}, 0}, {[]string{"inventory.items"}, rows}, {nil, 0}} {
		if got, want := s.rebuilt(codeFine, c.args...)["inventory.items"], (rebuild.Counts{Rows: rows, Rewritten: c.rewritten}); got != want {
			t.Errorf("rebuild %q: %+v, want %+v", c.args, got, want)
		}
	}
	s.exec(`UPDATE inventory.items SET _call_id = 0 WHERE item_id = (SELECT min(item_id) FROM inventory.items)`)
	o := s.run("rebuild")
	if o.code != codeFailed || !regexp.MustCompile(`inventory\.items +\d+ +0 +0 +1\b`).MatchString(o.stdout) {
		t.Errorf("with a lost record: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}
