package delivery_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/sandbox/watch/delivery"
)

// arrival is what one call brought.
type arrival struct {
	header http.Header
	body   string
}

// inbox answers each call with the next status, the last one for good.
type inbox struct {
	statuses []int
	got      []arrival
}

func (b *inbox) Post(_ context.Context, _ string, header http.Header, body []byte) (int, error) {
	b.got = append(b.got, arrival{header, string(body)})
	status := b.statuses[0]
	if len(b.statuses) > 1 {
		b.statuses = b.statuses[1:]
	}
	return status, nil
}

// hand is a queue whose clock is moved by hand.
type hand struct {
	*delivery.Queue

	inbox *inbox
	now   time.Time
}

func byHand(t *testing.T, chaos delivery.Chaos, statuses ...int) *hand {
	t.Helper()
	h := &hand{inbox: &inbox{statuses: statuses}, now: time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)}
	queue, err := delivery.New(delivery.Options{Now: func() time.Time { return h.now }, Poster: h.inbox, Chaos: chaos})
	must(t, err)
	h.Queue = queue
	return h
}

// after moves the clock and returns what arrived by then.
func (h *hand) after(t *testing.T, step time.Duration) []arrival {
	t.Helper()
	h.now = h.now.Add(step)
	h.Flush(t.Context())
	got := h.inbox.got
	h.inbox.got = nil
	return got
}

func fixed(text string) delivery.Callback {
	return delivery.Callback{
		Address: "a", Header: http.Header{"X-Mark": {"m"}}, Body: func(time.Time) ([]byte, error) { return []byte(text), nil },
	}
}

// A callback with retries is sent again after each answer other than 2xx, the same to the byte, and
// given up in the end. Others go on meanwhile.
func TestRetries(t *testing.T) {
	t.Parallel()
	h := byHand(t, delivery.Chaos{}, 503, 200, 302, 404, 500, 204)
	rendered := 0
	again := fixed("")
	again.Retries, again.Pause = 2, time.Minute
	again.Body = func(time.Time) ([]byte, error) { rendered++; return []byte("body"), nil }
	h.Add(again, fixed("other"))
	if got := h.after(t, 0); len(got) != 2 || got[0].body != "body" || got[1].body != "other" {
		t.Fatalf("at first %+v", got)
	}
	for _, step := range []struct {
		after time.Duration
		calls int
	}{{59 * time.Second, 0}, {time.Second, 1}, {time.Minute - 1, 0}, {1, 1}, {time.Hour, 0}} {
		got := h.after(t, step.after)
		errorIf(t, len(got) != step.calls || len(got) == 1 && (got[0].body != "body" || got[0].header.Get("X-Mark") != "m"),
			"after %s: %+v, want %d", step.after, got, step.calls)
	}
	want := delivery.Stats{Queued: 2, Sent: 1, Failed: 1, Retried: 2}
	diff := cmp.Diff(want, h.Stats())
	errorIf(t, diff != "" || rendered != 1, "rendered %d times; counted (-want +got):\n%s", rendered, diff)
	h.Add(again) // 500, then 204
	got := h.after(t, time.Minute)
	errorIf(t, len(got) != 1, "%d calls", len(got))
	got = h.after(t, time.Minute)
	errorIf(t, len(got) != 1 || h.Stats().Sent != 2 || h.Stats().Waiting != 0, "%d calls, %+v", len(got), h.Stats())
}

func TestDelay(t *testing.T) {
	t.Parallel()
	h := byHand(t, delivery.Chaos{}, 200)
	slow := fixed("slow")
	slow.Delay = 3 * time.Minute
	h.Add(slow, fixed("quick"))
	got := h.after(t, 3*time.Minute-1)
	errorIf(t, len(got) != 1 || got[0].body != "quick", "before the delay: %+v", got)
	got = h.after(t, 1)
	errorIf(t, len(got) != 1 || got[0].body != "slow", "after the delay: %+v", got)
	must(t, h.SetChaos(delivery.Chaos{Late: 1, LateBy: time.Minute}))
	h.Add(slow)
	got = h.after(t, 4*time.Minute-1)
	errorIf(t, len(got) != 0, "late beyond the delay: %+v", got)
	got = h.after(t, 1)
	errorIf(t, len(got) != 1, "late beyond the delay: %+v", got)
}

// A proxy that rewrites JSON keeps every value, numbers to the digit, in other bytes. What is no
// JSON, it lets through.
func TestProxyReencodes(t *testing.T) {
	t.Parallel()
	const original = `{"b":[1.50,12345678901234567890,{"z":null,"y":"<&é"}],"a":true}`
	h := byHand(t, delivery.Chaos{Reencode: 1}, 200)
	h.Add(fixed(original), fixed("bill=7"))
	got := h.after(t, 0)
	errorIf(t, got[1].body != "bill=7", "what is no JSON became %q", got[1].body)
	var values [2]any
	for n, text := range []string{original, got[0].body} {
		decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
		decoder.UseNumber()
		must(t, decoder.Decode(&values[n]))
	}
	diff := cmp.Diff(values[0], values[1])
	errorIf(t, diff != "" || got[0].body == original, "%s\n(-want +got):\n%s", got[0].body, diff)
	header := got[0].header
	errorIf(t, header.Get("X-Mark") != "m" || header.Get("Content-Type") != "application/json;charset=UTF-8" || h.Stats().Reencoded != 2,
		"headers %v, %+v", header, h.Stats())
}

func TestProxyPacks(t *testing.T) {
	t.Parallel()
	const original = `{"a":1}`
	h := byHand(t, delivery.Chaos{Gzip: 1}, 200)
	h.Add(fixed(original))
	got := h.after(t, 0)[0]
	unpacked, err := gzip.NewReader(bytes.NewReader([]byte(got.body)))
	must(t, err)
	text, err := io.ReadAll(unpacked)
	errorIf(t, err != nil || string(text) != original || got.header.Get("Content-Encoding") != "gzip" || h.Stats().Gzipped != 1,
		"%q, %v, headers %v, %+v", text, err, got.header, h.Stats())
	must(t, h.SetChaos(delivery.Chaos{}))
	h.Add(fixed(original))
	got = h.after(t, 0)[0]
	errorIf(t, got.body != original || got.header.Get("Content-Encoding") != "", "without the proxy %+v", got)
	for _, chaos := range []delivery.Chaos{{Reencode: 1.1}, {Gzip: -0.1}} {
		errorIf(t, h.SetChaos(chaos) == nil, "%+v was taken", chaos)
	}
}

// A proxy changes no other choice: which callbacks are lost stays the same.
func TestProxyChangesNoOtherChoice(t *testing.T) {
	t.Parallel()
	run := func(chaos delivery.Chaos) ([]string, delivery.Stats) {
		h := byHand(t, chaos, 200)
		for n := range 200 {
			h.Add(fixed(string(rune('0' + n))))
		}
		bodies := []string{}
		for _, one := range h.after(t, 0) {
			bodies = append(bodies, one.body)
		}
		return bodies, h.Stats()
	}
	plain, _ := run(delivery.Chaos{Lose: 0.5})
	proxied, stats := run(delivery.Chaos{Lose: 0.5, Reencode: 0.5})
	if diff := cmp.Diff(plain, proxied); diff != "" || stats.Reencoded < 20 || stats.Reencoded > 80 {
		t.Errorf("of %d, %d rewritten (-plain +proxied):\n%s", len(plain), stats.Reencoded, diff)
	}
}
