package sandbox_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox"
)

// letter is one webhook that arrived.
type letter struct {
	address, signature, body string
	header                   http.Header
}

// letterbox receives webhooks.
type letterbox struct {
	mu      sync.Mutex
	status  int // 0 is 200
	letters []letter
}

func (b *letterbox) Post(_ context.Context, address string, header http.Header, body []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.letters = append(b.letters, letter{address, header.Get("X-Svc-Webhook-Signature"), string(body), header})
	return max(b.status, http.StatusOK), nil
}

// delivered sends what is due and returns what arrived.
func (b *letterbox) delivered(t *testing.T, u *upstream) []letter {
	t.Helper()
	u.Deliver(t.Context())
	b.mu.Lock()
	defer b.mu.Unlock()
	letters := b.letters
	b.letters = nil
	return letters
}

const hookSecret = "sandboxsecret1"

// authentic compares a signature with that of a text, computed as docs/upstream.md U304 says.
func (l letter) authentic(text string) bool {
	sum := hmac.New(sha256.New, []byte(hookSecret))
	sum.Write([]byte(text))
	return l.signature == hex.EncodeToString(sum.Sum(nil))
}

// identified returns a rule whose body is the identifier of a record alone.
func identified(resource, id string) sandbox.WebhookRule {
	return sandbox.WebhookRule{
		Resource: resource, Address: "http://127.0.0.1:1/" + resource + "?org=7", Secret: hookSecret, Body: `{"` + id + `":"${` + id + `}"}`, Deleted: true,
	}
}

// ruledResources are those whose records fire rules, with the key of their identifier.
func ruledResources() map[string]string {
	return map[string]string{
		"inventory.bills": "bill_id", "inventory.items": "item_id", "inventory.composite_items": "composite_item_id",
		"inventory.credit_notes": "creditnote_id", "accounting.vendor_payments": "payment_id", "accounting.expenses": "expense_id",
		"accounting.chart_of_accounts": "account_id", "accounting.contact_persons": "contact_person_id", "billing.contact_persons": "contactperson_id",
		"accounting.base_currency_adjustments": "base_currency_adjustment_id", "accounting.opening_balances": "opening_balance_id",
		"accounting.cm_visits": "module_record_id",
	}
}

func allRules() sandbox.Webhooks {
	var set sandbox.Webhooks
	for resource, id := range ruledResources() {
		set.Rules = append(set.Rules, identified(resource, id))
	}
	return set
}

// byAddress groups the bodies of webhooks, each signed, by the resource of their rule.
func byAddress(t *testing.T, letters []letter) map[string][]string {
	t.Helper()
	got := map[string][]string{}
	for _, one := range letters {
		resource := strings.TrimSuffix(strings.TrimPrefix(one.address, "http://127.0.0.1:1/"), "?org=7")
		errorIf(t, !one.authentic("org7"+one.body), "%s: %s is not signed by %s", resource, one.body, one.signature)
		got[resource] = append(got[resource], one.body)
	}
	for _, bodies := range got {
		slices.Sort(bodies)
	}
	return got
}

// Records of every service with rules fire them when the control changes the world.
func TestRulesFireOnChange(t *testing.T) {
	t.Parallel()
	box := &letterbox{}
	u := start(t, sandbox.Options{Records: 400, Plan: "standard", Poster: box, CustomModules: []string{"cm_visits"}, Webhooks: allRules()})
	changed := u.change(t, sandbox.Change{Seed: 5, Inserts: 1, Edits: 2, Deletes: 1})
	got := byAddress(t, box.delivered(t, u))
	for resource, id := range ruledResources() {
		_, name, _ := strings.Cut(resource, ".")
		ids, found := changed[resource]
		if !found {
			ids = changed[strings.Replace(name, "cm_visits", "custom_module_records", 1)]
		}
		var want []string
		for _, one := range slices.Concat(ids.Inserted, ids.Edited, ids.Deleted) {
			want = append(want, `{"`+id+`":"`+one+`"}`)
		}
		slices.Sort(want)
		equal(t, got[resource], want, resource)
		errorIf(t, len(want) == 0, "%s: nothing to tell", resource)
	}
}

