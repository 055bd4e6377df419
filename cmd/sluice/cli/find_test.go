package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"sluice/pipeline/warehouse/places"
	"sluice/sandbox"
)

// searched runs find with a text on standard input.
func (s *fixture) searched(text string, args ...string) outcome {
	s.t.Helper()
	var stdout, stderr buffer
	env := s.env(&stdout, &stderr)
	env.Stdin = strings.NewReader(text)
	code := Main(s.t.Context(), append([]string{"--config", s.config, "--log-level", "debug", "find", "-"}, args...), env)
	return outcome{code: code, stdout: stdout.String(), stderr: stderr.String()}
}

// TestFind: a person is found in each place that a sync and a misfit leave, by a text from standard
// input that no log and no error repeats.
func TestFind(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 93, Records: 60, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	const address = "Zoë.Planted@Example.org"
	bill := one[string](s, `SELECT bill_id FROM inventory.bills ORDER BY 1 LIMIT 1`)
	other := one[string](s, `SELECT bill_id FROM inventory.bills ORDER BY 1 DESC LIMIT 1`)
	s.exec(`UPDATE inventory.bills SET vendor_name = 'ZOË.PLANTED@EXAMPLE.ORG' WHERE bill_id = $1`, bill)
	s.exec(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code)
		SELECT organization_id, 'inventory', 'bills', '\x01', bill_id, convert_to('{"mail":"zo\u00EB.planted@example.org"}', 'UTF8'), 'type'
		FROM inventory.bills WHERE bill_id = $1`, other)

	o := s.searched(address+"\r\n", "--json")
	var found findView
	if err := json.Unmarshal([]byte(o.stdout), &found); err != nil || o.code != codeFine || !found.Somewhere || found.Tables < 100 {
		t.Fatalf("exit code %d, %v, %d tables\n%s%s", o.code, err, found.Tables, o.stdout, o.stderr)
	}
	if len(found.Places) != 2 || found.Places[0].Column != "vendor_name" || found.Places[0].Count != 1 || found.Places[1].Family != places.Quarantine {
		t.Errorf("places: %+v", found.Places)
	}
	if len(found.Records) != 2 || found.Records[0].ID != bill || found.Records[1].ID != other || found.Records[0].Resource != "inventory.bills" {
		t.Errorf("records: %+v, want %s and %s", found.Records, bill, other)
	}
	silent := func(o outcome) {
		t.Helper()
		if said := strings.ToLower(o.stdout + o.stderr); strings.Contains(said, "planted") {
			t.Errorf("the text is repeated:\n%s", said)
		}
	}
	silent(o)
	people := s.searched(address, "--resource", "bills", "--limit", "1")
	silent(people)
	for _, part := range []string{"rows", "inventory.bills", "vendor_name", "quarantine", "open", bill, "More records of inventory.bills", "left out"} {
		if !strings.Contains(people.stdout, part) || people.code != codeFine {
			t.Errorf("exit code %d, no %q in\n%s%s", people.code, part, people.stdout, people.stderr)
		}
	}
	if o := s.searched("nowhere."+address, "--json"); o.code != codeFine || !strings.Contains(o.stdout, `"found": false`) || !strings.Contains(o.stdout, `"places": []`) {
		t.Errorf("of nothing: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	if o := s.run("find", bill, "--json"); o.code != codeFine || !strings.Contains(o.stdout, `"family": "raw records"`) {
		t.Errorf("of an identifier: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	for _, wrong := range []struct {
		text string
		args []string
	}{
		{"", nil}, {"\n", nil}, {"zo", nil}, {"planted\ntwice", nil}, {"planted\xff", nil}, {strings.Repeat("planted", 200), nil},
		{address, []string{"--limit", "-1"}}, {address, []string{"--resource", "nothing"}}, {address, []string{"--org", "nothing"}},
	} {
		o := s.searched(wrong.text, wrong.args...)
		silent(o)
		if o.code != codeUsage || o.stderr == "" {
			t.Errorf("%.10q %q: exit code %d\n%s%s", wrong.text, wrong.args, o.code, o.stdout, o.stderr)
		}
	}
}
