package sandbox_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sluice/sandbox"
)

// several starts the sandbox's own organization, another beside it, and one with the same id in
// another data center.
func several(t *testing.T) *upstream {
	t.Helper()
	return start(t, sandbox.Options{Seed: 1, Records: 300, Organizations: []sandbox.OrganizationOptions{
		{ID: "60099999999", Seed: 2, Records: 200, Plan: "professional"},
		{ID: org, DataCenter: "eu", Seed: 3, TimeZone: "Europe/Rome"},
	}})
}

// tokenOf logs in to an organization at the token endpoint of its data center.
func (u *upstream) tokenOf(t *testing.T, id, dataCenter string) string {
	t.Helper()
	prefix := ""
	if dataCenter != "" {
		prefix = "/dc/" + dataCenter
	}
	var answer struct {
		Token  string `json:"access_token"`
		Domain string `json:"api_domain"`
	}
	query := tokenURL(url.Values{"refresh_token": {sandbox.RefreshTokenFor(id, dataCenter)}})
	decode(t, u.serve(t, http.MethodPost, prefix+query, nil), &answer)
	fatalIf(t, answer.Token == "" || !strings.HasSuffix(answer.Domain, prefix), "organization %s in %q: %+v", id, dataCenter, answer)
	return answer.Token
}

func (u *upstream) billsOf(t *testing.T, prefix, id, token string) (int, []object) {
	t.Helper()
	header := http.Header{"Authorization": {"Svc-oauthtoken " + token}}
	answer := u.serve(t, http.MethodGet, prefix+"/inventory/v1/bills?organization_id="+id, header)
	if answer.Code != http.StatusOK {
		return answer.Code, nil
	}
	return answer.Code, readPage(t, answer, "bills").Records
}

func TestOrganizationsHaveWorldsOfTheirOwn(t *testing.T) {
	t.Parallel()
	u := several(t)
	second, third := u.tokenOf(t, "60099999999", ""), u.tokenOf(t, org, "eu")
	_, own := u.billsOf(t, "", org, u.token)
	_, others := u.billsOf(t, "", "60099999999", second)
	_, abroad := u.billsOf(t, "/dc/eu", org, third)
	if len(own) != 84 || len(others) != 56 || len(abroad) != 84 { // 28 in a hundred
		t.Errorf("%d, %d and %d bills", len(own), len(others), len(abroad))
	}
	errorIf(t, canonical(t, own[0]) == canonical(t, abroad[0]), "two data centers show one world")
	created := text(t, abroad[0]["created_time"])
	errorIf(t, !strings.HasSuffix(created, "+0100") && !strings.HasSuffix(created, "+0200"), "created %s, want the time of Rome", created)
	for _, c := range []struct {
		prefix, id, token string
		status            int
	}{
		{"", "60099999999", u.token, http.StatusBadRequest}, // another's organization
		{"/dc/eu", org, u.token, http.StatusUnauthorized},   // another data center's token
		{"", org, third, http.StatusUnauthorized},
		{"/dc/mars", org, third, http.StatusNotFound},
	} {
		status, _ := u.billsOf(t, c.prefix, c.id, c.token)
		errorIf(t, status != c.status, "%s %s: status %d, want %d", c.prefix, c.id, status, c.status)
	}
	if _, err := u.ChangeOf(org, "eu", sandbox.Change{Deletes: 4, Resources: []string{"bills"}}); err != nil {
		t.Fatal(err)
	}
	equal(t, len(truthOf(u, org, "eu")), 80, "bills abroad after four went")
	equal(t, len(truthOf(u, org, "")), 84, "bills at home after a change abroad")
}

func truthOf(u *upstream, id, dataCenter string) []string {
	var all []string
	for record := range u.TruthOf(id, dataCenter, "inventory", "bills") {
		all = append(all, string(record))
	}
	return all
}

// A refresh token opens only its own organization, in its own data center.
func TestRefreshTokensKeepApart(t *testing.T) {
	t.Parallel()
	u := several(t)
	for _, c := range []struct{ prefix, refresh string }{
		{"/dc/eu", sandbox.RefreshToken}, {"", sandbox.RefreshTokenFor(org, "eu")}, {"/dc/eu", sandbox.RefreshTokenFor("60099999999", "")},
	} {
		answer := u.serve(t, http.MethodPost, c.prefix+tokenURL(url.Values{"refresh_token": {c.refresh}}), nil)
		errorIf(t, !strings.Contains(answer.Body.String(), "invalid_code"), "%s: %s", c.prefix, answer.Body)
	}
	equal(t, sandbox.RefreshTokenFor(org, ""), sandbox.RefreshToken, "the own organization has two refresh tokens")
}

