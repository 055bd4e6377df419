package webhooks_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox/watch/channel"
	"sluice/sandbox/watch/delivery"
	"sluice/sandbox/webhooks"
	"sluice/sandbox/world"
)

const (
	here   = "http://127.0.0.1:1/hook"
	secret = "abcDEF123456"
	bill   = `{"bill_id":"460000000040000001000","vendor_name":"Ann \"A\" Ltd","total":1250.50,"is_paid":false,"custom_fields":[]}`
)

// call is one webhook that arrived.
type call struct {
	at        time.Time
	address   string
	signature string
	header    http.Header
	body      string
}

// office is a server, its clock and plan, and the receiver of its webhooks.
type office struct {
	*webhooks.Server

	now    time.Time
	plan   string
	status int
	got    []call
}

func (o *office) Post(_ context.Context, address string, header http.Header, body []byte) (int, error) {
	o.got = append(o.got, call{o.now, address, header.Get("X-Svc-Webhook-Signature"), header, string(body)})
	return o.status, nil
}

func open(t *testing.T, settings webhooks.Settings, change func(*webhooks.Options)) *office {
	t.Helper()
	o := &office{now: time.Date(2026, time.March, 10, 6, 0, 0, 0, time.UTC), plan: "standard", status: http.StatusOK}
	zone, err := time.LoadLocation("Asia/Kolkata")
	must(t, err)
	options := webhooks.Options{
		Now: func() time.Time { return o.now }, Zone: zone, Vendor: "Svc", Plan: func() string { return o.plan },
		Modules: []string{"cm_visits", "cm_cars"}, Poster: o, Seed: 7, Settings: settings,
	}
	if change != nil {
		change(&options)
	}
	o.Server, err = webhooks.New(options)
	must(t, err)
	return o
}

func rules(all ...webhooks.Rule) webhooks.Settings { return webhooks.Settings{Rules: all} }

func billRule() webhooks.Rule {
	return webhooks.Rule{Resource: "inventory.bills", Address: here, Secret: secret}
}

func edited(record string) webhooks.Change {
	return webhooks.Change{Kind: world.Bills, Operation: channel.Edit, Record: json.RawMessage(record)}
}

// told sends what is due and returns what arrived.
func (o *office) told(t *testing.T) []call {
	t.Helper()
	o.Flush(t.Context())
	got := o.got
	o.got = nil
	return got
}

// tells publishes changes, sends what is due then, and returns what arrived.
func (o *office) tells(t *testing.T, changes ...webhooks.Change) []call {
	t.Helper()
	o.Publish(changes...)
	return o.told(t)
}

// mac is the signature of a text, computed as docs/upstream.md U304 says.
func mac(key, text string) string {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil))
}

// docs/upstream.md U304: pairs sorted by key, key and value one after the other, then the raw body.
// The texts that are signed are written out by hand; the first is an example of public sources.
func TestSignature(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, body, signed string }{
		{
			"?subscription_id=90343&name=basic", `{"created_date":"2019-03-06","event_id":"5675"}`,
			`namebasicsubscription_id90343{"created_date":"2019-03-06","event_id":"5675"}`,
		},
		{"", `{}`, `{}`},
		{"?a=bc", `{}`, `abc{}`},
		{"?ab=c", `{}`, `abc{}`}, // docs/upstream.md U305
		{"?b=2&a=x%20y%26z&b=1&empty=", `plain`, `ax y&zb2b1emptyplain`},
	} {
		o := open(t, rules(webhooks.Rule{Resource: "inventory.bills", Address: here + c.query, Secret: secret, Body: c.body}), nil)
		got := o.tells(t, edited(bill))
		if len(got) != 1 || got[0].address != here+c.query || got[0].body != c.body {
			t.Fatalf("%s: %+v", c.query, got)
		}
		want := mac(secret, c.signed)
		errorIf(t, got[0].signature != want, "%s: signed %s, want %s of %s", c.query, got[0].signature, want, c.signed)
	}
	o := open(t, rules(webhooks.Rule{Resource: "inventory.bills", Address: here}), func(o *webhooks.Options) { o.Vendor = "Acme" })
	got := o.tells(t, edited(bill))
	errorIf(t, len(got) != 1 || len(got[0].header["X-Acme-Webhook-Signature"]) != 0, "without a secret: %+v", got)
	must(t, o.Set(rules(billRule())))
	if got := o.tells(t, edited(bill)); len(got) != 1 || got[0].header.Get("X-Acme-Webhook-Signature") == "" || got[0].header.Get("Content-Type") != "application/json;charset=UTF-8" {
		t.Errorf("another vendor: %+v", got)
	}
}

