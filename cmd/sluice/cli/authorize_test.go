package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sluice/pipeline/warehouse/warehousetest"
	"sluice/sandbox"
)

// spoken is what a command says to a person, who waits for the address of the consent in it.
type spoken struct {
	buffer

	once    sync.Once
	address chan string
}

var consentAddress = regexp.MustCompile(`(?m)^http\S+/oauth/v2/auth\?\S+\n`)

func (s *spoken) Write(p []byte) (int, error) {
	n, err := s.buffer.Write(p)
	if found := consentAddress.FindString(s.String()); found != "" {
		s.once.Do(func() { s.address <- strings.TrimSpace(found) })
	}
	return n, err
}

// authorizing is a command that asks for a consent.
type authorizing struct {
	s       *fixture
	stdout  buffer
	stderr  spoken
	typed   *io.PipeWriter
	address string
	ended   chan int
	secrets *[]string
}

// authorize starts the command and waits for the address that it shows.
func (s *fixture) authorize(secrets *[]string, args ...string) *authorizing {
	s.t.Helper()
	a := &authorizing{s: s, ended: make(chan int, 1), secrets: secrets}
	a.stderr.address = make(chan string, 1)
	input, typed := io.Pipe()
	a.typed = typed
	s.t.Cleanup(func() { _ = typed.Close() })
	env := s.env(&a.stdout, &a.stderr)
	env.Stdin = input
	go func() {
		code := Main(s.t.Context(), append([]string{"--config", s.config, "authorize", "--no-browser"}, args...), env)
		a.ended <- code
	}()
	select {
	case a.address = <-a.stderr.address:
	case code := <-a.ended:
		s.t.Fatalf("%q ended with %d before it showed an address\n%s%s", args, code, a.stdout.String(), a.stderr.String())
	}
	return a
}

// decides clicks on the page of the consent, and gives the address to which the browser is sent.
func (a *authorizing) decides(decision string) string {
	a.s.t.Helper()
	form := url.Values{"decision": {decision}, "organization": {"60000000001/" + sandbox.DefaultOrganizationID}}
	request := sure(http.NewRequestWithContext(a.s.t.Context(), http.MethodPost, a.address, strings.NewReader(form.Encode())))(a.s.t)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	must(a.s.t, err)
	page, err := io.ReadAll(answer.Body)
	must(a.s.t, errors.Join(err, answer.Body.Close()))
	back, err := answer.Location()
	fatalIf(a.s.t, err != nil, "the page of the consent leads nowhere: status %d\n%s", answer.StatusCode, page)
	if code := back.Query().Get("code"); code != "" {
		*a.secrets = append(*a.secrets, code)
	}
	return back.String()
}

func (a *authorizing) browse(address string) (int, string) {
	a.s.t.Helper()
	return get(a.s.t, address)
}

// ends waits for the end, checks the exit code, and that no secret was shown. It gives both
// outputs.
func (a *authorizing) ends(code int) (string, string) {
	a.s.t.Helper()
	got := <-a.ended
	stdout, stderr := a.stdout.String(), a.stderr.String()
	fatalIf(a.s.t, got != code, "authorize ended with %d, want %d\n%s\n%s", got, code, stdout, stderr)
	for _, secret := range *a.secrets {
		for _, form := range []string{secret, url.QueryEscape(secret), strings.TrimPrefix(secret, "1000.")} {
			errorIf(a.s.t, strings.Contains(stdout+stderr, form), "a secret is shown: %s\n%s\n%s", form, stdout, stderr)
		}
	}
	return stdout, stderr
}

// secretsOf are those that no output may show; codes follow.
func secretsOf() *[]string { return &[]string{sandbox.ClientSecret, sandbox.RefreshToken, testKey} }

// tokenIn moves the refresh token of the configuration into a file that does not exist yet.
func (s *fixture) tokenIn() string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "refresh_token")
	s.rewrite("${SANDBOX_REFRESH_TOKEN}", "file:"+path)
	delete(s.environment, "SANDBOX_REFRESH_TOKEN")
	return path
}

