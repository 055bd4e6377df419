package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sluice/sandbox"
)

// companyFixture is the setting for the questions of the docs: two businesses under one identifier
// in two data centers, whose dates always differ. Its records have every trap that makes a
// plausible query wrong.
type companyFixture struct {
	*fixture
	all []business
	// then is what upstream had before the changes, today what it has now.
	then, today map[string]*ledger
	// deleted counts the bills that were deleted in between.
	deleted int
	traps   traps
}

// companyZones are 25 hours apart: at any time their dates differ, and one of them differs from the
// date in UTC.
func companyZones() map[string]string {
	return map[string]string{sandbox.DefaultOrganizationID: "Pacific/Kiritimati", "first-eu": "Pacific/Pago_Pago"}
}

// companyResources are the resources that the statements of the docs need, and few others.
const companyResources = `resources:
  inventory.bills: {history: true, calls_per_run: 4}
  inventory.credit_notes: {history: true}
  inventory.items: {daily: [items_locations]}
  accounting.chart_of_accounts: {daily: [current_balance]}
  accounting.contact_persons: {calls_per_run: 5}
  accounting.base_currency_adjustments: {calls_per_run: 3}
  invoicing.contact_persons: {enabled: true, calls_per_run: 2}
  billing.contact_persons: {calls_per_run: 2}
tombstones: {apart: 0s}
`

// newCompany copies the businesses, changes them, and copies the changes that the lists show.
func newCompany(t *testing.T) *companyFixture {
	t.Helper()
	all := []business{
		{key: sandbox.DefaultOrganizationID, name: "first", id: sandbox.DefaultOrganizationID},
		{key: "first-eu", name: "second", id: sandbox.DefaultOrganizationID, dataCenter: "eu"},
	}
	zones := companyZones()
	c := &companyFixture{all: all, fixture: newFixture(t, sandbox.Options{
		Seed: 5, Records: 300, TimeZone: zones[all[0].key], Limits: sandbox.Limits{Off: true},
		Organizations: []sandbox.OrganizationOptions{{ID: all[1].id, DataCenter: "eu", Seed: 6, Records: 300, TimeZone: zones[all[1].key]}},
	})}
	c.traps = traps{next: c.world, today: time.Now().UTC(), heads: map[string]bool{}, fresh: map[string]bool{}, calls: map[string]int{}, refused: map[string]int{}, read: map[string]bool{}}
	c.arrivals.next = &c.traps
	c.configure(all)
	text, err := os.ReadFile(c.config)
	must(t, err)
	before, _, _ := strings.Cut(string(text), "resources:\n")
	before = strings.ReplaceAll(before, "chat: {plan: free}", "invoicing: {plan: free}, billing: {plan: paid}")
	must(t, os.WriteFile(c.config, []byte(before+companyResources), 0o600))
	c.document(&map[string]any{}, "migrate")
	c.sync(codeFine)
	c.then = c.look()
	c.backdate()
	c.change()
	c.pass(2 * time.Minute)
	c.sync(codeFine, "bills", "currencies")
	for range 2 { // two scans prove that a record is gone
		c.sync(codeFine, "bills.sweep", "vendor_payments.sweep")
	}
	c.today = c.look()
	c.exec(`INSERT INTO sluice.console_address (address) VALUES ('https://sluice.example.com')`)
	return c
}

// backdate makes all rows three days older.
func (c *companyFixture) backdate() {
	c.age()
	c.exec(`UPDATE history.versions SET valid_from = valid_from - interval '3 days', valid_to = valid_to - interval '3 days'`)
	c.exec(`UPDATE history.periods SET began_at = began_at - interval '3 days', asked_at = asked_at - interval '3 days'`)
}

