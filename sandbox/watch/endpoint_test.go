package watch_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sluice/sandbox/oauth"
	"sluice/sandbox/watch"
	"sluice/sandbox/watch/channel"
)

// docs/upstream.md U271, U274 and U277; the status is U283, the text of channel_id and the offset
// U284.
func TestEnable(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	status, header, body := s.call(t, http.MethodPost, "", `{"watch":[{
		"channel_id": 1000000068001, "events": ["Deals.all", "Sales_Orders.edit", "Deals.create", "users.all"],
		"notify_url": "http://127.0.0.1:1/hook", "token": "T-1", "channel_expiry": "2026-03-02T10:00:00+01:00",
		"return_affected_field_values": true, "notify_on_related_action": false}]}`)
	errorIf(t, status != http.StatusCreated || header.Get("X-Sandbox-Assumed") == "",
		"%d, assumed %q", status, header.Get("X-Sandbox-Assumed"))
	row := func(module string) string {
		return `{"channel_expiry":"2026-03-02T14:30:00+05:30","resource_uri":"https://api.test/crm/v8/` + module +
			`","resource_id":"` + s.moduleID(t, module) + `","resource_name":"` + module + `","channel_id":"1000000068001"}`
	}
	same(t, body, `{"watch":[{"code":"SUCCESS","status":"success","message":"Successfully subscribed for actions-watch of the given module",
		"details":{"events":[`+row("Deals")+`,`+row("Sales_Orders")+`,`+row("users")+`]}}]}`)
}

func TestEveryModuleOfTheDocument(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *watch.Options) { o.Modules = []channel.Module{{Name: "Fleet_Cars"}, {Name: "Line_Items_Sub"}} })
	names := "Leads Accounts Contacts Deals Campaigns Tasks Cases Meetings Calls Solutions Products Vendors Price_Books Quotes " +
		"Sales_Orders Purchase_Orders Invoices Appointments Appointments_Rescheduled_History Services users Fleet_Cars Line_Items_Sub"
	known := make(map[string]bool)
	for _, module := range s.Modules() {
		errorIf(t, known[module.ID] || module.ID == "", "module %s has the id %q", module.Name, module.ID)
		known[module.ID] = true
	}
	for name := range strings.FieldsSeq(names) {
		for _, operation := range []string{"create", "edit", "delete", "all"} {
			s.enable(t, `{"channel_id":1,"events":["`+name+`.`+operation+`"],"notify_url":"http://localhost:1/"}`)
		}
	}
}

// condition returns a subscription to Leads with a notification_condition.
func condition(text string) string {
	return `{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/","notification_condition":` + text + `}`
}