func TestAllowancesKeepApart(t *testing.T) {
	t.Parallel()
	u := several(t)
	second := u.tokenOf(t, "60099999999", "")
	for range 101 {
		u.billsOf(t, "", org, u.token)
	}
	status, _ := u.billsOf(t, "", org, u.token)
	errorIf(t, status != http.StatusTooManyRequests, "call 102: status %d", status)
	status, _ = u.billsOf(t, "", "60099999999", second)
	errorIf(t, status != http.StatusOK, "another organization: status %d", status)
	stats, err := u.StatsOf("60099999999", "")
	errorIf(t, err != nil || stats.Calls != 1 || stats.TokenRequests != 1 || u.Stats().Calls != 102,
		"%+v, %v; own %d calls", stats, err, u.Stats().Calls)
	_, err = u.StatsOf("1", "")
	errorIf(t, err == nil, "an organization that is not played has statistics")
}

// A chat call names no organization: its token identifies it.
func TestChatBelongsToTheToken(t *testing.T) {
	t.Parallel()
	u := several(t)
	header := csvHeader()
	header.Set("Authorization", "Svc-oauthtoken "+u.tokenOf(t, "60099999999", ""))
	body := u.serve(t, http.MethodGet, "/maintenanceapi/v2/chats?fields=chat_id", header).Body.String()
	equal(t, strings.Count(body, "\r\n"), 41, "lines") // a fifth of 200, and the header
	stats, err := u.StatsOf("60099999999", "")
	errorIf(t, err != nil || stats.ByService["chat"] != 1 || u.Stats().Calls != 0, "%+v, %v; own %d calls", stats, err, u.Stats().Calls)
}

// A fault may strike one organization and spare the others.
func TestFaultsOfOneOrganization(t *testing.T) {
	t.Parallel()
	u := several(t)
	second := u.tokenOf(t, "60099999999", "")
	must(t, u.SetFaults([]sandbox.Fault{{Path: "/inventory/v1", Kind: "forbidden", Organization: "60099999999"}}))
	struck, _ := u.billsOf(t, "", "60099999999", second)
	spared, _ := u.billsOf(t, "", org, u.token)
	errorIf(t, struck != http.StatusForbidden || spared != http.StatusOK, "struck %d, spared %d", struck, spared)
}

func TestControlsOfOtherOrganizations(t *testing.T) {
	t.Parallel()
	u := several(t)
	var played []struct {
		ID      string `json:"organization_id"`
		Prefix  string `json:"prefix"`
		Refresh string `json:"refresh_token"`
	}
	decode(t, u.serve(t, http.MethodGet, "/_sandbox/organizations", nil), &played)
	errorIf(t, len(played) != 3 || played[0].Refresh != sandbox.RefreshToken || played[2].Prefix != "/dc/eu" || played[2].ID != org,
		"played %+v", played)
	lines := u.serve(t, http.MethodGet, "/_sandbox/truth/inventory/bills?organization=60099999999", nil).Body.String()
	equal(t, strings.Count(lines, "\n"), 56, "bills")
	equal(t, u.serve(t, http.MethodGet, "/_sandbox/stats?organization=1", nil).Code, http.StatusNotFound, "unknown organization")
	body := u.serve(t, http.MethodGet, "/", nil).Body.String()
	errorIf(t, !strings.Contains(body, "60099999999") || !strings.Contains(body, sandbox.RefreshTokenFor(org, "eu")),
		"the landing page does not name the other organizations")
}

func TestNamesOfOrganizationsDiffer(t *testing.T) {
	t.Parallel()
	u := several(t)
	names := map[string]bool{}
	for _, place := range [][2]string{{org, ""}, {"60099999999", ""}, {org, "eu"}} {
		for record := range u.TruthOf(place[0], place[1], "accounting", "organizations") {
			fields := parsed(t, record)
			names[text(t, fields["name"])] = true
			equal(t, text(t, fields["organization_id"]), place[0], place[1], fields["organization_id"])
		}
	}
	errorIf(t, len(names) != 3 || !names["Meridian Tools Pvt Ltd"], "names %v", keysOf(names))
}
