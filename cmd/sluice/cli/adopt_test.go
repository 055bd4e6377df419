package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox"
)

// planted is what another program has of upstream: all of it but for holes, in two syncs, with
// duplicates, stale versions, records that were deleted, and other shapes.
type planted struct {
	streams foreignStreams
	// holes, deleted, headers, older and misfits count what was planted, by resource.
	holes, deleted, headers, older, misfits map[string]int
}

// plant makes it of two states of upstream: the earlier one gives stale versions.
func plant(t *testing.T, before, now map[string][]map[string]json.RawMessage, last time.Time) planted {
	t.Helper()
	p := planted{
		streams: foreignStreams{}, holes: map[string]int{}, deleted: map[string]int{}, headers: map[string]int{},
		older: map[string]int{}, misfits: map[string]int{},
	}
	first := last.Add(-72 * time.Hour)
	for name, records := range now {
		stale := map[string]map[string]json.RawMessage{}
		key := keyOfForeign()[name]
		for _, record := range before[name] {
			stale[string(record[key])] = record
		}
		for i, record := range records {
			one := foreignRecord{record: record, extracted: last.Add(time.Duration(i) * time.Millisecond), sync: 2}
			add := func(r foreignRecord) { p.streams[name] = append(p.streams[name], r) }
			switch i % 20 {
			case 3: // a hole
				p.holes[name]++
				continue
			case 5: // it was read twice, and came in the wrong order
				add(one)
				if old, known := stale[string(record[key])]; known {
					add(foreignRecord{record: old, extracted: first, sync: 1})
					p.older[name]++
				}
				continue
			case 7: // as a list shows it
				if _, has := record["line_items"]; has {
					one.record = without(record, "line_items")
					p.headers[name]++
				}
			case 9: // numbers as text, and a key that no declaration has
				for _, amount := range []string{"total", "sub_total", "amount", "rate"} {
					if value, has := record[amount]; has && value[0] != '"' && value[0] != 'n' {
						one.record = withKey(one.record, amount, `"`+string(value)+`"`)
					}
				}
				one.record = withKey(one.record, "x_surprise", `"?"`)
			case 11: // it is deleted, the other program believes
				one.deleted = true
				p.deleted[name]++
			case 13: // it does not fit
				if i == 13 && name != "accounting.chart_of_accounts" { // of which there are few
					one.record = withKey(one.record, modifiedOfForeign(name), `"the day before yesterday"`)
					p.misfits[name]++
				}
			}
			add(one)
		}
	}
	return p
}

// modifiedOfForeign is a time of a record.
func modifiedOfForeign(name string) string {
	if name == "inventory.items" || name == "inventory.bills" || name == "inventory.credit_notes" || name == "accounting.vendor_payments" {
		return "last_modified_time"
	}
	return "created_time"
}

// TestAdopted: what was adopted, and one sync, are the warehouse that was synced from the
// beginning, field for field, for fewer calls. All layouts give the same rows, details and
// watermarks, so only two are synced: one with raw records, one with columns of its own.
func TestAdopted(t *testing.T) {
	t.Parallel()
	// All layouts ask one upstream for access tokens: its limit on them, ten in ten minutes, is
	// short.
	limits := sandbox.Limits{Off: true, Minute: time.Second}
	s := newFixture(t, sandbox.Options{Seed: 143, Records: 220, HeadersOnly: true, Limits: limits}).narrow()
	s.environment[withMinute] = "5s" // the sync from the beginning takes more calls than a minute allows
	names := []string{"items", "bills", "credit_notes", "vendor_payments", "chart_of_accounts"}
	before := s.truths()
	change := func(seed int64, edits int) {
		_, err := s.world.Change(sandbox.Change{Seed: seed, Inserts: 3, Edits: edits, Deletes: 2, Resources: names})
		must(t, err)
	}
	change(1, 25)
	p := plant(t, before, s.truths(), time.Now().Add(-time.Hour))
	change(2, 3) // since the other program's last sync
	s.sync(codeFine)
	s.equal()
	want, spent := s.fields(), s.calls()
	adopts := func(t *testing.T, l layout) (*fixture, adoptState, int64) {
		t.Helper()
		b := s.secondWarehouse(t)
		flags := l.write(b, p.streams)
		dry := b.adopted(codeFine, append(flags, "--dry-run")...)
		if n := one[int](b, `SELECT count(*) FROM sluice.adoptions`) + one[int](b, `SELECT count(*) FROM inventory.bills`); n != 0 {
			t.Errorf("a dry run wrote %d rows", n)
		}
		done := b.adopted(codeFine, flags...)
		saved := b.planted(l, &p, dry, done)
		if made := b.calls(); made != 0 {
			t.Errorf("adopting made %d calls", made)
		}
		if n := one[int](b, `SELECT count(*) FROM sluice.runs WHERE class = 'adopt' AND (calls <> 0 OR outcome <> 'done')`); n != 0 {
			t.Errorf("%d runs of adoptions did calls, or are not done", n)
		}
		return b, b.adoptState(), saved
	}
	raw := layouts()[0]
	b, first, saved := adopts(t, raw)
	b.syncsAfterAdopting(want, spent, saved)
	for _, l := range layouts()[1:] {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			b, state, saved := adopts(t, l)
			if diff := cmp.Diff(first, state); diff != "" {
				t.Errorf("-%s +%s\n%s", raw.name, l.name, firstOf(diff))
			}
			if l.name == "fivetran" {
				b.syncsAfterAdopting(want, spent, saved)
			}
		})
	}
}