// change edits, adds and deletes records of each business. From now on the lists show changed bills
// without their lines.
func (c *companyFixture) change() {
	c.t.Helper()
	for _, b := range c.all {
		changed, err := c.world.ChangeOf(b.id, b.dataCenter, sandbox.Change{Seed: 8, Inserts: 6, Edits: 20, Resources: []string{"bills"}})
		must(c.t, err)
		_, err = c.world.ChangeOf(b.id, b.dataCenter, sandbox.Change{Seed: 9, Edits: 2, Resources: []string{"currencies"}})
		must(c.t, err)
		for _, id := range changed["bills"].Edited {
			c.traps.heads[b.dataCenter+id] = true
		}
		for _, id := range changed["bills"].Inserted {
			c.traps.heads[b.dataCenter+id], c.traps.fresh[b.dataCenter+id] = true, true
		}
		var gone []string
		for _, bill := range c.then[b.key].bills {
			if posted(bill) && !c.traps.heads[b.dataCenter+bill.text("bill_id")] && len(gone) < 4 {
				gone = append(gone, bill.text("bill_id"))
			}
		}
		c.deleteOf(b, "inventory.bills", gone...)
		c.deleteOf(b, "accounting.vendor_payments", c.paidIn2025(b)[:2]...)
		c.deleted += len(gone)
	}
}

func (c *companyFixture) paidIn2025(b business) []string {
	var ids []string
	for _, payment := range c.then[b.key].payments {
		if strings.HasPrefix(payment.text("date"), "2025") {
			ids = append(ids, payment.text("payment_id"))
		}
	}
	return ids
}

// look records what upstream has, as it shows it through the traps.
func (c *companyFixture) look() map[string]*ledger {
	c.t.Helper()
	ledgers := map[string]*ledger{}
	for _, b := range c.all {
		read := func(service, resource string, change func(string, record)) []record {
			var records []record
			for raw := range c.world.TruthOf(b.id, b.dataCenter, service, resource) {
				r := parse(raw)
				if change != nil {
					change(b.dataCenter, r)
				}
				records = append(records, r)
			}
			if len(records) == 0 {
				c.t.Fatalf("%s has no %s", b.name, resource)
			}
			return records
		}
		ledgers[b.key] = &ledger{
			bills: read("inventory", "bills", c.traps.known), payments: read("accounting", "vendor_payments", c.traps.payment),
			notes: read("inventory", "credit_notes", c.traps.note), items: read("inventory", "items", nil),
			accounts: read("accounting", "chart_of_accounts", nil), currencies: read("invoicing", "currencies", nil),
			persons: read("accounting", "contact_persons", nil), adjustments: read("accounting", "base_currency_adjustments", nil),
		}
	}
	return ledgers
}

// traps is the upstream of a company: the sandbox, with records that the sandbox cannot make. The
// same changes are made to its answers and to its truth.
type traps struct {
	next  http.Handler
	today time.Time
	mu    sync.Mutex
	// heads are the bills whose list leaves out their lines, fresh those of them that were created
	// later, by data center and identifier.
	heads, fresh map[string]bool
	// calls and refused count all calls and the refused ones, by data center; read are the paths
	// that were answered.
	calls, refused map[string]int
	read           map[string]bool
}

// ServeHTTP implements http.Handler.
func (x *traps) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kept := httptest.NewRecorder()
	x.next.ServeHTTP(kept, r)
	path, center := r.URL.Path, ""
	if rest, ok := strings.CutPrefix(path, "/dc/eu"); ok {
		path, center = rest, "eu"
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if !strings.HasPrefix(path, "/oauth/") {
		x.calls[center]++
		if kept.Code >= http.StatusBadRequest {
			x.refused[center]++
		} else {
			x.read[center+path] = true
		}
	}
	body := kept.Body.Bytes()
	if rest, ok := strings.CutPrefix(path, billsPath+"/"); ok && kept.Code == http.StatusOK && rest != "" {
		answer := parse(body)
		bill := parse(answer["bill"])
		x.bill(bill)
		answer["bill"] = encoded(bill)
		body = encoded(answer)
	}
	for root, one := range map[string]struct {
		key    string
		change func(string, record)
	}{
		billsPath:                   {"bills", x.head},
		"/inventory/v1/creditnotes": {"creditnotes", x.note},
		"/books/v3/vendorpayments":  {"vendorpayments", x.payment},
	} {
		if path == root && kept.Code == http.StatusOK {
			body = rewritten(body, one.key, func(r record) { one.change(center, r) })
		}
	}
	maps.Copy(w.Header(), kept.Header())
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(kept.Code)
	_, _ = w.Write(body) // the client may be gone
}

