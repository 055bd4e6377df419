package oauth_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"sluice/sandbox/oauth"
)

func TestConsentPageIsPlainAndWhole(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	status, header, body := s.page(t, asking(nil).Encode())
	fatalIf(t, status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/html"),
		"%d %s", status, header.Get("Content-Type"))
	for _, want := range []string{
		`<html lang="en">`, "<title>", "<main>", "<h1>First &lt;b&gt;client&lt;/b&gt; asks for access</h1>",
		"SvcInventory.items.READ", "SvcChat.Channels.READ", `<form method="post">`, "<legend>",
		`value="u1/601"`, `value="u1/602"`, `value="u2/601"`, `name="decision" value="accept"`, `name="decision" value="deny"`,
		"127.0.0.1:9999", "while you are away",
	} {
		errorIf(t, !strings.Contains(body, want), "the page lacks %s", want)
	}
	for _, tag := range []string{"<script", "javascript:", "onclick", "<b>client", "<img", "src="} {
		errorIf(t, strings.Contains(body, tag), "the page holds %s", tag)
	}
	inputs, labels := strings.Count(body, `type="radio"`), strings.Count(body, "<label>")
	errorIf(t, inputs != 3 || labels != 3, "%d choices with %d labels, want 3 with 3", inputs, labels)
	policy := header.Get("Content-Security-Policy")
	errorIf(t, !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'"), "policy %q", policy)
	errorIf(t, header.Get("Cache-Control") != "no-store", "the page may be cached")
}

func TestOneOrganizationNeedsNoChoice(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *oauth.Options) {
		o.Users = []oauth.User{{ID: "u9", Name: "Only", Organizations: []oauth.Organization{{ID: "9", Name: "Single"}}}}
		o.Grants = nil
	})
	_, _, body := s.page(t, asking(nil).Encode())
	errorIf(t, strings.Contains(body, `type="radio"`) || !strings.Contains(body, "Single"), "the page is %s", body)
	token := s.exchange(t, s.code(t, asking(nil), ""))
	who, verdict := s.Check(token["access_token"].(string), "Inventory.items.READ")
	want := (oauth.Access{Client: "1000.ONE", User: "u9", Organization: "9"})
	errorIf(t, verdict != oauth.Granted || who != want, "token opens for %+v (%d), want %+v", who, verdict, want)
}

// docs/upstream.md U22: after consent, redirect to redirect_uri with query parameters code and
// state, unchanged.
func TestRedirects(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	state := "a b&c=d/é"
	query := asking(map[string]string{"state": state})
	for decision, want := range map[string]map[string]string{
		"accept": {"state": state, "error": "", "from": "test"},
		"deny":   {"state": state, "error": "access_denied", "code": "", "from": "test"},
	} {
		status, header, _ := s.click(t, query, url.Values{"decision": {decision}, "organization": {"u1/602"}})
		to, err := url.Parse(header.Get("Location"))
		fatalIf(t, err != nil || status != http.StatusFound, "%s: %d %v", decision, status, err)
		errorIf(t, to.Host != "127.0.0.1:9999" || to.Path != "/callback", "%s: sent to %s", decision, to)
		for name, value := range want {
			errorIf(t, to.Query().Get(name) != value, "%s: %s is %q, want %q", decision, name, to.Query().Get(name), value)
		}
		errorIf(t, decision == "accept" && to.Query().Get("code") == "", "accept: no code")
	}
}

