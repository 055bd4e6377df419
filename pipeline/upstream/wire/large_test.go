package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
)

// TestOneLargeBodyAtATime: the next large body waits until the turn of the first has ended. Small
// bodies do not wait, and a wait ends with its call.
func TestOneLargeBodyAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		way := make(lane, 1)
		read := func(ctx context.Context, size int) (*pipeline.Turn, error) {
			var turn *pipeline.Turn
			data, err := readBody(bytes.NewReader(make([]byte, size)), 8*large, func() error {
				mine, err := way.enter(ctx)
				if err == nil {
					turn = mine.Turn
				}
				return err
			})
			check.ErrorIf(t, err == nil && len(data) != size, "%d bytes, want %d", len(data), size)
			return turn, err
		}
		first, err := read(t.Context(), 3*large)
		check.FatalIf(t, first == nil || err != nil, "the first large body has turn %v, %v", first, err)
		if small, err := read(t.Context(), large/2); small != nil || err != nil {
			t.Errorf("a small body has turn %v, %v", small, err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := read(short, 3*large); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second large body: %v, want that its call ends", err)
		}
		second := make(chan *pipeline.Turn)
		go func() {
			turn, err := read(t.Context(), 3*large)
			if err != nil {
				t.Error(err)
			}
			second <- turn
		}()
		synctest.Wait()
		select {
		case <-second:
			t.Fatal("two large bodies were held at once")
		default:
		}
		first.End()
		first.End()
		(<-second).End()
	})
}

// TestReadAllWaitsForItsTurn: a large body that gets no turn before its call ends is an error of
// the call. A body that gets one holds it until it is handed over; a refused body gives it back.
func TestReadAllWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	door := NewDoor(Transport{}, "")
	reply := func(ctx context.Context, size int) *Reply {
		return &Reply{
			Status: http.StatusOK, Body: io.NopCloser(bytes.NewReader(make([]byte, size))), large: door.large, raw: &watched{ctx: ctx},
		}
	}
	first := reply(t.Context(), 3*large)
	data, err := ReadAll(Call{}, first, 32<<20)
	if err != nil || len(data) != 3*large || first.turn == nil {
		t.Fatalf("the first: %d bytes, turn %v, %v", len(data), first.turn, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	second := reply(ended, 3*large)
	if _, err := ReadAll(Call{}, second, 32<<20); pipeline.KindOf(err) != pipeline.Unavailable || !errors.Is(err, context.Canceled) || second.turn != nil {
		t.Errorf("one without a turn: %v, turn %v; want that the call failed", err, second.turn)
	}
	turn := first.KeepTurn()
	if turn == nil || first.turn != nil || len(door.large) != 1 {
		t.Errorf("the turn was not given on: %v, %v, %d", turn, first.turn, len(door.large))
	}
	turn.End()
	long := reply(t.Context(), 3*large)
	if _, err := ReadAll(Call{}, long, 2*large); pipeline.KindOf(err) != pipeline.Unexpected || long.turn == nil {
		t.Errorf("one that is too long: %v, turn %v", err, long.turn)
	}
	long.turn.End() // as Open does
	check.ErrorIf(t, len(door.large) != 0, "the lane is not free")
}

// TestBodiesOfAnySize: what is read is what was sent, whatever the buffer's size. Of a body that is
// too long, one byte more than the limit is read.
func TestBodiesOfAnySize(t *testing.T) {
	t.Parallel()
	const most = 3*large + 17
	for _, size := range []int{0, 1, firstPiece - 1, firstPiece, firstPiece + 1, large - 1, large, large + 1, most - 1, most, most + 1, 2 * most} {
		sent := make([]byte, size)
		for i := range sent {
			sent[i] = byte(i>>8 ^ i)
		}
		entered := 0
		got, err := readBody(iotest.DataErrReader(bytes.NewReader(sent)), most, func() error { entered++; return nil })
		want := sent[:min(size, most+1)]
		check.ErrorIf(t, err != nil || !bytes.Equal(got, want), "of %d bytes %d came, %v", size, len(got), err)
		if want := size > large; (entered == 1) != want || entered > 1 {
			t.Errorf("with %d bytes a turn was taken %d times", size, entered)
		}
		if len(got) < cap(got)/2 && cap(got) > 64 {
			t.Errorf("%d bytes hold room for %d", len(got), cap(got))
		}
	}
}

// TestALargePageAheadTakesNoTurn: a prefetched page takes no turn before it is in front, because
// the page in front may need it. Its wait is bounded.
func TestALargePageAheadTakesNoTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		way, front := make(lane, 1), make(chan struct{})
		ahead := pipeline.WithFront(t.Context(), front)
		begun := time.Now()
		if _, err := way.enter(ahead); !errors.Is(err, errNotInFront) || time.Since(begun) != patience {
			t.Errorf("the page ahead: %v after %s", err, time.Since(begun))
		}
		go func() {
			if _, err := way.enter(ahead); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		before := check.Sure(way.enter(t.Context()))(t)
		close(front)
		before.End()
		synctest.Wait()
		check.ErrorIf(t, len(way) != 1, "the page that is in front by now has no turn")
	})
}
