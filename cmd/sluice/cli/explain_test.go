package cli

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/warehouse/places"
	"sluice/sandbox"
	"sluice/schema"
)

func (s *fixture) explained(args ...string) explainView {
	s.t.Helper()
	view := decoded[explainView](s, codeFine, append([]string{"explain"}, args...)...)
	return view
}

func (v *explainView) concludes(texts ...string) bool {
	for _, sentence := range v.Conclusions {
		all := true
		for _, text := range texts {
			all = all && strings.Contains(sentence, text)
		}
		if all {
			return true
		}
	}
	return false
}

// TestExplain follows bills through their history: with its single record, changed twice, in
// quarantine, deleted by hand, and one that never existed.
func TestExplain(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 93, Records: 40, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	changed := sure(s.world.Change(sandbox.Change{Seed: 3, Edits: 1, Resources: []string{"bills"}}))(t)
	bill := changed["bills"].Edited[0]
	other := one[string](s, `SELECT bill_id FROM inventory.bills WHERE bill_id <> $1 ORDER BY 1 LIMIT 1`, bill)
	s.sync(codeFine, "inventory.bills")

	v := s.explained("inventory.bills", bill)
	if v.Row == nil || v.Row.DetailState != "current" || v.Row.Run == nil || v.Row.Run.Outcome != "done" || v.Row.Arrays["bills_line_items"] == 0 {
		t.Fatalf("a bill with its single record: %+v", v.Row)
	}
	// Each version came with the list and with the single record.
	var singles, lists []string
	for _, version := range v.Versions {
		errorIf(t, version.Call.Status != 200 || version.Call.Run == 0 || version.Modified == "", "a version: %+v by %+v", version, version.Call)
		if version.Single {
			singles = append(singles, version.Call.Path)
		} else {
			lists = append(lists, version.Modified)
		}
	}
	if !v.AllArchives || len(singles) != 2 || !strings.HasSuffix(singles[0], "/bills/"+bill) || len(lists) != 2 || lists[0] == lists[1] {
		t.Errorf("versions: %d archives, %v %v\n%+v", v.Archives, lists, singles, v.Versions)
	}
	first := one[time.Time](s, `SELECT _first_seen_at FROM inventory.bills WHERE bill_id = $1`, bill)
	errorIf(t, !v.Row.FirstSeenAt.Equal(first) || v.List == nil || v.List.Watermark == nil || v.Details == nil || len(v.Quarantine) != 0,
		"the row and its streams: %+v %+v", v.Row, v.List)
	errorIf(t, !v.concludes("single record was brought by call", "/bills/"+bill, "HTTP 200") || !v.concludes("complete up to", "newer"),
		"it says:\n%s", strings.Join(v.Conclusions, "\n"))

	s.exec(`UPDATE inventory.bills SET _detail_state = 'stale' WHERE bill_id = $1`, bill)
	if v := s.explained("bills", bill); *v.Details.Waiting != 1 || !v.concludes("inventory.bills.details", "1 wait", "next turn") {
		t.Errorf("a stale one says:\n%s", strings.Join(v.Conclusions, "\n"))
	}
	s.exec(`DELETE FROM inventory.bills WHERE bill_id = $1`, other)
	if v := s.explained("bills", other); v.Row != nil || len(v.Versions) == 0 || !v.concludes("no row, although call") {
		t.Errorf("a deleted row says:\n%s", strings.Join(v.Conclusions, "\n"))
	}
	s.exec(`INSERT INTO sluice.quarantine (organization_id, service, resource, record_hash, record_id, raw, code, path)
		VALUES ($1, 'inventory', 'bills', '\x01', '77', '{}', 'bad_time', 'date')`, sandbox.DefaultOrganizationID)
	if v := s.explained("bills", "77"); len(v.Quarantine) != 1 || !v.concludes("quarantine", "bad_time at date", "quarantine show") || !v.concludes("did not fit") {
		t.Errorf("one in quarantine says:\n%s", strings.Join(v.Conclusions, "\n"))
	}
	if v := s.explained("chart_of_accounts", "78"); !v.concludes("never seen", "all ") || !v.concludes("did not exist then", "filter_by=AccountType.All") {
		t.Errorf("one that never was says:\n%s", strings.Join(v.Conclusions, "\n"))
	}
	s.run("explain", "inventory.bills", bill).prints(t, codeFine, "REQUEST", "single record")
	for _, args := range [][]string{{"bills"}, {"nothing", "1"}, {"bills", "1", "--org", "nobody"}} {
		s.prints(codeUsage, "", append([]string{"explain"}, args...)...)
	}
}

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
		said := strings.ToLower(o.stdout + o.stderr)
		errorIf(t, strings.Contains(said, "planted"), "the text is repeated:\n%s", said)
	}
	silent(o)
	people := s.searched(address, "--resource", "bills", "--limit", "1")
	silent(people)
	people.prints(t, codeFine,
		"rows", "inventory.bills", "vendor_name", "quarantine", "open", bill, "More records of inventory.bills", "left out")
	s.searched("nowhere."+address, "--json").prints(t, codeFine, `"found": false`, `"places": []`)
	s.prints(codeFine, `"family": "raw records"`, "find", bill, "--json")
	for _, wrong := range []struct {
		text string
		args []string
	}{
		{"", nil}, {"\n", nil}, {"zo", nil}, {"planted\ntwice", nil}, {"planted\xff", nil}, {strings.Repeat("planted", 200), nil},
		{address, []string{"--limit", "-1"}}, {address, []string{"--resource", "nothing"}}, {address, []string{"--org", "nothing"}},
	} {
		o := s.searched(wrong.text, wrong.args...)
		silent(o)
		errorIf(t, o.code != codeUsage || o.stderr == "", "%.10q %q: exit code %d\n%s%s", wrong.text, wrong.args, o.code, o.stdout, o.stderr)
	}
}