// TestAuthorize: a browser on this machine brings the code, the token goes into its file, and the
// organization is checked with it.
func TestAuthorize(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 111, Records: 100, Limits: sandbox.Limits{Off: true}})
	path := s.tokenIn()
	a := s.authorize(secretsOf(), "--port", "0")
	asked := sure(url.Parse(a.address))(t)
	query := asked.Query()
	for name, want := range map[string]string{
		"response_type": "code", "access_type": "offline", "prompt": "consent", "client_id": sandbox.ClientID,
	} {
		errorIf(t, query.Get(name) != want, "%s is %q, want %q", name, query.Get(name), want)
	}
	scopes := strings.Split(query.Get("scope"), ",")
	for scope, want := range map[string]bool{
		"SvcInventory.bills.READ": true, "SvcBooks.accountants.READ": true, "SvcChat.Channels.READ": true, "SvcSubscriptions.customers.READ": true,
		"SvcBooks.expenses.READ": false, "SvcBooks.custommodules.ALL": false, "SvcCRM.notifications.ALL": false,
	} {
		errorIf(t, slices.Contains(scopes, scope) != want, "%s is asked for: %t, want %t: %q", scope, !want, want, scopes)
	}
	right := a.decides("accept")
	back := sure(url.Parse(right))(t)
	foreign := back.Query()
	foreign.Set("state", "another")
	back.RawQuery = foreign.Encode()
	status, _ := a.browse(back.String())
	errorIf(t, status != http.StatusBadRequest, "another state: status %d, want 400", status)
	status, page := a.browse(right)
	errorIf(t, status != http.StatusOK || strings.Contains(page, foreign.Get("code")), "the right answer: status %d\n%s", status, page)
	stdout, stderr := a.ends(codeFine)
	text := sure(os.ReadFile(path))(t)
	info := sure(os.Stat(path))(t)
	if token := strings.TrimSpace(string(text)); !strings.HasPrefix(token, "1000.") || token == sandbox.RefreshToken ||
		strings.Contains(stdout+stderr, token) || info.Mode() != 0o600 {
		t.Errorf("the file holds %q with mode %s\n%s\n%s", token, info.Mode(), stdout, stderr)
	}
	for _, want := range []string{path, "identity", "accounting: answered", fmt.Sprintf("%d scopes granted", len(scopes))} {
		errorIf(t, !strings.Contains(stdout, want), "the result does not say %q:\n%s", want, stdout)
	}
	errorIf(t, !strings.Contains(stderr, "another consent"), "the answer with another state is not told:\n%s", stderr)
	s.check(codeFine)
	// One exchange, and one refresh for all calls since: both are in the call log (invariant 3).
	logged := one[int](s, `SELECT count(*) FROM sluice.calls WHERE service = 'auth' AND resource = 'token'`)
	requests := s.world.Stats().TokenRequests
	errorIf(t, requests != 2 || logged != requests, "upstream counted %d requests of a token, the call log has %d, want 2", requests, logged)
	for _, secret := range append(*a.secrets, strings.TrimSpace(string(text))) { // invariant 10
		n := one[int](s, `SELECT (SELECT count(*) FROM sluice.calls c WHERE strpos(c::text, $1) > 0) +
			(SELECT count(*) FROM sluice.tokens t WHERE strpos(t::text, $1) > 0)`, secret)
		errorIf(t, n > 0, "%d rows hold a secret of %d characters", n, len(secret))
	}
	// Given again, the file keeps its mode, and nothing else is left in its folder.
	must(t, os.Chmod(path, 0o640))
	a = s.authorize(secretsOf(), "--port", "0")
	a.browse(a.decides("accept"))
	a.ends(codeFine)
	info = sure(os.Stat(path))(t)
	again := sure(os.ReadFile(path))(t)
	left := sure(os.ReadDir(filepath.Dir(path)))(t)
	errorIf(t, string(again) == string(text) || info.Mode() != 0o640 || len(left) != 1,
		"given again: another token %t, mode %s, %d files", string(again) != string(text), info.Mode(), len(left))
}

func (s *fixture) check(code int) {
	s.t.Helper()
	s.prints(code, "", "check")
}