// Writes through the API fire rules, on the records beside as well; the default body is the single
// record, as its own call answers it.
func TestRulesFireOnWrites(t *testing.T) {
	t.Parallel()
	box := &letterbox{}
	u := start(t, sandbox.Options{Records: 200, Plan: "standard", Poster: box, Limits: off()})
	rule := func(resource string) sandbox.WebhookRule {
		return sandbox.WebhookRule{Resource: resource, Address: "http://127.0.0.1:1/" + resource, Secret: hookSecret}
	}
	must(t, u.SetWebhooks(sandbox.Webhooks{Rules: []sandbox.WebhookRule{
		rule("inventory.bills"), rule("accounting.vendor_payments"), rule("accounting.chart_of_accounts"), rule("inventory.items"),
	}}))
	write := func(method, path, body string, want int) {
		t.Helper()
		answer := u.send(t, method, target(path), nil, body)
		fatalIf(t, answer.Code != want, "%s %s: %d %s", method, path, answer.Code, answer.Body)
	}
	told := func(want ...string) []letter {
		t.Helper()
		letters := box.delivered(t, u)
		var got []string
		for _, one := range letters {
			got = append(got, strings.TrimPrefix(one.address, "http://127.0.0.1:1/"))
			errorIf(t, !one.authentic(one.body), "%s: signed %s", one.body, one.signature)
		}
		diff := cmp.Diff(want, got)
		fatalIf(t, diff != "", "called (-want +got):\n%s", diff)
		return letters
	}
	asAnswered := func(one letter, key, id, path string) string {
		t.Helper()
		var body map[string]object
		unmarshal(t, []byte(one.body), &body)
		var answer map[string]json.RawMessage
		record := text(t, body[key][id])
		decode(t, u.get(t, path+"/"+record), &answer)
		want := fmt.Sprintf(`{%q:%s}`, key, answer[key])
		errorIf(t, one.body != want, "got  %s\nwant %s", one.body, want)
		return record
	}
	vendor := text(t, readPage(t, u.get(t, billsPath), "bills").Records[0]["vendor_id"])
	write(http.MethodPost, billsPath, fmt.Sprintf(`{"vendor_id":%q,"line_items":[{"rate":9}]}`, vendor), http.StatusCreated)
	bill := asAnswered(told("inventory.bills")[0], "bill", "bill_id", billsPath)
	write(http.MethodPost, "/books/v3/vendorpayments", fmt.Sprintf(`{"vendor_id":%q,"bills":[{"bill_id":%q,"amount_applied":4}]}`, vendor, bill), http.StatusCreated)
	letters := told("accounting.vendor_payments", "inventory.bills")
	asAnswered(letters[0], "vendorpayment", "payment_id", "/books/v3/vendorpayments")
	equal(t, asAnswered(letters[1], "bill", "bill_id", billsPath), bill, "told of bill")
	account := text(t, readPage(t, u.get(t, "/books/v3/chartofaccounts"), "chartofaccounts").Records[0]["account_id"])
	write(http.MethodPut, "/books/v3/chartofaccounts/"+account, `{"description":"Ours"}`, http.StatusOK)
	letter := told("accounting.chart_of_accounts")[0]
	equal(t, asAnswered(letter, "chart_of_account", "account_id", "/books/v3/chartofaccounts"), account, "told of account")
	write(http.MethodPost, "/inventory/v1/items", `{"name":"Lamp","rate":12}`, http.StatusCreated)
	item := asAnswered(told("inventory.items")[0], "item", "item_id", "/inventory/v1/items")
	u.post(t, "delete", `{"resource":"inventory.items","ids":["`+item+`"]}`, &struct{}{}) // no rule says so
	told()
	u.post(t, "create", `{"resources":["items"]}`, &struct{}{})
	asAnswered(told("inventory.items")[0], "item", "item_id", "/inventory/v1/items")
}

