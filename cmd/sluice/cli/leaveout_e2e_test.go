//go:build e2e

package cli

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"sluice/sandbox"
)

const (
	// plantedAddress, plantedNumber and plantedText begin the values that must be nowhere.
	plantedAddress, plantedNumber, plantedText = "Anna.Planted", "49170555", "planted words"
	hashKey                                    = "cGxhbnRlZC1rZXktcGxhbnRlZC1rZXktcGxhbnRlZC1rZXk="
	otherHashKey                               = "YW5vdGhlci1rZXktYW5vdGhlci1rZXktYW5vdGhlci1rZXk="
)

// planting puts persons into the lists of contact persons: into columns, twins, undeclared keys,
// into a record that does not fit, into one that is no object, and into an answer that is no list.
type planting struct {
	next http.Handler

	mu sync.Mutex
	// refused counts the answers that are no list; planted the records with values.
	refused, planted int
}

// ServeHTTP implements http.Handler.
func (p *planting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	record := httptest.NewRecorder()
	p.next.ServeHTTP(record, r)
	body := record.Body.Bytes()
	var answer map[string]any
	if strings.HasSuffix(r.URL.Path, "/contactpersons") && record.Code == http.StatusOK && json.Unmarshal(body, &answer) == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.refused < 2 {
			p.refused++
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = fmt.Fprintf(w, `{"code":9,"message":"%s@x.org is no person"}`, plantedAddress)
			return
		}
		p.plant(answer)
		body, _ = json.Marshal(answer) //nolint:errchkjson // it was JSON
	}
	relay(w, record, body)
}

func (p *planting) plant(answer map[string]any) {
	for key, value := range answer {
		list, ok := value.([]any)
		if !ok {
			continue
		}
		for i := range list {
			person, ok := list[i].(map[string]any)
			if !ok {
				continue
			}
			address := fmt.Sprintf("%s.%d@X.org", plantedAddress, i%3)
			person["email"], person["email_formatted"] = " "+address, address
			person["phone"], person["mobile"], person["skype"], person["fax"] = plantedNumber+"1", 4917055500, address, plantedNumber
			person["first_name"], person["last_name"] = plantedText, plantedText
			person["notes_of_mine"] = map[string]any{"about": []any{plantedText, address}}
			if p.planted++; p.planted == 3 {
				person["created_time"], person["is_primary_contact"] = "neither", "neither"
			}
		}
		if len(list) > 0 && p.planted%5 == 0 {
			answer[key] = append(list, plantedAddress+"@x.org")
		}
	}
}

// holding is where a text is, also among bytes, without regard to case.
func holding(places map[string]string, text string) []string {
	var found []string
	text = strings.ToLower(text)
	for where, held := range places {
		held = strings.ToLower(held)
		at := strings.Index(held, text)
		if at < 0 {
			at = strings.Index(held, hex.EncodeToString([]byte(text)))
		}
		if raw := hex.EncodeToString([]byte(plantedAddress)); at < 0 && text == strings.ToLower(plantedAddress) {
			at = strings.Index(held, raw)
		}
		if at >= 0 {
			found = append(found, fmt.Sprintf("%s: …%s", where, held[max(0, at-150):min(len(held), at+60)]))
		}
	}
	return found
}

const leavesOut = `  accounting.contact_persons: {omit: [person, contact], hash: [email, phone]}
privacy: {omit: [person, free_text], hash: [contact], key: "${HASH_KEY}"}
`

var personLists = []string{ //nolint:gochecknoglobals // a constant
	"accounting.vendor_payments", "inventory.bills", "inventory.credit_notes", "accounting.contact_persons", "billing.contact_persons",
}

// plantedPersons is a fixture whose contact persons have planted values, with more configuration.
func plantedPersons(t *testing.T, more string) (*fixture, *planting) {
	t.Helper()
	s := newFixture(t, sandbox.Options{Seed: 129, Records: 40, Limits: sandbox.Limits{Off: true}})
	upstream := &planting{next: s.world}
	s.arrivals.next = upstream
	s.environment["HASH_KEY"] = hashKey
	s.configured("resources:\n" + more)
	return s, upstream
}