// TestAuthorizeElsewhere: a person on another machine pastes what the browser shows. The line for
// the secret store is the one place where a token is printed.
func TestAuthorizeElsewhere(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 112, Records: 100, Limits: sandbox.Limits{Off: true}})
	delete(s.environment, "SANDBOX_REFRESH_TOKEN")
	line := regexp.MustCompile(`(?m)^SANDBOX_REFRESH_TOKEN=(1000\.\S+)$`)
	for name, typed := range map[string]func(back string) string{
		"address": func(back string) string { return "http://127.0.0.1/?code=x&state=y\n" + back },
		"code": func(back string) string {
			u := sure(url.Parse(back))(t)
			return u.Query().Get("code")
		},
	} {
		a := s.authorize(secretsOf(), sandbox.DefaultOrganizationID, "--redirect", "http://localhost:1/done", "--port", "0")
		sure(io.WriteString(a.typed, typed(a.decides("accept"))+"\n"))(t)
		stdout, stderr := a.ends(codeFine)
		found := line.FindStringSubmatch(stdout)
		fatalIf(t, found == nil, "%s: no line for the secret store\n%s", name, stdout)
		errorIf(t, strings.Count(stdout+stderr, found[1]) != 1 || !strings.Contains(stdout, "identity"),
			"%s: the token is not printed once, or nothing was checked\n%s\n%s", name, stdout, stderr)
		s.environment["SANDBOX_REFRESH_TOKEN"] = found[1]
		s.check(codeFine)
		s.afterAMinute() // tokens are asked for five times a minute
	}

	a := s.authorize(secretsOf(), "--json", "--redirect", "http://127.0.0.1:1/done", "--port", "0")
	sure(io.WriteString(a.typed, a.decides("accept")+"\n"))(t)
	stdout, _ := a.ends(codeFine)
	var shown authorizedView
	must(t, json.Unmarshal([]byte(stdout), &shown))
	errorIf(t, shown.Variable != "SANDBOX_REFRESH_TOKEN" || !strings.HasPrefix(shown.RefreshToken, "1000.") || len(shown.Missing) > 0 ||
		!slices.Equal(shown.Needed, shown.Granted) || len(shown.Findings) < 5, "%s", stdout)
}

// TestAuthorizeRefused plays what goes wrong with a consent: nothing is written, and the message
// says what to do.
func TestAuthorizeRefused(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 113, Records: 100, Limits: sandbox.Limits{Off: true}})
	path := s.tokenIn()
	for name, c := range map[string]struct {
		args []string
		play func(a *authorizing)
		code int
		says string
	}{
		"denied":   {nil, func(a *authorizing) { a.browse(a.decides("deny")) }, codeFailed, "the consent was refused"},
		"too late": {[]string{"--wait", "200ms"}, func(*authorizing) {}, codeFailed, "no answer to the consent arrived in time"},
		"expired": {nil, func(a *authorizing) {
			back := a.decides("accept")
			s.world.Advance(3 * time.Minute)
			a.browse(back)
		}, codeFailed, "the code is not accepted: it was used before, is some minutes old"},
		"made up": {nil, func(a *authorizing) { _, _ = io.WriteString(a.typed, "1000.made.up\n") }, codeFailed, "the code is not accepted"},
		"server fails": {nil, func(a *authorizing) {
			back := a.decides("accept")
			must(t, s.world.SetFaults([]sandbox.Fault{{Path: "/oauth/v2/token", Kind: "reset"}}))
			a.browse(back)
		}, codeEnvironment, "oauth/v2/token"},
	} {
		a := s.authorize(secretsOf(), append([]string{"--port", "0"}, c.args...)...)
		c.play(a)
		_, stderr := a.ends(c.code)
		errorIf(t, !strings.Contains(stderr, c.says), "%s: it does not say %q:\n%s", name, c.says, stderr)
		must(t, s.world.SetFaults(nil))
		left, err := os.ReadDir(filepath.Dir(path))
		errorIf(t, err != nil || len(left) > 0, "%s: %d files are left, %v", name, len(left), err)
	}
	a := s.authorize(secretsOf(), "--redirect", "https://app.example/done")
	must(t, a.typed.Close())
	if _, stderr := a.ends(codeFailed); !strings.Contains(stderr, "the input ended without a code") || !strings.Contains(stderr, "https://app.example/done") {
		t.Errorf("the end of the input: %s", stderr)
	}
}