// docs/upstream.md U282: each condition, its code and the JSON path concerned.
func TestErrors(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	id, deals := s.moduleID(t, "Leads"), s.moduleID(t, "Deals")
	email, phone, city := s.field(t, "Leads", "Email"), s.field(t, "Leads", "Phone"), s.field(t, "Leads", "City")
	module := `"module":{"api_name":"Leads","id":"` + id + `"}`
	selection := func(group string) string {
		return condition(`[{"type":"field_selection",` + module + `,"field_selection":` + group + `}]`)
	}
	pair := func(a, b string) string { return `{"group_operator":"and","group":[` + a + `,` + b + `]}` }
	eleven := email // nested to the right, two by two
	for range 10 {
		eleven = pair(phone, eleven)
	}
	deep := pair(email, phone)
	for range 10 {
		deep = `{"group_operator":"or","group":[` + deep + `]}`
	}
	const base, tree = "$.watch[0].", "$.watch[0].notification_condition[0].field_selection."
	cases := []struct{ name, subscription, code, path string }{
		{"no events", `{"channel_id":1,"notify_url":"http://127.0.0.1:1/"}`, "MANDATORY_NOT_FOUND", base + "events"},
		{"null events", `{"channel_id":1,"events":null,"notify_url":"http://127.0.0.1:1/"}`, "MANDATORY_NOT_FOUND", base + "events"},
		{"no channel_id", `{"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/"}`, "MANDATORY_NOT_FOUND", base + "channel_id"},
		{"no notify_url", `{"channel_id":1,"events":["Leads.all"]}`, "MANDATORY_NOT_FOUND", base + "notify_url"},
		{"no type", condition(`[{` + module + `}]`), "MANDATORY_NOT_FOUND", base + "notification_condition[0].type"},
		{"no module", condition(`[{"type":"field_selection"}]`), "MANDATORY_NOT_FOUND", base + "notification_condition[0].module"},
		{"type missing beside field_selection", condition(`[{` + module + `,"field_selection":` + pair(email, phone) + `}]`), "DEPENDENT_FIELD_MISSING", base + "notification_condition[0].type"},
		{"token of 51", `{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/","token":"` + strings.Repeat("é", 51) + `"}`, "INVALID_DATA", base + "token"},
		{"token, number", `{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/","token":5}`, "INVALID_DATA", base + "token"},
		{"channel_id, fraction", `{"channel_id":1.5,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/"}`, "INVALID_DATA", base + "channel_id"},
		{"channel_id, too long", `{"channel_id":9223372036854775808,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/"}`, "INVALID_DATA", base + "channel_id"},
		{"channel_id, text", `{"channel_id":"one","events":["Leads.all"],"notify_url":"http://127.0.0.1:1/"}`, "INVALID_DATA", base + "channel_id"},
		{"events, text", `{"channel_id":1,"events":"Leads.all","notify_url":"http://127.0.0.1:1/"}`, "INVALID_DATA", base + "events"},
		{"events, none", `{"channel_id":1,"events":[],"notify_url":"http://127.0.0.1:1/"}`, "INVALID_DATA", base + "events"},
		{"event, number", `{"channel_id":1,"events":["Leads.all",7],"notify_url":"http://127.0.0.1:1/"}`, "INVALID_DATA", base + "events[1]"},
		{"event, unknown module", `{"channel_id":1,"events":["Ghosts.all"],"notify_url":"http://127.0.0.1:1/"}`, "INVALID_DATA", base + "events[0]"},
		{"event, blank in the name", `{"channel_id":1,"events":["Sales Orders.all"],"notify_url":"http://127.0.0.1:1/"}`, "INVALID_DATA", base + "events[0]"},
		{"event, unknown operation", `{"channel_id":1,"events":["Leads.insert"],"notify_url":"http://127.0.0.1:1/"}`, "INVALID_DATA", base + "events[0]"},
		{"event, no operation", `{"channel_id":1,"events":["Leads"],"notify_url":"http://127.0.0.1:1/"}`, "INVALID_DATA", base + "events[0]"},
		{"notify_url, scheme", `{"channel_id":1,"events":["Leads.all"],"notify_url":"ftp://127.0.0.1/"}`, "INVALID_DATA", base + "notify_url"},
		{"notify_url, elsewhere", `{"channel_id":1,"events":["Leads.all"],"notify_url":"https://example.com/hook"}`, "INVALID_DATA", base + "notify_url"},
		{"notify_url, looks like loopback", `{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1.example.com/"}`, "INVALID_DATA", base + "notify_url"},
		{"notify_url, with a user", `{"channel_id":1,"events":["Leads.all"],"notify_url":"http://a:b@127.0.0.1/"}`, "INVALID_DATA", base + "notify_url"},
		{"expiry, no offset", `{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/","channel_expiry":"2026-03-02T10:00:00"}`, "INVALID_DATA", base + "channel_expiry"},
		{"expiry, past", `{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/","channel_expiry":"2026-03-01T12:00:00Z"}`, "INVALID_DATA", base + "channel_expiry"},
		{"values, text", `{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/","return_affected_field_values":"true"}`, "INVALID_DATA", base + "return_affected_field_values"},
		{"related, number", `{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/","notify_on_related_action":1}`, "INVALID_DATA", base + "notify_on_related_action"},
		{"subscription, number", `7`, "INVALID_DATA", "$.watch[0]"},
		{"subscription, null", `null`, "INVALID_DATA", "$.watch[0]"},
		{"condition, object", condition(`{}`), "INVALID_DATA", base + "notification_condition"},
		{"condition, element", condition(`["x"]`), "INVALID_DATA", base + "notification_condition[0]"},
		{"other type", condition(`[{"type":"field_value",` + module + `,"field_selection":` + pair(email, phone) + `}]`), "INVALID_DATA", base + "notification_condition[0].type"},
		{"module, unknown", condition(`[{"type":"field_selection","module":{"api_name":"Ghosts","id":"1"},"field_selection":` + pair(email, phone) + `}]`), "INVALID_DATA", base + "notification_condition[0].module.api_name"},
		{"module, no name", condition(`[{"type":"field_selection","module":{"id":"` + id + `"},"field_selection":` + pair(email, phone) + `}]`), "EXPECTED_FIELD_MISSING", base + "notification_condition[0].module.api_name"},
		{"module, no id", condition(`[{"type":"field_selection","module":{"api_name":"Leads"},"field_selection":` + pair(email, phone) + `}]`), "EXPECTED_FIELD_MISSING", base + "notification_condition[0].module.id"},
		{"module, id as number", condition(`[{"type":"field_selection","module":{"api_name":"Leads","id":5},"field_selection":` + pair(email, phone) + `}]`), "INVALID_DATA", base + "notification_condition[0].module.id"},
		{"module, id of another", condition(`[{"type":"field_selection","module":{"api_name":"Leads","id":"` + deals + `"},"field_selection":` + pair(email, phone) + `}]`), "AMBIGUITY_DURING_PROCESSING", base + "notification_condition[0].module"},
		{"no field_selection", condition(`[{"type":"field_selection",` + module + `}]`), "EXPECTED_FIELD_MISSING", base + "notification_condition[0].field_selection"},
		{"field_selection, array", selection(`[]`), "INVALID_DATA", base + "notification_condition[0].field_selection"},
		{"no operator", selection(`{"group":[` + email + `]}`), "MANDATORY_NOT_FOUND", tree + "group_operator"},
		{"nested, no operator", selection(pair(email, `{"group":[`+phone+`]}`)), "MANDATORY_NOT_FOUND", tree + "group[1].group_operator"},
		{"other operator", selection(`{"group_operator":"xor","group":[` + email + `]}`), "INVALID_DATA", tree + "group_operator"},
		{"no group", selection(`{"group_operator":"or"}`), "EXPECTED_FIELD_MISSING", tree + "group"},
		{"empty group", selection(`{"group_operator":"or","group":[]}`), "INVALID_DATA", tree + "group"},
		{"three objects", selection(`{"group_operator":"or","group":[` + email + `,` + phone + `,` + city + `]}`), "INVALID_DATA", tree + "group"},
		{"entry, text", selection(pair(email, `"Phone"`)), "INVALID_DATA", tree + "group[1]"},
		{"entry, neither", selection(pair(email, `{"fields":1}`)), "INVALID_DATA", tree + "group[1]"},
		{"entry, both", selection(pair(email, `{"field":{},"group_operator":"and","group":[]}`)), "INVALID_DATA", tree + "group[1]"},
		{"entry, nested operator", selection(pair(email, `{"group_operator":"but","group":[`+phone+`]}`)), "INVALID_DATA", tree + "group[1].group_operator"},
		{"field, unknown", selection(pair(email, `{"field":{"api_name":"Shoe_Size","id":"1"}}`)), "INVALID_DATA", tree + "group[1].field.api_name"},
		{"field, of another module", selection(pair(email, s.field(t, "Deals", "Stage"))), "INVALID_DATA", tree + "group[1].field.api_name"},
		{"field, id of another", selection(pair(email, strings.Replace(phone, "Phone", "Mobile", 1))), "INVALID_DATA", tree + "group[1].field.id"},
		{"field, no name", selection(pair(email, `{"field":{"id":"1"}}`)), "EXPECTED_FIELD_MISSING", tree + "group[1].field.api_name"},
		{"field, no id", selection(pair(email, `{"field":{"api_name":"Phone"}}`)), "EXPECTED_FIELD_MISSING", tree + "group[1].field.id"},
		{"eleven fields", selection(eleven), "INVALID_DATA", tree + "group"},
		{"too deep", selection(deep), "INVALID_DATA", tree + strings.Repeat("group[0].", 10) + "group"},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, method := range []string{http.MethodPost, http.MethodPut} {
				status, _, body := s.call(t, method, "", `{"watch":[`+test.subscription+`]}`)
				answer := decode[struct {
					Watch []struct {
						Code, Status string
						Details      struct {
							Path string `json:"json_path"`
						}
					}
				}](t, body)
				if len(answer.Watch) != 1 {
					t.Fatalf("%d %s", status, body)
				}
				got := answer.Watch[0]
				errorIf(t, status != http.StatusBadRequest || got.Code != test.code || got.Details.Path != test.path || got.Status != "error",
					"%s: %d %s\nwant %s at %s", method, status, body, test.code, test.path)
			}
		})
	}
	stats := s.Stats()
	errorIf(t, stats.Channels != 0, "%d channels were kept", stats.Channels)
}

