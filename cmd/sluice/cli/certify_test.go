package cli

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/engine"
	"sluice/pipeline/lineage/certify"
	"sluice/sandbox"
)

// certified issues a certificate and returns it with its file.
func (s *fixture) certified(code int, args ...string) (certify.Certificate, string) {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), "certificate.json")
	o := s.run(append([]string{"--json", "certify", "--out", file}, args...)...)
	var issued certify.Certificate
	if err := json.Unmarshal([]byte(o.stdout), &issued); err != nil || o.code != code {
		s.t.Fatalf("certify ended with %d, want %d (%v)\n%s%s", o.code, code, err, o.stdout, o.stderr)
	}
	return issued, file
}

// held checks the warehouse against a certificate.
func (s *fixture) held(code int, file string) certify.Result {
	s.t.Helper()
	o := s.run("--json", "certify", "--check", file)
	var result certify.Result
	if err := json.Unmarshal([]byte(o.stdout), &result); err != nil || o.code != code {
		s.t.Fatalf("certify --check ended with %d, want %d (%v): %s %+v\n%s", o.code, code, err, result.Outcome, result.Findings, o.stderr)
	}
	return result
}

// TestCertificate: a certificate states what is here; each way of tampering is named by table and
// record, and what runs change is not called tampering.
func TestCertificate(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 93, Records: 150, Limits: sandbox.Limits{Off: true}}).narrow()
	if o := s.run("certify"); o.code != codeFailed || !strings.Contains(o.stdout, "incomplete") || !strings.Contains(o.stdout, "to its end") {
		t.Errorf("before the first run: exit code %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/bills", Kind: "poison"}}))
	s.sync(codeFine)
	must(t, s.world.SetFaults(nil))

	issued, file := s.certified(codeFine)
	if issued.Verdict != certify.CompleteButFor || issued.Cut == nil || len(issued.Quarantine) != 2 || len(issued.Lists) != len(resources()) {
		t.Errorf("issued: %s, cut %v, %d entries, %d lists: %q", issued.Verdict, issued.Cut, len(issued.Quarantine), len(issued.Lists), issued.ButFor)
	}
	if want := one[time.Time](s, `SELECT min(watermark) FROM sluice.streams WHERE enabled AND resource NOT LIKE '%.%'`); issued.Cut != nil && !issued.Cut.Equal(want) {
		t.Errorf("cut %s, want the least watermark %s", issued.Cut, want)
	}
	for i := range issued.Lists {
		l := &issued.Lists[i]
		if rows := one[int64](s, "SELECT count(*) FROM "+l.Resource+" WHERE _deleted_at IS NULL"); l.Rows != rows || l.Tables[0].Rows != rows {
			t.Errorf("%s: %d records, want %d", l.Resource, l.Rows, rows)
		}
	}
	if !slices.Contains(issued.ButFor, "inventory.bills: 2 records are in quarantine") {
		t.Errorf("what is missing: %q", issued.ButFor)
	}
	if same := s.held(codeFine, file); same.Outcome != certify.Same {
		t.Fatalf("at once: %s %+v %+v", same.Outcome, same.Findings, same.Moved)
	}
	if document := one[string](s, `SELECT document FROM analytics.certificate ORDER BY certificate DESC LIMIT 1`); document != string(s.read(file)) {
		t.Error("analytics.certificate has another document than the file")
	}
	s.tampers(file)
	s.movesOn(file)
}

func (s *fixture) read(file string) []byte {
	s.t.Helper()
	text, err := os.ReadFile(file)
	must(s.t, err)
	return text
}

// tampering is a change that no run made, what takes it back, and how the check has to name it.
type tampering struct{ do, undo, where, record string }