// TestAuthorizeBeforehand: what makes a consent useless is found before a person is asked.
func TestAuthorizeBeforehand(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 114, Records: 50})
	path := s.tokenIn()
	taken := sure((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer func() { _ = taken.Close() }()
	_, port, err := net.SplitHostPort(taken.Addr().String())
	must(t, err)
	expect := func(name string, code int, says string, args ...string) {
		t.Helper()
		o := s.run(append([]string{"authorize", "--no-browser"}, args...)...)
		errorIf(t, o.code != code || !strings.Contains(o.stderr, says) || strings.Contains(o.stderr, "/oauth/v2/auth"),
			"%s: exit code %d, want %d and %q\n%s%s", name, o.code, code, says, o.stdout, o.stderr)
	}
	expect("a port in use", codeEnvironment, "--port names another one", "--port", port)
	expect("another organization", codeUsage, `"south" is no configured organization`, "south")
	expect("a redirect that is none", codeUsage, "--redirect is no address", "--redirect", "callback")
	expect("no time", codeUsage, "--wait", "--wait", "0s")
	s.prints(codeFine, "SvcInventory.bills.READ,", "authorize", "--scopes")
	delete(s.environment, "SANDBOX_CLIENT_SECRET")
	expect("no client secret", codeUsage, "has no client secret yet")
	s.environment["SANDBOX_CLIENT_SECRET"] = sandbox.ClientSecret
	delete(s.environment, "SLUICE_ENCRYPTION_KEY")
	expect("no sealing key", codeUsage, "SLUICE_ENCRYPTION_KEY is not set")
	s.environment["SLUICE_ENCRYPTION_KEY"] = testKey
	s.rewrite(path, filepath.Join(filepath.Dir(path), "nowhere", "token"))
	expect("no folder for the token", codeEnvironment, "make it (install -d -m 700 ")
	s.rewrite(filepath.Join(filepath.Dir(path), "nowhere", "token"), path)
	s.exec(`DROP SCHEMA sluice CASCADE`)
	expect("no tables", codeEnvironment, "run sluice migrate")
	s.configure(businesses())
	expect("one of three", codeUsage, "name one of first, second, third")
}

// TestMissingScopes: what upstream did not grant is named; what it does not tell is not guessed.
func TestMissingScopes(t *testing.T) {
	t.Parallel()
	needed := []string{"SvcBooks.bills.READ", "SvcBooks.custommodules.ALL", "SvcChat.Channels.READ"}
	for granted, want := range map[string]string{
		"": "does not tell", strings.Join(needed, " "): "3 scopes granted", "SvcBooks.bills.ALL SvcBooks.custommodules.ALL SvcChat.Channels.READ": "3 scopes",
		"SvcBooks.bills.READ SvcChat.Channels.UPDATE": "not granted: SvcBooks.custommodules.ALL,SvcChat.Channels.READ:",
	} {
		v := authorizedView{Organization: "acme", Needed: needed}
		v.compare(strings.Fields(granted))
		f := v.scopes()[0]
		errorIf(t, !strings.Contains(f.Text, want) || f.OK != (len(v.Missing) == 0) || (f.code == codeFine) != f.OK,
			"%q: %+v, want %q", granted, f, want)
	}
}

// TestAuthorizeOpensABrowser: where there is a display, the command opens the address; it needs no
// input then.
func TestAuthorizeOpensABrowser(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 115, Records: 50, Limits: sandbox.Limits{Off: true}})
	s.tokenIn()
	folder := t.TempDir()
	opened := filepath.Join(folder, "opened")
	must(t, syscall.Mkfifo(opened, 0o600))
	browser := filepath.Join(folder, "xdg-open")
	must(t, os.WriteFile(browser, []byte("#!/bin/sh\nprintf '%s' \"$1\" >"+opened+"\n"), 0o700))
	must(t, os.Symlink(browser, filepath.Join(folder, "open")))
	s.environment["DISPLAY"], s.environment["PATH"] = ":99", folder+":"+os.Getenv("PATH")
	p := s.start("authorize", "--port", "0")
	address, err := os.ReadFile(opened) // until the browser has written it
	must(t, err)
	a := &authorizing{s: s, secrets: secretsOf(), address: string(address)}
	status, _ := a.browse(a.decides("accept"))
	errorIf(t, status != http.StatusOK, "the answer: status %d", status)
	p.ends(codeFine, patience)
	errorIf(t, !strings.Contains(p.stderr.String(), string(address)) || !strings.Contains(p.stdout.String(), "identity"),
		"%s\n%s", p.stdout.String(), p.stderr.String())
}