// docs/upstream.md U306 and U308: the whole record under its key, or a text of the rule's own.
func TestBodies(t *testing.T) {
	t.Parallel()
	change := edited(bill)
	person := webhooks.Change{Kind: world.ContactPersons, Under: "46001", Operation: channel.Create, Record: json.RawMessage(`{"contact_person_id":"5"}`)}
	visit := webhooks.Change{Kind: world.ModuleRecords, Under: "cm_visits", Operation: channel.Create, Record: json.RawMessage(`{"module_record_id":"6"}`)}
	account := webhooks.Change{Kind: world.Accounts, Operation: channel.Edit, Record: json.RawMessage(`{"account_id":"7"}`)}
	for _, c := range []struct {
		resource, template string
		change             webhooks.Change
		want               string
	}{
		{"inventory.bills", "", change, `{"bill":` + bill + `}`},
		{"inventory.bills", `{"bill_id":"${bill_id}"}`, change, `{"bill_id":"460000000040000001000"}`},
		{
			"inventory.bills", `{"name":"${vendor_name}","total":${total},"paid":${is_paid},"none":"${colour}","$":"${}"}`, change,
			`{"name":"Ann \"A\" Ltd","total":1250.50,"paid":false,"none":"","$":"${}"}`,
		},
		{"accounting.contact_persons", "", person, `{"contact_person":{"contact_person_id":"5"}}`},
		{"invoicing.contact_persons", `{"contact_id":"${contact_id}"}`, person, `{"contact_id":"46001"}`},
		{"accounting.cm_visits", "", visit, `{"module_record":{"module_record_id":"6"}}`},
		{"accounting.cm_visits", `{"of":"${module_name}","id":"${module_record_id}"}`, visit, `{"of":"cm_visits","id":"6"}`},
		{"accounting.chart_of_accounts", "", account, `{"chart_of_account":{"account_id":"7"}}`},
	} {
		o := open(t, rules(webhooks.Rule{Resource: c.resource, Address: here, Body: c.template}), nil)
		got := o.tells(t, c.change)
		errorIf(t, len(got) != 1 || got[0].body != c.want, "%s %s: %+v\nwant %s", c.resource, c.template, got, c.want)
	}
}

// docs/upstream.md U301: created and edited records fire a rule; deleted ones if it says so.
func TestWhatFires(t *testing.T) {
	t.Parallel()
	rule, gone, cars := billRule(), billRule(), billRule()
	gone.Deleted, gone.Body = true, "also deleted"
	cars.Resource, cars.Body = "accounting.cm_cars", "car"
	o := open(t, rules(rule, gone, cars), nil)
	of := func(kind world.Kind, under string, operation channel.Operation) webhooks.Change {
		return webhooks.Change{Kind: kind, Under: under, Operation: operation, Record: json.RawMessage(`{}`)}
	}
	for _, c := range []struct {
		change webhooks.Change
		want   []string
	}{
		{of(world.Bills, "", channel.Create), []string{`{"bill":{}}`, "also deleted"}},
		{of(world.Bills, "", channel.Edit), []string{`{"bill":{}}`, "also deleted"}},
		{of(world.Bills, "", channel.Delete), []string{"also deleted"}},
		{of(world.Items, "", channel.Edit), nil},
		{of(world.ModuleRecords, "cm_cars", channel.Edit), []string{"car"}},
		{of(world.ModuleRecords, "cm_visits", channel.Edit), nil},
	} {
		var got []string
		for _, call := range o.tells(t, c.change) {
			got = append(got, call.body)
		}
		diff := cmp.Diff(c.want, got)
		errorIf(t, diff != "", "%+v (-want +got):\n%s", c.change, diff)
	}
	must(t, o.Set(webhooks.Settings{}))
	got := o.tells(t, edited(bill))
	errorIf(t, len(got) != 0, "without rules: %+v", got)
}