func (s *fixture) tampers(file string) {
	s.t.Helper()
	app := s.opened() // a hundred commands would open as many
	bill := one[string](s, `SELECT b.bill_id FROM inventory.bills b JOIN inventory.bills_line_items l ON l._parent_id = b.bill_id
		WHERE b.bill_number <> '' AND l._position = 0 ORDER BY 1 LIMIT 1`)
	payment := one[string](s, `SELECT payment_id FROM accounting.vendor_payments ORDER BY 1 LIMIT 1`)
	entry := one[string](s, `SELECT min(id)::text FROM sluice.quarantine`)
	s.exec(`CREATE TABLE public.kept AS SELECT * FROM accounting.vendor_payments WHERE payment_id = $1`, payment)
	s.exec(`CREATE TABLE public.line AS SELECT * FROM inventory.bills_line_items WHERE _parent_id = $1 AND _position = 0`, bill)
	s.exec(`CREATE TABLE public.entry AS SELECT * FROM sluice.quarantine WHERE id = $1`, entry)
	const payments, lines = "accounting.vendor_payments", "inventory.bills_line_items"
	s.exec(`SET session_replication_role = replica`) // a tamperer is not bound by foreign keys
	for name, at := range map[string]tampering{
		"value": {
			`UPDATE inventory.bills SET bill_number = bill_number || 'x' WHERE bill_id = '` + bill + `'`,
			`UPDATE inventory.bills SET bill_number = left(bill_number, -1) WHERE bill_id = '` + bill + `'`, "inventory.bills", bill,
		},
		"deletion": {
			`DELETE FROM ` + payments + ` WHERE payment_id = '` + payment + `'`,
			`INSERT INTO ` + payments + ` SELECT * FROM public.kept`, payments, payment,
		},
		"insertion": {
			`INSERT INTO ` + payments + ` SELECT (jsonb_populate_record(k, '{"payment_id": "999"}')).* FROM public.kept k`,
			`DELETE FROM ` + payments + ` WHERE payment_id = '999'`, payments, "999",
		},
		"tombstone": {
			`UPDATE ` + payments + ` SET _deleted_at = now(), _changed_at = now() WHERE payment_id = '` + payment + `'`,
			`UPDATE ` + payments + ` t SET _deleted_at = NULL, _changed_at = k._changed_at FROM public.kept k WHERE t.payment_id = k.payment_id`, payments, payment,
		},
		"line": {
			`DELETE FROM ` + lines + ` WHERE _parent_id = '` + bill + `' AND _position = 0`,
			`INSERT INTO ` + lines + ` SELECT * FROM public.line`, lines, bill,
		},
		"watermark": {
			`UPDATE sluice.streams SET watermark = watermark + interval '1 second' WHERE resource = 'items'`,
			`UPDATE sluice.streams SET watermark = watermark - interval '1 second' WHERE resource = 'items'`, "sluice.streams", "inventory.items",
		},
		"watermark back": {
			`UPDATE sluice.streams SET watermark = watermark - interval '1 second' WHERE resource = 'items'`,
			`UPDATE sluice.streams SET watermark = watermark + interval '1 second' WHERE resource = 'items'`, "sluice.streams", "inventory.items",
		},
		"entry": {
			`DELETE FROM sluice.quarantine WHERE id = ` + entry,
			`INSERT INTO sluice.quarantine OVERRIDING SYSTEM VALUE SELECT * FROM public.entry`, "sluice.quarantine", entry,
		},
		"entry closed": {
			`UPDATE sluice.quarantine SET state = 'resolved' WHERE id = ` + entry,
			`UPDATE sluice.quarantine SET state = 'open' WHERE id = ` + entry, "sluice.quarantine", entry,
		},
	} {
		s.named(app, s.read(file), name, at)
	}
	s.exec(`RESET session_replication_role`)
	text := string(s.read(file))
	for _, forged := range []string{strings.Replace(text, `"verdict":"complete but for"`, `"verdict":"complete"`, 1), text + " ", " " + text} {
		name := filepath.Join(s.t.TempDir(), "forged.json")
		must(s.t, os.WriteFile(name, []byte(forged), 0o600))
		if o := s.run("certify", "--check", name); o.code != codeFailed || !strings.Contains(o.stderr, "tampered") {
			s.t.Errorf("rewritten: exit code %d\n%s", o.code, o.stderr)
		}
	}
	for i := 0; i < len(text); i += 97 { // all of them would check the same
		forged := []byte(text)
		forged[i] ^= 1
		if result, err := app.CheckCertificate(s.t.Context(), forged); err == nil && result.Outcome != certify.Tampered {
			s.t.Fatalf("byte %d is another one, and the check passes: %s", i, result.Outcome)
		}
	}
}

