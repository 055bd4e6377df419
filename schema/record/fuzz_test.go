package record_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sluice/pipeline/check"
	"sluice/schema"
	"sluice/schema/record"
)

// For any bytes there is no panic, but a *RejectedError or rows, the same each time, and no text
// that Postgres refuses.
func FuzzRecord(f *testing.F) {
	for _, seed := range []string{
		`{"order_id":"1","note":"a\u0000\ud800","total":1e3,"changed":"2026-01-17T15:27:23+0530"}`,
		`{"order_id":7,"line_items":[{"rate":"-0.10","serial_numbers":["a",null],"x":{"y":[1]}}],"z":null}`,
		`{"order_id":"1","billing_address":"","blob":{"b":1,"a":[true,"\\u0000"]}}`,
		`{"order_id":"1","order_id":"2"}`, `{"x":1,"order_id":"1","x":2}`, `{"order_id":"1","z":{"a":1,"a":2}}`, `{"order_id":"1","blob":{"a":"\ud800"},"z":{"\u0061":1}}`,
		`{"order_id":"1",}`, `{"order_id":"1"} x`, `{"order_id":"1","line_items":[{"rate":1},]}`, `{"order_\u0069d":"1","order_id":"1"}`,
		`{"order_id":"1" "note":"a"}`, `{"order_id":"1","line_items":[{"rate":1}}`, `{"order_id":"1","note":"\ud83d\ude00 ü"}`, `[]`, ``, `{"a":`, "{\"order_id\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	for _, seed := range []string{
		`{"visit_id":"1","cf_a":1.0,"cf_a_formatted":"1","cf_b_formatted":null,"cf_\u0000":{"a":[]}}`,
		`{"channel_id":"c/d","network":"n"}`, `{"ticket_id":1,"status":"\u202e","lines":[{"kind":"\ud800"}],"marks":["\u0000"]}`,
	} {
		f.Add([]byte(seed))
	}
	var all []*record.Normalizer
	for _, resource := range []*schema.Resource{order(), visit(), channel(), ticket()} {
		n := check.Sure(record.New(resource, time.UTC))(f)
		all = append(all, n)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, n := range all {
			checkRecord(t, n, raw)
		}
	})
}

func checkRecord(t *testing.T, n *record.Normalizer, raw []byte) {
	t.Helper()
	got, err := n.RecordUnder(raw, "north")
	again, errAgain := n.RecordUnder(raw, "north")
	diff := cmp.Diff(got, again)
	check.FatalIf(t, diff != "" || (err == nil) != (errAgain == nil), "two readings differ: %v, %v\n%s", err, errAgain, diff)
	// Both ways of reading agree, for any bytes.
	careful, errCareful := n.Carefully(raw, "north")
	if diff := cmp.Diff(got, careful); diff != "" || fmt.Sprint(err) != fmt.Sprint(errCareful) {
		t.Fatalf("quick and careful differ: %v, %v\n%s", err, errCareful, diff)
	}
	if err != nil {
		var fault *record.RejectedError
		fatalIf(t, !errors.As(err, &fault) || fault.Code == "" || !keepable(err.Error()) || !keepable(fault.ID),
			"not a clean *ValueError: %q", err)
		return
	}
	checkPeek(t, n, got)
	fatalIf(t, got.ID == "" || len(got.Tables[0]) != 1 || !keepable(got.Extra), "an impossible record: %+v", got)
	for _, drift := range got.Drift {
		fatalIf(t, !keepable(drift.Path) || !keepable(drift.Kind), "drift that cannot be kept: %q", drift)
	}
	for _, rows := range got.Tables {
		for _, row := range rows {
			for _, value := range row.Values {
				fatalIf(t, !keepable(value.Text) || value.State != record.Set && value.Text != "", "an impossible value %+v", value)
			}
		}
	}
}

func keepable(text string) bool {
	return utf8.ValidString(text) && !strings.Contains(text, "\x00")
}
