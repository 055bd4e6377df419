package sandbox_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sluice/sandbox"
)

// Pages requested at the same time do not overwrite each other.
func TestPagesAtOnceAreThoseOneByOne(t *testing.T) {
	t.Parallel()
	u := start(t, sandbox.Options{Seed: 78, Records: 4000, Limits: sandbox.Limits{Off: true}})
	const pages = 5
	paths := []string{"/inventory/v1/bills", "/inventory/v1/items", "/books/v3/vendorpayments"}
	read := func(n int) string {
		return u.get(t, paths[n%len(paths)], "page", strconv.Itoa(1+n/len(paths)), "per_page", "90").Body.String()
	}
	var alone [pages * 3]string
	for n := range alone {
		alone[n] = read(n)
	}
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for n := range alone {
				equal(t, read(n), alone[n], n)
			}
		})
	}
	asking.Wait()
}

func TestSameSeedSameBytes(t *testing.T) {
	t.Parallel()
	read := func(seed int64) string {
		u := start(t, sandbox.Options{Seed: seed, Records: 800})
		var all strings.Builder
		for _, l := range listings() {
			all.WriteString(readAll(t, u.get(t, l.path).Body))
		}
		all.WriteString(readAll(t, u.serve(t, http.MethodGet, "/maintenanceapi/v2/chats?fields=title,chat_id", csvHeader()).Body))
		return all.String()
	}
	first := read(11)
	equal(t, read(11), first, "the same seed gives other bytes")
	errorIf(t, read(12) == first, "another seed gives the same bytes")
}
