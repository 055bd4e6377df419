package publish_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"sluice/cmd/sluice-lake/storage"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/changes"
	"sluice/pipeline/warehouse/warehousetest"
)

// flaky is an object store that fails one request in so many: by an error, by a connection that is
// cut before or after the store has done what it was told, or by a late answer.
type flaky struct {
	store http.Handler

	mu     sync.Mutex
	random *rand.Rand
	// one is how many requests one failure comes in; 0 means none. From the request out on all
	// fail; 0 means that none does.
	one, out, requests, failures int
}

func (f *flaky) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	f.mu.Lock()
	f.requests++
	fails, how := f.one > 0 && f.random.IntN(f.one) == 0, f.random.IntN(4)
	if f.out > 0 && f.requests >= f.out {
		fails, how = true, f.random.IntN(2)
	}
	if fails {
		f.failures++
	}
	f.mu.Unlock()
	switch {
	case !fails:
		f.store.ServeHTTP(out, in)
	case how == 0:
		http.Error(out, "<Error><Code>InternalError</Code></Error>", http.StatusInternalServerError)
	case how == 1:
		panic(http.ErrAbortHandler)
	case how == 2: // it is done, and the answer is lost
		f.store.ServeHTTP(httptest.NewRecorder(), in)
		panic(http.ErrAbortHandler)
	default:
		select {
		case <-time.After(300 * time.Millisecond):
		case <-in.Context().Done():
		}
		f.store.ServeHTTP(out, in)
	}
}

// fail makes one request in so many fail, or all after so many; twice 0 makes none fail.
func (f *flaky) fail(one, after int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.one, f.out = one, 0
	if after > 0 {
		f.out = f.requests + after
	}
}

// TestABucketThatFails: a publication to a bucket that fails does nothing or all of it, and the
// next one that succeeds makes the lake what the warehouse is.
func TestABucketThatFails(t *testing.T) {
	w := open(t)
	backend := s3mem.New()
	w.must(backend.CreateBucket("acme-lake"))
	f := &flaky{store: gofakes3.New(backend).Server(), random: rand.New(rand.NewPCG(1, 7))}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_S3": server.URL, "AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_EC2_METADATA_DISABLED": "true",
	} {
		t.Setenv(name, value)
	}
	store, err := storage.Open(t.Context(), "s3://acme-lake/sluice/")
	w.must(err)
	w.store = store
	w.declare()
	same := func() {
		t.Helper()
		w.equal("inventory.bills")
		w.equal("inventory.bills_line_items")
	}

	w.write(changes.New, "1", sqlBills, "1", "22", "333")
	w.publish()
	same()
	w.write(changes.Changed, "1", sqlChange, "1", "22")
	w.write(changes.New, "9", sqlBills, "1")
	w.publish()
	same()

	failed, done := 0, 0
	for round := range 16 {
		w.write(changes.Changed, "1", sqlChange, []string{"1", "22", "333"}[round%3])
		before := w.cut()
		if round%2 == 0 {
			f.fail(12, 0)
		} else {
			f.fail(0, 1+6*round)
		}
		if _, err := w.publisher.Publish(t.Context()); err != nil {
			failed++
			f.fail(0, 0)
			after := w.cut()
			check.FatalIf(t, after != before, "round %d failed (%v), and the lake has %q, it had %q", round, err, after, before)
			continue
		}
		done++
		f.fail(0, 0)
	}
	w.publish()
	same()
	check.ErrorIf(t, failed == 0 || done == 0, "%d publications failed, %d did not: both are wanted", failed, done)
	_, err = w.publisher.Compact(t.Context())
	w.must(err)
	expired, err := w.publisher.Expire(t.Context(), 0)
	check.ErrorIf(t, err != nil || expired.Files == 0, "expired %+v, %v", expired, err)
	same()
	if found, err := w.publisher.Verify(t.Context()); err != nil || !found[0].Equal || !found[1].Equal {
		t.Errorf("verified %+v, %v", found, err)
	}
	if found := w.unused(); len(found) > 0 {
		t.Errorf("%d objects are left that nothing refers to, such as %q", len(found), found[0])
	}
	t.Logf("%d publications failed, %d did not; %d of %d requests failed", failed, done, f.failures, f.requests)
}

