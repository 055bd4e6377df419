package sandbox_test

import (
	"strconv"
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
				if got := read(n); got != alone[n] {
					t.Errorf("page %d is another one when others are asked for at once", n)
				}
			}
		})
	}
	asking.Wait()
}
