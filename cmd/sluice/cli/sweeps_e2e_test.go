//go:build e2e

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"sluice/sandbox"
)

// sweeping is a fixture whose whole lists are read repeatedly.
func sweeping(t *testing.T, seed int64) *fixture {
	t.Helper()
	s := newFixture(t, sandbox.Options{Seed: seed, Records: 600, Limits: sandbox.Limits{Off: true}}).narrow()
	s.configured(believing)
	s.sync(codeFine)
	s.age()
	return s
}

// TestTombstones deletes records upstream: one scan that misses them proves nothing, two do,
// whether the list is read whole anyway or swept as well. Child rows follow, and the commands show
// the evidence (invariants 7 and 8).
func TestTombstones(t *testing.T) {
	t.Parallel()
	s := sweeping(t, 91)
	sweeps := []string{"inventory.bills.sweep", "accounting.vendor_payments.sweep", "credit_notes"}
	deleted := make(map[string][]string)
	for _, resource := range []string{"inventory.bills", "accounting.vendor_payments", "inventory.credit_notes"} {
		deleted[resource] = s.truth(resource)[20:23]
		s.delete(resource, deleted[resource]...)
	}
	for range 2 { // a run from a watermark never shows deletions
		s.sync(codeFine, "bills", "vendor_payments")
	}
	s.sync(codeFine, sweeps...)
	for resource := range deleted {
		if ids := s.ids(resource, dead); len(ids) > 0 {
			t.Errorf("%s: one scan is taken for proof of %v", resource, ids)
		}
	}
	if n := one[int](s, `SELECT count(*) FROM sluice.tombstones WHERE state = 'suspected'`); n != 9 {
		t.Errorf("%d records were missed, want the 9 deleted ones", n)
	}

	s.sync(codeFine, sweeps...)
	for resource, ids := range deleted {
		if got := s.ids(resource, dead); !slices.Equal(got, ids) {
			t.Errorf("%s: tombstones of %v, want %v", resource, got, ids)
		}
		s.truthful(resource)
	}
	if n := one[int](s, `SELECT count(*) FROM inventory.bills_line_items l JOIN inventory.bills b ON b.bill_id = l._parent_id
		AND b.organization_id = l.organization_id WHERE (l._deleted_at IS NULL) <> (b._deleted_at IS NULL)`); n > 0 {
		t.Errorf("%d lines do not follow their bills", n)
	}
	if n := one[int](s, `SELECT count(*) FROM inventory.bills_line_items WHERE _deleted_at IS NOT NULL`); n == 0 {
		t.Error("no line has a tombstone, so nothing was compared")
	}
	if n := one[int](s, `SELECT count(*) FROM sluice.sightings`); n > 0 {
		t.Errorf("%d pages are still noted although no scan is open", n)
	}
	o := s.run("tombstones", "show", deleted["inventory.bills"][0])
	for _, text := range []string{"inventory.bills " + deleted["inventory.bills"][0], "deleted", "a second scan did not show it", "by the rule"} {
		if !strings.Contains(o.stdout, text) {
			t.Errorf("show does not say %q:\n%s%s", text, o.stdout, o.stderr)
		}
	}
	if o := s.run("tombstones", "list", "inventory.bills", "--state", "deleted"); strings.Count(o.stdout, "\n") != 4 {
		t.Errorf("list: %s%s", o.stdout, o.stderr)
	}
	// Records known to be gone are neither looked for upstream nor reported as news.
	for _, f := range s.verified(codeFine, "--calls", "40").Findings {
		for resource, ids := range deleted {
			if strings.HasSuffix(resource, "."+f.Resource) && slices.Contains(ids, f.Record) {
				t.Errorf("verify tells of a row with a tombstone: %+v", f)
			}
		}
	}
	// No more is written for records known to be gone.
	before := s.written()
	s.sync(codeFine, sweeps...)
	if after := s.written(); after != before {
		t.Errorf("rows written were %v and are %v after scans that found nothing new", before, after)
	}
}

