package events_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/check"
	"sluice/pipeline/events"
	"sluice/pipeline/upstream/wire"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/receivers"
)

// errKilled is what a killed process would have stored.
var errKilled = errors.New("killed")

// mortal are positions of a process that may be killed: from then on nothing is stored.
type mortal struct {
	positions

	killed *atomic.Bool
}

func (m mortal) Advance(ctx context.Context, claim int64, to receivers.Position, delivered int, failed *receivers.Failure) error {
	if m.killed.Load() {
		return errKilled
	}
	return m.positions.Advance(ctx, claim, to, delivered, failed)
}

// TestReplica: a replica that is fed by messages alone equals the table at the end, although the
// receiver fails at random, processes that deliver are killed at random, and two of them deliver at
// once. First arrivals about a record are in order.
func TestReplica(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { t.Parallel(); replicate(t, seed) })
	}
}

// source writes a table as several writers, and logs what it does.
type source struct {
	*world

	seed uint64
}

const records, transactions, writers = 25, 60, 4

// write changes records in transactions that overlap, and rolls some back.
func (s *source) work(writer int) {
	random := rand.New(rand.NewPCG(s.seed, uint64(writer))) // a repeatable schedule
	for range transactions {
		err := pgx.BeginFunc(s.Context(), s.pool, func(tx pgx.Tx) error {
			first := random.IntN(records)
			for record := first; record < min(first+1+random.IntN(4), records); record++ { // in the order of keys: no deadlock
				if err := s.change(tx, fmt.Sprintf("%02d", record), random.IntN(4) == 0); err != nil {
					return err
				}
			}
			if random.IntN(8) == 0 {
				return errKilled // it rolls back
			}
			return nil
		})
		if err != nil && !errors.Is(err, errKilled) {
			s.Error(err)
		}
	}
}

// change changes or deletes one record, and logs it while the row is locked.
func (s *source) change(tx pgx.Tx, record string, remove bool) error {
	op, sql := changes.Changed, `UPDATE things SET version = version + 1, deleted = false WHERE id = $1`
	if remove {
		op, sql = changes.Deleted, `UPDATE things SET version = version + 1, deleted = true WHERE id = $1`
	}
	if _, err := tx.Exec(s.Context(), sql, record); err != nil {
		return err
	}
	return changes.Write(s.Context(), tx, "1", "public.things", op, []string{record})
}

// look returns the version of a record; zero if it is deleted.
func (s *source) look(ctx context.Context, record string) (int, error) {
	var version int
	var deleted bool
	err := s.pool.QueryRow(ctx, `SELECT version, deleted FROM things WHERE id = $1`, record).Scan(&version, &deleted)
	if deleted {
		version = 0
	}
	return version, err
}

