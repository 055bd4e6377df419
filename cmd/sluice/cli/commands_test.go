package cli

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"sluice/pipeline/warehouse/quarantine"
	"sluice/pipeline/warehouse/streams"
	"sluice/sandbox"
)

// TestCommands runs every command that shows something, as text and as JSON.
func TestCommands(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 81, Records: 200})
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/bills", Kind: "poison"}}))
	s.sync(codeFine)
	must(t, s.world.SetFaults(nil))

	entries := decoded[[]quarantine.Entry](s, codeFine, "quarantine", "list")
	if len(entries) != 2 {
		t.Fatalf("%d entries in quarantine, want the two of the page: %+v", len(entries), entries)
	}
	at := slices.IndexFunc(entries, func(e quarantine.Entry) bool { return e.Record != "" })
	named := strconv.FormatInt(entries[at].ID, 10)

	for command, want := range map[string][]string{
		"status":                      {"inventory.bills", "idle", "calls in the last 24 h of 7,500", "parents, oldest"},
		"runs --limit 100":            {"accounting.chart_of_accounts", "done"},
		"runs inventory.bills":        {"inventory.bills"},
		"check":                       {"ok", "Sandbox Trading", "accounting", "inventory", "chat", "reachable and up to date"},
		"resources":                   {"inventory.credit_notes", "full scan", "SvcInventory.bills.READ"},
		"resources catalogue":         {"journals", "off", "SvcBooks.accountants.READ"},
		"quarantine list":             {named, "date"},
		"quarantine show " + named:    {"not a value", "inventory.bills", entries[at].Record},
		"quarantine list items --all": {"Nothing is in quarantine"},
		"budget":                      {"CEILING", "inventory"},
		"version":                     {"sluice 0.0.0-dev", "schema "},
		"version --licenses":          {"github.com/riverqueue/river v", "Mozilla Public License"},
		"migrate":                     {"up to date"},
	} {
		o := s.run(strings.Fields(command)...)
		for _, text := range want {
			if o.code != codeFine || !strings.Contains(o.stdout, text) {
				t.Errorf("%s: exit code %d, want 0 and %q\n%s%s", command, o.code, text, o.stdout, o.stderr)
			}
		}
		document := decoded[any](s, codeFine, strings.Fields(command)...)
		if document == nil {
			t.Errorf("%s --json prints nothing", command)
		}
	}
	s.prints(codeFine, "credit_notes_line_items_serial_numbers", "dictionary") // a table of arrays inside arrays
	s.jsonIsTrue()
}

// jsonIsTrue compares the JSON documents with the tables.
func (s *fixture) jsonIsTrue() {
	s.t.Helper()
	status := decoded[statusView](s, codeFine, "status")
	if len(status.Budgets) != 5 {
		s.t.Errorf("status has %d budgets, want those of the five services", len(status.Budgets))
	}
	for _, r := range resources() {
		at := slices.IndexFunc(status.Streams, func(stream streamView) bool { return stream.Service == r.service && stream.Resource == r.name })
		if at < 0 || status.Streams[at].Watermark == nil {
			s.t.Errorf("status does not show that %s.%s was read", r.service, r.name)
		}
	}
	for _, stream := range status.Streams {
		// A first sync runs no sweep and no look: it reads lists whole anyway.
		besides := strings.HasSuffix(stream.Resource, ".sweep") || strings.HasSuffix(stream.Resource, ".look")
		if stream.Enabled && (stream.State != "idle" || stream.Run != nil || (stream.LastDoneAt == nil) != besides) {
			s.t.Errorf("status shows %+v", stream)
		}
		if details := strings.HasSuffix(stream.Resource, ".details"); details != (stream.Details != nil) {
			s.t.Errorf("status shows the backlog of %s.%s: %v", stream.Service, stream.Resource, stream.Details)
		}
		persons := stream.Enabled && stream.Resource == "contact_persons"
		if persons && (stream.Parents == nil || stream.Parents.Parents == 0 || stream.Parents.Read != stream.Parents.Parents || stream.Parents.Oldest == nil) {
			s.t.Errorf("status shows how far round %s.%s is: %+v", stream.Service, stream.Resource, stream.Parents)
		}
	}
	runs := decoded[[]streams.Run](s, codeFine, "runs", "vendor_payments", "--limit", "1")
	if want := one[int64](s, `SELECT count(*) FROM accounting.vendor_payments`); len(runs) != 1 || runs[0].Inserted != want || want == 0 {
		s.t.Errorf("runs shows %+v, the table has %d rows", runs, want)
	}
	views := decoded[[]resourceView](s, codeFine, "resources")
	for i, r := range resources() {
		if !slices.ContainsFunc(views, func(v resourceView) bool { return v.Resource == r.service+"."+r.name && v.Path == r.path }) {
			s.t.Errorf("resources do not show %s at %s, the %d. one", r.name, r.path, i+1)
		}
	}
}

// TestHelp runs every command with --help.
func TestHelp(t *testing.T) {
	t.Parallel()
	s := &fixture{t: t, config: "nowhere.yaml"} // help needs neither a configuration nor a database
	var walk func(cmd *cobra.Command, path []string)
	walk = func(cmd *cobra.Command, path []string) {
		o := s.run(append(slices.Clone(path), "--help")...)
		if o.code != codeFine || !strings.Contains(o.stdout, "Usage:") || cmd.Short == "" || len(o.stdout) < 100 {
			t.Errorf("help of %q: exit code %d\n%s%s", path, o.code, o.stdout, o.stderr)
		}
		for _, child := range cmd.Commands() {
			walk(child, append(slices.Clone(path), child.Name()))
		}
	}
	walk(newRoot(s.env(&buffer{}, &buffer{})), nil)
}

// TestMetricsPageIsCurrent fails when a metric changed and its page did not.
func TestMetricsPageIsCurrent(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10})
	stored := sure(os.ReadFile("../../../docs/metrics.md"))(t)
	o := s.run("metrics")
	if diff := cmp.Diff(string(stored), o.stdout); o.code != codeFine || diff != "" {
		t.Errorf("docs/metrics.md is not current: run make dictionary (exit code %d, -stored +now):\n%s%s", o.code, diff, o.stderr)
	}
}
