package rows_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"sluice/pipeline/warehouse/rows"
	"sluice/schema/record"
)

// TestWhatIsStoredIsFoundHoweverKeysLie compares the counts of batches with a map. Keys are in a
// row, far apart with many stored between them (so that reading the range stops in its middle),
// beyond both ends, few or many. Other organizations have the same keys. One Loader loads all
// batches.
func TestWhatIsStoredIsFoundHoweverKeysLie(t *testing.T) {
	t.Parallel()
	conn, res := connect(t), resource(t, "flags")
	flag := func(n, state int) record.Record {
		return recordOf(t, res, object{"flag_id": fmt.Sprintf("k%04d", n), "state": fmt.Sprint(state)})
	}
	call, organizations := int64(0), 0
	rapid.Check(t, func(r *rapid.T) {
		organizations++
		l, stored := rows.New(shop, res), map[int]int{}
		for range rapid.IntRange(2, 6).Draw(r, "batches") {
			from, step := rapid.IntRange(0, 300).Draw(r, "from"), rapid.SampledFrom([]int{1, 1, 2, 3, 7, 30}).Draw(r, "step")
			jump := rapid.SampledFrom([]int{0, 0, 400}).Draw(r, "jump")
			state := rapid.IntRange(0, 1).Draw(r, "state")
			var want rows.Result
			var records []record.Record
			for i := range rapid.SampledFrom([]int{1, 15, 16, 17, 60, 200}).Draw(r, "records") {
				n := from + i*step
				if i%20 == 19 {
					n += jump * step
				}
				if slices.ContainsFunc(records, func(other record.Record) bool { return other.ID == fmt.Sprintf("k%04d", n) }) {
					continue
				}
				switch before, known := stored[n]; {
				case !known:
					want.Inserted++
				case before == state:
					want.Unchanged++
				default:
					want.Updated++
				}
				stored[n] = state
				records = append(records, flag(n, state))
			}
			for _, organization := range []string{fmt.Sprintf("o%d", organizations), fmt.Sprintf("o%dz", organizations)} {
				call++
				var got rows.Result
				err := pgx.BeginFunc(context.Background(), conn, func(tx pgx.Tx) error {
					var err error
					got, _, err = l.LoadBisect(context.Background(), tx, rows.Batch{Organization: organization, Run: 1, Call: call, Records: records})
					return err
				})
				if err != nil {
					r.Fatal(err)
				}
				if got != want {
					r.Fatalf("%d records from %d by %d: %+v, want %+v", len(records), from, step, got, want)
				}
			}
		}
	})
}