// TestIncludes: which granted scope lets a resource be read that needs another.
func TestIncludes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		granted, needed string
		want            bool
	}{
		{"SvcBooks.bills.READ", "SvcBooks.bills.READ", true},
		{"SvcBooks.bills.ALL", "SvcBooks.bills.READ", true},
		{"SvcBooks.bills.READ", "SvcBooks.bills.ALL", false},
		{"SvcBooks.bills.UPDATE", "SvcBooks.bills.READ", false},
		{"SvcBooks.contacts.READ", "SvcBooks.bills.READ", false},
		{"SvcBooks.bill.READ", "SvcBooks.bills.READ", false},
		{"SvcInventory.bills.READ", "SvcBooks.bills.READ", false},
		{"SvcInventory.fullaccess.all", "SvcBooks.bills.READ", false},
		{"SvcBooks.fullaccess.all", "SvcBooks.bills.READ", true},
		{"SvcBooks.fullaccess.ALL", "SvcBooks.custommodules.ALL", true},
		{"SvcCRM.modules.READ", "SvcCRM.modules.Leads.READ", true},
		{"SvcCRM.modules.ALL", "SvcCRM.modules.Leads.READ", true},
		{"SvcCRM.modules.Leads.READ", "SvcCRM.modules.READ", false},
		{"SvcCRM.modules.Deals.READ", "SvcCRM.modules.Leads.READ", false},
		{"SvcBooks", "SvcBooks.bills.READ", false},
		{"READ", "SvcBooks.bills.READ", false},
		{"", "SvcBooks.bills.READ", false},
	} {
		if got := missingScopes([]string{c.needed}, []string{c.granted}); slices.Equal(got, []string{c.needed}) == c.want || len(got) > 1 {
			t.Errorf("with %q is missing %q, want that it includes %s: %t", c.granted, got, c.needed, c.want)
		}
	}
	needed := []string{"SvcBooks.bills.READ", "SvcChat.Channels.READ", "SvcInventory.items.READ"}
	same(t, "of three scopes are missing", []string{needed[0], needed[2]}, missingScopes(needed, []string{"SvcChat.Channels.READ"}))
}

// scopesFound is what check says of the scopes, nil if it says nothing, and its exit code.
func (s *fixture) scopesFound() (*finding, int) {
	s.t.Helper()
	o := s.run("check", "--json")
	var findings []finding
	err := json.Unmarshal([]byte(o.stdout), &findings)
	fatalIf(s.t, err != nil, "check: %v\n%s%s", err, o.stdout, o.stderr)
	at := slices.IndexFunc(findings, func(f finding) bool { return strings.HasSuffix(f.Check, ", scopes") })
	if at < 0 {
		return nil, o.code
	}
	return &findings[at], o.code
}