// TestMassDeletionsNeedReview: too many deletions at once need a person, who may accept or reject
// them.
func TestMassDeletionsNeedReview(t *testing.T) {
	t.Parallel()
	s := sweeping(t, 92)
	const resource, sweep = "inventory.bills", "inventory.bills.sweep"
	all := s.truth(resource)
	s.delete(resource, all[:40]...)
	s.sync(codeFine, sweep)
	s.sync(codeFailed, sweep)
	if ids := s.ids(resource, dead); len(ids) > 0 {
		t.Fatalf("%d rows have a tombstone without an accepted decision", len(ids))
	}
	if o := s.run("status"); !strings.Contains(o.stdout, "40 deletions need review") {
		t.Errorf("status does not say what needs review:\n%s", o.stdout)
	}
	run := func() string {
		o := s.run("tombstones", "review", "--json")
		var held []struct {
			Run         int64    `json:"run"`
			NeedsReview int64    `json:"needs_review"`
			Sample      []string `json:"sample"`
		}
		if err := json.Unmarshal([]byte(o.stdout), &held); err != nil || len(held) != 1 || held[0].NeedsReview != 40 || len(held[0].Sample) != 5 {
			t.Fatalf("review: %v\n%s%s", err, o.stdout, o.stderr)
		}
		return fmt.Sprint(held[0].Run)
	}

	// After a rejection two new scans are needed, which hold the records again.
	if o := s.run("tombstones", "reject", run()); o.code != codeFine || !strings.Contains(o.stdout, "40 records") {
		t.Errorf("reject: %d %s%s", o.code, o.stdout, o.stderr)
	}
	s.sync(codeFine, sweep)
	s.sync(codeFailed, sweep)
	// Records that need review delay no others.
	s.delete(resource, all[40:42]...)
	s.sync(codeFailed, sweep)
	s.sync(codeFailed, sweep)
	if ids := s.ids(resource, dead); !slices.Equal(ids, all[40:42]) {
		t.Errorf("tombstones of %v, want %v", ids, all[40:42])
	}
	if o := s.run("tombstones", "accept", run()); o.code != codeFine || !strings.Contains(o.stdout, "40 records got tombstones.") {
		t.Errorf("accept: %d %s%s", o.code, o.stdout, o.stderr)
	}
	s.truthful(resource)
	s.sync(codeFine, sweep)
	if o := s.run("tombstones", "accept", "1"); o.code != codeUsage {
		t.Errorf("accepting what holds nothing: exit code %d", o.code)
	}
	// All records are deleted.
	s.delete(resource, s.truth(resource)...)
	s.sync(codeFine, sweep)
	s.sync(codeFailed, sweep)
	if ids := s.ids(resource, live); len(ids) != len(all)-42 {
		t.Errorf("an empty list is believed: %d of %d rows are live", len(ids), len(all)-42)
	}
}

// disguise is a proxy in front of upstream that changes what lists show. It hides records, or
// replaces a value without changing the modification time.
type disguise struct {
	next http.Handler

	mu     sync.Mutex
	hidden map[string]bool
	values map[string]string
}

// ServeHTTP implements http.Handler.
func (d *disguise) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := httptest.NewRecorder()
	d.next.ServeHTTP(answer, r)
	body := answer.Body.Bytes()
	var envelope map[string]json.RawMessage
	if json.Unmarshal(body, &envelope) == nil && envelope["page_context"] != nil {
		body = d.change(envelope, body)
	}
	maps.Copy(w.Header(), answer.Header())
	w.Header().Del("Content-Length")
	w.WriteHeader(answer.Code)
	_, _ = w.Write(body)
}

func (d *disguise) change(envelope map[string]json.RawMessage, body []byte) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, list := range envelope {
		var records []json.RawMessage
		if key == "page_context" || json.Unmarshal(list, &records) != nil {
			continue
		}
		kept := make([]string, 0, len(records))
		for _, record := range records {
			var fields struct {
				ID   string `json:"item_id"`
				Name string `json:"name"`
			}
			if json.Unmarshal(record, &fields) != nil {
				return body
			}
			if value, ok := d.values[fields.ID]; ok {
				record = bytes.Replace(record, fmt.Appendf(nil, `"name":%q`, fields.Name), fmt.Appendf(nil, `"name":%q`, value), 1)
			}
			if !d.hidden[fields.ID] {
				kept = append(kept, string(record))
			}
		}
		return bytes.Replace(body, list, []byte("["+strings.Join(kept, ",")+"]"), 1)
	}
	return body
}

// show sets which records are hidden and which values are replaced.
func (d *disguise) show(values map[string]string, hidden ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.values, d.hidden = values, make(map[string]bool)
	for _, id := range hidden {
		d.hidden[id] = true
	}
}