func TestErrorsOfTheWholeBody(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for body, want := range map[string]string{
		``:              `{"code":"INVALID_DATA","path":"$"}`,
		`{"watch":[`:    `{"code":"INVALID_DATA","path":"$"}`,
		`[]`:            `{"code":"INVALID_DATA","path":"$"}`,
		`{}`:            `{"code":"EXPECTED_FIELD_MISSING","path":"$.watch"}`,
		`{"Watch":[]}`:  `{"code":"EXPECTED_FIELD_MISSING","path":"$.watch"}`,
		`{"watch":{}}`:  `{"code":"INVALID_DATA","path":"$.watch"}`,
		`{"watch":[]}`:  `{"code":"INVALID_DATA","path":"$.watch"}`,
		`{"watch":"x"}`: `{"code":"INVALID_DATA","path":"$.watch"}`,
		`{"watch":["` + strings.Repeat("x", 300_000) + `"]}`: `{"code":"INVALID_DATA","path":"$"}`,
	} {
		status, _, text := s.call(t, http.MethodPost, "", body)
		answer := decode[struct {
			Code    string
			Details struct {
				Path string `json:"json_path"`
			}
		}](t, text)
		got := fmt.Sprintf(`{"code":%q,"path":%q}`, answer.Code, answer.Details.Path)
		errorIf(t, status != http.StatusBadRequest || got != want, "%.40s: %d %s, want %s", body, status, got, want)
	}
}

