package notifications

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/check"
)

// TestWatchBodies: the form of the API document and that of live services mean the same
// (docs/upstream.md U279, U285).
func TestWatchBodies(t *testing.T) {
	t.Parallel()
	sent := time.UnixMilli(1774000000123)
	for name, test := range map[string]struct {
		body string
		want watched
	}{
		"the document's sample": {
			`{"server_time":1774000000123,"query_params":{},"module":"Deals","resource_uri":"https://x/crm/v8/Deals","ids":["4150868000001144028"],` +
				`"affected_fields":[],"operation":"insert","channel_id":"1000000068001","token":"T"}`,
			watched{channel: 1000000068001, token: "T", operation: "insert", ids: []string{"4150868000001144028"}, sentAt: sent},
		},
		"fields with values, as in the document": {
			`{"server_time":1774000000123,"ids":["8","!","7"],"affected_fields":[{"Stage":"Won","Amount":1000.50},{"Stage":null}],"operation":"edit","channel_id":"1","token":"T"}`,
			watched{channel: 1, token: "T", operation: "update", ids: []string{"7", "8"}, sentAt: sent},
		},
		"names and values, live": {
			`{"ids":["41","42","41"],"affected_fields":[{"41":["Amount","Stage"]},{"43":["Stage"]}],` +
				`"affected_values":[{"record_id":"41","values":{"Stage":"Won","A":1e999999}}],"operation":"update","channel_id":"1","token":"T"}`,
			watched{channel: 1, token: "T", operation: "update", ids: []string{"41", "42"}},
		},
		"other words and other types": {
			`{"server_time":"soon","ids":"41","affected_fields":7,"affected_values":{"41":1},"operation":5,"channel_id":1,"token":"T","more":{}}`,
			watched{channel: 1, token: "T", operation: ""},
		},
		"an operation nobody knows": {
			`{"server_time":-5,"ids":[1e5,null,true,{"id":"1"},9007199254740993,"a-b","x23"],"operation":"restore","channel_id":"1","token":"T"}`,
			watched{channel: 1, token: "T", operation: "", ids: []string{"9007199254740993", "x23"}},
		},
		"years away":    {`{"server_time":253402300799999,"channel_id":"1","token":"T"}`, watched{channel: 1, token: "T", sentAt: time.UnixMilli(253402300799999)}},
		"too far":       {`{"server_time":253402300800000,"channel_id":"1","token":"T"}`, watched{channel: 1, token: "T"}},
		"much too far":  {`{"server_time":99999999999999999999999,"channel_id":"1","token":"T"}`, watched{channel: 1, token: "T"}},
		"in capitals":   {`{"operation":"DELETE","channel_id":"1","token":"T"}`, watched{channel: 1, token: "T", operation: "delete"}},
		"a byte escape": {`{"operation":"\u0063reate","channel_id":"1","token":"\u0054"}`, watched{channel: 1, token: "T", operation: "insert"}},
	} {
		got, err := parseWatch([]byte(test.body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if test.want.ids == nil {
			test.want.ids = []string{}
		}
		check.Same(t, name, test.want, got, cmp.AllowUnexported(watched{}))
	}
}

// TestRuleBodies: an operator writes the body upstream.
func TestRuleBodies(t *testing.T) {
	t.Parallel()
	bills := Resource{Service: "inventory", Name: "bills", ID: "bill_id", Single: "bill"}
	for body, want := range map[string]ruled{
		`{"bill_id":"1"}`:                          {ids: []string{"1"}},
		`{"id":"1"}`:                               {ids: []string{"1"}},
		` {"id": 460000000038080} `:                {ids: []string{"460000000038080"}},
		`{"bill":{"bill_id":"1"}}`:                 {ids: []string{"1"}},
		`{"bill":{"id":"1"},"operation":"create"}`: {ids: []string{"1"}, operation: "insert"},
		`{"id":"2","bill_id":"1"}`:                 {ids: []string{"1"}},
		`{"bill":{"bill_id":"1"},"id":"2"}`:        {ids: []string{"2"}},
		`{"item_id":"1"}`:                          {ids: []string{}},
		`{"bill":"1","operation":"delete"}`:        {ids: []string{}, operation: "delete"},
		`{"bill_id":""}`:                           {ids: []string{}},
		`{"bill_id":"1 OR 1=1"}`:                   {ids: []string{}},
		`{"bill_id":"${BILL.ID}"}`:                 {ids: []string{}}, // the placeholder was not replaced
		`{"bill_id":["1"]}`:                        {ids: []string{}},
		`{"bill_id":1.0}`:                          {ids: []string{}},
		`{"bill_id":-1}`:                           {ids: []string{}},
		`{}`:                                       {ids: []string{}},
	} {
		got, err := parseRule([]byte(body), bills)
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		check.Same(t, body, want, got, cmp.AllowUnexported(ruled{}))
	}
	got, err := parseRule([]byte(`{"bill":{"id":"1"}}`), Resource{ID: "bill_id"})
	check.ErrorIf(t, err != nil || len(got.ids) > 0, "without a single record: %v, %v", got, err)
}

// identifiers is written down here, not taken from the program.
var identifiers = regexp.MustCompile(`^[0-9A-Za-z]+$`)

// sane checks what holds of every body that is accepted.
func sane(t *testing.T, body []byte, operation string, ids []string) {
	t.Helper()
	var document map[string]any
	err := json.Unmarshal(body, &document)
	check.FatalIf(t, err != nil, "%q is accepted: %v", body, err)
	check.FatalIf(t, !slices.Contains([]string{"", "insert", "update", "delete"}, operation), "%q: operation %q", body, operation)
	for _, id := range ids {
		check.FatalIf(t, len(id) > 64 || !identifiers.MatchString(id), "%q: identifier %q", body, id)
	}
}

func FuzzWatch(f *testing.F) {
	for _, body := range []string{
		`{"server_time":1774000000123,"module":"Deals","ids":["41"],"affected_fields":[],"operation":"insert","channel_id":"1000000068001","token":"T"}`,
		`{"ids":["41","42"],"affected_fields":[{"41":["Stage"]}],"affected_values":[{"record_id":"41","values":{"S":"W","A":12.00}}],"channel_id":1,"token":"T"}`,
		`{"ids":["8","7"],"affected_fields":[{"Stage":"Won"},{"Stage":null}],"operation":"edit","channel_id":"1","token":"T"}`,
		`{"channel_id":"1","token":null}`, `{"channel_id":"1","token":"a","token":"b"}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := parseWatch(body)
		if err != nil {
			return
		}
		sane(t, body, got.operation, got.ids)
		check.FatalIf(t, got.token == "" || !slices.IsSorted(got.ids) || got.sentAt.Year() > 9999, "%q: %+v", body, got)
	})
}

func FuzzRule(f *testing.F) {
	for _, body := range []string{`{"bill_id":"1"}`, `{"bill":{"bill_id":460000000038080},"operation":"edit"}`, `{"id":"1","id":"2"}`, `[`, `{"bill":{"bill":{}}}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got, err := parseRule(body, Resource{ID: "bill_id", Single: "bill"})
		if err != nil {
			return
		}
		sane(t, body, got.operation, got.ids)
		check.FatalIf(t, len(got.ids) > 1, "%q: %v", body, got.ids)
	})
}
