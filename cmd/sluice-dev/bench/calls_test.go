package bench

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"sluice/sandbox"
	"sluice/sandbox/witness"
)

// TestAGoalIsOfCallsOrOfTheirRatio judges measurements at and beyond each kind of goal.
func TestAGoalIsOfCallsOrOfTheirRatio(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		news, list            string
		spent, fewest         int
		goal, figure, verdict string
	}{
		{"again", "bills", 2, 1, "≤ 2", "calls, 2.00 times the 1 of a clairvoyant: why", "met"},
		{"again", "bills", 3, 1, "≤ 2", "calls, 3.00 times the 1 of a clairvoyant: why", "missed"},
		{"1000", "items", 7, 5, "≤ 7", "calls, 1.40 times the 5 of a clairvoyant: why", "met"},
		{"1000", "items", 8, 5, "≤ 7", "calls, 1.60 times the 5 of a clairvoyant: why", "missed"},
		{"first", "bills", 9, 3, "–", "calls, 3.00 times the 3 of a clairvoyant: why", "–"},
		{"none", "bills", 9, 3, "–", "calls, 3.00 times the 3 of a clairvoyant: why", "–"},
	} {
		whole := new(table)
		whole.count(test.news, test.list, test.spent, test.fewest, "why")
		r := whole.lines[0].result()
		if r.goal != test.goal || whole.lines[0].figure != test.figure || r.result != test.verdict || r.median != float64(test.spent) {
			t.Errorf("got %+v, want %+v", r, test)
		}
	}
}

// TestAWorldHasTheNewsThatWasOrdered grows a list, edits it and deletes from it.
func TestAWorldHasTheNewsThatWasOrdered(t *testing.T) {
	t.Parallel()
	err := inWorld(t.Context(), sandbox.Options{Records: 500, Limits: sandbox.Limits{Off: true}, Now: func() time.Time { return time.Now().Add(-behind) }}, func(u *world) error {
		if err := u.grow(accounts, 1500); err != nil {
			return err
		}
		listed := u.Listed(accounts.service, accounts.resource)
		if len(listed) != 1500 {
			t.Errorf("the list has %d records, want 1500", len(listed))
		}
		if changed, err := u.edit(items, 7); err != nil || changed != 7 {
			t.Errorf("%d records were changed, want 7: %v", changed, err)
		}
		gone := listed[700:703]
		if err := u.remove(t.Context(), accounts, gone); err != nil {
			return err
		}
		left := u.Listed(accounts.service, accounts.resource)
		if want := slices.Concat(listed[:700], listed[703:]); !slices.Equal(left, want) {
			t.Errorf("%d records are left in another order or number, want %d", len(left), len(want))
		}
		if err := u.remove(t.Context(), accounts, gone); err == nil {
			t.Error("what is gone was deleted again")
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+u.address, http.NoBody)
		if err != nil {
			return err
		}
		response, err := new(http.Client).Do(request)
		if err != nil {
			return err
		}
		_ = response.Body.Close() // the header is enough
		date, err := http.ParseTime(response.Header.Get("Date"))
		if age := time.Since(date) + u.moved; err != nil || age < behind-time.Minute || age > behind+time.Minute {
			t.Errorf("upstream's clock was %s behind, want about %s: %v", age, behind, err)
		}
		return nil
	})
	must(t, err)
}

// TestRecordsAreLikeTheDocuments checks that the records that the loader gets have the length and the
// compressibility of the documents' samples: these decide the cost of storing a record. They are
// compared without arrays, of which a sample shows only a few elements.
func TestRecordsAreLikeTheDocuments(t *testing.T) {
	t.Parallel()
	err := inWorld(t.Context(), unlimited(companyOf(100)), func(u *world) error {
		for _, name := range []string{nameItems, nameBills} {
			sample, err := witness.Load(inventory, name)
			if err != nil {
				return err
			}
			document := leaves(t, sample.Record)
			size, packed, many := 0, 0, 0
			for raw := range u.Truth(inventory, name) {
				one, deflated := sizes(t, leaves(t, raw))
				size, packed, many = size+one, packed+deflated, many+1
			}
			one, deflated := sizes(t, document)
			length, rest, want := float64(size)/float64(many)/float64(one), float64(packed)/float64(size), float64(deflated)/float64(one)
			if math.Abs(length-1) > 0.15 || math.Abs(rest-want) > 0.05 {
				t.Errorf("%d %s are %.2f times as long as in the document, and packed to %.2f instead of %.2f", many, name, length, rest, want)
			}
		}
		return nil
	})
	must(t, err)
}

// leaves gives the values of a record that are no arrays.
func leaves(t *testing.T, data []byte) map[string]json.RawMessage {
	t.Helper()
	fields := map[string]json.RawMessage{}
	must(t, json.Unmarshal(data, &fields))
	maps.DeleteFunc(fields, func(_ string, value json.RawMessage) bool { return value[0] == '[' })
	return fields
}

// sizes gives the bytes of a record, and those that are left when it is packed.
func sizes(t *testing.T, fields map[string]json.RawMessage) (int, int) {
	t.Helper()
	data, err := json.Marshal(fields)
	must(t, err)
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	must(t, err)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	must(t, w.Close())
	return len(data), packed.Len()
}

// TestAnEditedRecordIsALaterVersion: other amounts, another text and a later time, and the same key.
func TestAnEditedRecordIsALaterVersion(t *testing.T) {
	t.Parallel()
	got, err := edited([]byte(`{"bill_id":"4","total":12.50,"notes":"a","last_modified_time":"2025-01-01T00:00:00+0530","line_items":[{"rate":-2.5,"quantity":3.00,"item_order":1}]}`))
	must(t, err)
	want := `{"bill_id":"4","last_modified_time":"2030-01-02T10:00:00+0530","line_items":[{"item_order":1,"quantity":13.00,"rate":-2.5}],"notes":"a edited","total":112.50}`
	if string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
