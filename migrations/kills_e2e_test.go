//go:build e2e

package migrations_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"sluice/migrations"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestAKillAtAnyMomentIsFinishedByTheNextRun(t *testing.T) {
	t.Parallel()
	began := time.Now()
	want := catalogue(t, migrated(t))
	whole := time.Since(began)
	for range 8 {
		url := warehousetest.New(t)
		kills := 0
		// Each try lives for a random part of the whole duration, so that the kills are spread over
		// all of it.
		for limit := whole; ; limit += whole / 4 {
			ctx, cancel := context.WithTimeout(t.Context(), rand.N(limit))
			err := migrations.Migrate(ctx, url, migrations.Options{})
			cancel()
			if err == nil {
				break
			}
			kills++
		}
		check.Same(t, fmt.Sprintf("catalogue after %d kills", kills), want, catalogue(t, url))
	}
}
