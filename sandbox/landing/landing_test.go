package landing_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"sluice/sandbox/landing"
	"sluice/sandbox/limits"
)

func write(t *testing.T, page landing.Page) string {
	t.Helper()
	page.Endpoints = append(page.Endpoints, landing.Endpoint{
		Name: "bills", Service: "inventory", Method: "GET", Path: "/v1/bills/{id}", Scope: "Inventory.bills.READ", Note: "One at a time.", Assumed: "path of one bill",
	})
	var body bytes.Buffer
	if err := page.Write(&body); err != nil {
		t.Fatal(err)
	}
	return body.String()
}

func TestFirstParagraphSaysWhatItIsNot(t *testing.T) {
	t.Parallel()
	body := write(t, landing.Page{})
	first := regexp.MustCompile(`(?s)<p[ >].*?</p>`).FindString(body)
	if !strings.Contains(first, "not the real service") || !strings.Contains(first, "forgets everything") {
		t.Errorf("the first paragraph is %q", first)
	}
}

// The page is complete without a network, in any browser.
func TestLoadsNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	body := write(t, landing.Page{Base: "http://127.0.0.1:1"})
	for _, address := range regexp.MustCompile(`(?:src|href|url|@import)\s*[=(]\s*["']?[^"')>]*`).FindAllString(body, -1) {
		if address != `href="data:,` && !strings.HasPrefix(address, `href="/`) {
			t.Errorf("loads %s", address)
		}
	}
	if strings.Contains(body, "<script") {
		t.Error("runs a script")
	}
}

func TestShowsWhatIsGiven(t *testing.T) {
	t.Parallel()
	page := landing.Page{
		Base: "http://127.0.0.1:1", Organization: "org-7", Vendor: "<b>", Records: 321, TimeZone: "Europe/Rome", Plan: "elite",
		Limits: limits.Limits{
			PerMinute: 11, Concurrent: 12, DailyAccounting: 13, DailyInventory: 14, ChatPerMinute: 15, ChatLock: 90 * time.Second, DailyInvoicing: 16, DailyBilling: 17,
		},
		Controls: []landing.Control{{Call: "POST /_sandbox/rain", Meaning: "Makes it rain."}},
		Networks: []string{"partners"}, Modules: []string{"cm_projects"},
		Organizations: []landing.Organization{{ID: "org-8", Prefix: "/dc/eu", RefreshToken: "1000.abc"}},
	}
	body := write(t, page)
	for _, want := range []string{
		"http://127.0.0.1:1/inventory/v1/bills?organization_id=org-7", "GET&nbsp;/v1/bills/{id}", "Assumed: path of one bill",
		"<code>partners</code>", "<code>cm_projects</code>", "org-8", "/dc/eu", "1000.abc", "X-com-&lt;b&gt;-invoice-organizationid", "&lt;b&gt;-oauthtoken", "of 321 records", "Europe/Rome", "elite",
		"11 calls in any minute, 12 at once; in any 24 hours 13 to accounting, 16 to invoicing, 17 to subscription billing and 14 to inventory; 15 a minute to chat, then chat is locked for 1.5 minutes",
		"<summary>inventory: 1 calls</summary>", "Inventory.bills.READ</code>", "POST /_sandbox/rain", "Makes it rain.", "on this machine only", "this sandbox sends none", " kinds of faults", "Answers 200 with an HTML page",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	page.Limits.Off = true
	if body = write(t, page); !strings.Contains(body, "counted, not enforced") || strings.Contains(body, "12 at once") {
		t.Error("the page claims limits that are off")
	}
}
