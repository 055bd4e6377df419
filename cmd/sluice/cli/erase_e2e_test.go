//go:build e2e

package cli

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sluice/sandbox"
)

// personName and personAddress stand for a person; all values have the word planted.
const (
	personName, personAddress, theWord = "Anna Planted", "anna.planted@x.org", "planted"
)

// The records that have her name or her address: her own, a bill with keys that no declaration
// knows, and a bill that does not fit.
const (
	personRecord, personBill, personMisfit = "460140000000001000", "460040000000001000", "460040000000002000"
)

// personUpstream puts the person into the lists that upstream shows.
type personUpstream struct {
	next http.Handler
	// round makes other versions of the records.
	round atomic.Int64
}

func (p *personUpstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	record := httptest.NewRecorder()
	p.next.ServeHTTP(record, r)
	body := record.Body.Bytes()
	var answer map[string]any
	if record.Code == http.StatusOK && json.Unmarshal(body, &answer) == nil {
		p.plant(answer)
		body, _ = json.Marshal(answer) //nolint:errchkjson // it was JSON
		// Upstream may spell a character in another way.
		body = bytes.ReplaceAll(body, []byte(personAddress), []byte(`\u0061nna.pl\u0061nted@x.org`))
	}
	relay(w, record, body)
}

func (p *personUpstream) plant(answer map[string]any) {
	for _, value := range answer {
		records, _ := value.([]any)
		for i := range records {
			record, _ := records[i].(map[string]any)
			switch {
			case record["contact_person_id"] == personRecord:
				record["first_name"], record["last_name"], record["email"] = "Anna", "Planted "+fmt.Sprint(p.round.Load()), personAddress
			case record["bill_id"] == personBill:
				record["reference_number"] = personName
				record["words"] = map[string]any{"to": []any{"write to " + personAddress}, "round": p.round.Load()}
			case record["bill_id"] == personMisfit:
				record["total"] = personName
			}
		}
	}
}

func (s *fixture) standing() []string {
	s.t.Helper()
	s.exec(`SET bytea_output = 'escape'`)
	var found []string
	for table, rows := range s.dump() {
		found = append(found, wordLines(table+": ", rows)...)
	}
	return found
}

func wordLines(where, text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		if strings.Contains(strings.ToLower(strings.NewReplacer(`\\u0061`, "a", `\u0061`, "a").Replace(line)), theWord) {
			found = append(found, where+line[:min(len(line), 300)])
		}
	}
	return found
}

func personFixture(t *testing.T) (*fixture, *personUpstream, *ownPostgres) {
	t.Helper()
	s := newFixture(t, sandbox.Options{Seed: 131, Records: 60, Limits: sandbox.Limits{Off: true}})
	upstream := &personUpstream{next: s.world}
	s.arrivals.next = upstream
	s.configured("resources:\n  inventory.bills: {history: true}\n  accounting.contact_persons: {history: true}\n")
	return s, upstream, s.ownPostgres()
}

var personStreams = []string{"accounting.vendor_payments", "inventory.bills", "accounting.contact_persons"} //nolint:gochecknoglobals // a constant

// TestAnErasedPersonIsNowhere: what find shows is erased, a record at a time. Then the person is in no
// dump of the database, in no file of it after the tables were vacuumed, in no line of the program,
// although upstream goes on showing her. Everything else works as before.
func TestAnErasedPersonIsNowhere(t *testing.T) {
	t.Parallel()
	s, upstream, postgres := personFixture(t)
	var said strings.Builder
	run := func(code int, args ...string) string {
		t.Helper()
		o := s.run(args...)
		fatalIf(t, o.code != code && code >= 0, "%v ended with %d, want %d\n%s%s", args, o.code, code, o.stdout, o.stderr)
		said.WriteString(o.stdout + o.stderr)
		return o.stdout
	}
	again := func() {
		s.exec(`UPDATE sluice.parents SET read_at = read_at - interval '2 days'`)
		run(-1, append([]string{"sync", "--log-level", "debug"}, personStreams...)...)
	}
	again()
	upstream.round.Add(1)
	again()
	n := len(s.standing())
	fatalIf(t, n < 6, "the person stands in %d rows only", n)
	others := one[string](s, `SELECT md5(string_agg(t::text, E'\n' ORDER BY bill_id)) FROM inventory.bills t WHERE t::text !~* 'planted'`)
	persons := one[string](s, `SELECT md5(string_agg(t::text, E'\n' ORDER BY contact_person_id)) FROM accounting.contact_persons t WHERE t::text !~* 'planted'`)
	cursor := one[string](s, `SELECT analytics.changes_cursor()`)

	var erased [][]string
	for _, text := range []string{personName, personAddress} {
		var found findView
		must(t, json.Unmarshal([]byte(run(codeFine, "find", text, "--json")), &found))
		for _, r := range found.Records {
			if record := []string{r.Resource, r.ID}; !slices.ContainsFunc(erased, func(known []string) bool { return slices.Equal(known, record) }) {
				erased = append(erased, record)
			}
		}
	}
	fatalIf(t, len(erased) != 3, "find shows the records %q", erased)
	for _, record := range erased {
		run(codeFine, append([]string{"erase", "--dry-run"}, record...)...)
		run(codeFine, append([]string{"erase", "--note", "request 1"}, record...)...)
	}
	clean := func(when string) {
		t.Helper()
		for _, line := range s.standing() {
			t.Errorf("%s: %s", when, line)
		}
		for _, record := range erased {
			run(codeFine, append([]string{"erase", "--verify"}, record...)...)
		}
	}
	clean("after the erasures")
	now := one[string](s, `SELECT md5(string_agg(t::text, E'\n' ORDER BY bill_id)) FROM inventory.bills t`)
	errorIf(t, now != others, "rows of other bills changed")
	now = one[string](s, `SELECT md5(string_agg(t::text, E'\n' ORDER BY contact_person_id)) FROM accounting.contact_persons t`)
	errorIf(t, now != persons, "rows of other persons changed")
	got := one[string](s, `SELECT string_agg(op || ' ' || table_name, ', ' ORDER BY op, table_name) FROM analytics.changes($1) WHERE table_name IN ('inventory.bills', 'accounting.contact_persons')`, cursor)
	errorIf(t, got != "deleted accounting.contact_persons, deleted inventory.bills", "the feed says %s", got)
	again() // upstream shows her as before
	clean("after the next sync")
	run(codeFine, "rebuild")
	run(codeFine, "verify", "--calls", "20")
	clean("after a rebuild")
	one[int](s, `SELECT count(*) FROM history.as_of(NULL::inventory.bills, now())`)
	run(codeFine, "erase", "--list")
	said.WriteString(run(codeFine, "explain", "accounting.contact_persons", personRecord))
	errorIf(t, !strings.Contains(said.String(), "The record was erased"), "explain does not say that the record was erased")
	// What operators typed is theirs; the program says nothing of it.
	found := wordLines("", said.String())
	errorIf(t, found != nil, "the program printed %q", found)
	s.exec(`VACUUM (FULL, ANALYZE)`)
	s.exec(`CHECKPOINT`)
	found = postgres.files(theWord)
	errorIf(t, found != nil, "files have the word: %v", found)
}