// named tampers, and wants exactly this named.
func (s *fixture) named(app *engine.App, file []byte, name string, at tampering) {
	s.t.Helper()
	s.exec(at.do)
	result, err := app.CheckCertificate(s.t.Context(), file)
	if err != nil || result.Outcome != certify.Tampered || result.Findings[0].Where != at.where || result.Findings[0].Record != at.record {
		s.t.Errorf("%s: %s, found %+v, want %s %s (%v)", name, result.Outcome, result.Findings, at.where, at.record, err)
	}
	s.exec(at.undo)
	if same, err := app.CheckCertificate(s.t.Context(), file); err != nil || same.Outcome != certify.Same {
		s.t.Fatalf("%s, taken back: %+v (%v)", name, same, err)
	}
}

// movesOn: runs change rows, bring and drop records, move watermarks and load what was in
// quarantine. Tampering beside them is still named.
func (s *fixture) movesOn(file string) {
	s.t.Helper()
	if _, err := s.world.Change(sandbox.Change{Seed: 7, Inserts: 2, Edits: 3, Resources: []string{"bills", "vendor_payments", "items"}}); err != nil {
		s.t.Fatal(err)
	}
	s.sync(codeFine)
	s.sync(codeFine, "inventory.bills.sweep")
	moved := s.held(codeFine, file)
	if moved.Outcome != certify.MovedOn || !slices.ContainsFunc(moved.Moved, func(m certify.Moved) bool { return m.Where == "inventory.bills" && m.Records > 0 }) {
		s.t.Errorf("after runs: %s %+v", moved.Outcome, moved.Moved)
	}
	untouched := one[string](s, `SELECT account_id FROM accounting.chart_of_accounts ORDER BY 1 LIMIT 1`)
	s.exec(`UPDATE accounting.chart_of_accounts SET account_name = account_name || '!' WHERE account_id = $1`, untouched)
	result := s.held(codeFailed, file)
	if result.Tampered != 1 || result.Findings[0].Where != "accounting.chart_of_accounts" || result.Findings[0].Record != untouched {
		s.t.Errorf("tampered with beside runs: %+v", result.Findings)
	}
	s.exec(`UPDATE sluice.certified_rows SET leaves = overlay(leaves placing '\x00000000' from 1) WHERE table_name = 'accounting.chart_of_accounts'`)
	result = s.held(codeFailed, file)
	if !slices.ContainsFunc(result.Findings, func(f certify.Finding) bool {
		return f.Where == "sluice.certified_rows" && f.Record == "accounting.chart_of_accounts"
	}) {
		s.t.Errorf("stored digests: %+v", result.Findings)
	}
	s.exec(`DELETE FROM sluice.certified_rows`)
	result = s.held(codeFailed, file)
	if result.Tampered != 1 || result.Findings[0].Where != "accounting.chart_of_accounts" {
		s.t.Errorf("an old certificate: %+v", result.Findings)
	}
}