// Every mistake is shown to the person, and none redirects.
func TestMistakesAreShown(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *oauth.Options) { o.StateNeeded = true })
	cases := map[string]struct {
		change map[string]string
		says   string
	}{
		"no scope":          {map[string]string{"scope": ""}, "scope is missing"},
		"no client":         {map[string]string{"client_id": ""}, "client_id is missing"},
		"no state":          {map[string]string{"state": ""}, "state is missing"},
		"no response type":  {map[string]string{"response_type": ""}, "response_type is missing"},
		"no redirect":       {map[string]string{"redirect_uri": ""}, "redirect_uri is missing"},
		"no access type":    {map[string]string{"access_type": ""}, "access_type is missing"},
		"unknown client":    {map[string]string{"client_id": "1000.EVIL"}, "No client is registered as 1000.EVIL"},
		"redirect":          {map[string]string{"redirect_uri": redirect + "x"}, "(redirect_uri) is not registered"},
		"other port":        {map[string]string{"redirect_uri": "http://127.0.0.1:1/callback?from=test"}, "(redirect_uri) is not registered"},
		"response type":     {map[string]string{"response_type": "token"}, "response_type is token"},
		"access type":       {map[string]string{"access_type": "always"}, "access_type is always"},
		"prompt":            {map[string]string{"prompt": "none"}, "prompt is none"},
		"scope, unknown":    {map[string]string{"scope": "SvcInventory.items.READ,SvcMail.messages.READ"}, "SvcMail.messages.READ is unknown"},
		"scope, vendor":     {map[string]string{"scope": "OtherInventory.items.READ"}, "OtherInventory.items.READ is unknown"},
		"scope, only comma": {map[string]string{"scope": ","}, "names no scope"},
		"text of an attack": {map[string]string{"client_id": `<script>alert("x")</script>`}, "&lt;script&gt;"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			query := asking(test.change)
			status, header, body := s.page(t, query.Encode())
			errorIf(t, status != http.StatusBadRequest || header.Get("Location") != "", "%d, Location %q", status, header.Get("Location"))
			errorIf(t, !strings.Contains(body, test.says) || !strings.Contains(body, `role="alert"`) || strings.Contains(body, "<script"),
				"the page does not say %q: %s", test.says, body)
			status, header, _ = s.click(t, query, url.Values{"decision": {"accept"}, "organization": {"u1/601"}})
			errorIf(t, status != http.StatusBadRequest || header.Get("Location") != "", "accepted: %d, Location %q", status, header.Get("Location"))
		})
	}
	status, _, _ := s.page(t, "scope=%zz")
	errorIf(t, status != http.StatusBadRequest, "a broken query: %d", status)
}

func TestFormMistakes(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for name, form := range map[string]url.Values{
		"none chosen":        {"decision": {"accept"}},
		"unknown choice":     {"decision": {"accept"}, "organization": {"u2/602"}},
		"neither yes nor no": {"organization": {"u1/601"}},
	} {
		status, header, _ := s.click(t, asking(nil), form)
		errorIf(t, status != http.StatusBadRequest || header.Get("Location") != "", "%s: %d, Location %q", name, status, header.Get("Location"))
	}
	form := url.Values{"decision": {"accept"}, "organization": {"u1/601"}}
	status, _, _ := s.click(t, asking(nil), form, "Sec-Fetch-Site", "cross-site")
	errorIf(t, status != http.StatusForbidden, "a form of another site: %d", status)
	status, _, _ = s.click(t, asking(nil), form, "Sec-Fetch-Site", "same-origin")
	errorIf(t, status != http.StatusFound, "the page's own form: %d", status)
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]func(*oauth.Options){
		"Now is missing":         func(o *oauth.Options) { o.Now = nil },
		"needs an id":            func(o *oauth.Options) { o.Clients[0].Secret = "" },
		"no user has":            func(o *oauth.Options) { o.Users = nil },
		"no refresh token":       func(o *oauth.Options) { o.Grants[0].RefreshToken = "" },
		"not registered":         func(o *oauth.Options) { o.Grants[0].Client = "x" },
		"which no user is":       func(o *oauth.Options) { o.Grants[0].Organization = "602" },
		"unknown scope \"Mail.":  func(o *oauth.Options) { o.Grants[0].Scopes = []string{"Mail.x.READ"} },
		"unknown scope \"Books.": func(o *oauth.Options) { o.Scopes = []string{"Inventory.bills.READ"} },
	} {
		o := options(newClock())
		change(&o)
		_, err := oauth.New(o)
		errorIf(t, err == nil || !regexp.MustCompile(regexp.QuoteMeta(says)).MatchString(err.Error()), "want an error with %q, got %v", says, err)
	}
}

// FuzzAuthorize checks that the page answers every query without failing, and never redirects
// without a consent.
func FuzzAuthorize(f *testing.F) {
	f.Add(asking(nil).Encode(), "accept", "u1/601")
	f.Add("scope=%zz&client_id=<b>", "deny", "")
	f.Add(asking(map[string]string{"redirect_uri": "http://[::1"}).Encode(), "accept", "u1/601")
	c := newClock()
	server, err := oauth.New(options(c))
	must(f, err)
	f.Fuzz(func(t *testing.T, query, decision, organization string) {
		for _, form := range []url.Values{nil, {"decision": {decision}, "organization": {organization}}} {
			status, location := serve(server, "/oauth/v2/auth", query, form)
			errorIf(t, status >= http.StatusInternalServerError || (location != "" && !strings.HasPrefix(location, "http://127.0.0.1")),
				"%q, %v: %d, Location %q", query, form, status, location)
		}
	})
}