// Everything that docs/upstream.md U271 to U276 allow, at its limits.
func TestLimitsThatStillPass(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	email, phone := s.field(t, "Leads", "Email"), s.field(t, "Leads", "Phone")
	ten := email
	for range 9 {
		ten = `{"group_operator":"or","group":[` + phone + `,` + ten + `]}`
	}
	s.enable(t, condition(`[{"type":"field_selection","module":{"api_name":"Leads","id":"`+s.moduleID(t, "Leads")+`"},"field_selection":`+ten+`}]`))
	s.enable(t, `{"channel_id":1,"events":["Leads.all"],"notify_url":"http://[::1]:1/","token":"`+strings.Repeat("é", 50)+`"}`)
	s.enable(t, `{"channel_id":-9223372036854775808,"events":["Leads.all"],"notify_url":"https://localhost/x","token":null,"channel_expiry":null}`)
}

// docs/upstream.md U283: partly failed 207. Every element has its result in its place.
func TestPartlyFailed(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	status, _, body := s.call(t, http.MethodPost, "", `{"watch":[
		{"channel_id":1,"events":["Leads.all"]},
		{"channel_id":2,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/"},
		{"channel_id":3,"events":["Ghosts.all"],"notify_url":"http://127.0.0.1:1/"}]}`)
	answer := decode[struct{ Watch []struct{ Code string } }](t, body)
	equal(t, fmt.Sprint(status, answer.Watch), "207 [{MANDATORY_NOT_FOUND} {SUCCESS} {INVALID_DATA}]")
	errorIf(t, !strings.Contains(body, `"json_path":"$.watch[2].events[0]"`) || s.Stats().Channels != 1,
		"%d channels: %s", s.Stats().Channels, body)
}