// TestFreshness: the database says how far the lake is, also for those that read no files.
func TestFreshness(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.exec(`INSERT INTO sluice.organizations (organization_id, name) VALUES ('1', 'one')`)
	w.exec(`INSERT INTO sluice.streams (organization_id, service, resource, every) VALUES ('1', 'inventory', 'bills', '1 hour')`)
	lag := func() time.Duration {
		t.Helper()
		found, err := changes.LakeLag(t.Context(), w.conn)
		w.must(err)
		if found == nil {
			return -1
		}
		return *found
	}
	published := func() *time.Time {
		t.Helper()
		var at *time.Time
		w.must(w.conn.QueryRow(t.Context(), `SELECT lake_published_at FROM analytics.freshness WHERE resource = 'inventory.bills'`).Scan(&at))
		return at
	}
	w.write(changes.New, "1", sqlBills, "1")
	got, at := lag(), published()
	check.ErrorIf(t, got != -1 || at != nil, "before a publication the lag is %v, and the lake of %v", got, at)
	result := w.publish()
	got, at = lag(), published()
	check.ErrorIf(t, got != 0 || at == nil || !at.Equal(result.At), "published at %v, the lag is %v, and the lake of %v", result.At, got, at)
	// A run that ended is no change. A change that is under way counts once it is committed.
	w.exec(`INSERT INTO sluice.changes (at, organization_id, table_name, op, record_ids) VALUES (now() - interval '3 hours', '1', 'inventory.bills', 'finished', '{5}')`)
	tx, err := w.pool.Begin(t.Context())
	w.must(err)
	_, err = tx.Exec(t.Context(), `INSERT INTO sluice.changes (at, organization_id, table_name, op, record_ids) VALUES (now() - interval '2 hours', '1', 'inventory.bills', 'changed', '{1}')`)
	w.must(err)
	again := w.publish()
	if got, at := lag(), published(); got != 0 || at == nil || !at.Equal(again.At) || !again.At.After(result.At) || len(again.Tables) > 0 {
		t.Errorf("nothing changed by %v: the lag is %v, and the lake of %v", again.At, got, at)
	}
	w.must(tx.Commit(t.Context()))
	got = lag()
	check.ErrorIf(t, got < 2*time.Hour || got > 3*time.Hour, "with a change of two hours ago the lag is %v", got)
	w.publish()
	got = lag()
	check.ErrorIf(t, got != 0, "once it is published the lag is %v", got)
	w.exec(`UPDATE sluice.change_log SET era = era + 1`)
	w.exec(`UPDATE lake.last_publication SET published_at = now() - interval '5 hours'`)
	got = lag()
	check.ErrorIf(t, got < 5*time.Hour || got > 6*time.Hour, "five hours after a publication that cannot be followed the lag is %v", got)
	w.publish()
	check.Same(t, "published whole, the lag", 0, lag())
}

// TestTheRoleOfThePublisher does everything that the publisher does, and may write no row of the
// warehouse.
func TestTheRoleOfThePublisher(t *testing.T) {
	t.Parallel()
	w := open(t)
	role, url := warehousetest.Worker(t, w.url)
	w.exec(`SELECT sluice.grant_publisher($1)`, role)
	pool, err := pgxpool.New(t.Context(), url)
	w.must(err)
	t.Cleanup(pool.Close)
	owner := w.pool
	w.pool = pool
	w.declare()
	w.pool = owner

	w.write(changes.New, "1", sqlBills, "1", "22", "333")
	w.publish()
	w.write(changes.Changed, "1", sqlChange, "1", "22")
	w.publish()
	w.erase("1", "22")
	w.publish()
	w.equal("inventory.bills")
	w.equal("inventory.bills_line_items")
	found, err := w.publisher.Verify(t.Context())
	check.ErrorIf(t, err != nil || len(found) != 2 || !found[0].Equal || !found[1].Equal, "verified %+v, %v", found, err)
	w.write(changes.Changed, "1", sqlChange, "333")
	compacted, err := w.publisher.Compact(t.Context())
	check.ErrorIf(t, err != nil || len(compacted.Tables) != 2, "compacted %+v, %v", compacted, err)
	expired, err := w.publisher.Expire(t.Context(), 0)
	check.ErrorIf(t, err != nil || expired.Files == 0, "expired %+v, %v", expired, err)
	status, err := w.publisher.Status(t.Context())
	check.ErrorIf(t, err != nil || len(status.Tables) != 2, "status %+v, %v", status, err)

	for _, sql := range []string{
		`UPDATE inventory.bills SET total = 1`, `DELETE FROM inventory.bills`, `INSERT INTO sluice.changes SELECT`, `DELETE FROM sluice.changes`,
		`UPDATE sluice.erasures SET note = ''`, `SELECT FROM sluice.tokens`, `SELECT FROM sluice.raw_records`, `SELECT FROM sluice.reader_key`,
		`DELETE FROM lake.iceberg_tables`, `DELETE FROM lake.last_publication`, `CREATE TABLE lake.mine ()`, `CREATE TABLE inventory.mine ()`,
	} {
		if _, err := pool.Exec(t.Context(), sql); !strings.Contains(fmt.Sprint(err), "permission denied") {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// erase erases a bill, as sluice erase does.
func (w *world) erase(organization, id string) {
	w.Helper()
	w.must(pgx.BeginFunc(w.Context(), w.conn, func(tx pgx.Tx) error {
		for _, sql := range []string{
			`DELETE FROM inventory.bills WHERE organization_id = $1 AND bill_id = $2`,
			`INSERT INTO sluice.erasures (organization_id, service, resource, subject_hash, note, ended_at, places, digest)
				SELECT $1, 'inventory', 'bills', '\x00', '', clock_timestamp(), '{}', '\x00' WHERE $2::text <> ''`,
		} {
			if _, err := tx.Exec(w.Context(), sql, organization, id); err != nil {
				return err
			}
		}
		return changes.Write(w.Context(), tx, organization, "inventory.bills", changes.Deleted, []string{id})
	}))
}
