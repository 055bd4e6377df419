package events_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"sluice/pipeline/check"
	"sluice/pipeline/events"
	"sluice/pipeline/outside"
	"sluice/pipeline/upstream/wire"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/receivers"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// The secret of the receivers in these tests: the key is the 32 bytes behind it.
const (
	secret    = "whsec_c2x1aWNlLXRlc3RzLXNsdWljZS10ZXN0cy1zbHVpY2U="
	secretKey = "sluice-tests-sluice-tests-sluice"
)

// got is a message as a receiver understands it.
type got struct {
	ID   string `json:"-"`
	Type string `json:"type"`
	Data struct {
		Table        string          `json:"table"`
		Organization string          `json:"organization_id"`
		Record       string          `json:"record_id"`
		Op           string          `json:"op"`
		Seq          int64           `json:"seq"`
		Run          int64           `json:"run"`
		Details      json.RawMessage `json:"details"`
		Reason       string          `json:"reason"`
	} `json:"data"`
}

// verified reads a message as a receiver does that was written from the specification alone: it
// refuses a wrong signature and an old timestamp.
func verified(r *http.Request, key string) (got, error) {
	var m got
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return m, err
	}
	m.ID = r.Header.Get("Webhook-Id")
	stamp := r.Header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return m, fmt.Errorf("timestamp %q", stamp)
	}
	if m.ID == "" || strings.Contains(m.ID, ".") {
		return m, fmt.Errorf("id %q", m.ID)
	}
	mac := hmac.New(sha256.New, []byte(key))
	fmt.Fprintf(mac, "%s.%s.%s", m.ID, stamp, body)
	want := base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for one := range strings.FieldsSeq(r.Header.Get("Webhook-Signature")) {
		if version, signature, _ := strings.Cut(one, ","); version == "v1" && hmac.Equal([]byte(signature), []byte(want)) {
			return m, json.Unmarshal(body, &m)
		}
	}
	return m, fmt.Errorf("signature %q", r.Header.Get("Webhook-Signature"))
}

// receiver is a server that takes messages.
type receiver struct {
	*httptest.Server

	mu       sync.Mutex
	answer   func(w http.ResponseWriter, m got) bool
	got      []got
	requests int
	refused  []error
}

func newReceiver(t *testing.T, answer func(w http.ResponseWriter, m got) bool) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// answers sets what decides how messages are answered from now on; nil acknowledges all.
func (r *receiver) answers(answer func(w http.ResponseWriter, m got) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	m, err := verified(q, secretKey)
	r.mu.Lock()
	r.requests++
	if err != nil {
		r.refused = append(r.refused, err)
		r.mu.Unlock()
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	answer := r.answer
	r.mu.Unlock()
	if answer != nil && !answer(w, m) {
		return
	}
	r.mu.Lock()
	r.got = append(r.got, m)
	r.mu.Unlock()
}

// taken are the messages that it acknowledged.
func (r *receiver) taken() []got {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.refused) > 0 {
		panic(r.refused[0])
	}
	return append([]got(nil), r.got...)
}

func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests
}

// world is a migrated database with one receiver of events.
type world struct {
	testing.TB

	pool *pgxpool.Pool
	to   *receiver
	log  *bytes.Buffer
	// options may be changed before deliverer.
	options events.Options
}

const name = "tests"

func open(tb testing.TB, to *receiver) *world {
	tb.Helper()
	w := &world{TB: tb, to: to, log: &bytes.Buffer{}}
	config := check.Sure(pgxpool.ParseConfig(warehousetest.Migrated(tb)))(w)
	w.pool = check.Sure(pgxpool.NewWithConfig(tb.Context(), config))(w)
	tb.Cleanup(w.pool.Close)
	_, err := changes.Renew(tb.Context(), w.pool) // the database is a copy of another one
	check.Must(w, err)
	now := check.Sure(changes.Now(tb.Context(), w.pool))(w)
	check.Must(w, receivers.Register(tb.Context(), w.pool, []string{name}, now))
	w.options = events.Options{
		Receiver: events.Receiver{Name: name, URL: to.URL + "/hook/", Keys: func() [][]byte { return [][]byte{[]byte(secretKey)} }},
		Log:      log{w.pool}, Positions: positions{w.pool}, Now: time.Now, First: time.Millisecond, Longest: 4 * time.Millisecond,
		Scrub: outside.NewScrubber(), Logger: slog.New(slog.NewTextHandler(w.log, nil)),
	}
	w.options.Scrub.Keep(secret)
	return w
}

// log reads the log of changes.
type log struct{ pool *pgxpool.Pool }

func (l log) Read(ctx context.Context, after string, limit int) ([]changes.Change, string, error) {
	return changes.Read(ctx, l.pool, after, limit)
}

func (l log) Now(ctx context.Context) (string, error) {
	if _, err := changes.Renew(ctx, l.pool); err != nil {
		return "", err
	}
	return changes.Now(ctx, l.pool)
}

// positions are those of the one receiver.
type positions struct{ pool *pgxpool.Pool }

func (p positions) Claim(ctx context.Context) (*receivers.Claimed, error) {
	return receivers.Claim(ctx, p.pool, name)
}

func (p positions) Advance(ctx context.Context, claim int64, to receivers.Position, delivered int, failed *receivers.Failure) error {
	return receivers.Advance(ctx, p.pool, name, claim, to, delivered, failed)
}

// write logs changes in a transaction of their own.
func (w *world) write(organization, table string, op changes.Op, ids ...string) {
	w.Helper()
	check.Must(w, changes.Write(w.Context(), w.pool, organization, table, op, ids))
}

// deliver delivers once.
func (w *world) deliver() {
	w.Helper()
	check.Must(w, events.New(w.options).Deliver(w.Context(), nil))
}

// row is the row of the receiver.
func (w *world) row() receivers.Receiver {
	w.Helper()
	rows := check.Sure(receivers.List(w.Context(), w.pool))(w)
	check.FatalIf(w, len(rows) != 1, "%d receivers, want one", len(rows))
	return rows[0]
}

// ahead reports whether there is something to tell.
func (w *world) ahead() bool {
	w.Helper()
	page, _, err := changes.Read(w.Context(), w.pool, w.row().Cursor, 1)
	check.Must(w, err)
	return len(page) > 0
}

// due makes the next attempt due at once.
func (w *world) due() {
	w.Helper()
	_, err := w.pool.Exec(w.Context(), `UPDATE sluice.event_receivers SET next_attempt = clock_timestamp() WHERE next_attempt IS NOT NULL`)
	check.Must(w, err)
}

func wait(r receivers.Receiver) time.Duration { return r.NextAttempt.Sub(*r.FailedAt) }

func key(t *testing.T, text string) []byte {
	t.Helper()
	return check.Sure(events.Key(wire.NewSecret(text)))(t)
}
