package rules_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"sluice/sandbox/rules"
)

func find(t *testing.T, method, path string) rules.Rule {
	t.Helper()
	rule, found := rules.Find(method, path)
	if !found {
		t.Fatalf("no rule for %s %s", method, path)
	}
	return rule
}

// The refusals of each write endpoint, by hand from the documents: a body, and the
// beginnings of the problems, in the order of the fields.
func TestCheck(t *testing.T) {
	t.Parallel()
	const (
		accounting = "/books/v3/contacts/contactpersons"
		invoicing  = "/invoice/v3/contacts/contactpersons"
		billing    = "/billing/v1/customers/{parent}/contactpersons"
		currency   = "/invoice/v3/settings/currencies"
		expense    = "/books/v3/expenses"
		note       = "/inventory/v1/creditnotes"
		tax        = "/inventory/v1/settings/taxes"
		balance    = "/books/v3/settings/openingbalances"
	)
	for _, c := range []struct {
		name, method, path, body string
		want                     []string
	}{
		{"nothing is required in accounting", "POST", accounting, `{}`, nil},
		{"lengths apply to invoicing only", "POST", accounting, `{"salutation":"` + strings.Repeat("a", 26) + `"}`, nil},
		{"25 characters", "POST", invoicing, `{"first_name":"a","salutation":"` + strings.Repeat("ü", 25) + `"}`, nil},
		{"26 characters", "POST", invoicing, `{"first_name":"a","salutation":"` + strings.Repeat("ü", 26) + `"}`, []string{"salutation: is longer than 25"}},
		{"name", "POST", invoicing, `{"last_name":"x"}`, []string{"first_name: is required"}},
		{"empty is absent", "POST", invoicing, `{"first_name":""}`, []string{"first_name: is required"}},
		{"both required", "PUT", invoicing + "/{id}", `{}`, []string{"contact_id: is required", "first_name: is required"}},
		{"identifiers as numbers", "PUT", invoicing + "/{id}", `{"contact_id":460000000000026049,"first_name":"a"}`, nil},
		{"a text is no number", "POST", invoicing, `{"first_name":5}`, []string{"first_name: is no text"}},
		{"email", "POST", billing, `{"first_name":"a"}`, []string{"email: is required"}},
		{"times", "PUT", billing + "/{id}", `{"email":"a","created_time":"2026-01-17T15:27:23+0530","updated_time":"2026-01-17"}`, []string{"updated_time: is no date-time"}},
		{"symbol", "POST", currency, `{"currency_code":"X","currency_symbol":"abcde"}`, []string{"currency_symbol: is longer than 4"}},
		{"four signs", "POST", currency, `{"currency_code":"X","currency_symbol":"د.إ₹"}`, nil},
		{"flags", "POST", accounting, `{"is_primary_contact":"yes","enable_portal":"true"}`, []string{"is_primary_contact: is no boolean"}},
		{"all at once", "POST", expense, `{"account_id":"1","amount":1,"date":"17.01.2026","fuel_type":"gas","vehicle_type":"plane","mileage_unit":"league"}`,
			[]string{"date: is no date", "mileage_unit: is none of km, mile", "vehicle_type: is none of", "fuel_type: is none of"}},
		{"in lines", "POST", expense, `{"line_items":[{"amount":1},{"amount":{},"product_type":"x"}]}`, []string{"line_items[1].amount: is no number", "line_items[1].product_type: is none of"}},
		{"readings", "POST", expense, `{"mileage_type":"odometer","start_reading":5,"end_reading":4}`, []string{"end_reading: is less"}},
		{"huge numbers", "POST", expense, `{"account_id":"1","amount":1e99}`, []string{"amount: is no number"}},
		{"any edition", "POST", expense, `{"account_id":"1","amount":1,"tax_treatment":"non_kenya","product_type":"digital_service","place_of_supply":"MH"}`, nil},
		{"designated zones", "POST", expense, `{"account_id":"1","amount":1,"tax_treatment":"dz_vat_registered","place_of_supply":"DU"}`, nil},
		{"Mexico", "POST", note, `{"customer_id":"1","tax_treatment":"border_region_mexico","cfdi_usage":"medical_expense_insurance_pormium"}`, nil},
		{"South Africa", "POST", expense, `{"account_id":"1","amount":1,"product_type":"capital_goods","tax_treatment":"overseas"}`, nil},
		{"taxes of Mexico", "POST", tax, `{"tax_name":"a","tax_percentage":1,"tax_specific_type":"ieps"}`, nil},
		{"a group holds inventory", "POST", "/inventory/v1/items", `{"name":"a","group_id":"1","item_type":"purchases"}`, []string{"item_type: must be inventory"}},
		{"balanced", "POST", balance, `{"date":"2026-01-01","accounts":[{"account_id":"1","debit_or_credit":"debit","amount":0.1},{"account_id":"2","debit_or_credit":"debit","amount":"0.2"},
			{"account_id":"3","debit_or_credit":"credit","amount":0.003,"exchange_rate":100}]}`, nil},
		{"out of balance", "POST", balance, `{"date":"2026-01-01","accounts":[{"account_id":"1","debit_or_credit":"debit","amount":1}]}`, []string{"accounts: debits of 1.00 do not equal credits of 0.00"}},
		{"no side", "POST", balance, `{"date":"2026-01-01","accounts":[{"account_id":"1"}]}`, []string{"accounts: each line needs"}},
		{"checks are a list on input", "POST", "/books/v3/vendorpayments", `{"vendor_id":"1","check_details":{"memo":"x"}}`, []string{"check_details: is no list"}},
		{"unknown fields are ignored", "POST", "/books/v3/vendorpayments", `{"vendor_id":"1","colour":{}}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			body, err := rules.Read([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			problems := find(t, c.method, c.path).Check(body, c.method == "POST")
			if len(problems) != len(c.want) {
				t.Fatalf("problems %q, want %q", rules.Message(problems), c.want)
			}
			for n, p := range problems {
				errorIf(t, !strings.HasPrefix(p.String(), c.want[n]), "problem %q, want %q", p, c.want[n])
			}
		})
	}
}

func TestUploads(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/books/v3/expenses":                      "gif png jpeg jpg bmp pdf xls xlsx doc docx",
		"/inventory/v1/compositeitems/{id}/image": "gif png jpeg jpg bmp",
		"/inventory/v1/bills":                     "gif png jpeg jpg bmp pdf",
	} {
		upload := find(t, "POST", path).Upload
		for extension := range strings.FieldsSeq("gif png jpeg jpg bmp pdf xls xlsx doc docx tiff exe") {
			got, good := upload.Accepts("a.b."+strings.ToUpper(extension)), slices.Contains(strings.Fields(want), extension)
			errorIf(t, got != good, "%s: %s accepted %t, want %t", path, extension, got, good)
		}
		errorIf(t, upload.Accepts("png") || upload.Accepts("png.") || upload.Accepts(""), "%s accepts a name without extension", path)
	}
}

// Each rule cites a fact and quotes the passage of the API document behind it.
func TestPassages(t *testing.T) {
	t.Parallel()
	quotes := regexp.MustCompile(`'([^']+)'`)
	for _, rule := range rules.All() {
		errorIf(t, !regexp.MustCompile(`^docs/upstream\.md U\d+, `).MatchString(rule.Passage),
			"%s %s: passage %q", rule.Method, rule.Path, rule.Passage)
		errorIf(t, len(quotes.FindAllString(rule.Passage, -1)) == 0, "%s %s quotes nothing", rule.Method, rule.Path)
	}
	rule, found := rules.Find("PATCH", "/books/v3/expenses")
	errorIf(t, found, "there is a rule for %s", rule.Method)
}