// docs/upstream.md U302: 1,000 webhooks in a day of the organization; those above are dropped.
func TestDayLimit(t *testing.T) {
	t.Parallel()
	o := open(t, rules(billRule(), billRule()), nil)
	many := make([]webhooks.Change, 501)
	for n := range many {
		many[n] = edited(bill)
	}
	got := o.tells(t, many...)
	errorIf(t, len(got) != 1000 || o.Stats().OverLimit != 2 || o.Stats().Sent != 1000, "%d calls, %+v", len(got), o.Stats())
	o.now = time.Date(2026, time.March, 10, 18, 29, 59, 0, time.UTC) // 23:59:59 in Kolkata
	got = o.tells(t, edited(bill))
	errorIf(t, len(got) != 0 || o.Stats().OverLimit != 4, "at the end of the day: %d calls, %+v", len(got), o.Stats())
	o.now = o.now.Add(time.Second)
	settings := o.Settings()
	settings.Daily = 3
	must(t, o.Set(settings))
	o.Publish(edited(bill))
	got = o.tells(t, edited(bill))
	errorIf(t, len(got) != 3 || o.Stats().OverLimit != 5, "on the next day, with a limit of 3: %d calls, %+v", len(got), o.Stats())
	must(t, o.Set(settings)) // it opens no new day
	got = o.tells(t, edited(bill))
	errorIf(t, len(got) != 0, "new settings: %d calls", len(got))
}

// docs/upstream.md U302: rules need a paid plan.
func TestPaidPlansOnly(t *testing.T) {
	t.Parallel()
	o := open(t, rules(billRule()), nil)
	o.plan = "free"
	got := o.tells(t, edited(bill))
	errorIf(t, len(got) != 0 || o.Stats().Unpaid != 1, "%d calls, %+v", len(got), o.Stats())
	errorIf(t, o.Set(rules(billRule())) == nil, "a free organization was given rules")
	must(t, o.Set(webhooks.Settings{}))
	free := rules(billRule())
	free.FreePlan = true
	must(t, o.Set(free))
	got = o.tells(t, edited(bill))
	errorIf(t, len(got) != 1 || o.Stats().Unpaid != 1, "by option: %d calls, %+v", len(got), o.Stats())
}

// docs/upstream.md U303: sent some time after the change, and again after an answer other than 2xx.
func TestLateAndAgain(t *testing.T) {
	t.Parallel()
	settings := rules(billRule())
	settings.Earliest, settings.Latest = 30*time.Second, 5*time.Minute
	o := open(t, settings, nil)
	start := o.now
	for range 200 {
		o.Publish(edited(bill))
	}
	var early, late int
	for range 301 {
		for _, one := range o.told(t) {
			switch after := one.at.Sub(start); {
			case after < 30*time.Second || after > 5*time.Minute:
				t.Fatalf("sent %s after the change", after)
			case after < 2*time.Minute:
				early++
			default:
				late++
			}
		}
		o.now = o.now.Add(time.Second)
	}
	errorIf(t, early < 20 || late < 20 || early+late != 200, "%d early, %d late", early, late)

	settings = rules(billRule())
	settings.Retries, settings.Pause = 3, 10*time.Second
	must(t, o.Set(settings))
	o.status = http.StatusServiceUnavailable
	start = o.now
	o.Publish(edited(bill))
	var tries []time.Duration
	signatures := map[string]bool{}
	for range 60 {
		for _, one := range o.told(t) {
			tries = append(tries, one.at.Sub(start))
			signatures[one.signature+one.body] = true
		}
		o.now = o.now.Add(time.Second)
	}
	want := []time.Duration{0, 10 * time.Second, 20 * time.Second, 30 * time.Second}
	diff := cmp.Diff(want, tries)
	errorIf(t, diff != "" || len(signatures) != 1, "%d forms; tried (-want +got):\n%s", len(signatures), diff)
	stats := o.Stats()
	errorIf(t, stats.Retried != 3 || stats.Failed != 1 || stats.Sent != 200 || stats.OverLimit != 0, "%+v", stats)
}

