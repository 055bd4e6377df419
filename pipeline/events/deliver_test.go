package events_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sluice/pipeline/check"
	"sluice/pipeline/events"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/receivers"
)

// TestMessages: a receiver gets one message for each record that changed, the end of a run after
// all that the run changed, and nothing twice.
func TestMessages(t *testing.T) {
	t.Parallel()
	w := open(t, newReceiver(t, nil))
	w.write("1", "shop.things", changes.New, "a", "b")
	w.write("1", "shop.things", changes.Rewritten, "a")
	check.Must(w, changes.Note(t.Context(), w.pool, "1", "shop.things", changes.Finished, []string{"42"}, map[string]int{"inserted": 2}))
	w.write("1", "shop.things", changes.Deleted, "b")
	check.Must(w, changes.Note(t.Context(), w.pool, "1", "shop.things", changes.AfterClose, []string{"b"}, map[string]string{"closed_to": "2026-10-31"}))
	w.deliver()
	taken := w.to.taken()
	check.FatalIf(t, len(taken) != 5,
		"took %d messages, want 5: two new, the end of the run, deleted, in a closed period\n%+v", len(taken), taken)
	slices.SortStableFunc(taken[:2], func(a, b got) int { return strings.Compare(a.Data.Record, b.Data.Record) })
	slices.SortStableFunc(taken[3:], func(a, b got) int { return int(a.Data.Seq - b.Data.Seq) })
	for i, want := range []string{"record.changed a new", "record.changed b new", "run.finished  ", "record.changed b deleted", "period.changed b after_close"} {
		m := taken[i]
		if is := m.Type + " " + m.Data.Record + " " + m.Data.Op; is != want || m.Data.Table != "shop.things" || m.Data.Organization != "1" || m.Data.Seq == 0 {
			t.Errorf("message %d is %q (%+v), want %q", i, is, m, want)
		}
		for j := range i {
			check.ErrorIf(t, taken[j].ID == m.ID, "messages %d and %d have the id %s", j, i, m.ID)
		}
	}
	if m := taken[2]; m.Data.Run != 42 || strings.ReplaceAll(string(m.Data.Details), " ", "") != `{"inserted":2}` {
		t.Errorf("the end of the run says %+v, want run 42 and its counts", m)
	}
	if m := taken[4]; strings.ReplaceAll(string(m.Data.Details), " ", "") != `{"closed_to":"2026-10-31"}` {
		t.Errorf("the change in a closed period says %s", m.Data.Details)
	}
	w.deliver()
	if row := w.row(); w.to.count() != 5 || row.Delivered != 5 || row.State != receivers.OK || w.ahead() {
		t.Errorf("%d requests, row %+v, want five messages once, and nothing ahead", w.to.count(), row)
	}
}

// TestFilters: a receiver is told of what it chose, and its position moves past the rest.
func TestFilters(t *testing.T) {
	t.Parallel()
	w := open(t, newReceiver(t, nil))
	w.options.Receiver.Tables, w.options.Receiver.Organizations = []string{"shop.things"}, []string{"1"}
	w.options.Receiver.Ops = []string{"rewritten", "deleted"}
	for _, organization := range []string{"1", "2"} {
		for _, table := range []string{"shop.things", "shop.others"} {
			for _, op := range []changes.Op{changes.New, changes.Rewritten, changes.Deleted} {
				w.write(organization, table, op, organization+table+string(op))
			}
		}
	}
	w.deliver()
	var records []string
	for _, m := range w.to.taken() {
		records = append(records, m.Data.Record)
	}
	slices.Sort(records)
	want := []string{"1shop.thingsdeleted", "1shop.thingsrewritten"}
	check.ErrorIf(t, !slices.Equal(records, want) || w.ahead(), "told of %q, ahead %t, want %q and nothing ahead", records, w.ahead(), want)
}

