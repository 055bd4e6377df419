package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/upstream/body"
)

// Gate counts calls and says when one may leave.
type Gate interface {
	// Enter counts the call and gives its number; the call may leave then.
	Enter(ctx context.Context, call pipeline.Call) (int64, error)
	// Leave notes how it ended.
	Leave(ctx context.Context, call pipeline.Call, number int64, result pipeline.CallResult) error
}

// maxDetail bounds the text of a failure in the call log.
const maxDetail = 500

// Call is a call with what errors about it may and must not say.
type Call struct {
	pipeline.Call

	// Op names the call in errors: "GET /books/v3/bills page 3".
	Op string
	// Granted is when the budget let the call go; zero if that does not matter.
	Granted time.Time
	// Secrets must not show up in excerpts of the answer.
	Secrets []string
}

// NewCall names a call for its errors.
func NewCall(c pipeline.Call) Call {
	op := c.Method + " " + c.Path
	if c.Page > 0 {
		op += fmt.Sprintf(" page %d", c.Page)
	}
	return Call{Call: c, Op: op}
}

// Counted makes one call, which do sends and reads. Promise 3: the call is
// Counted before it leaves, and what it came to is noted, whatever happens.
func Counted(ctx context.Context, gate Gate, op Call, do func(number int64, result *pipeline.CallResult) error) error {
	number, err := gate.Enter(ctx, op.Call) // promise 3
	if err != nil {
		if pipeline.KindOf(err) != 0 {
			return err //nolint:wrapcheck // the gate's own refusal, kind and all
		}
		return &pipeline.Error{Kind: pipeline.Unavailable, Op: op.Op, Err: fmt.Errorf("%w: %w", pipeline.ErrNotMade, err)}
	}
	var result pipeline.CallResult
	err = do(number, &result)
	if failure, ok := errors.AsType[*pipeline.Error](err); ok {
		if result.Kind == 0 {
			result.Kind = failure.Kind
		}
		result.Code = failure.Code
		result.Detail = body.Clean(failure.Error(), maxDetail)
	} else if err != nil {
		result.Detail = "the answer was given up"
	}
	if leaveErr := gate.Leave(ctx, op.Call, number, result); leaveErr != nil {
		return errors.Join(err, &pipeline.Error{
			Kind: pipeline.Unavailable, Op: op.Op, Detail: "the end of the call could not be noted", Err: leaveErr,
		})
	}
	return err
}

// Open sends a request and gives its answer to read, which may take total at
// most.
func (d *Door) Open(ctx context.Context, op Call, total time.Duration, request *http.Request, read func(*Reply) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, total)
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	answer, err := d.send(granted(ctx, op.Granted), stop, request)
	if err != nil {
		return &pipeline.Error{Kind: pipeline.Unavailable, Op: op.Op, Err: err}
	}
	defer func() {
		// All that matters of the body is read by now.
		if closeErr := answer.Body.Close(); closeErr != nil && err == nil {
			err = &pipeline.Error{Kind: pipeline.Unavailable, Op: op.Op, Err: cause(ctx, closeErr)}
		}
	}()
	return read(answer)
}

// ReadAll reads a body that fits into memory.
func ReadAll(op Call, answer *Reply, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err != nil {
		return nil, &pipeline.Error{Kind: pipeline.Unavailable, Op: op.Op, Status: answer.Status, Err: err}
	}
	if int64(len(data)) > limit {
		return nil, &pipeline.Error{
			Kind: pipeline.Unexpected, Op: op.Op, Status: answer.Status,
			Detail: fmt.Sprintf("a body of more than %d bytes", limit),
		}
	}
	return data, nil
}