// A proxy that writes the body anew breaks the signature, and no value.
func TestProxyBreaksSignatures(t *testing.T) {
	t.Parallel()
	o := open(t, rules(billRule()), nil)
	must(t, o.SetChaos(delivery.Chaos{Reencode: 1}))
	got := o.tells(t, edited(bill))
	if len(got) != 1 || got[0].signature != mac(secret, `{"bill":`+bill+`}`) || got[0].signature == mac(secret, got[0].body) {
		t.Fatalf("%+v", got)
	}
	var compact bytes.Buffer
	err := json.Compact(&compact, []byte(got[0].body))
	errorIf(t, err != nil || !strings.Contains(compact.String(), `"total":1250.50`), "%v: %s", err, got[0].body)
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	with := func(change func(*webhooks.Rule)) webhooks.Settings {
		rule := billRule()
		change(&rule)
		return rules(rule)
	}
	of := func(resource string, n int) []webhooks.Rule {
		all := make([]webhooks.Rule, n)
		for i := range all {
			all[i] = billRule()
			all[i].Resource = resource
		}
		return all
	}
	var modules []string
	var most []webhooks.Rule
	for n := range 20 {
		modules = append(modules, fmt.Sprintf("cm_%d", n))
		most = append(most, of("accounting."+modules[n], 10)...)
	}
	o := open(t, rules(billRule()), func(o *webhooks.Options) { o.Modules = modules })
	for name, settings := range map[string]webhooks.Settings{
		"no service":          with(func(r *webhooks.Rule) { r.Resource = "bills" }),
		"unknown resource":    with(func(r *webhooks.Rule) { r.Resource = "inventory.dragons" }),
		"chat":                with(func(r *webhooks.Rule) { r.Resource = "chat.channels" }),
		"taxes":               with(func(r *webhooks.Rule) { r.Resource = "inventory.taxes" }),
		"unknown module":      with(func(r *webhooks.Rule) { r.Resource = "accounting.cm_ships" }),
		"another machine":     with(func(r *webhooks.Rule) { r.Address = "https://example.com/hook" }),
		"no address":          with(func(r *webhooks.Rule) { r.Address = "" }),
		"a short secret":      with(func(r *webhooks.Rule) { r.Secret = "abcdef12345" }),
		"a long secret":       with(func(r *webhooks.Rule) { r.Secret = strings.Repeat("a", 51) }),
		"a secret with signs": with(func(r *webhooks.Rule) { r.Secret = "abcdef-123456" }),
		"eleven of a module":  rules(of("inventory.bills", 11)...),
		"201 rules":           rules(append(most, billRule())...),
		"a negative limit":    {Daily: -1},
		"a negative pause":    {Pause: -1},
		"a range backwards":   {Earliest: 2, Latest: 1},
		"a negative range":    {Earliest: -1, Latest: 1},
		"four retries":        {Retries: 4},
		"retries below none":  {Retries: -1},
	} {
		errorIf(t, o.Set(settings) == nil, "%s was taken", name)
	}
	got := o.Settings()
	errorIf(t, len(got.Rules) != 1 || got.Daily != 1000 || got.Pause != time.Minute, "a refusal left %+v", got)
	longest := with(func(r *webhooks.Rule) { r.Secret = strings.Repeat("Z", 50) })
	longest.Rules = append(longest.Rules, append(of("inventory.bills", 9), of("inventory.items", 10)...)...)
	must(t, o.Set(longest))        // ten rules a module
	must(t, o.Set(rules(most...))) // 200 rules
	away := open(t, with(func(r *webhooks.Rule) { r.Address = "https://example.com/hook" }), func(o *webhooks.Options) { o.AnyHost = true })
	told := away.tells(t, edited(bill))
	errorIf(t, len(told) != 1, "%d calls to another machine", len(told))
	_, err := webhooks.New(webhooks.Options{Poster: o, Plan: func() string { return "" }})
	errorIf(t, err == nil, "a server without a clock")
}

func TestTheKeysOfSettings(t *testing.T) {
	t.Parallel()
	var got webhooks.Settings
	err := json.Unmarshal(fmt.Appendf(nil,
		`{"rules":[{"resource":"inventory.bills","address":%q,"secret":%q,"body":"x","deleted":true}],"daily":5,"free_plan":true,
		"earliest_ns":1,"latest_ns":2,"retries":3,"pause_ns":4}`, here, secret), &got)
	want := webhooks.Settings{
		Rules: []webhooks.Rule{{Resource: "inventory.bills", Address: here, Secret: secret, Body: "x", Deleted: true}},
		Daily: 5, FreePlan: true, Earliest: 1, Latest: 2, Retries: 3, Pause: 4,
	}
	diff := cmp.Diff(want, got)
	errorIf(t, diff != "" || err != nil, "%v (-want +got):\n%s", err, diff)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
