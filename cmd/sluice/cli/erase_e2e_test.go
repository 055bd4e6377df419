//go:build e2e

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// ServeHTTP implements http.Handler.
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

// standing are the rows of the whole database that hold the word, however JSON spells it.
func (s *fixture) standing() []string {
	s.t.Helper()
	s.exec(`SET bytea_output = 'escape'`)
	var found []string
	for table, rows := range s.dump() {
		found = append(found, wordLines(table+": ", rows)...)
	}
	return found
}

// wordLines are the lines of a text that hold the word.
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
		if o.code != code && code >= 0 {
			t.Fatalf("%v ended with %d, want %d\n%s%s", args, o.code, code, o.stdout, o.stderr)
		}
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
	if n := len(s.standing()); n < 6 {
		t.Fatalf("the person stands in %d rows only", n)
	}
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
	if len(erased) != 3 {
		t.Fatalf("find shows the records %q", erased)
	}
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
	if now := one[string](s, `SELECT md5(string_agg(t::text, E'\n' ORDER BY bill_id)) FROM inventory.bills t`); now != others {
		t.Error("rows of other bills changed")
	}
	if now := one[string](s, `SELECT md5(string_agg(t::text, E'\n' ORDER BY contact_person_id)) FROM accounting.contact_persons t`); now != persons {
		t.Error("rows of other persons changed")
	}
	if got := one[string](s, `SELECT string_agg(op || ' ' || table_name, ', ' ORDER BY op, table_name) FROM analytics.changes($1) WHERE table_name IN ('inventory.bills', 'accounting.contact_persons')`, cursor); got != "deleted accounting.contact_persons, deleted inventory.bills" {
		t.Errorf("the feed says %s", got)
	}
	again() // upstream shows her as before
	clean("after the next sync")
	run(codeFine, "rebuild")
	run(codeFine, "verify", "--calls", "20")
	clean("after a rebuild")
	one[int](s, `SELECT count(*) FROM history.as_of(NULL::inventory.bills, now())`)
	run(codeFine, "erase", "--list")
	said.WriteString(run(codeFine, "explain", "accounting.contact_persons", personRecord))
	if !strings.Contains(said.String(), "The record was erased") {
		t.Error("explain does not say that the record was erased")
	}
	// What operators typed is theirs; the program says nothing of it.
	if found := wordLines("", said.String()); found != nil {
		t.Errorf("the program printed %q", found)
	}
	s.exec(`VACUUM (FULL, ANALYZE)`)
	s.exec(`CHECKPOINT`)
	if found := postgres.files(theWord); found != nil {
		t.Errorf("files have the word: %v", found)
	}
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