// TestCheckNamesMissingScopes: a resource that is enabled after the consent needs a scope that the
// grant lacks. Check names it, without a further call, until the next consent.
func TestCheckNamesMissingScopes(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 116, Records: 50, Limits: sandbox.Limits{Off: true}})
	s.tokenIn()
	consent := func() {
		t.Helper()
		a := s.authorize(secretsOf(), "--port", "0")
		a.browse(a.decides("accept"))
		stdout, _ := a.ends(codeFine)
		errorIf(t, strings.Count(stdout, ", scopes: ") != 1, "authorize does not say once what was granted:\n%s", stdout)
	}
	all := func(when string) {
		t.Helper()
		if f, code := s.scopesFound(); f == nil || !f.OK || code != codeFine || len(f.Missing) > 0 || f.Next != "" || !strings.HasSuffix(f.Text, "all granted") {
			t.Errorf("%s: exit code %d, %+v", when, code, f)
		}
	}
	s.configured("resources:\n  inventory.composite_items: {enabled: false}\n  inventory.credit_notes: {enabled: false}\n")
	consent()
	before := s.calls()
	all("as many as were asked for")
	spent := s.calls() - before

	s.rewrite("{enabled: false}", "{enabled: true}")
	before = s.calls()
	f, code := s.scopesFound()
	missing := []string{"SvcInventory.compositeitems.READ", "SvcInventory.creditnotes.READ"}
	if f == nil || f.OK || code != codeFailed || !slices.Equal(f.Missing, missing) || f.Next != "sluice authorize "+sandbox.DefaultOrganizationID {
		t.Fatalf("two resources more: exit code %d, %+v, want that %q are missing", code, f, missing)
	}
	if more := s.calls() - before; more != spent || spent == 0 || s.world.Stats().TokenRequests != 2 {
		t.Errorf("%d calls, want %d as without missing scopes; %d requests of a token, want 2", more, spent, s.world.Stats().TokenRequests)
	}
	o := s.run("check")
	for _, want := range []string{", scopes: not granted: " + strings.Join(missing, ",") + ": ", f.Next, "inventory: answered"} {
		if o.code != codeFailed || !strings.Contains(o.stdout, want) || strings.Contains(o.stdout, "Next:") || strings.Count(o.stdout, "FAIL") != 1 {
			t.Errorf("exit code %d, want %d and %q, one failure\n%s", o.code, codeFailed, want, o.stdout)
		}
	}
	// A measurement is made all the same.
	s.prints(codeFailed, "inventory.taxes  ", "check", "--probe", "inventory.taxes")
	s.exec(`UPDATE sluice.tokens SET scopes = NULL`) // upstream named none
	f, code = s.scopesFound()
	errorIf(t, f != nil || code != codeFine, "where upstream names none: exit code %d, %+v", code, f)
	consent()
	all("after the next consent")
}

// business is one of several organizations of a test.
type business struct {
	// key is the key of its rows, name its name in the configuration.
	key, name string
	// id and dataCenter are those upstream.
	id, dataCenter string
}

// businesses: two in one data center, whose records have the same identifiers, and one in another
// data center with the identifier of the first.
func businesses() []business {
	return []business{
		{sandbox.DefaultOrganizationID, "first", sandbox.DefaultOrganizationID, ""},
		{"70099990001", "second", "70099990001", ""},
		{"first-eu", "third", sandbox.DefaultOrganizationID, "eu"},
	}
}

// TestSyncOfOneOrganization: --org copies one of several.
func TestSyncOfOneOrganization(t *testing.T) {
	t.Parallel()
	all := businesses()
	s := newFixture(t, sandbox.Options{
		Seed: 61, Records: 5, Limits: sandbox.Limits{Off: true},
		Organizations: []sandbox.OrganizationOptions{{ID: all[1].id, Seed: 62, Records: 5}, {ID: all[2].id, DataCenter: "eu", Seed: 63, Records: 5}},
	})
	s.configure(all)
	errorIf(t, len(s.sync(codeFine, "items", "--org", "second").Streams) == 0, "nothing was synced of one organization")
	s.counts(1, "organizations with rows after --org", `SELECT count(DISTINCT organization_id) FROM inventory.items`)
}

// TestOrganizationsCommand: the zone of an organization is upstream's if the configuration has
// none, and its rows are stored under its key.
func TestOrganizationsCommand(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 94, Records: 100})
	s.rewrite("    time_zone: Asia/Kolkata\n", "    key: trading\n")
	s.prints(codeFine, "not met yet", "organizations")
	s.sync(codeFine, "items")
	views := decoded[[]organizationView](s, codeFine, "organizations")
	if len(views) != 1 || views[0].Key != "trading" || views[0].ID != sandbox.DefaultOrganizationID || views[0].TimeZone != "Asia/Kolkata" ||
		views[0].Pinned == nil || !views[0].Pinned.Active || views[0].DataCenter != "com" || !slices.Contains(views[0].Services, "inventory") {
		t.Fatalf("organizations shows %+v", views)
	}
	n, all := one[int](s, `SELECT count(*) FROM inventory.items WHERE organization_id = 'trading'`), one[int](s, `SELECT count(*) FROM inventory.items`)
	errorIf(t, n == 0 || n != all, "%d of %d rows are kept under the key", n, all)
	for _, org := range []string{"trading", "Sandbox Trading", sandbox.DefaultOrganizationID} {
		s.sync(codeFine, "items", "--org", org)
	}
	s.rewrite("    key: trading\n", "    key: trading\n    time_zone: Europe/Rome\n")
	s.prints(codeFine, "time_zone Europe/Rome and upstream says Asia/Kolkata", "check")
	s.exec(`UPDATE sluice.organizations SET name = 'Somebody Else'`)
	s.prints(codeFailed, "Somebody Else", "check")
	s.prints(codeFine, views[0].Pinned.Name, "organizations", "accept", "Sandbox Trading")
	s.prints(codeUsage, "", "organizations", "accept", "nobody")
}