func dayRead() *schema.Read {
	return &schema.Read{Name: "forecast", Params: []schema.Param{{Name: "day", Doc: "Day.", Required: true}, {Name: "note", Doc: "Note."}}}
}

func TestReadParams(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]map[string]string{
		"day=2026-01-02":   {"day": "2026-01-02"},
		"note=a=b,c day=1": {"day": "1", "note": "a=b,c"},
	} {
		got, err := readParams(dayRead(), strings.Fields(line))
		errorIf(t, err != nil || !maps.Equal(got, want), "%q: %v, %v; want %v", line, got, err, want)
	}
	for line, want := range map[string]string{
		"":             "the parameter day is missing",
		"note=1":       "the parameter day is missing",
		"day":          "no parameter=value",
		"day=":         "no parameter=value",
		"day=1 week=2": `no parameter "week", it has: day, note`,
		"day=1 day=2":  "given twice",
	} {
		if _, err := readParams(dayRead(), strings.Fields(line)); err == nil || !strings.Contains(err.Error(), want) || codeOf(err) != codeUsage {
			t.Errorf("%q: %v, want a mistake of usage with %q", line, err, want)
		}
	}
}

func TestFindRead(t *testing.T) {
	t.Parallel()
	services := []schema.Service{{Name: "stock"}, {Name: "sales", Reads: []schema.Read{*dayRead()}}}
	for _, name := range []string{"forecast", "sales.forecast"} {
		service, read, err := findRead(services, name)
		errorIf(t, err != nil || service.Name != "sales" || read.Name != "forecast", "%s: %v, %v, %v", name, service, read, err)
	}
	for _, name := range []string{"stock.forecast", "sales", "sales.", ""} {
		_, _, err := findRead(services, name)
		errorIf(t, codeOf(err) != codeUsage, "%q: %v, want a mistake of usage", name, err)
	}
}

// TestRead asks upstream for the accounts that another exchange rate would change.
func TestRead(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 5, Records: 300})
	const name = "accounting.base_currency_adjustment_accounts"
	s.run("read").prints(t, codeFine, name, "exchange_rate (required)")
	s.sync(codeFine, "invoicing.currencies")
	currency := one[string](s, `SELECT currency_id FROM invoicing.currencies WHERE NOT is_base_currency ORDER BY 1 LIMIT 1`)
	before := s.calls()
	answer := decoded[any](s, codeFine, "read", name,
		"currency_id="+currency, "adjustment_date=2026-03-31", "exchange_rate=84.2", "notes=quarter")
	errorIf(t, answer == nil || s.calls() != before+1, "the read gave %v for %d calls, want an answer for one", answer, s.calls()-before)
	for line, want := range map[string]string{
		name:                               "the parameter currency_id is missing",
		name + " currency_id=1 colour=red": `no parameter "colour"`,
		"inventory.weather":                `there is no "inventory.weather" to read`,
		name + " currency_id=1 adjustment_date=2026-03-31 exchange_rate=2 --org 1": "no configured organization",
	} {
		s.complains(codeUsage, want, strings.Fields("read "+line)...)
	}
	errorIf(t, s.calls() != before+1, "a mistake of usage cost a call")
}
