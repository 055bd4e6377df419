package writebehind_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/sync/writebehind"
	"sluice/schema/record"
)

var errFull = errors.New("the disk is full")

// slow is a store whose transactions take a second each.
type slow struct {
	// began has the number of batches of each transaction at its beginning.
	began []int
	// fails is the number of the transaction that fails, from 1.
	fails  int
	panics bool
}

func (s *slow) Load(_ context.Context, batches ...pipeline.Batch) (pipeline.Loaded, error) {
	s.began = append(s.began, len(batches))
	at := len(s.began)
	<-time.After(time.Second)
	switch {
	case at != s.fails:
		return pipeline.Loaded{}, nil
	case s.panics:
		panic(errFull)
	default:
		return pipeline.Loaded{}, errFull
	}
}

// add adds batches, and gives the first error and how long it took.
func add(t *testing.T, u *writebehind.Batches, most int, batches ...pipeline.Batch) (time.Duration, error) {
	t.Helper()
	began := time.Now()
	for _, batch := range batches {
		if err := u.Add(t.Context(), batch, most); err != nil {
			return time.Since(began), err
		}
	}
	return time.Since(began), nil
}

func TestAUnitIsLoadedAtOnceAndWhatComesMeanwhileTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := new(slow)
		u := writebehind.New(store)
		defer u.Wait()
		var batch pipeline.Batch
		if took, err := add(t, u, 4, batch); took != 0 || err != nil {
			t.Errorf("adding took %v, %v", took, err)
		}
		synctest.Wait()
		if !slices.Equal(store.began, []int{1}) {
			t.Errorf("transactions %v, want that of the first unit", store.began)
		}
		if took, err := add(t, u, 4, batch, batch, batch); took != 0 || err != nil || u.Room(4) != 0 || u.Room(6) != 2 {
			t.Errorf("adding three took %v, %v; room for %d of 4, %d of 6", took, err, u.Room(4), u.Room(6))
		}
		if took, err := add(t, u, 4, batch); took != time.Second || err != nil {
			t.Errorf("adding a fifth took %v, %v; want until the first is loaded", took, err)
		}
		if err := u.Flush(); err != nil || !slices.Equal(store.began, []int{1, 4}) || u.Room(4) != 4 {
			t.Errorf("transactions %v, %v; room for %d of 4", store.began, err, u.Room(4))
		}
	})
}

func TestAUnitThatMayNotWaitIsLoadedWhenAddReturns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := new(slow)
		u := writebehind.New(store)
		defer u.Wait()
		if took, err := add(t, u, 0, pipeline.Batch{}); took != time.Second || err != nil {
			t.Errorf("adding took %v, %v", took, err)
		}
		large := pipeline.Batch{Records: []record.Record{{Raw: make([]byte, 5<<20)}}}
		if took, err := add(t, u, 4, large); took != time.Second || err != nil {
			t.Errorf("adding a page of five megabytes took %v, %v", took, err)
		}
		if took, err := add(t, u, 4, pipeline.Batch{}); took != 0 || err != nil {
			t.Errorf("adding took %v, %v", took, err)
		}
		if took, err := add(t, u, 0, pipeline.Batch{}); took != 2*time.Second || err != nil {
			t.Errorf("adding the last took %v, %v", took, err)
		}
	})
}

func TestNothingIsLoadedBehindAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &slow{fails: 2}
		u := writebehind.New(store)
		_, err := add(t, u, 4, make([]pipeline.Batch, 3)...)
		if err != nil {
			t.Fatal(err)
		}
		<-time.After(1500 * time.Millisecond)
		if _, err := add(t, u, 4, pipeline.Batch{}); err != nil {
			t.Fatal(err)
		}
		if err := u.Flush(); !errors.Is(err, errFull) {
			t.Errorf("flush: %v", err)
		}
		if _, err := add(t, u, 4, pipeline.Batch{}); !errors.Is(err, errFull) || u.Room(9) != 0 {
			t.Errorf("adding behind a failure: %v, room for %d", err, u.Room(9))
		}
		u.Wait()
		<-time.After(time.Minute)
		if !slices.Equal(store.began, []int{1, 2}) {
			t.Errorf("transactions %v", store.began)
		}
	})
}

func TestAPanicReachesWhoeverAdds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		u := writebehind.New(&slow{fails: 1, panics: true})
		if _, err := add(t, u, 4, pipeline.Batch{}); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if recover() != errFull { //nolint:errorlint // the same value
				t.Error("the panic did not come through")
			}
		}()
		_ = u.Flush()
	})
}

// TestATurnEndsWhenItsUnitIsLoaded: a turn ends after the load, also if that fails. Before, what is
// on its way to the server takes memory.
func TestATurnEndsWhenItsUnitIsLoaded(t *testing.T) {
	t.Parallel()
	for _, most := range []int{0, 4} {
		synctest.Test(t, func(t *testing.T) {
			u, ended := writebehind.New(&slow{fails: 2}), 0
			defer u.Wait()
			for n := range 2 {
				begun, batch := time.Now(), pipeline.Batch{Turn: pipeline.NewTurn(func() { ended++ })}
				_ = u.Add(t.Context(), batch, most) // the second fails
				if synctest.Wait(); most > 0 && ended != n {
					t.Errorf("%d turns ended while unit %d was loaded", ended, n+1)
				}
				_ = u.Flush()
				if synctest.Wait(); ended != n+1 || time.Since(begun) != time.Second {
					t.Errorf("%d turns ended %s after unit %d was added", ended, time.Since(begun), n+1)
				}
			}
		})
	}
}
