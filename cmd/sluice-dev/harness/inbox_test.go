package harness

import (
	"crypto/sha256"
	"strings"
	"testing"
)

// TestTheJudgeOfTheInboxBites: a lost callback, one stored twice, one that was never sent, and
// events that are missing.
func TestTheJudgeOfTheInboxBites(t *testing.T) {
	t.Parallel()
	of := func(dialect, text string) content { return content{dialect, sha256.Sum256([]byte(text))} }
	row := func(of content, times, ids, events int) stored {
		return stored{Dialect: of.dialect, Digest: of.digest[:], Times: times, IDs: ids, Events: events}
	}
	bill, item := of("rule", "bill"), of("watch", "item")
	told := map[content]fate{bill: {sent: 5, taken: 3}, item: {sent: 2, taken: 2}}
	for name, c := range map[string]struct {
		inbox []stored
		want  string
	}{
		"well":                      {[]stored{row(bill, 3, 1, 3), row(item, 2, 2, 2)}, ""},
		"stored without an answer":  {[]stored{row(bill, 5, 1, 5), row(item, 2, 2, 2)}, ""},
		"lost":                      {[]stored{row(bill, 3, 1, 3)}, "2 callbacks were answered with 2xx and are not in the inbox"},
		"one of three lost":         {[]stored{row(bill, 2, 1, 2), row(item, 2, 2, 2)}, "1 callbacks were answered with 2xx and are not in the inbox"},
		"twice":                     {[]stored{row(bill, 2, 1, 2), row(bill, 1, 1, 1), row(item, 2, 2, 2)}, "the inbox has a content twice"},
		"more than were sent":       {[]stored{row(bill, 6, 1, 6), row(item, 2, 2, 2)}, "6 times, it was sent 5 times"},
		"a repetition made events":  {[]stored{row(bill, 3, 1, 3), row(item, 2, 2, 4)}, "4 events of 2 records"},
		"a change made no event":    {[]stored{row(bill, 3, 1, 1), row(item, 2, 2, 2)}, "1 events of 1 records"},
		"under another digest only": {[]stored{row(bill, 3, 1, 3), row(item, 2, 2, 2), row(of("rule", "x"), 1, 1, 1)}, "1 times, it was sent 0 times"},
	} {
		var i Inbox
		i.compare(told, c.inbox)
		if c.want == "" && len(i.Violations) > 0 || c.want != "" && (len(i.Violations) != 1 || !strings.Contains(i.Violations[0], c.want)) {
			t.Errorf("%s: %q, want %q", name, i.Violations, c.want)
		}
		if i.Sent != 7 || i.Taken != 5 {
			t.Errorf("%s: %d sent and %d taken, want 7 and 5", name, i.Sent, i.Taken)
		}
	}
}

// TestContents: a rule says its resource in the address, a channel its module in the body.
func TestContents(t *testing.T) {
	t.Parallel()
	digest := func(text string) [sha256.Size]byte { return sha256.Sum256([]byte(text)) }
	for _, c := range []struct {
		address, body string
		want          content
	}{
		{"http://127.0.0.1:1/rule/7/inventory.bills", `{"bill_id":"1"}`, content{"rule", digest("inventory.bills\n" + `{"bill_id":"1"}`)}},
		{"http://127.0.0.1:1/watch/7", `{"module":"Products"}`, content{"watch", digest("Products\n" + `{"module":"Products"}`)}},
	} {
		if got, err := contentOf(c.address, []byte(c.body)); err != nil || got != c.want {
			t.Errorf("%s %s: %+v, %v", c.address, c.body, got, err)
		}
	}
	if _, err := contentOf("http://127.0.0.1:1/watch/7", []byte("x")); err == nil {
		t.Error("a body without JSON has a content")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