// configure writes a configuration for several organizations and some resources.
func (s *fixture) configure(all []business) {
	s.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "database: {url: \"${SLUICE_DATABASE_URL}\"}\nvendor: {name: Svc, api_url: %[1]q, chat_url: %[1]q, auth_url: %[1]q}\norganizations:\n", s.upstream.URL)
	for _, o := range all {
		variable := "TOKEN_OF_" + strings.ToUpper(o.name)
		s.environment[variable] = sandbox.RefreshTokenFor(o.id, o.dataCenter)
		fmt.Fprintf(&b, "  - name: %s\n    id: %q\n    key: %q\n    data_center: com\n", o.name, o.id, o.key)
		fmt.Fprintf(&b, "    credentials: {client_id: %q, client_secret: \"${SANDBOX_CLIENT_SECRET}\", refresh_token: \"${%s}\"}\n", sandbox.ClientID, variable)
		if o.dataCenter != "" {
			address := s.upstream.URL + "/dc/" + o.dataCenter
			fmt.Fprintf(&b, "    addresses: {api_url: %[1]q, chat_url: %[1]q, auth_url: %[1]q}\n", address)
		}
		b.WriteString("    services: {accounting: {plan: premium}, inventory: {plan: premium}, chat: {plan: free}}\n")
	}
	b.WriteString("resources:\n")
	for _, off := range []string{
		"accounting.vendor_payments", "accounting.contact_persons", "accounting.base_currency_adjustments", "accounting.opening_balances",
		"inventory.credit_notes", "inventory.composite_items", "inventory.bills", "inventory.locations",
	} {
		fmt.Fprintf(&b, "  %s: {enabled: false}\n", off)
	}
	must(s.t, os.WriteFile(s.config, []byte(b.String()), 0o600))
}

// TestOfflineCheckAsksNothing: check --offline makes no call.
func TestOfflineCheckAsksNothing(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 82, Records: 10}).narrow()
	before := s.world.Stats()
	s.run("check", "--offline").lacks(t, codeFine, "identity")
	same(t, "calls upstream", before.Calls, s.world.Stats().Calls)
}

// TestCheckBeforeMigrate: on a new database check says what it could check, makes no call, and
// names the next step.
func TestCheckBeforeMigrate(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Seed: 83, Records: 10})
	s.environment["SLUICE_DATABASE_URL"] = warehousetest.New(t)
	o := s.run("check")
	o.prints(t, codeFine, "ok    configuration", "ok    SLUICE_ENCRYPTION_KEY", "ok    database: reachable", "Next: sluice migrate")
	errorIf(t, strings.Contains(o.stdout, "FAIL") || s.world.Stats().Calls+s.world.Stats().TokenRequests > 0,
		"something failed, or upstream was asked: %+v\n%s", s.world.Stats(), o.stdout)
	findings := decoded[[]finding](s, codeFine, "check")
	last := findings[len(findings)-1]
	errorIf(t, last.Next != "sluice migrate" || !last.OK, "for programs it is %+v", last)
	s.prints(codeEnvironment, "FAIL  probe", "check", "--probe")
	key := s.environment["SLUICE_ENCRYPTION_KEY"]
	delete(s.environment, "SLUICE_ENCRYPTION_KEY")
	s.prints(codeUsage, "Next: sluice migrate", "check")
	s.environment["SLUICE_ENCRYPTION_KEY"] = key
	for _, command := range []string{"migrate", "check"} {
		s.run(command).lacks(t, codeFine, "Next:")
	}
}