// TestFailures: whatever a receiver answers, nothing is lost and its next attempt is later. The
// reason has no address and no secret.
func TestFailures(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		answer func(w http.ResponseWriter)
		why    string
		state  receivers.State
		least  time.Duration
	}{
		"500": {func(w http.ResponseWriter) {
			http.Error(w, "no room: "+secret+" \x1b[2J", http.StatusInternalServerError)
		}, "it answered 500: no room: [redacted]", "failing", 0},
		"400": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadRequest) }, "it answered 400", "failing", 0},
		"301": {func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://u:p@elsewhere.example.com/new?token=x")
			w.WriteHeader(http.StatusMovedPermanently)
		}, "it answered 301 and leads to https://elsewhere.example.com/new: redirects are not followed, so write the right address into the configuration", "failing", 0},
		"304": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotModified) }, "it answered 304: redirects", "failing", 0},
		"410": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusGone) }, "it answered 410: it wants no more messages", "disabled", 0},
		"429 for two hours": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "7200")
			w.WriteHeader(http.StatusTooManyRequests)
		}, "it answered 429", "failing", 2 * time.Hour},
		"503 for ten seconds": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "10")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, "it answered 503", "failing", 10 * time.Second},
		"hangs": {func(http.ResponseWriter) { <-time.After(time.Second) }, "it did not answer within 100ms", "failing", 0},
		"a long answer": {func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write([]byte(strings.Repeat("x", 1<<20)))
		}, "it answered 418: xxx", "failing", 0},
		"garbage":         {func(w http.ResponseWriter) { raw(w, "\x00\x01 no HTTP at all\r\n\r\n") }, "", "failing", 0},
		"endless headers": {func(w http.ResponseWriter) { raw(w, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("y", 1<<20)) }, "", "failing", 0},
		"cut off":         {func(w http.ResponseWriter) { raw(w, "HTTP/1.1 20") }, "", "failing", 0},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := open(t, refusing(t, test.answer))
			w.options.Limit, w.options.First, w.options.Longest = 30*time.Second, time.Minute, time.Hour
			if what == "hangs" { // the others answer, however slow the machine is
				w.options.Limit = 100 * time.Millisecond
			}
			w.write("1", "shop.things", changes.New, "a")
			w.deliver()
			row := w.row()
			if row.State != test.state || row.Failures != 1 || row.Failed != 1 || row.LastError == nil || !strings.HasPrefix(*row.LastError, test.why) || !w.ahead() {
				t.Fatalf("row %+v, reason %q, want %s because %q, and the message still ahead", row, text(row.LastError), test.state, test.why)
			}
			if said := *row.LastError + w.log.String(); strings.Contains(said, w.to.URL) || strings.Contains(said, "c2x1aWNl") || strings.Contains(said, "token=x") || strings.Contains(said, "\x1b") {
				t.Errorf("a reason tells an address, a secret or a control character: %q", said)
			}
			check.ErrorIf(t, test.state == receivers.Failing && wait(row) < test.least-time.Second, "waits less than %s: %+v", test.least, row)
			asked := w.to.count()
			w.deliver() // it is not due, or disabled
			check.ErrorIf(t, w.to.count() != asked, "a receiver was asked before its next attempt")
			w.to.answers(nil)
			if test.state == receivers.Disabled {
				check.Must(w, receivers.Enable(t.Context(), w.pool, name))
			}
			w.due()
			w.deliver()
			if taken := w.to.taken(); len(taken) != 1 || taken[0].Data.Record != "a" || w.row().State != receivers.OK || w.ahead() {
				t.Errorf("once it works it took %+v, row %+v, want record a", taken, w.row())
			}
		})
	}
}

// refusing is a receiver that acknowledges nothing.
func refusing(t *testing.T, answer func(http.ResponseWriter)) *receiver {
	t.Helper()
	return newReceiver(t, func(w http.ResponseWriter, _ got) bool { answer(w); return false })
}