// What the business does by itself fires rules, silent changes apart.
func TestRulesFireOnActivity(t *testing.T) {
	t.Parallel()
	box := &letterbox{}
	set := allRules()
	set.Daily = 100_000
	u := start(t, sandbox.Options{
		Records: 600, Plan: "standard", Poster: box, CustomModules: []string{"cm_visits"}, Webhooks: set, Limits: off(),
		Activity: sandbox.Activity{Inserts: 10, Edits: 20, Payments: 3, Deletes: 1},
	})
	u.Advance(48 * time.Hour)
	got := byAddress(t, box.delivered(t, u))
	for resource := range ruledResources() {
		errorIf(t, len(got[resource]) == 0, "nothing was told of %s: %v", resource, slices.Collect(maps.Keys(got)))
	}
	quiet := start(t, sandbox.Options{
		Records: 300, Plan: "standard", Poster: box, CustomModules: []string{"cm_visits"}, Webhooks: set, Activity: sandbox.Activity{Silent: 20},
	})
	quiet.Advance(10 * time.Hour)
	letters := box.delivered(t, quiet)
	errorIf(t, len(letters) != 0, "%d webhooks of silent changes", len(letters))
}

// The controls show and replace the rules of one organization; a reset brings back those of the
// options.
func TestWebhooksAreControlled(t *testing.T) {
	t.Parallel()
	box := &letterbox{}
	u := start(t, sandbox.Options{
		Records: 100, Plan: "standard", Poster: box, Organizations: []sandbox.OrganizationOptions{{ID: org, DataCenter: "eu", Plan: "free"}},
		Webhooks: sandbox.Webhooks{Rules: []sandbox.WebhookRule{identified("inventory.items", "item_id")}, Daily: 3},
	})
	type shown struct {
		Sending bool
		Stats   struct {
			Sent, Retried, Failed, Reencoded, Unpaid int
			OverLimit                                int `json:"over_limit"`
		}
		Settings sandbox.Webhooks
	}
	show := func(query string) shown {
		t.Helper()
		var got shown
		decode(t, u.serve(t, http.MethodGet, "/_sandbox/webhooks"+query, nil), &got)
		return got
	}
	change := func(resource string, edits int) []letter {
		t.Helper()
		u.change(t, sandbox.Change{Edits: edits, Resources: []string{resource}})
		return box.delivered(t, u)
	}
	letters := change("items", 5)
	errorIf(t, len(letters) != 3 || show("").Stats.OverLimit != 2, "%d of 3 a day: %+v", len(letters), show("").Stats)
	u.Advance(24 * time.Hour)
	const there = "?organization=" + org + "&dc=eu"
	got := show(there)
	errorIf(t, len(got.Settings.Rules) != 0 || !got.Sending, "the other organization has %+v", got)
	rules := `{"rules":[{"resource":"inventory.bills","address":"http://127.0.0.1:1/","secret":"sandboxsecret1"}],"retries":1,"pause_ns":1000000000}`
	var now shown
	u.post(t, "webhooks", rules, &now)
	errorIf(t, len(now.Settings.Rules) != 1 || now.Settings.Retries != 1 || now.Settings.Daily != 1000 || len(change("items", 1)) != 0,
		"set %+v", now)
	for query, bad := range map[string]string{
		"": `{"rules":[{"resource":"bills","address":"http://127.0.0.1:1/"}]}`, "?": `{"colour":1}`, there: rules, // its plan has no rules.
	} {
		equal(t, u.send(t, http.MethodPost, "/_sandbox/webhooks"+query, nil, bad).Code, http.StatusBadRequest, query, bad)
	}
	u.post(t, "notifications", `{"chaos":{"reencode":1}}`, &struct{}{})
	box.status = http.StatusBadGateway
	first := change("bills", 1)
	u.Advance(time.Second)
	again := box.delivered(t, u)
	errorIf(t, len(first) != 1 || len(again) != 1 || first[0].body != again[0].body || first[0].authentic(first[0].body),
		"at first %+v\nagain %+v", first, again)
	stats := show("").Stats
	errorIf(t, stats.Retried != 1 || stats.Failed != 1 || stats.Reencoded != 2 || stats.Sent != 3, "%+v", stats)
	box.status = 0
	u.post(t, "plan", `{"plan":"free"}`, &struct{}{})
	letters = change("bills", 2)
	errorIf(t, len(letters) != 0 || show("").Stats.Unpaid != 2, "%d webhooks of a free organization, %+v", len(letters), show("").Stats)
	must(t, u.Reset())
	letters = change("items", 1)
	errorIf(t, len(letters) != 1 || show("").Stats.Sent != 1, "after a reset %+v, %+v", letters, show(""))
}

