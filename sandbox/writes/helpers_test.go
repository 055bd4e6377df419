package writes_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"sluice/sandbox"
)

// upstream is a sandbox with a token for it and a stopped clock.
type upstream struct {
	*sandbox.Server

	token string
}

func start(t *testing.T) *upstream {
	t.Helper()
	now := time.Date(2026, 3, 10, 6, 0, 0, 0, time.UTC)
	server, err := sandbox.New(sandbox.Options{
		Seed: 11, Records: 300, CustomModules: []string{"cm_projects", "cm_assets"},
		Limits: sandbox.Limits{Off: true}, Now: func() time.Time { return now },
	})
	must(t, err)
	u := &upstream{Server: server}
	query := url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {sandbox.RefreshToken},
		"client_id": {sandbox.ClientID}, "client_secret": {sandbox.ClientSecret},
	}
	var answer struct {
		Token string `json:"access_token"`
	}
	u.call(t, http.MethodPost, "/oauth/v2/token?"+query.Encode(), "").into(t, &answer)
	u.token = answer.Token
	return u
}

// reply is an answer.
type reply struct {
	status  int
	assumed string
	body    []byte
}

func (r reply) into(t *testing.T, value any) {
	t.Helper()
	err := json.Unmarshal(r.body, value)
	fatalIf(t, err != nil, "status %d: %v in %.300s", r.status, err, r.body)
}

// call calls a service with a JSON body, for the organization in query and headers; headers are
// name, value pairs.
func (u *upstream) call(t *testing.T, method, target, body string, headers ...string) reply {
	t.Helper()
	join := "?"
	if strings.Contains(target, "?") {
		join = "&"
	}
	request := httptest.NewRequestWithContext(t.Context(), method, target+join+"organization_id="+sandbox.DefaultOrganizationID, strings.NewReader(body))
	request.Header = http.Header{
		"Authorization": {"Svc-oauthtoken " + u.token}, "Content-Type": {"application/json"},
	}
	request.Header.Set("X-Com-Svc-Invoice-Organizationid", sandbox.DefaultOrganizationID)
	request.Header.Set("X-Com-Svc-Subscriptions-Organizationid", sandbox.DefaultOrganizationID)
	for n := 0; n < len(headers); n += 2 {
		request.Header.Set(headers[n], headers[n+1])
	}
	recorder := httptest.NewRecorder()
	u.ServeHTTP(recorder, request)
	return reply{recorder.Code, recorder.Header().Get("X-Sandbox-Assumed"), recorder.Body.Bytes()}
}

// form posts a form with a file, and with a record in JSON unless it is empty.
func (u *upstream) form(t *testing.T, target, record, part, file string) reply {
	t.Helper()
	const head = "--b\r\nContent-Disposition: form-data; name="
	if record != "" {
		record = head + `"JSONString"` + "\r\n\r\n" + record + "\r\n"
	}
	body := record + head + fmt.Sprintf("%q; filename=%q", part, file) + "\r\n\r\nbytes\r\n--b--\r\n"
	return u.call(t, post, target, body, "Content-Type", "multipart/form-data; boundary=b")
}

// is compares a reply with a status and a body. Objects of want may omit names, lists may not omit
// elements, and "*" is any text but "".
func (r reply) is(t *testing.T, status int, want string) {
	t.Helper()
	fatalIf(t, r.status != status, "status %d, want %d: %.400s", r.status, status, r.body)
	var served, wanted any
	r.into(t, &served)
	err := json.Unmarshal([]byte(want), &wanted)
	fatalIf(t, err != nil, "%v in %s", err, want)
	for _, difference := range differ("", wanted, served) {
		t.Error(difference)
	}
	fatalIf(t, t.Failed(), "served %.2000s", r.body)
}

// refused compares a reply with a refusal: code and message, and each of the texts in the message.
func (r reply) refused(t *testing.T, status, code int, texts ...string) {
	t.Helper()
	r.is(t, status, fmt.Sprintf(`{"code":%d,"message":"*"}`, code))
	for _, text := range texts {
		errorIf(t, !strings.Contains(string(r.body), text), "%q is not in %s", text, r.body)
	}
	errorIf(t, !strings.Contains(r.assumed, "error"), "assumed %q: no document shows this error", r.assumed)
}

func differ(path string, want, got any) []string {
	switch wanted := want.(type) {
	case map[string]any:
		served, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s is no object: %v", path, got)}
		}
		var all []string
		for name := range maps.Keys(wanted) {
			value, has := served[name]
			if !has {
				all = append(all, path+"."+name+" is missing")
				continue
			}
			all = append(all, differ(path+"."+name, wanted[name], value)...)
		}
		return all
	case []any:
		served, ok := got.([]any)
		if !ok || len(served) != len(wanted) {
			return []string{fmt.Sprintf("%s: want %d elements in a list: %v", path, len(wanted), got)}
		}
		var all []string
		for n := range wanted {
			all = append(all, differ(fmt.Sprintf("%s[%d]", path, n), wanted[n], served[n])...)
		}
		return all
	default:
		if text, isText := got.(string); want == "*" && isText && text != "" {
			return nil
		}
		if want != got {
			return []string{fmt.Sprintf("%s: %v, want %v", path, got, want)}
		}
		return nil
	}
}

type object = map[string]json.RawMessage

// at returns the text under names; in a list it takes the first element.
func (r reply) at(t *testing.T, names ...string) string {
	t.Helper()
	var value json.RawMessage = r.body
	for _, name := range names {
		var elements []json.RawMessage
		if json.Unmarshal(value, &elements) == nil && len(elements) > 0 {
			value = elements[0]
		}
		var fields object
		err := json.Unmarshal(value, &fields)
		fatalIf(t, err != nil, "%v: no %s in %.300s", names, name, r.body)
		value = fields[name]
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return string(value)
	}
	return text
}

// get reads and expects 200.
func (u *upstream) get(t *testing.T, target string) reply {
	t.Helper()
	r := u.call(t, http.MethodGet, target, "")
	fatalIf(t, r.status != http.StatusOK, "GET %s: status %d: %.300s", target, r.status, r.body)
	return r
}

// records reads the first page of a list.
func (u *upstream) records(t *testing.T, target, key string) []object {
	t.Helper()
	var envelope object
	u.get(t, target).into(t, &envelope)
	return elements(t, envelope[key])
}

func text(value json.RawMessage) string {
	var plain string
	if json.Unmarshal(value, &plain) != nil {
		return string(value)
	}
	return plain
}

// listed returns the record of a list with an identifier; nil if it is absent.
func (u *upstream) listed(t *testing.T, target, key, name, id string) object {
	t.Helper()
	for _, record := range u.records(t, target, key) {
		if text(record[name]) == id {
			return record
		}
	}
	return nil
}

// openBill returns the identifier, the vendor and the balance of an unpaid bill.
func (u *upstream) openBill(t *testing.T) (string, string, string) {
	t.Helper()
	for _, bill := range u.records(t, "/inventory/v1/bills", "bills") {
		if text(bill["status"]) == "open" && string(bill["payments"]) == "[]" && string(bill["vendor_credits"]) == "[]" {
			return text(bill["bill_id"]), text(bill["vendor_id"]), text(bill["balance"])
		}
	}
	t.Fatal("no open bill")
	return "", "", ""
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// same compares two values; where says what they are.
func same[T comparable](t *testing.T, got, want T, where ...any) {
	t.Helper()
	if got != want {
		t.Errorf("%v: got %v, want %v", where, got, want)
	}
}

// fatalIf ends the test where something makes the rest of it senseless.
func fatalIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Fatalf(format, args...)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