// TestCertificateOfWhatIsKeptNoMore: rows that go because their tombstone is old, and entries of
// the quarantine that go because they were decided long ago, are not called tampering. Beside them
// it still is.
func TestCertificateOfWhatIsKeptNoMore(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 94, Records: 150, Limits: sandbox.Limits{Off: true}}).narrow()
	must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/inventory/v1/bills", Kind: "poison"}}))
	s.sync(codeFine)
	must(t, s.world.SetFaults(nil))
	payments := one[[]string](s, `SELECT array_agg(payment_id ORDER BY payment_id) FROM accounting.vendor_payments`)
	s.exec(`UPDATE accounting.vendor_payments SET _deleted_at = now() - interval '3 days' WHERE payment_id = $1`, payments[0])
	s.exec(`INSERT INTO sluice.tombstones (organization_id, service, resource, record_id, state, suspected_run_id, suspected_first_call, suspected_last_call,
			suspected_clock, proof, proof_run_id, deleted_at, decided_by, decided_at)
		SELECT organization_id, 'accounting', 'vendor_payments', payment_id, 'deleted', 1, 1, 1, _deleted_at, 'scan', 2, _deleted_at, 'rule', _deleted_at
		FROM accounting.vendor_payments WHERE payment_id = $1`, payments[0])
	_, file := s.certified(codeFine)

	must(t, s.opened().DB.PruneGone(t.Context(), 48*time.Hour))
	if left := one[int](s, `SELECT count(*) FROM accounting.vendor_payments WHERE payment_id = $1`, payments[0]); left != 0 {
		t.Fatal("the row did not go")
	}
	entry := one[int64](s, `SELECT min(id) FROM sluice.quarantine`)
	s.exec(`UPDATE sluice.housekeeping SET pruned_to = now() WHERE work = 'quarantine'`)
	s.exec(`DELETE FROM sluice.quarantine WHERE id = $1`, entry)
	moved := s.held(codeFine, file)
	for _, where := range []string{"accounting.vendor_payments", "sluice.quarantine"} {
		if !slices.ContainsFunc(moved.Moved, func(m certify.Moved) bool { return m.Where == where && m.Records == 1 }) {
			t.Errorf("%s did not move on by one: %s %+v", where, moved.Outcome, moved.Moved)
		}
	}
	s.exec(`SET session_replication_role = replica`)
	s.exec(`DELETE FROM accounting.vendor_payments WHERE payment_id = $1`, payments[1])
	s.exec(`UPDATE sluice.housekeeping SET pruned_to = now() - interval '1 day' WHERE work = 'quarantine'`)
	result := s.held(codeFailed, file)
	if result.Tampered < 2 || !slices.ContainsFunc(result.Findings, func(f certify.Finding) bool { return f.Record == payments[1] }) ||
		!slices.ContainsFunc(result.Findings, func(f certify.Finding) bool { return f.Where == "sluice.quarantine" }) ||
		slices.ContainsFunc(result.Findings, func(f certify.Finding) bool { return f.Record == payments[0] }) {
		t.Errorf("tampered with beside: %+v", result.Findings)
	}
}

// TestCertificateOfManyRecords: rows at the ends of parts are compared like all others.
func TestCertificateOfManyRecords(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 95, Records: 5, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	const accounts = "accounting.chart_of_accounts"
	add := func(id, from string, to int) {
		s.exec(`INSERT INTO `+accounts+` SELECT (jsonb_populate_record(k, jsonb_build_object('account_id', `+id+`))).* FROM `+accounts+` k, generate_series(1, $1::int) n
			WHERE k.account_id = `+from, to)
	}
	add(`to_char(n, 'FM000000')`, `(SELECT min(account_id) FROM `+accounts+`)`, 2500)
	_, file := s.certified(codeFine)
	if same := s.held(codeFine, file); same.Outcome != certify.Same {
		t.Fatalf("at once: %s %+v", same.Outcome, same.Findings)
	}
	s.exec(`DELETE FROM ` + accounts + ` WHERE account_id = '001000'`)
	s.exec(`UPDATE ` + accounts + ` SET account_name = 'another' WHERE account_id IN ('001001', '002000')`)
	add(`'0010005'`, `'000999'`, 1)
	var named []string
	for _, found := range s.held(codeFailed, file).Findings {
		named = append(named, found.Record)
	}
	if want := []string{"001000", "0010005", "001001", "002000"}; !slices.Equal(named, want) {
		t.Errorf("named %q, want %q", named, want)
	}
}