// TestLeftOutIsNowhere: what is left out or hashed is in no table and in no line of the program,
// wherever upstream puts it, and hashes join tables.
func TestLeftOutIsNowhere(t *testing.T) {
	t.Parallel()
	s, upstream := plantedPersons(t, leavesOut)
	var said strings.Builder
	for _, args := range [][]string{
		append([]string{"--log-level", "debug", "sync"}, personLists...), append([]string{"--log-level", "debug", "sync"}, personLists...),
		{"status"}, {"check"}, {"runs"}, {"quarantine", "list"}, {"drift"}, {"verify", "accounting.contact_persons"}, {"quarantine", "retry", "--resource", "accounting.contact_persons"},
		{"rebuild", "accounting.contact_persons"},
	} {
		o := s.run(args...)
		said.WriteString(o.stdout + o.stderr)
	}
	places := s.dump()
	places["what was printed and logged"] = said.String()
	for _, text := range []string{plantedAddress, plantedNumber, plantedText} {
		for _, where := range holding(places, text) {
			t.Errorf("%q is in %s", text, where)
		}
	}
	if upstream.planted < 20 || upstream.refused < 2 {
		t.Errorf("%d persons planted and %d answers refused: too few to find anything", upstream.planted, upstream.refused)
	}
	if !strings.Contains(places["sluice.calls"]+places["sluice.runs"]+said.String(), "not shown because columns are left out") {
		t.Error("no error measured an answer")
	}
	if n := one[int](s, `SELECT count(*) FROM sluice.quarantine WHERE code = 'withheld' AND position('_withheld' IN convert_from(raw, 'UTF8')) > 0`); n == 0 {
		t.Error("no record that is no object is in quarantine")
	}
	if n := one[int](s, `SELECT count(*) FROM sluice.quarantine WHERE code <> 'withheld' AND position('h1_' IN convert_from(raw, 'UTF8')) > 0`); n == 0 {
		t.Error("no record that does not fit is in quarantine, with hashes")
	}
	joined := one[int](s, `SELECT count(*) FROM accounting.contact_persons a JOIN billing.contact_persons b USING (email)
		WHERE a.email ~ '^h1_[a-z2-7]{26}$' AND a.first_name IS NULL AND b.first_name IS NULL AND a.skype IS NULL AND b.mobile ~ '^h1_' AND b.fax ~ '^h1_'`)
	if mails := one[int](s, `SELECT count(DISTINCT email) FROM accounting.contact_persons`); joined == 0 || mails > 3 {
		t.Errorf("%d pairs of persons join by their hashed addresses, of which there are %d", joined, mails)
	}
}