// Rules that cannot work are refused at the start; other organizations have rules of their own.
func TestWebhookOptions(t *testing.T) {
	t.Parallel()
	rules := sandbox.Webhooks{Rules: []sandbox.WebhookRule{{Resource: "inventory.items", Address: "https://example.com/hook"}}}
	o := sandbox.Options{Records: 60, Now: newClock().Now, Webhooks: rules, Plan: "standard"}
	_, err := sandbox.New(o)
	errorIf(t, err == nil, "an address elsewhere was taken")
	o.CallbacksAnywhere = true
	_, err = sandbox.New(o)
	errorIf(t, err != nil, "%v", err)
	o.Plan = "free"
	_, err = sandbox.New(o)
	errorIf(t, err == nil || !strings.Contains(err.Error(), "free"), "a free organization was given rules: %v", err)
	box := &letterbox{}
	u := start(t, sandbox.Options{Records: 100, Plan: "standard", Poster: box, Organizations: []sandbox.OrganizationOptions{{ID: "7"}}})
	must(t, u.SetWebhooksOf("7", "", sandbox.Webhooks{Rules: []sandbox.WebhookRule{identified("inventory.items", "item_id")}}))
	errorIf(t, u.SetWebhooksOf("8", "", sandbox.Webhooks{}) == nil, "an organization that is not played was given rules")
	edit := sandbox.Change{Edits: 1, Resources: []string{"items"}}
	_, err = u.Change(edit)
	errorIf(t, err != nil || len(box.delivered(t, u)) != 0, "the wrong organization was told, or %v", err)
	_, err = u.ChangeOf("7", "", edit)
	errorIf(t, err != nil || len(box.delivered(t, u)) != 1, "the right organization was not told, or %v", err)
}

// Chaos of the options strikes callbacks and webhooks alike.
func TestChaosByOption(t *testing.T) {
	t.Parallel()
	box := &letterbox{}
	u := start(t, sandbox.Options{
		Records: 100, Plan: "standard", Poster: box, Chaos: sandbox.Chaos{Gzip: 1},
		Webhooks: sandbox.Webhooks{Rules: []sandbox.WebhookRule{identified("inventory.items", "item_id")}},
	})
	u.watch(t, "", `"Products.all"`)
	u.change(t, sandbox.Change{Edits: 1, Resources: []string{"items"}})
	letters := box.delivered(t, u)
	fatalIf(t, len(letters) != 2, "%d messages", len(letters))
	for _, one := range letters {
		equal(t, one.header.Get("Content-Encoding"), "gzip", one.address, one.body)
	}
}

// The worker sends webhooks by itself, late ones when the clock has moved.
func TestRunSendsWebhooks(t *testing.T) {
	t.Parallel()
	box := &signalled{mailbox: &mailbox{t: t}, arrived: make(chan struct{}, 10)}
	u := start(t, sandbox.Options{
		Records: 100, Plan: "standard", Poster: box,
		Webhooks: sandbox.Webhooks{
			Rules: []sandbox.WebhookRule{{Resource: "inventory.items", Address: "http://127.0.0.1:1/hook"}}, Earliest: time.Hour, Latest: time.Hour,
		},
	})
	go u.Run(t.Context())
	u.change(t, sandbox.Change{Edits: 1, Resources: []string{"items"}})
	u.Advance(time.Hour)
	<-box.arrived
	_, raw := box.told()
	errorIf(t, !strings.HasPrefix(raw, `{"item":{`), "told %s", raw)
}
