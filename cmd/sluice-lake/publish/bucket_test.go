package publish_test

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"sluice/cmd/sluice-lake/storage"
	"sluice/pipeline/warehouse/changes"
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
			if after := w.cut(); after != before {
				t.Fatalf("round %d failed (%v), and the lake has %q, it had %q", round, err, after, before)
			}
			continue
		}
		done++
		f.fail(0, 0)
	}
	w.publish()
	same()
	if failed == 0 || done == 0 {
		t.Errorf("%d publications failed, %d did not: both are wanted", failed, done)
	}
	_, err = w.publisher.Compact(t.Context())
	w.must(err)
	expired, err := w.publisher.Expire(t.Context(), 0)
	if err != nil || expired.Files == 0 {
		t.Errorf("expired %+v, %v", expired, err)
	}
	same()
	if found, err := w.publisher.Verify(t.Context()); err != nil || !found[0].Equal || !found[1].Equal {
		t.Errorf("verified %+v, %v", found, err)
	}
	if found := w.unused(); len(found) > 0 {
		t.Errorf("%d objects are left that nothing refers to, such as %q", len(found), found[0])
	}
	t.Logf("%d publications failed, %d did not; %d of %d requests failed", failed, done, f.failures, f.requests)
}