func disguised(t *testing.T, seed int64) (*fixture, *disguise) {
	t.Helper()
	s := newFixture(t, sandbox.Options{Seed: seed, Records: 600, Limits: sandbox.Limits{Off: true}}).narrow()
	d := &disguise{}
	s.arrivals.through(func(upstream http.Handler) http.Handler {
		d.next = upstream
		return d
	})
	s.configured(believing)
	s.sync(codeFine, "items")
	s.age()
	return s, d
}

// TestWhatComesBackIsRevived: a row is restored by a sweep, and by a run from the watermark.
func TestWhatComesBackIsRevived(t *testing.T) {
	t.Parallel()
	s, d := disguised(t, 93)
	const resource, sweep = "inventory.items", "inventory.items.sweep"
	all := s.truth(resource)
	a, b, c := all[3], all[7], all[11]

	// Once the records are seen again, the evidence of one scan is void.
	d.show(nil, a, b, c)
	s.sync(codeFine, sweep)
	d.show(nil)
	s.sync(codeFine, sweep)
	d.show(nil, a, b, c)
	s.sync(codeFine, sweep)
	if ids := s.ids(resource, dead); len(ids) > 0 {
		t.Fatalf("evidence outlived that the record was seen: %v", ids)
	}
	s.sync(codeFine, sweep)
	if ids := s.ids(resource, dead); !slices.Equal(ids, []string{a, b, c}) {
		t.Fatalf("tombstones of %v, want three", ids)
	}

	d.show(nil, b, c) // a returns, byte for byte equal to its row
	if told := toldOf(s.verified(codeFine, "--calls", "8", resource).Findings); !slices.Equal(told, []string{"notice returned items " + a}) {
		t.Errorf("verify says of a record that came back: %v", told)
	}
	s.sync(codeFine, sweep)
	if ids := s.ids(resource, dead); !slices.Equal(ids, []string{b, c}) {
		t.Errorf("tombstones of %v after one came back", ids)
	}
	d.show(nil) // all of them return, and the next run from the watermark shows the changes
	changed, err := s.world.Change(sandbox.Change{Seed: 1, Edits: len(all), Resources: []string{"items"}})
	must(t, err)
	if len(changed["items"].Edited) != len(all) {
		t.Fatalf("%d of %d items were edited", len(changed["items"].Edited), len(all))
	}
	s.sync(codeFine, "items")
	s.truthful(resource)
	if n := one[int](s, `SELECT count(*) FROM sluice.tombstones WHERE state = 'restored' AND restores = 1 AND restored_call IS NOT NULL`); n != 3 {
		t.Errorf("%d records are known to have come back, want 3", n)
	}
	if n := one[int](s, `SELECT count(*) FROM inventory.items_custom_fields WHERE _deleted_at IS NOT NULL`); n > 0 {
		t.Errorf("%d elements of live items are dead", n)
	}
}

// TestSilentEditsAreFoundBySweeps: a value changes and the modification time does not.
func TestSilentEditsAreFoundBySweeps(t *testing.T) {
	t.Parallel()
	s, d := disguised(t, 94)
	const sweep = "inventory.items.sweep"
	s.sync(codeFine, sweep)
	all := s.truth("inventory.items")
	d.show(map[string]string{all[1]: "quiet", all[2]: "quieter"})
	// Records modified after the list was last read are not judged, whatever times the seed gave
	// these two.
	s.exec(`UPDATE sluice.streams SET watermark = now() + interval '1 hour' WHERE resource = 'items'`)

	result := s.sync(codeFine, sweep)
	if r := result.Streams[0]; r.Updated != 2 || r.Silent != 2 {
		t.Errorf("%+v: want two changes, both silent", r)
	}
	if name := one[string](s, `SELECT name FROM inventory.items WHERE item_id = $1`, all[1]); name != "quiet" {
		t.Errorf("the name is %q", name)
	}
	var views []trustView
	s.document(&views, "verify", "--modification-times", "inventory.items")
	if len(views) != 1 || views[0].Silent != 2 || views[0].Told == nil || *views[0].Told != 0 || views[0].Whole != 2 {
		t.Errorf("modification times: %+v", views)
	}
	if o := s.run("verify", "--modification-times"); o.code != codeFine || !strings.Contains(o.stdout, "0 %") {
		t.Errorf("modification times: %s%s", o.stdout, o.stderr)
	}
	if o := s.run("runs", sweep, "--limit", "1"); !strings.Contains(o.stdout, "SILENT") {
		t.Errorf("runs: %s%s", o.stdout, o.stderr)
	}
}