// adoptState is what a sync finds after an adoption.
type adoptState struct {
	Fields              map[string][]string
	Details, Watermarks []string
}

func (s *fixture) adoptState() adoptState {
	s.t.Helper()
	return adoptState{
		Fields:  s.fields(),
		Details: one[[]string](s, `SELECT array_agg(concat_ws(' ', bill_id, _detail_state) ORDER BY bill_id) FROM inventory.bills`),
		Watermarks: one[[]string](s, `SELECT array_agg(concat_ws(' ', service, resource, watermark) ORDER BY service, resource)
			FROM sluice.streams WHERE watermark IS NOT NULL`),
	}
}

// syncsAfterAdopting syncs, and wants the fields of a warehouse that was synced from the beginning
// with so many calls.
func (s *fixture) syncsAfterAdopting(want map[string][]string, spent int, saved int64) {
	s.t.Helper()
	s.sync(codeFine)
	s.pass(8 * 24 * time.Hour) // what was deleted since is proven gone by a second sweep
	s.sync(codeFine)
	got := s.fields()
	for table := range want {
		if diff := cmp.Diff(want[table], got[table]); diff != "" {
			s.t.Errorf("%s (-synced from the beginning +adopted):\n%s", table, firstOf(diff))
		}
	}
	s.equal()
	second := one[int](s, `SELECT count(*) FROM sluice.calls c JOIN sluice.runs r ON r.id = c.run_id WHERE r.resource LIKE '%.sweep' AND r.id > (
		SELECT min(m.id) FROM sluice.runs m WHERE m.resource = r.resource)`)
	made := s.calls()
	s.t.Logf("calls: %d from the beginning, %d after adopting (%d of them for second sweeps), %d said to be saved", spent, made, second, saved)
	if int64(spent-made) < saved/2 {
		s.t.Errorf("%d calls instead of %d: %d were said to be saved", made, spent, saved)
	}
	if found := s.verified(codeFine, "--local"); len(found.Findings) != 0 {
		s.t.Errorf("verify finds %+v", found.Findings)
	}
}

func firstOf(diff string) string {
	lines := strings.Split(diff, "\n")
	return strings.Join(lines[:min(len(lines), 40)], "\n")
}

// planted compares the counts of an adoption with what was planted, and gives the calls that it
// says are saved.
func (s *fixture) planted(l layout, p *planted, dry, done adoptView) int64 {
	s.t.Helper()
	if len(done.Adopted) != len(keyOfForeign()) || len(dry.Adopted) != len(done.Adopted) {
		s.t.Fatalf("adopted %+v, left %+v", done.Adopted, done.Left)
	}
	var saved int64
	for i, v := range done.Adopted {
		versions, details := 0, 0
		for _, r := range p.streams[v.Resource] {
			if r.deleted {
				continue
			}
			versions++
			if _, whole := r.record["line_items"]; whole {
				details++
			}
		}
		deleted := p.deleted[v.Resource]
		if l.name == "jsonl" {
			deleted = 0
		}
		records, misfits := int64(versions-p.older[v.Resource]), int64(p.misfits[v.Resource])
		if v.Records != records || v.Older != int64(p.older[v.Resource]) || v.Deleted != int64(deleted) || v.Rejected != misfits {
			s.t.Errorf("%s: %+v, want %d records, %d older, %d deleted, %d rejected", v.Resource, v.Counts, records, p.older[v.Resource], deleted, misfits)
		}
		if v.Inserted != records-misfits {
			s.t.Errorf("%s: %d rows, want %d", v.Resource, v.Inserted, records-misfits)
		}
		if d := dry.Adopted[i]; d.Records != v.Records || d.Whole != v.Whole || !cmp.Equal(d.Watermark, v.Watermark) {
			s.t.Errorf("%s: a dry run says %+v, adopting %+v", v.Resource, d, v)
		}
		saved += v.CallsSaved
	}
	if saved == 0 {
		s.t.Error("no call is saved")
	}
	for _, left := range done.Left {
		if !strings.Contains(left.Origin, "line_item") {
			s.t.Errorf("left alone: %+v", left)
		}
	}
	quarantined := one[int](s, `SELECT count(*) FROM sluice.quarantine WHERE state = 'open'`)
	misfits := 0
	for _, n := range p.misfits {
		misfits += n
	}
	if quarantined != misfits {
		s.t.Errorf("%d records are in quarantine, want %d", quarantined, misfits)
	}
	return saved
}