// docs/upstream.md U274: at most one week after enabling; omitted or later means one hour.
func TestExpiry(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for given, want := range map[string]string{
		``: "2026-03-01T18:30:00+05:30",
		`,"channel_expiry":"2026-03-08T12:00:00Z"`:      "2026-03-08T17:30:00+05:30",
		`,"channel_expiry":"2026-03-08T12:00:01Z"`:      "2026-03-01T18:30:00+05:30",
		`,"channel_expiry":"2026-03-01T12:00:01+0000"`:  "2026-03-01T17:30:01+05:30",
		`,"channel_expiry":"2126-03-01T12:00:00-04:00"`: "2026-03-01T18:30:00+05:30",
	} {
		_, _, body := s.call(t, http.MethodPost, "", `{"watch":[{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/"`+given+`}]}`)
		errorIf(t, !strings.Contains(body, `"channel_expiry":"`+want+`"`), "%s: %s, want %s", given, body, want)
	}
}

func TestUpdateAndDisable(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	update := func(channel string) (int, string) {
		status, _, body := s.call(t, http.MethodPut, "", `{"watch":[{"channel_id":`+channel+`,"events":["Deals.edit"],"notify_url":"http://127.0.0.1:1/"}]}`)
		return status, body
	}
	if status, body := update("1"); status != http.StatusBadRequest || !strings.Contains(body, `"NOT_SUBSCRIBED"`) || !strings.Contains(body, "$.watch[0].channel_id") {
		t.Errorf("an unknown channel: %d %s", status, body)
	}
	s.enable(t, `{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/"}`)
	s.enable(t, `{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/"}`)
	equal(t, s.Stats().Channels, 1, "channels of one id")
	s.clock.advance(59 * time.Minute)
	if status, body := update("1"); status != http.StatusOK || !strings.Contains(body, `"resource_name":"Deals"`) || strings.Contains(body, "Leads") {
		t.Errorf("a living channel: %d %s", status, body)
	}
	s.clock.advance(time.Hour)
	if status, body := update("1"); status != http.StatusBadRequest || !strings.Contains(body, `"NOT_SUBSCRIBED"`) {
		t.Errorf("an expired channel: %d %s", status, body)
	}
	s.enable(t, `{"channel_id":1,"events":["Leads.all","Deals.all"],"notify_url":"http://127.0.0.1:1/"}`)
	status, _, body := s.call(t, http.MethodDelete, "?channel_ids=1,2", "")
	if status != http.StatusMultiStatus || strings.Count(body, `"SUCCESS"`) != 2 || strings.Count(body, `"NOT_SUBSCRIBED"`) != 1 || s.Stats().Channels != 0 {
		t.Errorf("disabling: %d %s", status, body)
	}
	for _, query := range []string{"?channel_ids=1", "", "?channel_ids=x"} {
		status, _, _ = s.call(t, http.MethodDelete, query, "")
		errorIf(t, status != http.StatusBadRequest, "disabling %q: %d", query, status)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	quoted := `{"watch":[{"channel_id":"10000","events":["Leads.all"],"notify_url":"https://example.com/hook"}]}`
	s := start(t, func(o *watch.Options) { o.AnyHost = true })
	status, _, body := s.call(t, http.MethodPost, "", quoted)
	errorIf(t, status != http.StatusCreated, "%d %s", status, body)
	_, err := watch.New(watch.Options{Now: time.Now})
	errorIf(t, err == nil, "a server without a Poster")
	_, err = watch.New(watch.Options{Poster: poster{}})
	errorIf(t, err == nil, "a server without a clock")
	_, err = watch.New(watch.Options{Now: time.Now, Poster: poster{}, BatchIDs: -1})
	errorIf(t, err == nil, "batches of less than nothing")
}

// docs/upstream.md U37: ALL gives full access, WRITE edits, CREATE enables.
func TestScopes(t *testing.T) {
	t.Parallel()
	access := oauth.Access{Client: "c", User: "u", Organization: "1"}
	o := oauth.Options{
		Now: time.Now, Clients: []oauth.Client{{ID: "c", Secret: "s"}},
		Users: []oauth.User{{ID: "u", Organizations: []oauth.Organization{{ID: "1"}}}},
	}
	wants := map[string]string{
		"ALL": "SUCCESS", "CREATE": "SUCCESS", "WRITE": "SUCCESS", "READ": "OAUTH_SCOPE_MISMATCH", "DELETE": "OAUTH_SCOPE_MISMATCH",
	}
	for operation := range wants {
		o.Grants = append(o.Grants, oauth.Grant{Access: access, RefreshToken: operation, Scopes: []string{"CRM.notifications." + operation}})
	}
	authorization, err := oauth.New(o)
	must(t, err)
	s := start(t, func(o *watch.Options) { o.Guard = authorization })
	enable := func(header, want string) {
		r := httptest.NewRequest(http.MethodPost, "/crm/v2/actions/watch", strings.NewReader(
			`{"watch":[{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/"}]}`))
		r.Header.Set("Authorization", header)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if refused := want != "SUCCESS"; !strings.Contains(w.Body.String(), `"code":"`+want+`"`) || refused != (w.Code == http.StatusUnauthorized) {
			t.Errorf("%d %s, want %s", w.Code, w.Body, want)
		}
	}
	for operation, want := range wants {
		w := httptest.NewRecorder()
		authorization.ServeHTTP(w, httptest.NewRequest(http.MethodPost,
			"/oauth/v2/token?grant_type=refresh_token&client_id=c&client_secret=s&refresh_token="+operation, nil))
		token := decode[struct {
			Text string `json:"access_token"`
		}](t, w.Body.String())
		enable("Svc-oauthtoken "+token.Text, want)
		r := httptest.NewRequest(http.MethodGet, "/crm/v2/actions/watch?channel_id=9", nil)
		r.Header.Set("Authorization", "Svc-oauthtoken "+token.Text)
		listed := httptest.NewRecorder()
		s.ServeHTTP(listed, r)
		equal(t, operation == "READ" || operation == "ALL", listed.Code == http.StatusNoContent, operation, listed.Code, listed.Body)
	}
	enable("", "AUTHENTICATION_FAILURE")
	enable("Svc-oauthtoken dead", "INVALID_TOKEN")
}

// FuzzSubscribe checks that the endpoint answers every body with JSON and a documented status, and
// stores a channel exactly when it says so.
func FuzzSubscribe(f *testing.F) {
	f.Add(`{"watch":[{"channel_id":1,"events":["Leads.all"],"notify_url":"http://127.0.0.1:1/","token":"x","channel_expiry":"2026-03-02T00:00:00Z"}]}`)
	f.Add(`{"watch":[` + condition(`[{"type":"field_selection","module":{"api_name":"Leads","id":"1"},"field_selection":{"group_operator":"or","group":[{"field":{}},{"group":null}]}}]`) + `]}`)
	f.Add(`{"watch":[null,1,"",[],{"channel_id":1e3}]}`)
	at := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, body string) {
		server, err := watch.New(watch.Options{Now: func() time.Time { return at }, Poster: poster{}})
		must(t, err)
		for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodPost} {
			w := httptest.NewRecorder()
			server.ServeHTTP(w, httptest.NewRequest(method, "/crm/v8/actions/watch", strings.NewReader(body)))
			switch w.Code {
			case http.StatusCreated, http.StatusMultiStatus:
				errorIf(t, server.Stats().Channels == 0, "%s %q: %d, and no channel", method, body, w.Code)
			case http.StatusBadRequest:
				equal(t, server.Stats().Channels, 0, method, body)
			default:
				t.Errorf("%s %q: %d", method, body, w.Code)
			}
			errorIf(t, !json.Valid(w.Body.Bytes()), "%s %q: %s", method, body, w.Body)
		}
	})
}