func replicate(t *testing.T, seed uint64) {
	t.Helper()
	var mu sync.Mutex
	replica, seen, last := map[string]int{}, map[string]bool{}, map[string]int64{}
	dice := rand.New(rand.NewPCG(seed, 99)) // a repeatable schedule
	roll := func(n int) bool { mu.Lock(); defer mu.Unlock(); return dice.IntN(n) == 0 }
	var src *source
	to := newReceiver(t, func(w http.ResponseWriter, m got) bool {
		if roll(6) { // before it did anything
			w.WriteHeader(http.StatusServiceUnavailable)
			return false
		}
		mu.Lock()
		check.ErrorIf(t, !seen[m.ID] && m.Data.Seq < last[m.Data.Record],
			"record %s: message %d arrived first after %d", m.Data.Record, m.Data.Seq, last[m.Data.Record])
		seen[m.ID], last[m.Data.Record] = true, max(last[m.Data.Record], m.Data.Seq)
		version, err := src.look(context.WithoutCancel(t.Context()), m.Data.Record)
		if err != nil {
			t.Error(err)
		}
		if replica[m.Data.Record] = version; version == 0 {
			delete(replica, m.Data.Record)
		}
		mu.Unlock()
		if roll(10) { // after it did everything
			raw(w, "HTTP/1.1 5")
			return false
		}
		return true
	})
	src = &source{world: open(t, to), seed: seed}
	t.Cleanup(to.Close) // before the pool: the message of a process that was killed may still be answered
	for _, sql := range []string{
		`CREATE TABLE things (id text PRIMARY KEY, version integer NOT NULL, deleted boolean NOT NULL)`,
		fmt.Sprintf(`INSERT INTO things SELECT to_char(n, 'FM00'), 1, true FROM generate_series(0, %d) AS n`, records-1),
	} {
		check.Must(src, check.Failure(src.pool.Exec(t.Context(), sql)))
	}
	var writing, delivering sync.WaitGroup
	written, delivered := make(chan struct{}), make(chan struct{})
	for writer := range writers {
		writing.Go(func() { src.work(writer) })
	}
	kills := atomic.Int64{}
	for range 2 { // two processes, each of which comes back after a kill
		delivering.Go(func() {
			for {
				select {
				case <-delivered:
					return
				default:
				}
				killed, options := &atomic.Bool{}, src.options
				options.Positions = mortal{positions{src.pool}, killed}
				ctx, cancel := context.WithCancel(t.Context())
				if roll(3) {
					options.Receiver.Keys = func() [][]byte { // called for each message: the kill comes at some message
						if roll(20) && killed.CompareAndSwap(false, true) {
							kills.Add(1)
							cancel()
						}
						return [][]byte{[]byte(secretKey)}
					}
				}
				err := events.New(options).Deliver(ctx, nil)
				if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errKilled) {
					t.Error(err)
				}
				cancel()
			}
		})
	}
	go func() { writing.Wait(); close(written) }()
	<-written
	src.untilTold()
	close(delivered)
	delivering.Wait()
	table := map[string]int{}
	for record := range records {
		id := fmt.Sprintf("%02d", record)
		version := check.Sure(src.look(t.Context(), id))(src)
		if version > 0 {
			table[id] = version
		}
	}
	check.ErrorIf(t, !maps.Equal(table, replica), "the replica has %v\nthe table has   %v", replica, table)
	check.ErrorIf(t, len(table) == 0 || kills.Load() == 0 || src.row().Failed == 0,
		"%d records, %d kills, %d failures: the test tried nothing", len(table), kills.Load(), src.row().Failed)
	t.Logf("%d requests, %d messages, %d failures, %d kills", to.count(), len(seen), src.row().Failed, kills.Load())
}

// untilTold waits until the receiver was told everything.
func (s *source) untilTold() {
	for s.ahead() {
		check.FatalIf(s, s.Context().Err() != nil, "the test ended before the receiver was told everything")
	}
}

// TestSignature holds signatures against the vector of the reference libraries of Standard
// Webhooks (libraries/go/webhook_test.go, TestWebhookSign, and the same in the other languages).
func TestSignature(t *testing.T) {
	t.Parallel()
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	of := key(t, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	sign := func(keys ...[]byte) string {
		return events.Signature(keys, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	}
	check.Same(t, "signed", want, sign(of))
	both := strings.Fields(sign(key(t, secret), of)) // during a rotation the newest key is the first
	check.ErrorIf(t, len(both) != 2 || both[1] != want || both[0] == want || !strings.HasPrefix(both[0], "v1,"),
		"signed by two keys %q, want the second one %s", both, want)
}

// TestKeys refuses what is no secret, and says how to make one.
func TestKeys(t *testing.T) {
	t.Parallel()
	read := key(t, secret)
	check.ErrorIf(t, string(read) != secretKey, "read %q, want %q", read, secretKey)
	for _, bad := range []string{
		"", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_not base64 at all!", "whsec_c2hvcnQ=", "whsk_c2x1aWNlLXRlc3RzLXNsdWljZS10ZXN0cy1zbHVpY2U=",
		"whsec_" + strings.Repeat("QUFB", 22), // 66 bytes
	} {
		if _, err := events.Key(wire.NewSecret(bad)); err == nil || !strings.Contains(err.Error(), "openssl rand") || len(bad) > 6 && strings.Contains(err.Error(), bad) {
			t.Errorf("%q: error %v, want one that says how to make a secret, and not the secret", bad, err)
		}
	}
}

// TestRetryAfter reads both forms of the header (RFC 9110, 10.2.3), and believes a day at most.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 10, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, "0": 0, "-5": 0, "soon": 0, "99999999": 24 * time.Hour, "999999999999999999999": 0,
		"Thu, 26 Nov 2026 10:00:30 GMT": 30 * time.Second, "Thu, 26 Nov 2026 09:00:00 GMT": 0, "Thu, 26 Nov 2093 09:00:00 GMT": 24 * time.Hour,
	} {
		check.Same(t, fmt.Sprintf("%q", header), want, events.RetryAfter(header, now))
	}
}