// TestAdoptRefuses: mistakes of the command line, and streams that have a position.
func TestAdoptRefuses(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 144, Records: 30, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	s.environment["WRONG_URL"] = "postgres://user:hunter2secret@127.0.0.1:1/none"
	empty := t.TempDir()
	for args, says := range map[string]string{
		"":                                   "--from is one of",
		"--from stitch":                      "--from is one of",
		"--from jsonl":                       "needs --files",
		"--from airbyte --files x":           "--files goes with",
		"--from singer --files x --schema y": "--files goes with none",
		"--from airbyte --times local":       "utc or organization",
		"--from airbyte --map bills":         "stream=service.resource",
		"--from airbyte --map x=inventory.nothing":          "no configured resource",
		"--from airbyte --map nothing=inventory.bills":      "no stream \"nothing\"",
		"--from airbyte --database NOWHERE_URL":             "no variable of the environment",
		"--from airbyte --database postgres://u:pw@h/d":     "password on a command line",
		"--from jsonl --files " + empty:                     "no file ends with",
		"--from jsonl --files " + empty + "/none":           "no such file",
		"--from airbyte --org nobody":                       "no configured organization",
		"--from airbyte --database postgres://h:notaport/d": "does not parse",
	} {
		if o := s.run(append([]string{"adopt"}, strings.Fields(args)...)...); o.code != codeUsage || !strings.Contains(o.stderr, says) {
			t.Errorf("adopt %s: exit code %d, want %q\n%s", args, o.code, says, o.stderr)
		}
	}
	o := s.run("adopt", "--from", "airbyte", "--database", "WRONG_URL")
	if o.code != codeEnvironment || strings.Contains(o.stdout+o.stderr, "hunter2secret") {
		t.Errorf("a database out of reach: exit code %d\n%s", o.code, o.stderr)
	}

	records := s.truths()
	p := plant(t, records, records, time.Now().Add(-time.Hour))
	first := &p.streams["inventory.items"][0]
	first.record = withKey(first.record, "name", `"another name of the same time"`)
	flags := airbyteRaw(s, p.streams)
	s.sync(codeFine, "items")
	digests, values := s.digests(), s.fields()["inventory.items"]
	refused := s.adopted(codeFailed, append(flags, "--map", "bills=inventory.items")...) // another resource's records have no such key
	for _, v := range refused.Adopted {
		if v.Resource == "inventory.items" && !strings.Contains(v.Error, "--again") {
			t.Errorf("a stream with a position: %+v", v)
		}
	}
	if len(refused.Left) != 1 || !strings.Contains(refused.Left[0].Why, "no record has the key item_id") {
		t.Errorf("left alone: %+v", refused.Left)
	}
	if diff := cmp.Diff(digests["inventory.items"], s.digests()["inventory.items"]); diff != "" {
		t.Errorf("a refused stream was written: %s", diff)
	}
	again := s.adopted(codeFailed, flags...)
	for _, v := range again.Adopted {
		if (v.Resource == "inventory.bills") != (v.Error == "") {
			t.Errorf("the second time: %+v", v)
		}
	}
	// Rows that are not older stay, whatever the other program has.
	anew := s.adopted(codeFine, append(flags, "--again")...)
	for _, v := range anew.Adopted {
		if v.Inserted+v.Updated != 0 && v.Resource != "inventory.items" || v.Updated != 0 {
			t.Errorf("again: %+v", v)
		}
	}
	if diff := cmp.Diff(values, s.fields()["inventory.items"]); diff != "" {
		t.Errorf("rows that are not older were written: %s", diff)
	}
}

// TestAdoptedIsExplained: explain says where an adopted record is from, and budgets count nothing.
func TestAdoptedIsExplained(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 145, Records: 30, HeadersOnly: true, Limits: sandbox.Limits{Off: true}}).narrow()
	records := s.truths()
	p := plant(t, records, records, time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	s.adopted(codeFine, airbyteRaw(s, p.streams)...)
	id := one[string](s, `SELECT bill_id FROM inventory.bills WHERE _detail_state = 'current' ORDER BY 1 LIMIT 1`)
	o := s.run("explain", "inventory.bills", id)
	for _, says := range []string{"adopted from airbyte (airbyte_internal.books_raw__stream_bills, extracted", "2026-03-04"} {
		if o.code != codeFine || !strings.Contains(o.stdout, says) {
			t.Errorf("explain does not say %q (%d):\n%s%s", says, o.code, o.stdout, o.stderr)
		}
	}
	if strings.Contains(o.stdout, "not in the call log") {
		t.Errorf("explain takes a batch for a call:\n%s", o.stdout)
	}
	if n := one[int](s, `SELECT count(*) FROM sluice.calls`) + one[int](s, `SELECT count(*) FROM sluice.spent`); n != 0 {
		t.Errorf("%d calls are counted", n)
	}
	due := one[int](s, fmt.Sprintf(`SELECT count(*) FROM sluice.streams WHERE resource = 'bills.sweep' AND next_due_at <= %s`, "clock_timestamp()"))
	if due != 1 {
		t.Error("no sweep is due")
	}
}