// TestCertificateOfASample: with --sample, records are compared with upstream within so many calls,
// and what they show decides about the verdict.
func TestCertificateOfASample(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 96, Records: 30, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	const allowed = 4
	probes := func() int { return one[int](s, `SELECT count(*) FROM sluice.calls WHERE class = 'probe'`) }
	before, all := probes(), s.calls()
	issued, file := s.certified(codeFine, "--sample", "4")
	made := probes() - before
	if sample := issued.Sample; made < 1 || made > allowed || s.calls()-all != made || sample.Calls != made || sample.Allowed != allowed || sample.Records < 1 || sample.Violations != 0 {
		t.Errorf("%d calls as probes, and the certificate says %+v", made, sample)
	}
	if n := one[int](s, `SELECT count(*) FROM sluice.verifications WHERE id = $1 AND calls = $2`, issued.Sample.Verification, made); n != 1 {
		t.Errorf("there is no verification %d with %d calls", issued.Sample.Verification, made)
	}
	if same := s.held(codeFine, file); same.Outcome != certify.Same {
		t.Errorf("at once: %s %+v", same.Outcome, same.Findings)
	}
	s.exec(`UPDATE inventory.items SET name = name || '!'`)
	worse, _ := s.certified(codeFailed, "--sample", "4")
	if worse.Verdict != certify.Incomplete || worse.Sample.Violations == 0 {
		t.Errorf("edited by hand: %s, %+v", worse.Verdict, worse.Sample)
	}
}

// TestCertificateSignature: openssl accepts the signature by the public key alone, and another key
// is told from a forgery.
func TestCertificateSignature(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 94, Records: 5, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	s.sync(codeFine)
	_, file := s.certified(codeFine)
	var document struct {
		Certificate json.RawMessage `json:"certificate"`
		Signature   struct {
			Value string `json:"value"`
		} `json:"signature"`
	}
	must(t, json.Unmarshal(s.read(file), &document))
	signature, err := base64.StdEncoding.DecodeString(document.Signature.Value)
	must(t, err)
	dir := t.TempDir()
	o := s.run("certify", "--public-key")
	for name, content := range map[string][]byte{"key.pem": []byte(o.stdout), "signed": document.Certificate, "signature": signature, "other": append(document.Certificate, '!')} {
		must(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	if openssl, err := exec.LookPath("openssl"); err == nil {
		for name, want := range map[string]bool{"signed": true, "other": false} {
			command := exec.CommandContext(t.Context(), openssl, "pkeyutl", "-verify", "-pubin", "-inkey", "key.pem", "-rawin", "-in", name, "-sigfile", "signature")
			command.Dir = dir
			if text, err := command.CombinedOutput(); (err == nil) != want {
				t.Errorf("openssl about %s: %v\n%s", name, err, text)
			}
		}
	}
	if jq, err := exec.LookPath("jq"); err == nil { // as docs/certificates.md takes the file apart
		for filter, want := range map[string]string{".certificate": string(document.Certificate), ".signature.value": document.Signature.Value} {
			out, err := exec.CommandContext(t.Context(), jq, "-cjSr", filter, file).Output()
			must(t, err)
			if string(out) != want {
				t.Errorf("jq %s gives %.80q, want %.80q", filter, out, want)
			}
		}
	}
	s.environment["SLUICE_ENCRYPTION_KEY"] = "ZTJlLXRlc3Qta2V5LWUyZS10ZXN0LWtleS1lMmUtMDI="
	if o := s.run("certify", "--check", file); o.code != codeFailed || !strings.Contains(o.stderr, "another key") {
		t.Errorf("another key: exit code %d\n%s", o.code, o.stderr)
	}
	s.environment["SLUICE_ENCRYPTION_KEY"] += "," + testKey
	if same := s.held(codeFine, file); same.Outcome != certify.Same {
		t.Errorf("with an older key: %s", same.Outcome)
	}
	none := filepath.Join(dir, "signed")
	for _, args := range [][]string{{"certify", "--check", none}, {"certify", "--check", "/nowhere"}, {"certify", "--check", none, "--list"}, {"certify", "--sample", "-1"}} {
		if o := s.run(args...); o.code != codeUsage {
			t.Errorf("%v: exit code %d, want %d\n%s", args, o.code, codeUsage, o.stderr)
		}
	}
}