// raw answers bytes instead of HTTP.
func raw(w http.ResponseWriter, answer string) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_, _ = conn.Write([]byte(answer))
		_ = conn.Close()
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// TestDown: a receiver that is down gets one request at a time, at waits that double up to an hour.
func TestDown(t *testing.T) {
	t.Parallel()
	w := open(t, refusing(t, func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) }))
	w.options.First, w.options.Longest = time.Second, time.Hour
	w.write("1", "shop.things", changes.New, strings.Fields("a b c d e f g h i j k l m n o p q r s t")...)
	w.deliver()
	first := w.to.count()
	check.ErrorIf(t, first > 8, "the first attempt made %d requests, want one in each of 8 lanes at most", first)
	for failures := 1; failures <= 15; failures++ {
		row := w.row()
		want := min(time.Second<<(failures-1), time.Hour)
		if waits := wait(row); row.Failures != failures || waits < want*4/5-time.Second/10 || waits > want*6/5+time.Second/10 {
			t.Errorf("after %d failures (stored %d) it waits %s, want %s and a fifth more or less", failures, row.Failures, waits, want)
		}
		asked := w.to.count()
		w.due()
		w.deliver()
		now := w.to.count()
		check.ErrorIf(t, now != asked+1, "attempt %d made %d requests, want one", failures+1, now-asked)
	}
	w.options.Receiver.URL = "http://127.0.0.1:1"
	w.due()
	w.deliver()
	if row := w.row(); row.LastError == nil || !strings.Contains(*row.LastError, "connection") || strings.Contains(*row.LastError, "127.0.0.1") {
		t.Errorf("a closed port is described by %q", text(row.LastError))
	}
}

// TestOneBadMessage: a message that a receiver refuses holds up its record, and what was
// acknowledged is not sent again.
func TestOneBadMessage(t *testing.T) {
	t.Parallel()
	bad := true
	to := newReceiver(t, nil)
	to.answers(func(w http.ResponseWriter, m got) bool {
		if bad && m.Data.Record == "d" {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return false
		}
		return true
	})
	w := open(t, to)
	w.write("1", "shop.things", changes.New, strings.Fields("a b c d e f g h")...)
	w.write("1", "shop.things", changes.Changed, "d")
	for range 20 {
		w.due()
		w.deliver()
	}
	for _, m := range to.taken() {
		check.FatalIf(t, m.Data.Record == "d", "took %+v behind a message about the same record that was refused", m)
	}
	bad = false
	w.due()
	w.deliver()
	seen := map[string]int{}
	for _, m := range to.taken() {
		seen[m.ID]++
	}
	check.ErrorIf(t, len(seen) != 9 || w.ahead(), "took %d messages, want 9", len(seen))
	for id, times := range seen {
		check.ErrorIf(t, times > 1, "%s was acknowledged %d times, and sent again", id, times)
	}
	row := w.row()
	check.ErrorIf(t, row.Delivered != 9, "counted %d messages, want 9", row.Delivered)
}

// TestRestarted: a receiver whose position cannot be followed is told so, and then of what changes
// from there on.
func TestRestarted(t *testing.T) {
	t.Parallel()
	for what, damage := range map[string]string{
		"pruned":  `UPDATE sluice.change_log SET pruned_to = pg_snapshot_xmax(pg_current_snapshot())`,
		"another": `UPDATE sluice.event_receivers SET cursor = replace(cursor, ';' || (SELECT timeline || '/' || era FROM sluice.change_log) || ';', ';elsewhere;')`,
		"damaged": `UPDATE sluice.event_receivers SET cursor = 'no cursor'`,
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			fails := true
			to := newReceiver(t, nil)
			var ids []string
			to.answers(func(w http.ResponseWriter, m got) bool {
				ids = append(ids, m.ID)
				if fails {
					w.WriteHeader(http.StatusInternalServerError)
				}
				return !fails
			})
			w := open(t, to)
			w.write("1", "shop.things", changes.New, "lost")
			check.Must(w, check.Failure(w.pool.Exec(t.Context(), damage)))
			w.deliver()
			fails = false
			w.due()
			w.deliver()
			for range 3 { // pruned_to is the next transaction: the cursor taken here is not older
				check.Must(w, check.Failure(w.pool.Exec(t.Context(), `SELECT pg_current_xact_id()`)))
			}
			w.write("1", "shop.things", changes.New, "later")
			w.deliver()
			taken := to.taken()
			if len(taken) < 2 || taken[0].Type != "feed.restarted" || taken[0].Data.Reason == "" || taken[len(taken)-1].Data.Record != "later" {
				t.Fatalf("took %+v, want feed.restarted and then record later", taken)
			}
			check.ErrorIf(t, ids[0] != ids[1], "the repeat has another id: %q", ids[:2])
			check.ErrorIf(t, w.ahead(), "something is still ahead")
		})
	}
}