// docs/upstream.md U168: 38 account types.
func TestAccountTypes(t *testing.T) {
	t.Parallel()
	if types := rules.AccountTypes(); len(types) != 38 || !slices.IsSorted(types) || !slices.Contains(types, "right_to_use_asset") {
		t.Errorf("%d account types: %v", len(types), types)
	}
}

func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"accounts":[{"account_id":1,"debit_or_credit":"debit","amount":"1e5"}]}`, `{"line_items":[null,{}],"amount":-0.0}`,
		`{"address":{"city":[]},"user_ids":[1]}`, `{"date":"0000-00-00","email":"\u0000\ud800"}`, `[`, `null`, `{"amount":1e999999999}`,
	} {
		f.Add([]byte(seed), 0)
	}
	all := rules.All()
	f.Fuzz(func(t *testing.T, data []byte, n int) {
		body, err := rules.Read(data)
		if err != nil {
			return
		}
		rule := all[uint(n)%uint(len(all))]
		problems := rule.Check(body, true)
		again := rule.Check(body, true)
		errorIf(t, rules.Message(problems) != rules.Message(again), "%q and then %q", rules.Message(problems), rules.Message(again))
		errorIf(t, len(body) == 0 && len(problems) != len(rule.Required)+len(rule.Needed) && rule.Path != "/books/v3/expenses",
			"%s %s: an empty body has problems %q", rule.Method, rule.Path, rules.Message(problems))
		for _, p := range problems {
			errorIf(t, p.Text == "", "a problem of %s without a text", p.Field)
		}
	})
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