// files are the files of the tables that hold a word. What Postgres wrote ahead is kept until it is
// recycled, as backups are.
func (o *ownPostgres) files(word string) []string {
	o.s.t.Helper()
	var found []string
	must(o.s.t, filepath.WalkDir(filepath.Join(o.dir, "data"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			if entry != nil && entry.Name() == "pg_wal" {
				return filepath.SkipDir
			}
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(bytes.ToLower(text), []byte(word)) {
			found = append(found, path)
		}
		return err
	}))
	return found
}

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
	errorIf(t, upstream.planted < 20 || upstream.refused < 2,
		"%d persons planted and %d answers refused: too few to find anything", upstream.planted, upstream.refused)
	errorIf(t, !strings.Contains(places["sluice.calls"]+places["sluice.runs"]+said.String(), "not shown because columns are left out"),
		"no error measured an answer")
	n := one[int](s, `SELECT count(*) FROM sluice.quarantine WHERE code = 'withheld' AND position('_withheld' IN convert_from(raw, 'UTF8')) > 0`)
	errorIf(t, n == 0, "no record that is no object is in quarantine")
	n = one[int](s, `SELECT count(*) FROM sluice.quarantine WHERE code <> 'withheld' AND position('h1_' IN convert_from(raw, 'UTF8')) > 0`)
	errorIf(t, n == 0, "no record that does not fit is in quarantine, with hashes")
	joined := one[int](s, `SELECT count(*) FROM accounting.contact_persons a JOIN billing.contact_persons b USING (email)
		WHERE a.email ~ '^h1_[a-z2-7]{26}$' AND a.first_name IS NULL AND b.first_name IS NULL AND a.skype IS NULL AND b.mobile ~ '^h1_' AND b.fax ~ '^h1_'`)
	mails := one[int](s, `SELECT count(DISTINCT email) FROM accounting.contact_persons`)
	errorIf(t, joined == 0 || mails > 3, "%d pairs of persons join by their hashed addresses, of which there are %d", joined, mails)
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
		found := holding(map[string]string{table: plain[table]}, plantedAddress)
		errorIf(t, len(found) == 0, "%s has no planted address: the search finds nothing", table)
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
	now := one[string](s, `SELECT md5(string_agg(concat_ws(',', bill_id, total, status, date, currency_id, _call_id), ';' ORDER BY bill_id)) FROM inventory.bills`)
	errorIf(t, now != others, "other columns of bills changed")
	s.prints(codeFine, "", "verify", "accounting.contact_persons", "billing.contact_persons")
	if o := s.run("redact", "scrub"); o.code != codeFine || len(lineWith(o.stdout, "accounting.contact_persons")) == 0 {
		t.Errorf("a second scrub ends with %d:\n%s%s", o.code, o.stdout, o.stderr)
	}
	s.run("status").lacks(t, codeFine, "redact scrub")
	changes := one[int64](s, `SELECT coalesce(max(seq), 0) FROM sluice.changes`)
	s.exec(`UPDATE sluice.parents SET read_at = read_at - interval '2 days'`)
	s.run("sync", "accounting.contact_persons", "billing.contact_persons")
	s.counts(0, "rows that the sync after a scrub changed", `SELECT count(*) FROM sluice.changes WHERE seq > $1 AND table_name LIKE '%contact_persons' AND op IN ('changed', 'rewritten')`, changes)
}

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
	now := one[string](s, `SELECT string_agg(email, ',' ORDER BY contact_person_id) FROM accounting.contact_persons`)
	errorIf(t, now != hashes, "hashes changed")
}

func relay(w http.ResponseWriter, answer *httptest.ResponseRecorder, body []byte) {
	for name, values := range answer.Header() {
		if name != "Content-Length" && name != "Content-Encoding" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body)
}
