// Package wire sends one request and reads one answer, for everything that talks to upstream:
// addresses, connections, timeouts, and the count of every call.
//
// It never sends a request twice, never follows a redirect, and never sends a request that was not
// counted. It never puts what was sent or received into an error. It knows neither tokens nor
// lists.
//
// Start reading at Counted and Door.Open.
package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
)

// Gate counts calls and says when one may leave.
type Gate interface {
	// Enter counts the call and gives its number; then the call may leave.
	Enter(ctx context.Context, call pipeline.Call) (int64, error)
	// Leave notes how the call ended.
	Leave(ctx context.Context, call pipeline.Call, number int64, result pipeline.CallResult) error
}

// maxDetail bounds the text of a failure in the call log, in characters.
const maxDetail = 500

// Call is a call, with what its errors may say.
type Call struct {
	pipeline.Call

	// Op names the call in errors: "GET /books/v3/bills page 3".
	Op outside.Text
	// Withhold says that errors show nothing of the body.
	Withhold bool
	// Granted is when the budget granted the call; zero means that the call never becomes stale.
	Granted time.Time
	// Scrub takes secrets out of upstream's texts.
	Scrub *outside.Scrubber
}

// NewCall names a call for its errors.
func NewCall(c pipeline.Call, scrub *outside.Scrubber) Call {
	op := c.Method + " " + c.Path
	if c.Page > 0 {
		op += " page " + outside.Number(c.Page)
	}
	return Call{Call: c, Op: op, Scrub: scrub}
}

// Counted makes one call, which do sends and reads. Invariant 3: the call is counted before it
// leaves, and its result is noted in any case.
func Counted(ctx context.Context, gate Gate, op Call, do func(number int64, result *pipeline.CallResult) error) error {
	number, err := gate.Enter(ctx, op.Call) // invariant 3
	if err != nil {
		if pipeline.KindOf(err) != 0 {
			return err // the gate's own refusal has its kind
		}
		return &pipeline.Error{Kind: pipeline.Unavailable, Op: op.Op, Err: op.Scrub.Cause(fmt.Errorf("%w: %w", pipeline.ErrNotMade, err))}
	}
	var result pipeline.CallResult
	err = do(number, &result)
	if failure, ok := errors.AsType[*pipeline.Error](err); ok {
		if result.Kind == 0 {
			result.Kind = failure.Kind
		}
		result.Code = failure.Code
		result.Detail = op.Scrub.Text(failure.Error(), maxDetail)
	} else if err != nil {
		result.Detail = "the answer was given up"
	}
	if leaveErr := gate.Leave(ctx, op.Call, number, result); leaveErr != nil {
		return errors.Join(err, &pipeline.Error{
			Kind: pipeline.Unavailable, Op: op.Op, Detail: "the end of the call could not be noted", Err: op.Scrub.Cause(leaveErr),
		})
	}
	return err
}

// Open sends a request and gives its answer to read; both together may take total at most.
func (d *Door) Open(ctx context.Context, op Call, total time.Duration, request *http.Request, read func(*Reply) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, total)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	answer, err := d.send(granted(ctx, op.Granted), stop, request)
	if err != nil {
		return &pipeline.Error{Kind: pipeline.Unavailable, Op: op.Op, Err: op.Scrub.Cause(err)}
	}
	defer func() {
		answer.turn.End()
		// The caller has read what it needs of the body.
		if closeErr := answer.Body.Close(); closeErr != nil && err == nil {
			err = &pipeline.Error{Kind: pipeline.Unavailable, Op: op.Op, Err: op.Scrub.Cause(Cause(ctx, closeErr))}
		}
	}()
	return read(answer)
}

// firstPiece is the size of the first buffer, in bytes: most bodies fit.
const firstPiece = 256 << 10

// readBody reads up to most bytes and one more. io.ReadAll would allocate several times what it
// returns. When the body turns out to be large, readBody calls enter, and then allocates once for
// the largest body: a buffer that grows is in memory twice.
func readBody(r io.Reader, most int, enter func() error) ([]byte, error) {
	body := make([]byte, min(firstPiece, most+1))
	for read := 0; ; {
		n, err := r.Read(body[read:])
		read += n
		switch {
		case errors.Is(err, io.EOF):
			return trimmed(body[:read]), nil
		case err != nil:
			return nil, err
		case read < len(body):
			continue
		case read > most:
			return body, nil
		}
		size := 2 * len(body)
		if size > large {
			if err := enter(); err != nil {
				return nil, err
			}
			size = most + 1
		}
		body = append(make([]byte, 0, size), body...)[:size]
	}
}

// trimmed copies a body that uses at most half of its buffer.
func trimmed(body []byte) []byte {
	if len(body) > cap(body)/2 {
		return body
	}
	return bytes.Clone(body)
}

// ReadAll reads a body into memory, of limit bytes at most. A large body waits for its turn, which
// the answer then holds.
func ReadAll(op Call, answer *Reply, limit int64) ([]byte, error) {
	var mine *held
	data, err := readBody(answer.Body, int(limit), func() error {
		entered, err := answer.large.enter(answer.raw.ctx)
		if err == nil {
			mine, entered.bytes, answer.turn = entered, int(limit), entered.Turn
		}
		return err
	})
	if err != nil {
		return nil, &pipeline.Error{Kind: pipeline.Unavailable, Op: op.Op, Status: answer.Status, Err: op.Scrub.Cause(err)}
	}
	if mine != nil {
		mine.bytes = len(data)
	}
	if int64(len(data)) > limit {
		return nil, &pipeline.Error{
			Kind: pipeline.Unexpected, Op: op.Op, Status: answer.Status,
			Detail: "a body of more than " + outside.Number(limit) + " bytes",
		}
	}
	return data, nil
}

// KeepTurn hands the turn of a large body over to the caller; nil if the body is not large. A turn
// that is not handed over ends with the call.
func (r *Reply) KeepTurn() *pipeline.Turn {
	turn := r.turn
	r.turn = nil
	return turn
}

// Observer is told of each call that left, when it has ended. Kind is 0 for a call that went well.
type Observer interface {
	Called(service string, kind pipeline.Kind, took time.Duration)
}

// Timed is a gate that tells an observer how long calls took: from the gate's word until the answer
// was read. It is safe for concurrent use.
type Timed struct {
	Gate

	Now      func() time.Time
	Observer Observer

	// left has the instant at which each call under way left, by its number.
	left sync.Map
}

// Enter implements Gate.
func (t *Timed) Enter(ctx context.Context, call pipeline.Call) (int64, error) {
	number, err := t.Gate.Enter(ctx, call)
	if err == nil {
		t.left.Store(number, t.Now())
	}
	return number, err
}

// Leave implements Gate.
func (t *Timed) Leave(ctx context.Context, call pipeline.Call, number int64, result pipeline.CallResult) error {
	if at, found := t.left.LoadAndDelete(number); found {
		if left, is := at.(time.Time); is {
			t.Observer.Called(call.Service, result.Kind, t.Now().Sub(left))
		}
	}
	return t.Gate.Leave(ctx, call, number, result)
}