// TestMoved: the operator moves a receiver while a process delivers to it; the position that the
// operator chose stays.
func TestMoved(t *testing.T) {
	t.Parallel()
	to := newReceiver(t, nil)
	w := open(t, to)
	start := w.row().Cursor
	w.write("1", "shop.things", changes.New, "a")
	w.deliver()
	w.write("1", "shop.things", changes.New, "b")
	moved := false
	to.answers(func(http.ResponseWriter, got) bool {
		if !moved {
			moved = true
			check.Must(w, receivers.Move(context.WithoutCancel(t.Context()), w.pool, name, start))
		}
		return true
	})
	w.deliver()
	row := w.row()
	check.FatalIf(t, row.Cursor != start, "the process moved the receiver to %s after the operator chose %s", row.Cursor, start)
	w.deliver()
	var records []string
	for _, m := range to.taken() {
		records = append(records, m.Data.Record)
	}
	want := []string{"a", "b", "a", "b"}
	check.ErrorIf(t, !slices.Equal(records[:2], want[:2]) || len(records) != 4, "took %q, want a, b and both again", records)
	check.ErrorIf(t, receivers.Move(t.Context(), w.pool, "nowhere", start) == nil, "a receiver that is not there was moved")
}

// TestStops: a process that stops ends soon, and has stored what was acknowledged.
func TestStops(t *testing.T) {
	t.Parallel()
	stopping := make(chan struct{})
	to := newReceiver(t, nil)
	to.answers(func(http.ResponseWriter, got) bool {
		select {
		case <-stopping:
		default:
			close(stopping)
		}
		return true
	})
	w := open(t, to)
	w.options.Lanes = 1
	w.write("1", "shop.things", changes.New, strings.Fields("a b c d e")...)
	check.Must(w, events.New(w.options).Deliver(t.Context(), stopping))
	if taken := to.taken(); len(taken) != 1 || w.row().Delivered != 1 || w.row().State != receivers.OK {
		t.Fatalf("took %d messages, row %+v, want one", len(taken), w.row())
	}
	ctx, cancel := context.WithCancel(t.Context())
	to.answers(func(http.ResponseWriter, got) bool { cancel(); return true })
	err := events.New(w.options).Deliver(ctx, nil)
	check.ErrorIf(t, !errors.Is(err, context.Canceled), "error %v, want that the context ended", err)
	row := w.row()
	check.ErrorIf(t, row.State != receivers.OK || row.Failed != 0, "row %+v: the end of the process counts as a failure of the receiver", row)
	to.answers(nil)
	w.deliver()
	seen := map[string]int{}
	for _, m := range to.taken() {
		seen[m.Data.Record]++
	}
	check.ErrorIf(t, len(seen) != 5 || seen["a"] != 1, "took %v, want five records, and a once", seen)
}

// TestTest: a test message is signed as all are, and an answer other than 2xx is an error.
func TestTest(t *testing.T) {
	t.Parallel()
	to := newReceiver(t, nil)
	w := open(t, to)
	deliverer := events.New(w.options)
	if err := deliverer.Test(t.Context(), "msg_test_1"); err != nil || len(to.taken()) != 1 || to.taken()[0].Type != "test" {
		t.Errorf("error %v, took %+v, want a message of type test", err, to.taken())
	}
	to.answers(func(w http.ResponseWriter, _ got) bool { w.WriteHeader(http.StatusForbidden); return false })
	err := deliverer.Test(t.Context(), "msg_test_2")
	check.ErrorIf(t, err == nil || err.Error() != "it answered 403", "error %v, want that it answered 403", err)
}
