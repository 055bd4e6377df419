package terms_test

import (
	"net/url"
	"strings"
	"testing"

	"sluice/pipeline/check"
	"sluice/sandbox/world/ids"
	"sluice/sandbox/world/overlay"
	"sluice/sandbox/world/terms"
)

func TestMeet(t *testing.T) {
	t.Parallel()
	payment, errPayment := overlay.Parse([]byte(`{"vendor_name":"Łódź Steel","reference_number":"REF-9","payment_number":"12","payment_mode":"cash","description":"Rent","date":"2026-01-05","amount":100.50}`))
	note, errNote := overlay.Parse([]byte(`{"status":"open","line_items":[{"description":"Scratched"},{"description":"Bent rim"}]}`))
	if errPayment != nil || errNote != nil {
		t.Fatal(errPayment, errNote)
	}
	for query, want := range map[string]bool{
		"vendor_name_startswith=łódź":                   true,
		"vendor_name_startswith=steel":                  false,
		"vendor_name_contains=STEEL":                    true,
		"reference_number_startswith=REF":               true,
		"reference_number_contains=8":                   false,
		"payment_number_startswith=1":                   true,
		"payment_number_contains=3":                     false,
		"payment_mode_contains=as":                      true,
		"notes_contains=rent":                           true,
		"description_startswith=ent":                    false,
		"date_start=2026-01-05&date_end=2026-01-05":     true,
		"date_before=2026-01-05":                        false,
		"date_after=2026-01-05":                         false,
		"date_after=2026-01-04&date_before=2026-01-06":  true,
		"date_start=2026-01-06":                         false,
		"date_end=2026-01-04":                           false,
		"amount_less_than=100.5":                        false,
		"amount_less_equals=100.5":                      true,
		"amount_greater_than=100.5":                     false,
		"amount_greater_equals=100.50":                  true,
		"amount_less_than=100.51":                       true,
		"amount_greater_than=99&vendor_name_contains=x": false,
	} {
		same(t, meets(t, ids.Payments, query, payment), want, query)
	}
	for query, want := range map[string]bool{
		"item_description_startswith=bent": true, "item_description_startswith=rim": false, "item_description_contains=rim": true,
		"status=open": true, "status=void": false,
	} {
		same(t, meets(t, ids.CreditNotes, query, note), want, query)
	}
}

func meets(t *testing.T, kind ids.Kind, query string, record *overlay.Object) bool {
	t.Helper()
	values := check.Sure(url.ParseQuery(query))(t)
	text := terms.Read(kind, values, false)
	if text == "" {
		t.Errorf("%s is not read", query)
	}
	return terms.Parse(text).Meet(record)
}

// A list ignores unknown and unreadable filters.
func TestIgnored(t *testing.T) {
	t.Parallel()
	for _, query := range []string{
		"", "page=2", "vendor_name=x", "colour_contains=x", "date_start=yesterday", "amount_less_than=1e9999999", "amount_less_than=1/3",
		"amount_contains=1", "vendor_name_contains=", "item_description_contains=x", "status=open",
	} {
		values := check.Sure(url.ParseQuery(query))(t)
		same(t, terms.Read(ids.Payments, values, true), "", query)
		same(t, terms.Read(ids.Bills, values, false), "", query)
	}
	same(t, terms.Read(ids.CreditNotes, url.Values{"status": {"draft"}}, true), "", "docs/upstream.md U223 has open, closed and void")
}

func TestTooLong(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]bool{100: false, 101: true} {
		for _, name := range []string{"item_description_startswith", "item_description_contains"} {
			same(t, terms.TooLong(url.Values{name: {strings.Repeat("ü", length)}}), want, name, length)
		}
	}
}

// same compares two values; where says what they are.
func same[T comparable](t *testing.T, got, want T, where ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%v: got %v, want %v", where, got, want)
	}
}