// rewritten applies change to each record of a list.
func rewritten(body []byte, key string, change func(record)) []byte {
	answer := parse(body)
	var records []record
	if json.Unmarshal(answer[key], &records) != nil {
		return body
	}
	for _, r := range records {
		change(r)
	}
	answer[key] = encoded(records)
	return encoded(answer)
}

// encoded encodes a value that was decoded before.
func encoded(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		return nil // no answer: the test then lacks records and fails
	}
	return text
}

// head changes a bill as its list shows it, like live lists: changed bills lack their lines, and
// new ones also lack the sums.
func (x *traps) head(center string, r record) {
	x.bill(r)
	if x.heads[center+r.text("bill_id")] {
		for _, name := range []string{"line_items", "taxes", "payments", "vendor_credits", "billing_address", "custom_fields"} {
			delete(r, name)
		}
	}
	if x.fresh[center+r.text("bill_id")] {
		delete(r, "sub_total")
		delete(r, "tax_total")
	}
}

// bill makes kinds of bills of which a sandbox has none or few: void ones, bills in dollars, and
// unknown rates (for one vendor all). Vendors share a name or have two names, and dates are around
// today.
func (x *traps) bill(r record) {
	n := number(r.text("bill_id"))
	if n%7 == 3 {
		r.set("status", "void")
	}
	if n%6 == 1 {
		r.set("currency_code", "USD")
		r["exchange_rate"] = json.RawMessage(fmt.Sprintf("84.%06d", n*7919%1000000))
	}
	if n%11 == 5 {
		r.set("exchange_rate", "")
	}
	vendor := r.text("vendor_id")
	v := number(vendor[max(0, len(vendor)-3):])
	if v == 9 {
		r.set("exchange_rate", "")
	}
	switch v % 3 {
	case 0:
		r.set("vendor_name", "Rao & Sons")
	case 1:
		if n%2 == 0 {
			r.set("vendor_name", r.text("vendor_name")+" Pvt")
		}
	}
	if n%4 == 1 {
		r.set("due_date", x.today.AddDate(0, 0, n/4%5-2).Format(time.DateOnly))
	}
}

// billsPath is the address of bills.
const billsPath = "/inventory/v1/bills"

// single says whether a bill was read by itself.
func (x *traps) single(key string) bool {
	id, center := key, ""
	if rest, ok := strings.CutPrefix(key, "eu"); ok {
		id, center = rest, "eu"
	}
	return x.read[center+billsPath+"/"+id]
}

// known removes from a bill what no answer has shown.
func (x *traps) known(center string, r record) {
	x.bill(r)
	if key := center + r.text("bill_id"); x.fresh[key] && !x.single(key) {
		delete(r, "sub_total")
		delete(r, "tax_total")
	}
}

// payment removes some rates.
func (*traps) payment(_ string, r record) {
	if number(r.text("payment_id"))%9 == 4 {
		r.set("exchange_rate", "")
	}
}

// note makes one credit note unfit.
func (*traps) note(_ string, r record) {
	if unfit(r) {
		r.set("total", "many")
	}
}

// unfit is the one credit note of each business that goes to quarantine.
func unfit(note record) bool { return number(note.text("creditnote_id")) == 7 }

// number is the number of a record in its list, taken from its identifier.
func number(id string) int {
	n, _ := strconv.Atoi(id[max(0, len(id)-9):])
	if n >= 1000 {
		return n / 1000
	}
	return n
}

// record is a record of upstream.
type record map[string]json.RawMessage

func parse(raw []byte) record {
	var r record
	if json.Unmarshal(raw, &r) != nil {
		return record{}
	}
	return r
}

func (r record) set(name, value string) { r[name] = json.RawMessage(strconv.Quote(value)) }

// text is a value as it is on the wire, without quotes; "" if there is none.
func (r record) text(name string) string {
	var s string
	if json.Unmarshal(r[name], &s) == nil {
		return s
	}
	if string(r[name]) == "null" {
		return ""
	}
	return string(r[name])
}

func (r record) list(name string) []record {
	var list []record
	if json.Unmarshal(r[name], &list) != nil {
		return nil
	}
	return list
}

// loaded says whether the warehouse has the lines of a bill.
func (c *companyFixture) loaded(b business, bill record) bool {
	key := b.dataCenter + bill.text("bill_id")
	return !c.traps.heads[key] || c.traps.single(key)
}