// TestScrubLeavesNothingOfBefore: what was copied before the configuration left it out is found in
// rows, versions, raw records and quarantine, and nowhere after a scrub. Rows are then what a
// rebuild makes of their raw records, and the next sync changes nothing.
func TestScrubLeavesNothingOfBefore(t *testing.T) {
	t.Parallel()
	const before = "  accounting.contact_persons: {history: true, daily: [email]}\n"
	s, upstream := plantedPersons(t, before)
	upstream.refused = 2
	s.run(append([]string{"sync"}, personLists...)...)
	plain := s.dump()
	for _, table := range []string{
		"accounting.contact_persons", "billing.contact_persons", "history.versions", "history.days", "sluice.raw_records", "sluice.quarantine",
	} {
		if found := holding(map[string]string{table: plain[table]}, plantedAddress); len(found) == 0 {
			t.Errorf("%s has no planted address: the search finds nothing", table)
		}
	}
	rows := one[int](s, `SELECT count(*) FROM accounting.contact_persons WHERE email ~* $1`, plantedAddress)
	others := one[string](s, `SELECT md5(string_agg(concat_ws(',', bill_id, total, status, date, currency_id, _call_id), ';' ORDER BY bill_id)) FROM inventory.bills`)

	s.rewrite(before, strings.Replace(leavesOut, "{omit", "{history: true, daily: [email], omit", 1))
	shown := s.run("redact").stdout
	if line := lineWith(shown, "email"); !strings.Contains(line, "hashed") || !strings.Contains(line, "the next sync") || !strings.HasSuffix(line, fmt.Sprint(rows)) {
		t.Errorf("redact says of %d addresses:\n%s", rows, shown)
	}
	if o := s.run("redact", "scrub", "--dry-run"); o.code != codeFine || len(holding(s.dump(), plantedAddress)) < 6 {
		t.Errorf("a dry run ends with %d and changes something:\n%s%s", o.code, o.stdout, o.stderr)
	}
	s.exec(`CREATE FUNCTION public.stop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''stopped''; END'`)
	s.exec(`CREATE TRIGGER stop BEFORE UPDATE ON history.versions FOR EACH ROW EXECUTE FUNCTION public.stop()`)
	if o := s.run("redact", "scrub"); o.code == codeFine || !strings.Contains(s.run("status").stdout, "sluice redact scrub accounting.contact_persons") {
		t.Errorf("a scrub that is stopped half-way ends with %d:\n%s%s", o.code, o.stdout, o.stderr)
	}
	s.exec(`DROP TRIGGER stop ON history.versions`)
	s.prints(codeFine, "", "redact", "scrub")
	for _, text := range []string{plantedAddress, plantedNumber, plantedText} {
		for _, where := range holding(s.dump(), text) {
			t.Errorf("%q is in %s", text, where)
		}
	}
	s.counts(rows, "rows have a hash for their address", `SELECT count(*) FROM accounting.contact_persons WHERE email ~ '^h1_' AND first_name IS NULL AND _extra IS NULL`)
	s.counts(rows, "open versions have a hash for their address", `SELECT count(*) FROM history.versions WHERE record ->> 'email' ~ '^h1_' AND valid_to = 'infinity'`)
	s.counts(0, "versions ended by the scrub", `SELECT count(*) FROM history.versions WHERE valid_to <> 'infinity'`)
	if now := one[string](s, `SELECT md5(string_agg(concat_ws(',', bill_id, total, status, date, currency_id, _call_id), ';' ORDER BY bill_id)) FROM inventory.bills`); now != others {
		t.Error("other columns of bills changed")
	}
	s.prints(codeFine, "", "verify", "accounting.contact_persons", "billing.contact_persons")
	if o := s.run("redact", "scrub"); o.code != codeFine || len(lineWith(o.stdout, "accounting.contact_persons")) == 0 {
		t.Errorf("a second scrub ends with %d:\n%s%s", o.code, o.stdout, o.stderr)
	}
	if text := s.run("status").stdout; strings.Contains(text, "redact scrub") {
		t.Errorf("status still asks for a scrub:\n%s", text)
	}
	changes := one[int64](s, `SELECT coalesce(max(seq), 0) FROM sluice.changes`)
	s.exec(`UPDATE sluice.parents SET read_at = read_at - interval '2 days'`)
	s.run("sync", "accounting.contact_persons", "billing.contact_persons")
	s.counts(0, "rows that the sync after a scrub changed", `SELECT count(*) FROM sluice.changes WHERE seq > $1 AND table_name LIKE '%contact_persons' AND op IN ('changed', 'rewritten')`, changes)
}

// lineWith is the first line of a text with a word.
func lineWith(text, word string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, word) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// TestAnotherHashKeyIsRefused: hashes of two keys cannot be told apart, so a process with another
// key copies nothing and rebuilds nothing; one without a key that makes no hashes works.
func TestAnotherHashKeyIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := plantedPersons(t, leavesOut)
	s.run(append([]string{"sync"}, personLists...)...)
	hashes := one[string](s, `SELECT string_agg(email, ',' ORDER BY contact_person_id) FROM accounting.contact_persons`)
	s.environment["HASH_KEY"] = otherHashKey
	for _, args := range []string{"sync accounting.contact_persons", "check", "rebuild accounting.contact_persons", "redact scrub", "verify accounting.contact_persons"} {
		o := s.run(strings.Fields(args)...)
		if o.code == codeFine || !strings.Contains(o.stdout+o.stderr, "hashes of another privacy.key") || !strings.Contains(o.stdout+o.stderr, "sluice redact scrub") {
			t.Errorf("%s ends with %d:\n%s%s", args, o.code, o.stdout, o.stderr)
		}
	}
	s.prints(codeFine, "", "status")
	delete(s.environment, "HASH_KEY")
	s.prints(codeFine, "", "status")
	if o := s.run("rebuild", "accounting.contact_persons"); o.code == codeFine || !strings.Contains(o.stdout+o.stderr, "privacy.key is missing here") {
		t.Errorf("rebuild without a key ends with %d:\n%s%s", o.code, o.stdout, o.stderr)
	}
	if now := one[string](s, `SELECT string_agg(email, ',' ORDER BY contact_person_id) FROM accounting.contact_persons`); now != hashes {
		t.Error("hashes changed")
	}
}

// relay answers with what upstream answered, and another body.
func relay(w http.ResponseWriter, answer *httptest.ResponseRecorder, body []byte) {
	for name, values := range answer.Header() {
		if name != "Content-Length" && name != "Content-Encoding" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body)
}
